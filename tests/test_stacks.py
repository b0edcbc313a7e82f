"""Whole pipelines, linted with every rule of the default tier, in four dialects, one in two languages."""

import json
from pathlib import Path

import pytest

from hoplint.run import Request, run

STACKS = Path(__file__).resolve().parents[1] / "fixtures" / "_stacks"
DIALECTS = ("terraform", "cloudformation", "sam", "cdk", "cdk-python")


def lint(folder: Path):
    outcome = run(Request([str(folder)], working=str(folder)))
    assert outcome.wrong == []
    return outcome.report


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_sound_pipeline_is_silent(dialect):
    """A pipeline without a fault gives no finding, and nothing in it stays undecided."""
    report = lint(STACKS / "order-pipeline" / dialect)
    assert [(found.rule.code, found.address) for found in report.findings] == []
    assert [(entry.rule.code, entry.address, entry.why) for entry in report.undecided] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_broken_pipeline_has_its_nine_faults(dialect):
    """Each fault is found where it is, once, and nothing else is."""
    folder = STACKS / "order-pipeline-broken" / dialect
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    found = [(one.rule.code, one.address) for one in lint(folder).findings]
    assert sorted(found) == sorted((entry["code"], entry["address"]) for entry in expected)


def test_the_dialects_tell_the_same_story():
    """The same stack gives the same rules with the same figures, whatever it is written in."""
    told = {}
    for dialect in DIALECTS:
        report = lint(STACKS / "order-pipeline-broken" / dialect)
        told[dialect] = sorted(
            (found.rule.code, str(found.severity), found.when, found.finding.primary.setting)
            for found in report.findings
        )
    assert all(told[dialect] == told["terraform"] for dialect in DIALECTS)
