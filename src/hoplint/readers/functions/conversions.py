"""tostring, tonumber, tobool, tolist, toset, tomap, and the functions about sensitive values, which hide nothing."""

from __future__ import annotations

from hoplint.model.value import Encoded, Known, Number, Ref, Text, Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, null, refuse
from hoplint.readers.functions.typesystem import (
    Type,
    convert,
    elements,
    listed,
    shared_type,
    to_bool,
    to_number,
    to_set,
    to_string,
)


def _tostring(args: list[Value], context: Context) -> Value:
    return to_string(args[0])


def _tonumber(args: list[Value], context: Context) -> Value:
    return to_number(args[0])


def _tobool(args: list[Value], context: Context) -> Value:
    return to_bool(args[0])


def _unreadable(value: Value, wanted: str) -> bool:
    """Whether there is nothing to convert; what cannot be converted is refused."""
    if null(value) or (isinstance(value, Unknown | Ref) and not isinstance(value, Text)):
        return True
    if isinstance(value, Text | Encoded | Number):
        raise refuse(f"cannot convert this to {wanted}")
    return False


def _tolist(args: list[Value], context: Context) -> Value:
    return args[0] if _unreadable(args[0], "list") else listed(elements(args[0]))


def _toset(args: list[Value], context: Context) -> Value:
    value = args[0]
    if _unreadable(value, "set"):
        return value
    if isinstance(value, Known) and value.unordered:
        return value
    return to_set(elements(value))


def _tomap(args: list[Value], context: Context) -> Value:
    value = args[0]
    if _unreadable(value, "map"):
        return value
    assert isinstance(value, Known)
    if not isinstance(value.data, dict):
        raise refuse("cannot convert this to map")
    return convert(value, Type("map", shared_type(list(value.data.values()))))


def _same(args: list[Value], context: Context) -> Value:
    return args[0]


def _issensitive(args: list[Value], context: Context) -> Value:
    if any(step.secret for step in args[0].through):
        return computed(True)
    raise Stop(Unknown("whether a value is sensitive is not followed"))


def _ephemeralasnull(args: list[Value], context: Context) -> Value:
    if any(step.secret for step in args[0].through):
        raise Stop(Unknown("whether a value is ephemeral is not followed"))
    return args[0]


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "tostring": (_tostring, 1, 1),
    "tonumber": (_tonumber, 1, 1),
    "tobool": (_tobool, 1, 1),
    "tolist": (_tolist, 1, 1),
    "toset": (_toset, 1, 1),
    "tomap": (_tomap, 1, 1),
    "sensitive": (_same, 1, 1),
    "nonsensitive": (_same, 1, 1),
    "issensitive": (_issensitive, 1, 1),
    "ephemeralasnull": (_ephemeralasnull, 1, 1),
}
