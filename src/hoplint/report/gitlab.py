"""GitLab's code quality report."""

from __future__ import annotations

import json

from hoplint.model.report import Report

LEVELS = {"error": "critical", "warning": "major", "info": "info"}


def render(report: Report) -> str:
    """Write a report as GitLab reads it. Fingerprints are unique, as it asks for."""
    seen: dict[str, int] = {}
    issues = []
    for found in report.findings:
        if found.suppressed is not None:
            continue
        count = seen[found.fingerprint] = seen.get(found.fingerprint, 0) + 1
        subject = f"{found.address}: " if found.address else ""
        issues.append(
            {
                "description": f"{subject}{found.finding.message}{f' (when {found.when})' if found.when else ''}",
                "check_name": found.rule.id,
                "fingerprint": found.fingerprint if count == 1 else f"{found.fingerprint}-{count}",
                "severity": LEVELS[str(found.severity)],
                "location": {
                    "path": found.place.path,
                    "lines": {"begin": found.place.line, "end": max(found.place.line, found.place.end_line)},
                },
            }
        )
    return json.dumps(issues, indent=1, ensure_ascii=False) + "\n"
