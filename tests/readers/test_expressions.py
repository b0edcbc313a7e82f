"""The evaluator against Terraform's own answers, and what only hoplint has: values that are partly known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hoplint.model.condition import Atom
from hoplint.model.number import Symbol
from hoplint.model.place import Source
from hoplint.model.resource import Stack
from hoplint.model.value import Choice, Encoded, Known, Number, Text, Unknown, Value
from hoplint.readers.choices import Invalid, possible
from hoplint.readers.expressions import evaluate
from hoplint.readers.hcl import parse_expression
from hoplint.readers.operations import number_text
from hoplint.readers.scope import Scope, World
from hoplint.readers.tree import Tree

RECORDING = json.loads(Path(__file__).with_name("expressions.json").read_text())
ERROR = "!"
# Terraform computes with an infinity that nothing can print.
UNDECIDED = {"1 / 0", "try(1 / 0, null, 5)", "can(1 / 0)"}


class Files(Tree):
    """Files that are on no disk."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__("/nowhere")
        self.files = files

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)


class Bench:
    """A world without modules, in which expressions are evaluated with some names bound."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.world = World(Files(files or {}), Stack(".", "terraform", ""), "")

    def unknown(self, name: str, *, boolean: bool = False) -> Unknown:
        value = self.world.unknown(name, name, f"{name} is not known")
        if boolean:
            self.world.atoms[value.symbol] = Atom(name, boolean=True)
        return value

    def value(self, text: str, **bound: Value) -> Value:
        scope = Scope(self.world, None, Source("expression", text.encode()), bound=dict(bound))
        return evaluate(parse_expression(text), scope)


@pytest.fixture
def bench() -> Bench:
    return Bench()


class Figure(str):
    """A number as it is printed."""

    __slots__ = ()


def plain(value: Value) -> Any:
    """A value without unknown parts as plain data."""
    if isinstance(value, Encoded):
        return plain(value.tree)
    if isinstance(value, Invalid):
        return ERROR
    assert isinstance(value, Known), value
    if isinstance(value.data, list):
        return [plain(item) for item in value.data]
    if isinstance(value.data, dict):
        return {key: plain(item) for key, item in value.data.items()}
    if isinstance(value.data, int | Fraction) and not isinstance(value.data, bool):
        return Figure(number_text(value.data))
    return value.data


def answer(text: str) -> Any:
    """A recorded answer as plain data."""
    return ERROR if text == ERROR else json.loads(text, parse_float=Figure, parse_int=Figure)


def test_every_recorded_expression_gives_what_terraform_gives() -> None:
    wrong = []
    for text, recorded in RECORDING:
        value = Bench().value(text)
        if text in UNDECIDED:
            assert isinstance(value, Unknown)
            continue
        try:
            found = plain(value)
        except AssertionError:
            found = value
        wanted = answer(recorded)
        if isinstance(value, Encoded):
            wanted = answer(wanted)
        if found != wanted:
            wrong.append((text, found, wanted))
    assert not wrong, f"{len(wrong)} of {len(RECORDING)}: {wrong[:20]}"


def test_the_recording_is_large_and_holds_refusals() -> None:
    refused = [text for text, recorded in RECORDING if recorded == ERROR]
    assert len(RECORDING) > 2500
    assert len(refused) > 300


# --------------------------------------------------------------------------------------------------- partly known


def test_a_string_keeps_what_is_known_of_it(bench: Bench) -> None:
    value = bench.value('"a-${x}-${1 + 1}"', x=bench.unknown("x"))
    assert isinstance(value, Text)
    assert [part if isinstance(part, str) else "?" for part in value.parts] == ["a-", "?", "-2"]


def test_a_collection_keeps_what_is_known_of_it(bench: Bench) -> None:
    x = bench.unknown("x")
    assert plain(bench.value("{ a = 1, b = x }.a", x=x)) == "1"
    assert plain(bench.value("[for y in [1, x] : y][0]", x=x)) == "1"
    assert plain(bench.value("length([x, x])", x=x)) == "2"
    assert isinstance(bench.value("{ (x) = 1 }", x=x), Unknown)


def test_the_same_part_of_something_unknown_is_the_same_unknown(bench: Bench) -> None:
    x = bench.unknown("x")
    first, second, other = (bench.value(text, x=x) for text in ('x.a["b"]', "x.a.b", "x.a.c"))
    assert isinstance(first, Unknown)
    assert isinstance(second, Unknown)
    assert isinstance(other, Unknown)
    assert first.symbol is second.symbol
    assert first.symbol is not other.symbol
    assert first.symbol.name == "x.a.b"


def test_arithmetic_with_an_unknown_is_symbolic(bench: Bench) -> None:
    x = bench.unknown("x")
    value = bench.value("x * 6 + 10 - x", x=x)
    assert isinstance(value, Number)
    assert (value.quantity.const, value.quantity.terms) == (10, {x.symbol: 5})
    assert plain(bench.value("x - x + 3", x=x)) == "3"
    halved = bench.value("x / 2", x=x)
    assert isinstance(halved, Number)
    assert halved.quantity.terms == {x.symbol: Fraction(1, 2)}


def test_bounds_decide_a_comparison(bench: Bench) -> None:
    x = Unknown("?", None, Symbol("x", "?", 1, 10))
    assert plain(bench.value("x > 0", x=x)) is True
    assert plain(bench.value("x * 2 >= 21", x=x)) is False
    assert isinstance(bench.value("x > 5", x=x), Choice)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x == null", None),
        ('"a${x}" == "b"', False),
        ('"a${x}" == "ab"', None),
        ('"a${x}" == null', False),
        ('"${x}a" == ""', False),
        ("x == x", True),
        ("[x] == []", False),
        ("{ a = x } == { b = x }", False),
    ],
)
def test_equality_with_what_is_unknown(bench: Bench, text: str, expected: bool | None) -> None:
    value = bench.value(text, x=bench.unknown("x"))
    if expected is None:
        assert isinstance(value, Choice)
    else:
        assert plain(value) is expected


def test_comparisons_with_constants_are_one_atom(bench: Bench) -> None:
    x = bench.unknown("x")
    first, second = bench.value('x == "a"', x=x), bench.value('"b" != x', x=x)
    assert isinstance(first, Choice)
    assert isinstance(second, Choice)
    assert next(first.condition.atoms()) is next(second.condition.atoms())
    assert next(first.condition.atoms()).constants == ["a", "b"]


def test_an_unknown_expression_is_an_atom_by_its_text(bench: Bench) -> None:
    x = bench.unknown("x")
    first, second = bench.value("length(x) > 3", x=x), bench.value("length(x)  >  3 ? 1 : 2", x=x)
    assert isinstance(first, Choice)
    assert isinstance(second, Choice)
    assert [atom.name for atom in second.condition.atoms()] == ["length(x) > 3"]


def test_a_condition_that_holds_leaves_what_hangs_on_its_opposite_out(bench: Bench) -> None:
    flag = bench.unknown("flag", boolean=True)
    value = bench.value(
        "flag ? [for y in [1, 2, 3] : y if flag && y > 1] : [for y in [1, 2, 3] : y if flag]", flag=flag
    )
    assert isinstance(value, Choice)
    assert (plain(value.then), plain(value.otherwise)) == (["2", "3"], [])


def test_choices_that_hang_on_one_atom_are_not_multiplied(bench: Bench) -> None:
    flag = bench.unknown("flag", boolean=True)
    text = '"' + "${flag ? 1 : 2}" * 20 + '"'
    value = bench.value(text, flag=flag)
    assert isinstance(value, Choice)
    assert (plain(value.then), plain(value.otherwise)) == ("1" * 20, "2" * 20)


def test_a_condition_of_several_parts_is_asked_once(bench: Bench) -> None:
    bound: dict[str, Value] = {name: bench.unknown(name, boolean=True) for name in "ab"}
    value = bench.value('"${a || b ? 1 : 2}${!a && !b ? 3 : 4}${a && b ? 5 : 6}"', **bound)
    assert isinstance(value, Choice)
    assert plain(value.otherwise) == "236"
    assert isinstance(value.then, Choice)
    assert (plain(value.then.then), plain(value.then.otherwise)) == ("145", "146")


def test_too_many_conditions_are_unknown_and_quick(bench: Bench) -> None:
    bound: dict[str, Value] = {f"f{n}": bench.unknown(f"f{n}", boolean=True) for n in range(30)}
    value = bench.value('"' + "".join(f"${{f{n} ? 1 : 2}}" for n in range(30)) + '"', **bound)
    while isinstance(value, Choice):
        value = value.then
    assert isinstance(value, Unknown)
    assert "too many conditions" in value.why


def test_try_takes_each_branch_as_it_comes(bench: Bench) -> None:
    flag = bench.unknown("flag", boolean=True)
    value = bench.value('try((flag ? [5] : [])[0], "none")', flag=flag)
    assert isinstance(value, Choice)
    assert (plain(value.then), plain(value.otherwise)) == ("5", "none")
    assert isinstance(bench.value('try(x.y, "none")', x=bench.unknown("x")), Unknown)


def test_an_element_by_an_unknown_key_is_one_branch_per_key(bench: Bench) -> None:
    value = possible(bench.value("{ a = 1, b = 2 }[x]", x=bench.unknown("x")))
    assert isinstance(value, Choice)
    assert next(value.condition.atoms()).constants == ["b", "a"]
    assert (plain(value.then), plain(value.otherwise)) == ("1", "2")


def test_template_files_see_only_their_variables() -> None:
    bench = Bench({"t.txt": b"%{ for x in items ~}\n<${x}>${name}\n%{ endfor ~}\n", "bad.txt": b"${"})
    assert plain(bench.value('templatefile("t.txt", { items = [1, 2], name = "n" })')) == "<1>n\n<2>n\n"
    assert isinstance(bench.value('templatefile("t.txt", { items = [1] })'), Invalid)
    assert isinstance(bench.value('templatefile("missing.txt", {})'), Unknown)
    assert isinstance(bench.value('templatefile("bad.txt", {})'), Unknown)
    partly = bench.value('templatefile("t.txt", { items = [1], name = x })', x=bench.unknown("x"))
    assert isinstance(partly, Text)


def test_templates_that_call_each_other_end() -> None:
    bench = Bench({"a": b'${templatefile("a", {})}'})
    assert isinstance(bench.value('templatefile("a", {})'), Unknown)


def test_functions_and_names_that_nobody_knows(bench: Bench) -> None:
    assert isinstance(bench.value("provider::x::y(1)"), Unknown)
    assert isinstance(bench.value("nothing"), Invalid)
    assert isinstance(bench.value("timestamp()"), Unknown)


def test_numbers_print_in_full() -> None:
    assert number_text(Fraction(1, 8)) == "0.125"
    assert number_text(Fraction(-5, 2)) == "-2.5"
    assert number_text(10**40) == "1" + "0" * 40
    assert number_text(Fraction(1, 10**30)) == "0." + "0" * 29 + "1"
