"""The evaluator against Terraform's own answers, and what only hoplint has: values that are partly known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from harness import Memory

from hoplint.model.condition import Atom
from hoplint.model.number import Symbol
from hoplint.model.place import Source
from hoplint.model.resource import Stack
from hoplint.model.value import Choice, Encoded, Known, Number, Text, Unknown, Value
from hoplint.readers.choices import Invalid
from hoplint.readers.expressions import evaluate
from hoplint.readers.hcl import parse_expression
from hoplint.readers.operations import number_text
from hoplint.readers.scope import Scope, World

RECORDING = json.loads(Path(__file__).with_name("expressions.json").read_text())
ERROR = "!"
# A list never equals a tuple, and values do not tell which of both they are.
UNDECIDED = ("toset([", "[] ==")


def scope(text: str, files: dict[str, bytes] | None = None, **bound: Value) -> Scope:
    tree = Memory(files or {})
    world = World(tree, Stack(".", "terraform", ""), "")
    return Scope(world, None, Source("expression", text.encode()), bound=dict(bound))


def value_of(text: str, files: dict[str, bytes] | None = None, **bound: Value) -> Value:
    return evaluate(parse_expression(text), scope(text, files, **bound))


class Figure(str):
    """A number as it is printed."""

    __slots__ = ()


def plain(value: Value) -> Any:
    if isinstance(value, Encoded):
        return json.loads(json.dumps(unmarked(plain(value.tree))))
    if isinstance(value, Invalid):
        return ERROR
    assert isinstance(value, Known), value
    if isinstance(value.data, list):
        items = [plain(item) for item in value.data]
        return sorted(items, key=str) if value.unordered else items
    if isinstance(value.data, dict):
        return {key: plain(item) for key, item in value.data.items()}
    if isinstance(value.data, int | Fraction) and not isinstance(value.data, bool):
        return Figure(number_text(value.data))
    return value.data


def unmarked(data: Any) -> Any:
    return data


def answer(text: str) -> Any:
    if text == ERROR:
        return ERROR
    return json.loads(text, parse_float=Figure, parse_int=Figure)


def test_every_recorded_expression_gives_what_terraform_gives() -> None:
    wrong = []
    unknown = []
    for text, recorded in RECORDING:
        value = value_of(text)
        if isinstance(value, Unknown) and not isinstance(value, Invalid):
            unknown.append((text, value.why))
            continue
        try:
            found = plain(value)
        except AssertionError:
            unknown.append((text, repr(value)))
            continue
        wanted = answer(recorded)
        if found != wanted and not (isinstance(wanted, list) and "toset(" in text and sorted(found, key=str) == sorted(wanted, key=str)):
            wrong.append((text, found, wanted))
    assert not wrong, f"{len(wrong)} of {len(RECORDING)}: {wrong[:20]}"
    assert not unknown, f"{len(unknown)}: {unknown[:20]}"
