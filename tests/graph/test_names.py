"""Names and ARNs of which only parts are known: what they will be, and which resource they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import arn, arn_text, make, stack, text, unknown

from hoplint.graph.names import expand, glob_match, name_of, resolve, same
from hoplint.graph.texts import Hole, compare, tokens
from hoplint.model.condition import Atom, Scenario
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.inquiry import begin
from hoplint.model.number import Test
from hoplint.model.value import Choice, Known, Ref, Text, Unknown, Value, join_text, text_parts

T = stack()
C = stack("cloudformation", "template")
OTHER = stack(name="other")

ORDERS = make(T, "sqs.queue", "orders", name="orders")
PAYMENTS = make(T, "sqs.queue", "payments", name="payments")
ANON = make(T, "sqs.queue", "anon")
ANON_TOO = make(T, "sqs.queue", "anon_too")
PREFIXED = make(T, "sqs.queue", "prefixed", name_prefix="ord-")
VARIED = make(T, "sqs.queue", "varied", name=unknown("var.queue"))
MADE_OF = make(T, "sqs.queue", "made_of", name=text(unknown("var.env"), "-orders"))
FOUND = make(T, "sqs.queue", "found", elsewhere=True, name="orders")
ABROAD = make(OTHER, "sqs.queue", "orders", name="orders")

BILLING = make(T, "events.bus", "billing", name="billing")
NAMELESS_BUS = make(T, "events.bus", "nameless", name=unknown("var.bus"))
ON_BUS = make(T, "events.rule", "on_bus", name="paid", event_bus_name=Ref(BILLING, "name"))
ON_BUS_ARN = make(T, "events.rule", "on_bus_arn", name="paid", event_bus_name=arn(BILLING))
BY_TEXT = make(
    T, "events.rule", "by_text", name="paid", event_bus_name=arn_text(T, "events", "event-bus/", unknown("var.b"))
)
ON_DEFAULT = make(T, "events.rule", "on_default", name="paid")
ON_NAMED_DEFAULT = make(T, "events.rule", "on_named_default", name="paid", event_bus_name="default")
ON_NAMELESS = make(T, "events.rule", "on_nameless", name="paid", event_bus_name=Ref(NAMELESS_BUS, "name"))
ON_EITHER = make(T, "events.rule", "on_either", name="paid", event_bus_name=unknown("var.bus"))
ON_ENV_BUS = make(T, "events.rule", "on_env_bus", name="paid", event_bus_name=text(unknown("var.env"), "-bus"))
TEMPLATE_RULE = make(C, "events.rule", "Rule", Name="paid", EventBusName="billing")

FUNCTION = make(T, "lambda.function", "fn", function_name="fn")
LIVE = make(T, "lambda.alias", "live", name="live", function_name=Ref(FUNCTION, "name"))
LIVE_BY_ARN = make(T, "lambda.alias", "live_by_arn", name="live", function_name=arn(FUNCTION))
LIVE_BY_NAME = make(T, "lambda.alias", "live_by_name", name="live", function_name="fn")
VERSION = make(C, "lambda.version", "Version", FunctionName=Ref(make(C, "lambda.function", "Fn"), "name"))
MACHINE = make(T, "states.machine", "machine", name="flow")
BUCKET = make(T, "s3.bucket", "bucket", bucket="pictures")
TABLE = make(T, "dynamodb.table", "table", name="orders")
GROUP = make(T, "logs.group", "group", name="/aws/lambda/fn")
TEMPLATE_GROUP = make(C, "logs.group", "Group", LogGroupName="/aws/lambda/fn")
KEY = make(T, "kms.key", "key")
KEY_ALIAS = make(T, "kms.alias", "alias", name="alias/orders", target_key_id=Ref(KEY, "id"))
ROLE = make(T, "iam.role", "role", name="worker")
PATHED = make(T, "iam.role", "pathed", name="worker", path="/service/")
SCHEDULE = make(T, "scheduler.schedule", "schedule", name="nightly")
GROUPED = make(T, "scheduler.schedule", "grouped", name="nightly", group_name="jobs")


def show(value: Value) -> str:
    """The text with the unknown pieces in braces."""
    names = {shared(s, what).symbol: what[0].upper() for s in (T, C) for what in (PARTITION, REGION, ACCOUNT)}
    parts = text_parts(value)
    assert parts is not None
    shown = ""
    for part in parts:
        if isinstance(part, str):
            shown += part
        elif isinstance(part, Unknown):
            shown += "{" + names.get(part.symbol, part.symbol.name) + "}"
        else:
            shown += repr(part)
    return shown


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (arn(ORDERS), "arn:{P}:sqs:{R}:{A}:orders"),
        (Ref(ORDERS, "url"), "https://sqs.{R}.amazonaws.com/{A}/orders"),
        (Ref(ORDERS, "name"), "orders"),
        (arn(ANON), "arn:{P}:sqs:{R}:{A}:{the name of aws_sqs_queue.anon}"),
        (arn(PREFIXED), "arn:{P}:sqs:{R}:{A}:ord-{the name of aws_sqs_queue.prefixed}"),
        (arn(MADE_OF), "arn:{P}:sqs:{R}:{A}:{var.env}-orders"),
        (arn(FOUND), "arn:{P}:sqs:{R}:{A}:orders"),
        (arn(ON_BUS), "arn:{P}:events:{R}:{A}:rule/billing/paid"),
        (arn(ON_BUS_ARN), "arn:{P}:events:{R}:{A}:rule/billing/paid"),
        (arn(BY_TEXT), "arn:{P}:events:{R}:{A}:rule/{the bus segment of aws_cloudwatch_event_rule.by_text}paid"),
        (arn(ON_DEFAULT), "arn:{P}:events:{R}:{A}:rule/paid"),
        (arn(ON_NAMED_DEFAULT), "arn:{P}:events:{R}:{A}:rule/paid"),
        (arn(ON_NAMELESS), "arn:{P}:events:{R}:{A}:rule/{var.bus}/paid"),
        (arn(ON_EITHER), "arn:{P}:events:{R}:{A}:rule/{the bus segment of aws_cloudwatch_event_rule.on_either}paid"),
        (arn(ON_ENV_BUS), "arn:{P}:events:{R}:{A}:rule/{var.env}-bus/paid"),
        (arn(TEMPLATE_RULE), "arn:{P}:events:{R}:{A}:rule/billing/paid"),
        (arn(BILLING), "arn:{P}:events:{R}:{A}:event-bus/billing"),
        (arn(LIVE), "arn:{P}:lambda:{R}:{A}:function:fn:live"),
        (arn(LIVE_BY_ARN), "arn:{P}:lambda:{R}:{A}:function:fn:live"),
        (arn(LIVE_BY_NAME), "arn:{P}:lambda:{R}:{A}:function:fn:live"),
        (arn(VERSION), "arn:{P}:lambda:{R}:{A}:function:{the name of Fn}:{the version of Version}"),
        (Ref(FUNCTION, "qualified_arn"), "arn:{P}:lambda:{R}:{A}:function:fn:{the version of aws_lambda_function.fn}"),
        (
            Ref(FUNCTION, "invoke_arn"),
            "arn:{P}:apigateway:{R}:lambda:path/2015-03-31/functions/arn:{P}:lambda:{R}:{A}:function:fn/invocations",
        ),
        (Ref(LIVE, "function"), "fn"),
        (arn(MACHINE), "arn:{P}:states:{R}:{A}:stateMachine:flow"),
        (arn(BUCKET), "arn:{P}:s3:::pictures"),
        (
            Ref(TABLE, "stream_arn"),
            "arn:{P}:dynamodb:{R}:{A}:table/orders/stream/{the stream label of aws_dynamodb_table.table}",
        ),
        (arn(GROUP), "arn:{P}:logs:{R}:{A}:log-group:/aws/lambda/fn"),
        (arn(TEMPLATE_GROUP), "arn:{P}:logs:{R}:{A}:log-group:/aws/lambda/fn:*"),
        (arn(KEY), "arn:{P}:kms:{R}:{A}:key/{the id of aws_kms_key.key}"),
        (arn(KEY_ALIAS), "arn:{P}:kms:{R}:{A}:alias/orders"),
        (Ref(KEY_ALIAS, "target"), "{the id of aws_kms_key.key}"),
        (arn(ROLE), "arn:{P}:iam::{A}:role/worker"),
        (arn(PATHED), "arn:{P}:iam::{A}:role/service/worker"),
        (arn(SCHEDULE), "arn:{P}:scheduler:{R}:{A}:schedule/default/nightly"),
        (arn(GROUPED), "arn:{P}:scheduler:{R}:{A}:schedule/jobs/nightly"),
        (text(arn(ORDERS), "/*"), "arn:{P}:sqs:{R}:{A}:orders/*"),
    ],
)
def test_expand(value: Value, expected: str) -> None:
    assert show(expand(value)) == expected


def test_what_has_no_known_shape_stays_a_reference() -> None:
    subscription = make(T, "sns.subscription", "s")
    assert isinstance(expand(arn(subscription)), Ref)
    assert isinstance(expand(Ref(ON_DEFAULT, "id")), Ref)


def test_two_that_are_named_after_each_other_have_no_known_name() -> None:
    settings: dict[str, Value] = {}
    one = make(T, "sqs.queue", "one")
    other = make(T, "sqs.queue", "other", name=Ref(one, "name"))
    settings["name"] = Ref(other, "name")
    one.fetch = settings.get
    assert isinstance(name_of(one), Unknown)


def test_a_choice_is_settled_by_the_scenario() -> None:
    atom = Atom("var.env")
    queue = make(T, "sqs.queue", "chosen", name=Choice(atom.compare("prod"), Known("live"), Known("test")))
    begin(Scenario({atom: "prod"}))
    assert show(expand(arn(queue))).endswith(":live")
    begin()
    assert show(expand(arn(queue))).endswith(":test")


YES, NO, MAYBE = "certain", "impossible", "possible"


def word(answer: Test) -> str:
    return YES if answer.certain else MAYBE if answer.possible else NO


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (arn(ORDERS), arn(ORDERS), YES),
        (arn(ORDERS), arn(PAYMENTS), NO),
        (arn(ANON), arn(ANON_TOO), NO),
        (arn(VARIED), arn(ANON), NO),
        (arn(ORDERS), arn(FOUND), YES),  # a data source may find the queue that is declared
        (arn(ORDERS), arn(ABROAD), MAYBE),  # region and account of another stack
        (Ref(ORDERS, "name"), Ref(TABLE, "name"), YES),  # the same text, though not the same thing
        (Ref(ANON, "name"), Ref(ANON_TOO, "name"), NO),
        (arn(ORDERS), Ref(ORDERS, "url"), NO),
        (arn(ORDERS), Ref(ORDERS, "name"), NO),
        (arn_text(T, "sqs", "orders"), arn(ORDERS), YES),
        (arn_text(T, "sqs", "orders"), arn(PAYMENTS), NO),
        (arn_text(T, "sqs", "orders"), arn(ANON), MAYBE),
        (arn_text(T, "sqs", "orders"), arn(PREFIXED), NO),
        (arn_text(T, "sqs", "ord-x"), arn(PREFIXED), MAYBE),
        (arn_text(T, "sns", "orders"), arn(ORDERS), NO),
        (arn_text(T, "sqs", Ref(ANON, "name")), arn(ANON), YES),
        (arn_text(T, "sqs", Ref(ANON, "name")), arn(ANON_TOO), NO),
        (arn_text(T, "sqs", unknown("var.q")), arn(ORDERS), MAYBE),
        (Known("arn:aws:sqs:eu-west-1:123456789012:orders"), arn(ORDERS), MAYBE),
        (Known("arn:aws:sqs:eu-west-1:123456789012:payments"), arn(ORDERS), NO),
        (Known("arn:aws:sqs:eu-west-1:1234:orders"), arn(ORDERS), NO),  # no account has four digits
        (Known("arn:aws:sqs:EU:123456789012:orders"), arn(ORDERS), NO),  # no region has capitals
        (text("arn:aws:sqs:", shared(T, REGION), ":", shared(T, ACCOUNT), ":orders"), arn(ORDERS), YES),
        (text("arn:aws-cn:sqs:", shared(T, REGION), ":", shared(T, ACCOUNT), ":orders"), arn(ORDERS), YES),
        (text("arn:aws:sqs:", unknown("var.region"), ":", shared(T, ACCOUNT), ":orders"), arn(ORDERS), MAYBE),
        (text("arn:aws:sqs:", unknown("var.region"), ":", shared(T, ACCOUNT), ":x"), arn(ORDERS), NO),
        (Known("orders"), Ref(ORDERS, "name"), YES),
        (Known("Orders"), Ref(ORDERS, "name"), NO),
        (arn_text(T, "events", "rule/paid"), arn(ON_BUS), NO),
        (arn_text(T, "events", "rule/billing/paid"), arn(ON_BUS), YES),
        (arn_text(T, "events", "rule/default/paid"), arn(ON_DEFAULT), NO),
        (arn_text(T, "events", "rule/paid"), arn(ON_EITHER), MAYBE),
        (arn_text(T, "events", "rule/b/paid"), arn(ON_EITHER), MAYBE),
        (arn_text(T, "events", "rule/unpaid"), arn(ON_EITHER), MAYBE),
        (arn_text(T, "events", "rule/other"), arn(ON_EITHER), NO),
        (arn_text(T, "events", "rule/", Ref(ON_BUS, "name")), arn(ON_BUS), NO),
        (arn_text(T, "events", "rule/", unknown("var.b"), "/paid"), arn(ON_BUS), MAYBE),
        (arn_text(T, "events", "rule/", arn(BILLING), "/paid"), arn(ON_BUS), NO),
        (Known("5"), Known(5), YES),
        (Known(True), Known("true"), YES),
        (Known(None), Known(None), YES),
        (Known(None), Known("x"), NO),
        (Known(None), unknown(), MAYBE),
        (Known([]), Known("x"), NO),
        (Known([]), Known([]), MAYBE),
        (unknown("var.a"), unknown("var.b"), MAYBE),
        (Text(("a", unknown("var.a"))), Known("b"), NO),
        (Text((unknown("var.a"), "a")), Known("b"), NO),
        (Text(("a", unknown("var.a"))), Known("a"), MAYBE),
        (Text((unknown("var.a"), "mid", unknown("var.b"))), Known("a-nid-b"), NO),
    ],
)
def test_same(one: Value, other: Value, expected: str) -> None:
    assert word(same(one, other)) == expected
    assert word(same(other, one)) == expected


def test_one_variable_is_the_same_everywhere() -> None:
    name = unknown("var.name")
    assert word(same(Text(("a-", name)), Text(("a-", name)))) == YES
    assert word(same(Text(("a-", name)), Text(("b-", name)))) == NO
    assert word(same(Text((name, "-a")), Text(("x", name, "-a")))) == NO


def test_why_is_the_first_piece_that_decides() -> None:
    answer = same(Known("arn:aws:sqs:eu-west-1:123456789012:orders"), arn(ORDERS))
    assert answer.why == "the region is known only at deployment"


@pytest.mark.parametrize(
    ("pattern", "value", "plain", "six"),
    [
        ("*", "arn:aws:sqs:r:1:q", YES, MAYBE),  # what AWS makes of * where it wants an ARN is not written down
        ("arn:aws:sqs:*:*:q", "arn:aws:sqs:r:1:q", YES, YES),
        ("arn:aws:sqs:*:q", "arn:aws:sqs:r:1:q", YES, MAYBE),
        ("arn:aws:*:q", "arn:aws:sqs:r:1:other", NO, NO),
        ("arn:aws:sqs:?:?:q", "arn:aws:sqs:r:1:q", YES, YES),
        ("arn:aws:sqs:?:1:q", "arn:aws:sqs:rr:1:q", NO, NO),
        ("arn:aws:sqs:r:1:q*", "arn:aws:sqs:r:1:q", YES, YES),
        ("arn:aws:sqs:r:1:*:x", "arn:aws:sqs:r:1:a:b:x", YES, YES),
        ("arn:aws:sqs:*:1:x", "arn:aws:sqs:a:b:1:x", YES, NO),  # past a colon
        ("a*b*c", "axxbyyc", YES, MAYBE),
        ("a*b*c", "axxcyyb", NO, NO),
        ("**", "", YES, MAYBE),
        ("a?", "a", NO, NO),
        ("q", "q", YES, NO),
    ],
)
def test_wildcards(pattern: str, value: str, plain: str, six: str) -> None:
    assert word(glob_match(Known(pattern), Known(value))) == plain
    assert word(glob_match(Known(pattern), Known(value), arn=True)) == six


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
    [
        (arn_text(T, "events", "rule/*"), arn(ON_BUS), YES),
        (Known("arn:aws:events:*:*:rule/*"), arn(ON_EITHER), YES),
        (Known("arn:*:events:*:*:rule/billing/*"), arn(ON_BUS), YES),
        (Known("arn:aws:events:*:*:rule/billing/*"), arn(ON_DEFAULT), NO),
        (Known("arn:aws:events:*:*:rule/paid"), arn(ON_BUS), NO),
        (Known("arn:aws:events:*:*:rule/paid"), arn(ON_EITHER), MAYBE),
        (Known("arn:aws:events:eu-*:*:rule/paid"), arn(ON_DEFAULT), MAYBE),
        (Known("arn:aws:events:*:123456789012:rule/paid"), arn(ON_DEFAULT), MAYBE),
        (Known("arn:aws:sqs:*:*:ord-*"), arn(PREFIXED), YES),
        (Known("arn:aws:sqs:*:*:ord*"), arn(ANON), MAYBE),
        (arn_text(T, "sqs", unknown("var.q"), "*"), arn(ORDERS), MAYBE),
        (text(unknown("var.base"), ":orders"), arn(ORDERS), MAYBE),  # the base may hold all the colons
        (text("arn:aws:sns:", unknown("var.rest")), arn(ORDERS), NO),
        (text("arn:aws:", unknown("var.rest"), ":orders"), arn(ORDERS), MAYBE),
        (Known("arn:aws:s3:::pictures"), arn(BUCKET), YES),
        (Known("arn:aws:logs:*:*:log-group:/aws/lambda/fn:*"), arn(GROUP), NO),
        (Known("arn:aws:logs:*:*:log-group:/aws/lambda/fn:*"), arn(TEMPLATE_GROUP), YES),
    ],
)
def test_wildcards_over_what_is_partly_known(pattern: Value, value: Value, expected: str) -> None:
    assert word(glob_match(pattern, value, arn=True)) == expected


def test_without_case() -> None:
    assert word(glob_match(Known("SQS:Send*"), Known("sqs:sendmessage"), fold=True)) == YES
    assert word(glob_match(Known("SQS:Send*"), Known("sqs:sendmessage"))) == NO
    assert word(same(Known("A"), Known("a"), fold=True)) == YES


QUEUES = [ORDERS, PAYMENTS, ANON]


@pytest.mark.parametrize(
    ("value", "candidates", "certain", "possible"),
    [
        (arn(ORDERS), QUEUES, ORDERS, [ORDERS]),
        (Ref(ORDERS, "url"), QUEUES, ORDERS, [ORDERS]),
        (Known("orders"), QUEUES, ORDERS, [ORDERS]),
        (Known("nothing"), [ORDERS, PAYMENTS], None, []),
        (Known(None), QUEUES, None, []),
        (Known("https://sqs.eu-west-1.amazonaws.com/123456789012/orders"), [ORDERS, PAYMENTS], None, [ORDERS]),
        (Known("arn:aws:sqs:eu-west-1:123456789012:orders"), [ORDERS, PAYMENTS], None, [ORDERS]),
        (arn_text(T, "sqs", "orders"), QUEUES, ORDERS, [ORDERS]),
        (arn_text(T, "sqs", "elsewhere"), QUEUES, None, [ANON]),
        (unknown("var.q"), [ORDERS, PAYMENTS], None, [ORDERS, PAYMENTS]),
        (text(unknown("var.env"), "-payments"), [ORDERS, PREFIXED], None, [PREFIXED]),
        (text("x", unknown("var.env")), [ORDERS, PREFIXED], None, []),
        (arn(FOUND), [ORDERS, PAYMENTS], ORDERS, [ORDERS]),
        (arn(TABLE), QUEUES, None, []),
        (arn(ABROAD), [ORDERS], None, [ORDERS]),
        (Ref(TABLE, "stream_arn"), [TABLE], TABLE, [TABLE]),
        (Ref(KEY, "id"), [KEY], KEY, [KEY]),
        (arn(KEY), [KEY, KEY_ALIAS], KEY, [KEY]),
        (Known("alias/orders"), [KEY, KEY_ALIAS], KEY_ALIAS, [KEY_ALIAS]),
        (Ref(KEY_ALIAS, "target"), [KEY, KEY_ALIAS], KEY, [KEY]),
        (arn(KEY_ALIAS), [KEY], KEY, [KEY]),
        (Known("alias/aws/sqs"), [KEY_ALIAS], None, []),
        (Known("123456789012:function:fn"), [FUNCTION], None, [FUNCTION]),
        (arn_text(T, "logs", "log-group:/aws/lambda/fn:*"), [GROUP], GROUP, [GROUP]),
    ],
)
def test_resolve(value: Value, candidates: list, certain: object, possible: list) -> None:
    found = resolve(value, candidates)
    assert found.certain is certain
    assert found.possible == possible
    assert bool(found.why) == (certain is None and bool(possible))


@pytest.mark.parametrize(
    ("value", "candidates", "certain", "qualifier"),
    [
        (arn(FUNCTION), [FUNCTION], FUNCTION, None),
        (Ref(FUNCTION, "qualified_arn"), [FUNCTION], FUNCTION, "{the version of aws_lambda_function.fn}"),
        (arn(LIVE), [FUNCTION, LIVE], LIVE, None),
        (arn(LIVE), [FUNCTION], FUNCTION, "live"),
        (Ref(LIVE, "function"), [FUNCTION, LIVE], FUNCTION, None),
        (arn_text(T, "lambda", "function:fn:live"), [FUNCTION, LIVE], LIVE, None),
        (arn_text(T, "lambda", "function:fn:live"), [FUNCTION], FUNCTION, "live"),
        (arn_text(T, "lambda", "function:fn:", unknown("var.alias")), [FUNCTION], FUNCTION, "{var.alias}"),
        (Known("fn:live"), [FUNCTION], FUNCTION, "live"),
        (Ref(FUNCTION, "name"), [FUNCTION], FUNCTION, None),
        (arn_text(T, "states", "stateMachine:flow:prod"), [MACHINE], MACHINE, "prod"),
    ],
)
def test_resolve_with_qualifier(value: Value, candidates: list, certain: object, qualifier: str | None) -> None:
    found = resolve(value, candidates)
    assert found.certain is certain
    assert (None if found.qualifier is None else show(found.qualifier)) == qualifier


# --- properties -----------------------------------------------------------------------------------------------------

SYMBOLS = [unknown(f"var.{letter}") for letter in "abc"]
PIECES = st.lists(st.text(alphabet="ab:/", max_size=2) | st.sampled_from(SYMBOLS), max_size=5)
FILL = st.fixed_dictionaries({symbol.symbol: st.text(alphabet="ab:/", max_size=3) for symbol in SYMBOLS})


def filled(pieces: list, fill: dict) -> str:
    return "".join(piece if isinstance(piece, str) else fill[piece.symbol] for piece in pieces)


@given(PIECES, PIECES, FILL)
def test_an_answer_holds_for_whatever_fills_the_holes(one: list, other: list, fill: dict) -> None:
    answer = same(join_text(one), join_text(other))
    equal = filled(one, fill) == filled(other, fill)
    assert equal or not answer.certain
    assert answer.possible or not equal


@given(st.lists(st.text(alphabet="ab:*?", max_size=3) | st.sampled_from(SYMBOLS), max_size=4), PIECES, FILL)
def test_a_match_holds_for_whatever_fills_the_holes(pattern: list, value: list, fill: dict) -> None:
    import re

    answer = glob_match(join_text(pattern), join_text(value))
    source = "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in filled(pattern, fill))
    matches = re.fullmatch(source, filled(value, fill), re.DOTALL) is not None
    assert matches or not answer.certain
    assert answer.possible or not matches


@given(st.text(alphabet="ab*", max_size=200), st.text(alphabet="ab", max_size=200))
def test_a_comparison_ends(pattern: str, value: str) -> None:
    compare(tokens(Known(pattern), wildcards=True), [*tokens(Known(value)), Hole(SYMBOLS[0])])


def test_a_document_where_a_name_is_meant_is_no_crash():
    """Something encoded is its own: it is never compared with an unknown as plain data."""
    from hoplint.model.value import Encoded, Known, Unknown

    assert same(Encoded(Known({})), Unknown("nothing is known")).possible
    assert same(Unknown("nothing is known"), Encoded(Known({}))).possible
