"""Operators, conversions, attributes and indexes, as Terraform computes them, on values that may be partly known."""

from __future__ import annotations

from fractions import Fraction

from hoplint.model.condition import FALSE, Condition, Is, both, either, negate
from hoplint.model.number import Quantity, Symbol, Test
from hoplint.model.place import Site
from hoplint.model.value import (
    COMPUTED,
    Choice,
    Encoded,
    Known,
    Number,
    Ref,
    Step,
    Text,
    Through,
    Unknown,
    Value,
    exact_number,
    quantity,
    reason,
)
from hoplint.readers.choices import Invalid, lift, steps_of, truth, truth_value
from hoplint.readers.scope import NAMELESS, Scope
from hoplint.readers.syntax import Node

MANY_KEYS = 12
PRECISION = 512
MOST_DIGITS = 700


class Whole(Unknown):
    """Something that is unknown as a whole and has members: a resource, a module, a namespace.

    `single` tells one thing from instances that cannot be counted.
    """

    __slots__ = ()
    single = True

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        raise NotImplementedError

    def element(self, key: Value, scope: Scope, site: Site | None) -> Value:
        """Return one instance."""
        if isinstance(key, Known) and isinstance(key.data, str):
            return self.member(key.data, scope, site)
        return Unknown(self.why, site)

    def moved(self, site: Site | None, through: Through) -> Value:
        """It stands where it is declared, wherever it is referred to."""
        return self


def number_text(number: int | Fraction) -> str:
    """A number as Terraform prints it: the shortest decimal that stands for it within 512 bits."""
    if isinstance(number, int) or number.denominator == 1:
        return str(int(number))
    if number < 0:
        return f"-{number_text(-number)}"
    rounded = _round_bits(number)
    digits = 1
    while True:
        scaled = rounded * 10**digits
        whole = (scaled.numerator * 2 + scaled.denominator) // (2 * scaled.denominator)
        if digits > MOST_DIGITS or _round_bits(Fraction(whole, 10**digits)) == rounded:
            text = str(whole).rjust(digits + 1, "0")
            return f"{text[:-digits]}.{text[-digits:]}".rstrip("0").rstrip(".")
        digits += 1


def _calculated(operator: str, left: int | Fraction, right: int | Fraction) -> int | Fraction:
    """The result of an operation as Terraform keeps it: whole numbers exactly, others in 512 bits."""
    if isinstance(left, int) and isinstance(right, int) and operator in "+-*":
        return left + right if operator == "+" else left - right if operator == "-" else left * right
    first, second = _round_bits(Fraction(left)), _round_bits(Fraction(right))
    if operator in "+-*":
        result = first + second if operator == "+" else first - second if operator == "-" else first * second
    else:
        result = _round_bits(first / second)
        if operator == "%":
            whole = abs(result.numerator) // result.denominator * (1 if result > 0 else -1)
            result = first - _round_bits(second * whole)
    rounded = _round_bits(result)
    return int(rounded) if rounded.denominator == 1 else Fraction(number_text(rounded))


def _round_bits(number: Fraction) -> Fraction:
    if number <= 0:
        return number and -_round_bits(-number)
    shift = PRECISION - (number.numerator.bit_length() - number.denominator.bit_length())
    scaled = number * Fraction(2) ** shift
    while scaled >= 2**PRECISION:
        shift -= 1
        scaled /= 2
    while scaled < 2 ** (PRECISION - 1):
        shift += 1
        scaled *= 2
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    double = rest * 2
    if double > scaled.denominator or (double == scaled.denominator and whole % 2):
        whole += 1
    return Fraction(whole) / Fraction(2) ** shift


def scalar_text(data: str | bool | int | Fraction) -> str:
    """A scalar as Terraform turns it into a string."""
    if isinstance(data, str):
        return data
    if isinstance(data, bool):
        return "true" if data else "false"
    return number_text(data)


# --------------------------------------------------------------------------------------------------------------- parts


