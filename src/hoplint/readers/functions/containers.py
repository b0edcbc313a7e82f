"""Functions on lists, sets, maps and objects; elements that are not known are carried along."""

from __future__ import annotations

from itertools import product

from hoplint.model.number import Symbol
from hoplint.model.value import COMPUTED, Encoded, Known, Number, Ref, Text, Unknown, Value, reason
from hoplint.readers.functions.base import (
    Context,
    Function,
    Stop,
    cannot,
    computed,
    mapping,
    null,
    refuse,
    text,
    truth,
    whole,
)
from hoplint.readers.functions.base import sequence as sequence_of
from hoplint.readers.functions.strings import length_of
from hoplint.readers.functions.typesystem import (
    convert,
    distinct,
    elements,
    equal,
    in_order,
    listed,
    shared_type,
    strings,
    to_set,
    type_of,
    unify,
)
from hoplint.readers.operations import inherit

LARGEST_PRODUCT = 100_000


def _ordered(value: Value) -> list[Value]:
    """The elements in the order in which Terraform goes through them, the way of the whole handed down."""
    items = sequence_of(value)
    return in_order(items) if isinstance(value, Known) and value.unordered else items


def _length(args: list[Value], context: Context) -> Value:
    value = args[0]
    if isinstance(value, Known):
        if isinstance(value.data, list):
            if value.unordered and len(value.data) > 1:
                for item in value.data:
                    if not isinstance(item, Known):
                        why = reason(item)
                        raise Stop(Unknown(why, symbol=Symbol("a length", why, 1, len(value.data))))
            return computed(len(value.data))
        if isinstance(value.data, dict):
            return computed(len(value.data))
        if isinstance(value.data, str):
            return length_of(value)
        raise refuse("argument must be a string, a collection type, or a structural type")
    if isinstance(value, Text | Encoded):
        return length_of(value)
    if isinstance(value, Number):
        raise refuse("argument must be a string, a collection type, or a structural type")
    stop = cannot(value)
    if isinstance(value, Unknown) and isinstance(stop.value, Unknown) and stop.value is not value:
        raise Stop(Unknown(stop.value.why, symbol=Symbol(f"length({value.symbol.name})", stop.value.why, 0)))
    raise stop


def _alltrue(args: list[Value], context: Context) -> Value:
    return _truths(args[0], False)


def _anytrue(args: list[Value], context: Context) -> Value:
    return _truths(args[0], True)


def _truths(value: Value, decides: bool) -> Value:
    open_item: Value | None = None
    for item in _ordered(value):
        if null(item):
            if not decides:
                return computed(False)
            continue
        if not isinstance(item, Known):
            open_item = item
            continue
        if truth(item) is decides:
            return computed(decides)
    if open_item is not None:
        raise cannot(open_item)
    return computed(not decides)


def _chunklist(args: list[Value], context: Context) -> Value:
    items, size = elements(args[0]), whole(args[1])
    if size < 0:
        raise refuse("the size argument must be positive")
    if not items:
        return listed([])
    size = size or len(items)
    return listed([listed(items[at : at + size]) for at in range(0, len(items), size)])


def _coalesce(args: list[Value], context: Context) -> Value:
    shared = unify([type_of(arg) for arg in args])
    if shared is None:
        raise refuse("all arguments must have the same type")
    for arg in args:
        if isinstance(arg, Unknown):
            raise cannot(arg)
        if isinstance(arg, Text) and not any(isinstance(part, str | Ref) for part in arg.parts):
            raise cannot(arg)
        if null(arg):
            continue
        found = convert(arg, shared)
        if isinstance(found, Known) and found.data == "":
            continue
        return found
    raise refuse("no non-null, non-empty-string arguments")


def _coalescelist(args: list[Value], context: Context) -> Value:
    if not args:
        raise refuse("at least one argument is required")
    for arg in args:
        if null(arg) or (isinstance(arg, Known) and not isinstance(arg.data, list)):
            raise refuse("coalescelist arguments must be lists or tuples")
    for arg in args:
        if sequence_of(arg, sets=False):
            return arg
    raise refuse("no non-null arguments")


