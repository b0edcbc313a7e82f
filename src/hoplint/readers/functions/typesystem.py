"""Types as far as functions need them: the type that elements share, conversion to it, and equality."""

from __future__ import annotations

from fractions import Fraction

from hoplint.model.value import COMPUTED, Encoded, Known, Number, Ref, Text, Unknown, Value, quantity
from hoplint.readers.functions.base import Stop, cannot, computed, exact, null, parse_number, refuse, scalar_text
from hoplint.readers.functions.base import sequence as sequence_of

ANY, STRING, NUMBER, BOOL = "any", "string", "number", "bool"


class Type:
    """A type: a scalar by name, or tuple, list, set, object, map with what is in it."""

    __slots__ = ("name", "inner", "items", "members")

    def __init__(
        self,
        name: str,
        inner: Type | None = None,
        items: list[Type] | None = None,
        members: dict[str, Type] | None = None,
    ) -> None:
        self.name = name
        self.inner = inner
        self.items = items or []
        self.members = members or {}

    def same(self, other: Type) -> bool:
        """Whether both are one type."""
        if self.name != other.name or len(self.items) != len(other.items):
            return False
        if self.members.keys() != other.members.keys():
            return False
        if (self.inner is None) is not (other.inner is None):
            return False
        if self.inner is not None and other.inner is not None and not self.inner.same(other.inner):
            return False
        return all(x.same(y) for x, y in zip(self.items, other.items, strict=True)) and all(
            inner.same(other.members[key]) for key, inner in self.members.items()
        )


_SCALARS = {name: Type(name) for name in (ANY, STRING, NUMBER, BOOL)}


def type_of(value: Value) -> Type:
    """The type of a value; what is unknown may be of any."""
    if isinstance(value, Ref | Text | Encoded):
        return _SCALARS[STRING]
    if isinstance(value, Number):
        return _SCALARS[NUMBER]
    if not isinstance(value, Known) or value.data is None:
        return _SCALARS[ANY]
    data = value.data
    if isinstance(data, str):
        return _SCALARS[STRING]
    if isinstance(data, bool):
        return _SCALARS[BOOL]
    if isinstance(data, int | Fraction):
        return _SCALARS[NUMBER]
    if isinstance(data, list):
        if value.unordered:
            return Type("set", unify([type_of(item) for item in data]) or _SCALARS[ANY])
        return Type("tuple", items=[type_of(item) for item in data])
    return Type("object", members={key: type_of(item) for key, item in data.items()})


def unify(types: list[Type]) -> Type | None:
    """The type that values of several types can all be converted to; None where there is none."""
    types = [one for one in types if one.name != ANY]
    if not types:
        return _SCALARS[ANY]
    first = types[0]
    if all(one.same(first) for one in types[1:]):
        return first
    names = {one.name for one in types}
    if names <= {STRING, NUMBER, BOOL}:
        return _SCALARS[STRING] if STRING in names else None
    if names == {"tuple", "set"}:
        return next((one for one in types if one.name == "set" and all(_fits(other, one) for other in types)), None)
    if names <= {"tuple", "list"} or names == {"set"}:
        return _unify_sequences(types, names)
    if names <= {"object", "map"}:
        return _unify_mappings(types, names)
    return None


def _fits(one: Type, wanted: Type) -> bool:
    """Whether every value of a type can be converted to a set of the other's elements."""
    inner = wanted.inner
    assert inner is not None
    members = [one.inner] if one.inner is not None else one.items
    return all(
        member.name == ANY or member.same(inner) or (inner.name == STRING and member.name in (NUMBER, BOOL))
        for member in members
    )


def _unify_sequences(types: list[Type], names: set[str]) -> Type | None:
    if names == {"tuple"} and len({len(one.items) for one in types}) == 1:
        items = [unify([one.items[at] for one in types]) for at in range(len(types[0].items))]
        if all(item is not None for item in items):
            return Type("tuple", items=[item for item in items if item is not None])
    inner = unify([item for one in types for item in ([one.inner] if one.inner else one.items)])
    if inner is None:
        return None
    return Type("set" if names == {"set"} else "list", inner)


