"""Nodes of a marked tree: scalars, lists and objects that know where they stand.

A node is its own `Site`: its line and column are computed only when it is printed. Nodes may also be made (`make` and
its like): what SAM generates, or a loop repeats, stands at a node that the user wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hoplint.model.place import Place, Site, Source
from hoplint.model.value import exact_number

MANY_DIGITS = 100
MAX_DEPTH = 110
"""Nesting beyond which a document is refused; real templates stay under 40."""

Plain = str | bool | int | Fraction | None


class Fault:
    """What is wrong with a document, and where; a warning leaves it readable."""

    __slots__ = ("message", "place", "warning")

    def __init__(self, message: str, place: Place, warning: bool = False) -> None:
        self.message = message
        self.place = place
        self.warning = warning


class Document:
    """One parsed file. `root` is None when it could not be parsed; `faults` says why. `scan` holds JSON's places."""

    __slots__ = ("source", "root", "faults", "_text", "scan")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self._text: str | None = None
        self.scan: Any = None

    @property
    def text(self) -> str:
        """The file as text."""
        if self._text is None:
            self._text = self.source.data.decode("utf-8", "replace")
        return self._text

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

    def key(self, name: str) -> Site:
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

    def key(self, name: str) -> Site:
        """A key as a site: in the file that it stands in."""
        return self.keys.get(name) or Key(self, name)


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


def decimal(text: str) -> Plain:
    """A decimal number exactly; text that would be none, or an absurd one, stays text."""
    exact = exact_number(text) if len(text) <= MANY_DIGITS else None
    return text if exact is None else Fraction(exact)


def lower_first(text: str) -> str:
    """A message as the rest of a sentence."""
    return text[:1].lower() + text[1:]


def repeated(document: Document, name: str, line: int, column: int) -> None:
    """Note a key that stands twice in one object."""
    document.fault(f"the key {name} stands here more than once: only the last one counts", line, column, warning=True)


def line_column(text: str, offset: int) -> tuple[int, int]:
    """An offset in a text as line and column."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1