def _compact(args: list[Value], context: Context) -> Value:
    kept = []
    for item in strings(args[0]):
        if isinstance(item, Unknown):
            raise cannot(item)
        if isinstance(item, Text) and not any(isinstance(part, str | Ref) for part in item.parts):
            raise cannot(item)
        if not null(item) and not (isinstance(item, Known) and item.data == ""):
            kept.append(item)
    return listed(kept)


def _concat(args: list[Value], context: Context) -> Value:
    if not args:
        raise refuse("at least one argument is required")
    found: list[Value] = []
    for arg in args:
        found.extend(sequence_of(arg, sets=False))
    return listed(found)


def _contains(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0])
    doubtful: Value | None = None
    for item in items:
        answer = equal(args[1], item)
        if answer:
            return computed(True)
        if answer is None and doubtful is None:
            doubtful = args[1] if not isinstance(args[1], Known) else item
    if doubtful is not None:
        raise cannot(doubtful)
    return computed(False)


def _distinct(args: list[Value], context: Context) -> Value:
    return listed(distinct(elements(args[0])))


def _element(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0], sets=False)
    index = whole(args[1])
    if not items:
        raise refuse("cannot use element function with an empty list")
    if index < 0 and index % len(items):
        raise Stop(Unknown("element() counts back in a list and not in a tuple: what this is, is not known"))
    return items[index % len(items)]


def _flatten(args: list[Value], context: Context) -> Value:
    return listed(_flat(args[0]))


def _flat(value: Value) -> list[Value]:
    found: list[Value] = []
    for item in _ordered(value):
        if isinstance(item, Known) and isinstance(item.data, list):
            found.extend(_flat(item))
        elif isinstance(item, Unknown):
            raise cannot(item)
        else:
            found.append(item)
    return found


def _index(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0], sets=False)
    if not items:
        raise refuse("cannot search an empty list")
    if null(args[1]):
        raise refuse("argument must not be null")
    for number, item in enumerate(items):
        answer = equal(item, args[1])
        if answer is None:
            raise cannot(args[1] if not isinstance(args[1], Known) else item)
        if answer:
            return computed(number)
    raise refuse("item not found")


def _keys(args: list[Value], context: Context) -> Value:
    return listed([computed(key) for key in sorted(mapping(args[0]))])


def _values(args: list[Value], context: Context) -> Value:
    found = mapping(args[0])
    return listed([found[key] for key in sorted(found)])


def _lookup(args: list[Value], context: Context) -> Value:
    found = mapping(args[0])
    item = found.get(text(args[1]))
    if item is not None:
        return item
    if len(args) == 3:
        return args[2]
    raise refuse("the given map or object has no such key, and lookup() no default")


def _matchkeys(args: list[Value], context: Context) -> Value:
    values, keys, wanted = (elements(arg) for arg in args)
    shared = unify([type_of(item) for item in (*keys, *wanted)])
    if shared is None:
        raise refuse("keys and searchset must be of the same type")
    if len(values) != len(keys):
        raise refuse("length of keys and values should be equal")
    keys = [convert(key, shared) for key in keys]
    wanted = [convert(item, shared) for item in wanted]
    kept = []
    for key, value in zip(keys, values, strict=True):
        answers = [equal(key, item) for item in wanted]
        if True in answers:
            kept.append(value)
        elif None in answers:
            raise cannot(key if not isinstance(key, Known) else wanted[answers.index(None)])
    return listed(kept)


def _merge(args: list[Value], context: Context) -> Value:
    merged: dict[str, Value] = {}
    for arg in args:
        if null(arg):
            continue
        for key, item in mapping(arg).items():
            merged[key] = item
    return computed(merged)


def _one(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0])
    if not items:
        return Known(None, None, COMPUTED)
    if len(items) > 1:
        raise refuse("must be a list, set, or tuple value with either zero or one elements")
    assert isinstance(args[0], Known)
    return inherit(args[0], items[0], "[0]") if not items[0].through else items[0]


