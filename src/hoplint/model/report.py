"""What a run found, ready for a reporter: findings with their places, open questions, notes, counts."""

from __future__ import annotations

import os
from typing import Protocol

from hoplint.model.finding import At, Category, Finding, Severity, Tier
from hoplint.model.inquiry import settle
from hoplint.model.place import Place, Source
from hoplint.model.resource import Note, Stack


class RuleFacts(Protocol):
    """What a reporter needs of a rule."""

    id: str
    code: str
    group: str
    category: Category
    severity: Severity
    tier: Tier
    title: str

    def page(self) -> str:
        """The rule's text."""


def _own(place: Place) -> Place:
    """A copy, since the path of a reported place is rewritten."""
    return Place(*place.key())


class Step:
    """A place of a finding, ready to print."""

    __slots__ = ("label", "address", "place", "source")

    def __init__(self, at: At, place: Place) -> None:
        self.label = at.label
        self.address = at.address
        self.place = place
        self.source = at.site.source


class Reported:
    """A finding with all that a reporter needs."""

    __slots__ = (
        "rule", "finding", "severity", "tier", "when", "stack", "dialect", "address", "construct", "place", "source",
        "trail", "edits", "set_at", "suppressed", "fingerprint", "creation",
    )  # fmt: skip

    def __init__(self, rule: RuleFacts, finding: Finding, severity: Severity, tier: Tier, when: str | None,
                 stack: Stack | None) -> None:  # fmt: skip
        resource = finding.primary.resource
        self.rule = rule
        self.finding = finding
        self.severity = severity
        self.tier = tier
        self.when = when
        self.stack = stack.name if stack else ""
        self.dialect = stack.dialect if stack else ""
        self.address = finding.primary.address
        self.construct = resource.construct if resource else None
        self.creation = _own(resource.creation.place()) if resource and resource.creation else None
        self.place = _own(finding.primary.place())
        self.source: Source = finding.primary.site.source
        self.set_at = self._set_at()
        self.trail = [Step(at, _own(at.place())) for at in finding.trail]
        self.edits = [(_own(edit.site.place()), edit.text) for edit in finding.fix.edits] if finding.fix else []
        self.suppressed: str | None = None
        self.fingerprint = self._fingerprint()

    def _set_at(self) -> Place | None:
        """Where the setting itself stands, if the finding points at the variable or argument that gives it."""
        primary = self.finding.primary
        if (
            primary.resource is None
            or primary.setting is None
            or primary.setting not in primary.resource.kind.properties
        ):
            return None
        value = settle(primary.resource.raw(primary.setting))
        if value.site is None or not value.through:
            return None
        place = _own(value.site.place())
        return place if place.key()[:2] != self.place.key()[:2] else None

    def _fingerprint(self) -> str:
        """Made of what stays when lines move: code, stack, addresses and the setting."""
        import hashlib

        parts = [
            self.rule.code, self.stack, self.address or self.place.path, self.finding.primary.setting or "",
            *(step.address for step in self.trail),
        ]  # fmt: skip
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def order(self) -> tuple[object, ...]:
        """Findings are listed by place, then by code."""
        return (self.place.path, self.place.line, self.place.column, self.rule.code, self.address, self.finding.message)


class Undecided:
    """A question that stays open, and why."""

    __slots__ = ("rule", "address", "why", "place")

    def __init__(self, rule: RuleFacts, address: str, why: str, place: Place) -> None:
        self.rule = rule
        self.address = address
        self.why = why
        self.place = _own(place)


class Report:
    """What a run found."""

    __slots__ = ("findings", "undecided", "notes", "stacks", "resources", "hops")

    def __init__(self) -> None:
        self.findings: list[Reported] = []
        self.undecided: list[Undecided] = []
        self.notes: list[Note] = []
        self.stacks = 0
        self.resources = 0
        self.hops = 0

    def show_from(self, root: str, working: str) -> None:
        """Name every file from the working folder, with `/`; so far they are named from the boundary `root`."""
        shown: dict[str, str] = {}

        def show(path: str) -> str:
            if path not in shown:
                full = os.path.join(root, path)
                try:
                    shown[path] = os.path.relpath(full, working).replace(os.sep, "/")
                except ValueError:
                    shown[path] = full.replace(os.sep, "/")
            return shown[path]

        for found in self.findings:
            for place in (
                found.place, *(step.place for step in found.trail), *(place for place, _ in found.edits),
                *([found.creation] if found.creation else ()),
                *([found.set_at] if found.set_at else ()),
            ):  # fmt: skip
                place.path = show(place.path)
        for entry in self.undecided:
            entry.place.path = show(entry.place.path)
        for note in self.notes:
            note.path = show(note.path) if note.path else ""

    def add(self, other: Report) -> None:
        """Take in the report of another boundary."""
        self.findings.extend(other.findings)
        self.undecided.extend(other.undecided)
        self.notes.extend(other.notes)
        self.stacks += other.stacks
        self.resources += other.resources
        self.hops += other.hops

    def count(self, severity: Severity) -> int:
        """How many findings of a severity are not suppressed."""
        return sum(1 for found in self.findings if found.suppressed is None and found.severity is severity)
