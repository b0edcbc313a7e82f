"""Patterns and filters: what is refused, what matches, and what can never match.

`ruler_oracle.json` holds the answers of AWS's own engine (see `record_ruler.py`). The tables below are the cases that
it does not know: other consumers, paths of failure, formats of payloads, and what producers send.
"""

from __future__ import annotations

import json
from pathlib import Path as File
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoplint.graph.patterns import (
    EVENTBRIDGE,
    NO_ATTRIBUTES,
    SNS_ATTRIBUTES,
    SNS_BODY,
    Producer,
    Shape,
    alarm_message,
    can_match,
    consumer,
    consumer_of,
    dotted,
    dynamodb_stream,
    eventbridge,
    explain_mismatch,
    filters_of,
    mapping_filter_verdicts,
    matches,
    parse,
    parse_text,
    producer_shape,
    root_problems,
    s3_notifications,
    scheduler,
    sns,
    unknown_sender,
    validate,
)
from hoplint.graph.patterns.operands import ERROR, NODE, WARNING
from hoplint.graph.patterns.shapes import Anything
from hoplint.model.place import Source, Span
from hoplint.model.value import Encoded, Known, Text, Unknown, Value

ORACLE = json.loads(File(__file__).with_name("ruler_oracle.json").read_text(encoding="utf-8"))["cases"]


def our_answer(pattern: str, event: str) -> bool | str:
    """What the engine is asked, answered here."""
    read = parse_text(pattern)
    if any(one.severity == ERROR and one.kind != NODE for one in validate(read, EVENTBRIDGE)):
        return "refused"
    return matches(read, event)[0]


@pytest.mark.parametrize("case", ORACLE, ids=range(len(ORACLE)))
def test_agrees_with_the_engine(case: dict[str, Any]) -> None:
    assert our_answer(case["pattern"], case["event"]) == case["answer"], case


# --- where a match fails -----------------------------------------------------------------------------------------

EVENT = '{"source": "shop", "detail": {"n": 300.0, "s": "7", "tags": ["a", "b"], "lines": [{"x": 1}, {"y": 2}]}}'

PATHS = {
    "first key that fails": ('{"source": ["shop"], "detail": {"n": [1], "s": ["8"]}}', "detail.n"),
    "missing below": ('{"detail": {"m": {"k": [1]}}}', "detail.m.k"),
    "$or names its first branch": ('{"$or": [{"source": ["x"]}, {"detail": {"s": ["x"]}}]}', "source"),
    "each holds, not together": ('{"detail": {"lines": {"x": [1], "y": [2]}}}', "detail.lines.y"),
    "array without the value": ('{"detail": {"tags": ["c"]}}', "detail.tags"),
    "present where absence is wanted": ('{"detail": {"s": [{"exists": false}]}}', "detail.s"),
}


@pytest.mark.parametrize(("pattern", "path"), PATHS.values(), ids=PATHS)
def test_path_of_failure(pattern: str, path: str) -> None:
    found, where = matches(pattern, EVENT)
    assert not found
    assert dotted(where) == path


WORDS = {
    "string for number": ('{"detail": {"s": [7]}}', "a string is not equal to a number"),
    "number for string": ('{"detail": {"n": ["300.0"]}}', "a number is not equal to a string"),
    "case": ('{"source": ["Shop"]}', "letters differ in case"),
    "numeric on a string": ('{"detail": {"s": [{"numeric": [">", 1]}]}}', "compares numbers only"),
    "missing key": ('{"detail": {"m": ["x"]}}', 'there is no "m" in "detail"'),
    "missing root": ('{"m": ["x"]}', 'there is no "m"'),
    "a node": ('{"detail": {"lines": [{"exists": true}]}}', "leaves only"),
    "below a leaf": ('{"source": {"x": ["y"]}}', '"source" is "shop", so it has no "x"'),
    "all that is there": ('{"detail": {"tags": [{"prefix": "c"}]}}', '"a", "b", wanted is {"prefix": "c"}'),
}


@pytest.mark.parametrize(("pattern", "words"), WORDS.values(), ids=WORDS)
def test_explains(pattern: str, words: str) -> None:
    mismatch = explain_mismatch(pattern, EVENT)
    assert mismatch is not None
    assert words in mismatch.message


def test_plain_data_is_taken_as_it_is() -> None:
    assert matches({"detail": {"n": [{"numeric": [">", 1.5]}]}}, {"detail": {"n": 2}}) == (True, ())


@pytest.mark.parametrize(
    ("pattern", "event"),
    [("[]", "{}"), ("{", "{}"), ('{"a": ["b"]}', "[]"), ('{"a": ["b"]}', '{"a": ' + "[" * 3000 + "]" * 3000 + "}")],
    ids=["array", "no JSON", "event is an array", "deep event"],
)
def test_no_answer(pattern: str, event: str) -> None:
    with pytest.raises(ValueError):
        matches(pattern, event)


def test_no_answer_for_holes() -> None:
    with pytest.raises(LookupError, match="var.x has no value"):
        matches(parse(lift({"a": [Unknown("var.x has no value")]})), "{}")


def test_too_many_alternatives_are_not_tried() -> None:
    branches = [{"a": [1]}] * 12
    pattern = {f"k{number}": {"$or": branches} for number in range(5)}
    with pytest.raises(ValueError, match="combinations"):
        matches(pattern, "{}")


def test_large_arrays_take_no_exponential_time() -> None:
    event = {key: list(range(300)) for key in "abcdef"} | {"z": 0}
    pattern = {key: [{"exists": True}] for key in "abcdef"} | {"z": [1]}
    assert matches(pattern, event) == (False, ("z",))


def test_wildcards_take_no_exponential_time() -> None:
    assert not matches({"a": [{"wildcard": "*a" * 30 + "b"}]}, {"a": "a" * 5000})[0]


# --- consumers ---------------------------------------------------------------------------------------------------

JSON_BODY, PLAIN_BODY = '{"body": "{\\"status\\": \\"paid\\", \\"n\\": 300.0}"}', '{"body": "hello"}'

