"""A position in a text of Terraform's language: spaces, names, and what to say where something else is expected."""

from __future__ import annotations

import re

DEEPEST = 100

WORD = rb"[A-Za-z_][A-Za-z0-9_-]*+(?![\x80-\xff])"
PLAIN = rb'"[^"\\$%\r\n]*+"'

_blank = re.compile(rb"[ \t]*+(?:/\*[\s\S]*?\*/[ \t]*+)*+").match
_gap = re.compile(rb"(?:[ \t\n]++|\r\n|(?:#|//)[^\n]*+|/\*[\s\S]*?\*/)*+").match
line_end = re.compile(rb"[ \t]*+(?:/\*[\s\S]*?\*/[ \t]*+)*+(?:(?:#|//)[^\n]*+)?(?:\r?\n|\Z)").match
_word = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff-]*+").match
_MAY_BE_SKIPPED = frozenset((b" ", b"\t", b"\r", b"\n", b"#", b"/", b""))


class ParseError(ValueError):
    """The text is not Terraform's language: `message` says what is wrong and what to do, the offsets where."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class Scanner:
    """A position in a text, and what can be said of it."""

    __slots__ = ("data", "at", "newlines", "depth")

    def __init__(self, data: bytes, at: int = 0, newlines: bool = True) -> None:
        self.data = data
        self.at = at
        self.newlines = newlines
        self.depth = 0

    def skip(self) -> None:
        """Pass over what may stand between two tokens here."""
        if self.data[self.at : self.at + 1] in _MAY_BE_SKIPPED:
            found = _blank(self.data, self.at) if self.newlines else _gap(self.data, self.at)
            assert found is not None
            self.at = found.end()

    def peek(self) -> bytes:
        """The next byte that means something; empty at the end."""
        char = self.data[self.at : self.at + 1]
        if char in _MAY_BE_SKIPPED:
            found = _blank(self.data, self.at) if self.newlines else _gap(self.data, self.at)
            assert found is not None
            self.at = found.end()
            return self.data[self.at : self.at + 1]
        return char

    def at_line_end(self) -> bool:
        """Whether nothing but a comment stands between here and the end of the line."""
        return line_end(self.data, self.at) is not None

    def word(self) -> str | None:
        """Read a name, if one stands here."""
        found = _word(self.data, self.at)
        if found is None:
            return None
        raw = found.group()
        if raw.isascii():
            self.at = found.end()
            return raw.decode("ascii")
        text = raw.decode("utf-8", "replace")
        good = 0
        for good, char in enumerate(text, 1):
            if not (char == "-" and good > 1) and not (text[:1] if good == 1 else f"a{char}").isidentifier():
                good -= 1
                break
        if not good:
            return None
        self.at += len(text[:good].encode())
        return text[:good]

    def fail(self, message: str, start: int | None = None, end: int | None = None) -> ParseError:
        """The error to raise for what stands here, or in a range."""
        first = self.at if start is None else start
        return ParseError(message, first, end if end is not None else min(first + 1, len(self.data)))

    def unexpected(self, wanted: str) -> ParseError:
        """The error for a character that cannot stand here."""
        if self.at >= len(self.data):
            return self.fail(f"the file ends where {wanted} is expected")
        if self.newlines and self.at_line_end():
            return self.fail(f"the line ends where {wanted} is expected")
        char = self.data[self.at : self.at + 4].decode("utf-8", "ignore")[:1]
        if char == "'":
            return self.fail('single quotes do not enclose strings: use double quotes (")')
        if char == "`":
            return self.fail("backticks do not enclose strings: use double quotes, or <<EOT for several lines")
        if char == ";":
            return self.fail('";" separates nothing here: end the line instead, or use a comma between items')
        if char in "“”":
            return self.fail('curly quotes do not enclose strings: use straight double quotes (")')
        if char in "&|":
            return self.fail(f'"{char}" is no operator: use "{char}{char}"')
        if char == "\r":
            return self.fail("a carriage return stands alone here: end lines with LF or CR LF")
        return self.fail(f'{wanted} is expected before "{char}"')

    def enter(self) -> None:
        """Go one level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail(f"nested too deeply to be read: more than {DEEPEST} levels")

    def keyword(self, word: bytes) -> bool:
        """Whether this word stands here."""
        found = _word(self.data, self.at)
        return found is not None and found.group() == word


def normal(text: str) -> str:
    """A string as Terraform keeps it: in Unicode's composed form."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def text_of(raw: bytes) -> str:
    """The string that bytes without escapes stand for."""
    return normal(raw.decode("utf-8", "replace"))
