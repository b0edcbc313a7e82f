"""Exact numbers that may hold unknown, bounded symbols, and what can be said of comparing them."""

from __future__ import annotations

from fractions import Fraction
from math import inf

Exact = int | Fraction
Bound = int | Fraction | float
Interval = tuple[Bound, Bound]
EVERYTHING: Interval = (-inf, inf)


class Test:
    """The answer to a question about values that may be unknown.

    It has no truth value: ask `certainly(test)` or `possibly(test)`. `why` says what would decide it.
    """

    __slots__ = ("certain", "possible", "why")
    __test__ = False

    def __init__(self, certain: bool, possible: bool, why: str = "") -> None:
        self.certain = certain
        self.possible = possible
        self.why = why

    def __bool__(self) -> bool:
        raise TypeError("a Test has no truth value: use certainly() or possibly()")

    def __and__(self, other: Test) -> Test:
        return Test(self.certain and other.certain, self.possible and other.possible, self.why or other.why)

    def __or__(self, other: Test) -> Test:
        return Test(self.certain or other.certain, self.possible or other.possible, self.why or other.why)

    def __invert__(self) -> Test:
        return Test(not self.possible, not self.certain, self.why)

    def __repr__(self) -> str:
        return "certain" if self.certain else f"possible ({self.why})" if self.possible else "impossible"


YES = Test(True, True)
NO = Test(False, False)


def maybe(why: str) -> Test:
    """An answer that cannot be known, and why."""
    return Test(False, True, why)


class Symbol:
    """An unknown number: a variable without a value, or an attribute that cannot be known.

    `name` is printed in its place; `why` says what would make it known. Two values of one variable share the symbol.
    """

    __slots__ = ("name", "low", "high", "why")

    def __init__(self, name: str, why: str = "", low: Bound = -inf, high: Bound = inf) -> None:
        self.name = name
        self.why = why or f"{name} is not known"
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return f"Symbol({self.name})"


class Quantity:
    """A constant plus multiples of symbols.

    `bounds` narrows symbols where the quantity is used (a function's timeout is at least 1 s, whatever its variable
    allows). `shown` replaces the figure in texts when the value is secret.
    """

    __slots__ = ("const", "terms", "bounds", "shown")

    def __init__(
        self,
        const: Exact,
        terms: dict[Symbol, Exact] | None = None,
        bounds: dict[Symbol, Interval] | None = None,
        shown: str | None = None,
    ) -> None:
        self.const = const
        self.terms = terms or {}
        self.bounds = bounds or {}
        self.shown = shown

    @property
    def exact(self) -> Exact | None:
        """The number, if no symbol is in it."""
        return None if self.terms else _whole(self.const)

    def _combine(self, other: Quantity | Exact, sign: int) -> Quantity:
        if not isinstance(other, Quantity):
            return Quantity(self.const + sign * other, self.terms, self.bounds, self.shown)
        terms = dict(self.terms)
        for symbol, factor in other.terms.items():
            total = terms.get(symbol, 0) + sign * factor
            if total:
                terms[symbol] = total
            else:
                terms.pop(symbol, None)
        return Quantity(
            self.const + sign * other.const, terms, _merge(self.bounds, other.bounds), self.shown or other.shown
        )

    def __add__(self, other: Quantity | Exact) -> Quantity:
        return self._combine(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Quantity | Exact) -> Quantity:
        return self._combine(other, -1)

    def __rsub__(self, other: Exact) -> Quantity:
        return self * -1 + other

    def __mul__(self, other: Quantity | Exact) -> Quantity:
        if isinstance(other, Quantity):
            if other.terms and self.terms:
                low, high = _product(self.interval(), other.interval())
                return Quantity(0, {Symbol(f"{self} × {other}", self.why or other.why, low, high): 1})
            if self.terms:
                return self * other.const
            return (
                other * self.const
                if not other.shown
                else Quantity(
                    other.const * self.const,
                    {s: f * self.const for s, f in other.terms.items()},
                    other.bounds,
                    other.shown,
                )
            )
        terms = {symbol: factor * other for symbol, factor in self.terms.items()} if other else {}
        return Quantity(self.const * other, terms, self.bounds, self.shown)

    __rmul__ = __mul__

    def interval(self) -> Interval:
        """The least and the greatest value that it can take."""
        low: Bound = self.const
        high: Bound = self.const
        for symbol, factor in self.terms.items():
            least, most = self.range_of(symbol)
            if factor < 0:
                least, most = most, least
            low += factor * least
            high += factor * most
        return low, high

    def range_of(self, symbol: Symbol) -> Interval:
        """The bounds of one symbol here."""
        low, high = self.bounds.get(symbol, EVERYTHING)
        return max(low, symbol.low), min(high, symbol.high)

    def within(self, low: Bound, high: Bound) -> Quantity:
        """The same, known to lie in a range: where one symbol decides, its bounds follow.

        A constant is left alone: a value outside its range is a finding of its own.
        """
        if len(self.terms) != 1:
            return self
        ((symbol, factor),) = self.terms.items()
        ends = sorted(((low - self.const) / factor, (high - self.const) / factor))
        return Quantity(self.const, self.terms, _merge(self.bounds, {symbol: (ends[0], ends[1])}), self.shown)

    @property
    def why(self) -> str:
        """What would make it known."""
        return next((symbol.why for symbol in self.terms), "")

    def _compare(self, other: Quantity | Bound, strict: bool) -> Test:
        """Whether self < other (strict) or self <= other."""
        low: Bound
        high: Bound
        if isinstance(other, float):
            # Infinity, where a range has no end on this side.
            low, high = (bound - other for bound in self.interval())
        else:
            low, high = (self - other).interval()
        certain = high < 0 if strict else high <= 0
        possible = low < 0 if strict else low <= 0
        return Test(certain, possible or certain, self.why or (other.why if isinstance(other, Quantity) else ""))

    def __lt__(self, other: Quantity | Bound) -> Test:
        return self._compare(other, strict=True)

    def __le__(self, other: Quantity | Bound) -> Test:
        return self._compare(other, strict=False)

    def __gt__(self, other: Quantity | Bound) -> Test:
        return ~self._compare(other, strict=False)

    def __ge__(self, other: Quantity | Bound) -> Test:
        return ~self._compare(other, strict=True)

    def equals(self, other: Quantity | Exact) -> Test:
        """Whether both are the same number."""
        low, high = (self - other).interval()
        return Test(low == high == 0, low <= 0 <= high, self.why)

    def __bool__(self) -> bool:
        raise TypeError("a Quantity has no truth value: compare it and ask certainly() or possibly()")

    def __str__(self) -> str:
        if self.shown:
            return self.shown
        pieces = [
            symbol.name if factor == 1 else f"{_text(factor)} × {symbol.name}" for symbol, factor in self.terms.items()
        ]
        if self.const or not pieces:
            pieces.append(_text(self.const))
        return " + ".join(pieces)

    __repr__ = __str__


def _merge(left: dict[Symbol, Interval], right: dict[Symbol, Interval]) -> dict[Symbol, Interval]:
    if not right or left is right:
        return left
    merged = dict(left)
    for symbol, (low, high) in right.items():
        old = merged.get(symbol, EVERYTHING)
        merged[symbol] = (max(old[0], low), min(old[1], high))
    return merged


def _product(left: Interval, right: Interval) -> Interval:
    corners = [0 if 0 in (a, b) else a * b for a in left for b in right]
    return min(corners), max(corners)


def _whole(number: Exact) -> Exact:
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def _text(number: Exact) -> str:
    whole = _whole(number)
    return str(whole) if isinstance(whole, int) else f"{float(whole):g}"