FORMATS = {
    "sqs: JSON and JSON": ("sqs", '{"body": {"status": ["paid"]}}', JSON_BODY, True, ""),
    "sqs: JSON and JSON that differs": ("sqs", '{"body": {"status": ["open"]}}', JSON_BODY, False, "body.status"),
    "sqs: plain body drops a JSON filter": ("sqs", '{"body": {"x": [{"exists": false}]}}', PLAIN_BODY, False, "body"),
    "sqs: JSON body drops a plain filter": ("sqs", '{"body": [{"anything-but": "x"}]}', JSON_BODY, False, "body"),
    "sqs: plain and plain": ("sqs", '{"body": [{"prefix": "he"}]}', PLAIN_BODY, True, ""),
    "sqs: no body in the filter": ("sqs", '{"awsRegion": ["x"]}', '{"awsRegion": "x", "body": "hello"}', True, ""),
    "sqs: body as an object": ("sqs", '{"body": {"a": ["b"]}}', '{"body": {"a": "b"}}', True, ""),
    "sqs: one branch of $or fits": (
        "sqs", '{"$or": [{"body": ["x"]}, {"body": {"status": ["paid"]}}]}', JSON_BODY, True, "",
    ),
    "sqs: numbers by their text": ("sqs", '{"body": {"n": [300]}}', JSON_BODY, False, "body.n"),
    "sqs: numeric compares values": ("sqs", '{"body": {"n": [{"numeric": ["=", 300]}]}}', JSON_BODY, True, ""),
    "a JSON string is no JSON document": ("sqs", '{"body": ["5"]}', '{"body": "5"}', True, ""),
    "kinesis: data in base64": ("kinesis", '{"data": {"a": ["b"]}}', '{"data": "eyJhIjogImIifQ=="}', True, ""),
    "kinesis: no JSON is dropped": ("kinesis", '{"data": {"a": ["b"]}}', '{"data": "hello"}', False, "data"),
    "kafka: a mismatch is skipped": ("kafka", '{"value": {"a": ["b"]}}', '{"value": "hello"}', True, ""),
    "kafka: what is left still counts": (
        "kafka", '{"value": {"a": ["b"]}, "topic": ["t"]}', '{"value": "hello", "topic": "u"}', False, "topic",
    ),
    "kafka: key and value by themselves": (
        "kafka", '{"value": {"a": ["b"]}, "key": ["k"]}', '{"value": "{\\"a\\": \\"b\\"}", "key": "j"}', False, "key",
    ),
    "mq: JSON under a plain filter is skipped": ("mq", '{"data": ["x"]}', '{"data": "{\\"a\\": 1}"}', True, ""),
    "dynamodb: the record as it is": (
        "dynamodb", '{"dynamodb": {"NewImage": {"n": {"N": ["123"]}}}}',
        '{"dynamodb": {"NewImage": {"n": {"N": "123"}}}}', True, "",
    ),
    "dynamodb: numbers are strings": (
        "dynamodb", '{"dynamodb": {"NewImage": {"n": {"N": [123]}}}}',
        '{"dynamodb": {"NewImage": {"n": {"N": "123"}}}}', False, "dynamodb.NewImage.n.N",
    ),
    "pipe: the source by its records": (
        "pipe", '{"body": {"a": ["b"]}}', '{"eventSource": "aws:sqs", "body": "hello"}', False, "body",
    ),
    "eventbridge: numbers by value": ("eventbridge", '{"detail": {"n": [300]}}', '{"detail": {"n": 3.0e2}}', True, ""),
    "eventbridge: a string of JSON is a string": (
        "eventbridge", '{"detail": {"s": {"a": ["b"]}}}', '{"detail": {"s": "{\\"a\\": \\"b\\"}"}}', False,
        "detail.s.a",
    ),
    "sns: typed attributes": (
        "sns-attributes", '{"price": [{"numeric": [">", 100]}]}', '{"price": {"Type": "Number", "Value": "101"}}', True,
        "",
    ),
    "sns: an array among the attributes": (
        "sns-attributes", '{"s": ["rugby"]}',
        '{"s": {"DataType": "String.Array", "StringValue": "[\\"rugby\\"]"}}', True, "",
    ),
    "sns: binary attributes are not seen": (
        "sns-attributes", '{"s": [{"exists": true}], "t": [{"exists": false}]}',
        '{"s": {"Type": "Binary", "Value": "eA=="}, "u": "x"}', False, "s",
    ),
    "sns: absence needs an attribute": ("sns-attributes", '{"s": [{"exists": false}]}', "{}", False, ""),
    "sns: absence beside another": ("sns-attributes", '{"s": [{"exists": false}]}', '{"t": "x"}', True, ""),
    "sns: exists wants a value": ("sns-body", '{"s": [{"exists": true}]}', '{"s": ""}', False, "s"),
}  # fmt: skip


@pytest.mark.parametrize(("by", "pattern", "event", "expected", "path"), FORMATS.values(), ids=FORMATS)
def test_consumers(by: str, pattern: str, event: str, expected: bool, path: str) -> None:
    found, where = matches(pattern, event, by)
    assert (found, dotted(where)) == (expected, path)


def test_consumer_of_a_source() -> None:
    assert consumer_of("sqs.queue").name == "sqs"
    assert consumer_of("kinesis.consumer", pipe=True).name == "pipe-kinesis"
    assert consumer_of(None).name == "mapping"
    assert consumer_of("documentdb").filters == 0


# --- what is refused ---------------------------------------------------------------------------------------------