def inherit(outer: Value, inner: Value, name: str) -> Value:
    """A part of a value came the way that the whole came.

    Where the whole was written outside of all variables, the part's own place there is more exact than the argument.
    """
    if not outer.through:
        return inner
    exact = inner.site if not inner.through else None
    steps = []
    for step in outer.through:
        site = step.site
        if site is not None and exact is not None:
            site, exact = exact, None
        steps.append(Step(step.name + name, site, step.how, step.secret))
    return inner.moved(inner.site, (*inner.through, *steps))


def member(value: Value, name: str, scope: Scope, site: Site | None) -> Value:
    """`value.name`."""
    if isinstance(value, Choice):
        return lift([value], lambda branches: member(branches[0], name, scope, site), site)
    if isinstance(value, Whole):
        return value.member(name, scope, site)
    if isinstance(value, Invalid):
        return value
    if isinstance(value, Unknown):
        return scope.world.within(value, f".{name}", site)
    if isinstance(value, Known) and isinstance(value.data, dict):
        found = value.data.get(name)
        if found is not None:
            return inherit(value, found, f".{name}")
        return Invalid(f'there is no attribute "{name}"', site)
    return Invalid(f'this value has no attribute "{name}"', site)


def element(value: Value, key: Value, scope: Scope, site: Site | None, node: Node | None = None) -> Value:
    """`value[key]`."""
    if isinstance(value, Choice) or isinstance(key, Choice):
        return lift([value, key], lambda both_: element(both_[0], both_[1], scope, site, node), site)
    for part in (value, key):
        if isinstance(part, Invalid):
            return part
    if isinstance(value, Whole):
        return value.element(key, scope, site)
    if isinstance(value, Unknown):
        if isinstance(key, Known) and isinstance(key.data, str | int | Fraction):
            text = f"[{key.data}]" if not isinstance(key.data, str) else f".{key.data}"
            return scope.world.within(value, text, site)
        return Unknown(value.why, site, through=value.through)
    if not isinstance(value, Known) or not isinstance(value.data, list | dict):
        return Invalid("this value has no elements", site)
    if isinstance(key, Known):
        return _known_element(value, key, site)
    if isinstance(value.data, dict) and isinstance(key, Unknown):
        return _element_by_atom(value, key, scope, site, node)
    found = _alike(list(value.data.values() if isinstance(value.data, dict) else value.data), site)
    return Unknown(reason(key), site, through=key.through) if found is None else found


def _known_element(value: Known, key: Known, site: Site | None) -> Value:
    if isinstance(value.data, dict):
        if key.data is None or isinstance(key.data, list | dict):
            return Invalid("this is no key", site)
        name = scalar_text(key.data)
        found = value.data.get(name)
        if found is not None:
            return inherit(value, found, f".{name}")
    else:
        assert isinstance(value.data, list)
        number = exact_number(key.data)
        if not isinstance(number, int) or value.unordered:
            return Invalid("this is no index", site)
        if 0 <= number < len(value.data):
            return inherit(value, value.data[number], f"[{number}]")
    return Invalid("there is no such element", site)


def _element_by_atom(value: Known, key: Unknown, scope: Scope, site: Site | None, node: Node | None) -> Value:
    """An element whose key is a named unknown: one branch for each key."""
    assert isinstance(value.data, dict)
    if not 0 < len(value.data) <= MANY_KEYS or key.symbol.name == NAMELESS:
        return Unknown(key.why, site, through=key.through)
    atom = scope.world.atom(key, scope, node)
    result: Value = Invalid("there is no such element", site)
    for name in reversed(value.data):
        condition = atom.compare(name)
        if condition is not FALSE:
            result = Choice(condition, inherit(value, value.data[name], f".{name}"), result, site)
    return result


def _alike(items: list[Value], site: Site | None) -> Value | None:
    """The one reference that all of several values are."""
    first = items[0] if items else None
    if isinstance(first, Ref) and all(
        isinstance(item, Ref) and item.target is first.target and item.attribute == first.attribute for item in items
    ):
        return first.moved(site, first.through)
    return None


# ------------------------------------------------------------------------------------------------------------ equality


