"""Functions on strings; what is partly known stays partly known where a function works on pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from hoplint.model.number import Symbol
from hoplint.model.value import Encoded, Known, Ref, Unknown, Value
from hoplint.readers.functions.base import (
    Context,
    Function,
    Stop,
    cannot,
    changed,
    computed,
    null,
    pieces,
    refuse,
    rejoin,
    text,
    whole,
)
from hoplint.readers.functions.base import sequence as sequence_of
from hoplint.readers.functions.typesystem import listed, strings
from hoplint.readers.hcl_scanner import normal

MANY_SPACES = 10_000
_JOINERS = "\u200d"
_EXTENDS = ("Mn", "Me", "Mc")


def clusters(written: str) -> list[str]:
    """A string as people count its characters: marks, joined emoji and flags go with what they belong to."""
    if written.isascii() and "\r\n" not in written:
        return list(written)
    found: list[str] = []
    flags = 0
    for char in written:
        before = found[-1] if found else ""
        flag = 0x1F1E6 <= ord(char) <= 0x1F1FF
        joined = (
            (before == "\r" and char == "\n")
            or (
                bool(before)
                and before not in "\r\n"
                and (
                    unicodedata.category(char) in _EXTENDS
                    or char == _JOINERS
                    or before[-1] == _JOINERS
                    or 0xFE00 <= ord(char) <= 0xFE0F
                    or 0x1F3FB <= ord(char) <= 0x1F3FF
                    or (flag and flags % 2 == 1)
                )
            )
        )  # fmt: skip
        flags = flags + 1 if flag else 0
        if joined:
            found[-1] += char
        else:
            found.append(char)
    return found


def _by_char(change: Callable[[str], str]) -> Callable[[str], str]:
    def apply(written: str) -> str:
        if written.isascii():
            return change(written)
        return "".join(_simple(change(char), char) for char in written)

    return apply


def _simple(new: str, old: str) -> str:
    """Only changes of one character to one are made."""
    return new if len(new) == 1 else "i" if old == "\u0130" else old


def _piecewise(how: str, change: Callable[[str], str], keeps: tuple[type[Value], ...] = ()) -> Function:
    """A function that changes each character, or line, on its own."""

    def apply(args: list[Value], context: Context) -> Value:
        done: list[str | Value] = []
        for part in pieces(args[-1]):
            if isinstance(part, str):
                done.append(change(part))
            else:
                done.append(part if isinstance(part, keeps) else changed(part, how))
        return rejoin(done)

    return apply


def _whole(change: Callable[[str], str]) -> Function:
    """A function that must see the whole string."""

    def apply(args: list[Value], context: Context) -> Value:
        return computed(normal(change(text(args[0]))))

    return apply


def _title(written: str) -> str:
    done = []
    before = " "
    for char in written:
        separates = not (before.isalnum() or before == "_") if before.isascii() else before.isspace()
        done.append(_simple(char.title(), char) if separates else char)
        before = char
    return "".join(done)


def _chomp(written: str) -> str:
    return written.rstrip("\r\n")


def _indent(args: list[Value], context: Context) -> Value:
    spaces = whole(args[0])
    if not 0 <= spaces <= MANY_SPACES:
        raise refuse("the number of spaces must be positive")
    pad = "\n" + " " * spaces
    return _piecewise("indent()", lambda part: part.replace("\n", pad), (Ref, Encoded))(args, context)


def _edges(part: str | Value) -> bool:
    """Whether an unknown piece cannot start or end with white space."""
    return isinstance(part, Ref | Encoded)


def _trimspace(args: list[Value], context: Context) -> Value:
    return _trim_edges(args[0], lambda part: part.lstrip(), lambda part: part.rstrip())


def _chomped(args: list[Value], context: Context) -> Value:
    return _trim_edges(args[0], None, _chomp)


def _trim_edges(value: Value, left: Callable[[str], str] | None, right: Callable[[str], str]) -> Value:
    parts = pieces(value)
    for at, trim in ((0, left), (-1, right)):
        part = parts[at] if parts else ""
        if trim is None:
            continue
        if isinstance(part, str):
            parts[at] = trim(part)
            if not parts[at] and len(parts) > 1 and not _edges(parts[1 if at == 0 else -2]):
                raise cannot(next(part for part in parts if isinstance(part, Value)))
        elif not _edges(part):
            raise cannot(part)
    return rejoin(parts)


def _trim(args: list[Value], context: Context) -> Value:
    cut = text(args[1])
    return computed(text(args[0]).strip(cut) if cut else text(args[0]))


def _trimprefix(args: list[Value], context: Context) -> Value:
    prefix = text(args[1])
    parts = pieces(args[0])
    first = parts[0] if parts else ""
    if not isinstance(first, str):
        raise cannot(first)
    if first.startswith(prefix):
        parts[0] = first[len(prefix) :]
    elif len(parts) > 1 and prefix.startswith(first):
        raise cannot(args[0])
    return rejoin(parts)


def _trimsuffix(args: list[Value], context: Context) -> Value:
    suffix = text(args[1])
    parts = pieces(args[0])
    last = parts[-1] if parts else ""
    if not isinstance(last, str):
        raise cannot(last)
    if suffix and last.endswith(suffix):
        parts[-1] = last[: -len(suffix)]
    elif len(parts) > 1 and suffix.endswith(last):
        raise cannot(args[0])
    return rejoin(parts)


def _startswith(args: list[Value], context: Context) -> Value:
    prefix = text(args[1])
    parts = pieces(args[0])
    first = parts[0] if parts else ""
    if not prefix or (isinstance(first, str) and first.startswith(prefix)):
        return computed(True)
    if isinstance(first, str) and (len(parts) == 1 or not prefix.startswith(first)):
        return computed(False)
    raise cannot(args[0])


def _endswith(args: list[Value], context: Context) -> Value:
    suffix = text(args[1])
    parts = pieces(args[0])
    last = parts[-1] if parts else ""
    if not suffix or (isinstance(last, str) and last.endswith(suffix)):
        return computed(True)
    if isinstance(last, str) and (len(parts) == 1 or not suffix.endswith(last)):
        return computed(False)
    raise cannot(args[0])


def _strcontains(args: list[Value], context: Context) -> Value:
    wanted = text(args[1])
    parts = pieces(args[0])
    if any(isinstance(part, str) and wanted in part for part in parts) or not wanted:
        return computed(True)
    if all(isinstance(part, str) for part in parts):
        return computed(False)
    raise cannot(args[0])


def _join(args: list[Value], context: Context) -> Value:
    separator = pieces(args[0])
    if len(args) < 2:
        raise refuse("at least one list is required")
    items: list[Value] = []
    for arg in args[1:]:
        if isinstance(arg, Known) and arg.unordered and not all(isinstance(item, Known) for item in arg.data or ()):  # type: ignore[union-attr]
            raise cannot(next(item for item in sequence_of(arg) if not isinstance(item, Known)))
        items.extend(strings(arg))
    parts: list[str | Value] = []
    for number, item in enumerate(items):
        if null(item):
            raise refuse("a null element cannot be joined")
        if number:
            parts.extend(separator)
        parts.extend(pieces(item))
    return rejoin(parts)


def _split(args: list[Value], context: Context) -> Value:
    separator = text(args[0])
    written = text(args[1])
    found = list(written) if not separator else written.split(separator)
    return listed([computed(part) for part in found])


def _replace(args: list[Value], context: Context) -> Value:
    wanted = text(args[1])
    if len(wanted) > 1 and wanted.startswith("/") and wanted.endswith("/"):
        from hoplint.readers.functions.patterns import replace_pattern

        return computed(normal(replace_pattern(wanted[1:-1], text(args[0]), text(args[2]))))
    parts = pieces(args[0])
    if all(isinstance(part, str) for part in parts) or len(wanted) == 1:
        replacement = pieces(args[2])
        done: list[str | Value] = []
        for part in parts:
            if not isinstance(part, str):
                done.append(changed(part, "replace()"))
                continue
            for number, piece in enumerate(_cut(part, wanted)):
                if number:
                    done.extend(replacement)
                done.append(piece)
        return rejoin(done)
    raise cannot(args[0])


def _cut(written: str, separator: str) -> list[str]:
    return written.split(separator) if separator else ["", *written, ""]


def _substr(args: list[Value], context: Context) -> Value:
    offset, length = whole(args[1]), whole(args[2])
    parts = pieces(args[0])
    first = parts[0] if parts else ""
    if len(parts) > 1 and isinstance(first, str) and offset >= 0 and 0 <= offset + length <= len(clusters(first)) - 1:
        return computed("".join(clusters(first)[offset : offset + length])) if length >= 0 else _unknown_rest(args[0])
    written = clusters(text(args[0]))
    if offset < 0:
        offset += len(written)
    elif length == 0:
        return computed("")
    if offset > 0:
        written = written[offset:]
    # Terraform's loop runs past a length of zero that it meets only after a negative offset.
    return computed("".join(written[:length] if length > 0 else written))


def _unknown_rest(value: Value) -> Value:
    raise cannot(value)


def _strrev(args: list[Value], context: Context) -> Value:
    return computed("".join(reversed(clusters(text(args[0])))))


def length_of(value: Value) -> Value:
    """How many characters a string has."""
    parts = pieces(value)
    if all(isinstance(part, str) for part in parts):
        return computed(len(clusters("".join(part for part in parts if isinstance(part, str)))))
    least = sum(len(clusters(part)) for part in parts if isinstance(part, str))
    stop = cannot(value)
    assert isinstance(stop.value, Unknown)
    raise Stop(Unknown(stop.value.why, symbol=Symbol("a length", stop.value.why, least)))


def _urlencode(args: list[Value], context: Context) -> Value:
    from urllib.parse import quote_plus

    return _piecewise("urlencode()", lambda part: quote_plus(part, safe="~"))(args, context)


def _sort(args: list[Value], context: Context) -> Value:
    items = strings(args[0])
    if any(null(item) for item in items):
        raise refuse("a null element cannot be sorted")
    return listed(sorted(items, key=text))


def _templatestring(args: list[Value], context: Context) -> Value:
    raise Stop(Unknown("templates in strings are not computed"))


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "chomp": (_chomped, 1, 1),
    "endswith": (_endswith, 2, 2),
    "indent": (_indent, 2, 2),
    "join": (_join, 1, None),
    "lower": (_piecewise("lower()", _by_char(str.lower)), 1, 1),
    "replace": (_replace, 3, 3),
    "sort": (_sort, 1, 1),
    "split": (_split, 2, 2),
    "startswith": (_startswith, 2, 2),
    "strcontains": (_strcontains, 2, 2),
    "strrev": (_strrev, 1, 1),
    "substr": (_substr, 3, 3),
    "templatestring": (_templatestring, 2, 2),
    "title": (_whole(_title), 1, 1),
    "trim": (_trim, 2, 2),
    "trimprefix": (_trimprefix, 2, 2),
    "trimspace": (_trimspace, 1, 1),
    "trimsuffix": (_trimsuffix, 2, 2),
    "upper": (_piecewise("upper()", _by_char(str.upper)), 1, 1),
    "urlencode": (_urlencode, 1, 1),
}
