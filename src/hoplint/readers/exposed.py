"""What a template hands to something that is not read: the attributes, ARNs and names of its resources."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Text, Unknown, Value, branches
from hoplint.readers.nodes import Mapping, Node, Scalar, Sequence
from hoplint.readers.template_scope import Scope

_EDGES = (":", "/", ",", " ", '"', "'")


class Exposed:
    """Finds the resources of one stack in nodes; physical names are collected when the first text is looked at."""

    __slots__ = ("stack", "_names")

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self._names: dict[str, Resource] | None = None

    def handed_to(self, scope: Scope, node: Node) -> Iterator[Value]:
        """The attributes of our resources that stand in a node, and those whose name does."""
        stack = [node]
        while stack:
            at = stack.pop()
            if isinstance(at, Sequence):
                stack.extend(at.items)
            elif isinstance(at, Scalar):
                yield from self._named(Known(at.data, at))
            elif isinstance(at, Mapping):
                entries = at.entries
                if len(entries) == 1:
                    ((name, argument),) = entries.items()
                    if name in ("Ref", "Fn::GetAtt", "Fn::ImportValue"):
                        yield from self._in(scope.lower(at))
                        continue
                    if name in ("Fn::Sub", "Fn::Join"):
                        found = list(self._in(scope.lower(at)))
                        yield from found
                        if not found and not isinstance(argument, Scalar):
                            stack.append(argument)
                        continue
                # A custom resource is not handed the function that makes it.
                stack.extend(value for key, value in entries.items() if key != "ServiceToken")

    def _in(self, value: Value) -> Iterator[Value]:
        for one, _ in branches(value):
            if isinstance(one, Ref):
                yield one
            elif isinstance(one, Text):
                for part in one.parts:
                    if isinstance(part, Ref):
                        yield part if part.site is not None else part.moved(one.site, part.through)
                yield from self._named(one)
            elif isinstance(one, Known) and isinstance(one.data, list):
                for item in one.data:
                    yield from self._in(item)
            else:
                yield from self._named(one)

    def _named(self, value: Value) -> Iterator[Value]:
        """The resources whose whole physical name is a piece of a text."""
        text = _printed(value)
        if text is None or value.site is None:
            return
        if self._names is None:
            self._names = {}
            for resource in self.stack.resources:
                if resource.kind.named_by in resource.kind.properties and resource.kind.arn:
                    name = _printed(resource.raw(resource.kind.named_by))
                    if name is not None:
                        self._names[name] = resource
        for name, resource in self._names.items():
            at = text.find(name)
            if at < 0:
                continue
            before, after = text[:at], text[at + len(name) :]
            if (not before or before.endswith(_EDGES)) and (not after or after.startswith(_EDGES)):
                yield Ref(resource, resource.kind.named_by, value.site)


def _printed(value: Value) -> str | None:
    """A text with a mark for each unknown in it, the same for the same unknown; None where there is nothing certain."""
    if isinstance(value, Known):
        return value.data if isinstance(value.data, str) and value.data else None
    if not isinstance(value, Text):
        return None
    pieces: list[str] = []
    for part in value.parts:
        if isinstance(part, Unknown):
            pieces.append(f"\0{id(part.symbol)}\0")
        elif isinstance(part, Ref):
            pieces.append(f"\0{id(part.target)}.{part.attribute}\0")
        else:
            pieces.append(part if isinstance(part, str) else "\0\0")
    return "".join(pieces)
