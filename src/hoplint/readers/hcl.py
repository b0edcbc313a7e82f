"""Terraform's files, from text to blocks, arguments and problems.

Everything that Terraform's own parser refuses is a problem, and nothing else is; the top-level block that holds it is
broken, and reading goes on at the next one. A value that stands in one line is only matched, and read when asked for.
"""

from __future__ import annotations

import re

from hoplint.model.place import Source, Span
from hoplint.readers.hcl_grammar import Grammar
from hoplint.readers.hcl_scanner import PLAIN, WORD, ParseError, line_end, text_of
from hoplint.readers.syntax import Attribute, Block, File, Node, SyntaxProblem

__all__ = ["ParseError", "parse", "parse_expression", "parse_template"]

MARK = b"\xef\xbb\xbf"

_REFERENCE = WORD + rb"(?:\." + WORD + rb'|\[(?:[0-9]++|"[^"\\$%\r\n]*+"|\*)\]){0,50}+'
_STRING = rb'"(?:[^"\\$%\r\n]++|\\["\\nrt]|\$\{ *+' + _REFERENCE + rb' *+\}|\$(?![${])|%(?![%{]))*+"'
_ATOM = rb"(?>" + _STRING + rb"|[0-9]{1,30}+(?:\.[0-9]{1,30}+)?(?![\w.\x80-\xff])|" + _REFERENCE + rb")"
# A list or a call of such terms, or one of them.
_ITEMS = rb" *+(?>" + _ATOM + rb" *+(?:, *+|(?=[\])])))*+"
_SIMPLE = rb"(?>(?:(\[)|" + WORD + rb"\()" + _ITEMS + rb"(?(3)\]|\))|" + _ATOM + rb")"
_COMMENT = rb"(?:(?:#|//)[^\n]*+)?"
_END = rb"[ \t]*+" + _COMMENT + rb"(?:\n|\r\n|\Z)"

_EMPTY_LINES = rb"(?:[ \t]*+" + _COMMENT + rb"(?:\n|\r\n))*+[ \t]*+"

_empty_lines = re.compile(_EMPTY_LINES).match
_argument = re.compile(_EMPTY_LINES + rb"(" + WORD + rb")[ \t]*+=[ \t]*+(" + _SIMPLE + rb")" + _END).match
_head = re.compile(rb"(" + WORD + rb")((?>[ \t]++(?:" + WORD + rb"|" + PLAIN + rb")|" + PLAIN + rb")*+)[ \t]*+\{").match
_outer_head = re.compile(
    rb"^(?:resource|data|module|variable|output|locals|provider|terraform)\b[^={}\n]*\{", re.MULTILINE
).search  # fmt: skip
_labels = re.compile(rb'"([^"]*)"|(' + WORD + rb")").findall
_next_head = re.compile(
    rb"^" + WORD + rb"(?:[ \t]++(?:" + WORD + rb"|" + PLAIN + rb"))*+[ \t]*+\{", re.MULTILINE
).search  # fmt: skip


class _Argument(Attribute):
    """An argument whose value was matched and not yet read."""

    __slots__ = ()

    @property
    def expression(self) -> Node:
        if self._expression is None:
            self._expression = Grammar(self.source.data, self.start).expression()
        return self._expression


def parse(source: Source) -> File:
    """Read a file: its blocks, its top-level arguments and its problems."""
    return _Reader(source).file()


def parse_expression(text: str) -> Node:
    """Read an expression that stands alone; raises `ParseError`."""
    grammar = Grammar(text.encode(), newlines=False)
    node = grammar.expression()
    if grammar.peek():
        raise grammar.unexpected("the end of the expression")
    return node


def parse_template(text: str) -> Node:
    """Read the text of a template file; raises `ParseError`."""
    return Grammar(text.encode()).template()