LONG = '{"a": ["%s"]}'
INVALID = {
    "scalar": ("sqs", '{"body": {"status": "paid"}}', "body.status", "not in an array", "syntax"),
    "root is no object": ("sqs", '["a"]', "", "no JSON object", "syntax"),
    "no JSON": ("sqs", '{"body": {"a": ["b"]}', "", "no JSON", "syntax"),
    "trailing comma": ("eventbridge", '{"source": ["a"],}', "", "line 1, column 18", "syntax"),
    "operator as a key": ("sqs", '{"body": {"a": {"prefix": "x"}}}', "body.a.prefix", "outside of an array", "syntax"),
    "anything-but as a key": (
        "sqs", '{"body": {"a": {"anything-but": ["x"]}}}', "body.a.anything-but", "outside", "syntax",
    ),
    "unknown operator": (
        "sqs", '{"body": {"a": [{"regex": "x"}]}}', "body.a", '"regex" of "a" is no operator', "operator",
    ),
    "misspelt operator": (
        "sqs", '{"body": {"a": [{"anythingBut": "x"}]}}', "body.a", 'it is "anything-but"', "operator",
    ),
    "object in an array": ("sqs", '{"body": [{"a": ["x"]}]}', "body", "holds the object of", "operator"),
    "two operators": ("sqs", '{"a": [{"prefix": "x", "suffix": "y"}]}', "a", "takes one operator", "operator"),
    "pipe has no wildcard": (
        "pipe-sqs", '{"body": {"a": [{"wildcard": "*"}]}}', "body.a.wildcard", "not supported", "operator",
    ),
    "pipe has no nested anything-but": (
        "pipe", '{"a": [{"anything-but": {"prefix": "x"}}]}', "a.anything-but", "not supported", "operator",
    ),
    "exists on detail": ("eventbridge", '{"detail": [{"exists": true}]}', "detail.exists", "no leaf", "node"),
    "exists on an attribute": (
        "dynamodb", '{"dynamodb": {"NewImage": {"a": [{"exists": true}]}}}',
        "dynamodb.NewImage.a.exists", "no leaf", "node",
    ),
    "numeric on DynamoDB": (
        "dynamodb", '{"dynamodb": {"Keys": {"n": {"N": [{"numeric": [">", 1]}]}}}}', "dynamodb.Keys.n.N.numeric",
        "numbers as strings", "typed",
    ),
    "numeric on DynamoDB behind a pipe": (
        "pipe-dynamodb", '{"dynamodb": {"Keys": {"n": {"N": [{"numeric": [">", 1]}]}}}}', "dynamodb.Keys.n.N.numeric",
        "numbers as strings", "typed",
    ),
    "plain filter on Kinesis": ("kinesis", '{"data": ["x"]}', "data", "takes an object", "syntax"),
    "DocumentDB": ("documentdb", '{"a": ["b"]}', "", "does not filter", "support"),
    "length of a filter counts white space": (
        "sqs", '{"a": ["b"]' + " " * 4100 + "}", "", "4,096 is the limit", "size",
    ),
    "length of a pattern": ("eventbridge", LONG % ("x" * 4090), "", "4,096 is the limit", "size"),
    "combinations of $or": (
        "eventbridge", json.dumps({f"k{n}": {"$or": [{"a": ["b"]}] * 11} for n in range(3)}), "",
        "1,331 combinations", "limit",
    ),
    "nested attributes": ("sns-attributes", '{"a": {"b": ["c"]}}', "a", 'the scope "MessageBody"', "scope"),
    "six keys": ("sns-attributes", json.dumps({key: ["x"] for key in "abcdef"}), "", "6 keys", "limit"),
    "combinations of values": (
        "sns-attributes", json.dumps({key: list("abcdef") for key in "xyz"}), "", "216 combin", "limit",
    ),
    "nesting multiplies in a body": (
        "sns-body", json.dumps({"a": {"b": {"c": ["1"] * 51}}}), "", "153 combin", "limit",
    ),
    "wildcards of SNS": ("sns-body", '{"a": [{"wildcard": "*a*b*c*"}]}', "a.wildcard", "3 is the limit", "limit"),
    "$or as a field": ("eventbridge", '{"$or": [{"prefix": "a"}, {"suffix": "b"}]}', "$or", "taken for a key", "node"),
}  # fmt: skip


@pytest.mark.parametrize(("by", "pattern", "path", "words", "kind"), INVALID.values(), ids=INVALID)
def test_invalid(by: str, pattern: str, path: str, words: str, kind: str) -> None:
    (problem,) = validate(parse_text(pattern), consumer(by))
    assert (dotted(problem.path), problem.kind, problem.severity) == (path, kind, ERROR)
    assert words in problem.message
    assert problem.fact


DOUBTS = {
    "not listed for Lambda": ("sqs", '{"body": {"a": [{"wildcard": "*"}]}}', "lists no support", "operator"),
    "prefix without case": ("mq", '{"data": {"a": [{"prefix": {"equals-ignore-case": "x"}}]}}', "lists no", "operator"),
    "number out of range": ("eventbridge", '{"detail": {"a": [{"numeric": [">", 6e9]}]}}', "5,000,000,000", "value"),
    "number out of SNS's range": ("sns-body", '{"a": [{"numeric": [">", 2e9]}]}', "1,000,000,000", "value"),
    "repeated leaf": ("eventbridge", '{"source": ["a"], "source": ["b"]}', "first condition is lost", "repeated"),
    "repeated object": ("sqs", '{"body": {"a": ["x"]}, "body": {"b": ["x"]}}', "joins both", "repeated"),
    "repeated below": ("eventbridge", '{"detail": {"x": [1], "y": [2], "x": [3]}}', '"x" is repeated', "repeated"),
}


@pytest.mark.parametrize(("by", "pattern", "words", "kind"), DOUBTS.values(), ids=DOUBTS)
def test_doubtful(by: str, pattern: str, words: str, kind: str) -> None:
    (problem,) = validate(parse_text(pattern), consumer(by))
    assert (problem.severity, problem.kind) == (WARNING, kind)
    assert words in problem.message


VALID = {
    "length of a pattern counts no white space": ("eventbridge", '{"source": ["b"]' + " " * 5000 + "}"),
    "exists false on detail": ("eventbridge", '{"detail": [{"exists": false}]}'),
    "exists with a second way": ("eventbridge", '{"detail": [{"exists": true}, {"exists": false}]}'),
    "exists below the type": ("dynamodb", '{"dynamodb": {"NewImage": {"a": {"L": {"S": [{"exists": true}]}}}}}'),
    "numeric outside of dynamodb": ("dynamodb", '{"userIdentity": {"n": [{"numeric": [">", 1]}]}}'),
    "pipe without case": ("pipe", '{"a": [{"suffix": {"equals-ignore-case": "x"}}]}'),
    "SNS with wildcards": ("sns-body", '{"a": [{"anything-but": {"wildcard": "*x"}}]}'),
    "SNS sums alternatives": ("sns-attributes", json.dumps({"$or": [{key: list(range(70))} for key in "ab"]})),
    "SNS with five leaves": ("sns-body", '{"a": {"b": ["1"], "c": ["1"]}, "d": ["1"], "e": {"f": {"g": ["1"]}}}'),
    "an object named like an operator": ("sqs", '{"body": {"exists": {"at": ["x"]}}}'),
    "values named like relations": ("eventbridge", '{"detail": {"numeric": ["one"]}}'),
    "cidr in a mapping": ("sqs", '{"body": {"a": [{"cidr": "10.0.0.0/8"}]}}'),
    "one test with null": ("sqs", '{"body": {"a": [null, "", true, 1]}}'),
}


