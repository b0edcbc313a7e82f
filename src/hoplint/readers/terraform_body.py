"""The body of a block as values: arguments, nested blocks, and dynamic blocks written out."""

from __future__ import annotations

from hoplint.model.value import COMPUTED, Known, Unknown, Value, reason
from hoplint.readers.choices import Invalid, lift
from hoplint.readers.expressions import pairs_of, settled
from hoplint.readers.scope import Scope
from hoplint.readers.syntax import Block

META = frozenset(("lifecycle", "provisioner", "connection", "timeouts"))


def setting(block: Block, name: str, scope: Scope) -> Value | None:
    """One argument, or the nested blocks of that name as a list of mappings; None where nothing is written."""
    if block.broken:
        return Unknown("the block cannot be read to its end", block.head())
    attribute = block.attributes.get(name)
    if attribute is not None:
        return settled(attribute.expression, scope.at(attribute.source))
    pieces = [_written(inner, scope) for inner in block.blocks if _is_for(inner, name)]
    if not pieces:
        return None
    if len(pieces) == 1:
        return pieces[0]
    site = pieces[0].site

    def together(values: list[Value]) -> Value:
        items: list[Value] = []
        for value in values:
            if not isinstance(value, Known) or not isinstance(value.data, list):
                return Unknown(reason(value), site)
            items.extend(value.data)
        return Known(items, site)

    return lift(pieces, together, site)


def _is_for(block: Block, name: str) -> bool:
    return block.type == name or (block.type == "dynamic" and block.labels == (name,))


def _written(block: Block, scope: Scope) -> Value:
    if block.type == "dynamic":
        return _dynamic(block, scope)
    return Known([body(block, scope)], block.head())


def body(block: Block, scope: Scope) -> Value:
    """A nested block as a mapping: its arguments, and the blocks in it as lists."""
    members: dict[str, Value] = {}
    for name, attribute in block.attributes.items():
        members[name] = settled(attribute.expression, scope.at(attribute.source))
    for inner in block.blocks:
        name = inner.labels[0] if inner.type == "dynamic" and inner.labels else inner.type
        if name in members or name in META:
            continue
        found = setting(block, name, scope)
        if found is not None:
            members[name] = found
    return Known(members, block.head())


def _dynamic(block: Block, scope: Scope) -> Value:
    site = block.head()
    over = block.attributes.get("for_each")
    content = next((inner for inner in block.blocks if inner.type == "content"), None)
    if over is None or content is None:
        return Invalid("a dynamic block needs for_each and content", site)
    collection = settled(over.expression, scope.at(over.source))
    iterator = _iterator(block)

    def expanded(values: list[Value]) -> Value:
        pairs = pairs_of(values[0])
        if isinstance(pairs, Value):
            return Unknown(reason(pairs) or "its blocks cannot be counted", site)
        items = []
        for number, (key, item) in enumerate(pairs):
            bound: dict[str, Value] = {iterator: Known({"key": key, "value": item}, site, COMPUTED)}
            items.append(body(content, scope.inside(bound, f"{iterator}{number}")))
        return Known(items, site)

    return lift([collection], expanded, site)


def _iterator(block: Block) -> str:
    named = block.attributes.get("iterator")
    if named is not None:
        name = getattr(named.expression, "name", None) or getattr(named.expression, "data", None)
        if isinstance(name, str):
            return name
    return block.labels[0] if block.labels else "dynamic"
