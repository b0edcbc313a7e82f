"""Fixtures as the tests see them: read once, linted as often as wanted, compared with what they expect."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from hoplint import engine
from hoplint.model.report import Report, Reported
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Value
from hoplint.pages import EXPECT, SOURCES, Fixtures, selection
from hoplint.readers.tree import Tree
from hoplint.rulebook import Rule, Rulebook
from hoplint.run import Request

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
SEVERITIES = {"error", "warning", "info"}
CONFIDENCES = {"high", "medium"}
STEPS = re.compile(r"\d+ steps?")


@functools.cache
def rulebook() -> Rulebook:
    """The built-in rules."""
    return Rulebook.load()


def rules() -> list[Rule]:
    """Every built-in rule."""
    return list(rulebook())


@functools.cache
def fixtures(rule_id: str) -> Fixtures:
    """The fixture folder of a rule."""
    return Fixtures(FIXTURES / rule_id)


class Memory(Tree):
    """A tree of files that are on no disk."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__("/nowhere")
        self.files = files
        self.folders = {""}
        for path in files:
            parts = path.split("/")[:-1]
            self.folders.update("/".join(parts[: number + 1]) for number in range(len(parts)))

    def read(self, path: str) -> bytes | None:
        data = self.files.get(path)
        self._read[path] = data
        if data is None:
            self.refused[path] = "no such file"
        return data

    def list(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        names = {path[len(prefix) :].split("/")[0] for path in self.files if path.startswith(prefix)}
        return sorted(name + ("/" if prefix + name in self.folders else "") for name in names)

    def exists(self, path: str) -> bool:
        return path in self.files or path in self.folders

    def is_dir(self, path: str) -> bool:
        return path in self.folders


class Sample:
    """One file of a case, in one dialect."""

    def __init__(self, rule_id: str, case: str, dialect: str) -> None:
        self.rule_id = rule_id
        self.case = case
        self.dialect = dialect
        self.verdict = case.split("-")[0]
        self.path = f"{case}/{SOURCES[dialect]}"
        self.folder = FIXTURES / rule_id
        self.name = f"{rule_id}/{self.path}"

    @property
    def exists(self) -> bool:
        return (self.folder / self.path).is_file()

    def files(self) -> dict[str, bytes]:
        """Every file of the case's folder, named from the rule's folder."""
        home = self.folder / self.case
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()
        }

    def __repr__(self) -> str:
        return self.name


@functools.cache
def samples(rule_id: str | None = None) -> list[Sample]:
    """Every file of every case, or of those of one rule."""
    found: list[Sample] = []
    for rule in rules():
        if rule_id is None or rule.id == rule_id:
            for case in fixtures(rule.id).cases():
                for dialect in SOURCES:
                    sample = Sample(rule.id, case, dialect)
                    if sample.exists:
                        found.append(sample)
    return found


class Loaded:
    """What was read of a file. Linting it leaves it as it was read, so that it can be linted again."""

    def __init__(self, tree: Tree, path: str) -> None:
        self.read = engine.read(tree, [path], Request([path]))
        self.path = path

    @property
    def stacks(self) -> list[Stack]:
        return self.read.stacks

    def resources(self) -> Iterator[Resource]:
        for stack in self.stacks:
            yield from stack.resources

    def lint(
        self,
        chosen: engine.Selection,
        book: Rulebook | None = None,
        overlay: dict[tuple[Resource, str], Value] | None = None,
        heard: bool = False,
        then: Callable[[], None] = lambda: None,
    ) -> Report:
        """Lint it, with some values replaced by others; `then` is called before everything is put back."""
        kept = [(resource, dict(resource.values), dict(resource.given)) for resource in self.resources()]
        try:
            found = engine.lint(self.stacks, book or rulebook(), chosen, self.read.sources, overlay, heard=heard)
            then()
            return found
        finally:
            for resource, values, given in kept:
                if overlay is None:
                    # What a value is does not change; what another resource gave is given again.
                    values = {name: value for name, value in resource.values.items() if name not in resource.given}
                resource.values = values
                resource.given = given


@functools.cache
def loaded(sample: Sample) -> Loaded:
    """A sample, read once."""
    return Loaded(Memory(sample.files()), sample.path)


def report(sample: Sample, rule: Rule | None = None) -> Report:
    """What is said about a sample: the default tier and its folder's rule."""
    own = rule or rulebook().rules[sample.rule_id]
    return loaded(sample).lint(selection(rulebook(), own, fixtures(sample.rule_id).options(sample.case)))


