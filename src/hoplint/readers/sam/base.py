"""What the parts of the SAM reader share: the resource being lowered, and the plain resources that come of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hoplint.model.place import Site
from hoplint.readers.nodes import MadeMapping, Mapping, Node, Scalar, Sequence, changed, make, text_of

if TYPE_CHECKING:
    from hoplint.readers.cloudformation import Item, Reader
    from hoplint.readers.template_scope import Scope


class Owner:
    """A resource of SAM's, with what `Globals` adds to its properties."""

    __slots__ = ("id", "item", "node", "properties", "head")

    def __init__(self, item: Item, properties: dict[str, Node]) -> None:
        self.id = item.logical_id
        self.item = item
        self.node = item.node
        self.head: Site = item.head
        self.properties = properties

    def get(self, name: str) -> Node | None:
        """A property; a null counts as absent."""
        found = self.properties.get(name)
        return None if isinstance(found, Scalar) and found.data is None else found

    def site(self, name: str) -> Site:
        """Where a property's name stands; the resource where `Globals` says it."""
        own = self.node.get("Properties")
        return own.key(name) if isinstance(own, Mapping) and name in own.entries else self.head


class Sam:
    """One template being lowered. `made` holds the plain resources by logical id."""

    __slots__ = ("scope", "reader", "globals", "made", "Item")

    def __init__(self, scope: Scope, reader: Reader, make_item: Callable[[str, str, Mapping, Site], Item]) -> None:
        self.scope = scope
        self.reader = reader
        found = scope.root.get("Globals")
        self.globals = found.entries if isinstance(found, Mapping) else {}
        self.made: dict[str, Item] = {}
        self.Item = make_item

    def owner(self, item: Item, section: str) -> Owner:
        """A resource with its properties and those of a section of `Globals`."""
        properties = item.node.get("Properties")
        common = self._common(item, section)
        merged: Node | None = properties
        if isinstance(common, Mapping):
            merged = merge(common, properties) if isinstance(properties, Mapping) else common
        return Owner(item, dict(merged.entries) if isinstance(merged, Mapping) else {})

    def _common(self, item: Item, section: str) -> Node | None:
        """What `Globals` says of a section, less what the resource does not want."""
        common = self.globals.get(section)
        ignored = item.node.get("IgnoreGlobals")
        if ignored is None or not isinstance(common, Mapping):
            return common
        names = {text_of(one) for one in ignored.items} if isinstance(ignored, Sequence) else {text_of(ignored)}
        return None if "*" in names else changed(common, {name: None for name in names if name is not None})

    def add(
        self,
        owner: Owner,
        logical_id: str,
        address: str,
        type_name: str,
        properties: dict[str, Any],
        head: Site,
        condition: Node | None = None,
    ) -> None:
        """Put a plain resource in place of (a part of) a SAM resource, whose condition it shares."""
        entries: dict[str, Node] = {
            "Type": make(type_name, head),
            "Properties": MadeMapping(
                {key: make(value, head) for key, value in properties.items() if value is not None}, head
            ),
        }
        condition = condition or owner.node.get("Condition")
        if condition is not None:
            entries["Condition"] = condition
        if logical_id == owner.id:
            for name in ("DependsOn", "Metadata", "DeletionPolicy", "UpdateReplacePolicy"):
                found = owner.node.get(name)
                if found is not None:
                    entries[name] = found
        else:
            metadata = owner.node.get("Metadata")
            own = metadata.get("hoplint") if isinstance(metadata, Mapping) else None
            if own is not None:
                entries["Metadata"] = make({"hoplint": own}, own)
        self.made[logical_id] = self.Item(logical_id, address, MadeMapping(entries, owner.node), head)

    def text(self, node: Node | None) -> str | None:
        """A property that must be known when SAM runs: a text, or a parameter's value."""
        if node is None:
            return None
        from hoplint.model.value import Known, print_scalar

        value = self.scope.lower(node)
        if isinstance(value, Known) and value.data is not None and not isinstance(value.data, list | dict):
            return print_scalar(value.data)
        return None


def merge(common: Node, own: Node) -> Node:
    """`Globals` under a resource's own properties: objects are merged, lists joined, all else replaced."""
    if isinstance(common, Mapping) and isinstance(own, Mapping):
        entries = dict(common.entries)
        for key, value in own.entries.items():
            entries[key] = merge(entries[key], value) if key in entries else value
        return MadeMapping(entries, own)
    if isinstance(common, Sequence) and isinstance(own, Sequence):
        return make([*common.items, *own.items], own)
    return own


class Target:
    """What an event goes to: a function, its alias, or a state machine."""

    __slots__ = ("id", "kind")

    def __init__(self, logical_id: str, kind: str) -> None:
        self.id = logical_id
        self.kind = kind

    def name(self, at: Site) -> Node:
        """As a function name: an alias's ARN, else the function's name."""
        return make({"Ref": self.id}, at)

    def arn(self, at: Site) -> Node:
        """Its ARN."""
        if self.kind == "function":
            return make({"Fn::GetAtt": [self.id, "Arn"]}, at)
        return make({"Ref": self.id}, at)


class Event:
    """One entry of a resource's `Events`."""

    __slots__ = ("id", "address", "type", "properties", "head", "owner", "target", "node")

    def __init__(self, owner: Owner, name: str, node: Mapping, head: Site, target: Target) -> None:
        self.owner = owner
        self.id = owner.id + name
        self.address = f"{owner.item.address}/{name}"
        self.type = text_of(node.get("Type")) or ""
        found = node.get("Properties")
        self.properties = found.entries if isinstance(found, Mapping) else {}
        self.head = head
        self.target = target
        self.node = node

    def get(self, name: str) -> Node | None:
        """A property; a null counts as absent."""
        found = self.properties.get(name)
        return None if isinstance(found, Scalar) and found.data is None else found


def condition_of(owner: Owner) -> str | None:
    """The name of a resource's condition."""
    return text_of(owner.node.get("Condition"))


def arn_of(logical_id: str, at: Site) -> Node:
    """A resource's ARN."""
    return make({"Fn::GetAtt": [logical_id, "Arn"]}, at)


def ref(logical_id: str, at: Site) -> Node:
    """A reference to a resource."""
    return make({"Ref": logical_id}, at)


def is_no_value_node(node: Node) -> bool:
    """Whether a node is a reference to `AWS::NoValue`."""
    return isinstance(node, Mapping) and text_of(node.get("Ref")) == "AWS::NoValue" and len(node.entries) == 1


def trust(service: str, at: Site) -> Node:
    """A trust policy for one service."""
    return make(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Action": ["sts:AssumeRole"], "Effect": "Allow", "Principal": {"Service": [service]}},
            ],
        },
        at,
    )
