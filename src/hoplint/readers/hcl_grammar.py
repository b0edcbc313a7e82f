"""Terraform's expressions, from text to nodes: an own parser that takes and refuses what Terraform's does.

It works on bytes, so that offsets are those of the source. Line ends matter between the items of a body or an object
and nowhere inside brackets and interpolations; `newlines` says which holds.
"""

from __future__ import annotations

import re
from fractions import Fraction

from hoplint.readers.syntax import (
    Binary,
    Call,
    Conditional,
    For,
    GetAttr,
    Index,
    Literal,
    Name,
    Node,
    Object,
    Splat,
    SplatItem,
    Template,
    TemplateFor,
    TemplateIf,
    Tuple,
    Unary,
)

DEEPEST = 100
LONGEST_CHAIN = 200
LARGEST_EXPONENT = 5000

WORD = rb"[A-Za-z_][A-Za-z0-9_-]*+(?![\x80-\xff])"
PLAIN = rb'"[^"\\$%\r\n]*+"'

_blank = re.compile(rb"[ \t]*+(?:/\*[\s\S]*?\*/[ \t]*+)*+").match
_gap = re.compile(rb"(?:[ \t\n]++|\r\n|(?:#|//)[^\n]*+|/\*[\s\S]*?\*/)*+").match
line_end = re.compile(rb"[ \t]*+(?:/\*[\s\S]*?\*/[ \t]*+)*+(?:(?:#|//)[^\n]*+)?(?:\r?\n|\Z)").match
_word = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff-]*+").match
_number = re.compile(rb"[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?").match
_decimal = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?").fullmatch
_operator = re.compile(rb"\|\||&&|==|!=|>=|<=|[<>+*%-]|/(?!/)").match
_plain = re.compile(PLAIN).match

# A term that ends where its line or its item does is read without looking for operators.
_TERM = rb'(?:"([^"\\$%\r\n]*+)"|([0-9]++)(?![\w.])|(' + WORD + rb"(?:\." + WORD + rb")*+))"
_plain_key = re.compile(rb'(?:"([^"\\$%\r\n]*+)"|(' + WORD + rb"))(?=[ \t]*+(?:=(?![=>])|:(?!:)))").match
_quick_in_line = re.compile(_TERM + rb"(?=[ \t]*+(?:[,\n}#]|\r\n|//|\Z))").match
_quick_in_brackets = re.compile(_TERM + rb"(?=[ \t\r\n]*+[,)\]}])").match

_quoted_run = re.compile(rb'(?:[^"\\$%\r\n]++|\\[^\r\n]|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+').match
_heredoc_run = re.compile(rb"(?:[^$%\r\n]++|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+").match
_bare_run = re.compile(rb"(?:[^$%\n]++|\$\$\{|%%\{|\$(?!\{)|%(?!\{))*+").match
_heredoc_start = re.compile(rb"<<(-?)([A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff-]*+)(\r?\n)").match
_escape = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([$%])\4\{", re.DOTALL)
_doubled = re.compile(r"([$%])\1\{")

_SIMPLE_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_BINDS = {
    b"||": 1, b"&&": 2, b"==": 3, b"!=": 3, b"<": 4, b">": 4, b"<=": 4, b">=": 4,
    b"+": 5, b"-": 5, b"*": 6, b"/": 6, b"%": 6,
}  # fmt: skip
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}
_OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}