@pytest.mark.parametrize(("by", "pattern"), VALID.values(), ids=VALID)
def test_valid(by: str, pattern: str) -> None:
    assert validate(parse_text(pattern), consumer(by)) == []


ROOTS = {
    "PutEvents spelling": (
        "eventbridge",
        '{"Source": ["a"], "DetailType": ["b"]}',
        ["error Source", "error DetailType"],
    ),
    "a payload's key at the root": ("eventbridge", '{"status": ["paid"]}', ["error status"]),
    "envelope": ("eventbridge", '{"source": ["a"], "replay-name": ["b"]}', []),
    "inside $or": ("eventbridge", '{"$or": [{"details": ["a"]}, {"detail": {"a": ["b"]}}]}', ["error details"]),
    "absence asked for": ("eventbridge", '{"replayed": [{"exists": false}]}', []),
    "with a dot": ("eventbridge", '{"detail.status": ["paid"]}', []),
    "body on a stream": ("dynamodb", '{"body": {"eventName": ["INSERT"]}}', ["error body"]),
    "data on DynamoDB": ("dynamodb", '{"data": {"a": ["b"]}}', ["error data"]),
    "dynamodb on Kinesis": ("kinesis", '{"dynamodb": {"a": ["b"]}}', ["error dynamodb"]),
    "eventName on DynamoDB": ("dynamodb", '{"eventName": ["INSERT"], "userIdentity": {"type": ["Service"]}}', []),
    "attributes of a message": ("sqs", '{"messageAttributes": {"a": ["b"]}}', ["warning messageAttributes"]),
    "partition key": ("kinesis", '{"partitionKey": ["1"]}', ["warning partitionKey"]),
    "partition key of a pipe": ("pipe-kinesis", '{"partitionKey": ["1"]}', []),
    "what polling adds, in a pipe": ("pipe-sqs", '{"eventSourceARN": ["1"]}', ["warning eventSourceARN"]),
    "business key without body": ("sqs", '{"status": ["paid"]}', ["error status"]),
    "unknown source": ("mapping", '{"anything": ["x"]}', []),
    "SNS": ("sns-body", '{"anything": ["x"]}', []),
}


@pytest.mark.parametrize(("by", "pattern", "expected"), ROOTS.values(), ids=ROOTS)
def test_root_keys(by: str, pattern: str, expected: list[str]) -> None:
    found = root_problems(parse_text(pattern), consumer(by))
    assert [f"{one.severity} {dotted(one.path)}" for one in found] == expected


def test_root_key_names_what_was_meant() -> None:
    source, kind = root_problems(parse_text('{"Source": ["a"], "detailType": ["b"]}'), EVENTBRIDGE)
    assert 'it is "source"' in source.message
    assert 'it is "detail-type"' in kind.message


# --- values with holes -------------------------------------------------------------------------------------------


def lift(data: Any) -> Value:
    """Plain data as values."""
    if isinstance(data, Value):
        return data
    if isinstance(data, dict):
        return Known({key: lift(item) for key, item in data.items()})
    if isinstance(data, list):
        return Known([lift(item) for item in data])
    return Known(data)


HOLE, PART = Unknown("var.x has no value"), Text(("a-", Unknown("var.x has no value")))

HOLES = {
    "unknown leaf": ({"body": {"a": HOLE}}, []),
    "unknown value in an array": ({"body": {"a": [HOLE]}}, []),
    "partly known string outside of an array": ({"body": {"a": PART}}, ["body.a"]),
    "partly known operand": ({"body": {"a": [{"prefix": PART}]}}, []),
    "unknown operand of exists": ({"body": {"a": [{"exists": HOLE}]}}, []),
    "unknown bound": ({"body": {"a": [{"numeric": [">", HOLE]}]}}, []),
    "unknown beside a mistake": ({"body": {"a": HOLE, "b": "x"}}, ["body.b"]),
    "mixed kinds with a hole": ({"body": {"a": [{"anything-but": ["x", HOLE]}]}}, []),
    "a template's types are not judged": ({"body": {"a": [{"exists": "true"}]}}, []),
}


@pytest.mark.parametrize(("data", "expected"), HOLES.values(), ids=HOLES)
def test_holes_are_no_problem(data: Any, expected: list[str]) -> None:
    assert [dotted(one.path) for one in validate(parse(lift(data)), consumer("sqs"))] == expected


def test_encoded_types_are_judged() -> None:
    (problem,) = validate(parse(Encoded(lift({"body": {"a": [{"exists": "true"}]}}))), consumer("sqs"))
    assert "takes true or false" in problem.message


def test_unknown_pattern_has_no_problem_and_matches_everything() -> None:
    pattern = parse(HOLE)
    assert validate(pattern, EVENTBRIDGE) == []
    assert can_match(pattern, eventbridge(), consumer("sqs")).possible
    assert pattern.unknown == "var.x has no value"


def test_text_with_holes_is_parsed() -> None:
    pattern = parse(Text(('{"body": {"', HOLE, '": "x"}, "attributes": "y"}')))
    assert [dotted(one.path) for one in validate(pattern, consumer("sqs"))] == ["attributes"]


def test_a_problem_stands_where_its_part_stands() -> None:
    source = Source("a.yaml", b"status: paid")
    pattern = parse(lift({"body": {"status": Known("paid", Span(source, 8, 12))}}))
    (problem,) = validate(pattern, consumer("sqs"))
    assert problem.site is not None
    assert (problem.site.place().column, problem.site.place().end_column) == (9, 13)


