"""Values as a reader found them: certain, referring, partly known, or unknown, never guessed.

A `Value` has no truth value and no equality with plain data: whoever uses one says what it handles. Every value knows
its `site` (where the expression stands that gives it) and `through`: the variables it came through, outermost first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Union

from hoplint.model.condition import FALSE, TRUE, Condition
from hoplint.model.number import Quantity, Symbol
from hoplint.model.place import Site

if TYPE_CHECKING:
    from hoplint.model.resource import Resource

MANY_DIGITS = 400
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")

WRITTEN, COMPUTED, DEFAULT = "written", "computed", "default"

Data = Union[str, bool, int, Fraction, None, "list[Value]", "dict[str, Value]"]


class Step:
    """A variable or parameter that a value came through.

    `name` is what the user calls it (`var.timeout`, `module.orders.timeout`, `Timeout`). `site` is where the value
    was given: a module argument, a default, a line of a tfvars or parameter file; None when it came from the command
    line or the environment. `how` is one of argument, default, file, option, environment. A `secret` value is used
    and never printed.
    """

    __slots__ = ("name", "site", "how", "secret")

    def __init__(self, name: str, site: Site | None, how: str, secret: bool = False) -> None:
        self.name = name
        self.site = site
        self.how = how
        self.secret = secret

    def __repr__(self) -> str:
        return f"Step({self.name}, {self.how})"


Through = tuple[Step, ...]


class Value:
    """What an expression gives."""

    __slots__ = ("site", "through")
    site: Site | None
    through: Through

    def __bool__(self) -> bool:
        raise TypeError("a Value has no truth value")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            raise TypeError("a Value is not compared with plain data")
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere or come through more variables."""
        raise NotImplementedError

    def via(self, step: Step) -> Value:
        """The same value, come through one more variable, outside those it came through so far."""
        return self.moved(self.site, (step, *self.through))

    @property
    def place_of_change(self) -> Site | None:
        """Where the user can change it: the outermost argument, default or file line, else the expression."""
        for step in self.through:
            if step.site is not None:
                return step.site
        return self.site


class Known(Value):
    """Certain data: text, truth, number (int or Fraction), null, a list of values, or a mapping of values.

    `origin` is written, computed, or default (AWS's own value, since the author said nothing). `source` is the one
    literal that decides it, or None: what a fix may change. `unordered` marks a set.
    """

    __slots__ = ("data", "origin", "source", "unordered")

    def __init__(
        self,
        data: Data,
        site: Site | None = None,
        origin: str = WRITTEN,
        through: Through = (),
        source: Site | None = None,
        unordered: bool = False,
    ) -> None:
        self.data = data
        self.site = site
        self.origin = origin
        self.through = through
        self.source = source
        self.unordered = unordered

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Known(self.data, site, self.origin, through, self.source, self.unordered)

    def __repr__(self) -> str:
        return f"Known({self.data!r})"


class Ref(Value):
    """An attribute of a resource that is known only after deployment: a queue's ARN.

    `attribute` is the neutral name: arn, url, name, id, qualified_arn, version, stream_arn …
    """

    __slots__ = ("target", "attribute")

    def __init__(self, target: Resource, attribute: str, site: Site | None = None, through: Through = ()) -> None:
        self.target = target
        self.attribute = attribute
        self.site = site
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Ref(self.target, self.attribute, site, through)

    def __repr__(self) -> str:
        return f"Ref({self.target.address}.{self.attribute})"


