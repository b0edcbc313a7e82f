"""Resources that depend on each other in a circle: what refers to what, as the deployment tools see it.

Terraform orders blocks, not their instances. CloudFormation orders the resources of a template, and a nested stack is
one of them; two stacks that import from each other are another matter, and left alone here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf

from hoplint.graph.graph import Graph
from hoplint.model.condition import TRUE, Condition, both, can_hold
from hoplint.model.place import Site
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Encoded, Known, Ref, Text, Value, branches

DEPTH = 16

APART = {
    "redrive_allow_policy": "put the redrive allow policy into a resource of its own",
    "policy": "put the policy into a resource of its own",
    "inline_policies": "put the policy into a resource of its own",
}
"""Settings that can stand in a resource of their own, which breaks a circle."""


class Edge:
    """A reference from a setting of one resource to another resource, and the condition under which it is there."""

    __slots__ = ("by", "target", "setting", "site", "exists")

    def __init__(self, by: Resource, target: Resource, setting: str, site: Site, exists: Condition) -> None:
        self.by = by
        self.target = target
        self.setting = setting
        self.site = site
        self.exists = exists

    def __repr__(self) -> str:
        return f"<{self.by.address}.{self.setting} → {self.target.address}>"


def cycles(graph: Graph) -> Iterator[list[Edge]]:
    """A shortest circle for each group of resources, told from the reference that is the easiest to take out."""
    for stack in graph.stacks:
        edges = _edges(stack)
        for group in _knots(edges):
            found = _shortest(group, edges)
            if found:
                start = min(range(len(found)), key=lambda number: _ease(found[number]))
                yield found[start:] + found[:start]


def _ease(edge: Edge) -> tuple[bool, str]:
    return edge.setting not in APART, edge.setting


Edges = dict[str, list[tuple[str, Edge]]]


def _edges(stack: Stack) -> Edges:
    name = _Names(stack)
    found: Edges = {}
    for resource in stack.resources:
        if resource.elsewhere:
            continue
        mine = name.of(resource)
        for prop in resource.kind.properties.values():
            # What a resource was given is another's reference; a number refers to nothing that matters here.
            number = isinstance(prop.default, int) or prop.low != -inf or prop.high != inf
            if number or prop.name in resource.given or not prop.paths(stack.family):
                continue
            for ref, condition in references(resource.raw(prop.name)):
                target = ref.target
                if target.stack is not stack or target.elsewhere:
                    continue
                theirs = name.of(target)
                if theirs == mine and name.nested(resource):
                    continue
                exists = both(condition, resource.exists, target.exists)
                site = ref.place_of_change or resource.head
                found.setdefault(mine, []).append((theirs, Edge(resource, target, prop.name, site, exists)))
    return found


class _Names:
    """What a resource is called among those that are put in order: Terraform's block, or the outermost nested stack."""

    __slots__ = ("terraform", "prefixes")

    def __init__(self, stack: Stack) -> None:
        self.terraform = stack.family == "terraform"
        scopes = stack.sources.get("scopes")
        prefixes = {getattr(scope, "prefix", "") for scope in scopes} if isinstance(scopes, list) else set()
        # A resource of a nested stack is ordered within it, and the nested stack within what nests it.
        self.prefixes = sorted((prefix for prefix in prefixes if prefix.count("/") == 1), key=len)

    def of(self, resource: Resource) -> str:
        address = resource.address
        if self.terraform:
            return _without_keys(address)
        for prefix in self.prefixes:
            if address.startswith(prefix):
                return prefix
        # What SAM makes of one event shares an address.
        return f"{address} {id(resource)}"

    def nested(self, resource: Resource) -> bool:
        return not self.terraform and any(resource.address.startswith(prefix) for prefix in self.prefixes)


def _without_keys(address: str) -> str:
    if "[" not in address:
        return address
    pieces: list[str] = []
    depth, quoted = 0, False
    for letter in address:
        if letter == '"' and depth:
            quoted = not quoted
        elif letter == "[" and not quoted:
            depth += 1
        elif letter == "]" and not quoted:
            depth -= 1
        elif not depth:
            pieces.append(letter)
    return "".join(pieces)


def references(value: Value, condition: Condition = TRUE, depth: int = 0) -> Iterator[tuple[Ref, Condition]]:
    """Every reference in a value, at any depth, with the condition under which it is there."""
    if depth > DEPTH:
        return
    for branch, inner in branches(value, condition):
        if isinstance(branch, Ref):
            yield branch, inner
        elif isinstance(branch, Text):
            for piece in branch.parts:
                if isinstance(piece, Value):
                    for ref, deeper in references(piece, inner, depth + 1):
                        yield (ref if ref.site is not None else ref.moved(branch.site, branch.through)), deeper  # type: ignore[misc]
        elif isinstance(branch, Encoded):
            yield from references(branch.tree, inner, depth + 1)
        elif isinstance(branch, Known) and isinstance(branch.data, list | dict):
            for item in branch.data.values() if isinstance(branch.data, dict) else branch.data:
                yield from references(item, inner, depth + 1)


def _knots(edges: Edges) -> Iterator[list[str]]:
    """The groups in which everything leads to everything (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on: set[str] = set()
    for root in edges:
        if root in order:
            continue
        work: list[tuple[str, Iterator[tuple[str, Edge]]]] = []

        def enter(node: str, work: list[tuple[str, Iterator[tuple[str, Edge]]]] = work) -> None:
            order[node] = low[node] = len(order)
            stack.append(node)
            on.add(node)
            work.append((node, iter(edges.get(node, ()))))

        enter(root)
        while work:
            node, rest = work[-1]
            for target, _ in rest:
                if target not in order:
                    enter(target)
                    break
                if target in on:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group: list[str] = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        group.append(member)
                        if member == node:
                            break
                    if len(group) > 1 or any(target == node for target, _ in edges.get(node, ())):
                        yield group


def _shortest(group: list[str], edges: Edges) -> list[Edge]:
    """The shortest circle in a group whose references can all be there at once; the first in the order of reading."""
    inside = set(group)
    best: list[Edge] = []
    for start in (node for node in edges if node in inside):
        todo: deque[tuple[str, list[Edge]]] = deque([(start, [])])
        seen: set[str] = set()
        while todo:
            node, path = todo.popleft()
            if best and len(path) + 1 >= len(best):
                break
            closed = False
            for target, edge in edges.get(node, ()):
                if target not in inside:
                    continue
                way = [*path, edge]
                if target == start:
                    if can_hold(*(step.exists for step in way)):
                        best, closed = way, True
                        break
                elif target not in seen:
                    seen.add(target)
                    todo.append((target, way))
            if closed:
                break
    return best
