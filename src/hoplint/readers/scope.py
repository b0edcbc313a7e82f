"""What the names in an expression stand for, and what is shared by everything read for one root."""

from __future__ import annotations

import posixpath
from typing import Protocol

from hoplint.model.condition import Atom
from hoplint.model.number import Symbol
from hoplint.model.place import Site, Source, Span
from hoplint.model.resource import Note, Stack
from hoplint.model.value import Unknown, Value
from hoplint.readers.stand_ins import Borrowed, written
from hoplint.readers.syntax import Node
from hoplint.readers.tree import Tree, join

NAMELESS = Symbol("an unknown value").name
TEXT_SHOWN = 80
MOST_LOOPS = 200_000


class Names(Protocol):
    """The namespaces that a module offers its expressions: `var`, `local`, `module`, `data`, resource types."""

    address: str

    def root_name(self, name: str, scope: Scope, site: Site) -> Value:
        """What the first word of a traversal stands for."""


class World:
    """What is shared by everything read for one root: its files, its stack, its named unknowns and its atoms."""

    __slots__ = ("tree", "stack", "folder", "atoms", "symbols", "noted", "loops")

    def __init__(self, tree: Tree, stack: Stack, folder: str) -> None:
        self.tree = tree
        self.stack = stack
        self.folder = folder
        self.atoms: dict[object, Atom] = {}
        self.symbols: dict[object, Symbol] = {}
        self.noted: set[str] = set()
        self.loops = MOST_LOOPS

    def locate(self, path: str) -> str:
        """The path in the tree of a file that a function names: Terraform runs in the root's folder."""
        return join(self.folder, path)

    def read_file(self, path: str) -> bytes | None:
        """The bytes of a file that a function names; None where it cannot be read."""
        return None if posixpath.isabs(path) else self.tree.read(self.locate(path))

    def list_folder(self, path: str) -> list[str] | None:
        """The names in a folder that a function names; None where there is no such folder within the boundary."""
        if posixpath.isabs(path):
            return None
        folder = self.locate(path)
        return self.tree.list(folder) if self.tree.is_dir(folder) else None

    def loop(self, times: int) -> bool:
        """Take that many iterations from what a root may use; false when they are used up."""
        self.loops -= times
        return self.loops >= 0

    def note(self, message: str, site: Site | None = None) -> None:
        """Remark on the input, once."""
        if message not in self.noted:
            self.noted.add(message)
            place = site.place() if site is not None else None
            self.stack.notes.append(Note(message, place.path if place else "", place.line if place else 0))

    def unknown(self, key: object, name: str, why: str, site: Site | None = None) -> Unknown:
        """An unknown that is the same wherever the key is."""
        symbol = self.symbols.get(key)
        if symbol is None:
            symbol = self.symbols[key] = Symbol(name, why)
        return Unknown(symbol.why, site, symbol)

    def within(self, outer: Unknown, name: str, site: Site | None) -> Unknown:
        """A part of something unknown: the same part is the same unknown everywhere."""
        if outer.symbol.name == NAMELESS:
            return Unknown(outer.why, site, through=outer.through)
        key = (outer.symbol, name)
        symbol = self.symbols.get(key)
        if symbol is None:
            shown = f"{outer.symbol.name}{name}"
            symbol = self.symbols[key] = Symbol(shown, outer.symbol.why)
        return Unknown(outer.why, site, symbol, outer.through)

    def atom(self, value: Unknown, scope: Scope, node: Node | None) -> Atom:
        """The atom of an unknown value: a named one has its own, another is the text of its expression."""
        if value.symbol.name != NAMELESS:
            found = self.atoms.get(value.symbol)
            if found is None:
                found = self.atoms[value.symbol] = Atom(value.symbol.name)
            return found
        return self.text_atom(scope, node, False) if node is not None else Atom("an unknown value")

    def text_atom(self, scope: Scope, node: Node, boolean: bool) -> Atom:
        """The atom of an expression, by its text: the same text in the same module instance is the same atom."""
        text = scope.text(node)
        key = (scope.names.address if scope.names else "", scope.distinct, text, boolean)
        found = self.atoms.get(key)
        if found is None:
            shown = text if len(text) <= TEXT_SHOWN else f"{text[: TEXT_SHOWN - 1]}…"
            found = self.atoms[key] = Atom(shown, boolean=boolean)
        return found


class Scope:
    """The names that can be used where an expression stands.

    `locals` holds what for-expressions, dynamic blocks and template files bind; `distinct` tells instances and
    iterations apart; `off` says that the expression belongs to something that only a default switches off.
    """

    __slots__ = ("world", "names", "source", "locals", "each", "count", "self_value", "distinct", "off", "splat")

    def __init__(
        self,
        world: World,
        names: Names | None,
        source: Source,
        *,
        bound: dict[str, Value] | None = None,
        each: tuple[Value, Value] | None = None,
        count: Value | None = None,
        self_value: Value | None = None,
        distinct: str = "",
        off: bool = False,
    ) -> None:
        self.world = world
        self.names = names
        self.source = source
        self.locals = bound or {}
        self.each = each
        self.count = count
        self.self_value = self_value
        self.distinct = distinct
        self.off = off
        self.splat: Value | None = None

    def _copy(self) -> Scope:
        made = Scope(
            self.world, self.names, self.source, bound=self.locals, each=self.each, count=self.count,
            self_value=self.self_value, distinct=self.distinct, off=self.off,
        )  # fmt: skip
        made.splat = self.splat
        return made

    def inside(self, bound: dict[str, Value], distinct: str = "") -> Scope:
        """The scope with more names bound."""
        made = self._copy()
        made.locals = {**self.locals, **bound}
        made.distinct = f"{self.distinct}/{distinct}" if distinct else self.distinct
        return made

    def at(self, source: Source) -> Scope:
        """The scope for an expression of another file of the same module."""
        if source is self.source:
            return self
        made = self._copy()
        made.source = source
        return made

    def splatting(self, item: Value) -> Scope:
        """The scope in which a splat is at one element."""
        made = self._copy()
        made.splat = item
        return made

    def span(self, node: Node) -> Span:
        """Where a node stands."""
        return Span(self.source, node.start, node.end)

    def own(self, site: Site) -> Site | None:
        """The literal that a user may edit: none in a module that only stands in for another."""
        return None if isinstance(self.source, Borrowed) else site

    def text(self, node: Node) -> str:
        """A node's text, in one line."""
        return " ".join(written(self.source)[node.start : node.end].decode("utf-8", "replace").split())
