"""`.gitignore`, read as git reads it, without asking git."""

from __future__ import annotations

import re

from hoplint.readers.tree import Tree, join


class _Pattern:
    __slots__ = ("expression", "negated", "folders_only")

    def __init__(self, expression: re.Pattern[str], negated: bool, folders_only: bool) -> None:
        self.expression = expression
        self.negated = negated
        self.folders_only = folders_only


class Ignored:
    """Which paths of a tree its `.gitignore` files hide."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._patterns: dict[str, list[_Pattern]] = {}

    def hides(self, path: str, folder: bool) -> bool:
        """Whether a path is hidden by the `.gitignore` of its folder or of one above it; the last match counts."""
        hidden = False
        parts = path.split("/")
        for depth in range(len(parts)):
            base = "/".join(parts[:depth])
            rest = "/".join(parts[depth:])
            for pattern in self._of(base):
                if (folder or not pattern.folders_only) and pattern.expression.fullmatch(rest):
                    hidden = not pattern.negated
        return hidden

    def _of(self, folder: str) -> list[_Pattern]:
        found = self._patterns.get(folder)
        if found is None:
            found = self._patterns[folder] = []
            if ".gitignore" in self.tree.list(folder):
                data = self.tree.read(join(folder, ".gitignore")) or b""
                for line in data.decode("utf-8", "replace").splitlines():
                    pattern = _compile(line)
                    if pattern is not None:
                        found.append(pattern)
        return found


def _compile(line: str) -> _Pattern | None:
    text = re.sub(r"(?<!\\)\s+$", "", line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[1:] if negated else text
    text = text[1:] if text.startswith("\\") else text
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if not text:
        return None
    expression = ""
    position = 0
    for match in re.finditer(r"\*\*/|/\*\*$|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\\.", text):
        expression += re.escape(text[position : match.start()])
        piece = match[0]
        if piece == "**/":
            expression += "(?:.*/)?"
        elif piece == "/**":
            expression += "/.*"
        elif piece in ("*", "**"):
            expression += "[^/]*"
        elif piece == "?":
            expression += "[^/]"
        elif piece.startswith("\\"):
            expression += re.escape(piece[1:])
        else:
            expression += "[" + ("^" if piece[1] in "!^" else "") + piece[1:-1].lstrip("!^").replace("\\", "\\\\") + "]"
        position = match.end()
    expression += re.escape(text[position:])
    try:
        compiled = re.compile(expression if anchored else f"(?:.*/)?{expression}")
    except re.error:
        return None
    return _Pattern(compiled, negated, folders_only)