def test_repeated_keys_in_a_value() -> None:
    (problem,) = validate(parse(Known('{"body": {"a": ["x"], "a": ["y"]}}')), consumer("sqs"))
    assert (problem.kind, dotted(problem.path)) == ("repeated", "body.a")


def test_deep_patterns_are_undecided() -> None:
    assert parse_text('{"a":' * 5000 + "1" + "}" * 5000).problem == ""
    assert validate(parse_text('{"a":' * 150 + "1" + "}" * 150), EVENTBRIDGE) == []


def blurred(data: Any) -> list[Any]:
    """The same data with one part after the other not known."""
    found: list[Any] = [HOLE]
    if isinstance(data, dict):
        found += [{**data, key: part} for key, item in data.items() for part in blurred(item)]
    elif isinstance(data, list):
        found += [[*data[:at], part, *data[at + 1 :]] for at, item in enumerate(data) for part in blurred(item)]
    elif isinstance(data, str):
        found.append(PART)
    return found


def test_what_is_not_known_adds_no_problem() -> None:
    for case in ORACLE[:160] + ORACLE[160::8]:
        try:
            data = json.loads(case["pattern"])
        except ValueError:
            continue
        parts = blurred(data)
        for by in ("eventbridge", "sns-body"):
            # What is wrong may be another thing then, but only where something is.
            if not validate(parse(Encoded(lift(data))), consumer(by)):
                for part in parts:
                    assert validate(parse(Encoded(lift(part))), consumer(by)) == [], (by, part)
        if can_match(parse(lift({"body": data})), RULE, consumer("sqs")).possible:
            for part in parts:
                assert can_match(parse(lift({"body": part})), RULE, consumer("sqs")).possible, part


# --- what can never match ----------------------------------------------------------------------------------------

RULE = eventbridge(parse_text('{"source": ["com.shop"], "detail-type": ["Paid", "Open"], "detail": {"a": ["b"]}}'))
S3_RULE = eventbridge(parse_text('{"source": ["aws.s3"], "detail-type": ["Object Created"]}'))
TRAIL_RULE = eventbridge(parse_text('{"source": ["aws.s3"], "detail-type": ["AWS API Call via CloudTrail"]}'))
ALARM_RULE = eventbridge(parse_text('{"source": ["aws.cloudwatch"], "detail-type": ["CloudWatch Alarm State Change"]}'))
ENVELOPE, RAW = sns(False), sns(True, RULE)

NEVER = {
    "payload at the root of an event": (RULE, '{"body": {"status": ["x"]}}', "body.status", "key"),
    "PutEvents spelling": (RULE, '{"body": {"DetailType": ["x"]}}', "body.DetailType", "key"),
    "another source": (RULE, '{"body": {"source": ["x"]}}', "body.source", "value"),
    "prefix of another source": (RULE, '{"body": {"source": [{"prefix": "org."}]}}', "body.source", "value"),
    "all but what is sent": (RULE, '{"body": {"source": [{"anything-but": "com.shop"}]}}', "body.source", "value"),
    "a number for a string": (RULE, '{"body": {"account": [111122223333]}}', "body.account", "value"),
    "numeric on a string": (RULE, '{"body": {"account": [{"numeric": [">", 1]}]}}', "body.account", "value"),
    "an object as a leaf": (RULE, '{"body": {"detail": ["x"]}}', "body.detail", "key"),
    "keys below a string": (RULE, '{"body": {"source": {"x": ["y"]}}}', "body.source.x", "key"),
    "keys below an array of strings": (RULE, '{"body": {"resources": {"x": ["y"]}}}', "body.resources.x", "key"),
    "absence of what is always there": (RULE, '{"body": {"source": [{"exists": false}]}}', "body.source", "key"),
    "plain filter on JSON": (RULE, '{"body": ["x"]}', "body", "format"),
    "every branch of $or": (RULE, '{"body": {"$or": [{"a": ["x"]}, {"b": ["x"]}]}}', "body.a", "key"),
    "$or around the body": (RULE, '{"$or": [{"body": {"a": ["x"]}}, {"body": ["x"]}]}', "body.a", "key"),
    "key with a dot": (RULE, '{"body": {"order.id": ["x"]}}', "body.order", "key"),
    "detail of a schedule": (eventbridge(scheduled=True), '{"body": {"detail": {"a": ["x"]}}}', "body.detail.a", "key"),
    "records in an S3 event": (
        S3_RULE, '{"body": {"detail": {"Records": {"s3": ["x"]}}}}', "body.detail.Records", "key",
    ),
    "leaf on the bucket": (S3_RULE, '{"body": {"detail": {"bucket": ["x"]}}}', "body.detail.bucket", "key"),
    "alarm's message in its event": (
        ALARM_RULE, '{"body": {"detail": {"NewStateValue": ["x"]}}}', "body.detail.NewStateValue", "key",
    ),
    "state that alarms never have": (
        ALARM_RULE, '{"body": {"detail": {"state": {"value": ["ALERT"]}}}}', "body.detail.state.value", "value",
    ),
    "SNS envelope": (ENVELOPE, '{"body": {"status": ["x"]}}', "body.status", "key"),
    "SNS message as an object": (ENVELOPE, '{"body": {"Message": {"status": ["x"]}}}', "body.Message.status", "key"),
    "SNS raw of an event": (RAW, '{"body": {"Message": {"x": ["x"]}}}', "body.Message", "key"),
    "S3 notification": (s3_notifications(), '{"body": {"detail": {"bucket": {"name": ["x"]}}}}', "body.detail", "key"),
    "S3 record's other shape": (
        s3_notifications(), '{"body": {"Records": {"detail": {"x": ["x"]}}}}', "body.Records.detail", "key",
    ),
    "S3 bucket as a leaf": (
        s3_notifications(), '{"body": {"Records": {"s3": {"bucket": ["x"]}}}}', "body.Records.s3.bucket", "key",
    ),
    "schedule with text": (scheduler(Known("ping")), '{"body": {"a": ["x"]}}', "body", "format"),
    "schedule with other text": (scheduler(Known("ping")), '{"body": ["pong"]}', "body", "value"),
    "schedule with JSON": (scheduler(Known('{"job": "a"}')), '{"body": {"task": ["x"]}}', "body.task", "key"),
    "schedule with other JSON": (scheduler(Known('{"job": "a"}')), '{"body": {"job": ["b"]}}', "body.job", "value"),
    "alarm's message": (sns(True, alarm_message()), '{"body": {"detail": {"x": ["x"]}}}', "body.detail", "key"),
    "constant input": (
        eventbridge(constant=Known('{"a": 1}')), '{"body": {"detail": {"x": ["x"]}}}', "body.detail", "key",
    ),
    "constant string": (eventbridge(constant=Known('"go"')), '{"body": {"a": ["x"]}}', "body", "format"),
    "jsonencode'd input": (eventbridge(constant=Encoded(lift({"a": 1}))), '{"body": {"b": ["x"]}}', "body.b", "key"),
    "input path takes the envelope off": (
        eventbridge(path=Known("$.detail-type")), '{"body": {"detail": {"x": ["x"]}}}', "body", "format",
    ),
    "template's keys": (
        eventbridge(template=Known('{"order": <id>, "note": "paid <id>"}'), paths=lift({"id": "$.detail.id"})),
        '{"body": {"detail": {"id": ["x"]}}}', "body.detail", "key",
    ),
    "template around the event": (
        eventbridge(template=Known('{"event": <aws.events.event.json>}')), '{"body": {"event": {"a": ["x"]}}}',
        "body.event.a", "key",
    ),
    "template of a string": (eventbridge(template=Known('"order <id>"')), '{"body": {"id": ["x"]}}', "body", "format"),
    "template of several lines": (
        eventbridge(template=Known('"a <id>"\n"b"')), '{"body": {"id": ["x"]}}', "body", "format",
    ),
    "template with unknown text": (
        eventbridge(template=Text(('{"queue": "', HOLE, '", "id": "<id>"}'))), '{"body": {"detail": {"x": ["x"]}}}',
        "body.detail", "key",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "pattern", "path", "kind"), NEVER.values(), ids=NEVER)
