"""Snippets that are put into a template: `AWS::Include` of a local file, and definitions with holes in them.

`aws cloudformation package` takes a local path where the service wants a bucket, so a path in a repository is common.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hoplint.readers.marked import load
from hoplint.readers.nodes import Document, Key, MadeMapping, MadeScalar, Mapping, Node, Scalar, rewrite, text_of

INCLUDE = b"AWS::Include"
Fetch = Callable[[str, Node], Node | None]

_HOLES = re.compile(r'"(?:[^"\\]|\\.)*"|\$\{([A-Za-z0-9_]+)\}', re.DOTALL)


def include(root: Node, fetch: Fetch) -> Node:
    """A template with the snippets that it includes; those that `fetch` does not find are left to the deployment."""

    def change(node: Node) -> Node | None:
        if not isinstance(node, Mapping):
            return None
        where = _location(node.get("Fn::Transform"))
        snippet = fetch(*where) if where is not None else None
        if snippet is None:
            return None
        if not isinstance(snippet, Mapping):
            return snippet if len(node.entries) == 1 else None
        others = {key: rewrite(value, change) for key, value in node.entries.items() if key != "Fn::Transform"}
        keys = {key: Key(snippet, key) for key in snippet.entries} | {key: Key(node, key) for key in others}
        return MadeMapping({**snippet.entries, **others}, node, dict(keys))

    changed = rewrite(root, change)
    where = _location(root.get("Transform")) if isinstance(root, Mapping) else None
    snippet = fetch(*where) if where is not None else None
    if isinstance(snippet, Mapping) and isinstance(changed, Mapping):
        keys = {key: Key(snippet, key) for key in snippet.entries} | {key: Key(changed, key) for key in changed.entries}
        return MadeMapping({**snippet.entries, **changed.entries}, changed, dict(keys))
    return changed


def _location(transform: Node | None) -> tuple[str, Node] | None:
    """The local path that an include names, and where it stands."""
    if not isinstance(transform, Mapping) or text_of(transform.get("Name")) != "AWS::Include":
        return None
    parameters = transform.get("Parameters")
    node = parameters.get("Location") if isinstance(parameters, Mapping) else None
    path = text_of(node)
    return None if path is None or node is None or "://" in path else (path, node)


def with_holes(document: Document) -> Node | None:
    """A definition in JSON in which `${Name}` stands where a value is meant: a string that says the same, in its place.

    The hole `${Name}` and the string `"$Name"` are equally long, so that every place stays what it is.
    """
    names: set[str] = set()

    def fill(found: re.Match[str]) -> str:
        if found.group(1) is None:
            return found.group()
        names.add(found.group(1))
        return f'"${found.group(1)}"'

    text = _HOLES.sub(fill, document.text)
    if not names:
        return None
    mended = load(document.source.path, text.encode()).root
    if mended is None:
        return None

    def back(node: Node) -> Node | None:
        if isinstance(node, Scalar) and isinstance(node.data, str) and node.data[:1] == "$" and node.data[1:] in names:
            return MadeScalar("${" + node.data[1:] + "}", node)
        return None

    return rewrite(mended, back)
