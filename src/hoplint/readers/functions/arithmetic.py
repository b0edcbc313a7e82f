"""Functions on numbers; unknown ones keep what is certain of their range."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hoplint.model.number import Bound, Quantity, Symbol
from hoplint.model.value import Known, Unknown, Value
from hoplint.readers.functions.base import (
    Context,
    Exact,
    Function,
    Stop,
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
    """A result in floating point; Terraform prints the fewest digits that tell it from its neighbours."""
    if math.isnan(result) or math.isinf(result):
        raise refuse("the result is not a finite number")
    number = Fraction(repr(result))
    if math.frexp(result)[0] in (0.5, -0.5):
        # Below a power of two the neighbour is nearer, which Go's shortest form leaves out of account.
        half = Fraction(math.ulp(result)) / 2
        digits = (Fraction(f"{result:.{places}e}") for places in range(17))
        number = next((one for one in digits if abs(one - Fraction(result)) <= half), number)
    return computed(int(number) if number.denominator == 1 else number)


_LOG = (
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
)  # fmt: skip
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def _natural_log(number: float) -> float:
    """The logarithm as Go computes it, which in the last digit is not always as C does."""
    mantissa, exponent = math.frexp(number)
    if mantissa < math.sqrt(2) / 2:
        mantissa *= 2
        exponent -= 1
    part = mantissa - 1
    ratio = part / (2 + part)
    square = ratio * ratio
    fourth = square * square
    odd = square * (_LOG[0] + fourth * (_LOG[2] + fourth * (_LOG[4] + fourth * _LOG[6])))
    even = fourth * (_LOG[1] + fourth * (_LOG[3] + fourth * _LOG[5]))
    half = 0.5 * part * part
    return exponent * _LN2_HIGH - ((half - (ratio * (half + (odd + even)) + exponent * _LN2_LOW)) - part)


def _log(args: list[Value], context: Context) -> Value:
    number, base = _as_float(args[0]), _as_float(args[1])
    if base == 0 and number > 0:
        return computed(0)
    if number <= 0 or base <= 0 or base == 1:
        raise refuse("the result is not a finite number")
    return _from_float(_natural_log(number) / _natural_log(base))


def _pow(args: list[Value], context: Context) -> Value:
    number, power = _as_float(args[0]), _as_float(args[1])
    if number in (0, 1) or power == 0:
        if number == 0 and power < 0:
            raise refuse("the result is not a finite number")
        return computed(1 if power == 0 or number == 1 else 0)
    if power in (0.5, -0.5) and number > 0:
        return _from_float(math.sqrt(number) if power > 0 else 1 / math.sqrt(number))
    if power != int(power):
        if number < 0:
            raise refuse("the result is not a number")
        raise Stop(Unknown("pow() with such an exponent is not computed"))
    if abs(power) >= 2**63:
        raise Stop(Unknown("pow() with such an exponent is not computed"))
    return _from_float(_whole_power(number, int(power)))


def _whole_power(number: float, power: int) -> float:
    """A whole power by squaring, as Go does it."""
    result, exponent = 1.0, 0
    mantissa, scale = math.frexp(number)
    left = abs(power)
    while left:
        if not -4096 < scale < 4096:
            exponent += scale
            break
        if left & 1:
            result *= mantissa
            exponent += scale
        mantissa *= mantissa
        scale *= 2
        if mantissa < 0.5:
            mantissa += mantissa
            scale -= 1
        left >>= 1
    if power < 0:
        result, exponent = 1 / result, -exponent
    try:
        return math.ldexp(result, exponent)
    except OverflowError:
        return math.inf


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
