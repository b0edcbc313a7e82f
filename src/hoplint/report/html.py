"""One HTML file without network: findings by stack, code frames, search and filter, dark and light."""

from __future__ import annotations

from html import escape

from hoplint import __version__
from hoplint.model.finding import Severity
from hoplint.model.place import Place, Source
from hoplint.model.report import Report, Reported
from hoplint.report.text import help_links, printable, section

AROUND = 2
LONGEST = 400

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --code: #f6f8fa;
  --error: #cf222e; --warning: #9a6700; --info: #0969da; --mark: #fff8c5; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --soft: #9198a1; --line: #3d444d;
  --code: #151b23; --error: #ff7b72; --warning: #d29922; --info: #79c0ff; --mark: #3b2e05; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 1080px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 20px; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 28px 0 8px; overflow-wrap: anywhere; }
.soft { color: var(--soft); } .error { color: var(--error); } .warning { color: var(--warning); }
.info { color: var(--info); }
.bar { position: sticky; top: 0; background: var(--back); padding: 10px 0; display: flex; flex-wrap: wrap; gap: 8px;
  border-bottom: 1px solid var(--line); z-index: 1; }
input[type=search], select { font: inherit; color: inherit; background: var(--code); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 8px; min-width: 0; } input[type=search] { flex: 1 1 200px; }
label { display: inline-flex; align-items: center; gap: 4px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; }
summary { cursor: pointer; padding: 8px 12px; overflow-wrap: anywhere; } summary b { margin-right: 6px; }
.body { padding: 0 12px 12px; overflow-wrap: anywhere; }
.body p { margin: 8px 0; }
pre { background: var(--code); border-radius: 6px; padding: 8px 0; overflow-x: auto; margin: 8px 0;
  font: 13px/1.45 ui-monospace, monospace; } pre span { display: block; padding: 0 10px; white-space: pre; }
pre .hit { background: var(--mark); }
code { font: 13px ui-monospace, monospace; background: var(--code); padding: 1px 4px;
  border-radius: 4px; } ol { padding-left: 22px; margin: 8px 0; } dt { font-weight: 600; } dd { margin: 0 0 6px; }
