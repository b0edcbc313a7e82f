"""Provisional: replaced as soon as the table is whole."""

from hoplint.model.value import *  # noqa
from hoplint.model.value import Encoded, Known, Unknown, Choice, map_choices
from hoplint.readers.functions import strings, conversions, patterns
from hoplint.readers.functions.base import Stop

_T = {**strings.TABLE, **conversions.TABLE, **patterns.TABLE}


def call(name, args, context):
    for i, a in enumerate(args):
        if isinstance(a, Choice) and name != "jsonencode":
            return map_choices(a, lambda b, i=i: call(name, [*args[:i], b, *args[i + 1 :]], context))
    if name == "jsonencode":
        return Encoded(args[0])
    if name in ("file",):
        data = context.read_file(args[0].data) if isinstance(args[0], Known) else None
        return Known(data.decode()) if data is not None else Unknown("the file cannot be read")
    known = all(isinstance(a, Known) for a in args)
    if known:
        d = [a.data for a in args]
        if name == "length":
            return Known(len(d[0]), origin="computed")
        if name == "merge":
            r = {}
            for a in d:
                r.update(a or {})
            return Known(r)
        if name == "concat":
            return Known([x for a in d for x in a])
        if name == "lookup":
            return d[0].get(d[1], args[2] if len(args) > 2 else Unknown("no such key"))
        if name in ("flatten",):
            return Known([y for x in d[0] for y in (x.data if isinstance(x, Known) and isinstance(x.data, list) else [x])])
        if name == "keys":
            return Known([Known(k) for k in sorted(d[0])])
        if name == "values":
            return Known([d[0][k] for k in sorted(d[0])])
        if name == "one":
            return d[0][0] if d[0] else Known(None)
        if name == "element":
            return d[0][int(d[1]) % len(d[0])]
        if name == "coalesce":
            for a in args:
                if a.data not in (None, ""):
                    return a
        if name == "contains":
            return Known(any(isinstance(x, Known) and x.data == d[1] for x in d[0]))
        if name in ("max", "min"):
            return Known((max if name == "max" else min)(d))
    if name in _T:
        try:
            return _T[name][0](args, context)
        except Stop as stop:
            return stop.value
    return Unknown(f"{name}() is not computed")
