"""What the functions share: taking arguments apart, and saying why a result cannot be had.

A function raises `Stop` with the value to give back: `Invalid` where Terraform would refuse the call, `Unknown` with
the reason where an argument is not known enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from hoplint.model.number import Quantity
from hoplint.model.value import (
    COMPUTED,
    Encoded,
    Known,
    Number,
    Ref,
    Text,
    Unknown,
    Value,
    join_text,
    quantity,
    reason,
)
from hoplint.readers.choices import Invalid
from hoplint.readers.operations import number_text

LARGEST_EXPONENT = 4000

Exact = int | Fraction
Function = Callable[[list[Value], "Context"], Value]

_number = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?").fullmatch


class Context(Protocol):
    """What functions may see of the disk."""

    def read_file(self, path: str) -> bytes | None:
        """The bytes of a file, by its path from the module that is evaluated; None where it cannot be read."""

    def list_folder(self, path: str) -> list[str] | None:
        """The names in a folder, those of folders with `/` behind them; None where no such folder can be read."""


class Stop(Exception):
    """The result is decided: a function gives back `value` at once."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


def refuse(why: str) -> Stop:
    """Terraform would refuse this call."""
    return Stop(Invalid(why))


def cannot(value: Value, also: str = "") -> Stop:
    """An argument is not known enough."""
    if isinstance(value, Invalid):
        return Stop(value)
    return Stop(Unknown(reason(value) or also or "an argument is not known"))


def computed(data: object) -> Value:
    """A result that is certain."""
    return Known(data, None, COMPUTED)  # type: ignore[arg-type]


def null(value: Value) -> bool:
    """Whether it is certainly null."""
    return isinstance(value, Known) and value.data is None


def scalar_text(data: object) -> str | None:
    """A scalar as a string; None for what is none."""
    if isinstance(data, str):
        return data
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, int | Fraction):
        return number_text(data)
    return None


def text(value: Value) -> str:
    """An argument that must be a string, and known."""
    if isinstance(value, Known):
        found = scalar_text(value.data)
        if found is None:
            raise refuse("a string is required" if value.data is not None else "the argument must not be null")
        return found
    if isinstance(value, Encoded):
        from hoplint.readers.functions.encoding import encoded_text

        return encoded_text(value.tree)
    raise cannot(value)


def pieces(value: Value) -> list[str | Value]:
    """An argument that must be a string, as known and unknown pieces."""
    if isinstance(value, Text):
        return list(value.parts)
    if isinstance(value, Known):
        return [text(value)]
    if isinstance(value, Encoded):
        try:
            return [text(value)]
        except Stop as stop:
            if isinstance(stop.value, Invalid):
                raise
    return [value]


def rejoin(parts: list[str | Value]) -> Value:
    """A string of pieces; a certain one is a computed value."""
    return join_text(parts)


def changed(part: Value, how: str) -> Value:
    """A piece of a string that a function changed in an unknown way."""
    return Unknown(reason(part) or f"{how} of an unknown value")


def parse_number(written: str) -> Exact | None:
    """A number in a string, or None."""
    found = _number(written)
    if found is None:
        return None
    if len(written) > LARGEST_EXPONENT or (found.group(1) and abs(int(found.group(1)[:8])) > LARGEST_EXPONENT):
        raise Stop(Unknown("the number is too large or too small to be computed with"))
    number = Fraction(written)
    return int(number) if number.denominator == 1 else number


def exact(value: Value) -> Exact:
    """An argument that must be a number, and known."""
    if isinstance(value, Known):
        data = value.data
        if isinstance(data, str):
            number = parse_number(data)
            if number is not None:
                return number
        elif isinstance(data, int | Fraction) and not isinstance(data, bool):
            return int(data) if isinstance(data, Fraction) and data.denominator == 1 else data
        raise refuse("a number is required" if data is not None else "the argument must not be null")
    if isinstance(value, Encoded):
        raise refuse("a number is required")
    raise cannot(value)


def whole(value: Value) -> int:
    """An argument that must be a whole number, and known."""
    number = exact(value)
    if not isinstance(number, int):
        raise refuse("a whole number is required")
    if not -(2**63) <= number < 2**63:
        raise refuse("the number is too large or too small for this")
    return number


def amount(value: Value) -> Quantity:
    """An argument that must be a number, known or not."""
    if isinstance(value, Known):
        found = quantity(Known(exact(value), value.site, value.origin, value.through))
    elif isinstance(value, Number | Unknown) and not isinstance(value, Invalid):
        found = quantity(value)
    else:
        raise cannot(value)
    assert found is not None
    return found


def truth(value: Value) -> bool:
    """An argument that must be a truth value, and known."""
    if isinstance(value, Known):
        if isinstance(value.data, bool):
            return value.data
        if value.data in ("true", "false", "1", "0"):
            return value.data in ("true", "1")
        raise refuse("a bool is required" if value.data is not None else "the argument must not be null")
    raise cannot(value)


def mapping(value: Value) -> dict[str, Value]:
    """An argument that must be a map or an object, and known as such."""
    if isinstance(value, Known):
        if isinstance(value.data, dict):
            return value.data
        raise refuse("a map or an object is required" if value.data is not None else "the argument must not be null")
    if isinstance(value, Ref | Text | Encoded | Number):
        raise refuse("a map or an object is required")
    raise cannot(value)


def sequence(value: Value, sets: bool = True) -> list[Value]:
    """An argument that must be a list, a tuple or a set, and known as such."""
    if isinstance(value, Known):
        if isinstance(value.data, list):
            if value.unordered and not sets:
                raise refuse("a set has no order here: convert it with tolist() or sort()")
            return value.data
        raise refuse("a list is required" if value.data is not None else "the argument must not be null")
    if isinstance(value, Text | Encoded | Number):
        raise refuse("a list is required")
    raise cannot(value)
