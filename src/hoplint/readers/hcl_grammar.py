"""Terraform's expressions, from text to nodes: an own parser that takes and refuses what Terraform's does.

It works on bytes, so that offsets are those of the source. Line ends matter between the items of a body or an object
and nowhere inside brackets and interpolations; `newlines` says which holds.
"""

from __future__ import annotations

import re
from fractions import Fraction

from hoplint.readers.hcl_scanner import WORD, ParseError, text_of
from hoplint.readers.hcl_templates import Templates
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
    Tuple,
    Unary,
)

LONGEST_CHAIN = 200
LARGEST_EXPONENT = 4000

_number = re.compile(rb"[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?").match
_decimal = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?").fullmatch
_operator = re.compile(rb"\|\||&&|==|!=|>=|<=|[<>+*%-]|/(?!/)").match

# A term that ends where its line or its item does is read without looking for operators.
_KEY = rb'(?:"([^"\\$%\r\n]*+)"|(' + WORD + rb"))"
_SEPARATOR = rb"[ \t]*+(?:=(?![=>])|:(?!:))"
_TERM = rb'(?:"([^"\\$%\r\n]*+)"|([0-9]{1,30}+)(?![\w.])|(' + WORD + rb"(?:\." + WORD + rb"){0,50}+))"
_quick_in_line = re.compile(_TERM + rb"(?=[ \t]*+(?:[,\n}#]|\r\n|//|\Z))").match
_quick_in_brackets = re.compile(_TERM + rb"(?=(?:[ \t\n]|\r\n)*+[,)\]}])").match
_quick_key = re.compile(_KEY + rb"(?=" + _SEPARATOR + rb")").match
_quick_item = re.compile(
    rb"(?:[ \t\n]|\r\n)*+(" + _KEY + rb")" + _SEPARATOR + rb"[ \t]*+(" + _TERM
    + rb")[ \t]*+(?:,|(?:(?:#|//)[^\n]*+)?(?:\n|\r\n)|(?=\}))"
).match  # fmt: skip

_BINDS = {
    b"||": 1, b"&&": 2, b"==": 3, b"!=": 3, b"<": 4, b">": 4, b"<=": 4, b">=": 4,
    b"+": 5, b"-": 5, b"*": 6, b"/": 6, b"%": 6,
}  # fmt: skip
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}