def test_never_matches(shape: Shape, pattern: str, path: str, kind: str) -> None:
    verdict = can_match(parse_text(pattern), shape, consumer("sqs"))
    assert not verdict.possible
    assert (dotted(verdict.path), verdict.kind) == (path, kind)
    assert verdict.why


MAYBE = {
    "payload under detail": (RULE, '{"body": {"detail": {"status": ["x"]}}}'),
    "one of two types": (RULE, '{"body": {"detail-type": ["Open", "x"]}}'),
    "absence of a key that is never there": (RULE, '{"body": {"status": [{"exists": false}]}}'),
    "absence among the values": (RULE, '{"body": {"status": ["x", {"exists": false}]}}'),
    "absence of nested keys": (RULE, '{"body": {"a": {"b": [{"exists": false}], "c": [{"exists": false}]}}}'),
    "absence below a leaf": (RULE, '{"body": {"source": {"x": [{"exists": false}]}}}'),
    "absence of a node": (RULE, '{"body": {"detail": [{"exists": false}]}}'),
    "one branch of $or": (RULE, '{"body": {"$or": [{"a": ["x"]}, {"detail": {"b": ["x"]}}]}}'),
    "a rule's detail binds no arrays": (RULE, '{"body": {"detail": {"a": ["c"]}}}'),
    "an element of resources": (RULE, '{"body": {"resources": [{"prefix": "arn:"}]}}'),
    "replayed events": (RULE, '{"body": {"replay-name": ["x"]}}'),
    "no body in the filter": (RULE, '{"messageAttributes": {"a": ["x"]}}'),
    "key with a dot": (RULE, '{"body": {"detail.order.id": ["x"]}}'),
    "a value that is not known": (RULE, '{"body": {"region": ["x"]}}'),
    "CloudTrail's events of S3": (TRAIL_RULE, '{"body": {"detail": {"requestParameters": {"key": ["x"]}}}}'),
    "S3 event": (S3_RULE, '{"body": {"detail": {"object": {"size": [{"numeric": [">", 1]}]}}}}'),
    "alarm's state": (ALARM_RULE, '{"body": {"detail": {"state": {"value": ["ALARM"]}}}}'),
    "text of an SNS message": (ENVELOPE, '{"body": {"Message": [{"prefix": "{"}]}}'),
    "attributes in the envelope": (ENVELOPE, '{"body": {"MessageAttributes": {"kind": {"Value": ["x"]}}}}'),
    "raw or not is not known": (sns(None, RULE), '{"body": {"status": ["x"]}}'),
    "raw of unknown publishers": (sns(True), '{"body": {"status": ["x"]}}'),
    "S3 key": (s3_notifications(), '{"body": {"Records": {"s3": {"object": {"key": [{"suffix": ".png"}]}}}}}'),
    "S3's test event": (s3_notifications(), '{"body": {"Event": ["s3:TestEvent"]}}'),
    "S3 without records": (s3_notifications(), '{"body": {"Records": {"x": [{"exists": false}]}}}'),
    "who sends is not known": (unknown_sender(), '{"body": {"status": ["x"]}}'),
    "schedule without input": (scheduler(None), '{"body": {"status": ["x"]}}'),
    "schedule's placeholder": (scheduler(Known('{"at": "<aws.scheduler.scheduled-time>"}')), '{"body": {"at": ["x"]}}'),
    "schedule's bare placeholder": (scheduler(Known('{"n": <aws.scheduler.attempt-number>}')), '{"body": {"n": [1]}}'),
    "input that is not known": (eventbridge(constant=HOLE), '{"body": {"status": ["x"]}}'),
    "input that is no JSON": (eventbridge(constant=Known("text")), '{"body": {"status": ["x"]}}'),
    "constant with an unknown value": (
        eventbridge(constant=Encoded(lift({"a": HOLE}))), '{"body": {"a": {"b": ["x"]}}}',
    ),
    "null is no input": (eventbridge(constant=Known(None)), '{"body": {"detail": {"x": ["x"]}}}'),
    "input path of the detail": (eventbridge(path=Known("$.detail")), '{"body": {"status": ["x"]}}'),
    "input path with an index": (eventbridge(path=Known("$.resources[0]")), '{"body": {"status": ["x"]}}'),
    "plain filter behind a string": (eventbridge(constant=Known('"go"')), '{"body": ["go"]}'),
    "placeholder's value": (
        eventbridge(template=Known('{"a": <x>, "b": "<x>"}'), paths=lift({"x": "$.detail.x"})),
        '{"body": {"a": {"b": ["y"]}, "b": {"c": ["z"]}}}',
    ),
    "placeholder without a path": (eventbridge(template=Known('{"a": <x>}')), '{"body": {"a": {"b": ["y"]}}}'),
    "template that is a placeholder": (
        eventbridge(template=Known("<x>"), paths=lift({"x": "$.detail"})), '{"body": {"status": ["y"]}}',
    ),
    "template that is not followed": (eventbridge(template=Known('{"a": <x> "b"}')), '{"body": {"c": ["y"]}}'),
    "template with an unknown piece": (eventbridge(template=Text(("{", HOLE, "}"))), '{"body": {"c": ["y"]}}'),
    "template with an unknown key": (
        eventbridge(template=Text(('{"', HOLE, '": 1}'))), '{"body": {"c": ["y"]}}',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "pattern"), MAYBE.values(), ids=MAYBE)
