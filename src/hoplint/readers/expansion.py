"""`count` and `for_each`: which instances a block has, under which conditions, and what only a default switches off."""

from __future__ import annotations

import json
from collections.abc import Callable

from hoplint.model.condition import TRUE, Condition, either
from hoplint.model.place import Site
from hoplint.model.value import (
    COMPUTED,
    Known,
    Number,
    Unknown,
    Value,
    branches,
    exact_number,
    is_null,
    quantity,
    reason,
)
from hoplint.readers.choices import Invalid, lift, possible
from hoplint.readers.expressions import pairs_of, settled
from hoplint.readers.operations import Whole, member
from hoplint.readers.scope import NAMELESS, Scope
from hoplint.readers.syntax import Block

MOST = 1000

Twin = Callable[[], Scope | None]
"""The scope in which the defaults of root variables are open; None where it already is such a one."""


class Slot:
    """One instance: its key (None for a lone one, `*` where instances cannot be counted) and what it is made from."""

    __slots__ = ("key", "each", "count", "condition", "many", "off")

    def __init__(
        self,
        key: int | str | None,
        *,
        each: tuple[Value, Value] | None = None,
        count: Value | None = None,
        condition: Condition = TRUE,
        many: bool = False,
        off: bool = False,
    ) -> None:
        self.key = key
        self.each = each
        self.count = count
        self.condition = condition
        self.many = many
        self.off = off

    @property
    def suffix(self) -> str:
        """What the address has behind the name."""
        if self.many:
            return "[*]"
        if self.key is None:
            return ""
        return f"[{self.key}]" if isinstance(self.key, int) else f"[{json.dumps(self.key, ensure_ascii=False)}]"


class Expansion:
    """All instances of a block. `meta` is the value of count or for_each, or None where the block has neither."""

    __slots__ = ("slots", "meta", "counted")

    def __init__(self, slots: list[Slot], meta: Value | None = None, counted: bool = False) -> None:
        self.slots = slots
        self.meta = meta
        self.counted = counted

    def value(self, whole: Callable[[Slot], Value], many: Callable[[Slot], Value], off: bool, site: Site) -> Value:
        """What a reference to the block itself gives: one thing, a list or a mapping of them, or what depends."""
        if self.meta is None:
            return whole(self.slots[0])
        lone = self.slots[0] if len(self.slots) == 1 else None
        if lone is not None and lone.off:
            if off:
                return self._group([lone], whole, many, site)
            return Known([] if self.counted else {}, site, COMPUTED)
        unknown = next((slot for slot in self.slots if slot.many), None)

        def one(values: list[Value]) -> Value:
            value = values[0]
            keys = _keys(value, self.counted)
            if keys is None:
                if isinstance(value, Invalid) or unknown is None:
                    return value
                return many(unknown)
            return self._group([slot for slot in self.slots if slot.key in keys and not slot.many], whole, many, site)

        return lift([self.meta], one, site)

    def _group(
        self, slots: list[Slot], whole: Callable[[Slot], Value], many: Callable[[Slot], Value], site: Site
    ) -> Value:
        if len(slots) == 1 and slots[0].many:
            return many(slots[0])
        if self.counted:
            return Known([whole(slot) for slot in slots], site, COMPUTED)
        return Known({str(slot.key): whole(slot) for slot in slots}, site, COMPUTED)


def expand(block: Block, scope: Scope, twin: Twin) -> Expansion:
    """The instances of a resource, data or module block. The scope is that of its module."""
    attribute = block.attributes.get("count")
    counted = attribute is not None
    if attribute is None:
        attribute = block.attributes.get("for_each")
    if attribute is None:
        return Expansion([Slot(None)])
    node = attribute.expression
    value = settled(node, scope.at(block.source))
    slots = _slots(value, counted, scope)
    if not slots:
        opened = twin()
        if opened is not None and _may_be_there(settled(node, opened.at(block.source)), counted):
            slots = [_off_slot(settled(node, opened.at(block.source)), counted, value, scope)]
    return Expansion(slots, value, counted)


