"""Terraform's built-in functions over values: `call` computes what can be computed and keeps what is partly known.

`try` and `can` are not among them, since they see expressions rather than values, nor are the functions that render
templates: both are the evaluator's.
"""

from __future__ import annotations

from collections.abc import Callable

from hoplint.model.value import Choice, Known, Unknown, Value
from hoplint.readers.choices import Invalid, lift
from hoplint.readers.functions import (
    addresses,
    arithmetic,
    containers,
    conversions,
    dates,
    encoding,
    formats,
    hashes,
    paths,
    patterns,
    strings,
)
from hoplint.readers.functions.base import Context, Stop

__all__ = ["TABLE", "Context", "call"]

TABLE: dict[str, tuple[Callable[[list[Value], Context], Value], int, int | None]] = {
    **addresses.TABLE,
    **arithmetic.TABLE,
    **containers.TABLE,
    **conversions.TABLE,
    **dates.TABLE,
    **encoding.TABLE,
    **formats.TABLE,
    **hashes.TABLE,
    **paths.TABLE,
    **patterns.TABLE,
    **strings.TABLE,
}
"""Each function with the least and the most arguments that it takes; None for any number."""

_TAKE_NULL = frozenset(
    ("coalesce", "coalescelist", "ephemeralasnull", "format", "formatlist", "issensitive", "jsonencode",
     "lookup", "merge", "nonsensitive", "sensitive", "tobool", "tolist", "tomap", "tonumber", "toset", "tostring",
     "yamlencode")
)  # fmt: skip

# These decide by the elements of lists: where an element hangs on a condition, so does the result.
_SEE_ELEMENTS = frozenset(
    ("alltrue", "anytrue", "compact", "contains", "distinct", "flatten", "formatlist", "index", "join", "matchkeys",
     "setintersection", "setsubtract", "setunion", "sort", "sum", "toset", "transpose", "zipmap")
)  # fmt: skip


def call(name: str, args: list[Value], context: Context) -> Value:
    """Call a function: what Terraform would refuse is `Invalid`, what cannot be known `Unknown` with its reason."""
    found = TABLE.get(name)
    if found is None:
        if "::" in name:
            return Unknown(f"{name}() comes from a provider, which is not run")
        return Invalid(f"there is no function {name}()")
    function, least, most = found
    if len(args) < least or (most is not None and len(args) > most):
        return Invalid(f"{name}() takes {_count(least, most)}, not {len(args)}")
    if name in _SEE_ELEMENTS:
        return lift(args, lambda branches: _with_elements(name, function, branches, context))
    return lift(args, lambda branches: _call(name, function, branches, context))


def _with_elements(
    name: str, function: Callable[[list[Value], Context], Value], args: list[Value], context: Context
) -> Value:
    for at, arg in enumerate(args):
        if isinstance(arg, Known) and isinstance(arg.data, list) and any(isinstance(i, Choice) for i in arg.data):

            def apply(items: list[Value], at: int = at, arg: Known = arg) -> Value:
                settled = Known(list(items), arg.site, arg.origin, arg.through, arg.source, arg.unordered)
                return _with_elements(name, function, [*args[:at], settled, *args[at + 1 :]], context)

            return lift(arg.data, apply)
    return _call(name, function, args, context)


def _call(name: str, function: Callable[[list[Value], Context], Value], args: list[Value], context: Context) -> Value:
    for arg in args:
        if isinstance(arg, Invalid):
            return arg
    if name not in _TAKE_NULL:
        for arg in args:
            if isinstance(arg, Known) and arg.data is None:
                return Invalid(f"{name}(): an argument must not be null")
    try:
        return function(args, context)
    except Stop as stop:
        value = stop.value
        if isinstance(value, Invalid) and value not in args:
            return Invalid(f"{name}(): {value.why}", value.site, value.symbol, value.through)
        return value
    except RecursionError:
        return Unknown(f"{name}(): the value is nested too deeply")


def _count(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} argument{'' if least == 1 else 's'}"
    if least == most:
        return f"{least} argument{'' if least == 1 else 's'}"
    return f"{least} to {most} arguments"
