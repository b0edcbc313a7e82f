"""Markdown for a comment on a pull request or a job summary."""

from __future__ import annotations

import re

from hoplint.model.finding import Severity
from hoplint.model.report import Report, Reported
from hoplint.report.text import section

# A comment on GitHub holds 65,536 characters.
MOST = 60_000
SIGNS = {"error": "🔴", "warning": "🟠", "info": "🔵"}


def render(report: Report) -> str:
    """Write a report as Markdown, cut where a comment would not take more."""
    findings = [found for found in report.findings if found.suppressed is None]
    counts = ", ".join(f"{report.count(s)} {s}" for s in Severity if report.count(s))
    lines = [f"### hoplint: {counts or 'no findings'}", ""]
    length = 0
    for number, found in enumerate(findings):
        text = _finding(found)
        length += len(text)
        if length > MOST:
            lines.append(f"… and {len(findings) - number} more findings.")
            break
        lines.append(text)
    if report.undecided:
        lines.append(f"{len(report.undecided)} questions could not be decided (`hoplint check --undecided`).")
    return "\n".join(lines).rstrip("\n") + "\n"


def _finding(found: Reported) -> str:
    where = f"{found.place.path}:{found.place.line}"
    lines = [
        f"<details><summary>{SIGNS[str(found.severity)]} <b>{found.rule.code}</b> {_html(found.rule.id)} · "
        f"<code>{_html(found.address or where)}</code></summary>",
        "",
        f"{_escaped(found.finding.message)} ({_code(where)})",
        "",
    ]
    if found.when:
        lines += [f"When {_escaped(found.when)}.", ""]
    for step in found.trail:
        lines.append(
            f"- {_code(step.address)} {_escaped(step.label)} ({_code(f'{step.place.path}:{step.place.line}')})"
        )
    if found.trail:
        lines.append("")
    fix = found.finding.fix
    cost, mend = section(found.rule.page(), "Why it matters"), section(found.rule.page(), "How to fix")
    lines += [f"**Costs:** {cost}", "", f"**Fix:** {_escaped(fix.title) if fix else mend}", ""]
    if fix and fix.text:
        fence = "`" * max(3, max((len(run) for run in re.findall("`+", fix.text)), default=0) + 1)
        lines += [fence, fix.text, fence, ""]
    lines += ["</details>", ""]
    return "\n".join(lines)


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~$@-])", r"\\\1", text.replace("\n", " "))


def _code(text: str) -> str:
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
