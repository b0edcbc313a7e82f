"""YAML and JSON into marked trees: what they hold, where it stands, what is refused."""

from __future__ import annotations

import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoplint.readers.marked import load
from hoplint.readers.nodes import Mapping, Node, Scalar, Sequence, plain_of


def read(text: str | bytes, path: str = "template.yaml") -> Node:
    document = load(path, text if isinstance(text, bytes) else text.encode())
    assert document.root is not None, [fault.message for fault in document.faults]
    return document.root


def faults(text: str | bytes, path: str = "template.yaml") -> list[tuple[str, int, int]]:
    document = load(path, text if isinstance(text, bytes) else text.encode())
    return [(fault.message, fault.place.line, fault.place.column) for fault in document.faults]


def at(node: Node, *steps: str | int) -> Node:
    for step in steps:
        if isinstance(step, int):
            assert isinstance(node, Sequence)
            node = node.items[step]
        else:
            assert isinstance(node, Mapping)
            found = node.get(step)
            assert found is not None
            node = found
    return node


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("30", 30),
        ("-4", -4),
        ("3.50", Fraction(7, 2)),
        ("true", True),
        ("No", False),
        ("null", None),
        ("", None),
        ('"30"', "30"),
        ("2012-10-17", "2012-10-17"),
        # An account id with a leading zero is no octal number, nor a time of day a number of seconds.
        ("012345670123", "012345670123"),
        ("12:30", "12:30"),
        ("1e999999999", "1e999999999"),
        ("arn:aws:sqs:eu-west-1:1:q", "arn:aws:sqs:eu-west-1:1:q"),
        ("!Ref Queue", {"Ref": "Queue"}),
        ("!GetAtt Queue.Arn", {"Fn::GetAtt": "Queue.Arn"}),
        ("!GetAtt [Queue, Arn]", {"Fn::GetAtt": ["Queue", "Arn"]}),
        ("!Sub '${A}-${B}'", {"Fn::Sub": "${A}-${B}"}),
        ("!Condition Prod", {"Condition": "Prod"}),
        ("!If [Prod, 1, !Ref Two]", {"Fn::If": ["Prod", 1, {"Ref": "Two"}]}),
        ("!Select [0, !Split ['-', a-b]]", {"Fn::Select": [0, {"Fn::Split": ["-", "a-b"]}]}),
        ("!Ref 12", {"Ref": "12"}),
        ("! plain", "plain"),
    ],
)
def test_a_yaml_value_is_what_cloudformation_takes_it_for(written: str, meant: object) -> None:
    assert plain_of(at(read(f"a: {written}\n"), "a")) == meant


def test_the_last_of_two_equal_keys_counts_and_the_second_is_noted() -> None:
    text = "a:\n  b: 1\n  c: 2\n  b: 3\n"
    assert plain_of(read(text)) == {"a": {"b": 3, "c": 2}}
    assert faults(text) == [("the key b stands here more than once: only the last one counts", 4, 3)]
    again = '{"a": {"b": 1,\n "b": 3}}'
    assert plain_of(read(again)) == {"a": {"b": 3}}
    assert faults(again) == [("the key b stands here more than once: only the last one counts", 2, 2)]


def test_a_merge_key_gives_what_the_mapping_lacks() -> None:
    tree = read("base: &base {a: 1, b: 2}\nmore: &more {c: 3}\nown:\n  <<: [*base, *more]\n  b: 4\n")
    assert plain_of(at(tree, "own")) == {"a": 1, "b": 4, "c": 3}


def test_an_alias_stands_where_it_is_defined() -> None:
    tree = read("a: &x {k: 1}\nb: *x\n")
    assert at(tree, "b", "k").place().key() == ("template.yaml", 1, 11, 1, 12)


@pytest.mark.parametrize("text", ["\ufeffa: é!\nb: {c: 1}\n", "a: é!\r\nb: {c: 1}\r\n"])
def test_columns_count_code_points_and_no_byte_order_mark(text: str) -> None:
    tree = read(text)
    assert at(tree, "a").place().key()[1:] == (1, 4, 1, 6)
    assert isinstance(tree, Mapping)
    assert tree.key("b").place().key()[1:] == (2, 1, 2, 2)


def test_utf_16_with_a_mark_is_read() -> None:
    assert plain_of(read("a: é\n".encode("utf-16"))) == {"a": "é"}


def test_a_block_ends_where_its_last_scalar_ends() -> None:
    tree = read("a:\n  b:\n    - 1\n    - long\n\n# a comment\nc: |\n  one\n  two\n\nd: [1,\n  2]\n")
    assert at(tree, "a").place().key()[1:] == (2, 3, 4, 11)
    assert at(tree, "c").place().key()[1:] == (7, 4, 9, 6)
    assert at(tree, "d").place().key()[1:] == (11, 4, 12, 5)


def test_a_short_form_stands_with_its_tag() -> None:
    assert at(read("a:   !Ref  Queue\n"), "a").place().key()[1:] == (1, 6, 1, 17)