[hidden] { display: none !important; }
"""

SCRIPT = """
const find = document.getElementById('find'), rule = document.getElementById('rule');
const boxes = [...document.querySelectorAll('input[type=checkbox]')], shown = document.getElementById('shown');
function filter() {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const levels = new Set(boxes.filter(b => b.checked).map(b => b.value));
  let count = 0;
  for (const part of document.querySelectorAll('section')) {
    let any = false;
    for (const one of part.querySelectorAll('details')) {
      const text = one.textContent.toLowerCase();
      const fits = levels.has(one.dataset.level) && (!rule.value || one.dataset.rule === rule.value)
        && words.every(w => text.includes(w));
      one.hidden = !fits; any = any || fits; count += fits;
    }
    part.hidden = !any;
  }
  shown.textContent = count + ' shown';
}
[find, rule, ...boxes].forEach(e => e.addEventListener('input', filter));
filter();
"""


def render(report: Report) -> str:
    """Write a report as an HTML page."""
    stacks: dict[str, list[Reported]] = {}
    rules: dict[str, str] = {}
    for found in report.findings:
        stacks.setdefault(found.stack or "input", []).append(found)
        rules.setdefault(found.rule.code, found.rule.id)
    counts = " ".join(
        f'<span class="{level}">{report.count(level)} {level}</span>' for level in Severity if report.count(level)
    )
    suppressed = sum(1 for found in report.findings if found.suppressed is not None)
    facts = f"{report.stacks} stacks, {report.resources} resources, {report.hops} hops"
    facts += f", {suppressed} suppressed" if suppressed else ""
    facts += f", {len(report.undecided)} not decided" if report.undecided else ""
    boxes = "".join(
        f'<label><input type="checkbox" value="{level}" checked> <span class="{level}">{level}</span></label>'
        for level in (*Severity, "suppressed")
    )
    options = "".join(f'<option value="{code}">{code} {escape(name)}</option>' for code, name in sorted(rules.items()))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>hoplint: {len(report.findings)} findings</title><style>{STYLE}</style></head><body>",
        f'<header><h1>hoplint</h1><div>{counts or "no findings"} <span class="soft">in {facts}, version {__version__}'
        "</span></div></header><main>",
        f'<div class="bar"><input type="search" id="find" placeholder="Search findings" aria-label="Search findings">'
        f'<select id="rule" aria-label="Rule"><option value="">all rules</option>{options}</select>{boxes}'
        '<span class="soft" id="shown"></span></div>',
    ]
    for stack, findings in stacks.items():
        parts.append(f"<section><h2>{escape(printable(stack))}</h2>")
        parts.extend(_finding(found, is_open=len(report.findings) <= 20) for found in findings)
        parts.append("</section>")
    if report.undecided:
        parts.append("<h2>Not decided</h2><ul>")
        parts.extend(
            f"<li>{entry.rule.code} <code>{_text(entry.address)}</code> {_text(entry.why)} "
            f'<span class="soft">{_text(entry.place.path)}:{entry.place.line}</span></li>'
            for entry in report.undecided
        )
        parts.append("</ul>")
    for note in report.notes:
        parts.append(f'<p class="soft">note: {_text(note.path)} {_text(note.message)}</p>')
    parts.append(f"</main><script>{SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    return escape(printable(text))


def _finding(found: Reported, is_open: bool) -> str:
    level = "suppressed" if found.suppressed is not None else str(found.severity)
    where = f"{found.place.path}:{found.place.line}"
    page = found.rule.page()
    fix = found.finding.fix
    rows = []
    if found.suppressed is not None:
        rows.append(("Ignored", _text(found.suppressed)))
    if found.when:
        rows.append(("When", _text(found.when)))
    if found.construct:
        rows.append(("Construct", f"<code>{_text(found.construct)}</code>"))
    rows.append(("Costs", _text(section(page, "Why it matters"))))
    rows.append(("Fix", _text(fix.title if fix else section(page, "How to fix"))))
    if fix and fix.text:
        rows.append(("", f"<pre><span>{_text(fix.text).replace(chr(10), '</span><span>')}</span></pre>"))
    links = "".join(f' <a href="{escape(link)}">reference</a>' for link in help_links(page)[:1])
    steps = "".join(
        f'<li><code>{_text(step.address)}</code> {_text(step.label)} <span class="soft">{_text(step.place.path)}:'
        f"{step.place.line}</span>{_frame(step.source, step.place)}</li>"
        for step in found.trail
    )
    body = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows)
    return (
        f'<details data-level="{level}" data-rule="{found.rule.code}"{" open" if is_open else ""}>'
        f'<summary><b class="{found.severity}">{found.rule.code}</b>{escape(found.rule.id)} '
        f'<code>{_text(found.address or where)}</code></summary><div class="body">'
        f'<p>{_text(found.finding.message)} <span class="soft">{_text(where)}</span>{links}</p>'
        f"{_frame(found.source, found.place)}{f'<ol>{steps}</ol>' if steps else ''}<dl>{body}</dl></div></details>"
    )


def _frame(source: Source, place: Place) -> str:
    """The lines around a place; nothing for a file that is no text."""
    if not source.data or b"\0" in source.data[:8192]:
        return ""
    last = min(max(place.line, min(place.end_line, place.line + 6)) + AROUND, len(source.starts))
    rows = []
    for number in range(max(1, place.line - AROUND), last + 1):
        hit = ' class="hit"' if place.line <= number <= max(place.line, place.end_line) else ""
        rows.append(f"<span{hit}>{number:>5}  {_text(source.line_text(number)[:LONGEST])}</span>")
    return f"<pre>{''.join(rows)}</pre>"
