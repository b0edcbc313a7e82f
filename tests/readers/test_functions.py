"""Terraform's functions: what Terraform itself answers, as recorded, and what stays of values that are partly known."""

from __future__ import annotations

import json
import posixpath
from fractions import Fraction

import pytest
from record_functions import FILES, RECORD, calls

from hoplint.model.value import Known, Unknown, Value
from hoplint.readers import syntax
from hoplint.readers.choices import Invalid
from hoplint.readers.functions import call
from hoplint.readers.functions.base import Stop
from hoplint.readers.functions.encoding import encoded_text
from hoplint.readers.hcl import parse_expression

ANSWERS: dict[str, str | None] = json.loads(RECORD.read_text())

# Known to Terraform, and on purpose not computed: each is Unknown, never another answer.
NOT_COMPUTED = {
    'regex("\\\\pL+", "12ab")',
}


class Disk:
    """The files that the recorded calls read."""

    def read_file(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return FILES.get(posixpath.normpath(path))


def evaluate(node: syntax.Node) -> Value:
    """Evaluate what the recorded calls are made of; what is refused inside is refused as a whole."""
    parts = [evaluate(part) for part in _parts(node)]
    wrong = next((part for part in parts if isinstance(part, Invalid)), None)
    if isinstance(node, syntax.Call) and node.name == "can":
        return Known(wrong is None)
    if wrong is not None:
        return wrong
    if isinstance(node, syntax.Literal):
        return Known(node.data)  # type: ignore[arg-type]
    if isinstance(node, syntax.Tuple):
        return Known(parts)
    if isinstance(node, syntax.Object):
        keys = [key.data for key, _ in node.items if isinstance(key, syntax.Literal)]
        return Known({str(key): part for key, part in zip(keys, parts, strict=True)})
    if isinstance(node, syntax.Template):
        return call("join", [Known(""), Known(parts)], Disk())
    if isinstance(node, syntax.Unary | syntax.Binary):
        return Known(number(node))
    assert isinstance(node, syntax.Call)
    if node.expand:
        last = parts.pop()
        assert isinstance(last, Known) and isinstance(last.data, list)
        parts.extend(last.data)
    return call(node.name, parts, Disk())


def _parts(node: syntax.Node) -> list[syntax.Node]:
    if isinstance(node, syntax.Tuple):
        return node.items
    if isinstance(node, syntax.Object):
        return [item for _, item in node.items]
    if isinstance(node, syntax.Template):
        return [syntax.Literal(part, 0, 0) if isinstance(part, str) else part for part in node.parts]
    return node.args if isinstance(node, syntax.Call) else []


def number(node: syntax.Node) -> int | Fraction:
    """Compute what few operations there are."""
    if isinstance(node, syntax.Unary):
        return -number(node.operand)
    if isinstance(node, syntax.Binary):
        left, right = number(node.left), number(node.right)
        return left + right if node.operator == "+" else Fraction(left) / right
    assert isinstance(node, syntax.Literal) and isinstance(node.data, int | Fraction)
    return node.data


def outcome(text: str) -> object:
    """What a call gives: its JSON as data, `refused`, or `unknown`."""
    value = evaluate(parse_expression(text))
    try:
        written = encoded_text(value)
    except Stop as stop:
        value = stop.value
        written = ""
    if isinstance(value, Invalid):
        return "refused"
    if isinstance(value, Unknown):
        return "unknown"
    return json.loads(written, parse_float=Fraction)


def test_record_is_complete() -> None:
    assert list(ANSWERS) == calls()
    assert len(ANSWERS) > 600


def test_functions_agree_with_terraform() -> None:
    wrong = []
    for text, answer in ANSWERS.items():
        expected = "refused" if answer is None else json.loads(answer, parse_float=Fraction)
        found = outcome(text)
        if found == "unknown":
            if text not in NOT_COMPUTED:
                wrong.append(f"{text}: not computed, {answer}")
        elif found != expected or (isinstance(found, bool) is not isinstance(expected, bool)):
            wrong.append(f"{text}: {found!r}, not {expected!r}")
    assert not wrong, f"{len(wrong)} disagree:\n" + "\n".join(wrong)