def test_json_places_are_those_of_the_text() -> None:
    text = '{\n\t"a": [1, {"é\\"": "x"}],\n "b": {"c": -1.5e1}}'
    tree = read(text, "t.json")
    assert at(tree, "a", 1, 'é"').place().key()[1:] == (2, 19, 2, 22)
    inner = at(tree, "a", 1)
    assert isinstance(inner, Mapping)
    assert inner.key('é"').place().key()[1:] == (2, 12, 2, 17)
    assert at(tree, "b", "c").place().key()[1:] == (3, 13, 3, 19)
    assert plain_of(at(tree, "b", "c")) == -15
    assert tree.place().key()[1:] == (1, 1, 3, 21)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), json_values, min_size=1, max_size=4), st.sampled_from([None, 1, 3]))
def test_every_json_node_stands_where_its_text_is(data: dict[str, object], indent: int | None) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    if any(0xD800 <= ord(char) < 0xE000 for char in text):
        return
    tree = read(text, "t.json")
    assert plain_of(tree) == data
    lines = text.split("\n")

    def slice_of(node: Node) -> str:
        _, line, column, end_line, end_column = node.place().key()
        if line == end_line:
            return lines[line - 1][column - 1 : end_column - 1]
        middle = lines[line : end_line - 1]
        return "\n".join([lines[line - 1][column - 1 :], *middle, lines[end_line - 1][: end_column - 1]])

    def check(node: Node, value: object) -> None:
        assert json.loads(slice_of(node)) == value
        if isinstance(node, Mapping) and isinstance(value, dict):
            for key, inner in node.entries.items():
                check(inner, value[key])
        elif isinstance(node, Sequence) and isinstance(value, list):
            for item, inner_value in zip(node.items, value, strict=True):
                check(item, inner_value)

    check(tree, data)


@pytest.mark.parametrize(
    ("data", "path", "said", "line"),
    [
        (b"a:\n\tb: 1\n", "t.yaml", "a tab stands where indentation is meant", 2),
        (b"a: 1\n b: 2\n", "t.yaml", "a key stands where none can be", 2),
        (b"a: @x\n", "t.yaml", "cannot start a value", 1),
        (b"a: *gone\n", "t.yaml", "undefined alias", 1),
        (b"a: 1\n---\nb: 2\n", "t.yaml", "more than one document", 2),
        (b"a: &a [*a]\n", "t.yaml", "an alias contains itself", 1),
        (b'{"a": [1,\n 2,\n]}', "t.json", "a comma stands before a closing bracket", 2),
        (b'{"a": 1 "b": 2}', "t.json", "not valid JSON", 1),
        (b'{"a": \xff}', "t.json", "not UTF-8", 1),
        (b"a\0b", "t.yaml", "binary", 1),
        (b"\xff\xfea", "t.yaml", "UTF-16", 1),
        (b"", "t.yaml", "empty", 1),
        (b"# nothing\n", "t.yaml", "empty", 1),
        (b"a: \x07", "t.yaml", "is not allowed", 1),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(data: bytes, path: str, said: str, line: int) -> None:
    document = load(path, data)
    assert document.root is None
    [fault] = document.faults
    assert said in fault.message
    assert "\n" not in fault.message
    assert fault.place.line == line


def bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bomb(12, 9), "multiply"),
        ("[" * 10_000, "nested too deeply"),
        ("- " * 10_000 + "x", "nested too deeply"),
        ("a: " + "[" * 10_000 + "]" * 10_000, "nested too deeply"),
        ('{"a": ' * 10_000 + "1" + "}" * 10_000, "nested too deeply"),
        ("a: " + "[" * 200 + "]" * 200, "nested too deeply"),
        ("\n".join(f"a{n}: &a{n} [{'*a' + str(n - 1) if n else ''}]" for n in range(200)), "nested too deeply"),
    ],
    ids=["aliases", "flow", "block", "closed", "json", "deep", "chain"],
)
def test_what_would_take_for_ever_is_refused_at_once(text: str, said: str) -> None:
    started = time.process_time()
    found = faults(text)
    assert time.process_time() - started < 2
    assert len(found) == 1
    assert said in found[0][0]


def test_aliases_that_stay_small_are_no_bomb() -> None:
    assert faults(bomb(3, 4)) == []


@given(st.binary(max_size=60), st.sampled_from(["t.yaml", "t.json"]))
def test_any_bytes_give_a_tree_or_a_reason(data: bytes, path: str) -> None:
    document = load(path, data)
    assert (document.root is None) == any(not fault.warning for fault in document.faults)
    if document.root is not None:
        plain_of(document.root)
        document.root.place()


@given(st.text(alphabet="ab:- \n\t[]{}&*!#'\"|>,<0", max_size=40))
def test_any_yaml_gives_a_tree_with_places_or_a_reason(text: str) -> None:
    document = load("t.yaml", text.encode())
    if document.root is None:
        assert document.faults
        return
    stack = [document.root]
    while stack:
        node = stack.pop()
        _, line, column, end_line, end_column = node.place().key()
        assert (line, column) <= (end_line, end_column)
        if isinstance(node, Mapping):
            for key, inner in node.entries.items():
                node.key(key).place()
                stack.append(inner)
        elif isinstance(node, Sequence):
            stack.extend(node.items)
        else:
            assert isinstance(node, Scalar)