class Text(Value):
    """A string some of whose pieces are not known: `parts` are plain strings, `Ref`s and `Unknown`s."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[str | Value, ...], site: Site | None = None, through: Through = ()) -> None:
        self.parts = parts
        self.site = site
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Text(self.parts, site, through)

    def __repr__(self) -> str:
        return f"Text({self.parts!r})"


class Unknown(Value):
    """Nothing is certain; `why` is written for the user and says, where it can, what would make it known.

    `symbol` identifies what is unknown: the same variable, region or account is the same symbol everywhere.
    """

    __slots__ = ("why", "symbol")

    def __init__(self, why: str, site: Site | None = None, symbol: Symbol | None = None, through: Through = ()) -> None:
        self.why = why
        self.site = site
        self.symbol = symbol or Symbol("an unknown value", why)
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Unknown(self.why, site, self.symbol, through)

    def __repr__(self) -> str:
        return f"Unknown({self.why})"


class Number(Value):
    """A number with symbols in it."""

    __slots__ = ("quantity",)

    def __init__(self, quantity: Quantity, site: Site | None = None, through: Through = ()) -> None:
        self.quantity = quantity
        self.site = site
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Number(self.quantity, site, through)

    def __repr__(self) -> str:
        return f"Number({self.quantity})"


class Encoded(Value):
    """A string that is the JSON of a value: `jsonencode(…)`, a policy document, an object where text is meant."""

    __slots__ = ("tree",)

    def __init__(self, tree: Value, site: Site | None = None, through: Through = ()) -> None:
        self.tree = tree
        self.site = site
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Encoded(self.tree, site, through)

    def __repr__(self) -> str:
        return f"Encoded({self.tree!r})"


class Choice(Value):
    """One value where a condition holds, another where it does not; `settle` picks by the scenario."""

    __slots__ = ("condition", "then", "otherwise")

    def __init__(
        self, condition: Condition, then: Value, otherwise: Value, site: Site | None = None, through: Through = ()
    ) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.site = site
        self.through = through

    def moved(self, site: Site | None, through: Through) -> Value:
        """The same value, standing elsewhere."""
        return Choice(self.condition, self.then, self.otherwise, site, through)

    def __repr__(self) -> str:
        return f"Choice({self.condition!r}, {self.then!r}, {self.otherwise!r})"


def choose(condition: Condition, then: Value, otherwise: Value, site: Site | None = None) -> Value:
    """The value under a condition; a condition that is decided leaves no choice."""
    if condition is TRUE:
        return then
    if condition is FALSE:
        return otherwise
    return Choice(condition, then, otherwise, site)


def map_choices(value: Value, convert: Callable[[Value], Value]) -> Value:
    """Apply a function to each branch of a choice."""
    if not isinstance(value, Choice):
        return convert(value)
    return Choice(
        value.condition,
        map_choices(value.then, convert),
        map_choices(value.otherwise, convert),
        value.site,
        value.through,
    )


def branches(value: Value, condition: Condition = TRUE) -> Iterator[tuple[Value, Condition]]:
    """Every value that a choice can be, with the condition under which it is."""
    if not isinstance(value, Choice):
        yield value, condition
        return
    from hoplint.model.condition import both, negate

    yield from branches(_inherit(value, value.then), both(condition, value.condition))
    yield from branches(_inherit(value, value.otherwise), both(condition, negate(value.condition)))


def _inherit(choice: Choice, branch: Value) -> Value:
    """A branch keeps the way its choice came, so that findings point where the choice was handed in."""
    return branch.moved(branch.site, choice.through + branch.through) if choice.through else branch


def is_null(value: Value) -> bool:
    """Whether the value is certainly null, which stands for an absent setting."""
    return isinstance(value, Known) and value.data is None


def secret_name(value: Value) -> str | None:
    """What to print instead of a value that must not be printed."""
    for step in value.through:
        if step.secret:
            return f"{step.name} (sensitive)"
        if step.how == "environment":
            return f"{step.name} (from the environment)"
    return None


def text_parts(value: Value) -> tuple[str | Value, ...] | None:
    """The pieces of a value used as a string; None if it cannot be one (null, a list, a mapping).

    An `Encoded` value is one opaque piece: take `hoplint.model.embedded.document` to look inside.
    """
    if isinstance(value, Known):
        if isinstance(value.data, str):
            return (value.data,)
        if value.data is None or isinstance(value.data, list | dict):
            return None
        return (print_scalar(value.data),)
    if isinstance(value, Text):
        return value.parts
    return (value,)


def print_scalar(data: str | bool | int | Fraction) -> str:
    """A scalar as Terraform and CloudFormation put it into a string."""
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, Fraction):
        if data.denominator == 1:
            return str(data.numerator)
        return f"{float(data):.15g}"
    return str(data)


def join_text(pieces: list[str | Value], site: Site | None = None, through: Through = ()) -> Value:
    """Put pieces together: a `Known` string where all are known, else a `Text`."""
    merged: list[str | Value] = []
    for piece in pieces:
        if isinstance(piece, Known) and isinstance(piece.data, str) and piece.data:
            piece = piece.data
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "" if isinstance(piece, str) else True:
            merged.append(piece)
    if not merged:
        return Known("", site, COMPUTED, through)
    if len(merged) == 1:
        only = merged[0]
        if isinstance(only, str):
            return Known(only, site, COMPUTED, through)
        if isinstance(only, Ref | Unknown):
            return only.moved(site or only.site, through or only.through)
    return Text(tuple(merged), site, through)


def quantity(value: Value) -> Quantity | None:
    """The value as a number (numeric strings count, as they do in both dialects), or None if it is none.

    An unknown value is its symbol.
    """
    shown = secret_name(value) if value.through else None
    if isinstance(value, Number):
        return Quantity(value.quantity.const, value.quantity.terms, value.quantity.bounds, shown)
    if isinstance(value, Unknown):
        return Quantity(0, {value.symbol: 1}, None, shown)
    if isinstance(value, Known):
        exact = exact_number(value.data)
        return None if exact is None else Quantity(exact, shown=shown)
    if isinstance(value, Ref | Text):
        return Quantity(0, {Symbol("a value known after deployment"): 1})
    return None


def exact_number(data: object) -> int | Fraction | None:
    """Data as an exact number, or None."""
    if isinstance(data, bool) or data is None:
        return None
    if isinstance(data, int):
        return data
    if isinstance(data, Fraction):
        return int(data) if data.denominator == 1 else data
    if isinstance(data, str):
        found = _NUMBER.fullmatch(data.strip())
        # 1e999999999 is a short text and a number of a billion digits.
        if found is None or len(data) > MANY_DIGITS or abs(int(found.group(1) or "0")) > MANY_DIGITS:
            return None
        number = Fraction(found.group())
        return int(number) if number.denominator == 1 else number
    return None


def plain(value: Value) -> object:
    """The value as plain Python data (str, bool, int, Fraction, None, list, dict), if all of it is known.

    Raises LookupError with the reason where a part is not known.
    """
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return [plain(item) for item in value.data]
        if isinstance(value.data, dict):
            return {key: plain(item) for key, item in value.data.items()}
        return value.data
    raise LookupError(reason(value))


def reason(value: Value) -> str:
    """Why a value is not plainly known, for the user."""
    if isinstance(value, Unknown):
        return value.why
    if isinstance(value, Ref):
        return f"{value.target.address}'s {value.attribute} is known only after deployment"
    if isinstance(value, Text):
        return next((reason(part) for part in value.parts if isinstance(part, Value)), "a string is only partly known")
    if isinstance(value, Number):
        return value.quantity.why
    if isinstance(value, Choice):
        atom = next(value.condition.atoms(), None)
        return f"it depends on {atom.name}" if atom else "it depends on a condition"
    if isinstance(value, Encoded):
        return reason(value.tree)
    if isinstance(value, Known) and isinstance(value.data, list):
        return next((reason(item) for item in value.data if not isinstance(item, Known)), "")
    if isinstance(value, Known) and isinstance(value.data, dict):
        return next((reason(item) for item in value.data.values() if not isinstance(item, Known)), "")
    return ""
