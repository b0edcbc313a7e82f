"""Values that hang on conditions: applying a function to several of them, branch by branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hoplint.model.condition import (
    FALSE,
    TRUE,
    Condition,
    Is,
    Several,
    both,
    either,
    negate,
)
from hoplint.model.number import Symbol
from hoplint.model.place import Site
from hoplint.model.value import Choice, Known, Step, Through, Unknown, Value, choose

MANY_BRANCHES = 64


class Facts:
    """What is assumed: of an atom, that it has or has none of some values; and whether whole conditions hold."""

    __slots__ = ("atoms", "conditions")

    def __init__(
        self,
        atoms: dict[int, tuple[bool, frozenset[str]]] | None = None,
        conditions: dict[object, bool] | None = None,
    ) -> None:
        self.atoms = atoms or {}
        self.conditions = conditions or {}


class Invalid(Unknown):
    """What Terraform would refuse: `try` passes over it, and a branch that gives it cannot be deployed."""

    __slots__ = ()

    def __init__(self, why: str, site: Site | None = None, symbol: Symbol | None = None, through: Through = ()) -> None:
        super().__init__(why, site, symbol, through)

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same, standing elsewhere."""
        return Invalid(self.why, site, self.symbol, through)


class _TooMany(Exception):
    pass


def lift(values: Sequence[Value], apply: Callable[[list[Value]], Value], site: Site | None = None) -> Value:
    """Apply a function that knows nothing of choices to every combination of branches that can be.

    Beyond some dozens of combinations the result is unknown.
    """
    if not any(isinstance(value, Choice) for value in values):
        return apply(list(values))
    budget = [MANY_BRANCHES]
    try:
        return _lift(list(values), apply, Facts(), budget, site)
    except _TooMany:
        return Unknown("it depends on too many conditions", site)


def _lift(
    values: list[Value], apply: Callable[[list[Value]], Value], facts: Facts, budget: list[int], site: Site | None
) -> Value:
    for at, value in enumerate(values):
        while isinstance(value, Choice):
            known = decided(value.condition, facts)
            if known is None:
                break
            value = branch(value, known)
        values[at] = value
        if isinstance(value, Choice):
            rest = values[at:]
            then = _lift(values[:at] + rest, apply, assume(facts, value.condition, True), budget, site)
            otherwise = _lift(values[:at] + rest, apply, assume(facts, value.condition, False), budget, site)
            return Choice(value.condition, then, otherwise, site or value.site)
    budget[0] -= 1
    if budget[0] < 0:
        raise _TooMany
    return apply(values)


def under(value: Value, condition: Condition, holds: bool) -> Value:
    """The value where a condition is known to hold, or not to."""
    if not isinstance(value, Choice):
        return value
    try:
        return _lift([value], lambda found: found[0], assume(Facts(), condition, holds), [MANY_BRANCHES], value.site)
    except _TooMany:
        return value


def branch(choice: Choice, holds: bool) -> Value:
    """One branch of a choice, come the way that the choice came."""
    value = choice.then if holds else choice.otherwise
    return value.moved(value.site, choice.through + value.through) if choice.through else value


def decided(condition: Condition, facts: Facts) -> bool | None:
    """Whether a condition holds under what is assumed, or None if that does not decide it."""
    if condition is TRUE or condition is FALSE:
        return condition is TRUE
    if isinstance(condition, Is):
        fact = facts.atoms.get(id(condition.atom))
        return None if fact is None else _decided_by(condition, *fact)
    if isinstance(condition, Several):
        open_part = False
        for part in condition.parts:
            known = decided(part, facts)
            if known is None:
                open_part = True
            elif known is not condition.every:
                return known
        if not open_part:
            return condition.every
        key, positive = _key(condition)
        assumed = facts.conditions.get(key)
        return None if assumed is None else assumed is positive
    return None


