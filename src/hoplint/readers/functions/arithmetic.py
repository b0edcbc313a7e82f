"""Functions on numbers; unknown ones keep what is certain of their range."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hoplint.model.number import Bound, Quantity, Symbol
from hoplint.model.value import Known, Value
from hoplint.readers.functions.base import (
    Context,
    Exact,
    Function,
    amount,
    cannot,
    computed,
    exact,
    null,
    refuse,
    text,
    whole,
)
from hoplint.readers.functions.base import sequence as sequence_of
from hoplint.readers.functions.typesystem import listed
from hoplint.readers.operations import of_quantity

LONGEST_RANGE = 1024
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _symbolic(name: str, why: str, low: Bound, high: Bound) -> Value:
    return of_quantity(Quantity(0, {Symbol(name, why, low, high): 1}), None, ())


def _least(args: list[Value], context: Context) -> Value:
    return _extreme("min", [amount(arg) for arg in args], -1)


def _most(args: list[Value], context: Context) -> Value:
    return _extreme("max", [amount(arg) for arg in args], 1)


def _extreme(name: str, found: list[Quantity], sign: int) -> Value:
    if not found:
        raise refuse("must pass at least one number")
    best = _certain_extreme(found, sign)
    if best is not None:
        return of_quantity(best, None, ())
    ends = [quantity.interval() for quantity in found]
    choose: Callable[[list[Bound]], Bound] = max if sign > 0 else min
    low, high = choose([end[0] for end in ends]), choose([end[1] for end in ends])
    why = next((quantity.why for quantity in found if quantity.why), "")
    return _symbolic(f"{name}({', '.join(map(str, found))})", why, low, high)


def _certain_extreme(found: list[Quantity], sign: int) -> Quantity | None:
    """The one of several numbers that is the largest, or least, whatever the unknown ones are."""
    for one in found:
        if all(one is other or ((one >= other) if sign > 0 else (one <= other)).certain for other in found):
            return one
    return None


def _rounded(name: str, step: Callable[[Exact], int]) -> Function:
    def bound(end: Bound) -> Bound:
        return end if isinstance(end, float) else step(end)

    def apply(args: list[Value], context: Context) -> Value:
        number = amount(args[0])
        if number.exact is not None:
            return computed(step(number.exact))
        low, high = number.interval()
        return _symbolic(f"{name}({number})", number.why, bound(low), bound(high))

    return apply


def _abs(args: list[Value], context: Context) -> Value:
    number = amount(args[0])
    if number.exact is not None:
        return computed(abs(number.exact))
    low, high = number.interval()
    if low >= 0:
        return of_quantity(number, None, ())
    if high <= 0:
        return of_quantity(number * -1, None, ())
    return _symbolic(f"|{number}|", number.why, 0, max(-low, high))


def _signum(args: list[Value], context: Context) -> Value:
    number = amount(args[0])
    if number.exact is not None:
        value = whole(args[0])
        return computed((value > 0) - (value < 0))
    low, high = number.interval()
    if low > 0 or high < 0:
        return computed(1 if low > 0 else -1)
    return _symbolic(f"signum({number})", number.why, -1 if low < 0 else 0, 1 if high > 0 else 0)


def _as_float(value: Value) -> float:
    try:
        return float(exact(value))
    except OverflowError:
        raise refuse("the number is too large") from None


def _from_float(result: float) -> Value:
    if math.isnan(result) or math.isinf(result):
        raise refuse("the result is not a number")
    number = Fraction(result)
    return computed(int(number) if number.denominator == 1 else Fraction(repr(result)))


def _log(args: list[Value], context: Context) -> Value:
    number, base = _as_float(args[0]), _as_float(args[1])
    if number <= 0 or base <= 0 or base == 1:
        raise refuse("the result is not a finite number")
    return _from_float(math.log(number) / math.log(base))


def _pow(args: list[Value], context: Context) -> Value:
    number, power = _as_float(args[0]), _as_float(args[1])
    try:
        return _from_float(math.pow(number, power))
    except (OverflowError, ValueError):
        raise refuse("the result is not a finite number") from None


def _parseint(args: list[Value], context: Context) -> Value:
    if isinstance(args[0], Known) and not isinstance(args[0].data, str):
        raise refuse("first argument must be a string")
    written, base = text(args[0]), whole(args[1])
    if not 2 <= base <= 62:
        raise refuse("base must be a whole number between 2 and 62 inclusive")
    digits = written[1:] if written[:1] in ("+", "-") else written
    number = 0
    if not digits or len(digits) > 4000:
        raise refuse(f'cannot parse "{written[:40]}" as a base {base} integer')
    for char in digits:
        place = _DIGITS.find(char if base > 36 else char.lower())
        if base > 36 and "A" <= char <= "Z":
            place = ord(char) - ord("A") + 36
        if not 0 <= place < base:
            raise refuse(f'cannot parse "{written[:40]}" as a base {base} integer')
        number = number * base + place
    return computed(-number if written.startswith("-") else number)


def _range(args: list[Value], context: Context) -> Value:
    if not 1 <= len(args) <= 3:
        raise refuse("must have one, two, or three arguments")
    numbers = [exact(arg) for arg in args]
    start, end = (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else (-1 if end < start else 1)
    if step == 0:
        raise refuse("step must not be zero")
    if (step < 0 and end > start) or (step > 0 and end < start):
        raise refuse("the end must be in the direction of the step")
    found: list[Value] = []
    at: Exact = start
    while (at > end) if step < 0 else (at < end):
        if len(found) >= LONGEST_RANGE:
            raise refuse(f"more than {LONGEST_RANGE} values were generated")
        found.append(computed(at))
        at = at + step
    return listed(found)


def _sum(args: list[Value], context: Context) -> Value:
    items = sequence_of(args[0])
    if not items:
        raise refuse("cannot sum an empty list")
    if isinstance(args[0], Known) and args[0].unordered and len(items) > 1:
        for item in items:
            if not isinstance(item, Known):
                raise cannot(item)
    total = Quantity(0)
    for item in items:
        if null(item):
            raise refuse("argument must be list, set, or tuple of number values")
        total = total + amount(item)
    return of_quantity(total, None, ())


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "abs": (_abs, 1, 1),
    "ceil": (_rounded("ceil", math.ceil), 1, 1),
    "floor": (_rounded("floor", math.floor), 1, 1),
    "log": (_log, 2, 2),
    "max": (_most, 0, None),
    "min": (_least, 0, None),
    "parseint": (_parseint, 2, 2),
    "pow": (_pow, 2, 2),
    "range": (_range, 0, None),
    "signum": (_signum, 1, 1),
    "sum": (_sum, 1, 1),
}
