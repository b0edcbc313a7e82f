"""The terminal output: a code frame, the way of the event step by step, what it costs, how to mend it."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable

from hoplint.model.finding import Severity
from hoplint.model.report import Report, Reported

WIDTH = 110
COLOURS = {
    "error": "1;31", "warning": "1;33", "info": "1;36", "dim": "2", "bold": "1", "fix": "32", "when": "35",
}  # fmt: skip

Style = Callable[[str, str], str]


def _plain(style: str, text: str) -> str:
    return text


def _coloured(style: str, text: str) -> str:
    return f"\x1b[{COLOURS[style]}m{text}\x1b[0m" if text else text


def printable(text: str) -> str:
    """Text without control characters, which a file of somebody else's could send to the terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char == "\t" or unicodedata.category(char)[0] != "C" else f"\\x{ord(char):02x}" for char in text
    )


def render(report: Report, *, colour: bool = False, undecided: bool = False, quiet: bool = False) -> str:
    """Write a report for people."""
    style = _coloured if colour else _plain
    lines: list[str] = []
    for group in _alike(found for found in report.findings if found.suppressed is None):
        lines.extend(_finding(group, style))
        lines.append("")
    if undecided and report.undecided:
        lines.append(style("bold", "Not decided:"))
        for entry in report.undecided:
            where = f"{entry.place.path}:{entry.place.line}"
            lines.append(printable(f"  {entry.rule.code} {entry.address}: {entry.why} ({where})"))
        lines.append("")
    if not quiet:
        for note in report.notes:
            where = f"{note.path}{f':{note.line}' if note.line else ''}: " if note.path else ""
            lines.append(style("dim", printable(f"note: {where}{note.message}")))
        lines.append(_summary(report, style))
    return "\n".join(lines) + ("\n" if lines else "")


def _alike(findings: Iterable[Reported]) -> list[list[Reported]]:
    """Instances with the same rule, place and message are told once."""
    groups: dict[tuple[object, ...], list[Reported]] = {}
    for found in findings:
        key = (found.rule.code, found.place.key(), found.finding.message, found.when)
        groups.setdefault(key, []).append(found)
    return list(groups.values())


def _finding(group: list[Reported], style: Style) -> list[str]:
    found = group[0]
    place = found.place
    level = str(found.severity)
    where = f"{place.path}:{place.line}:{place.column}"
    lines = [
        f"{style('bold', printable(where))}  {style(level, level)} "
        f"{style('bold', f'{found.rule.code} {found.rule.id}')}"
    ]
    subject = f"{found.address}: " if found.address else ""
    more = f" (and {len(group) - 1} more like it)" if len(group) > 1 else ""
    lines.extend(_wrapped(f"{subject}{found.finding.message}{more}", "  "))
    lines.append("")
    lines.extend(_frame(found, style))
    if found.trail:
        lines.append("")
        for step in found.trail:
            spot = f"{step.place.path}:{step.place.line}"
            lines.append(
                f"  {style('dim', '→')} {printable(f'{step.address}  {step.label}')}  {style('dim', printable(spot))}"
            )
    lines.append("")
    facts: list[tuple[str, str, str]] = []
    if found.set_at:
        facts.append(("given to", f"{found.address} at {found.set_at.path}:{found.set_at.line}", "dim"))
    if found.when:
        facts.append(("when", found.when, "when"))
    if found.construct:
        made = f", at {found.creation.path}:{found.creation.line}" if found.creation else ""
        facts.append(("made by", f"{found.construct}{made}", "dim"))
    if found.finding.confidence != "high":
        facts.append(("sure", f"{found.finding.confidence} confidence: something outside may supply it", "dim"))
    page = found.rule.page()
    facts.append(("costs", section(page, "Why it matters"), "bold"))
    fix = found.finding.fix
    facts.append(("fix", fix.title if fix else section(page, "How to fix"), "fix"))
    for name, text, kind in facts:
        if text:
            wrapped = _wrapped(text, "  " + " " * 9, first=f"  {name:<8} ")
            lines.append(wrapped[0].replace(name, style(kind, name), 1))
            lines.extend(wrapped[1:])
    if fix and fix.text:
        lines.extend(style("fix", f"           {printable(line)}") for line in fix.text.splitlines())
    return lines


def section(page: str, title: str) -> str:
    """The first paragraph of a section of a rule's page, on one line."""
    _, _, rest = page.partition(f"## {title}\n")
    return " ".join(rest.strip().split("\n\n")[0].split()) if rest else ""


def help_links(page: str) -> list[str]:
    """The addresses under a rule's references."""
    return re.findall(r"https://\S+", page.partition("## References\n")[2])


def _wrapped(text: str, indent: str, first: str | None = None) -> list[str]:
    return textwrap.wrap(
        printable(text), WIDTH, initial_indent=first if first is not None else indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    ) or [first or indent]  # fmt: skip


def _frame(found: Reported, style: Style) -> list[str]:
    """The lines around the primary place, with the place underlined."""
    place, source = found.place, found.source
    if not source.data or b"\0" in source.data[:8192]:
        # Nothing to read in a binary file.
        return []
    width = len(str(place.line + 1))
    lines: list[str] = []
    for number in (place.line - 1, place.line, place.line + 1):
        text = source.line_text(number)
        if number < 1 or number > len(source.starts) or (number != place.line and not text.strip()):
            continue
        if place.column > WIDTH - 30:
            # A window around the place, in a line that is longer than the terminal.
            start = place.column - 30
            text = "…" + text[start:]
        else:
            start = 0
        shown = printable(text.replace("\t", "    "))
        cut = shown if len(shown) <= WIDTH else shown[: WIDTH - 1] + "…"
        lines.append(f"  {style('dim', f'{number:>{width}} │')} {cut}")
        if number == place.line:
            shift = start - 1 if start else 0
            at = place.column - 1 - shift
            before = printable(text[:at].replace("\t", "    "))
            end = place.end_column - 1 - shift if place.end_line == place.line else len(text)
            marked = printable(text[at:end].replace("\t", "    "))
            room = max(1, min(_columns(marked), WIDTH - _columns(before)))
            if _columns(before) < WIDTH:
                mark = style(
                    str(found.severity),
                    "^" * room + (f" {printable(found.finding.primary.label)}" if found.finding.primary.label else ""),
                )
                lines.append(f"  {style('dim', ' ' * width + ' │')} {' ' * _columns(before)}{mark}")
    return lines


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _summary(report: Report, style: Style) -> str:
    counts = [(severity, report.count(severity)) for severity in Severity]
    told = [style(str(s), f"{n} {s}{'s' if n != 1 and s is not Severity.INFO else ''}") for s, n in counts if n]
    suppressed = sum(1 for found in report.findings if found.suppressed is not None)
    tail = [
        f"{report.stacks} {'stack' if report.stacks == 1 else 'stacks'}",
        f"{report.resources} resources",
        f"{report.hops} hops",
    ]
    if suppressed:
        tail.append(f"{suppressed} suppressed")
    if report.undecided:
        tail.append(f"{len(report.undecided)} not decided (--undecided lists them)")
    return f"{', '.join(told) if told else 'no findings'} in {', '.join(tail)}"
