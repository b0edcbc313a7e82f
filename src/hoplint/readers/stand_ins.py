"""Modules of the registry that are not on disk: which small module of hoplint's own stands in for one.

A stand-in has the inputs, defaults and outputs of the module that it stands for, and those of its resources that
hoplint knows. It is chosen by source and version. Nothing in it has a place that a user could open: whatever the
caller did not write stands at the head of the call.
"""

from __future__ import annotations

import json
import re

from hoplint.model.place import Place, Source, Span
from hoplint.readers.syntax import Attribute, Block
from hoplint.readers.tree import Tree, packaged

INDEX = "index.json"
UNBOUNDED = (1 << 31, 0, 0)
_HOSTS = ("registry.terraform.io/", "registry.opentofu.org/")
_GIT = re.compile(
    r"(?:git::)?(?:(?:https?|ssh)://)?(?:[^@/]+@)?github\.com[/:](?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?"
    r"(?://(?P<within>[^?]*))?(?:\?(?P<query>.*))?"
)
_REGISTRY = re.compile(r"(?P<name>[\w-]+/[\w-]+/[\w-]+)(?://(?P<within>[^?]*))?")
_TAG = re.compile(r"(?:refs/tags/)?v?(\d+(?:\.\d+){0,2})")
_LIMIT = re.compile(r"\s*(=|!=|>=|<=|>|<|~>)?\s*v?(\d+(?:\.\d+){0,2})\s*")

Version = tuple[int, int, int]


class Borrowed(Source):
    """The text of a stand-in as it is called from one place: all of it stands at the head of the call.

    `data` and its lines are those of the caller's file; `written` is the stand-in's own text.
    """

    __slots__ = ("written", "head")

    def __init__(self, written: bytes, head: Span) -> None:
        super().__init__(head.source.path, head.source.data)
        self.written = written
        self.head = head

    def place(self, start: int, end: int) -> Place:
        """The place of the call."""
        return self.head.place()


def written(source: Source) -> bytes:
    """The bytes that the offsets of blocks and expressions of a source count in."""
    return source.written if isinstance(source, Borrowed) else source.data


class StandIn:
    """One entry of the index: the module's name in the registry and on GitHub, and the major versions it stands for."""

    __slots__ = ("folder", "module", "repository", "within", "majors")

    def __init__(self, entry: dict[str, object]) -> None:
        self.folder = str(entry["folder"])
        self.module = str(entry["module"])
        self.repository = str(entry["repository"])
        self.within = str(entry["within"])
        majors = entry["majors"]
        self.majors: tuple[int, ...] = tuple(majors) if isinstance(majors, list) else ()


class Shelf:
    """The stand-ins that come with hoplint, looked at when the first absent module is met."""

    __slots__ = ("tree", "entries")

    def __init__(self) -> None:
        self.tree: Tree = packaged()
        data = self.tree.read(INDEX)
        self.entries = [StandIn(entry) for entry in json.loads(data)] if data is not None else []

    def find(self, source: str, version: str | None) -> str | None:
        """The folder of what stands in for a module, or None where nothing surely does.

        `version` is the constraint of the call; None where it is written, but cannot be known.
        """
        name, within, wanted = _parts(source)
        if name is None or (wanted is None and version is None):
            return None
        limits = constraint(version or "") if wanted is None else wanted
        if limits is None:
            return None
        for entry in self.entries:
            if within == entry.within and name in (entry.module, entry.repository):
                return entry.folder if any(_allowed(limits, major) for major in entry.majors) else None
        return None


Limits = tuple[Version, Version]


def _parts(source: str) -> tuple[str | None, str, Limits | None]:
    """The module's name, the folder in it, and for a Git source the versions that its `ref` permits."""
    for host in _HOSTS:
        source = source.removeprefix(host)
    found = _GIT.fullmatch(source)
    if found is not None:
        query = dict(part.partition("=")[::2] for part in (found["query"] or "").split("&") if part)
        limits: Limits | None = ((0, 0, 0), UNBOUNDED)
        if "ref" in query:
            tag = _TAG.fullmatch(query["ref"])
            # A commit or a branch may be any version.
            limits = constraint(f"= {tag[1]}") if tag is not None else None
            if limits is None:
                return None, "", None
        return found["name"], (found["within"] or "").strip("/"), limits
    found = _REGISTRY.fullmatch(source)
    if found is not None:
        return found["name"], (found["within"] or "").strip("/"), None
    return None, "", None


def constraint(text: str) -> Limits | None:
    """The versions that a constraint permits: from the first to before the second; None where it is no constraint."""
    low: Version = (0, 0, 0)
    high: Version = UNBOUNDED
    for part in text.split(","):
        if not part.strip():
            continue
        found = _LIMIT.fullmatch(part)
        if found is None:
            return None
        operator, numbers = found[1] or "=", [int(number) for number in found[2].split(".")]
        major, minor, patch = (numbers + [0, 0])[:3]
        at: Version = (major, minor, patch)
        after: Version = (major, minor, patch + 1)
        if operator in ("=", ">=", "~>"):
            low = max(low, at)
        if operator == ">":
            low = max(low, after)
        if operator == "<":
            high = min(high, at)
        if operator in ("=", "<="):
            high = min(high, after)
        if operator == "~>":
            high = min(high, (major, minor + 1, 0) if len(numbers) == 3 else (major + 1, 0, 0))
    return low, high


def _allowed(limits: Limits, major: int) -> bool:
    low, high = limits
    return max(low, (major, 0, 0)) < min(high, (major + 1, 0, 0))


def borrowed(block: Block, source: Borrowed) -> Block:
    """A block of a stand-in as one call sees it. Its expressions are shared, since trees know no source."""

    def read() -> tuple[dict[str, Attribute], list[Block]]:
        arguments = {name: lent(attribute, source) for name, attribute in block.attributes.items()}
        return arguments, [borrowed(inner, source) for inner in block.blocks]

    return Block(block.type, block.labels, source, block.start, block.head_end, block.end, read, block.broken)


def lent(attribute: Attribute, source: Borrowed) -> Attribute:
    """An argument of a stand-in as one call sees it."""
    return Attribute(
        attribute.name, source, attribute.start, attribute.end, lambda: attribute.expression,
        name_start=attribute.name_start,
    )  # fmt: skip
