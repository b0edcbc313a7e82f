"""YAML and JSON as trees whose nodes know where they stand.

Trees are read lazily: the parsers' own trees are kept, and a node of ours is made when it is asked for. A node is its
own `Site`: its line and column are computed only when it is printed. JSON has no marks, so a scanner of our own finds
the places of a file when the first of them is printed.

Nodes may also be made (`made_mapping` and its like): what SAM generates, or a loop repeats, stands at a node that the
user wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from hoplint.model.place import Place, Site, Source

MAX_DEPTH = 110
"""Nesting beyond which a document is refused; real templates stay under 40."""
MAX_EXPANSION = 100_000
"""How many nodes aliases may make of a document that itself holds fewer."""

Plain = str | bool | int | Fraction | None


class Fault:
    """What is wrong with a document, and where; a warning leaves it readable."""

    __slots__ = ("message", "place", "warning")

    def __init__(self, message: str, place: Place, warning: bool = False) -> None:
        self.message = message
        self.place = place
        self.warning = warning


class Document:
    """One parsed file. `root` is None when it could not be parsed; `faults` says why."""

    __slots__ = ("source", "root", "faults", "scalars", "_text", "_scan")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self.scalars: dict[int, Node] = {}
        self._text: str | None = None
        self._scan: _Scanned | None = None

    @property
    def text(self) -> str:
        """The file as text."""
        if self._text is None:
            self._text = self.source.data.decode("utf-8", "replace")
        return self._text

    @property
    def scan(self) -> _Scanned:
        """The places of a JSON file."""
        if self._scan is None:
            self._scan = _scan(self.text)
        return self._scan

    def fault(self, message: str, line: int, column: int, warning: bool = False) -> None:
        """Note what is wrong; lines and columns count from 1."""
        self.faults.append(Fault(message, Place(self.source.path, line, column, line, column), warning))


class Node:
    """Something in a document. A node is the `Site` of the value that it becomes."""

    __slots__ = ()

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        raise NotImplementedError

    def place(self) -> Place:
        """Compute lines and columns."""
        raise NotImplementedError


class Scalar(Node):
    """A string, a number, a truth value or null."""

    __slots__ = ()
    data: Plain


class Sequence(Node):
    """A list."""

    __slots__ = ()

    @property
    def items(self) -> list[Node]:
        """The elements."""
        raise NotImplementedError


class Mapping(Node):
    """An object. A short form (`!Ref X`) is a mapping of its long form."""

    __slots__ = ()

    @property
    def entries(self) -> dict[str, Node]:
        """The values by key, in the order written; of a key that repeats, the last."""
        raise NotImplementedError

    def get(self, name: str) -> Node | None:
        """The value of a key."""
        return self.entries.get(name)

    def key_place(self, name: str) -> Place:
        """Where a key stands."""
        raise NotImplementedError

    def key(self, name: str) -> Key:
        """A key as a site."""
        return Key(self, name)


class Key:
    """A key of a mapping, as a site."""

    __slots__ = ("mapping", "name")

    def __init__(self, mapping: Mapping, name: str) -> None:
        self.mapping = mapping
        self.name = name

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        return self.mapping.source

    def place(self) -> Place:
        """Compute lines and columns."""
        return self.mapping.key_place(self.name)


# Made nodes ----------------------------------------------------------------------------------------------------------


class _MadeNode(Node):
    """Something that no file holds; it stands at a site that the user wrote."""

    __slots__ = ("at",)
    at: Site

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        return self.at.source

    def place(self) -> Place:
        """Compute lines and columns."""
        return self.at.place()


class MadeScalar(_MadeNode, Scalar):
    """A scalar that no file holds."""

    __slots__ = ("data",)

    def __init__(self, data: Plain, at: Site) -> None:
        self.data = data
        self.at = at


class MadeSequence(_MadeNode, Sequence):
    """A list that no file holds."""

    __slots__ = ("_items",)

    def __init__(self, items: list[Node], at: Site) -> None:
        self._items = items
        self.at = at

    @property
    def items(self) -> list[Node]:
        """The elements."""
        return self._items


class MadeMapping(_MadeNode, Mapping):
    """A mapping that no file holds."""

    __slots__ = ("_entries", "keys")

    def __init__(self, entries: dict[str, Node], at: Site, keys: dict[str, Site] | None = None) -> None:
        self._entries = entries
        self.at = at
        self.keys = keys or {}

    @property
    def entries(self) -> dict[str, Node]:
        """The values by key."""
        return self._entries

    def key_place(self, name: str) -> Place:
        """Where a key stands."""
        return self.keys.get(name, self.at).place()


class Mystery(_MadeNode):
    """Something that becomes an unknown value."""

    __slots__ = ("why",)

    def __init__(self, why: str, at: Site) -> None:
        self.why = why
        self.at = at


def make(data: Any, at: Site) -> Node:
    """A node of plain data, in which nodes may stand."""
    if isinstance(data, Node):
        return data
    if isinstance(data, dict):
        return MadeMapping({key: make(value, at) for key, value in data.items()}, at)
    if isinstance(data, list | tuple):
        return MadeSequence([make(item, at) for item in data], at)
    return MadeScalar(data, at)


# Helpers over nodes --------------------------------------------------------------------------------------------------


def text_of(node: Node | None) -> str | None:
    """The text of a scalar that is text."""
    if isinstance(node, Scalar) and isinstance(node.data, str):
        return node.data
    return None


def plain_of(node: Node | None) -> Any:
    """A node as plain data."""
    if isinstance(node, Mapping):
        return {key: plain_of(value) for key, value in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain_of(item) for item in node.items]
    return node.data if isinstance(node, Scalar) else None


def rewrite(node: Node, change: Callable[[Node], Node | None], keys: Callable[[str], str] | None = None) -> Node:
    """A copy in which `change` replaced nodes (None: look inside); what holds no change is kept as it is."""
    changed = change(node)
    if changed is not None:
        return changed
    if isinstance(node, Mapping):
        entries: dict[str, Node] = {}
        sites: dict[str, Site] = {}
        same = True
        for key, value in node.entries.items():
            new_key = keys(key) if keys else key
            new = rewrite(value, change, keys)
            same = same and new is value and new_key == key
            entries[new_key] = new
            sites[new_key] = Key(node, key)
        return node if same else MadeMapping(entries, node, sites)
    if isinstance(node, Sequence):
        items = [rewrite(item, change, keys) for item in node.items]
        if all(new is old for new, old in zip(items, node.items, strict=True)):
            return node
        return MadeSequence(items, node)
    return node


def changed(node: Mapping, entries: dict[str, Node | None]) -> Mapping:
    """A copy of a mapping with some entries set, or (None) left out."""
    made = {key: value for key, value in node.entries.items() if key not in entries}
    made.update({key: value for key, value in entries.items() if value is not None})
    return MadeMapping(made, node, {key: Key(node, key) for key in node.entries})


def renamed(node: Mapping, names: dict[str, str]) -> Mapping:
    """A copy of a mapping with some keys called otherwise."""
    keys: dict[str, Site] = {names.get(key, key): Key(node, key) for key in node.entries}
    return MadeMapping({names.get(key, key): value for key, value in node.entries.items()}, node, keys)


# YAML ----------------------------------------------------------------------------------------------------------------


class _YamlNode(Node):
    __slots__ = ("document", "raw")

    def __init__(self, document: Document, raw: Any) -> None:
        self.document = document
        self.raw = raw

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        return self.document.source

    def place(self) -> Place:
        """Compute lines and columns."""
        return _yaml_place(self.document, self.raw)


class _YamlScalar(_YamlNode, Scalar):
    __slots__ = ("data",)

    def __init__(self, document: Document, raw: Any, data: Plain) -> None:
        self.document = document
        self.raw = raw
        self.data = data


class _YamlSequence(_YamlNode, Sequence):
    __slots__ = ("_items",)

    def __init__(self, document: Document, raw: Any) -> None:
        self.document = document
        self.raw = raw
        self._items: list[Node] | None = None

    @property
    def items(self) -> list[Node]:
        """The elements."""
        if self._items is None:
            self._items = [_yaml(self.document, item) for item in self.raw.value]
        return self._items


class _YamlMapping(_YamlNode, Mapping):
    __slots__ = ("_entries",)

    def __init__(self, document: Document, raw: Any) -> None:
        self.document = document
        self.raw = raw
        self._entries: dict[str, Node] | None = None

    @property
    def entries(self) -> dict[str, Node]:
        """The values by key."""
        if self._entries is None:
            self._entries = {}
            document = self.document
            for key, value in _pairs(self.raw):
                self._entries[key.value] = _yaml(document, value)
        return self._entries

    def key_place(self, name: str) -> Place:
        """Where a key stands."""
        found = None
        for key, _value in _pairs(self.raw):
            if key.value == name:
                found = key
        return self.place() if found is None else _yaml_place(self.document, found)


class _YamlShort(_YamlNode, Mapping):
    """`!Sub text` as `{"Fn::Sub": text}`."""

    __slots__ = ("_entries",)

    def __init__(self, document: Document, raw: Any, name: str) -> None:
        self.document = document
        self.raw = raw
        inner = _scalar(document, raw, raw.value) if isinstance(raw.value, str) else _yaml_plain(document, raw)
        self._entries = {name: inner}

    @property
    def entries(self) -> dict[str, Node]:
        """The values by key."""
        return self._entries

    def key_place(self, name: str) -> Place:
        """Where a key stands."""
        return self.place()


MERGE = "tag:yaml.org,2002:merge"


def _pairs(raw: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and values of a mapping, those merged in first, so that its own win."""
    merged = [value for key, value in raw.value if key.tag == MERGE and isinstance(key.value, str)]
    for value in merged:
        for source in value.value if _is_sequence(value) else [value]:
            if _is_mapping(source):
                yield from _pairs(source)
    for key, value in raw.value:
        if isinstance(key.value, str) and not (merged and key.tag == MERGE):
            yield key, value


