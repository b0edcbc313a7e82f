"""Terraform's JSON syntax, turned into the same blocks and expressions: strings are templates, objects are bodies."""

from __future__ import annotations

import json
import re
from fractions import Fraction

from hoplint.model.place import Source, Span
from hoplint.readers import syntax
from hoplint.readers.hcl import ParseError, parse_template
from hoplint.readers.syntax import Attribute, Block, File, SyntaxProblem

LABELS = {
    "resource": 2, "data": 2, "ephemeral": 2, "variable": 1, "output": 1, "module": 1, "provider": 1, "terraform": 0,
}  # fmt: skip
INNER = ("dynamic", "validation", "backend", "cloud", "content", "lifecycle", "provisioner")
DEEPEST = 200

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"((?:[^"\\\x00-\x1f]|\\.)*)"', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = ((b"true", True), (b"false", False), (b"null", None))


class _Wrong(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class _Text(syntax.Node):
    """A string before it is known whether it is a template."""

    __slots__ = ("text", "map")

    def __init__(self, text: str, offsets: list[int] | None, start: int, end: int) -> None:
        super().__init__(start, end)
        self.text = text
        self.map = offsets


def parse(source: Source) -> File:
    """Read a file of blocks."""
    file = File(source, [], {}, [])
    root = _root(source, file.problems)
    for part in root.items if isinstance(root, syntax.Tuple) else [root]:
        if isinstance(part, syntax.Object):
            for key, item in part.items:
                _top(source, _word(key), key, item, file.blocks)
    return file


def attributes(source: Source) -> dict[str, Attribute] | None:
    """Read a file of values; None if it is no JSON object."""
    problems: list[SyntaxProblem] = []
    root = _root(source, problems)
    if problems or not isinstance(root, syntax.Object):
        return None
    return {_word(key): _attribute(source, key, item, literal=True) for key, item in root.items}


def module_sources(data: bytes) -> set[str]:
    """The sources of the modules that a file calls."""
    try:
        calls = json.loads(data)["module"]
        return {call["source"] for call in calls.values() if isinstance(call.get("source"), str)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


def _root(source: Source, problems: list[SyntaxProblem]) -> syntax.Node | None:
    data = source.data
    try:
        node, at = _value(data, _skip(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0), 0)
        at = _skip(data, at)
        if at < len(data):
            raise _Wrong("something follows the end of the JSON", at)
    except _Wrong as wrong:
        problems.append(SyntaxProblem(Span(source, wrong.at, min(wrong.at + 1, len(data))), f"{wrong}"))
        return None
    return node


def _skip(data: bytes, at: int) -> int:
    match = _SPACE.match(data, at)
    return match.end() if match else at


def _value(data: bytes, at: int, depth: int) -> tuple[syntax.Node, int]:
    if depth > DEEPEST:
        raise _Wrong("the JSON is nested too deeply", at)
    char = data[at : at + 1]
    if char == b"{":
        return _object(data, at, depth)
    if char == b"[":
        return _array(data, at, depth)
    if char == b'"':
        return _string(data, at)
    for word, constant in _WORDS:
        if data.startswith(word, at):
            return syntax.Literal(constant, at, at + len(word)), at + len(word)
    match = _NUMBER.match(data, at)
    if match is None:
        raise _Wrong("this is no JSON value", at)
    text = match.group().decode("ascii")
    if len(text) > 100:
        raise _Wrong("this number has too many digits", at)
    exponent = re.search(r"[eE]([+-]?[0-9]+)", text)
    if exponent and abs(int(exponent.group(1))) > 400:
        raise _Wrong("this number has too many digits", at)
    number = Fraction(text)
    return syntax.Literal(int(number) if number.denominator == 1 else number, at, match.end()), match.end()


def _object(data: bytes, start: int, depth: int) -> tuple[syntax.Node, int]:
    items: list[tuple[syntax.Node, syntax.Node]] = []
    at = _skip(data, start + 1)
    while data[at : at + 1] != b"}":
        if items:
            if data[at : at + 1] != b",":
                raise _Wrong('"," or "}" is wanted here', at)
            at = _skip(data, at + 1)
        if data[at : at + 1] != b'"':
            raise _Wrong("a key in quotes is wanted here", at)
        key, at = _string(data, at)
        at = _skip(data, at)
        if data[at : at + 1] != b":":
            raise _Wrong('":" is wanted here', at)
        item, at = _value(data, _skip(data, at + 1), depth + 1)
        items.append((key, item))
        at = _skip(data, at)
    return syntax.Object(items, start, at + 1), at + 1


def _array(data: bytes, start: int, depth: int) -> tuple[syntax.Node, int]:
    items: list[syntax.Node] = []
    at = _skip(data, start + 1)
    while data[at : at + 1] != b"]":
        if items:
            if data[at : at + 1] != b",":
                raise _Wrong('"," or "]" is wanted here', at)
            at = _skip(data, at + 1)
        item, at = _value(data, at, depth + 1)
        items.append(item)
        at = _skip(data, at)
    return syntax.Tuple(items, start, at + 1), at + 1


def _string(data: bytes, at: int) -> tuple[_Text, int]:
    match = _STRING.match(data, at)
    if match is None:
        raise _Wrong("this string is never closed", at)
    raw = match.group(1)
    try:
        if b"\\" not in raw:
            return _Text(raw.decode("utf-8"), None, at, match.end()), match.end()
        text, offsets = _unescaped(raw, at + 1)
    except ValueError:
        raise _Wrong("this string cannot be read", at) from None
    return _Text(text, offsets, at, match.end()), match.end()


def _unescaped(raw: bytes, begin: int) -> tuple[str, list[int]]:
    """The text of a string, and where each of its bytes stands in the source."""
    pieces: list[str] = []
    offsets: list[int] = []
    for match in re.finditer(
        rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\.|[^\\]+", raw, re.DOTALL
    ):
        part = match.group()
        text = json.loads(b'"' + part + b'"') if part.startswith(b"\\") else part.decode("utf-8")
        pieces.append(text)
        size = len(text.encode("utf-8", "surrogatepass"))
        if part.startswith(b"\\"):
            offsets += [begin + match.start()] * size
        else:
            offsets += range(begin + match.start(), begin + match.end())
    offsets.append(begin + len(raw))
    text = "".join(pieces)
    text.encode("utf-8")
    return text, offsets


def _expression(node: syntax.Node, literal: bool = False) -> syntax.Node:
    """A value as an expression: strings become templates, keys of objects too."""
    if isinstance(node, _Text):
        return _template(node, literal)
    if isinstance(node, syntax.Tuple):
        return syntax.Tuple([_expression(item, literal) for item in node.items], node.start, node.end)
    if isinstance(node, syntax.Object):
        items = [
            (_expression(key, literal), _expression(item, literal)) for key, item in node.items if _word(key) != "//"
        ]
        return syntax.Object(items, node.start, node.end)
    return node


def _template(node: _Text, literal: bool) -> syntax.Node:
    if literal or ("${" not in node.text and "%{" not in node.text):
        return syntax.Literal(node.text, node.start, node.end)
    try:
        found = parse_template(node.text)
    except ParseError:
        return syntax.Call("an expression that cannot be read", [], False, node.start, node.end)
    _shift(found, node)
    if isinstance(found, syntax.Template) and found.lone and isinstance(found.parts[0], syntax.Node):
        return syntax.Template(found.parts, True, node.start, node.end)
    found.start, found.end = node.start, node.end
    return found


def _shift(tree: syntax.Node, text: _Text) -> None:
    """Move the nodes of a template to where its text stands in the file."""
    stack: list[object] = [tree]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, syntax.Node) and id(item) not in seen:
            seen.add(id(item))
            if text.map is None:
                item.start += text.start + 1
                item.end += text.start + 1
            else:
                item.start = text.map[min(item.start, len(text.map) - 1)]
                item.end = text.map[min(item.end, len(text.map) - 1)]
            for owner in type(item).__mro__:
                for slot in getattr(owner, "__slots__", ()):
                    stack.append(getattr(item, slot))


def _word(node: syntax.Node) -> str:
    return node.text if isinstance(node, _Text) else ""


def _top(source: Source, name: str, key: syntax.Node, item: syntax.Node, blocks: list[Block]) -> None:
    if name == "locals":
        for part in _several(item):
            blocks.append(_block(source, "locals", (), key, part))
    elif name in LABELS:
        _labelled(source, name, (), LABELS[name], key, item, blocks)


def _several(node: syntax.Node) -> list[syntax.Object]:
    items = node.items if isinstance(node, syntax.Tuple) else [node]
    return [item for item in items if isinstance(item, syntax.Object)]


def _labelled(
    source: Source,
    name: str,
    labels: tuple[str, ...],
    wanted: int,
    key: syntax.Node,
    item: syntax.Node,
    blocks: list[Block],
) -> None:
    for part in _several(item):
        if wanted == 0:
            blocks.append(_block(source, name, labels, key, part))
            continue
        for inner_key, inner in part.items:
            if _word(inner_key) != "//":
                _labelled(source, name, (*labels, _word(inner_key)), wanted - 1, inner_key, inner, blocks)


def _block(source: Source, name: str, labels: tuple[str, ...], key: syntax.Node, body: syntax.Object) -> Block:
    def read() -> tuple[dict[str, Attribute], list[Block]]:
        found: dict[str, Attribute] = {}
        blocks: list[Block] = []
        for inner_key, item in body.items:
            word = _word(inner_key)
            if word == "//":
                continue
            if word in ("dynamic", "backend", "provisioner"):
                _labelled(source, word, (), 1, inner_key, item, blocks)
            elif word in INNER:
                blocks.extend(_block(source, word, (), inner_key, part) for part in _several(item))
            else:
                found[word] = _attribute(source, inner_key, item, word == "source" and name == "module")
        return found, blocks

    made = Block(name, labels, source, key.start, key.end, body.end, read)
    made.construct = _construct(body)
    return made


def _construct(body: syntax.Object) -> str | None:
    """The path of a construct, as CDK for Terraform notes it beside what it makes."""
    node: syntax.Node | None = body
    for name in ("//", "metadata", "path"):
        items = node.items if isinstance(node, syntax.Object) else []
        node = next((item for key, item in items if _word(key) == name), None)
    return _word(node) or None if node is not None else None


def _attribute(source: Source, key: syntax.Node, item: syntax.Node, literal: bool = False) -> Attribute:
    return Attribute(_word(key), source, item.start, item.end, lambda: _expression(item, literal), name_start=key.start)