def _reverse(args: list[Value], context: Context) -> Value:
    return listed(_ordered(args[0])[::-1])


def _sets(args: list[Value]) -> list[list[Value]]:
    lists = [elements(arg) for arg in args]
    shared = shared_type([item for items in lists for item in items])
    return [[convert(item, shared) for item in items] for items in lists]


def _member(item: Value, items: list[Value]) -> bool:
    answers = [equal(item, other) for other in items]
    if True in answers:
        return True
    if None in answers:
        raise cannot(item if not isinstance(item, Known) else items[answers.index(None)])
    return False


def _setunion(args: list[Value], context: Context) -> Value:
    return to_set([item for items in _sets(args) for item in items])


def _setintersection(args: list[Value], context: Context) -> Value:
    first, *others = _sets(args)
    return to_set([item for item in first if all(_member(item, other) for other in others)])


def _setsubtract(args: list[Value], context: Context) -> Value:
    first, second = _sets(args)
    return to_set([item for item in first if not _member(item, second)])


def _setproduct(args: list[Value], context: Context) -> Value:
    if len(args) < 2:
        raise refuse("at least two arguments are required")
    lists = [in_order(elements(arg)) if isinstance(arg, Known) and arg.unordered else elements(arg) for arg in args]
    total = 1
    for items in lists:
        total *= len(items)
    if total > LARGEST_PRODUCT:
        raise Stop(Unknown("setproduct() has too many results to be computed"))
    rows: list[Value] = [listed(list(row)) for row in product(*lists)]
    if any(isinstance(arg, Known) and arg.unordered for arg in args):
        return to_set(rows)
    return listed(rows)


def _slice(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0], sets=False)
    start, end = whole(args[1]), whole(args[2])
    if not 0 <= start <= end <= len(items):
        raise refuse("start and end index must lie in the list, the start not after the end")
    return listed(items[start:end])


def _transpose(args: list[Value], context: Context) -> Value:
    found: dict[str, list[Value]] = {}
    lists = mapping(args[0])
    for key in sorted(lists):
        if null(lists[key]):
            raise refuse("a list must not be null")
        for item in sequence_of(lists[key]):
            found.setdefault(text(item), []).append(computed(key))
    return computed({key: listed(items) for key, items in sorted(found.items())})


def _zipmap(args: list[Value], context: Context) -> Value:
    keys, values = strings(args[0]), sequence_of(args[1], sets=False)
    if len(keys) != len(values):
        raise refuse(f"number of keys ({len(keys)}) does not match number of values ({len(values)})")
    return computed({text(key): value for key, value in zip(keys, values, strict=True)})


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "alltrue": (_alltrue, 1, 1),
    "anytrue": (_anytrue, 1, 1),
    "chunklist": (_chunklist, 2, 2),
    "coalesce": (_coalesce, 0, None),
    "coalescelist": (_coalescelist, 0, None),
    "compact": (_compact, 1, 1),
    "concat": (_concat, 0, None),
    "contains": (_contains, 2, 2),
    "distinct": (_distinct, 1, 1),
    "element": (_element, 2, 2),
    "flatten": (_flatten, 1, 1),
    "index": (_index, 2, 2),
    "keys": (_keys, 1, 1),
    "length": (_length, 1, 1),
    "lookup": (_lookup, 2, 3),
    "matchkeys": (_matchkeys, 3, 3),
    "merge": (_merge, 0, None),
    "one": (_one, 1, 1),
    "reverse": (_reverse, 1, 1),
    "setintersection": (_setintersection, 1, None),
    "setproduct": (_setproduct, 0, None),
    "setsubtract": (_setsubtract, 2, 2),
    "setunion": (_setunion, 1, None),
    "slice": (_slice, 3, 3),
    "transpose": (_transpose, 1, 1),
    "values": (_values, 1, 1),
    "zipmap": (_zipmap, 2, 2),
}
