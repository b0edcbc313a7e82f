"""All that a rule may import."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import feeds, senders
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
from hoplint.model.inquiry import certainly, doubt, possibly, settle
from hoplint.model.number import Quantity, Test
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Text, Unknown, Value, is_null, reason
from hoplint.rulebook import Option, rule


def at(resource: Resource, label: str, setting: str | None = None) -> At:
    """A place of a finding: a resource or one of its settings, and what there is to say about it."""
    return At(resource, label, setting)


def set_number(resource: Resource, setting: str, number: Quantity, unit: str = "") -> Fix:
    """Write a number over the one literal that decides a setting, or show it where there is no such literal."""
    exact = number.exact
    title = f"set {setting.replace('_', ' ')} to {number}{unit}"
    value = settle(resource.raw(setting))
    if exact is None or not isinstance(value, Known):
        return Fix(title)
    if value.source is not None:
        return Fix(title, Safety.SAFE, (Edit(value.source, str(exact)),))
    name = next(iter(resource.kind.properties[setting].paths(resource.stack.family)), setting)
    sign = " = " if resource.stack.family == "terraform" else ": "
    return Fix(title, Safety.SHOWN, (), f"{name}{sign}{exact}")


__all__ = [
    "Absent", "Answer", "At", "CannotTell", "Category", "Edit", "FailTo", "Finding", "Fix", "Found", "Grant", "Graph",
    "Hop", "Invoke", "Iterator", "Known", "Missing", "Notify", "Option", "Poll", "Push", "Quantity", "Redrive", "Ref",
    "Resource", "Safety", "Severity", "Test", "Text", "Tier", "Unknown", "Value", "Watch", "at", "certainly", "doubt",
    "is_null", "possibly", "reason", "rule", "senders", "set_number", "settle",
]  # fmt: skip