def _decided_by(condition: Is, has: bool, values: frozenset[str]) -> bool | None:
    domain = condition.atom.domain
    if has:
        answer = True if values <= condition.wanted else None if values & condition.wanted else False
    elif condition.wanted <= values:
        answer = False
    else:
        answer = True if domain is not None and set(domain) - values <= condition.wanted else None
    return answer if answer is None or not condition.negated else not answer


def assume(facts: Facts, condition: Condition, holds: bool) -> Facts:
    """What is known once a condition holds, or does not."""
    if isinstance(condition, Is):
        has = holds is not condition.negated
        known = facts.atoms.get(id(condition.atom))
        values = condition.wanted
        if known is not None:
            if known[0]:
                values = known[1] & values if has else known[1] - values
                has = True
            elif has:
                values = values - known[1]
            else:
                values = values | known[1]
        return Facts({**facts.atoms, id(condition.atom): (has, values)}, facts.conditions)
    if isinstance(condition, Several):
        key, positive = _key(condition)
        facts = Facts(facts.atoms, {**facts.conditions, key: holds is positive})
        if condition.every is holds:
            for part in condition.parts:
                facts = assume(facts, part, holds)
    return facts


def _key(condition: Condition) -> tuple[object, bool]:
    """What tells a condition from others, the same for its opposite, and which of both it is."""
    if isinstance(condition, Is):
        return (id(condition.atom), condition.wanted), not condition.negated
    if isinstance(condition, Several):
        # "Any of" is the opposite of "none of": both are kept as "all of".
        keys = [_key(part) for part in condition.parts]
        return frozenset((key, positive is condition.every) for key, positive in keys), condition.every
    return condition, True


def possible(value: Value) -> Value:
    """The value without the branches that Terraform would refuse: what stands there whenever it can be deployed."""
    if not isinstance(value, Choice):
        return value
    then, otherwise = possible(value.then), possible(value.otherwise)
    if isinstance(then, Invalid):
        return otherwise.moved(otherwise.site, value.through + otherwise.through)
    if isinstance(otherwise, Invalid):
        return then.moved(then.site, value.through + then.through)
    if then is value.then and otherwise is value.otherwise:
        return value
    return Choice(value.condition, then, otherwise, value.site, value.through)


def truth(value: Value) -> Condition | None:
    """A truth value as a condition: None where it is unknown, or no truth value."""
    if isinstance(value, Known):
        if isinstance(value.data, bool):
            return TRUE if value.data else FALSE
        if value.data in ("true", "false"):
            return TRUE if value.data == "true" else FALSE
        return None
    if isinstance(value, Choice):
        if isinstance(value.then, Invalid):
            return truth(value.otherwise)
        if isinstance(value.otherwise, Invalid):
            return truth(value.then)
        then, otherwise = truth(value.then), truth(value.otherwise)
        if then is None or otherwise is None:
            return None
        return either(both(value.condition, then), both(negate(value.condition), otherwise))
    return None


def truth_value(condition: Condition, site: Site | None, through: Through = ()) -> Value:
    """A condition as a truth value."""
    yes, no = Known(True, site, "computed", through), Known(False, site, "computed", through)
    return choose(condition, yes, no, site)


def steps_of(values: Sequence[Value]) -> Through:
    """The way of a computed value: that of its operands if only one of them came through variables.

    Otherwise only what must not be printed is kept.
    """
    found: Through = ()
    several = False
    for value in values:
        if value.through and value.through != found:
            several = several or bool(found)
            found = found if several else value.through
    if not several:
        return found
    kept: dict[int, Step] = {}
    for value in values:
        for step in value.through:
            if step.secret or step.how == "environment":
                kept[id(step)] = step
    return tuple(kept.values())


def stepped(value: Value, step: Step) -> Value:
    """The value, come through one more variable, inside those that it came through so far."""
    if isinstance(value, Choice):
        return Choice(
            value.condition, stepped(value.then, step), stepped(value.otherwise, step), value.site, value.through
        )
    return value.moved(value.site, (*value.through, step))