def test_may_match(shape: Shape, pattern: str) -> None:
    assert can_match(parse_text(pattern), shape, consumer("sqs")).possible


def test_a_mismatch_that_is_skipped_loses_nothing() -> None:
    assert can_match(parse_text('{"value": ["x"]}'), RULE, consumer("kafka")).possible


def test_holes_in_a_filter_are_possible() -> None:
    for data in ({"source": [HOLE]}, {"source": [PART]}, {"source": [{"prefix": PART}]}, {"status": HOLE}):
        assert can_match(parse(lift({"body": data})), RULE, consumer("sqs")).possible
    assert not can_match(parse(lift({"body": {"status": [PART]}})), RULE, consumer("sqs")).possible


def test_numbers_of_a_template_may_arrive_as_strings() -> None:
    assert can_match(parse(lift({"body": {"account": [111122223333]}})), RULE, consumer("sqs")).possible


STREAMS = {
    "view without images": ("KEYS_ONLY", '{"dynamodb": {"NewImage": {"a": {"S": ["x"]}}}}', "dynamodb.NewImage"),
    "view with the other image": ("OLD_IMAGE", '{"dynamodb": {"NewImage": {"a": {"S": ["x"]}}}}', "dynamodb.NewImage"),
    "absence of an image's key": ("KEYS_ONLY", '{"dynamodb": {"NewImage": {"a": {"S": [{"exists": false}]}}}}', None),
    "view with the image": ("NEW_AND_OLD_IMAGES", '{"dynamodb": {"NewImage": {"a": {"S": ["x"]}}}}', None),
    "view not known": (None, '{"dynamodb": {"OldImage": {"a": {"S": ["x"]}}}}', None),
    "stops above the type": ("NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": ["x"]}}}', "dynamodb.NewImage.a"),
    "no such type": ("NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": {"X": ["x"]}}}}', "dynamodb.NewImage.a.X"),
    "number as a number": ("NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": {"N": [1]}}}}', "dynamodb.NewImage.a.N"),
    "list of strings": ("NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": {"L": {"S": ["x"]}}}}}', None),
    "map in a map": ("NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": {"M": {"b": {"M": {"c": {"S": ["x"]}}}}}}}}', None),
    "map without its type": (
        "NEW_IMAGE", '{"dynamodb": {"NewImage": {"a": {"M": {"b": ["x"]}}}}}', "dynamodb.NewImage.a.M.b",
    ),
    "kind of change": ("NEW_IMAGE", '{"eventName": ["INSERT"]}', None),
    "no such kind of change": ("NEW_IMAGE", '{"eventName": ["UPDATE"]}', "eventName"),
    "key of a queue": ("NEW_IMAGE", '{"body": {"a": ["x"]}}', "body"),
}  # fmt: skip


@pytest.mark.parametrize(("view", "pattern", "path"), STREAMS.values(), ids=STREAMS)
def test_streams(view: str | None, pattern: str, path: str | None) -> None:
    verdict = can_match(parse_text(pattern), dynamodb_stream(view), consumer("dynamodb"))
    assert (None if verdict.possible else dotted(verdict.path)) == path


def test_subscriptions() -> None:
    nested = parse_text('{"detail": {"status": ["x"]}}')
    assert can_match(nested, RULE, SNS_BODY).possible
    assert dotted(can_match(parse_text('{"status": ["x"]}'), RULE, SNS_BODY).path) == "status"
    assert can_match(parse_text('{"kind": ["x"]}'), NO_ATTRIBUTES, SNS_ATTRIBUTES).kind == "format"
    # Without any attribute not even absence is found.
    assert not can_match(parse_text('{"kind": [{"exists": false}]}'), NO_ATTRIBUTES, SNS_ATTRIBUTES).possible
    assert can_match(parse_text('{"kind": ["x"]}'), Anything(), SNS_ATTRIBUTES).possible


def test_rules_see_the_event() -> None:
    assert not can_match(parse_text('{"detail-type": [{"numeric": [">", 1]}]}'), eventbridge(), EVENTBRIDGE).possible


def test_shapes_by_name() -> None:
    assert not can_match(parse_text('{"body": {"a": ["x"]}}'), producer_shape("sns", False), consumer("sqs")).possible
    assert can_match(parse_text('{"body": {"a": ["x"]}}'), producer_shape("sqs"), consumer("sqs")).possible


# --- filters of one mapping --------------------------------------------------------------------------------------

UNDER_DETAIL, AT_ROOT, OF_S3 = (
    '{"body": {"detail": {"status": ["x"]}}}', '{"body": {"status": ["x"]}}',
    '{"body": {"Records": {"s3": {"x": [1]}}}}',
)  # fmt: skip
ORDERS, FILES, OTHERS = (
    Producer("rule `orders`", RULE),
    Producer("bucket `files`", s3_notifications()),
    Producer("an app", Anything()),
)


def losses(filters: list[Any], *producers: Producer, by: str = "sqs") -> list[str]:
    found = mapping_filter_verdicts(Known([lift(one) for one in filters]), list(producers), consumer(by))
    return [one.producer.label if one.producer else f"filter {one.numbers[0] + 1}" for one in found]


