"""Strings, heredocs and template files: literal text with interpolations and directives in it.

Escapes, strip markers and the indentation of `<<-` work on the pieces of literal text as Terraform cuts them: one a
line, at least.
"""

from __future__ import annotations

import re

from hoplint.readers.hcl_scanner import PLAIN, ParseError, Scanner, normal, text_of
from hoplint.readers.syntax import Literal, Node, Template, TemplateFor, TemplateIf

_plain = re.compile(PLAIN).match
_quoted_run = re.compile(rb'(?:[^"\\$%\r\n]++|\\[^\r\n]|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+').match
_heredoc_run = re.compile(rb"(?:[^$%\r\n]++|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+").match
_bare_run = re.compile(rb"(?:[^$%\n]++|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+").match
_heredoc_start = re.compile(rb"<<(-?)([A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff-]*+)(\r?\n)").match
_escape = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([$%])\4\{", re.DOTALL)
_doubled = re.compile(r"([$%])\1\{")

_SIMPLE_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


class _Directive:
    """A directive as it stands in the flat sequence of a template's pieces."""

    __slots__ = ("kind", "start", "end", "key", "item", "expression")

    def __init__(
        self, kind: str, start: int, end: int, expression: Node | None = None, key: str | None = None, item: str = ""
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.expression = expression
        self.key = key
        self.item = item


_Piece = str | Node | _Directive


class Templates(Scanner):
    """The rules that read templates."""

    __slots__ = ()

    def expression(self) -> Node:
        """Read an expression."""
        raise NotImplementedError

    def loop(self, what: str) -> tuple[str | None, str, Node]:
        """Read the variables and the collection of a "for"."""
        self.skip()
        key: str | None = None
        item = self.word()
        if item is None:
            raise self.unexpected(f"the name of a variable after {what}")
        if self.peek() == b",":
            self.at += 1
            self.skip()
            key = item
            item = self.word()
            if item is None:
                raise self.unexpected("a second variable after the comma")
            self.skip()
        if not self.keyword(b"in"):
            raise self.unexpected(f'"in" after the variables of {what}')
        self.at += 2
        return key, item, self.expression()

    def quoted(self) -> Node:
        """Read a string in quotes."""
        plain = _plain(self.data, self.at)
        if plain is not None:
            start, self.at = self.at, plain.end()
            return Literal(text_of(plain.group()[1:-1]), start, self.at)
        return self._quoted_template()

    def label(self) -> str:
        """Read a string in quotes that can hold no interpolation."""
        node = self.quoted()
        if not isinstance(node, Literal):
            raise self.fail("a block's label is a plain string: nothing can be interpolated", node.start, node.end)
        return str(node.data)

    def _quoted_template(self) -> Node:
        start = self.at
        self.at += 1
        pieces: list[_Piece] = []
        data = self.data
        trim = False
        while True:
            found = _quoted_run(data, self.at)
            assert found is not None
            if found.end() > self.at:
                text = self._unescape(found.group().decode("utf-8", "replace"), self.at)
                pieces.append(text.lstrip() if trim else text)
                self.at = found.end()
            trim = False
            char = data[self.at : self.at + 1]
            if char == b'"':
                self.at += 1
                return self._assemble(pieces, start, self.at)
            if char == b"$" or char == b"%":
                trim = self._sequence(pieces, start)
            elif not char:
                raise self.fail('this string is never closed: a quote (") is missing', start, start + 1)
            else:
                raise self.fail(
                    'a string in quotes ends on its own line: close it with a quote ("), '
                    "write \\n for a line end, or use <<EOT for several lines",
                    start, self.at,
                )  # fmt: skip

    def _unescape(self, text: str, offset: int) -> str:
        if "\\" not in text and "{" not in text:
            return text

        def one(found: re.Match[str]) -> str:
            short, long, other, doubled = found.groups()
            if doubled:
                return doubled + "{"
            if other is not None:
                plain = _SIMPLE_ESCAPES.get(other)
                if plain is not None:
                    return plain
                advice = 'after "\\u" four hexadecimal digits are expected, after "\\U" eight'
                if other not in "uU":
                    advice = "write \\\\ for a backslash"
                raise self._bad_escape(text, offset, found, advice)
            code = int(short or long, 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                raise self._bad_escape(text, offset, found, f"U+{code:04X} is no character")
            return chr(code)

        return _escape.sub(one, text)

    def _bad_escape(self, text: str, offset: int, found: re.Match[str], advice: str) -> ParseError:
        start = offset + len(text[: found.start()].encode())
        return self.fail(f'"{found.group()[:2]}" is no escape sequence: {advice}', start, start + 2)

    def heredoc(self) -> Node:
        """Read a text of several lines."""
        start = self.at
        found = _heredoc_start(self.data, start)
        if found is None:
            raise self.fail('"<<" starts a text of several lines: its marker (<<EOT) ends the line', start, start + 2)
        marker = found.group(2)
        self.at = found.start(2)
        if self.word() is None or self.at != found.end(2):
            raise self.unexpected("the marker of the text")
        self.at = found.end()
        pieces = self._lines(marker, start)
        if found.group(1):
            _strip_indentation(pieces)
        return self._assemble(pieces, start, self.at)

    def _lines(self, marker: bytes | None, start: int) -> list[_Piece]:
        """The pieces of a heredoc up to its marker, or of a template file up to its end; one a line, at least."""
        data = self.data
        run = _heredoc_run if marker is not None else _bare_run
        pieces: list[_Piece] = []
        fresh = True
        trim = False
        while True:
            found = run(data, self.at)
            assert found is not None
            end = found.end()
            char = data[end : end + 1]
            if char == b"\r" and data[end + 1 : end + 2] == b"\n":
                end += 1
                char = b"\n"
            if char == b"\n":
                end += 1
                raw = data[self.at : end]
                if fresh and marker is not None and raw.decode("utf-8", "replace").strip() == marker.decode():
                    self.at += raw.rindex(marker) + len(marker)
                    return pieces
                fresh = True
            elif not char:
                if marker is not None:
                    raise self.fail(
                        f"this text is never closed: a line that holds only {marker.decode()} is missing",
                        start, start + 2 + len(marker),
                    )  # fmt: skip
                fresh = False
            elif char == b"\r":
                self.at = end
                raise self.unexpected("the end of the line")
            else:
                fresh = False
            if end > self.at:
                text = _doubled.sub(r"\1{", data[self.at : end].decode("utf-8", "replace"))
                pieces.append(text.lstrip() if trim else text)
                trim = False
                self.at = end
            if not char:
                return pieces
            if char != b"\n":
                trim = self._sequence(pieces, start)

    def _sequence(self, pieces: list[_Piece], template: int) -> bool:
        """Read `${…}` or `%{…}`; says whether the white space that follows is to be stripped."""
        start = self.at
        directive = self.data[start : start + 1] == b"%"
        self.at += 2
        if self.data[self.at : self.at + 1] == b"~":
            self.at += 1
            if pieces and isinstance(pieces[-1], str):
                pieces[-1] = pieces[-1].rstrip()
        outer, self.newlines = self.newlines, False
        self.enter()
        piece: _Piece = self._directive(start) if directive else self.expression()
        self.depth -= 1
        char = self.peek()
        strip = char == b"~"
        if strip:
            self.at += 1
            char = self.data[self.at : self.at + 1]
        if char != b"}":
            opening = self.data[start : start + 2].decode()
            raise self.fail(
                f'"{opening}" is not closed here: "}}" is expected; write {opening[0]}{opening} where the text itself '
                f'is to hold "{opening}"',
                start, min(self.at + 1, len(self.data)),
            )  # fmt: skip
        self.at += 1
        self.newlines = outer
        if isinstance(piece, _Directive):
            piece.end = self.at
        pieces.append(piece)
        return strip

    def _directive(self, start: int) -> _Directive:
        self.skip()
        word = self.word()
        if word == "if":
            return _Directive("if", start, 0, self.expression())
        if word == "for":
            key, item, collection = self.loop('"%{ for"')
            return _Directive("for", start, 0, collection, key, item)
        if word in ("else", "endif", "endfor"):
            return _Directive(word, start, 0)
        raise self.fail(
            'after "%{" stands if, else, endif, for or endfor; write %%{ where the text itself is to hold "%{"',
            start, self.at + 1,
        )  # fmt: skip

    def template(self) -> Node:
        """Read the whole text as a template file."""
        pieces = self._lines(None, self.at)
        return self._assemble(pieces, 0, len(self.data))

    def _assemble(self, pieces: list[_Piece], start: int, end: int) -> Node:
        if len(pieces) == 1 and isinstance(pieces[0], Node):
            return Template([pieces[0]], True, start, end)
        parts, rest = self._nest(pieces, 0, None)
        assert rest == len(pieces)
        if all(isinstance(part, str) for part in parts):
            return Literal(normal("".join(part for part in parts if isinstance(part, str))), start, end)
        return Template(parts, False, start, end)

    def _nest(self, pieces: list[_Piece], at: int, within: _Directive | None) -> tuple[list[str | Node], int]:
        """Bring the flat pieces into the shape of their directives, up to the one that ends `within`."""
        parts: list[str | Node] = []
        while at < len(pieces):
            piece = pieces[at]
            if isinstance(piece, _Directive):
                if piece.kind not in ("if", "for"):
                    if within is None:
                        raise self.fail(f"this {piece.kind} ends nothing", piece.start, piece.end)
                    return parts, at
                node, at = self._block(pieces, at, piece)
                parts.append(node)
                continue
            if isinstance(piece, str):
                end = at
                while end < len(pieces) and isinstance(pieces[end], str):
                    end += 1
                text = "".join(part for part in pieces[at:end] if isinstance(part, str))
                if text:
                    parts.append(normal(text))
                at = end
                continue
            parts.append(piece)
            at += 1
        if within is not None:
            raise self.fail(f"this {within.kind} lacks its end{within.kind}", within.start, within.end)
        return parts, at

    def _block(self, pieces: list[_Piece], at: int, opening: _Directive) -> tuple[Node, int]:
        self.enter()
        assert opening.expression is not None
        body, at = self._nest(pieces, at + 1, opening)
        closing = pieces[at]
        assert isinstance(closing, _Directive)
        otherwise: list[str | Node] = []
        if closing.kind == "else" and opening.kind == "if":
            otherwise, at = self._nest(pieces, at + 1, opening)
            closing = pieces[at]
            assert isinstance(closing, _Directive)
        if closing.kind != "end" + opening.kind:
            raise self.fail(f"end{opening.kind} is expected before this {closing.kind}", closing.start, closing.end)
        self.depth -= 1
        start, end = opening.start, closing.end
        if opening.kind == "if":
            return TemplateIf(opening.expression, body, otherwise, start, end), at + 1
        return TemplateFor(opening.key, opening.item, opening.expression, body, start, end), at + 1


def _strip_indentation(pieces: list[_Piece]) -> None:
    """Take the indentation that all lines share from the literal starts of lines, as `<<-` does."""
    least: int | None = None
    starts: list[int] = []
    fresh = True
    for number, piece in enumerate(pieces):
        if fresh:
            fresh = False
            indent: int | None = 0
            if isinstance(piece, str):
                rest = piece.lstrip()
                if not rest and piece.endswith("\n"):
                    indent = None
                else:
                    indent = len(piece) - len(rest)
                    starts.append(number)
            if indent is not None and (least is None or indent < least):
                least = indent
        if isinstance(piece, str) and piece.endswith("\n"):
            fresh = True
    for number in starts:
        piece = pieces[number]
        assert isinstance(piece, str)
        pieces[number] = piece[least:]