def same(left: Value, right: Value) -> bool | None:
    """Whether two values without choices at their top are equal, as Terraform compares; None if that is not known."""
    if isinstance(left, Known) and isinstance(right, Known):
        return _same_data(left, right)
    if isinstance(left, Ref) and isinstance(right, Ref):
        return True if left.target is right.target and left.attribute == right.attribute else None
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Ref | Text | Encoded | Number) and isinstance(other, Known):
            return _same_partly(one, other)
    if isinstance(left, Number | Unknown) and isinstance(right, Number | Unknown):
        first, second = quantity(left), quantity(right)
        if first is not None and second is not None and not isinstance(left, Whole):
            return _decide(first.equals(second))
    return None


def _decide(test: Test) -> bool | None:
    return True if test.certain else None if test.possible else False


def _same_data(left: Known, right: Known) -> bool | None:
    a, b = left.data, right.data
    if a is None or b is None:
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        answers = [same(x, y) for x, y in zip(a, b, strict=True)]
        if False in answers:
            return False
        # A list never equals a tuple, and values do not tell which of both they are.
        return True if left.unordered and right.unordered and None not in answers else None
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return False
        answers = [same(item, b[key]) for key, item in a.items()]
        return False if False in answers else None
    if isinstance(a, list | dict) or isinstance(b, list | dict):
        return False
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and a == b
    return a == b


def _same_partly(value: Value, known: Known) -> bool | None:
    if isinstance(value, Number):
        number = exact_number(known.data) if not isinstance(known.data, str) else None
        return False if number is None else _decide(value.quantity.equals(number))
    if not isinstance(known.data, str):
        return False
    if isinstance(value, Text):
        first, last = value.parts[0], value.parts[-1]
        text = known.data
        literal = sum(len(part) for part in value.parts if isinstance(part, str))
        if isinstance(first, str) and not text.startswith(first):
            return False
        if isinstance(last, str) and not text.endswith(last):
            return False
        return False if len(text) < literal else None
    return False if not known.data else None


def equality(left: Value, right: Value, scope: Scope, node: Node, sides: tuple[Node, Node], site: Site) -> Value:
    """`left == right`; what is not known becomes a condition."""
    return lift([left, right], lambda both_: _equality(both_[0], both_[1], scope, node, sides, site), site)


def _equality(left: Value, right: Value, scope: Scope, node: Node, sides: tuple[Node, Node], site: Site) -> Value:
    for side in (left, right):
        if isinstance(side, Invalid):
            return side
    through = steps_of((left, right))
    answer = same(left, right)
    if answer is not None:
        return Known(answer, site, COMPUTED, through)
    if isinstance(left, Whole) and isinstance(right, Known) and right.data is None:
        return Known(False, site, COMPUTED, through)
    for value, other, written in ((left, right, sides[0]), (right, left, sides[1])):
        if not isinstance(value, Unknown) or isinstance(value, Whole) or not isinstance(other, Known):
            continue
        if isinstance(other.data, str | bool | int | Fraction):
            condition = scope.world.atom(value, scope, written).compare(scalar_text(other.data))
            return truth_value(condition, site, through)
    return truth_value(scope.world.text_atom(scope, node, True).compare("true"), site, through)


# ------------------------------------------------------------------------------------------------ logic and arithmetic


def condition_of(value: Value, scope: Scope, node: Node) -> Condition | None:
    """A truth value as a condition, unknown ones as atoms; None where it is no truth value."""
    condition = truth(value)
    if condition is not None:
        return condition
    if isinstance(value, Choice):
        then, otherwise = condition_of(value.then, scope, node), condition_of(value.otherwise, scope, node)
        if isinstance(value.then, Invalid) or then is None:
            return otherwise
        if isinstance(value.otherwise, Invalid) or otherwise is None:
            return then
        return either(both(value.condition, then), both(negate(value.condition), otherwise))
    if isinstance(value, Unknown) and not isinstance(value, Invalid):
        if value.symbol.name != NAMELESS:
            atom = scope.world.atom(value, scope, node)
            return Is(atom, frozenset(("true",))) if atom.domain is not None else atom.compare("true")
        return scope.world.text_atom(scope, node, True).compare("true")
    if isinstance(value, Text | Ref | Encoded):
        return scope.world.text_atom(scope, node, True).compare("true")
    return None