def _unify_mappings(types: list[Type], names: set[str]) -> Type | None:
    if names == {"object"} and all(one.members.keys() == types[0].members.keys() for one in types):
        members = {key: unify([one.members[key] for one in types]) for key in types[0].members}
        if all(member is not None for member in members.values()):
            return Type("object", members={key: member for key, member in members.items() if member is not None})
    inner = unify([item for one in types for item in ([one.inner] if one.inner else one.members.values())])
    return None if inner is None else Type("map", inner)


def convert(value: Value, wanted: Type) -> Value:
    """The value in a type that it was unified to."""
    if wanted.name == ANY or not isinstance(value, Known) or value.data is None:
        return value
    data = value.data
    if wanted.name == STRING:
        return to_string(value)
    if wanted.name == NUMBER:
        return to_number(value)
    if wanted.name == BOOL:
        return to_bool(value)
    if isinstance(data, list):
        if wanted.name == "tuple":
            items = [convert(item, inner) for item, inner in zip(data, wanted.items, strict=True)]
            return _like(value, items)
        if wanted.name in ("list", "set") and wanted.inner is not None:
            inner = wanted.inner
            items = [convert(item, inner) for item in data]
            return to_set(items) if wanted.name == "set" else Known(items, value.site, COMPUTED, value.through)
    if isinstance(data, dict):
        if wanted.name == "object":
            members = wanted.members
            return _like(value, {key: convert(item, members.get(key, _SCALARS[ANY])) for key, item in data.items()})
        if wanted.name == "map" and wanted.inner is not None:
            inner = wanted.inner
            return _like(value, {key: convert(item, inner) for key, item in data.items()})
    raise refuse(f"a {wanted.name} is required")


def _like(value: Known, data: list[Value] | dict[str, Value]) -> Value:
    return Known(data, value.site, COMPUTED, value.through, None, value.unordered)


def _scalar(value: Known, data: object) -> Value:
    if data is value.data:
        return value
    return Known(data, value.site, COMPUTED, value.through)  # type: ignore[arg-type]


def to_string(value: Value) -> Value:
    """A scalar as a string."""
    if isinstance(value, Known):
        if value.data is None:
            return value
        found = scalar_text(value.data)
        if found is None:
            raise refuse("cannot convert this to string")
        return _scalar(value, found)
    if isinstance(value, Number):
        return Text((value,), value.site, value.through)
    return value


def to_number(value: Value) -> Value:
    """A scalar as a number."""
    if isinstance(value, Known):
        if value.data is None:
            return value
        if isinstance(value.data, str) and parse_number(value.data) is None:
            raise refuse(f'cannot convert "{value.data}" to number')
        return _scalar(value, exact(value))
    if isinstance(value, Text) and len(value.parts) == 1 and isinstance(value.parts[0], Number):
        return value.parts[0]
    if isinstance(value, Text | Ref | Encoded):
        raise cannot(value)
    return value


def to_bool(value: Value) -> Value:
    """A scalar as a truth value."""
    if isinstance(value, Known):
        if value.data is None or isinstance(value.data, bool):
            return value
        if value.data in ("true", "false", "1", "0"):
            return _scalar(value, value.data in ("true", "1"))
        raise refuse("cannot convert this to bool")
    if isinstance(value, Number):
        raise refuse("cannot convert this to bool")
    if isinstance(value, Text | Ref | Encoded):
        raise cannot(value)
    return value


def shared_type(values: list[Value]) -> Type:
    """The type that values share where they are to be the elements of one list, set or map."""
    types = [type_of(value) for value in values]
    shared = unify(types)
    if shared is None:
        raise refuse("all elements must have the same type")
    if shared.name not in _SCALARS and any(null(value) for value in values):
        raise Stop(Unknown("whether null can stand among lists or objects depends on its type"))
    return shared


def elements(value: Value) -> list[Value]:
    """An argument that must be a list: its elements, in the type that they share."""
    found = sequence_of(value)
    shared = shared_type(found)
    return [convert(item, shared) for item in found]


def strings(value: Value) -> list[Value]:
    """An argument that must be a list of strings."""
    return [to_string(item) for item in sequence_of(value)]