def _is_mapping(raw: Any) -> bool:
    return bool(raw.id == "mapping")


def _is_sequence(raw: Any) -> bool:
    return bool(raw.id == "sequence")


def _yaml(document: Document, raw: Any) -> Node:
    tag = raw.tag
    if tag[0] == "!" and len(tag) > 1:
        name = tag[1:]
        if name not in ("Ref", "Condition") and not name.startswith("Fn::"):
            name = "Fn::" + name
        return _YamlShort(document, raw, name)
    return _yaml_plain(document, raw)


def _yaml_plain(document: Document, raw: Any) -> Node:
    kind = raw.id
    if kind == "mapping":
        return _YamlMapping(document, raw)
    if kind == "sequence":
        return _YamlSequence(document, raw)
    return _scalar(document, raw, _typed(raw.tag, raw.value))


def _scalar(document: Document, raw: Any, data: Plain) -> Node:
    return _YamlScalar(document, raw, data)


def _typed(tag: str, text: str) -> Plain:
    """A plain scalar as CloudFormation takes it; a date stays text, and so does a number with a leading zero."""
    if tag == "tag:yaml.org,2002:str":
        return text
    if tag == "tag:yaml.org,2002:int":
        digits = text.replace("_", "")
        if len(digits) < 100 and (digits.lstrip("+-") == "0" or not digits.lstrip("+-").startswith("0")):
            try:
                return int(digits)
            except ValueError:
                return text
        return text
    if tag == "tag:yaml.org,2002:bool":
        return text.lower() in ("true", "yes", "on", "y")
    if tag == "tag:yaml.org,2002:null":
        return None
    if tag == "tag:yaml.org,2002:float":
        return decimal(text.replace("_", ""))
    return text


