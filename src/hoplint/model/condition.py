"""Conditions over atoms, and the scenarios in which rules look at values.

An *atom* is a parameter, a variable or an expression together with the values that matter: every constant that it is
compared with, and "anything else". `Stage == prod` and `Stage == dev` are one atom with three values, so both never
hold at once. A *condition* is a formula over atoms; a *scenario* gives each atom that was asked for one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

OTHER = "\x00other"
"""The value of an atom that is none of the constants it is compared with."""

MANY_ASSIGNMENTS = 4096


class Atom:
    """A parameter, variable or expression whose value decides something.

    `name` is written for the user (`var.env`, `Stage`, or the text of an expression). `domain` is the closed list of
    values it can take, or None when it may be anything. `default` is the value looked at first.
    """

    __slots__ = ("name", "constants", "domain", "default", "boolean")

    def __init__(
        self, name: str, domain: Iterable[str] | None = None, default: str | None = None, *, boolean: bool = False
    ) -> None:
        self.name = name
        self.boolean = boolean
        self.domain = ("true", "false") if boolean else None if domain is None else tuple(domain)
        self.constants: list[str] = list(self.domain or ())
        self.default = default

    def values(self) -> list[str]:
        """Every value that matters."""
        return list(self.domain) if self.domain is not None else [*self.constants, OTHER]

    def first(self) -> str:
        """The value of the default scenario."""
        if self.default is None:
            return self.values()[-1] if self.domain is None else self.domain[0]
        return self.default if self.default in self.constants or self.domain is not None else OTHER

    def compare(self, constant: str) -> Condition:
        """Return the condition that the atom equals a constant."""
        if self.domain is not None:
            if constant not in self.domain:
                return FALSE
        elif constant not in self.constants:
            self.constants.append(constant)
        return Is(self, frozenset((constant,)))

    def describe(self, value: str) -> str:
        """Say in words that the atom has this value."""
        if self.boolean:
            return f"{self.name} is {value}"
        if value != OTHER:
            return f'{self.name} == "{value}" is true'
        return " and ".join(f'{self.name} == "{constant}" is false' for constant in self.constants) or self.name

    def __repr__(self) -> str:
        return f"Atom({self.name})"


class Condition:
    """A formula over atoms."""

    __slots__ = ()

    def atoms(self) -> Iterator[Atom]:
        """Every atom in it."""
        return iter(())

    def holds(self, scenario: Scenario) -> bool:
        """Whether it holds in a scenario; asks the scenario for each atom that matters."""
        raise NotImplementedError


class _Constant(Condition):
    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value

    def holds(self, scenario: Scenario) -> bool:
        return self.value

    def __repr__(self) -> str:
        return str(self.value)


TRUE: Condition = _Constant(True)
FALSE: Condition = _Constant(False)


class Is(Condition):
    """An atom has one of these values (or, negated, none of them)."""

    __slots__ = ("atom", "wanted", "negated")

    def __init__(self, atom: Atom, wanted: frozenset[str], negated: bool = False) -> None:
        self.atom = atom
        self.wanted = wanted
        self.negated = negated

    def atoms(self) -> Iterator[Atom]:
        """The one atom."""
        yield self.atom

    def holds(self, scenario: Scenario) -> bool:
        """Whether the atom has one of the values."""
        return (scenario.value(self.atom) in self.wanted) is not self.negated

    def __repr__(self) -> str:
        return f"{self.atom.name} {'not ' if self.negated else ''}in {sorted(self.wanted)}"


class Several(Condition):
    """All, or any, of several conditions.

    Conditions share parts: a template's fortieth may be made of those before it, each twice. So what was found out of
    one is kept: its atoms and its opposite here, whether it holds in the scenario. Else the work doubles with each.
    """

    __slots__ = ("parts", "every", "opposite", "_atoms")

    def __init__(self, parts: tuple[Condition, ...], every: bool) -> None:
        self.parts = parts
        self.every = every
        self.opposite: Several | None = None
        self._atoms: tuple[Atom, ...] | None = None

    def atoms(self) -> Iterator[Atom]:
        """Every atom in it, once."""
        if self._atoms is None:
            self._atoms = tuple(dict.fromkeys(atom for part in self.parts for atom in part.atoms()))
        return iter(self._atoms)

    def holds(self, scenario: Scenario) -> bool:
        """Whether all, or any, hold."""
        known = scenario.known.get(self)
        if known is None:
            test = all if self.every else any
            known = scenario.known[self] = test(part.holds(scenario) for part in self.parts)
        return known

    def __repr__(self) -> str:
        return f"({(' and ' if self.every else ' or ').join(map(repr, self.parts))})"


def both(*parts: Condition) -> Condition:
    """All of the conditions."""
    return _several(parts, every=True)


def either(*parts: Condition) -> Condition:
    """Any of the conditions."""
    return _several(parts, every=False)


def _several(parts: tuple[Condition, ...], every: bool) -> Condition:
    neutral, deciding = (TRUE, FALSE) if every else (FALSE, TRUE)
    kept: list[Condition] = []
    for part in parts:
        if part is deciding:
            return deciding
        if part is not neutral and not any(part is other for other in kept):
            kept.append(part)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Several(tuple(kept), every)


def negate(condition: Condition) -> Condition:
    """The opposite of a condition."""
    if condition is TRUE:
        return FALSE
    if condition is FALSE:
        return TRUE
    if isinstance(condition, Is):
        return Is(condition.atom, condition.wanted, not condition.negated)
    assert isinstance(condition, Several)
    if condition.opposite is None:
        condition.opposite = Several(tuple(negate(part) for part in condition.parts), not condition.every)
        condition.opposite.opposite = condition
    return condition.opposite


def can_hold(*conditions: Condition) -> bool:
    """Whether all the conditions can hold at once.

    Beyond a few thousand assignments the answer is yes: it only ever makes an absence undecided.
    """
    whole = both(*conditions)
    if whole is TRUE or whole is FALSE:
        return whole is TRUE
    atoms = list(dict.fromkeys(whole.atoms()))
    total = 1
    for atom in atoms:
        total *= max(1, len(atom.values()))
        if total > MANY_ASSIGNMENTS:
            return True
    return any(
        whole.holds(Scenario(dict(zip(atoms, values, strict=True))))
        for values in product(*(atom.values() for atom in atoms))
    )


class Scenario:
    """One value for each atom that was asked for, in the order of asking; `known` is what follows for conditions."""

    __slots__ = ("assigned", "known")

    def __init__(self, assigned: dict[Atom, str] | None = None) -> None:
        self.assigned: dict[Atom, str] = dict(assigned or {})
        self.known: dict[Several, bool] = {}

    def value(self, atom: Atom) -> str:
        """Return the atom's value here; an atom not yet decided gets its first value."""
        found = self.assigned.get(atom)
        if found is None:
            found = self.assigned[atom] = atom.first()
        return found

    def __repr__(self) -> str:
        return f"Scenario({', '.join(atom.describe(value) for atom, value in self.assigned.items())})"
