"""A fault in a rule does not go unnoticed: each of its mutants fails one of its fixtures.

Those that no fixture can notice stand in `mutants.yaml`, at most two a rule, each with the reason.
"""

from __future__ import annotations

import copy
import functools
from pathlib import Path

import pytest
import yaml
from harness import FIXTURES, Loaded, Sample, fixtures, loaded, mismatch, rulebook, rules, samples
from mutator import Mutant, mutants

from hoplint import engine
from hoplint.graph.link import link
from hoplint.model.finding import Tier
from hoplint.pages import Clean, selection
from hoplint.report import text
from hoplint.rulebook import Rule, Rulebook

EXCUSED: dict[str, dict[str, str]] = yaml.safe_load(Path(__file__).with_name("mutants.yaml").read_text("utf-8")) or {}
MOST = 2
RULES = [rule for rule in rules() if fixtures(rule.id).cases() and list(mutants(rule.path or Path()))]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_mutant_dies_or_is_excused(rule: Rule) -> None:
    """Each mutant of a rule fails a fixture or changes the golden output; what survives is excused, nothing else."""
    alive = {mutant.key: mutant for mutant in mutants(rule.path or Path()) if _survives(mutant, rule)}
    excused = set(EXCUSED.get(rule.id, {}))
    unknown = [repr(mutant) for key, mutant in alive.items() if key not in excused]
    assert not unknown, "no fixture notices:\n  " + "\n  ".join(unknown)
    assert excused <= set(alive), f"a fixture notices these by now: {excused - set(alive)}"


def test_excuses_are_few_and_have_reasons() -> None:
    """At most two mutants of a rule are excused, each in a sentence."""
    assert set(EXCUSED) <= set(rulebook().rules)
    for rule_id, excused in EXCUSED.items():
        assert len(excused) <= MOST, rule_id
        assert all(len(reason) > 20 for reason in excused.values()), rule_id


def test_the_mutator_changes_what_it_says(tmp_path: Path) -> None:
    """Every operator makes its mutants, and none touches decorators, texts or annotations."""
    source = tmp_path / "some_rule.py"
    source.write_text(
        "LIMIT = {1, 2}\n"
        "@rule(id='some-rule', code=199, factor=Option(6, 'six'))\n"
        "def check(graph: Graph[1]) -> int:\n"
        "    '''Seven of 7.'''\n"
        "    if not certainly(a < 3) and b | c:\n"
        "        yield Finding(f'{x + 1} s')\n",
        "utf-8",
    )
    made = {mutant.key for mutant in mutants(source)}
    assert {"LIMIT: {1, 2} -> {2}", "LIMIT: 1 -> 2", "option: 6 -> 7", "check: 3 -> 4"} <= made
    assert {
        "check: a < 3 -> a <= 3",
        "check: a < 3 -> a >= 3",
        "check: b | c -> b & c",
        "check: x + 1 -> x - 1",
    } <= made
    assert "check: not certainly(a < 3) -> certainly(a < 3)" in made
    assert "check: certainly(a < 3) -> possibly(a < 3)" in made
    assert any(key.endswith("-> pass") for key in made)
    assert any("if True:" in key for key in made) and any("if False:" in key for key in made)
    assert not any("199" in key or "Seven" in key for key in made)


@functools.cache
def _golden(rule_id: str) -> Loaded:
    return Loaded(Clean(FIXTURES / rule_id), fixtures(rule_id).golden)


def _survives(mutant: Mutant, rule: Rule) -> bool:
    """Whether no fixture notices a mutant."""
    try:
        faulty = mutant.rule(rule)
    except Exception:
        return False
    book = _book(faulty)
    for sample in _sound(rule.id):
        if mismatch(sample, loaded(sample).lint(_chosen(book, faulty, sample), book)):
            return False
    shown = text.render(_golden(rule.id).lint(_chosen(book, faulty), book), quiet=True)
    if shown != _output(rule.id):
        return False
    # In the folders of other rules it has to be silent.
    outside = engine.Selection(book)
    near = _near(faulty)
    outside.speaking = {name: tiers for name, tiers in outside.speaking.items() if name in near}
    for sample in _elsewhere(rule.id):
        found = loaded(sample).lint(outside, book).findings
        if any(entry.rule.id in (rule.id, "rule-crashed") and entry.suppressed is None for entry in found):
            return False
    return True


def _book(faulty: Rule) -> Rulebook:
    book = copy.copy(rulebook())
    book.rules = {**book.rules, faulty.id: faulty}
    return book


def _near(rule: Rule) -> set[str]:
    """The rule, those that give way to it or to which it gives way, and what tells of a crash."""
    giving = {entry.id for entry in rulebook() if rule.id in entry.yields_to}
    return {rule.id, "rule-crashed", *rule.yields_to, *giving}


def _chosen(book: Rulebook, rule: Rule, sample: Sample | None = None) -> engine.Selection:
    chosen = selection(book, rule, fixtures(rule.id).options(sample.case) if sample else None)
    near = _near(rule)
    chosen.speaking = {name: tiers for name, tiers in chosen.speaking.items() if name in near}
    assert Tier.PEDANTIC in chosen.speaking[rule.id]
    return chosen


@functools.cache
def _output(rule_id: str) -> str:
    return (FIXTURES / rule_id / "output.txt").read_text("utf-8")


@functools.cache
def _sound(rule_id: str) -> list[Sample]:
    """The fixtures that the rule itself passes: one that fails anyway proves nothing about its mutants."""
    rule = rulebook().rules[rule_id]
    return [
        sample
        for sample in samples(rule_id)
        if mismatch(sample, loaded(sample).lint(_chosen(rulebook(), rule, sample))) is None
    ]


@functools.cache
def _present(sample: Sample) -> set[str]:
    """The hops and kinds of resources that a sample has."""
    graph = link(loaded(sample).stacks)
    hops = {kind.__name__ for kind, found in graph.by_hop.items() if found}
    return hops | {kind for kind, found in graph.by_kind.items() if found}


@functools.cache
def _elsewhere(rule_id: str) -> list[Sample]:
    """The fixtures of other rules in which there is something that the rule asks for."""
    asks = set(rulebook().rules[rule_id].asks)
    others = [one for one in samples() if one.rule_id not in (rule_id, "syntax-error", "unused-suppression")]
    return [sample for sample in others if not asks or asks & _present(sample)]
