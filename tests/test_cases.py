"""Every fixture, in every dialect, through the real readers and engine, against what it expects."""

from __future__ import annotations

import pytest
import yaml
from harness import FIXTURES, Sample, fixtures, listed, mismatch, report, rulebook, rules, samples, spoken

from hoplint.pages import SOURCES, VERDICTS, output
from hoplint.rulebook import Rule

SAMPLES = samples()
RULES = rules()


@pytest.mark.parametrize("sample", SAMPLES, ids=repr)
def test_what_is_reported_is_what_is_expected(sample: Sample, update: bool) -> None:
    """Linted alone, a file gives the findings it expects: the rule at that place, in that severity, and no other."""
    found = report(sample)
    if update:
        _update_lines(sample)
    problem = mismatch(sample, found)
    assert problem is None, problem


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.verdict == "bad"], ids=repr)
def test_a_bad_case_expects_its_rule(sample: Sample) -> None:
    """Only the folder's rule speaks in a bad case, and it does speak."""
    assert {entry.rule.id for entry in spoken(report(sample))} == {sample.rule_id}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_its_fixtures(rule: Rule) -> None:
    """A rule has a bad case, a good one and an undecided one, in each dialect; what is missing has a reason."""
    found = fixtures(rule.id)
    assert found.folder.is_dir(), f"no folder fixtures/{rule.id}"
    if found.no_fixtures is not None:
        assert not found.cases() and len(found.no_fixtures) > 20
        return
    verdicts = {name.split("-")[0] for name in found.cases()}
    wanted = {"bad", "good"} if found.no_unknown else set(VERDICTS)
    assert verdicts == wanted, f"{rule.id} has cases of {verdicts}; no_unknown in cases.yaml may say why"
    unknown = set(found.facts) - {
        "no_fixtures", "no_unknown", "golden", "compare", "without", "options", "cfn_lint", "terraform",
    }  # fmt: skip
    assert not unknown, f"cases.yaml has unknown keys {unknown}"
    for table in ("without", "options"):
        names = set(found.facts.get(table, {})) - {"*"}
        assert names <= set(found.cases()), f"cases.yaml names cases that are not there: {names - set(found.cases())}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_case_has_each_dialect_or_the_reason(rule: Rule) -> None:
    """Each case has a file in each dialect, or `cases.yaml` says why it has none; and it says what it shows."""
    found = fixtures(rule.id)
    for case in found.cases():
        reasons = found.without(case)
        for dialect, name in SOURCES.items():
            there = (found.folder / case / name).is_file()
            assert there is not (dialect in reasons), (
                f"{rule.id}/{case}/{name}: {'there, although' if there else 'missing, and no'} reason is given"
            )
        assert set(reasons) <= set(SOURCES)
        about = found.about(case)
        assert len(about) > 15, f"{rule.id}/{case}: its first source does not begin with a comment on what it shows"


def test_no_folder_without_a_rule() -> None:
    """Every folder of fixtures belongs to a rule; those that do not begin with an underscore."""
    names = {entry.name for entry in FIXTURES.iterdir() if entry.is_dir() and not entry.name.startswith("_")}
    assert names <= set(rulebook().rules)


def test_expectations_name_files_that_are_there() -> None:
    """An entry of an `expect.yaml` stands for a file beside it."""
    for path in FIXTURES.glob("*/*/expect.yaml"):
        for entry in yaml.safe_load(path.read_text("utf-8")):
            assert entry["file"] in SOURCES.values()
            assert (path.parent / entry["file"]).is_file(), f"{path}: {entry['file']}"


@pytest.mark.parametrize("rule", [rule for rule in RULES if fixtures(rule.id).no_fixtures is None], ids=lambda r: r.id)
def test_terminal_output_is_golden(rule: Rule, update: bool) -> None:
    """What the terminal shows for a rule's main example is what its `output.txt` holds."""
    found = fixtures(rule.id)
    got = output(found, rulebook(), rule)
    golden = found.folder / "output.txt"
    if update:
        golden.write_text(got, "utf-8")
    assert got == golden.read_text("utf-8")


def _update_lines(sample: Sample) -> None:
    """Bring the lines of an `expect.yaml` up to date; which rule speaks on which resource stays as it is written."""
    entries = listed(sample)
    if not entries:
        return
    path = sample.folder / sample.case / "expect.yaml"
    places = {(entry.rule.id, entry.address): entry.place.line for entry in spoken(report(sample))}
    everything = yaml.safe_load(path.read_text("utf-8"))
    for entry in everything:
        if entry in entries:
            entry["line"] = places.get((entry["rule"], entry["address"]), entry["line"])
    write_expectations(path, everything)


def write_expectations(path, entries) -> None:  # type: ignore[no-untyped-def]
    """Write an `expect.yaml`: an entry a line."""
    lines = [yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=1000).strip() for entry in entries]
    path.write_text("".join(f"- {line}\n" for line in lines), "utf-8")