def equal(left: Value, right: Value) -> bool | None:
    """Whether two values are the same; None where that is not known."""
    if left is right:
        return True
    if isinstance(left, Known) and isinstance(right, Known):
        return _equal_data(left, right)
    if isinstance(left, Ref) and isinstance(right, Ref):
        same = left.target is right.target and left.attribute == right.attribute
        return True if same else None
    if isinstance(left, Text) and isinstance(right, Text) and len(left.parts) == len(right.parts):
        pairs = zip(left.parts, right.parts, strict=True)
        if all(_equal_part(x, y) for x, y in pairs):
            return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Ref | Text | Encoded) and isinstance(other, Known):
            return _equal_text(one, other)
    if isinstance(left, Number | Unknown) and isinstance(right, Number | Unknown):
        first, second = quantity(left), quantity(right)
        if first is not None and second is not None:
            test = first.equals(second)
            return True if test.certain else None if test.possible else False
    return None


def _equal_part(left: str | Value, right: str | Value) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    return equal(left, right) is True


def _equal_text(value: Value, known: Known) -> bool | None:
    if not isinstance(known.data, str):
        return False
    if isinstance(value, Text):
        first, last = value.parts[0], value.parts[-1]
        if isinstance(first, str) and not known.data.startswith(first):
            return False
        if isinstance(last, str) and not known.data.endswith(last):
            return False
        least = sum(len(part) for part in value.parts if isinstance(part, str))
        return False if len(known.data) < least else None
    return None if known.data else False


def _equal_data(left: Known, right: Known) -> bool | None:
    a, b = left.data, right.data
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b) or left.unordered is not right.unordered:
            return False
        return _all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return False
        return _all(equal(item, b[key]) for key, item in a.items())
    if isinstance(a, list | dict) or isinstance(b, list | dict):
        return False
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    return a == b


def _all(answers: object) -> bool | None:
    found = list(answers)  # type: ignore[call-overload]
    if False in found:
        return False
    return None if None in found else True


def distinct(items: list[Value]) -> list[Value]:
    """The items without repeats, where it is known which are the same."""
    kept: list[Value] = []
    seen: set[tuple[str, object]] = set()
    plain = True
    for item in items:
        if isinstance(item, Known) and isinstance(item.data, str | bool | int | Fraction):
            key = (type_of(item).name, item.data)
            if key not in seen:
                seen.add(key)
                kept.append(item)
            continue
        plain = False
        break
    if plain:
        return kept
    kept = []
    for item in items:
        answers = [equal(item, other) for other in kept]
        if True in answers:
            continue
        if None in answers:
            raise cannot(item if not isinstance(item, Known) else kept[answers.index(None)])
        kept.append(item)
    return kept


def to_set(items: list[Value]) -> Value:
    """A set: without repeats, in Terraform's order; elements that are not known stay as they are."""
    try:
        kept = distinct(items)
    except Stop:
        kept = []
        for item in items:
            if not any(equal(item, other) is True for other in kept):
                kept.append(item)
    return Known(in_order(kept), None, COMPUTED, unordered=True)


def in_order(items: list[Value]) -> list[Value]:
    """Elements of a set in the order in which Terraform goes through it: null last, and what is unknown at the end."""
    known = [item for item in items if isinstance(item, Known)]
    if len(known) < len(items):
        return items
    kinds = {type_of(item).name for item in known if item.data is not None}
    if len(kinds) > 1:
        return items
    composite = bool(kinds & {"tuple", "list", "set", "object", "map"})
    try:
        return sorted(items, key=lambda item: _rank(item, composite))
    except Stop:
        return items


def _rank(item: Value, composite: bool) -> tuple[bool, object]:
    data = item.data if isinstance(item, Known) else None
    if data is None:
        return True, 0
    return False, _sort_text(item) if composite else data


def _sort_text(value: Value) -> str:
    """What Terraform sorts elements by that have no order of their own."""
    if not isinstance(value, Known):
        raise cannot(value)
    data = value.data
    if data is None:
        return "~"
    if isinstance(data, bool):
        return "T" if data else "F"
    if isinstance(data, str):
        return '"' + data.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(data, list):
        return "[" + "".join(_sort_text(item) + ";" for item in data) + "]"
    if isinstance(data, dict):
        return "{" + "".join(f"{key}:{_sort_text(data[key])};" for key in sorted(data)) + "}"
    from hoplint.readers.functions.formats import general

    return ("-" if data < 0 else "") + general(abs(Fraction(data)), 10)


def listed(items: list[Value]) -> Value:
    """A list as a result."""
    return computed(items)
