#!/usr/bin/env python3
"""Draw the real terminal output on the broken pipeline as docs/terminal.svg.

Run it from the project's root: `python docs/picture.py`. It asks the reporter for colours, as on a terminal.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from hoplint.report import text
from hoplint.run import Request, run

ROOT = Path(__file__).resolve().parents[1]
PIPELINE = ROOT / "fixtures/_stacks/order-pipeline-broken/terraform"
SHOWN = ("HOP101", "HOP301")
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "35": "#d2a8ff", "36": "#79c0ff"}
SIZE, LINE, ADVANCE, EDGE = 13, 18, 7.85, 18


def spans(line: str) -> str:
    """A line with escape sequences as SVG text spans."""
    made: list[str] = []
    style: dict[str, str] = {}
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            for code in piece[2:-1].split(";"):
                if code == "0":
                    style = {}
                elif code == "1":
                    style["font-weight"] = "bold"
                elif code == "2":
                    style["fill"] = "#8b949e"
                elif code in COLOURS:
                    style["fill"] = COLOURS[code]
        elif piece:
            attributes = "".join(f' {name}="{value}"' for name, value in style.items())
            made.append(f"<tspan{attributes}>{escape(piece)}</tspan>")
    return "".join(made)


def main() -> None:
    """Write the picture."""
    outcome = run(Request([str(PIPELINE)], select=list(SHOWN), working=str(PIPELINE)))
    command = f"\x1b[1m$ hoplint check --select {','.join(SHOWN)}\x1b[0m"
    lines = [command, "", *text.render(outcome.report, colour=True).rstrip("\n").split("\n")]
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    width = int(max(map(len, plain)) * ADVANCE) + 2 * EDGE
    height = len(lines) * LINE + 2 * EDGE
    rows = "\n".join(
        f'<text x="{EDGE}" y="{EDGE + LINE * (number + 0.75):g}" xml:space="preserve">{spans(line)}</text>'
        for number, line in enumerate(lines)
    )
    (ROOT / "docs/terminal.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="terminal output of hoplint check">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
        f'<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" '
        f'font-size="{SIZE}" fill="#e6edf3">\n{rows}\n</g>\n</svg>\n',
        "utf-8",
    )


if __name__ == "__main__":
    main()