class _Reader:
    """Reads the bodies of one file."""

    __slots__ = ("source", "data", "grammar", "problems", "item", "sound")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.data
        if not self.data.isascii():
            self.data = _without_unreadable(self.data)
        self.grammar = Grammar(self.data, len(MARK) if self.data.startswith(MARK) else 0)
        self.problems: list[SyntaxProblem] = []
        self.item = 0
        self.sound = True

    def file(self) -> File:
        """Read the whole file, going on after what cannot be read."""
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        file = File(self.source, blocks, attributes, self.problems)
        while True:
            try:
                self.body(attributes, blocks, top=True)
            except ParseError as error:
                self.recover(blocks, error)
                continue
            if self.grammar.at >= len(self.data):
                return file
            self.problem(
                self.grammar.fail('this "}" closes nothing: remove it, or look for a "{" that is missing above')
            )
            self.grammar.at += 1

    def problem(self, error: ParseError) -> None:
        """Keep a problem; the block that it is in is not sound."""
        self.sound = False
        if self.data[error.start : error.end + 1] != self.source.data[error.start : error.end + 1]:
            error.message = "this is not UTF-8: save the file in that encoding"
        self.problems.append(SyntaxProblem(Span(self.source, error.start, error.end), error.message))

    def recover(self, blocks: list[Block], error: ParseError) -> None:
        """Keep the problem and the head of the block that it is in, and go to the next block that starts a line.

        A block of Terraform's that starts a line inside another tells that the other was to end before it.
        """
        data, grammar = self.data, self.grammar
        head = _head(data, self.item)
        inside = _outer_head(data, head.end(), max(error.start, grammar.at)) if head else None
        following = inside or _next_head(data, max(error.start, head.end() if head else self.item + 1))
        end = following.start() if following else len(data)
        if head is not None:
            name, labels = _name_and_labels(head)
            if inside is not None:
                line, _ = self.source.position(end)
                message = f'the block {name} is not closed before the block on line {line}: a "}}" is missing'
                error = ParseError(message, self.item, head.end())
            block = Block(name, labels, self.source, self.item, head.end(), end, None, broken=True, body=({}, []))
            blocks.append(block)
        self.problem(error)
        grammar.at, grammar.newlines, grammar.depth = end, True, 0

    def body(self, attributes: dict[str, Attribute], blocks: list[Block], top: bool = False) -> None:
        """Read arguments and blocks up to a closing brace, or the end of the file."""
        data, grammar, source = self.data, self.grammar, self.source
        while True:
            found = _argument(data, grammar.at)
            if found is not None:
                name = found.group(1).decode("ascii")
                grammar.at = found.end()
                if name in attributes:
                    self.repeated(name, attributes[name], found.start(1))
                else:
                    attributes[name] = _Argument(name, source, *found.span(2), None, None, found.start(1))
                continue
            lines = _empty_lines(data, grammar.at)
            assert lines is not None
            start = lines.end()
            if top:
                self.item = start
                self.sound = True
            head = _head(data, start)
            if head is not None:
                grammar.at = head.end()
                blocks.append(self.block(*_name_and_labels(head), start))
                continue
            grammar.at = start
            if not self.unusual(attributes, blocks):
                return

    def unusual(self, attributes: dict[str, Attribute], blocks: list[Block]) -> bool:
        """Read an item that is not written in the usual way, or longer than a line; false at the end of the body."""
        data, grammar = self.data, self.grammar
        char = grammar.peek()
        start = grammar.at
        ending = line_end(data, start)
        if ending is not None:
            grammar.at = ending.end()
            return bool(char)
        if char == b"}":
            return False
        name = grammar.word()
        if name is None:
            if char == b'"':
                raise grammar.fail("the name of an argument or block stands without quotes")
            raise grammar.unexpected("the name of an argument or block")
        char = grammar.peek()
        if char == b"=" and data[grammar.at : grammar.at + 2] not in (b"==", b"=>"):
            grammar.at += 1
            self.argument(name, attributes, start)
            self.end_line("an argument")
            return True
        labels: list[str] = []
        while char != b"{":
            if char == b'"':
                labels.append(grammar.label())
            else:
                label = grammar.word()
                if label is None:
                    wanted = '"=" and a value, or a block' if not labels else 'a label or "{", on the same line'
                    raise grammar.unexpected(wanted)
                labels.append(label)
            char = grammar.peek()
        grammar.at += 1
        blocks.append(self.block(name, tuple(labels), start))
        return True

    def argument(self, name: str, attributes: dict[str, Attribute], start: int) -> None:
        """Read the value of an argument."""
        node = self.grammar.expression()
        if name in attributes:
            self.repeated(name, attributes[name], start)
        else:
            attributes[name] = Attribute(name, self.source, node.start, node.end, None, node, start)

    def repeated(self, name: str, first: Attribute, start: int) -> None:
        """An argument is set twice in a body."""
        line, _ = self.source.position(first.start)
        message = f"the argument {name} is already set on line {line}: each can be set only once"
        self.problem(ParseError(message, start, start + len(name.encode())))

    def end_line(self, what: str) -> None:
        """Nothing may follow on the line; what can be read on from there is a problem, but not the end."""
        grammar = self.grammar
        ending = line_end(self.data, grammar.at)
        if ending is not None:
            grammar.at = ending.end()
            return
        char = grammar.peek()
        if char == b",":
            raise grammar.fail("arguments are separated by line ends, not by commas: remove the comma")
        if char != b"}" and not char.isalpha():
            raise grammar.unexpected(f"the end of the line after {what}")
        self.problem(grammar.fail(f"{what} must end its line: start a new line here"))

    def block(self, name: str, labels: tuple[str, ...], start: int) -> Block:
        """Read a block's body and closing brace."""
        data, grammar = self.data, self.grammar
        head_end = grammar.at
        attributes: dict[str, Attribute] = {}
        blocks: list[Block] = []
        grammar.enter()
        char = grammar.peek()
        if line_end(data, grammar.at) is not None:
            self.body(attributes, blocks)
            char = grammar.peek()
        elif char != b"}":
            self.single(attributes)
            char = grammar.peek()
            if char == b"," or line_end(data, grammar.at) is not None:
                raise grammar.fail(
                    "a block in one line holds one argument and is closed in that line: write each on a line of its own"
                )
        if char != b"}":
            if not char:
                raise grammar.fail(f'the block {name} is never closed: a "}}" is missing', start, head_end)
            raise grammar.unexpected('"}"')
        grammar.at += 1
        grammar.depth -= 1
        end = grammar.at
        self.end_line("a block")
        return Block(
            name, labels, self.source, start, head_end, end, None, broken=not self.sound, body=(attributes, blocks)
        )

    def single(self, attributes: dict[str, Attribute]) -> None:
        """Read the one argument of a block in one line."""
        grammar = self.grammar
        start = grammar.at
        name = grammar.word()
        if name is None:
            raise grammar.unexpected("the name of an argument")
        if grammar.peek() != b"=" or self.data[grammar.at : grammar.at + 2] in (b"==", b"=>"):
            raise grammar.unexpected('"=" and a value (a block inside a block starts on a line of its own)')
        grammar.at += 1
        self.argument(name, attributes, start)


def _without_unreadable(data: bytes) -> bytes:
    """Put carriage returns for what is not UTF-8: both may stand in comments and nowhere else."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        text.encode()
        return data
    except UnicodeEncodeError:
        return re.sub("[\udc80-\udcff]", "\r", text).encode()


def _name_and_labels(head: re.Match[bytes]) -> tuple[str, tuple[str, ...]]:
    name, labels = head.groups()
    if not labels:
        return name.decode("ascii"), ()
    return name.decode("ascii"), tuple([text_of(quoted or bare) for quoted, bare in _labels(labels)])
