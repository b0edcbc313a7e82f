"""JSON in strings, with holes."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoplint.catalog import KINDS
from hoplint.model.condition import Atom
from hoplint.model.embedded import Within, document, inherit, read, walk
from hoplint.model.number import Quantity, Symbol
from hoplint.model.place import Source, Span
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import (
    Choice,
    Encoded,
    Known,
    Number,
    Ref,
    Step,
    Text,
    Unknown,
    Value,
    plain,
)

HOLE = Unknown("var.x has no value")
SPOT = Span(Source("main.tf", b"x"), 0, 1)
STACK = Stack("app", "terraform", "main.tf")
QUEUE = Resource(KINDS["sqs.queue"], "aws_sqs_queue", "aws_sqs_queue.q", STACK, SPOT, {}.get)
ARN = Ref(QUEUE, "arn")

# The one character that stands for holes is refused in what is read.
LETTERS = st.characters(exclude_characters="\U0010fffe", codec="utf-8")


def kind(value: Value) -> str:
    return read(value).kind


def tree(*parts: str | Value) -> Any:
    found = read(Text(tuple(parts))).tree
    assert found is not None
    return found.data if isinstance(found, Known) else found


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1}', {"a": 1}),
        (' \n{"a": [true, false, null, "x"]}\n', {"a": [True, False, None, "x"]}),
        ("[]", []),
        ("5", 5),
        ('"x"', "x"),
        ("1.5", Fraction(3, 2)),
        ("2.0", 2),
        ("1e2", 100),
        ('"\\u00e9\\n"', "é\n"),
        ('\ufeff{"a": 1}', {"a": 1}),
        ("0.1", Fraction(1, 10)),
    ],
)
def test_text_becomes_a_tree(text: str, data: object) -> None:
    found = read(Known(text))
    assert found.kind == "text"
    assert found.tree is not None
    assert plain(found.tree) == data


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("  \n ", "it is empty"),
        ("{'a': 1}", "expecting property name enclosed in double quotes"),
        ('{"a": 1,}', "illegal trailing comma before end of object|expecting property name"),
        ('{\n "a": 1\n "b": 2}', "line 3 of the JSON: expecting ',' delimiter"),
        ("NaN", "NaN is no JSON"),
        ("hello", "expecting value"),
        ('{"a": 1} x', "extra data"),
        ('{"a": "x', "unterminated string"),
    ],
)
def test_text_that_is_no_json(text: str, problem: str) -> None:
    found = read(Known(text))
    assert found.tree is None
    assert found.kind == "malformed"
    assert any((found.problem or "").startswith(wanted) for wanted in problem.split("|")), found.problem
    assert isinstance(document(Known(text)), Unknown)


def test_what_is_no_text_is_taken_as_it_stands() -> None:
    mapping = Known({"a": Known(1)})
    assert read(mapping).tree is mapping
    assert kind(mapping) == "tree"
    assert kind(Known(None)) == "absent"
    assert read(Encoded(mapping)).tree is mapping
    assert kind(Encoded(mapping)) == "encoded"
    assert read(HOLE).tree is HOLE
    assert isinstance(document(ARN), Unknown)
    number = Number(Quantity(1, {Symbol("var.n"): 1}))
    assert document(number) is number


def test_repeated_keys_are_told_with_their_paths() -> None:
    found = read(Known('{"a": {"b": 1, "b": 2}, "c": [{"d": 1, "d": 2, "d": 3}], "a": 4}'))
    assert found.repeated == ("a.b", "c.0.d", "a")
    assert found.tree is not None
    assert plain(found.tree) == {"a": 4, "c": [{"d": 3}]}


@pytest.mark.parametrize("text", ["1e999999999", "1e-99999", "9" * 5000, "1." + "3" * 5000])
def test_a_number_of_a_billion_digits_is_not_computed(text: str) -> None:
    assert isinstance(document(Known(text)), Unknown)


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 500 + "]" * 500, '{"a":' * 300 + "1" + "}" * 300])
def test_deep_nesting_is_unknown(text: str) -> None:
    assert read(Known(text)).kind in ("unknown", "text", "malformed")
    walk(document(Known(text)), lambda path, leaf: None)


def test_holes_inside_strings() -> None:
    found = tree('{"a": "', ARN, '", "b": "x-', HOLE, '-y", "c": "', HOLE, ARN, '"}')
    assert isinstance(found["a"], Ref)
    assert found["a"].target is QUEUE
    assert isinstance(found["b"], Text)
    assert found["b"].parts == ("x-", HOLE, "-y")
    assert found["c"].parts == (HOLE, ARN)


def test_escapes_around_a_hole() -> None:
    assert tree('{"a": "\\"', HOLE, '\\n"}')["a"].parts == ('"', HOLE, "\n")


def test_an_escape_that_a_hole_may_complete_is_undecided() -> None:
    assert kind(Text(('{"a": "\\', HOLE, '"}'))) == "unknown"


def test_holes_outside_of_strings() -> None:
    assert isinstance(tree('{"a": ', HOLE, "}")["a"], Unknown)
    assert plain(tree('{"a": ', Encoded(Known([Known(1)])), "}")["a"]) == [1]
    number = Number(Quantity(1, {Symbol("var.n"): 1}))
    assert isinstance(tree('{"a": ', number, "}")["a"], Number)


def test_a_hole_between_brackets_may_be_many_elements() -> None:
    assert isinstance(tree('{"a": [', HOLE, ', "x"]}')["a"], Unknown)
    known = tree("[", Encoded(Known({"k": Known(1)})), ', "x"]')
    assert len(known) == 2


def test_a_hole_in_a_key_makes_its_object_unknown() -> None:
    found = tree('{"a": {"', HOLE, '": 1}, "b": 2}')
    assert isinstance(found["a"], Unknown)
    assert plain(found["b"]) == 2


@pytest.mark.parametrize(
    "parts",
    [("{", HOLE, "}"), ('{"a": 1', HOLE, "}"), (HOLE, '{"a": 1}'), ('{"a": 1, ', HOLE, ' "b" 2}'), ("1", HOLE)],
)
def test_what_a_hole_may_mend_is_no_mistake(parts: tuple[str | Value, ...]) -> None:
    assert kind(Text(parts)) == "unknown"


@pytest.mark.parametrize(
    "parts",
    [
        ('{"a" 1, "b": ', HOLE, "}"),
        ('{"a": "', HOLE, '" "b": 1}'),
        ('{"a": ', ARN, "}"),
        ('{"a": "', Encoded(Known({"k": Known(1)})), '"}'),
    ],
)
def test_what_no_hole_can_mend_is_a_mistake(parts: tuple[str | Value, ...]) -> None:
    assert kind(Text(parts)) == "malformed"


def test_a_text_with_the_marks_that_are_used_inside_is_undecided() -> None:
    assert kind(Text(('{"a": "\U0010fffe0\U0010fffe', HOLE, '"}'))) == "unknown"
    assert kind(Text(('{"a": "\\uDBFF\\uDFFE', HOLE, '"}'))) == "unknown"


def test_each_branch_of_a_choice_is_read() -> None:
    condition = Atom("var.env").compare("prod")
    found = document(Choice(condition, Known('{"a": 1}'), Known("nonsense")))
    assert isinstance(found, Choice)
    assert plain(found.then) == {"a": 1}
    assert isinstance(found.otherwise, Unknown)
    assert read(Choice(condition, Known("{"), Known('{"a": 1}'))).problem is None
    assert read(Choice(condition, Known("{"), Known("}"))).problem is not None


def test_leaves_keep_the_way_that_the_text_came() -> None:
    step = Step("module.q.policy", SPOT, "argument")
    found = document(Known('{"a": ["x"]}', SPOT, through=(step,)))
    seen: list[Value] = []
    walk(found, lambda path, leaf: seen.append(leaf))
    assert [leaf.place_of_change for leaf in seen] == [SPOT]
    encoded = document(Encoded(Known({"a": Known("x")}), SPOT, through=(step,)))
    walk(encoded, lambda path, leaf: seen.append(leaf))
    assert seen[-1].through == (step,)
    own = Known("y", SPOT, through=(Step("var.y", None, "option"),))
    assert inherit(encoded, own) is own


def places(text: str, *parts: str | Value, at: int = 0) -> dict[str, str]:
    source = Source("main.tf", text.encode())
    value = Text(parts, Span(source, at, len(source.data)))
    found: dict[str, str] = {}

    def note(path: tuple[str | int, ...], leaf: Value) -> None:
        assert leaf.site is not None
        found[".".join(map(str, path))] = str(leaf.site.place())

    walk(document(value), note)
    return found


def test_leaves_of_a_heredoc_stand_where_they_stand() -> None:
    text = 'p = <<EOF\n{\n  "é": "ü",\n  "a": [1, "${x["k"]}-z", {"b": true}]\n}\nEOF\n'
    found = places(text, '{\n  "é": "ü",\n  "a": [1, "', HOLE, '-z", {"b": true}]\n}\n', at=4)
    assert found == {
        "é": "main.tf:3:8-3:11",
        "a.0": "main.tf:4:9-4:10",
        "a.1": "main.tf:4:12-4:25",
        "a.2.b": "main.tf:4:33-4:37",
    }


def test_text_that_does_not_stand_in_the_source_has_the_place_of_the_whole() -> None:
    found = places('p = file("${path.module}/policy.json")', '{"a": "', HOLE, '"}')
    assert found == {"a": "main.tf:1:1-1:39"}
    escaped = places('p: "{\\"a\\": \\"x\\"}"', '{"a": "', HOLE, '"}')
    assert escaped == {"a": "main.tf:1:1-1:20"}


def test_the_place_of_a_value_is_that_of_its_source() -> None:
    site = Within(SPOT, ("a",))
    assert site.source is SPOT.source


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(LETTERS, max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(LETTERS, max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_whatever_is_dumped_is_read_again(data: object) -> None:
    found = read(Known(json.dumps(data)))
    assert found.tree is not None
    assert plain(found.tree) == data


@given(st.lists(st.text(alphabet='{}[],:"\\ a1\n\U0010fffe', max_size=8), max_size=5))
def test_nothing_raises(pieces: list[str]) -> None:
    parts: list[str | Value] = []
    for number, piece in enumerate(pieces):
        parts.append(piece)
        parts.append((HOLE, ARN, Encoded(Known({})), Known(1))[number % 4])
    found = read(Text(tuple(parts)))
    assert (found.tree is None) == (found.problem is not None)
    read(Known("".join(pieces)))
