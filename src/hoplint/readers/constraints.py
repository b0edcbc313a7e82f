"""Type constraints of variables, and the conversion of values to them: `object({retries = optional(number, 3)})`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hoplint.model.value import (
    Choice,
    Encoded,
    Known,
    Number,
    Ref,
    Text,
    Unknown,
    Value,
    exact_number,
    map_choices,
)
from hoplint.readers import syntax
from hoplint.readers.choices import Invalid
from hoplint.readers.hcl import ParseError, parse_expression
from hoplint.readers.operations import scalar_text

Evaluate = Callable[[syntax.Node], Value]


class Constraint:
    """A type: `name` is string, number, bool, any, list, set, map, object or tuple.

    `inner` is the type of the elements, `members` those of an object's attributes with whether they may be left out
    and what stands in then, `items` those of a tuple.
    """

    __slots__ = ("name", "inner", "members", "items")

    def __init__(
        self,
        name: str,
        inner: Constraint | None = None,
        members: dict[str, tuple[Constraint, bool, Value | None]] | None = None,
        items: tuple[Constraint, ...] = (),
    ) -> None:
        self.name = name
        self.inner = inner
        self.members = members or {}
        self.items = items


ANY = Constraint("any")


def constraint(node: syntax.Node, evaluate: Evaluate) -> Constraint:
    """Read a type; what is not understood is `any`."""
    try:
        return _constraint(node, evaluate)
    except RecursionError:
        return ANY


def _constraint(node: syntax.Node, evaluate: Evaluate) -> Constraint:
    if isinstance(node, syntax.Literal) and isinstance(node.data, str):
        return _quoted(node.data, evaluate)
    if isinstance(node, syntax.Name):
        return _bare(node.name)
    if not isinstance(node, syntax.Call) or not node.args:
        return ANY
    first = node.args[0]
    if node.name in ("list", "set", "map"):
        return Constraint(node.name, _constraint(first, evaluate))
    if node.name == "tuple" and isinstance(first, syntax.Tuple):
        return Constraint("tuple", items=tuple(_constraint(item, evaluate) for item in first.items))
    if node.name == "object" and isinstance(first, syntax.Object):
        return Constraint("object", members=_members(first, evaluate))
    return ANY


def _quoted(text: str, evaluate: Evaluate) -> Constraint:
    """A type in quotes: the old way to write it, and the only one in JSON."""
    try:
        node = parse_expression(text)
    except ParseError:
        return ANY
    return ANY if isinstance(node, syntax.Literal) else _constraint(node, evaluate)


def _bare(name: str) -> Constraint:
    if name in ("string", "number", "bool"):
        return Constraint(name)
    if name in ("list", "map", "set"):
        return Constraint(name, ANY)
    return ANY


def _members(node: syntax.Object, evaluate: Evaluate) -> dict[str, tuple[Constraint, bool, Value | None]]:
    members: dict[str, tuple[Constraint, bool, Value | None]] = {}
    for key, item in node.items:
        name = key.data if isinstance(key, syntax.Literal) else key.name if isinstance(key, syntax.Name) else None
        if not isinstance(name, str):
            continue
        if isinstance(item, syntax.Call) and item.name == "optional" and item.args:
            inner = _constraint(item.args[0], evaluate)
            default = evaluate(item.args[1]) if len(item.args) > 1 else None
            members[name] = (inner, True, default)
        else:
            members[name] = (_constraint(item, evaluate), False, None)
    return members


def convert(value: Value, wanted: Constraint) -> Value:
    """The value as a variable of this type holds it."""
    try:
        return _convert(value, wanted)
    except RecursionError:
        return value


def _convert(value: Value, wanted: Constraint) -> Value:
    if wanted.name == "any" or isinstance(value, Unknown):
        return value
    if isinstance(value, Choice):
        return map_choices(value, lambda branch: _convert(branch, wanted))
    if isinstance(value, Known) and value.data is None:
        return value
    if wanted.name in ("string", "number", "bool"):
        return _scalar(value, wanted.name)
    if not isinstance(value, Known):
        return Invalid(f"a {wanted.name} is wanted here", value.site, through=value.through)
    if wanted.name in ("list", "set", "tuple"):
        return _sequence(value, wanted)
    if not isinstance(value.data, dict):
        return Invalid(f"{_article(wanted.name)} is wanted here", value.site, through=value.through)
    if wanted.name == "map":
        return _rebuilt(value, {key: _convert(item, wanted.inner or ANY) for key, item in value.data.items()})
    return _object(value, value.data, wanted)


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _scalar(value: Value, name: str) -> Value:
    if isinstance(value, Number):
        return value if name != "bool" else Invalid("a bool is wanted here", value.site)
    if isinstance(value, Ref | Text | Encoded):
        return value if name == "string" else Unknown("it is known only after deployment", value.site)
    assert isinstance(value, Known)
    data = value.data
    if isinstance(data, list | dict) or data is None:
        return Invalid(f"a {name} is wanted here", value.site, through=value.through)
    if name == "string":
        return value if isinstance(data, str) else _with(value, scalar_text(data))
    if name == "bool":
        if isinstance(data, bool):
            return value
        if data in ("true", "false"):
            return _with(value, data == "true")
        return Invalid("a bool is wanted here", value.site, through=value.through)
    number = exact_number(data)
    if number is None:
        return Invalid("a number is wanted here", value.site, through=value.through)
    return value if not isinstance(data, str) else _with(value, number)


def _with(value: Known, data: str | bool | int | Fraction) -> Value:
    return Known(data, value.site, value.origin, value.through, value.source)


def _sequence(value: Known, wanted: Constraint) -> Value:
    if not isinstance(value.data, list):
        return Invalid(f"a {wanted.name} is wanted here", value.site, through=value.through)
    if wanted.name == "tuple" and len(wanted.items) == len(value.data):
        items = [_convert(item, kind) for item, kind in zip(value.data, wanted.items, strict=True)]
    else:
        items = [_convert(item, wanted.inner or ANY) for item in value.data]
    if wanted.name == "set":
        items = _distinct(items)
    return Known(items, value.site, value.origin, value.through, value.source, wanted.name == "set")


def _distinct(items: list[Value]) -> list[Value]:
    seen: set[object] = set()
    kept = []
    for item in items:
        if isinstance(item, Known) and not isinstance(item.data, list | dict):
            key = (type(item.data) is bool, item.data)
            if key in seen:
                continue
            seen.add(key)
        kept.append(item)
    return kept


def _object(value: Known, data: dict[str, Value], wanted: Constraint) -> Value:
    members: dict[str, Value] = {}
    for name, (kind, optional, default) in wanted.members.items():
        item = data.get(name)
        absent = item is None or (isinstance(item, Known) and item.data is None)
        if item is None and not optional:
            return Invalid(f'the attribute "{name}" is missing', value.site, through=value.through)
        if absent and optional and default is not None:
            item = default
        members[name] = _convert(item, kind) if item is not None else Known(None, value.site)
        if isinstance(item, Choice) and optional and default is not None:
            filled = default
            members[name] = map_choices(
                members[name],
                lambda branch, filled=filled, kind=kind: (  # type: ignore[misc]
                    _convert(filled, kind) if isinstance(branch, Known) and branch.data is None else branch
                ),
            )
    return _rebuilt(value, members)


def _rebuilt(value: Known, members: dict[str, Value]) -> Value:
    wrong = next((item for item in members.values() if isinstance(item, Invalid)), None)
    if wrong is not None:
        return wrong
    return Known(members, value.site, value.origin, value.through, value.source)
