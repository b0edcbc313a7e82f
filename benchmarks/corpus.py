"""One repository, read whole: what was read, how much of it is known, and why the rest is not."""

import os
import re
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hoplint import engine
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import DEFAULT, Choice, Encoded, Known, Number, Ref, Text, Unknown, Value, branches, reason
from hoplint.readers import cdk, cloudformation, plan, terraform
from hoplint.readers.discover import discover, is_template_source, kind_of
from hoplint.readers.marked import load
from hoplint.readers.tree import LARGEST, Tree
from hoplint.rulebook import Rulebook

ORDER = ("known", "ref", "text", "unknown")
_NAME = re.compile(r"(?<!\S)(?!AWS::|Fn::)\S*[A-Z0-9_./:\[${]\S*")


@dataclass
class Tally:
    """The figures of one family of dialects."""

    stacks: int = 0
    resources: int = 0
    settings: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    crashes: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class Corpus:
    """One repository: a tally of its templates, one of its Terraform."""

    name: str
    tallies: dict[str, Tally] = field(default_factory=dict)

    def of(self, family: str) -> Tally:
        """The tally of a family."""
        return self.tallies.setdefault(family, Tally())

    def facts(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "corpus": self.name,
            **{
                family: {
                    "stacks": tally.stacks, "resources": tally.resources, "settings": dict(tally.settings),
                    "reasons": dict(tally.reasons.most_common(100)), "unknown": dict(tally.hit.most_common(100)),
                    "crashes": tally.crashes, "refused": tally.refused,
                }
                for family, tally in self.tallies.items()
            },
        }  # fmt: skip


def survey(folder: Path, *, ask_rules: bool = True) -> Corpus:
    """Read all that a folder holds, each stack by itself so that one that crashes hides no other."""
    corpus = Corpus(folder.name)
    tree = Tree(folder)
    found = discover(tree, [""])
    stacks: list[Stack] = []
    if found.roots or found.plans:
        tally = corpus.of("terraform")
        modules = terraform.Modules(tree)
        called = {one for root in found.roots for one in terraform.called_modules(tree, root) - {root}}
        for root in found.roots:
            if root not in called:
                stacks += _guarded(tally, root, lambda: [terraform.read_root(tree, root, None, modules)])  # noqa: B023
        for path in found.plans:
            stacks += _guarded(tally, path, lambda: [plan.read_plan(tree, path)])  # noqa: B023
    if found.templates or found.assemblies:
        tally = corpus.of("cloudformation")
        options = cloudformation.Options(templates=list(found.templates))
        for path in found.templates:
            stacks += _guarded(tally, path, lambda: cloudformation.read_template(tree, path, options))  # noqa: B023
        for path in found.assemblies:
            stacks += _guarded(tally, path, lambda: cdk.read_assembly(tree, path, options))  # noqa: B023
        _guarded(tally, "exports", lambda: cloudformation.join_exports(stacks))
    _refusals(corpus, folder)
    for stack in stacks:
        tally = corpus.of(stack.family)
        tally.stacks += 1
        for resource in stack.resources:
            if not resource.elsewhere:
                tally.resources += 1
                _guarded(tally, f"{stack.path} {resource.address}", lambda: _settings(tally, resource))  # noqa: B023
    if ask_rules:
        rules = Rulebook.load(())
        tally = next(iter(corpus.tallies.values()), Tally())
        _guarded(tally, "rules", lambda: _ask(tally, stacks, rules))
    return corpus


def _ask(tally: Tally, stacks: list[Stack], rules: Rulebook) -> None:
    report = engine.lint(stacks, rules, engine.Selection(rules, [], [], pedantic=True))
    for found in report.findings:
        if found.rule.code == "HOP006":
            tally.crashes[f"{found.place.path} {found.address}"] = found.finding.message


def _guarded(tally: Tally, path: str, work: Any) -> list[Stack]:
    try:
        return work() or []
    except Exception:
        tally.crashes[path] = traceback.format_exc(limit=-2).strip().replace("\n", " | ")
        return []


def _settings(tally: Tally, resource: Resource) -> None:
    """Classify each setting that its author wrote by what is least certain in it."""
    for name in resource.kind.properties:
        value = resource.raw(name)
        if isinstance(value, Known) and (value.data is None or value.origin == DEFAULT):
            continue
        worst, why = classify(value)
        tally.settings[worst] += 1
        if worst == "unknown":
            tally.reasons[_NAME.sub("…", why)] += 1
            tally.hit[f"{resource.kind.name}.{name}"] += 1


def classify(value: Value, depth: int = 0) -> tuple[str, str]:
    """How much of a value is certain, and the reason if a part is unknown; a string that is partly known is text."""
    if depth > 40:
        return "unknown", "it is nested too deeply"
    if isinstance(value, Choice):
        return _worst([branch for branch, _ in branches(value)], depth)
    if isinstance(value, Encoded):
        return classify(value.tree, depth + 1)
    if isinstance(value, Known) and isinstance(value.data, list):
        return _worst(value.data, depth)
    if isinstance(value, Known) and isinstance(value.data, dict):
        return _worst(list(value.data.values()), depth)
    if isinstance(value, Unknown):
        return "unknown", value.why
    if isinstance(value, Text | Number):
        return "text", reason(value)
    return ("ref" if isinstance(value, Ref) else "known"), ""


def _worst(values: list[Value], depth: int) -> tuple[str, str]:
    found = [classify(value, depth + 1) for value in values]
    return max(found, key=lambda one: ORDER.index(one[0]), default=("known", ""))


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """libyaml, which takes every tag as long as nothing is constructed."""


def _refusals(corpus: Corpus, folder: Path) -> None:
    """The templates that libyaml composes and hoplint does not read."""
    for above, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(files):
            path = Path(above, name)
            if not name.endswith((".yaml", ".yml", ".json", ".template")) or not path.is_file():
                continue
            data = path.read_bytes()
            if len(data) > LARGEST or kind_of(data) != "template" or is_template_source(data):
                continue
            document = load(name, data)
            if document.root is None and _composes(data):
                where = str(path.relative_to(folder))
                corpus.of("cloudformation").refused[where] = document.faults[0].message if document.faults else ""


def _composes(data: bytes) -> bool:
    try:
        return yaml.compose(data, _Loader) is not None
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
