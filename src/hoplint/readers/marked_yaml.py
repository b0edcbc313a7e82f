"""YAML by libyaml, whose nodes keep their marks. Short forms (`!Ref X`) become long ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    repeated,
)

STRING = "tag:yaml.org,2002:str"
MANY_SCALARS = 20_000
MAX_EXPANSION = 100_000
"""How many nodes aliases may make of a document that itself holds fewer."""


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
    if tag == STRING:
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


_loaders: list[Any] = []


def _loader() -> Any:
    """The loader of libyaml, with a quicker way to the types of plain scalars: they take a third of its time."""
    if _loaders:
        return _loaders[0]
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers: dict[str, list[tuple[str, Any]]] = dict(base.yaml_implicit_resolvers)
    scalar = yaml.ScalarNode
    known: dict[str, str] = {}
    others = {yaml.SequenceNode: "tag:yaml.org,2002:seq", yaml.MappingNode: "tag:yaml.org,2002:map"}

    class Loader(base):  # type: ignore[misc]
        """The loader."""

        def descend_resolver(self, current_node: Any, current_index: Any) -> None:
            """No type depends on where a scalar stands."""

        def ascend_resolver(self) -> None:
            """No type depends on where a scalar stands."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            """The tag of a node that has none."""
            if kind is not scalar:
                return others[kind]
            if not implicit[0]:
                return STRING
            tag = known.get(value)
            if tag is None:
                if len(known) > MANY_SCALARS:
                    known.clear()
                tag = next((one for one, test in resolvers.get(value[:1], ()) if test.match(value)), STRING)
                known[value] = tag
            return tag

    _loaders.append(Loader)
    return Loader


def load_yaml(document: Document) -> None:
    """Parse a document as YAML."""
    import yaml

    try:
        raw = yaml.compose(document.source.data, _loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        document.fault(f"not valid YAML: {_yaml_problem(document, error, line, column)}", line, column)
        return
    except yaml.reader.ReaderError as error:
        line, column = line_column(document.text, error.position)
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


def _survey(document: Document, root: Any) -> str | None:
    """Find repeated keys, excessive depth and aliases that grow out of hand; return why the document is refused."""
    seen: set[int] = set()
    aliased = b"*" in document.source.data
    shared = False
    count = 0
    level = [root]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for raw in level:
            if raw.id == "scalar":
                continue
            if aliased:
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
            repeated(document, key.value, key.start_mark.line + 1, key.start_mark.column + 1)
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
