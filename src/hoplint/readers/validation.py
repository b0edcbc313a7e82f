"""What a variable's validation blocks say about its value: bounds of a number, and a closed list of values."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from hoplint.model.number import Bound
from hoplint.readers import syntax
from hoplint.readers.operations import scalar_text
from hoplint.readers.syntax import Block

Limits = tuple[Bound, Bound, tuple[str, ...]]
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


def limits(block: Block, name: str) -> Limits:
    """The least and the greatest value, and the allowed values if they are listed."""
    low: Bound = -inf
    high: Bound = inf
    choices: tuple[str, ...] = ()
    for inner in block.blocks:
        attribute = inner.attributes.get("condition") if inner.type == "validation" else None
        if attribute is None:
            continue
        for part in _conjuncts(attribute.expression):
            below, above, listed = _limit(part, name)
            low, high = max(low, below), min(high, above)
            choices = listed or choices
    return low, high, choices


def _conjuncts(node: syntax.Node) -> list[syntax.Node]:
    if isinstance(node, syntax.Template) and node.lone and isinstance(node.parts[0], syntax.Node):
        return _conjuncts(node.parts[0])
    if isinstance(node, syntax.Binary) and node.operator == "&&":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _limit(node: syntax.Node, name: str) -> Limits:
    nothing: Limits = (-inf, inf, ())
    if isinstance(node, syntax.Call) and node.name == "contains" and len(node.args) == 2:
        options, item = node.args
        if _is_variable(item, name) and isinstance(options, syntax.Tuple):
            values = [_constant(option) for option in options.items]
            texts = tuple(scalar_text(value) for value in values if isinstance(value, str | int | Fraction))
            numbers = [value for value in values if isinstance(value, int | Fraction) and not isinstance(value, bool)]
            if numbers and len(numbers) == len(values):
                return min(numbers), max(numbers), texts
            return -inf, inf, texts if len(texts) == len(values) else ()
        return nothing
    if isinstance(node, syntax.Binary) and node.operator == "||":
        return _either(node, name) or nothing
    if not isinstance(node, syntax.Binary) or node.operator not in _MIRRORED:
        return nothing
    operator, variable, constant = node.operator, node.left, _constant(node.right)
    if _is_variable(node.right, name):
        operator, variable, constant = _MIRRORED[operator], node.right, _constant(node.left)
    if not _is_variable(variable, name) or not isinstance(constant, int | Fraction) or isinstance(constant, bool):
        return nothing
    # A fraction above the bound is possible, so that a strict bound is taken as it stands.
    if operator in ("<", "<="):
        return -inf, constant, ()
    if operator in (">", ">="):
        return constant, inf, ()
    return constant, constant, ()


def _either(node: syntax.Binary, name: str) -> Limits | None:
    """`var.x == "a" || var.x == "b"`."""
    parts: list[syntax.Node] = [node]
    values: list[str] = []
    while parts:
        part = parts.pop()
        if isinstance(part, syntax.Binary) and part.operator == "||":
            parts += [part.right, part.left]
            continue
        if not isinstance(part, syntax.Binary) or part.operator != "==" or not _is_variable(part.left, name):
            return None
        constant = _constant(part.right)
        if not isinstance(constant, str | int | Fraction):
            return None
        values.append(scalar_text(constant))
    return -inf, inf, tuple(values)


def _is_variable(node: syntax.Node, name: str) -> bool:
    return (
        isinstance(node, syntax.GetAttr)
        and node.name == name
        and isinstance(node.base, syntax.Name)
        and node.base.name == "var"
    )


def _constant(node: syntax.Node) -> object:
    if isinstance(node, syntax.Literal):
        return node.data
    if isinstance(node, syntax.Unary) and node.operator == "-" and isinstance(node.operand, syntax.Literal):
        data = node.operand.data
        return -data if isinstance(data, int | Fraction) else None
    return None
