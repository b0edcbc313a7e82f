"""All that a rule may import."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.fix import statements as repairs
from hoplint.graph import (
    alarms,
    buses,
    consumers,
    cycles,
    documents,
    failures,
    feeds,
    keys,
    metrics,
    names,
    needs,
    order,
    permissions,
    producers,
    ranges,
    roles,
    scaling,
    senders,
    timing,
    ways_back,
)
from hoplint.graph.answers import Absent, Answer, CannotTell, Found
from hoplint.graph.graph import Graph
from hoplint.graph.hops import (
    FailTo,
    Grant,
    Hop,
    Invoke,
    Notify,
    Poll,
    Push,
    Redrive,
    Watch,
)
from hoplint.graph.statements import Policy, Statement
from hoplint.model import embedded
from hoplint.model.embedded import document
from hoplint.model.finding import (
    At,
    Category,
    Edit,
    Finding,
    Fix,
    Missing,
    Safety,
    Severity,
    Tier,
)
from hoplint.model.inquiry import certainly, doubt, holds, possibly, settle
from hoplint.model.number import NO, YES, Quantity, Test, maybe
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Text, Unknown, Value, is_null, plain, quantity, reason
from hoplint.rulebook import Option, rule


def at(resource: Resource, label: str, setting: str | None = None) -> At:
    """A place of a finding: a resource or one of its settings, and what there is to say about it."""
    return At(resource, label, setting)


def steps(primary: Resource | None, *places: tuple[Resource | None, str] | At) -> tuple[At, ...]:
    """The places of a trail in order: each resource once, the primary one and what is not there left out."""
    seen = {primary, None}
    found: list[At] = []
    for place in places:
        step = place if isinstance(place, At) else None if place[0] is None else At(place[0], place[1])
        if step is not None and (step.resource not in seen or isinstance(place, At)):
            seen.add(step.resource)
            found.append(step)
    return tuple(found)


def doubt_any(whys: list[str], subject: Resource) -> bool:
    """Record the first reason why something may be otherwise, and tell whether there is one."""
    for why in whys[:1]:
        doubt(why, subject, subject.head)
    return bool(whys)


def replace(value: Value, text: str, title: str, safety: Safety = Safety.SAFE, shown: str | None = None) -> Fix:
    """Write a text over the one literal that decides a value, or show it where there is no such literal."""
    value = settle(value)
    if isinstance(value, Known) and value.source is not None:
        return Fix(title, safety, (Edit(value.source, text),))
    return Fix(title, Safety.SHOWN, (), shown)


def set_text(resource: Resource, setting: str, text: str, value: Value | None = None) -> Fix:
    """Write a text over the one literal that decides a setting (or a `value` of it), quoted as it was, or show it."""
    value = settle(resource.raw(setting) if value is None else value)
    name = next(iter(resource.kind.properties[setting].paths(resource.stack.family)), setting)
    title = f"set {setting.replace('_', ' ')} to {text}"
    if isinstance(value, Known) and value.source is not None:
        place = value.source.place()
        first = value.source.source.line_text(place.line)[place.column - 1 : place.column]
        quote = first if first in ("'", '"') else ""
        return Fix(title, Safety.SAFE, (Edit(value.source, f"{quote}{text}{quote}"),))
    written = f'{name} = "{text}"' if resource.stack.family == "terraform" else f"{name}: {text}"
    return Fix(title, Safety.SHOWN, (), written)


def set_number(resource: Resource, setting: str, number: Quantity, unit: str = "") -> Fix:
    """Write a number over the one literal that decides a setting, or show it where there is no such literal."""
    exact = number.exact
    title = f"set {setting.replace('_', ' ')} to {number}{unit}"
    value = settle(resource.raw(setting))
    if exact is None or not isinstance(value, Known):
        return Fix(title)
    if value.source is not None:
        # A variable may be used elsewhere too: its default is not changed without being asked for.
        return Fix(title, Safety.UNSAFE if value.through else Safety.SAFE, (Edit(value.source, str(exact)),))
    name = next(iter(resource.kind.properties[setting].paths(resource.stack.family)), setting)
    sign = " = " if resource.stack.family == "terraform" else ": "
    return Fix(title, Safety.SHOWN, (), f"{name}{sign}{exact}")


__all__ = [
    "Absent", "Answer", "At", "CannotTell", "Category", "Edit", "FailTo", "Finding", "Fix", "Found", "Grant", "Graph",
    "Hop", "Invoke", "Iterator", "Known", "Missing", "NO", "Notify", "Option", "Policy", "Poll", "Push", "Quantity",
    "Redrive", "Ref", "Resource", "Safety", "Severity", "Statement", "Test", "Text", "Tier", "Unknown", "Value",
    "Watch", "YES", "alarms", "at", "buses", "certainly", "consumers", "cycles", "document", "documents", "doubt",
    "doubt_any", "embedded", "failures", "feeds", "field", "holds", "is_null", "keys", "maybe", "metrics", "names",
    "needs", "order", "permissions", "plain", "possibly", "producers", "quantity", "ranges", "reason", "repairs",
    "replace", "roles", "rule", "scaling", "senders", "set_number", "set_text", "settle", "steps", "timing",
    "ways_back",
]  # fmt: skip
