"""The condition operators of policies, over values of which only parts may be known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum

from hoplint.graph.names import expand, glob_match, same
from hoplint.model.inquiry import settle
from hoplint.model.number import NO, YES, Symbol, Test, maybe
from hoplint.model.value import Known, Number, Text, Unknown, Value, join_text, quantity, reason, text_parts


class Never(Enum):
    """Stands for a condition key that a request certainly does not carry."""

    NEVER = "never"


NEVER = Never.NEVER

Carried = Value | Sequence[Value] | Never
"""What a request carries under one condition key: a value, several, or certainly nothing."""

Context = Mapping[str, Carried]
"""What a request carries, by condition keys in lower case. Of a key that is not in it nothing is known."""

_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_ESCAPES = {"${*}": "*", "${?}": "?", "${$}": "$"}

POSITIVE = {
    "stringequals": "string", "stringequalsignorecase": "fold", "stringlike": "like", "arnequals": "arn",
    "arnlike": "arn", "bool": "bool", "numericequals": "==", "numericlessthan": "<", "numericlessthanequals": "<=",
    "numericgreaterthan": ">", "numericgreaterthanequals": ">=", "dateequals": "date==", "datelessthan": "date<",
    "datelessthanequals": "date<=", "dategreaterthan": "date>", "dategreaterthanequals": "date>=", "ipaddress": "ip",
    "binaryequals": "string", "null": "null",
}  # fmt: skip
NEGATED = {
    "stringnotequals": "string", "stringnotequalsignorecase": "fold", "stringnotlike": "like", "arnnotequals": "arn",
    "arnnotlike": "arn", "numericnotequals": "==", "datenotequals": "date==", "notipaddress": "ip",
}  # fmt: skip
EXACT = frozenset(("stringequals", "stringequalsignorecase", "stringnotequals", "stringnotequalsignorecase"))
"""Operators for which `*` and `?` are characters like any other."""


class Operator:
    """A condition operator taken apart.

    `how` is the comparison (empty where the operator is none that AWS has), `quantifier` is any, all or empty.
    """

    __slots__ = ("base", "how", "if_exists", "name", "negated", "quantifier")

    def __init__(self, name: str) -> None:
        self.name = name
        base = name.strip().lower()
        self.quantifier = ""
        if base.startswith(("foranyvalue:", "forallvalues:")):
            self.quantifier = "any" if base.startswith("forany") else "all"
            base = base.partition(":")[2]
        self.if_exists = base.endswith("ifexists")
        self.base = base.removesuffix("ifexists")
        self.negated = self.base in NEGATED
        self.how = NEGATED.get(self.base) or POSITIVE.get(self.base, "")

    @property
    def takes_wildcards(self) -> bool:
        """Whether `*` and `?` stand for other characters."""
        return self.how in ("like", "arn")


def holds(operator: Operator, key: str, wanted: Sequence[Value], context: Context) -> Test:
    """Whether a condition holds: the request carries one of the wanted values (none, for a negated operator)."""
    if not operator.how:
        return maybe(f"{operator.name} is no operator that is known here")
    carried = context.get(key.lower())
    if carried is None:
        return maybe(f"whether a request carries {key}, and with which value, is not known")
    if operator.how == "null":
        return _is_null(wanted, carried)
    values = [] if carried is NEVER else [carried] if isinstance(carried, Value) else list(carried)
    if not values:
        return _without(operator)
    tests = [_one(operator, wanted, value) for value in values]
    if operator.quantifier == "all":
        return _every(tests)
    if operator.quantifier == "any":
        return _some(tests)
    if len(tests) > 1:
        # A key of several values under a plain operator is not defined.
        return maybe(f"{key} has several values, {operator.name} compares one")
    return tests[0]


def _without(operator: Operator) -> Test:
    """The answer for a key that the request does not carry."""
    if operator.quantifier == "any":
        odd = operator.negated or operator.if_exists
        return maybe(f"{operator.name} on an absent key is not documented") if odd else NO
    return YES if operator.if_exists or operator.negated or operator.quantifier == "all" else NO


def _is_null(wanted: Sequence[Value], carried: Carried) -> Test:
    present = not (carried is NEVER or (not isinstance(carried, Value) and len(carried) == 0))
    return _some([same(value, Known("false" if present else "true"), fold=True) for value in wanted])


def _one(operator: Operator, wanted: Sequence[Value], value: Value) -> Test:
    """One carried value against all that the policy lists."""
    answer = _some([_compare(operator.how, want, value) for want in wanted])
    return ~answer if operator.negated else answer


def _some(tests: Sequence[Test]) -> Test:
    answer = NO
    for test in tests:
        if test.certain:
            return test
        answer = answer | test
    return answer


def _every(tests: Sequence[Test]) -> Test:
    answer = YES
    for test in tests:
        if not test.possible:
            return test
        answer = answer & test
    return answer


def _compare(how: str, want: Value, value: Value) -> Test:
    want = with_variables(want)
    if how in ("string", "fold"):
        return same(want, value, fold=how == "fold")
    if how == "like":
        return glob_match(want, value)
    if how == "arn":
        return glob_match(want, value, arn=True)
    if how == "bool":
        return same(want, value, fold=True)
    if how == "ip":
        return _in_network(want, value)
    if how.startswith("date"):
        return _dates(how[4:], want, value)
    return _numbers(how, want, value)


_ORDER: dict[str, Callable[[float, float], bool]] = {
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _numbers(how: str, want: Value, value: Value) -> Test:
    left, right = quantity(settle(value)), quantity(settle(want))
    if left is None or right is None:
        return maybe("a number is compared with what is none")
    if how == "==":
        return left.equals(right)
    if how in ("<", "<="):
        return left < right if how == "<" else left <= right
    return left > right if how == ">" else left >= right


def _dates(how: str, want: Value, value: Value) -> Test:
    left, right = _instant(settle(value)), _instant(settle(want))
    if left is None or right is None:
        return maybe(reason(settle(value)) or reason(settle(want)) or "a date is not written as AWS reads it")
    return YES if _ORDER[how](left, right) else NO


def _instant(value: Value) -> float | None:
    """Seconds since the epoch; ISO 8601 and epoch seconds are what AWS takes."""
    parts = text_parts(value)
    if parts is None or len(parts) != 1 or not isinstance(parts[0], str):
        return None
    text = parts[0].strip()
    if text.isdigit():
        return float(text) if len(text) < 16 else None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _in_network(want: Value, value: Value) -> Test:
    import ipaddress

    want, value = expand(want), expand(value)
    if not isinstance(want, Known) or not isinstance(value, Known):
        return maybe(reason(want) or reason(value))
    try:
        network, address = ipaddress.ip_network(str(want.data), strict=False), ipaddress.ip_address(str(value.data))
    except ValueError:
        return maybe("an address is not written as AWS reads it")
    return YES if address in network else NO


def with_variables(value: Value) -> Value:
    """A text of a policy in which `${aws:…}` stands for what is known only at the request."""
    value = settle(value)
    if isinstance(value, Number):
        return value
    parts = text_parts(value)
    if parts is None or not any(isinstance(part, str) and "${" in part for part in parts):
        return value
    pieces: list[str | Value] = []
    for part in parts:
        if not isinstance(part, str):
            pieces.append(part)
            continue
        at = 0
        for match in _VARIABLE.finditer(part):
            pieces.append(part[at : match.start()])
            pieces.append(_variable(match.group(), value))
            at = match.end()
        pieces.append(part[at:])
    found = join_text(pieces, value.site, value.through)
    return found if isinstance(found, Known | Text | Unknown) else value


def _variable(written: str, value: Value) -> Value:
    why = f"{written} is filled in by AWS for each request"
    if written in _ESCAPES:
        # A wildcard character that is meant literally; rare enough to leave undecided.
        why = f"{written} stands for the character {_ESCAPES[written]}"
    return Unknown(why, value.site, Symbol(written, why))