class ParseError(ValueError):
    """The text is not Terraform's language: `message` says what is wrong and what to do, the offsets where."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


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


class Grammar:
    """A position in a text, and the rules that read expressions from there."""

    __slots__ = ("data", "at", "newlines", "depth", "ascii")

    def __init__(self, data: bytes, at: int = 0, newlines: bool = True) -> None:
        self.data = data
        self.at = at
        self.newlines = newlines
        self.depth = 0
        self.ascii = data.isascii()

    # ---- words and spaces

    def skip(self) -> None:
        """Pass over what may stand between two tokens here."""
        found = _blank(self.data, self.at) if self.newlines else _gap(self.data, self.at)
        assert found is not None
        self.at = found.end()

    def peek(self) -> bytes:
        """The next byte that means something; empty at the end."""
        self.skip()
        return self.data[self.at : self.at + 1]

    def atline_end(self) -> bool:
        """Whether nothing but a comment stands between here and the end of the line."""
        return line_end(self.data, self.at) is not None

    def word(self) -> str | None:
        """Read a name, if one stands here."""
        found = _word(self.data, self.at)
        if found is None:
            return None
        raw = found.group()
        if self.ascii or raw.isascii():
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
        if self.newlines and self.atline_end():
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

    # ---- expressions

    def expression(self) -> Node:
        """Read an expression."""
        self.skip()
        quick = (_quick_in_line if self.newlines else _quick_in_brackets)(self.data, self.at)
        if quick is not None:
            self.at = quick.end()
            return term(quick)
        self.enter()
        test = self._operation()
        if self.peek() == b"?":
            self.at += 1
            then = self.expression()
            if self.peek() != b":" or self.data[self.at : self.at + 2] == b"::":
                raise self.unexpected('":" and the value for the other case')
            self.at += 1
            otherwise = self.expression()
            test = Conditional(test, then, otherwise, test.start, otherwise.end)
        self.depth -= 1
        return test

    def _operation(self) -> Node:
        first = self._operand()
        self.skip()
        found = _operator(self.data, self.at)
        if found is None:
            return first
        operands = [first]
        operators: list[bytes] = []
        for _ in range(LONGEST_CHAIN):
            operator = found.group()
            while operators and _BINDS[operators[-1]] >= _BINDS[operator]:
                _join(operands, operators)
            operators.append(operator)
            self.at = found.end()
            operands.append(self._operand())
            self.skip()
            found = _operator(self.data, self.at)
            if found is None:
                while operators:
                    _join(operands, operators)
                return operands[0]
        raise self.fail(f"nested too deeply to be read: more than {LONGEST_CHAIN} operators in a row")

    def _operand(self) -> Node:
        char = self.peek()
        if char == b"-" or char == b"!":
            start = self.at
            if self.data[start : start + 2] == b"!=":
                raise self.unexpected("a value")
            self.at += 1
            self.enter()
            operand = self._operand()
            self.depth -= 1
            return Unary(char.decode(), operand, start, operand.end)
        return self._traversals(self._term(char))

    def _term(self, char: bytes) -> Node:
        start = self.at
        if char == b'"':
            return self.quoted()
        if char == b"[":
            return self._tuple()
        if char == b"{":
            return self._object()
        if char == b"(":
            self.at += 1
            outer, self.newlines = self.newlines, False
            inner = self.expression()
            if self.peek() != b")":
                raise self._unclosed(start, b"(", "an operator")
            self.at += 1
            self.newlines = outer
            # Parentheses leave no node, but their range belongs to what they enclose.
            inner.start = start
            inner.end = self.at
            return inner
        if char.isdigit():
            return Literal(self._number(), start, self.at)
        name = self.word()
        if name is not None:
            end = self.at
            self.skip()
            following = self.data[self.at : self.at + 2]
            if following[:1] == b"(" or following == b"::":
                return self._call(name, start)
            self.at = end
            if name in _CONSTANTS:
                return Literal(_CONSTANTS[name], start, end)
            return Name(name, start, end)
        if self.data[start : start + 2] == b"<<":
            return self._heredoc()
        raise self.unexpected("a value")

    def _number(self) -> int | Fraction:
        found = _number(self.data, self.at)
        assert found is not None
        text = found.group().decode()
        good = _decimal(text)
        if good is None:
            raise self.fail(
                f"{text} is no number: write a range of addresses and the like as a string, in quotes",
                self.at, found.end(),
            )  # fmt: skip
        if good.group(1) and abs(int(good.group(1)[:8])) > LARGEST_EXPONENT:
            raise self.fail(f"{text} is too large or too small a number to be read", self.at, found.end())
        self.at = found.end()
        number = Fraction(text)
        return int(number) if number.denominator == 1 else number

    def _unclosed(self, start: int, bracket: bytes, or_else: str) -> ParseError:
        closing = _OPEN[bracket].decode()
        if self.at >= len(self.data):
            return self.fail(f'this "{bracket.decode()}" is never closed: a "{closing}" is missing', start, start + 1)
        return self.unexpected(f'{or_else} or "{closing}"')

    def _call(self, name: str, start: int) -> Node:
        while self.data[self.at : self.at + 2] == b"::":
            self.at += 2
            self.skip()
            further = self.word()
            if further is None:
                raise self.unexpected('the name of a function after "::"')
            name = f"{name}::{further}"
            self.skip()
        opening = self.at
        if self.data[opening : opening + 1] != b"(":
            raise self.unexpected(f'"(" and the arguments of {name}')
        self.at += 1
        outer, self.newlines = self.newlines, False
        args: list[Node] = []
        expand = False
        while self.peek() != b")":
            if self.at >= len(self.data):
                raise self._unclosed(opening, b"(", "an argument")
            args.append(self.expression())
            char = self.peek()
            if char == b",":
                self.at += 1
            elif char == b"." and self.data[self.at : self.at + 3] == b"...":
                self.at += 3
                expand = True
                if self.peek() != b")":
                    raise self.unexpected('")" after "..." (only the last argument can be expanded)')
            elif char != b")":
                raise self._unclosed(opening, b"(", "a comma")
        self.at += 1
        self.newlines = outer
        return Call(name, args, expand, start, self.at)

    def _traversals(self, base: Node) -> Node:
        steps = 0
        data = self.data
        while True:
            end = self.at
            char = self.peek()
            if char == b".":
                if data[self.at : self.at + 3] == b"...":
                    self.at = end
                    return base
                self.at += 1
                if self.peek() == b"*":
                    self.at += 1
                    each = self._attribute_splat(self.at)
                    base = Splat(base, each, base.start, self.at)
                else:
                    base = self._dotted(base)
            elif char == b"[":
                opening = self.at
                self.at += 1
                if self.peek() == b"*":
                    self.at += 1
                    if self.peek() != b"]":
                        raise self.unexpected('"]" after "[*"')
                    self.at += 1
                    self.enter()
                    each = self._traversals(SplatItem(opening, self.at))
                    self.depth -= 1
                    return Splat(base, each, base.start, self.at)
                outer, self.newlines = self.newlines, False
                key = self.expression()
                if self.peek() != b"]":
                    raise self._unclosed(opening, b"[", "an operator")
                self.at += 1
                self.newlines = outer
                base = Index(base, key, base.start, self.at)
            else:
                self.at = end
                return base
            steps += 1
            if steps > LONGEST_CHAIN:
                raise self.fail(f"nested too deeply to be read: more than {LONGEST_CHAIN} attributes in a row")

    def _dotted(self, base: Node) -> Node:
        start = self.at
        name = self.word()
        if name is not None:
            return GetAttr(base, name, base.start, self.at)
        if not self.data[start : start + 1].isdigit():
            raise self.unexpected('a name after "."')
        found = _number(self.data, start)
        assert found is not None
        if b"." in found.group():
            first, _, second = found.group().decode().partition(".")
            raise self.fail(
                f'".{first}.{second}" is read as one number: write [{first}][{second}]', start, found.end()
            )
        return Index(base, Literal(self._number(), start, self.at), base.start, self.at)

    def _attribute_splat(self, start: int) -> Node:
        each: Node = SplatItem(start, start)
        while True:
            end = self.at
            if self.peek() != b"." or self.data[self.at : self.at + 3] == b"...":
                self.at = end
                return each
            self.at += 1
            if self.peek() == b"*":
                raise self.fail('a ".*" cannot stand inside another: use [*]')
            each = self._dotted(each)

    # ---- lists, objects, for-expressions

    def _tuple(self) -> Node:
        start = self.at
        self.at += 1
        outer, self.newlines = self.newlines, False
        self.skip()
        if self._keyword(b"for"):
            node = self._for(start, b"[")
            self.newlines = outer
            return node
        items: list[Node] = []
        while self.peek() != b"]":
            if self.at >= len(self.data):
                raise self._unclosed(start, b"[", "an item")
            items.append(self.expression())
            char = self.peek()
            if char == b",":
                self.at += 1
            elif char != b"]":
                raise self._unclosed(start, b"[", "a comma")
        self.at += 1
        self.newlines = outer
        return Tuple(items, start, self.at)

    def _object(self) -> Node:
        start = self.at
        data = self.data
        self.at += 1
        outer, self.newlines = self.newlines, False
        inside = self.at
        self.skip()
        if self._keyword(b"for"):
            node = self._for(start, b"{")
            self.newlines = outer
            return node
        self.at = inside
        items: list[tuple[Node, Node]] = []
        while True:
            # Between items line ends and comments are passed over, inside them they end the item.
            self.newlines = False
            char = self.peek()
            self.newlines = True
            if char == b"}":
                break
            if not char:
                raise self._unclosed(start, b"{", "an item")
            found = _plain_key(data, self.at)
            if found is not None:
                key = _key_node(found)
                self.at = found.end()
            else:
                key = self._key(char)
            char = self.peek()
            if (char != b"=" and char != b":") or data[self.at : self.at + 2] in (b"==", b"=>", b"::"):
                if isinstance(key, Index | GetAttr):
                    raise self.fail(
                        '"=" and a value are expected after the key; a key with dots or spaces in it needs quotes'
                    )
                raise self._unclosed(start, b"{", '"=" and a value')
            self.at += 1
            items.append((key, self.expression()))
            char = self.peek()
            if char == b",":
                self.at += 1
            elif char != b"}" and not self.atline_end():
                raise self.unexpected("a comma or the end of the line")
        self.at += 1
        self.newlines = outer
        return Object(items, start, self.at)

    def _key(self, char: bytes) -> Node:
        key = self.expression()
        if char != b"(":
            if isinstance(key, Name):
                return Literal(key.name, key.start, key.end)
            if isinstance(key, Literal) and (key.data is None or isinstance(key.data, bool)):
                return Literal(self.data[key.start : key.end].decode(), key.start, key.end)
        return key

    def _keyword(self, word: bytes) -> bool:
        found = _word(self.data, self.at)
        return found is not None and found.group() == word

    def _for(self, start: int, opening: bytes) -> Node:
        self.enter()
        self.at += 3
        key, item, collection = self._loop('a "for"')
        if self.peek() != b":" or self.data[self.at : self.at + 2] == b"::":
            raise self.unexpected('":" after the collection of the "for"')
        self.at += 1
        result = self.expression()
        key_result: Node | None = None
        self.skip()
        if self.data[self.at : self.at + 2] == b"=>":
            if opening == b"[":
                raise self.fail('"=>" makes an object: use { and } around this "for", or leave the key out')
            self.at += 2
            key_result = result
            result = self.expression()
            self.skip()
        elif opening == b"{":
            raise self.unexpected('"=>" and a value (a "for" in braces makes an object)')
        group = False
        if self.data[self.at : self.at + 3] == b"...":
            if opening == b"[":
                raise self.fail('"..." groups only in a "for" that makes an object')
            self.at += 3
            group = True
            self.skip()
        test: Node | None = None
        if self._keyword(b"if"):
            self.at += 2
            test = self.expression()
            self.skip()
        if self.data[self.at : self.at + 1] != _OPEN[opening]:
            raise self._unclosed(start, opening, "an operator")
        self.at += 1
        self.depth -= 1
        return For(key, item, collection, key_result, result, group, test, start, self.at)

    def _loop(self, what: str) -> tuple[str | None, str, Node]:
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
        if not self._keyword(b"in"):
            raise self.unexpected(f'"in" after the variables of {what}')
        self.at += 2
        return key, item, self.expression()

    # ---- templates

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

    def _heredoc(self) -> Node:
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
            key, item, collection = self._loop('"%{ for"')
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
            if isinstance(piece, str) and parts and isinstance(parts[-1], str):
                parts[-1] += piece
            elif piece != "":
                parts.append(normal(piece) if isinstance(piece, str) else piece)
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
            raise self.fail(
                f"end{opening.kind} is expected before this {closing.kind}", closing.start, closing.end
            )
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


def _join(operands: list[Node], operators: list[bytes]) -> None:
    """Make one operation of the last operator and the last two operands."""
    right = operands.pop()
    left = operands[-1]
    operands[-1] = Binary(operators.pop().decode(), left, right, left.start, right.end)


def normal(text: str) -> str:
    """A string as Terraform keeps it: in Unicode's composed form."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def _key_node(found: re.Match[bytes]) -> Node:
    start, end = found.span()
    if found.group(2) is not None:
        return Literal(found.group(2).decode("ascii"), start, end)
    return Literal(text_of(found.group(1)), start, end)


def text_of(raw: bytes) -> str:
    """The string that bytes without escapes stand for."""
    return normal(raw.decode("utf-8", "replace"))


def term(found: re.Match[bytes]) -> Node:
    """The node of a plain string, a whole number or a dotted reference that a regular expression found."""
    text, number, dotted = found.groups()
    start, end = found.span()
    if text is not None:
        return Literal(text_of(text), start, end)
    if number is not None:
        return Literal(int(number), start, end)
    words = dotted.decode("ascii").split(".")
    name = words[0]
    at = start + len(name)
    if len(words) == 1 and name in _CONSTANTS:
        return Literal(_CONSTANTS[name], start, end)
    node: Node = Literal(_CONSTANTS[name], start, at) if name in _CONSTANTS else Name(name, start, at)
    for word in words[1:]:
        at += 1 + len(word)
        node = GetAttr(node, word, start, at)
    return node
