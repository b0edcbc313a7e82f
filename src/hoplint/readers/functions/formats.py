"""format() and formatlist(): Go's verbs, as Terraform takes them."""

from __future__ import annotations

import re
from fractions import Fraction

from hoplint.model.value import Encoded, Known, Number, Ref, Text, Unknown, Value
from hoplint.readers.functions.base import (
    Context,
    Exact,
    Function,
    Stop,
    cannot,
    changed,
    exact,
    null,
    pieces,
    refuse,
    rejoin,
    text,
    truth,
)
from hoplint.readers.functions.strings import clusters
from hoplint.readers.functions.typesystem import in_order, listed, to_string

WIDEST = 10_000

_verb = re.compile(r"%([0#+ -]*)([1-9][0-9]*)?(?:\.([0-9]*))?(?:\[([1-9][0-9]*)\])?([A-Za-z])").match


class _Verb:
    __slots__ = ("flags", "width", "precision", "mode", "raw")

    def __init__(self, found: re.Match[str]) -> None:
        self.flags = found.group(1)
        self.width = int(found.group(2)) if found.group(2) else -1
        self.precision = -1 if found.group(3) is None else int(found.group(3) or 0)
        self.mode = found.group(5)
        self.raw = found.group()
        if self.width > WIDEST or self.precision > WIDEST:
            raise Stop(Unknown("the width in a format is too large to be computed"))

    def padded(self, written: str) -> str:
        missing = self.width - len(clusters(written))
        if missing <= 0:
            return written
        pad = ("0" if "0" in self.flags else " ") * missing
        return written + pad if "-" in self.flags else pad + written


def _format(args: list[Value], context: Context) -> Value:
    if any(null(arg) for arg in args[1:]):
        raise Stop(Unknown("whether a null can be formatted depends on its type"))
    return rejoin(_filled(text(args[0]), args[1:]))


def _filled(template: str, args: list[Value]) -> list[str | Value]:
    done: list[str | Value] = []
    at, following, highest = 0, 1, 0
    while at < len(template):
        end = template.find("%", at)
        if end < 0:
            end = len(template)
        if end > at:
            done.append(template[at:end])
            at = end
            continue
        if template.startswith("%%", at):
            done.append("%")
            at += 2
            continue
        found = _verb(template, at)
        if found is None:
            raise refuse(f"unrecognized format character at offset {at}")
        number = int(found.group(4)) if found.group(4) else following
        if number > len(args):
            raise refuse(f'not enough arguments for "{found.group()}"')
        highest = max(highest, number)
        following = number + 1
        done.extend(_shown(_Verb(found), args[number - 1]))
        at = found.end()
    if highest < len(args):
        raise refuse("too many arguments for the format")
    return done


def _shown(verb: _Verb, arg: Value) -> list[str | Value]:
    if verb.mode not in "vtbdoxXeEfgGsq":
        raise refuse(f'unsupported format verb "{verb.mode}"')
    if verb.mode != "v" and null(arg):
        raise refuse("a null value cannot be formatted")
    if verb.mode == "v":
        return _as_is(verb, arg)
    if verb.mode == "t":
        if isinstance(arg, Text | Ref | Number | Unknown):
            return [_hole(arg)]
        return ["true" if truth(arg) else "false"]
    if verb.mode in "sq":
        return _string(verb, arg)
    if isinstance(arg, Ref | Text | Unknown | Number):
        plain = verb.mode == "d" and not verb.flags and verb.width < 0 and isinstance(arg, Number | Unknown)
        return [arg if plain else _hole(arg)]
    return [_number(verb, exact(arg))]


def _hole(arg: Value) -> Value:
    stop = cannot(arg)
    return stop.value if isinstance(stop.value, Unknown) else changed(arg, "format()")


def _string(verb: _Verb, arg: Value) -> list[str | Value]:
    parts = pieces(to_string(arg))
    plain = verb.width < 0 and verb.precision <= 0
    if verb.mode == "s" and plain:
        return parts
    if not all(isinstance(part, str) for part in parts):
        if not plain:
            return [_hole(arg)]
        from hoplint.readers.functions.encoding import quoted

        inside: list[str | Value] = ['"']
        for part in parts:
            if isinstance(part, str):
                inside.append(quoted(part)[1:-1])
            else:
                inside.append(part if isinstance(part, Ref) else _hole(part))
        return [*inside, '"']
    written = "".join(part for part in parts if isinstance(part, str))
    if verb.precision > 0:
        written = "".join(clusters(written)[: verb.precision])
    if verb.mode == "q":
        from hoplint.readers.functions.encoding import quoted

        written = quoted(written)
    return [verb.padded(written)]


def _as_is(verb: _Verb, arg: Value) -> list[str | Value]:
    if null(arg):
        return [verb.padded("null")]
    if "#" not in verb.flags:
        if isinstance(arg, Text | Ref | Encoded) or (isinstance(arg, Known) and isinstance(arg.data, str)):
            parts = pieces(arg)
            if verb.width < 0:
                return parts
            return [verb.padded(text(arg))]
        if isinstance(arg, Known) and isinstance(arg.data, int | Fraction) and not isinstance(arg.data, bool):
            return [verb.padded(shortest(arg.data))]
    if isinstance(arg, Unknown | Number):
        return [arg if verb.width < 0 and "#" not in verb.flags else _hole(arg)]
    from hoplint.readers.functions.encoding import encoded_text

    return [verb.padded(encoded_text(arg))]


