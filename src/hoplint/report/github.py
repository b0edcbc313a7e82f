"""GitHub's workflow commands, which become annotations, and the job summary."""

from __future__ import annotations

from hoplint.model.report import Report, Reported

COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """Write a report as workflow commands, a line each."""
    return "".join(_line(found) for found in report.findings if found.suppressed is None)


def _line(found: Reported) -> str:
    place = found.place
    where = [f"file={_property(place.path)}", f"line={place.line}"]
    if place.end_line == place.line:
        where += [f"endLine={place.end_line}", f"col={place.column}", f"endColumn={place.end_column}"]
    where.append(f"title={_property(f'{found.rule.code} {found.rule.id}')}")
    subject = f"{found.address}: " if found.address else ""
    when = f" (when {found.when})" if found.when else ""
    trail = "".join(f"\n{step.address} {step.label} ({step.place.path}:{step.place.line})" for step in found.trail)
    text = _data(f"{subject}{found.finding.message}{when}{trail}")
    return f"::{COMMANDS[str(found.severity)]} {','.join(where)}::{text}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