def _slots(value: Value, counted: bool, scope: Scope) -> list[Slot]:
    found: dict[int | str, list[Condition]] = {}
    unknown: list[Condition] = []
    why: Value | None = None
    for branch, condition in branches(value):
        keys = _keys(branch, counted)
        if keys is None:
            if not isinstance(branch, Invalid) or branch is value:
                unknown.append(condition)
                why = branch
            continue
        for key in keys:
            found.setdefault(key, []).append(condition)
    slots = []
    for key, conditions in found.items():
        condition = either(*conditions)
        if counted:
            slots.append(Slot(key, count=Known(key, value.site, COMPUTED), condition=condition))
        else:
            slots.append(Slot(key, each=_each(value, str(key), scope), condition=condition))
    if why is not None:
        slots.append(_many_slot(why, counted, scope, either(*unknown)))
    return slots


def _keys(value: Value, counted: bool) -> list[int] | list[str] | None:
    """The keys of the instances, or None where they cannot be known."""
    if isinstance(value, Number) and counted:
        return None
    if not isinstance(value, Known):
        return None
    if counted:
        number = exact_number(value.data)
        return list(range(number)) if isinstance(number, int) and 0 <= number <= MOST else None
    if isinstance(value.data, dict):
        return list(value.data)
    if isinstance(value.data, list):
        names = [item.data for item in value.data if isinstance(item, Known) and isinstance(item.data, str)]
        return list(dict.fromkeys(names)) if len(names) == len(value.data) else None
    return None


def _each(value: Value, key: str, scope: Scope) -> tuple[Value, Value]:
    name = Known(key, value.site, COMPUTED)

    def item(values: list[Value]) -> Value:
        whole = values[0]
        if isinstance(whole, Known) and isinstance(whole.data, dict):
            return member(whole, key, scope, value.site)
        pairs = pairs_of(whole)
        if isinstance(pairs, list):
            for _, found in pairs:
                if isinstance(found, Known) and found.data == key:
                    return found
        return Invalid("there is no such element", value.site)

    found = lift([value], item, value.site)

    return name, possible(found)


def _many_slot(value: Value, counted: bool, scope: Scope, condition: Condition, off: bool = False) -> Slot:
    why = reason(value) or "its instances cannot be counted"
    symbol = value.symbol if isinstance(value, Unknown) and value.symbol.name != NAMELESS else None
    key = symbol or (scope.names.address if scope.names else "", _place(value))
    world = scope.world
    if counted:
        index = world.unknown((key, "count.index"), "count.index", why, value.site)
        return Slot("*", count=index, condition=condition, many=True, off=off)
    each = (
        world.unknown((key, "each.key"), "each.key", why, value.site),
        world.unknown((key, "each.value"), "each.value", why, value.site),
    )
    return Slot("*", each=each, condition=condition, many=True, off=off)


def _place(value: Value) -> object:
    site = value.site
    return (site.source.path, getattr(site, "start", 0)) if site is not None else id(value)


def _off_slot(opened: Value, counted: bool, value: Value, scope: Scope) -> Slot:
    ones = [branch for branch, _ in branches(opened) if isinstance(branch, Known) and exact_number(branch.data) == 1]
    if counted and ones:
        return Slot(0, count=Known(0, value.site, COMPUTED), off=True)
    unknown = next((branch for branch, _ in branches(opened) if isinstance(branch, Unknown)), None)
    return _many_slot(opened if unknown is None else unknown, counted, scope, TRUE, off=True)


def _may_be_there(value: Value, counted: bool) -> bool:
    for branch, _ in branches(value):
        if isinstance(branch, Invalid) or is_null(branch):
            continue
        keys = _keys(branch, counted)
        if keys is None:
            number = quantity(branch) if counted and not isinstance(branch, Whole) else None
            if number is None or (number > 0).possible:
                return True
        elif keys:
            return True
    return False