def test_a_producer_that_every_filter_misses() -> None:
    (loss,) = mapping_filter_verdicts(lift([AT_ROOT]), [ORDERS], consumer("sqs"))
    assert loss.message.startswith("every message that rule `orders` sends is deleted by this filter: ")
    assert (loss.numbers, loss.kind, dotted(loss.instead)) == ([0], "key", "body.detail.status")


def test_one_filter_that_works_is_enough() -> None:
    assert losses([UNDER_DETAIL], ORDERS) == []


def test_a_filter_that_matches_nothing_beside_one_that_works() -> None:
    assert losses([UNDER_DETAIL, AT_ROOT], ORDERS) == ["filter 2"]


def test_a_filter_for_senders_that_are_not_known() -> None:
    assert losses([UNDER_DETAIL, AT_ROOT], ORDERS, OTHERS) == []


def test_filters_for_two_producers() -> None:
    assert losses([UNDER_DETAIL, OF_S3], ORDERS, FILES) == []


def test_a_producer_is_starved_whoever_else_sends() -> None:
    assert losses([OF_S3], ORDERS, FILES, OTHERS) == ["rule `orders`"]


def test_the_format_is_spoken_of_first() -> None:
    (loss,) = mapping_filter_verdicts(lift([AT_ROOT, '{"body": ["x"]}']), [ORDERS], consumer("sqs"))
    assert (loss.kind, loss.numbers) == ("format", [0, 1])
    assert "its 2 filters" in loss.message


def test_an_unknown_filter_may_let_everything_through() -> None:
    assert losses([AT_ROOT, HOLE], ORDERS) == ["filter 1"]
    assert losses([AT_ROOT, None], ORDERS) == []
    assert mapping_filter_verdicts(HOLE, [ORDERS], consumer("sqs")) == []
    assert filters_of(HOLE).unknown == "var.x has no value"


def test_a_filter_that_is_no_json_is_not_judged() -> None:
    assert losses(["{"], ORDERS) == []


def test_a_lone_pattern_is_one_filter() -> None:
    assert len(mapping_filter_verdicts(Known(AT_ROOT), [ORDERS], consumer("sqs"))) == 1


def test_streams_pass_over() -> None:
    shape = dynamodb_stream("KEYS_ONLY")
    (loss,) = mapping_filter_verdicts(
        lift(['{"dynamodb": {"NewImage": {"a": {"S": ["x"]}}}}']), [Producer("table `t`", shape)], consumer("dynamodb")
    )
    assert loss.message.startswith(
        "every record that table `t` sends is passed over, since this filter cannot match it: "
    )


# --- properties --------------------------------------------------------------------------------------------------

LEAVES = st.one_of(
    st.text(max_size=6), st.integers(-(10**6), 10**6), st.booleans(), st.none(), st.floats(-1e6, 1e6, allow_nan=False)
)
DATA = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc.$", max_size=3), inner, max_size=3)
)
EVENTS = st.dictionaries(st.text("abcd", min_size=1, max_size=2), DATA, min_size=1, max_size=4)


def has_fields(value: object) -> bool:
    if isinstance(value, dict):
        return any(has_fields(item) for item in value.values())
    return any(has_fields(item) for item in value) if isinstance(value, list) else True


def generalised(draw: Any, value: object) -> object:
    """A pattern that certainly matches a value: of an array one element is picked."""
    if isinstance(value, dict):
        keys = [key for key, item in value.items() if has_fields(item) and key != "$or"]
        if not keys:
            return [{"exists": False}]
        chosen = draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
        return {key: generalised(draw, value[key]) for key in chosen}
    if isinstance(value, list):
        return generalised(draw, draw(st.sampled_from([item for item in value if has_fields(item)])))
    ways: list[object] = [value, {"exists": True}, {"anything-but": "\x00"}, {"anything-but": {"prefix": "\x00"}}]
    if isinstance(value, str):
        cut = draw(st.integers(0, len(value)))
        ways += [{"prefix": value[:cut]}, {"suffix": value[cut:]}]
        if not set(value) & set("*\\"):
            ways.append({"wildcard": value[:cut] + "*" + value[cut + 1 :]})
    elif isinstance(value, int | float) and not isinstance(value, bool):
        ways += [{"numeric": ["=", value]}, {"numeric": [">", value - 1, "<=", value]}]
    return [draw(st.sampled_from(ways)), *draw(st.lists(LEAVES, max_size=2))]


@given(st.data(), EVENTS)
def test_a_generalised_event_is_matched(data: st.DataObject, event: dict[str, object]) -> None:
    if not any(has_fields(item) for item in event.values()):
        return
    pattern = generalised(data.draw, event)
    assert matches(pattern, event) == (True, ())


@given(st.data(), EVENTS, EVENTS)
def test_narrowing_adds_no_matches(data: st.DataObject, event: dict[str, object], other: dict[str, object]) -> None:
    if not any(has_fields(item) for item in other.values()):
        return
    pattern = generalised(data.draw, other)
    assert isinstance(pattern, dict)
    narrower = {**pattern, "zz": data.draw(st.sampled_from([[{"exists": False}], ["x"], [{"exists": True}]]))}
    fewer = narrow(data.draw, pattern)
    for closer in (narrower, fewer):
        if matches(closer, event)[0]:
            assert matches(pattern, event)[0]


def narrow(draw: Any, pattern: object) -> object:
    """The same with fewer values in its arrays."""
    if isinstance(pattern, dict):
        return {key: narrow(draw, item) for key, item in pattern.items()}
    assert isinstance(pattern, list)
    return draw(st.lists(st.sampled_from(pattern), min_size=1, max_size=2))


@given(st.data(), EVENTS)
def test_what_matches_an_event_is_never_called_impossible(data: st.DataObject, detail: dict[str, object]) -> None:
    event = {
        "version": "0", "id": "1", "detail-type": "Paid", "source": "com.shop", "account": "1", "time": "t",
        "region": "r", "resources": ["a"], "detail": detail,
    }  # fmt: skip
    pattern = generalised(data.draw, event)
    assert can_match(parse_text(json.dumps({"body": pattern})), RULE, consumer("sqs")).possible
