"""The same stack in Terraform, CloudFormation and CDK gives the same findings."""

from __future__ import annotations

import itertools

import pytest
from harness import Sample, fixtures, loaded, normalised, report, rules, samples, spoken

from hoplint.model.report import Reported


def _twins() -> list[tuple[Sample, Sample]]:
    found = []
    for rule in rules():
        by_case: dict[str, list[Sample]] = {}
        for sample in samples(rule.id):
            by_case.setdefault(sample.case, []).append(sample)
        for case in fixtures(rule.id).cases():
            found.extend(itertools.pairwise(by_case.get(case, [])))
    return found


def _told(sample: Sample, entry: Reported) -> tuple[str, ...]:
    stacks = loaded(sample).stacks
    resource = entry.finding.primary.resource
    return (
        entry.rule.id, str(entry.severity), entry.finding.confidence,
        resource.kind.name if resource else "",
        entry.finding.primary.setting or "",
        "always" if entry.when is None else "sometimes",
        normalised(entry.finding.message, stacks),
    )  # fmt: skip


def _id(sample: Sample) -> str:
    return f"{sample.rule_id}/{sample.case}/{sample.dialect}"


@pytest.mark.parametrize(("one", "other"), _twins(), ids=_id)
def test_twins_are_told_the_same(one: Sample, other: Sample) -> None:
    """Two dialects of a case give the same rule, severity, kind of resource and message, addresses apart."""
    told, other_told = (sorted(_told(sample, entry) for entry in spoken(report(sample))) for sample in (one, other))
    if one.rule_id == "syntax-error":
        # Each parser says in its own words what it met.
        told, other_told = ([entry[:-1] for entry in each] for each in (told, other_told))
    assert told == other_told


@pytest.mark.parametrize(
    ("one", "other"),
    [pair for pair in _twins() if pair[0].dialect != "terraform"],
    ids=_id,
)
def test_twins_are_told_along_the_same_way(one: Sample, other: Sample) -> None:
    """CloudFormation and CDK give trails over the same kinds of resources; Terraform's may be longer."""

    def trail(sample: Sample) -> list[tuple[str, ...]]:
        return sorted(
            tuple(step.resource.kind.name if step.resource else "" for step in entry.finding.trail)
            for entry in spoken(report(sample))
        )

    assert trail(one) == trail(other)
