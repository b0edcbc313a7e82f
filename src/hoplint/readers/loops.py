"""`Fn::ForEach`: loops over resources, conditions, outputs and properties, written out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hoplint.model.value import Known
from hoplint.readers.harmless import is_harmless
from hoplint.readers.nodes import MadeMapping, MadeScalar, Mapping, Node, Scalar, Sequence, rewrite, text_of

if TYPE_CHECKING:
    from hoplint.readers.template_scope import Scope

MANY_COPIES = 2_000


def unroll(scope: Scope, entries: dict[str, Node]) -> dict[str, Node]:
    """Entries with their loops written out."""
    if not any(key.startswith("Fn::ForEach::") for key in entries):
        return entries
    made: dict[str, Node] = {}
    for key, node in entries.items():
        if key.startswith("Fn::ForEach::"):
            _loop(scope, node, made)
        else:
            made[key] = node
    return made


def _loop(scope: Scope, node: Node, made: dict[str, Node]) -> None:
    parts = node.items if isinstance(node, Sequence) else []
    name = text_of(parts[0]) if parts else None
    if name is None or len(parts) != 3 or not isinstance(parts[2], Mapping):
        return _blind(scope, node, "a Fn::ForEach loop cannot be read")
    items = _collection(scope, parts[1])
    if items is None:
        return _blind(scope, node, "what a Fn::ForEach loop runs over is not known")
    for item in items:
        scope.copies += 1
        if scope.copies > MANY_COPIES:
            return _blind(scope, node, "a Fn::ForEach loop makes too many copies")
        body = _replace(parts[2], name, item)
        for key, copy in unroll(scope, body.entries).items():
            made[key] = copy
    return None


def _collection(scope: Scope, node: Node) -> list[str] | None:
    value = scope.lower(node)
    if not isinstance(value, Known) or not isinstance(value.data, list):
        return None
    items: list[str] = []
    for item in value.data:
        if not isinstance(item, Known) or not isinstance(item.data, str | int):
            return None
        items.append(str(item.data))
    return items


def _blind(scope: Scope, node: Node, why: str) -> None:
    types = list(_types_in(node))
    if types and all(is_harmless(name) for name in types):
        return
    if why not in scope.stack.blind:
        scope.stack.blind.append(why)


def _types_in(node: Node) -> Iterator[str]:
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, Sequence):
            stack.extend(at.items)
        elif isinstance(at, Mapping):
            name = text_of(at.get("Type"))
            if name is not None and "::" in name:
                yield name
            stack.extend(at.entries.values())


def _replace(body: Mapping, name: str, item: str) -> Mapping:
    """The body of a loop for one element."""
    bare = re.sub(r"[^A-Za-z0-9]", "", item)

    def text(data: str) -> str:
        return data.replace("${" + name + "}", item).replace("&{" + name + "}", bare)

    def change(node: Node) -> Node | None:
        if isinstance(node, Scalar) and isinstance(node.data, str):
            new = text(node.data)
            return node if new == node.data else MadeScalar(new, node)
        if isinstance(node, Mapping) and len(node.entries) == 1 and text_of(node.get("Ref")) == name:
            return MadeScalar(item, node)
        return None

    changed = rewrite(body, change, text)
    return changed if isinstance(changed, Mapping) else MadeMapping({}, body)