def decimal(text: str) -> Plain:
    """A decimal number exactly; text that would be none, or an absurd one, stays text."""
    _, _, exponent = text.lower().partition("e")
    if len(text) > 100 or len(exponent) > 4:
        return text
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def _yaml_place(document: Document, raw: Any) -> Place:
    start = raw.start_mark
    end = raw.end_mark
    path = document.source.path
    if raw.id != "scalar" and not raw.flow_style:
        last = raw
        while last.id != "scalar" and not last.flow_style and last.value:
            last = last.value[-1][1] if last.id == "mapping" else last.value[-1]
        if start.index <= last.start_mark.index and last.end_mark.index <= end.index:
            end = last.end_mark
            raw = last
    if raw.id == "scalar" and raw.style not in ("|", ">"):
        return Place(path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
    text = document.text
    stop = end.index
    while stop > start.index and text[stop - 1 : stop].isspace():
        stop -= 1
    line = start.line + 1 + text.count("\n", start.index, stop)
    return Place(path, start.line + 1, start.column + 1, line, stop - (text.rfind("\n", 0, stop) + 1) + 1)


# JSON ----------------------------------------------------------------------------------------------------------------


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
            return self.document.scan
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
    line, column = _line_column(text, start)
    end_line = line + text.count("\n", start, end)
    return Place(document.source.path, line, column, end_line, end - (text.rfind("\n", 0, end) + 1) + 1)


def _line_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


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


# Reading -------------------------------------------------------------------------------------------------------------

BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def load(path: str, data: bytes) -> Document:
    """Parse a file: JSON if it starts with a brace, else YAML."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            return _refused(path, b"", "the file says that it is UTF-16 and is not")
    elif data.startswith(BOM):
        data = data[3:]
    document = Document(Source(path, data))
    if b"\0" in data[:8192]:
        return _refused(path, data, "the file is binary")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = document.source.position(error.start)
        document.fault("the file is not UTF-8", line, column)
        return document
    if data[:256].lstrip()[:1] in (b"{", b"["):
        _load_json(document)
        if document.root is None and path.endswith((".yaml", ".yml")):
            again = Document(document.source)
            _load_yaml(again)
            return again if again.root is not None else document
        return document
    _load_yaml(document)
    return document


def _refused(path: str, data: bytes, message: str) -> Document:
    document = Document(Source(path, data))
    document.fault(message, 1, 1)
    return document


def _load_json(document: Document) -> None:
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
            line, column = _line_column(text, len(before) - 1)
            document.fault("not valid JSON: a comma stands before a closing bracket", line, column)
        elif error.msg.startswith("Illegal trailing comma"):
            document.fault("not valid JSON: a comma stands before a closing bracket", error.lineno, error.colno)
        else:
            document.fault(f"not valid JSON: {_lower_first(error.msg)}", error.lineno, error.colno)
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
    stack = [document.scan]
    while stack:
        at = stack.pop()
        for name, start in at.repeats:
            line, column = _line_column(document.text, start)
            _repeated(document, name, line, column)
        stack.extend(at.inner.values())


def _repeated(document: Document, name: str, line: int, column: int) -> None:
    document.fault(f"the key {name} stands here more than once: only the last one counts", line, column, warning=True)


def _load_yaml(document: Document) -> None:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        raw = yaml.compose(document.source.data, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        document.fault(f"not valid YAML: {_yaml_problem(document, error, line, column)}", line, column)
        return
    except yaml.reader.ReaderError as error:
        line, column = _line_column(document.text, error.position)
        document.fault(f"not valid YAML: the character {error.character!r} is not allowed", line, column)
        return
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        document.fault(f"not valid YAML: {error}".splitlines()[0], 1, 1)
        return
    if raw is None:
        document.fault("the file is empty", 1, 1)
        return
    refusal = _survey(document, raw)
    if refusal:
        document.fault(refusal, 1, 1)
        return
    document.root = _yaml(document, raw)


def _yaml_problem(document: Document, error: Any, line: int, column: int) -> str:
    problem = error.problem or "it cannot be parsed"
    if "cannot start any token" in problem:
        rest = document.source.line_text(line)[column - 1 :]
        if rest.startswith("\t"):
            return "a tab stands where indentation is meant; YAML takes spaces only"
        return f"the character {rest[:1]!r} cannot start a value; put it in quotes"
    if problem.startswith("but found another document"):
        return "the file holds more than one document"
    if "maximum nesting depth" in problem:
        return "it is nested too deeply"
    if problem.startswith("could not find expected ':'"):
        return "a colon is missing behind a key"
    if problem.startswith("mapping values are not allowed"):
        return "a key stands where none can be: check indentation and quotes"
    if problem.startswith("did not find expected key"):
        return "no key stands where one must be: check indentation"
    return str(problem)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _survey(document: Document, root: Any) -> str | None:
    """Find repeated keys, excessive depth and aliases that grow out of hand; return why the document is refused."""
    seen: set[int] = set()
    shared = False
    count = 0
    level = [root]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for raw in level:
            if raw.id == "scalar":
                continue
            if id(raw) in seen:
                shared = True
                continue
            seen.add(id(raw))
            children = raw.value
            count += len(children)
            if raw.id == "mapping":
                names = {key.value for key, _ in children if key.id == "scalar"}
                if len(names) != len(children):
                    _yaml_repeats(document, raw)
                below.extend(value for _, value in children if value.id != "scalar")
            else:
                below.extend(item for item in children if item.id != "scalar")
        if not below:
            break
        level = below
    else:
        return "the file is nested too deeply"
    if shared:
        return _expansion(root, count)
    return None


def _yaml_repeats(document: Document, raw: Any) -> None:
    seen: set[str] = set()
    for key, _ in raw.value:
        if key.id != "scalar" or key.tag == MERGE:
            continue
        if key.value in seen:
            _repeated(document, key.value, key.start_mark.line + 1, key.start_mark.column + 1)
        seen.add(key.value)


def _expansion(root: Any, count: int) -> str | None:
    """Why aliases make a document unreadable: they contain themselves, or multiply beyond measure."""
    sizes: dict[int, tuple[int, int]] = {}
    open_nodes: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        raw, leaving = stack.pop()
        if raw.id == "scalar" or (not leaving and id(raw) in sizes):
            continue
        children = _children(raw)
        if not leaving:
            if id(raw) in open_nodes:
                return "an alias contains itself"
            open_nodes.add(id(raw))
            stack.append((raw, True))
            stack.extend((child, False) for child in children)
            continue
        open_nodes.discard(id(raw))
        below = [sizes.get(id(child), (1, 0)) for child in children]
        size = 1 + sum(one for one, _ in below)
        depth = 1 + max((deep for _, deep in below), default=0)
        sizes[id(raw)] = (size, depth)
        if size > max(MAX_EXPANSION, 4 * count):
            return "its aliases multiply beyond measure"
        if depth > MAX_DEPTH:
            return "the file is nested too deeply"
    return None


def _children(raw: Any) -> Iterable[Any]:
    if raw.id == "mapping":
        return [value for _, value in raw.value]
    return list(raw.value)
