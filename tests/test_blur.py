"""Knowing less never makes hoplint say more.

Every value of every fixture, and every value inside of it, is replaced by an unknown one, one at a time. What is then
found in every scenario must have been found before: the findings as the rules said them, before stronger ones silence
weaker ones and before suppression.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from harness import Loaded, Sample, fixtures, loaded, rulebook, samples

from hoplint import engine
from hoplint.model.finding import Tier
from hoplint.model.resource import Resource
from hoplint.model.value import Choice, Encoded, Known, Ref, Text, Unknown, Value, quantity
from hoplint.pages import selection

SAMPLES = [sample for sample in samples() if sample.rule_id != "syntax-error"]
DEPTH = 12


@pytest.mark.parametrize("sample", SAMPLES, ids=repr)
def test_an_unknown_value_adds_no_finding(sample: Sample) -> None:
    """No value that becomes unknown adds a finding that holds in every scenario."""
    read = loaded(sample)
    before = _certain(read, sample)
    more: list[str] = []
    for resource, name, value in list(_values(read, sample)):
        for path, blurred in _blurred(value):
            added = _certain(read, sample, {(resource, name): blurred}) - before
            more.extend(f"{resource.address}.{name}{path} unknown adds {rule} on {on}" for rule, on, _ in added)
    assert not more, "\n".join(more)


def test_there_are_values_to_blur() -> None:
    """The property is not empty: a fixture has values, and inside of them more."""
    sample = next(sample for sample in SAMPLES if sample.rule_id == "queue-policy-wrong-source")
    found = [path for _, _, value in _values(loaded(sample), sample) for path, _ in _blurred(value)]
    assert len(found) > 20 and any(path.count(".") > 2 for path in found)


def _certain(
    read: Loaded, sample: Sample, overlay: dict[tuple[Resource, str], Value] | None = None
) -> set[tuple[str, str, str]]:
    """What is found in every scenario: the rule, the resource, the setting."""
    found = read.lint(_chosen(sample), overlay=overlay, heard=True).findings
    return {
        (entry.rule.id, entry.address, entry.finding.primary.setting or "")
        for entry in found
        if entry.when is None and entry.finding.confidence == "high"
    } | {(entry.rule.id, entry.finding.message, "") for entry in found if entry.rule.code == "HOP006"}


@functools.cache
def _chosen(sample: Sample) -> engine.Selection:
    """The folder's rule and those that give way to one another with it; the others have folders of their own."""
    own = rulebook().rules[sample.rule_id]
    chosen = selection(rulebook(), own, fixtures(sample.rule_id).options(sample.case))
    near = {entry.id for entry in rulebook() if own.id in entry.yields_to} | {own.id, "rule-crashed", *own.yields_to}
    # What an ignore comment is about is decided by other rules.
    if own.code != "HOP003":
        chosen.speaking = {name: {Tier.DEFAULT, Tier.PEDANTIC} for name in near if name in rulebook().rules}
    return chosen


def _values(read: Loaded, sample: Sample) -> Iterator[tuple[Resource, str, Value]]:
    """The values that linting looks at."""
    looked: list[tuple[Resource, str, Value]] = []
    read.lint(_chosen(sample), heard=True, then=lambda: looked.extend(
        (resource, name, value) for resource in read.resources() for name, value in resource.values.items()
    ))  # fmt: skip
    for resource, name, value in looked:
        property_ = resource.kind.properties[name]
        if not property_.paths(resource.stack.family):
            # The dialect has no place for it, so nothing unknown can stand there.
            continue
        # A value that AWS refuses is not blurred: it may not be one of those that the unknown one stands for.
        number = quantity(value)
        if number is not None and number.exact is not None and not property_.low <= number.exact <= property_.high:
            continue
        yield resource, name, value


def _blurred(value: Value, path: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    """The value with one part of it unknown: the whole, or any value inside."""
    yield path, Unknown("it was blurred", value.site, through=value.through)
    if depth > DEPTH:
        return
    for step, inner, put_back in _parts(value):
        for inner_path, blurred in _blurred(inner, f"{path}.{step}", depth + 1):
            yield inner_path, put_back(blurred)


def _parts(value: Value) -> Iterator[tuple[str, Value, object]]:
    """The values inside a value, each with a function that puts another in its place."""
    if isinstance(value, Known) and isinstance(value.data, dict):
        for key, inner in value.data.items():
            yield key, inner, lambda new, key=key: _known(value, {**value.data, key: new})
    elif isinstance(value, Known) and isinstance(value.data, list):
        for number, inner in enumerate(value.data):
            items = value.data
            yield str(number), inner, lambda new, n=number, i=items: _known(value, [*i[:n], new, *i[n + 1 :]])
    elif isinstance(value, Encoded):
        yield "json", value.tree, lambda new: Encoded(new, value.site, value.through)
    elif isinstance(value, Choice):
        condition = value.condition
        yield "then", value.then, lambda new: Choice(condition, new, value.otherwise, value.site, value.through)
        yield "else", value.otherwise, lambda new: Choice(condition, value.then, new, value.site, value.through)
    elif isinstance(value, Text):
        for number, piece in enumerate(value.parts):
            if isinstance(piece, Ref):
                parts = value.parts
                yield (
                    str(number), piece,
                    lambda new, n=number, p=parts: Text((*p[:n], new, *p[n + 1 :]), value.site, value.through),
                )  # fmt: skip


def _known(value: Known, data: object) -> Known:
    return Known(data, value.site, value.origin, value.through, None, value.unordered)
