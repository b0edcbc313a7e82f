"""JSON by the standard library, with the places found by a scanner of our own when the first of them is printed."""

from __future__ import annotations

import json
import re
from typing import Any

from hoplint.model.place import Place, Source
from hoplint.readers.nodes import (
    MAX_DEPTH,
    Document,
    Mapping,
    Node,
    Plain,
    Scalar,
    Sequence,
    decimal,
    line_column,
    lower_first,
    repeated,
)

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _JsonNode(Node):
    """`parent` and `step` are the way from the root."""

    __slots__ = ("document", "parent", "step")

    def __init__(self, document: Document, parent: _JsonNode | None, step: str | int) -> None:
        self.document = document
        self.parent = parent
        self.step = step

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        return self.document.source

    def scanned(self) -> _Scanned:
        """Where it begins and ends."""
        if self.parent is None:
            return scanned(self.document)
        above = self.parent.scanned()
        return above.inner.get(self.step, above)

    def place(self) -> Place:
        """Compute lines and columns."""
        found = self.scanned()
        return _text_place(self.document, found.start, found.end)


class _JsonScalar(_JsonNode, Scalar):
    __slots__ = ("data",)

    def __init__(self, document: Document, parent: _JsonNode | None, step: str | int, data: Plain) -> None:
        self.document = document
        self.parent = parent
        self.step = step
        self.data = data


class _JsonSequence(_JsonNode, Sequence):
    __slots__ = ("raw", "_items")

    def __init__(self, document: Document, parent: _JsonNode | None, step: str | int, raw: list[Any]) -> None:
        self.document = document
        self.parent = parent
        self.step = step
        self.raw = raw
        self._items: list[Node] | None = None

    @property
    def items(self) -> list[Node]:
        """The elements."""
        if self._items is None:
            self._items = [_json(self.document, self, index, item) for index, item in enumerate(self.raw)]
        return self._items


class _JsonMapping(_JsonNode, Mapping):
    __slots__ = ("raw", "_entries")

    def __init__(self, document: Document, parent: _JsonNode | None, step: str | int, raw: dict[str, Any]) -> None:
        self.document = document
        self.parent = parent
        self.step = step
        self.raw = raw
        self._entries: dict[str, Node] | None = None

    @property
    def entries(self) -> dict[str, Node]:
        """The values by key."""
        if self._entries is None:
            self._entries = {key: _json(self.document, self, key, value) for key, value in self.raw.items()}
        return self._entries

    def key_place(self, name: str) -> Place:
        """Where a key stands."""
        found = self.scanned().inner.get(name)
        return self.place() if found is None else _text_place(self.document, found.key_start, found.key_end)


def _json(document: Document, parent: _JsonNode | None, step: str | int, raw: Any) -> Node:
    if isinstance(raw, dict):
        return _JsonMapping(document, parent, step, raw)
    if isinstance(raw, list):
        return _JsonSequence(document, parent, step, raw)
    return _JsonScalar(document, parent, step, raw)


def _text_place(document: Document, start: int, end: int) -> Place:
    text = document.text
    line, column = line_column(text, start)
    end_line = line + text.count("\n", start, end)
    return Place(document.source.path, line, column, end_line, end - (text.rfind("\n", 0, end) + 1) + 1)


def scanned(document: Document) -> _Scanned:
    """The places of a JSON file."""
    if document.scan is None:
        document.scan = _scan(document.text)
    found = document.scan
    assert isinstance(found, _Scanned)
    return found


class _Scanned:
    """Where a JSON value, and the key in front of it, begin and end; what is in it, by key or index."""

    __slots__ = ("start", "end", "key_start", "key_end", "inner", "repeats")

    def __init__(self, start: int, key_start: int = 0, key_end: int = 0) -> None:
        self.start = start
        self.end = start
        self.key_start = key_start
        self.key_end = key_end
        self.inner: dict[str | int, _Scanned] = {}
        self.repeats: list[tuple[str, int]] = []


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def _scan(text: str) -> _Scanned:
    """The places of all that is in a JSON text that `json` took."""
    root = _Scanned(0)
    stack: list[tuple[_Scanned, bool]] = []
    key: tuple[str, int, int] | None = None
    index: list[int] = []
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first == "," or first == ":":
            continue
        if first == "}" or first == "]":
            done, _ = stack.pop()
            index.pop()
            done.end = token.end()
            continue
        inside_object = bool(stack) and stack[-1][1]
        if inside_object and key is None:
            name = token.group()[1:-1]
            key = (json.loads(f'"{name}"', strict=False) if "\\" in name else name, token.start(), token.end())
            continue
        if not stack:
            made = root
            made.start = token.start()
        elif key is not None:
            made = _Scanned(token.start(), key[1], key[2])
            above = stack[-1][0]
            if key[0] in above.inner:
                above.repeats.append((key[0], key[1]))
            above.inner[key[0]] = made
            key = None
        else:
            made = _Scanned(token.start())
            stack[-1][0].inner[index[-1]] = made
            index[-1] += 1
        made.end = token.end()
        if first == "{" or first == "[":
            stack.append((made, first == "{"))
            index.append(0)
    return root


def load_json(document: Document) -> None:
    """Parse a document as JSON."""
    repeated: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            repeated.append("")
        return made

    text = document.text
    try:
        raw = json.loads(
            text, object_pairs_hook=collect, parse_float=decimal, parse_int=_integer, parse_constant=str, strict=False
        )
    except json.JSONDecodeError as error:
        before = text[: error.pos].rstrip()
        if before.endswith(",") and text[error.pos : error.pos + 1] in ("}", "]"):
            line, column = line_column(text, len(before) - 1)
            document.fault("not valid JSON: a comma stands before a closing bracket", line, column)
        elif error.msg.startswith("Illegal trailing comma"):
            document.fault("not valid JSON: a comma stands before a closing bracket", error.lineno, error.colno)
        else:
            document.fault(f"not valid JSON: {lower_first(error.msg)}", error.lineno, error.colno)
        return
    except (RecursionError, ValueError):
        document.fault("the file is nested too deeply", 1, 1)
        return
    if _too_deep(raw):
        document.fault("the file is nested too deeply", 1, 1)
        return
    if _SURROGATE.search(text):
        raw = _mend(raw)
    document.root = _json(document, None, 0, raw)
    if repeated:
        _json_repeats(document)


def _integer(text: str) -> Plain:
    return int(text) if len(text) < 100 else text


def _mend(raw: Any) -> Any:
    """Strings without the lone surrogates that JSON can escape and nothing can print."""
    if isinstance(raw, str):
        return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(raw, list):
        return [_mend(item) for item in raw]
    if isinstance(raw, dict):
        return {_mend(key): _mend(value) for key, value in raw.items()}
    return raw


def _too_deep(raw: Any) -> bool:
    level: list[Any] = [raw]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(inner for inner in item.values() if isinstance(inner, dict | list))
            elif isinstance(item, list):
                below.extend(inner for inner in item if isinstance(inner, dict | list))
        if not below:
            return False
        level = below
    return True


def _json_repeats(document: Document) -> None:
    stack = [scanned(document)]
    while stack:
        at = stack.pop()
        for name, start in at.repeats:
            line, column = line_column(document.text, start)
            repeated(document, name, line, column)
        stack.extend(at.inner.values())