def shortest(number: Exact) -> str:
    """A number as Go's %g without a precision prints it."""
    from hoplint.readers.operations import number_text

    digits = number_text(number)
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, rest = digits.partition(".")
    significant = (whole + rest).lstrip("0")
    if not significant:
        return "0"
    exponent = len(whole) - 1 if whole != "0" else -(len(rest) - len(rest.lstrip("0"))) - 1
    significant = significant.rstrip("0")
    if -4 <= exponent < 6:
        return sign + digits
    mantissa = significant[0] + (f".{significant[1:]}" if len(significant) > 1 else "")
    return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _number(verb: _Verb, number: Exact) -> str:
    if verb.mode in "bdoxX":
        if not isinstance(number, int):
            raise refuse("an integer is required")
        return _integer(verb, number)
    return _real(verb, Fraction(number))


def _signed(verb: _Verb, negative: bool) -> str:
    return "-" if negative else "+" if "+" in verb.flags else " " if " " in verb.flags else ""


def _laid_out(verb: _Verb, sign: str, prefix: str, digits: str, zeros: bool) -> str:
    missing = verb.width - len(sign) - len(prefix) - len(digits)
    if missing <= 0:
        return sign + prefix + digits
    if "-" in verb.flags:
        return sign + prefix + digits + " " * missing
    if zeros and "0" in verb.flags:
        return sign + prefix + "0" * missing + digits
    return " " * missing + sign + prefix + digits


def _integer(verb: _Verb, number: int) -> str:
    base = {"b": "b", "d": "d", "o": "o", "x": "x", "X": "X"}[verb.mode]
    digits = format(abs(number), base)
    prefix = ""
    if "#" in verb.flags:
        prefix = {"b": "0b", "d": "", "o": "0", "x": "0x", "X": "0X"}[verb.mode]
    if verb.precision >= 0:
        digits = "" if number == 0 and verb.precision == 0 else digits.rjust(verb.precision, "0")
    if not digits:
        return " " * max(0, verb.width)
    return _laid_out(verb, _signed(verb, number < 0), prefix, digits, verb.precision < 0)


def _real(verb: _Verb, number: Fraction) -> str:
    size = abs(number)
    mode = verb.mode.lower()
    if mode == "f":
        digits = _fixed(_binary(size), 6 if verb.precision < 0 else verb.precision)
    elif mode == "e":
        digits = _scientific(_binary(size), 6 if verb.precision < 0 else verb.precision)
    elif verb.precision < 0:
        digits = shortest(int(size) if size.denominator == 1 else size)
    else:
        digits = general(_binary(size), verb.precision or 1)
    if "#" in verb.flags:
        raise Stop(Unknown("the flag # of a format is not computed for this verb"))
    if verb.mode.isupper():
        digits = digits.upper()
    return _laid_out(verb, _signed(verb, number < 0), "", digits, True)


def _binary(size: Fraction) -> Fraction:
    """The number that 512 bits hold."""
    if size.denominator & (size.denominator - 1) == 0:
        return size
    shift = 512 - (size.numerator.bit_length() - size.denominator.bit_length())
    scaled = size * Fraction(2) ** shift
    while scaled >= 2**512:
        shift -= 1
        scaled /= 2
    return Fraction(round(scaled)) / Fraction(2) ** shift


def _rounded(number: Fraction) -> int:
    """To the nearest whole number, halves to the even one."""
    return round(number)


def _fixed(size: Fraction, places: int) -> str:
    digits = str(_rounded(size * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _exponent(size: Fraction) -> int:
    if not size:
        return 0
    guess = len(str(size.numerator)) - len(str(size.denominator))
    while Fraction(10) ** guess > size:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= size:
        guess += 1
    return guess


def _scientific(size: Fraction, places: int) -> str:
    exponent = _exponent(size)
    scaled = _rounded(size / Fraction(10) ** exponent * 10**places)
    if scaled >= 10 ** (places + 1):
        exponent += 1
        scaled = _rounded(size / Fraction(10) ** exponent * 10**places)
    digits = str(scaled).rjust(places + 1, "0")
    mantissa = f"{digits[0]}.{digits[1:]}" if places else digits
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def general(size: Fraction, precision: int) -> str:
    """A positive number as Go's %g prints it with so many digits."""
    written = _scientific(size, precision - 1)
    mantissa, _, power = written.partition("e")
    exponent = int(power)
    if -4 <= exponent < precision:
        fixed = _fixed(size, max(0, precision - 1 - exponent))
        return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{power}"


def _formatlist(args: list[Value], context: Context) -> Value:
    template = text(args[0])
    rest = args[1:]
    if not rest:
        return listed([rejoin(_filled(template, []))])
    length = -1
    for arg in rest:
        if isinstance(arg, Known) and isinstance(arg.data, list):
            if length >= 0 and len(arg.data) != length:
                raise refuse("the lists have different lengths")
            length = len(arg.data)
        elif isinstance(arg, Unknown):
            raise cannot(arg)
        elif null(arg):
            raise Stop(Unknown("whether a null can be formatted depends on its type"))
    rows = []
    for at in range(1 if length < 0 else length):
        row = []
        for arg in rest:
            if isinstance(arg, Known) and isinstance(arg.data, list):
                items = in_order(arg.data) if arg.unordered else arg.data
                row.append(items[at])
            else:
                row.append(arg)
        rows.append(rejoin(_filled(template, row)))
    return listed(rows)


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "format": (_format, 1, None),
    "formatlist": (_formatlist, 1, None),
}
