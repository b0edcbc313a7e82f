"""CloudFormation's conditions as formulas over atoms.

A parameter that has no given value is an atom: its default is what the default scenario looks at, and decides nothing.
What cannot be said as "this parameter has this value" is a truth of its own, shared by all who write the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.model.condition import FALSE, TRUE, Atom, Condition, both, either, negate
from hoplint.model.value import Known, branches, print_scalar
from hoplint.readers.nodes import Mapping, Node, Scalar, Sequence, plain_of, text_of

if TYPE_CHECKING:
    from hoplint.readers.template_scope import Scope

MANY_BRANCHES = 32
MAX_CHAIN = 60
"""How many conditions may be made of one another; what is beyond is a truth of its own."""


class Conditions:
    """The conditions of one template in one deployment."""

    __slots__ = ("scope", "nodes", "known", "opaque", "atoms", "open")

    def __init__(self, scope: Scope, nodes: dict[str, Node]) -> None:
        self.scope = scope
        self.nodes = nodes
        self.known: dict[str, Condition | None] = {}
        self.opaque: dict[str, Atom] = {}
        self.atoms: dict[str, Atom] = {}
        self.open = 0

    def named(self, name: str) -> Condition:
        """A condition by its name; one that is not there, or contains itself, may be true or false."""
        if name in self.known:
            return self.known[name] or self._own(name, name)
        self.known[name] = None
        node = self.nodes.get(name)
        if node is None or self.open > MAX_CHAIN:
            found = self._own(name, name)
        else:
            self.open += 1
            found = self.read(node, name)
            self.open -= 1
        self.known[name] = found
        return found

    def _own(self, key: str, name: str) -> Condition:
        """A truth that no parameter decides."""
        atom = self.opaque.get(key)
        if atom is None:
            atom = self.opaque[key] = Atom(self.scope.prefix + name, boolean=True)
        return atom.compare("true")

    def read(self, node: Node, name: str) -> Condition:
        """A condition as it is written; `name` is what it is called if nothing decides it."""
        if isinstance(node, Scalar):
            if isinstance(node.data, bool):
                return TRUE if node.data else FALSE
            return self._own(_written(node), name)
        if not isinstance(node, Mapping) or len(node.entries) != 1:
            return self._own(_written(node), name)
        ((function, argument),) = node.entries.items()
        if function == "Condition":
            other = text_of(argument)
            # The SAM translator nests one reference in another.
            return self.named(other) if other is not None else self.read(argument, name)
        parts = argument.items if isinstance(argument, Sequence) else [argument]
        if function == "Fn::And":
            return both(*(self.read(part, name) for part in parts))
        if function == "Fn::Or":
            return either(*(self.read(part, name) for part in parts))
        if function == "Fn::Not" and len(parts) == 1:
            return negate(self.read(parts[0], name))
        if function == "Fn::Equals" and len(parts) == 2:
            return self._equals(parts[0], parts[1], name)
        return self._own(_written(node), name)

    def _equals(self, left: Node, right: Node, name: str) -> Condition:
        first, second = self._operand(left), self._operand(right)
        if first is None or second is None or len(first) * len(second) > MANY_BRANCHES:
            return self._unlike(left, right, name)
        found: list[Condition] = []
        for one, when_one in first:
            for other, when_other in second:
                same = self._same(one, other)
                if same is None:
                    return self._unlike(left, right, name)
                found.append(both(when_one, when_other, same))
        return either(*found)

    def _same(self, one: str | Atom, other: str | Atom) -> Condition | None:
        if isinstance(one, str):
            one, other = other, one
        if isinstance(one, str):
            return TRUE if one == other else FALSE
        if isinstance(other, str):
            if one.domain is not None and tuple(one.domain) == (other,):
                return TRUE
            return one.compare(other)
        if one is other:
            return TRUE
        if one.domain is None or other.domain is None or len(one.domain) > MANY_BRANCHES:
            return None
        return either(*(both(one.compare(value), other.compare(value)) for value in one.domain))

    def _unlike(self, left: Node, right: Node, name: str) -> Condition:
        key = "\n".join(sorted((_written(left), _written(right))))
        return self._own(key, name)

    def _operand(self, node: Node) -> list[tuple[str | Atom, Condition]] | None:
        """What an operand can be: constants and atoms with their conditions; None where that cannot be said."""
        atom = self.scope.atom_of(node)
        if atom is not None:
            return [(atom, TRUE)]
        found: list[tuple[str | Atom, Condition]] = []
        for value, condition in branches(self.scope.lower(node)):
            if not isinstance(value, Known) or isinstance(value.data, list | dict):
                return None
            if any(step.how == "default" and not self._final(step.name) for step in value.through):
                return None
            found.append(("" if value.data is None else print_scalar(value.data), condition))
        return found

    def _final(self, name: str) -> bool:
        """Whether a default is the value of a nested stack's parameter, whoever deploys it."""
        scope: Scope | None = self.scope
        while scope is not None:
            if name.startswith(scope.prefix) and scope.left_to_default(name.removeprefix(scope.prefix)):
                return True
            scope = scope.parent
        return False


def _written(node: Node) -> str:
    """A node as text, the same for the same content."""
    return repr(plain_of(node))
