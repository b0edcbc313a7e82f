"""Terraform's built-in functions over values: `call` computes what can be computed and keeps what is partly known.

`try` and `can` are not among them, since they see expressions rather than values, nor are the functions that render
templates: both are the evaluator's.
"""

from __future__ import annotations

from importlib import import_module

from hoplint.model.value import Choice, Known, Unknown, Value
from hoplint.readers.choices import Invalid, lift
from hoplint.readers.functions import samples
from hoplint.readers.functions.base import Context, Function, Stop

__all__ = ["HOMES", "Context", "call"]

# A module is loaded when the first of its functions is called.
_MODULES = {
    "addresses": "cidrhost cidrnetmask cidrsubnet cidrsubnets",
    "arithmetic": "abs ceil floor log max min parseint pow range signum sum",
    "containers": (
        "alltrue anytrue chunklist coalesce coalescelist compact concat contains distinct element flatten index "
        "keys length lookup matchkeys merge one reverse setintersection setproduct setsubtract setunion slice "
        "transpose values zipmap"
    ),
    "conversions": "tostring tonumber tobool tolist toset tomap sensitive nonsensitive issensitive ephemeralasnull",
    "dates": "formatdate plantimestamp timeadd timecmp timestamp",
    "encoding": (
        "base64decode base64encode base64gzip csvdecode jsondecode jsonencode textdecodebase64 textencodebase64 "
        "yamldecode yamlencode"
    ),
    "formats": "format formatlist",
    "hashes": "base64sha256 base64sha512 bcrypt md5 rsadecrypt sha1 sha256 sha512 uuid uuidv5",
    "paths": (
        "abspath basename dirname file filebase64 filebase64sha256 filebase64sha512 fileexists filemd5 fileset "
        "filesha1 filesha256 filesha512 pathexpand"
    ),
    "patterns": "regex regexall",
    "strings": (
        "chomp endswith indent join lower replace sort split startswith strcontains strrev substr templatestring "
        "title trim trimprefix trimspace trimsuffix upper urlencode"
    ),
}

HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module that each function stands in."""

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
    home = HOMES.get(name)
    if home is None:
        if "::" in name:
            return Unknown(f"{name}() comes from a provider, which is not run")
        return Invalid(f"there is no function {name}()")
    function, least, most = import_module(f"{__name__}.{home}").TABLE[name]
    if len(args) < least or (most is not None and len(args) > most):
        return Invalid(f"{name}() takes {_count(least, most)}, not {len(args)}")
    if name in _SEE_ELEMENTS:
        return lift(args, lambda branches: _with_elements(name, function, branches, context))
    return lift(args, lambda branches: _call(name, function, branches, context))


def _with_elements(name: str, function: Function, args: list[Value], context: Context) -> Value:
    for at, arg in enumerate(args):
        if isinstance(arg, Known) and isinstance(arg.data, list) and any(isinstance(i, Choice) for i in arg.data):

            def apply(items: list[Value], at: int = at, arg: Known = arg) -> Value:
                settled = Known(list(items), arg.site, arg.origin, arg.through, arg.source, arg.unordered)
                return _with_elements(name, function, [*args[:at], settled, *args[at + 1 :]], context)

            return lift(arg.data, apply)
    return _call(name, function, args, context)


def _call(name: str, function: Function, args: list[Value], context: Context) -> Value:
    for arg in args:
        if isinstance(arg, Invalid):
            return arg
    if name not in _TAKE_NULL:
        for arg in args:
            if isinstance(arg, Known) and arg.data is None:
                return Invalid(f"{name}(): an argument must not be null")
    if samples.applies(name, args):
        return samples.ask(args, lambda known: _call(name, function, known, context))
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