def logic(operator: str, left: Value, right: Value, scope: Scope, sides: tuple[Node, Node], site: Site) -> Value:
    """`&&` and `||`."""
    for side in (left, right):
        if isinstance(side, Invalid):
            return side
    first, second = condition_of(left, scope, sides[0]), condition_of(right, scope, sides[1])
    if first is None or second is None:
        return Invalid("this is neither true nor false", site)
    condition = both(first, second) if operator == "&&" else either(first, second)
    return truth_value(condition, site, steps_of((left, right)))


def arithmetic(operator: str, left: Value, right: Value, site: Site) -> Value:
    """`+ - * / %`."""
    return lift([left, right], lambda both_: _arithmetic(operator, both_[0], both_[1], site), site)


def _number(value: Value) -> Quantity | None:
    if isinstance(value, Known) and isinstance(value.data, bool):
        return None
    return quantity(value)


def _arithmetic(operator: str, left: Value, right: Value, site: Site) -> Value:
    for side in (left, right):
        if isinstance(side, Invalid):
            return side
    for side in (left, right):
        if isinstance(side, Whole) or (isinstance(side, Unknown) and side.symbol.name == NAMELESS):
            return Unknown(reason(side), site, through=steps_of((left, right)))
    first, second = _number(left), _number(right)
    if first is None or second is None:
        return Invalid("this is no number", site)
    through = steps_of((left, right))
    dividend, divisor = first.exact, second.exact
    if operator in "/%" and divisor == 0:
        if operator == "%":
            return of_quantity(first, site, through)
        if dividend == 0:
            return Invalid("zero is divided by zero", site)
        return Unknown("a division by zero has no end", site)
    if dividend is not None and divisor is not None:
        exact = Quantity(_calculated(operator, dividend, divisor), shown=first.shown or second.shown)
        return of_quantity(exact, site, through)
    if operator == "+":
        return of_quantity(first + second, site, through)
    if operator == "-":
        return of_quantity(first - second, site, through)
    if operator == "*":
        return of_quantity(first * second, site, through)
    return of_quantity(_divided(operator, first, second), site, through)


def _divided(operator: str, first: Quantity, second: Quantity) -> Quantity:
    divisor = second.exact
    if divisor is None:
        return Quantity(0, {Symbol("a quotient", second.why): 1})
    if operator == "/":
        return first * (Fraction(1) / divisor)
    low, _ = first.interval()
    size = divisor if divisor > 0 else -divisor
    least = 0 if low >= 0 else -size
    return Quantity(0, {Symbol(f"{first} % {divisor}", first.why, least, size): 1})


def of_quantity(result: Quantity, site: Site | None, through: Through) -> Value:
    """A number as a value: certain where no symbol is left in it."""
    exact = result.exact
    return Known(exact, site, COMPUTED, through) if exact is not None else Number(result, site, through)


def compare(operator: str, left: Value, right: Value, scope: Scope, node: Node, site: Site) -> Value:
    """`< <= > >=`."""
    return lift([left, right], lambda both_: _compare(operator, both_[0], both_[1], scope, node, site), site)


def _compare(operator: str, left: Value, right: Value, scope: Scope, node: Node, site: Site) -> Value:
    for side in (left, right):
        if isinstance(side, Invalid):
            return side
    first, second = _number(left), _number(right)
    if first is None or second is None:
        if isinstance(left, Known) and isinstance(right, Known):
            return Invalid("this is no number", site)
        answer = None
    else:
        answer = _decide(
            {"<": first.__lt__, "<=": first.__le__, ">": first.__gt__, ">=": first.__ge__}[operator](second)
        )
    through = steps_of((left, right))
    if answer is not None:
        return Known(answer, site, COMPUTED, through)
    return truth_value(scope.world.text_atom(scope, node, True).compare("true"), site, through)


def opposite(value: Value, scope: Scope, node: Node, site: Site) -> Value:
    """`!value`."""
    if isinstance(value, Invalid):
        return value
    condition = condition_of(value, scope, node)
    if condition is None:
        return Invalid("this is neither true nor false", site)
    return truth_value(negate(condition), site, value.through)