class Expected:
    """One finding that a fixture expects. The address is None where a comment at the line says it all."""

    def __init__(
        self, rule: str, path: str, line: int, facts: Iterable[str] = (), when: str | None = None,
        address: str | None = None,
    ) -> None:  # fmt: skip
        facts = set(facts)
        steps = next((fact for fact in facts if STEPS.fullmatch(fact)), None)
        self.steps = None if steps is None else int(steps.split()[0])
        facts.discard(steps or "")
        self.rule = rule
        self.path = path
        self.line = line
        self.when = when
        self.address = address
        self.severity = next(iter(facts & SEVERITIES), str(rulebook().rules[rule].severity))
        self.confidence = next(iter(facts & CONFIDENCES), "high")
        unknown = facts - SEVERITIES - CONFIDENCES
        assert not unknown, f"{path}:{line}: {unknown} is no severity, no confidence and no number of steps"

    def key(self) -> tuple[str, ...]:
        return (self.path, f"line {self.line}", self.rule, self.severity, self.confidence, f"when {self.when}")


def expectations(sample: Sample) -> list[Expected]:
    """What the comments of a sample's files, or the `expect.yaml` beside it, expect."""
    found: list[Expected] = []
    for path, data in sample.files().items():
        if path.endswith((".tf", ".yaml")) and _belongs(sample, path):
            for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
                match = EXPECT.search(line)
                if match:
                    facts = [word.strip() for word in (match["facts"] or "").split(",") if word.strip()]
                    found.append(Expected(match["rule"], path, number, facts, match["when"]))
    for entry in listed(sample):
        found.append(
            Expected(
                entry["rule"], f"{sample.case}/{entry['file']}", entry["line"], entry.get("facts", ()),
                entry.get("when"), entry["address"],
            )
        )  # fmt: skip
    return found


def _belongs(sample: Sample, path: str) -> bool:
    """Whether a file of the case's folder is of the sample's dialect."""
    if path.endswith("/expect.yaml"):
        return False
    if sample.dialect == "cdk":
        return False
    return path.endswith(".tf") == (sample.dialect == "terraform")


def listed(sample: Sample) -> list[dict[str, Any]]:
    """The entries of `expect.yaml` about a sample's own file."""
    path = sample.folder / sample.case / "expect.yaml"
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else []
    return [entry for entry in entries if entry["file"] == SOURCES[sample.dialect]]


def spoken(found: Report) -> list[Reported]:
    """The findings that nobody suppressed."""
    return [entry for entry in found.findings if entry.suppressed is None]


def described(found: Reported) -> tuple[str, ...]:
    return (
        found.place.path, f"line {found.place.line}", found.rule.id, str(found.severity), found.finding.confidence,
        f"when {found.when}",
    )  # fmt: skip


def mismatch(sample: Sample, found: Report) -> str | None:
    """How a report differs from what its sample expects, or None."""
    wanted, got = expectations(sample), spoken(found)
    if sample.verdict != "bad" and wanted:
        return f"{sample}: only a bad case expects findings"
    expected, actual = Counter(entry.key() for entry in wanted), Counter(described(entry) for entry in got)
    lines = [f"missing: {' '.join(key)}" for key in (expected - actual).elements()]
    lines += [f"not expected: {' '.join(key)}" for key in (actual - expected).elements()]
    addresses = Counter(entry.address for entry in got if entry.address)
    for address in (entry.address for entry in wanted):
        if address and not addresses[address]:
            lines.append(f"nothing on {address}, but on {sorted(addresses)}")
    for wish in wanted:
        steps = {len(entry.trail) for entry in got if described(entry) == wish.key()}
        if wish.steps is not None and steps - {wish.steps}:
            lines.append(f"{' '.join(wish.key())}: {wish.steps} steps expected, not {steps}")
    open_questions = [f"{entry.address}: {entry.why}" for entry in found.undecided if entry.rule.id == sample.rule_id]
    if sample.verdict == "unknown" and not open_questions:
        lines.append(f"{sample.rule_id} is not undecided")
    if sample.verdict == "good" and open_questions:
        # Silence for want of knowledge shows nothing.
        lines.append(f"{sample.rule_id} is undecided: {open_questions}")
    return f"{sample}:\n  " + "\n  ".join(lines) if lines else None


def kind_of(address: str, stacks: Iterable[Stack]) -> str:
    """What kind of resource has an address."""
    for stack in stacks:
        for resource in stack.resources:
            if resource.address == address:
                return resource.kind.name
    return address


def normalised(message: str, stacks: Iterable[Stack]) -> str:
    """A message with the kinds of resources in place of their addresses, and variables named as parameters are."""
    kinds = {resource.address: resource.kind.name for stack in stacks for resource in stack.resources}
    for address in sorted(kinds, key=len, reverse=True):
        message = re.sub(rf"(?<![\w.-]){re.escape(address)}(?![\w-])", f"<{kinds[address]}>", message)
    return re.sub(r"\bvar\.(\w+)", lambda match: match[1].title().replace("_", ""), message)
