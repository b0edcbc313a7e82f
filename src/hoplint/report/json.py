"""The JSON output: its shape is a contract (design: version 1)."""

from __future__ import annotations

import json
from typing import Any

from hoplint import __version__
from hoplint.model.finding import Severity
from hoplint.model.place import Place
from hoplint.model.report import Report, Reported


def render(report: Report) -> str:
    """Write a report as JSON."""
    return json.dumps(document(report), indent=2, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "version": 1,
        "tool": {"name": "hoplint", "version": __version__},
        "findings": [finding(found) for found in report.findings],
        "undecided": [
            {
                "rule": entry.rule.id,
                "code": entry.rule.code,
                "address": entry.address,
                "why": entry.why,
                "path": entry.place.path,
                "line": entry.place.line,
            }
            for entry in report.undecided
        ],
        "notes": [{"message": note.message, "path": note.path, "line": note.line} for note in report.notes],
        "summary": {
            "stacks": report.stacks,
            "resources": report.resources,
            "hops": report.hops,
            **{str(severity): report.count(severity) for severity in Severity},
            "suppressed": sum(1 for found in report.findings if found.suppressed is not None),
            "undecided": len(report.undecided),
        },
    }


def span(place: Place) -> dict[str, Any]:
    """A place as plain data."""
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def finding(found: Reported) -> dict[str, Any]:
    """A finding as plain data."""
    fix = found.finding.fix
    return {
        "rule": found.rule.id,
        "code": found.rule.code,
        "group": found.rule.group,
        "category": str(found.rule.category),
        "severity": str(found.severity),
        "tier": str(found.tier),
        "confidence": found.finding.confidence,
        "message": found.finding.message,
        "stack": found.stack,
        "dialect": found.dialect,
        "address": found.address,
        "construct": found.construct,
        **span(found.place),
        "when": found.when,
        "trail": [{"label": step.label, "address": step.address, **span(step.place)} for step in found.trail],
        "fix": None
        if fix is None
        else {
            "title": fix.title,
            "safety": str(fix.safety),
            "edits": [{**span(place), "text": text} for place, text in found.edits],
            **({"text": fix.text} if fix.text else {}),
        },
        "fingerprint": found.fingerprint,
        "suppressed": None if found.suppressed is None else {"reason": found.suppressed},
    }