class Grammar(Templates):
    """The rules that read expressions."""

    __slots__ = ()

    def expression(self) -> Node:
        """Read an expression."""
        self.skip()
        quick = (_quick_in_line if self.newlines else _quick_in_brackets)(self.data, self.at)
        if quick is not None:
            self.at = quick.end()
            text, number, dotted = quick.groups()
            return _node(text, number, dotted, *quick.span())
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
            char = self.peek()
            if char == b"(" or (char == b":" and self.data[self.at + 1 : self.at + 2] == b":"):
                return self._call(name, start)
            if name in _CONSTANTS:
                return Literal(_CONSTANTS[name], start, end)
            return Name(name, start, end)
        if self.data[start : start + 2] == b"<<":
            return self.heredoc()
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
        if len(text) > LARGEST_EXPONENT or (good.group(1) and abs(int(good.group(1)[:8])) > LARGEST_EXPONENT):
            raise self.fail("this number is too large or too small to be read", self.at, found.end())
        self.at = found.end()
        number = Fraction(text)
        return int(number) if number.denominator == 1 else number

    def _unclosed(self, start: int, bracket: bytes, or_else: str) -> ParseError:
        closing = _CLOSING[bracket].decode()
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
            raise self.unexpected('"(" and the arguments of the function')
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
        data = self.data
        for _ in range(LONGEST_CHAIN):
            char = self.peek()
            if char == b".":
                if data[self.at : self.at + 3] == b"...":
                    return base
                self.at += 1
                if self.peek() == b"*":
                    self.at += 1
                    each = self._attribute_splat(self.at)
                    base = Splat(base, each, base.start, each.end)
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
                    return Splat(base, each, base.start, each.end)
                outer, self.newlines = self.newlines, False
                key = self.expression()
                if self.peek() != b"]":
                    raise self._unclosed(opening, b"[", "an operator")
                self.at += 1
                self.newlines = outer
                base = Index(base, key, base.start, self.at)
            else:
                return base
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
            raise self.fail(f'".{first}.{second}" is read as one number: write [{first}][{second}]', start, found.end())
        return Index(base, Literal(self._number(), start, self.at), base.start, self.at)

    def _attribute_splat(self, start: int) -> Node:
        each: Node = SplatItem(start, start)
        for _ in range(LONGEST_CHAIN):
            if self.peek() != b"." or self.data[self.at : self.at + 3] == b"...":
                return each
            self.at += 1
            if self.peek() == b"*":
                raise self.fail('a ".*" cannot stand inside another: use [*]')
            each = self._dotted(each)
        raise self.fail(f"nested too deeply to be read: more than {LONGEST_CHAIN} attributes in a row")

    def _tuple(self) -> Node:
        start = self.at
        self.at += 1
        outer, self.newlines = self.newlines, False
        self.skip()
        if self.keyword(b"for"):
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
        self.skip()
        if self.keyword(b"for"):
            node = self._for(start, b"{")
            self.newlines = outer
            return node
        items: list[tuple[Node, Node]] = []
        key: Node
        while True:
            quick = _quick_item(data, self.at)
            if quick is not None:
                _, quoted, bare, _, text, number, dotted = quick.groups()
                key = Literal(text_of(quoted) if bare is None else bare.decode("ascii"), *quick.span(1))
                items.append((key, _node(text, number, dotted, *quick.span(4))))
                self.at = quick.end()
                continue
            # Between items line ends and comments are passed over, inside them they end the item.
            self.newlines = False
            char = self.peek()
            self.newlines = True
            if char == b"}":
                break
            if not char:
                raise self._unclosed(start, b"{", "an item")
            found = _quick_key(data, self.at)
            if found is not None:
                quoted, bare = found.groups()
                key = Literal(text_of(quoted) if bare is None else bare.decode("ascii"), *found.span())
                self.at = found.end()
            else:
                key = self._key(char)
            char = self.peek()
            if (char != b"=" and char != b":") or data[self.at : self.at + 2] in (b"==", b"=>", b"::"):
                if isinstance(key, Index | GetAttr):
                    raise self.unexpected('"=" and a value (a key with dots or spaces in it needs quotes)')
                raise self._unclosed(start, b"{", '"=" and a value')
            self.at += 1
            items.append((key, self.expression()))
            char = self.peek()
            if char == b",":
                self.at += 1
            elif char != b"}" and not self.at_line_end():
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

    def _for(self, start: int, opening: bytes) -> Node:
        self.enter()
        self.at += 3
        key, item, collection = self.loop('a "for"')
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
        if self.keyword(b"if"):
            self.at += 2
            test = self.expression()
            self.skip()
        if self.data[self.at : self.at + 1] != _CLOSING[opening]:
            raise self._unclosed(start, opening, "an operator")
        self.at += 1
        self.depth -= 1
        return For(key, item, collection, key_result, result, group, test, start, self.at)


def _join(operands: list[Node], operators: list[bytes]) -> None:
    """Make one operation of the last operator and the last two operands."""
    right = operands.pop()
    left = operands[-1]
    operands[-1] = Binary(operators.pop().decode(), left, right, left.start, right.end)


def _node(text: bytes | None, number: bytes | None, dotted: bytes, start: int, end: int) -> Node:
    """The node of a plain string, a whole number or a dotted reference that a regular expression found."""
    if text is not None:
        return Literal(text_of(text), start, end)
    if number is not None:
        return Literal(int(number), start, end)
    words = dotted.decode("ascii").split(".")
    name = words[0]
    at = start + len(name)
    node: Node = Literal(_CONSTANTS[name], start, at) if name in _CONSTANTS else Name(name, start, at)
    for word in words[1:]:
        at += 1 + len(word)
        node = GetAttr(node, word, start, at)
    return node
