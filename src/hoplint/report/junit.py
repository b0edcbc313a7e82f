"""JUnit XML: a test suite per stack, a failed test case per finding."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from hoplint.model.finding import Severity
from hoplint.model.report import Report, Reported

# What XML 1.0 cannot hold, even escaped.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def render(report: Report) -> str:
    """Write a report as JUnit XML. Findings of severity info pass, with their text as output."""
    suites: dict[str, list[Reported]] = {}
    for found in report.findings:
        suites.setdefault(found.stack or "input", []).append(found)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    everything = list(report.findings)
    lines.append(f'<testsuites name="hoplint" {_counts(everything)}>')
    if not suites:
        lines.append('  <testsuite name="hoplint" tests="1" failures="0" errors="0" skipped="0">')
        lines.append('    <testcase classname="hoplint" name="no findings"/>')
        lines.append("  </testsuite>")
    for stack, findings in suites.items():
        lines.append(f"  <testsuite name={_quoted(stack)} {_counts(findings)}>")
        lines.extend(_case(found) for found in findings)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _counts(findings: list[Reported]) -> str:
    failed = sum(1 for found in findings if found.suppressed is None and found.severity is not Severity.INFO)
    skipped = sum(1 for found in findings if found.suppressed is not None)
    return f'tests="{max(1, len(findings))}" failures="{failed}" errors="0" skipped="{skipped}"'


def _case(found: Reported) -> str:
    name = f"{found.rule.code} {found.address or found.place.path}"
    where = f"{found.place.path}:{found.place.line}"
    head = f"    <testcase classname={_quoted(found.rule.id)} name={_quoted(name)} file={_quoted(found.place.path)}"
    head += f' line="{found.place.line}">'
    body = _text(found, where)
    if found.suppressed is not None:
        inner = f"      <skipped message={_quoted(found.suppressed)}/>"
    elif found.severity is Severity.INFO:
        inner = f"      <system-out>{_escaped(body)}</system-out>"
    else:
        message = _quoted(found.finding.message)
        inner = f'      <failure type="{found.severity}" message={message}>{_escaped(body)}</failure>'
    return f"{head}\n{inner}\n    </testcase>"


def _text(found: Reported, where: str) -> str:
    lines = [f"{where}: {found.finding.message}"]
    if found.when:
        lines.append(f"when {found.when}")
    lines.extend(f"{step.place.path}:{step.place.line}: {step.address} {step.label}" for step in found.trail)
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return quoteattr(FORBIDDEN.sub("�", text), {"\n": "&#10;"})


def _escaped(text: str) -> str:
    return escape(FORBIDDEN.sub("�", text))
