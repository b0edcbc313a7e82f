"""JSON in strings, with holes: policies, patterns and workflows as readers find them, turned into trees of values.

A mapping is taken as it stands, a string of JSON is parsed, and in a string that is only partly known every reference
and every unknown becomes a leaf of the tree, or a piece of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction

from hoplint.model.place import Place, Site, Source
from hoplint.model.value import (
    WRITTEN,
    Choice,
    Encoded,
    Known,
    Number,
    Ref,
    Text,
    Through,
    Unknown,
    Value,
    join_text,
    map_choices,
    reason,
    text_parts,
)

TREE, ENCODED, TEXT, HOLES, ABSENT, MALFORMED, UNKNOWN = (
    "tree", "encoded", "text", "holes", "absent", "malformed", "unknown",
)  # fmt: skip

DEPTH = 100
DIGITS = 400

_MARK = "\U0010fffe"
_MARK_ESCAPED = "\\udbff\\udffe"
_HOLE = re.compile(f"{_MARK}([0-9]+){_MARK}")
_STRING_EDGE = re.compile(r'["\\]')
# Their text is never JSON by itself, so that one outside of quotes is certainly a mistake.
_BARE = frozenset(("arn", "url", "qualified_arn", "invoke_arn", "stream_arn"))


class Embedded:
    """What was found where JSON is meant.

    `tree` is the value inside (its leaves may be references, texts and unknowns), or None where the text certainly is
    no JSON: then `problem` says why and where in it. `repeated` lists the keys that stand twice in one object, with
    the path to them. `kind` is tree (a mapping as it stands), encoded, text (known JSON), holes (JSON that is only
    partly known), absent (null), malformed or unknown.
    """

    __slots__ = ("tree", "problem", "repeated", "kind")

    def __init__(
        self, tree: Value | None, problem: str | None = None, repeated: tuple[str, ...] = (), kind: str = TREE
    ) -> None:
        self.tree = tree
        self.problem = problem
        self.repeated = repeated
        self.kind = kind

    def __repr__(self) -> str:
        return f"Embedded({self.problem or self.tree!r})"


class Within:
    """A place inside the JSON that a string holds; it is looked for only when it is printed.

    Where the text does not stand in the source as it is, the place is that of the whole string.
    """

    __slots__ = ("outer", "path")

    def __init__(self, outer: Site, path: tuple[str | int, ...]) -> None:
        self.outer = outer
        self.path = path

    @property
    def source(self) -> Source:
        """The text that it stands in."""
        return self.outer.source

    def place(self) -> Place:
        """Compute lines and columns."""
        whole = self.outer.place()
        source = self.outer.source
        try:
            start, end = _offset(source, whole.line, whole.column), _offset(source, whole.end_line, whole.end_column)
            found = _Finder(source.data[start:end].decode("utf-8"), self.path).find()
        except (UnicodeDecodeError, IndexError, RecursionError):
            return whole
        if found is None:
            return whole
        text, first, last = found
        return source.place(start + len(text[:first].encode("utf-8")), start + len(text[:last].encode("utf-8")))


def read(value: Value) -> Embedded:
    """Read what a value carries where JSON is meant. Each branch of a choice is read by itself."""
    if isinstance(value, Choice):
        return _read_choice(value)
    if isinstance(value, Known):
        if isinstance(value.data, str):
            return _parse(value, [value.data], [])
        return Embedded(value, kind=ABSENT if value.data is None else TREE)
    if isinstance(value, Encoded):
        return Embedded(inherit(value, value.tree), kind=ENCODED)
    if isinstance(value, Text):
        literals, holes = [""], []
        for part in value.parts:
            if isinstance(part, str):
                literals[-1] += part
            else:
                holes.append(part)
                literals.append("")
        return _parse(value, literals, holes)
    if isinstance(value, Unknown):
        return Embedded(value, kind=UNKNOWN)
    if isinstance(value, Number):
        return Embedded(value)
    return Embedded(Unknown(reason(value), value.site, through=value.through), kind=UNKNOWN)


def document(value: Value) -> Value:
    """The tree that a value carries where JSON is meant; unknown, with the reason, where it carries none."""
    if isinstance(value, Choice):
        return map_choices(value, document)
    found = read(value)
    if found.tree is not None:
        return found.tree
    return Unknown(f"it is no JSON: {found.problem}", value.site, through=value.through)


def inherit(outer: Value, inner: Value) -> Value:
    """An inner value keeps the way that its outer one came, so that findings point where a user can edit."""
    if not outer.through or inner.through:
        return inner if inner.site is not None or outer.site is None else inner.moved(outer.site, inner.through)
    return inner.moved(inner.site or outer.site, outer.through)


def _read_choice(value: Choice) -> Embedded:
    found: list[Embedded] = []

    def one(branch: Value) -> Value:
        result = read(branch)
        found.append(result)
        if result.tree is not None:
            return result.tree
        return Unknown(f"it is no JSON: {result.problem}", branch.site, through=branch.through)

    tree = map_choices(value, one)
    repeated = tuple(dict.fromkeys(key for result in found for key in result.repeated))
    if all(result.problem for result in found):
        return Embedded(None, found[0].problem, repeated, MALFORMED)
    return Embedded(tree, None, repeated, found[0].kind)


class _Object(list[tuple[str, object]]):
    """The members of an object in their order, repeats kept."""

    __slots__ = ()


class _Odd:
    """A number that is not worth computing."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _integer(text: str) -> object:
    return int(text) if len(text) <= DIGITS else _Odd(text)


def _decimal(text: str) -> object:
    exponent = text.lower().partition("e")[2]
    # 1e999999999 is a short text and a number of a billion digits.
    if len(text) > DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > DIGITS:
        return _Odd(text)
    number = Fraction(text)
    return int(number) if number.denominator == 1 else number


def _constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_Object, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
)


def _parse(value: Value, literals: list[str], holes: list[Value]) -> Embedded:
    text, outside, doubtful = _fill(literals, holes)
    if doubtful:
        return _undecided(value, doubtful)
    try:
        data = _decoder.decode(text)
    except RecursionError:
        return _undecided(value, "its JSON is nested too deeply")
    except json.JSONDecodeError as error:
        # What an unknown piece outside of quotes holds may mend all that follows.
        if outside and error.pos >= outside[0][0]:
            return _undecided(value, reason(holes[outside[0][1]]))
        return Embedded(None, _complaint(text, error), kind=MALFORMED)
    except ValueError as error:
        return Embedded(None, str(error), kind=MALFORMED)
    for _, number in outside:
        hole = holes[number]
        if isinstance(hole, Ref) and hole.attribute in _BARE:
            return Embedded(None, f"{hole.target.address}'s {hole.attribute} stands outside of quotes", kind=MALFORMED)
    lifter = _Lifter(value, holes, frozenset(number for _, number in outside))
    tree = lifter.lift(data, ())
    return Embedded(tree, None, tuple(dict.fromkeys(lifter.repeated)), HOLES if holes else TEXT)


def _undecided(value: Value, why: str) -> Embedded:
    return Embedded(Unknown(why, value.site, through=value.through), kind=UNKNOWN)


def _fill(literals: list[str], holes: list[Value]) -> tuple[str, list[tuple[int, int]], str]:
    """Put a mark into each hole (in quotes where it stands outside of them).

    Gives the text, where holes stand outside of quotes with their numbers, and why nothing can be said.
    """
    odd = (piece for piece in literals if not piece.isascii() or "\\" in piece)
    if any(_MARK in piece or _MARK_ESCAPED in piece.lower() for piece in odd):
        return "", [], "it holds a character that no text should"
    pieces: list[str] = []
    outside: list[tuple[int, int]] = []
    inside = False
    length = 0
    for number, literal in enumerate(literals):
        piece = literal.removeprefix("\ufeff") if not number else literal
        inside, escaping = _quotes(piece, inside) if holes else (False, False)
        pieces.append(piece)
        length += len(piece)
        if number == len(holes):
            break
        if escaping:
            return "", [], f"a backslash stands before an unknown piece ({reason(holes[number])})"
        mark = f"{_MARK}{number}{_MARK}"
        if not inside:
            outside.append((length, number))
            mark = f'"{mark}"'
        elif _quoted_object(holes[number]):
            return "".join(pieces) + '"{"', outside, ""
        pieces.append(mark)
        length += len(mark)
    return "".join(pieces), outside, ""


def _quoted_object(hole: Value) -> bool:
    """JSON of an object inside a string: its first quote ends the string."""
    return (
        isinstance(hole, Encoded)
        and isinstance(hole.tree, Known)
        and isinstance(hole.tree.data, dict)
        and (len(hole.tree.data) > 0)
    )


def _quotes(text: str, inside: bool) -> tuple[bool, bool]:
    """Whether the text ends inside a string, and in the middle of an escape."""
    at = 0
    while match := _STRING_EDGE.search(text, at):
        at = match.end()
        if match.group() == '"':
            inside = not inside
        elif inside:
            if at == len(text):
                return inside, True
            at += 1
    return inside, False


def _complaint(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "it is empty"
    what = error.msg[:1].lower() + error.msg[1:]
    return f"line {error.lineno} of the JSON: {what}" if error.lineno > 1 or "\n" in text else what


class _Lifter:
    """Turns parsed data into values."""

    __slots__ = ("value", "site", "through", "origin", "holes", "outside", "repeated")

    def __init__(self, value: Value, holes: list[Value], outside: frozenset[int]) -> None:
        self.value = value
        self.site = value.site
        self.through: Through = value.through
        self.origin = value.origin if isinstance(value, Known) else WRITTEN
        self.holes = holes
        self.outside = outside
        self.repeated: list[str] = []

    def lift(self, data: object, path: tuple[str | int, ...]) -> Value:
        site: Site | None = Within(self.site, path) if self.site is not None and path else self.site
        if isinstance(data, str):
            return self._text(data, site)
        if isinstance(data, _Object):
            return self._object(data, path, site)
        if isinstance(data, list):
            if len(path) >= DEPTH:
                return self._unknown("its JSON is nested too deeply", site)
            items = [self.lift(item, (*path, number)) for number, item in enumerate(data)]
            for number, item in enumerate(data):
                # A piece between brackets may be no element or many.
                if isinstance(item, str) and self._several(item):
                    return self._unknown(reason(items[number]), site)
            return Known(items, site, self.origin, self.through)
        if data is None or isinstance(data, bool | int | Fraction):
            return Known(data, site, self.origin, self.through)
        return self._unknown("a number has too many digits", site)

    def _object(self, data: _Object, path: tuple[str | int, ...], site: Site | None) -> Value:
        if len(path) >= DEPTH:
            return self._unknown("its JSON is nested too deeply", site)
        members: dict[str, Value] = {}
        for key, item in data:
            if self.holes and (hole := _HOLE.search(key)):
                # A key that is not known could be any of the others.
                return self._unknown(reason(self.holes[int(hole.group(1))]), site)
            if key in members:
                self.repeated.append(".".join(map(str, (*path, key))))
            members[key] = self.lift(item, (*path, key))
        return Known(members, site, self.origin, self.through)

    def _several(self, text: str) -> bool:
        match = _HOLE.fullmatch(text) if self.holes else None
        if match is None or int(match.group(1)) not in self.outside:
            return False
        return isinstance(self.holes[int(match.group(1))], Unknown | Text | Choice)

    def _text(self, text: str, site: Site | None) -> Value:
        if not self.holes or _MARK not in text:
            return Known(text, site, self.origin, self.through)
        whole = _HOLE.fullmatch(text)
        if whole is not None:
            number = int(whole.group(1))
            hole = self.holes[number]
            if number not in self.outside:
                if isinstance(hole, Ref | Unknown | Choice):
                    return self._placed(hole, site)
                return self._joined([hole], site)
            if isinstance(hole, Encoded):
                return inherit(self.value, hole.tree)
            if isinstance(hole, Ref | Text):
                return self._unknown(reason(hole), site)
            return self._placed(hole, site)
        pieces: list[str | Value] = []
        for number, piece in enumerate(_HOLE.split(text)):
            pieces.append(self.holes[int(piece)] if number % 2 else piece)
        return self._joined(pieces, site)

    def _joined(self, pieces: list[str | Value], site: Site | None) -> Value:
        flat: list[str | Value] = []
        for piece in pieces:
            parts = text_parts(piece) if isinstance(piece, Value) else (piece,)
            flat.extend(parts if parts is not None else (piece,))
        return join_text(flat, site, self.through)

    def _placed(self, hole: Value, site: Site | None) -> Value:
        return hole.moved(site or hole.site, self.through + hole.through)

    def _unknown(self, why: str, site: Site | None) -> Value:
        return Unknown(why, site, through=self.through)


def _offset(source: Source, line: int, column: int) -> int:
    start = source.starts[line - 1]
    end = source.starts[line] if line < len(source.starts) else len(source.data)
    return start + len(source.data[start:end].decode("utf-8")[: column - 1].encode("utf-8"))


_TOKEN = re.compile(
    r"""\s*(?:(?P<mark>[{}\[\],:])|(?P<text>"(?:\$\{[^}"]*(?:"[^"}]*"[^}"]*)*\}|[^"\\\n]|\\.)*")"""
    r"""|(?P<word>(?:\$\{[^}]*\}|[^\s{}\[\],:"])+))"""
)


class _Finder:
    """Follows a path through JSON as it stands in a source, pieces like `${…}` included."""

    __slots__ = ("text", "path", "at", "found")

    def __init__(self, text: str, path: tuple[str | int, ...]) -> None:
        self.text = text
        self.path = path
        self.at = 0
        self.found: tuple[int, int] | None = None

    def find(self) -> tuple[str, int, int] | None:
        """Return the text and the range of the value at the path, or None."""
        starts = [at for at in (self.text.find("{"), self.text.find("[")) if at >= 0]
        if not starts:
            return None
        self.at = min(starts)
        self._value(self.path, 0)
        return (self.text, *self.found) if self.found else None

    def _next(self) -> re.Match[str] | None:
        match = _TOKEN.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def _value(self, path: tuple[str | int, ...] | None, depth: int) -> bool:
        """Pass over one value; `path` is what is left to follow in it, None where it is not wanted."""
        match = self._next()
        if match is None or depth > DEPTH:
            return False
        start = match.start(match.lastgroup or 0)
        mark = match.group("mark")
        if mark in ("{", "["):
            if not self._members(path or None, mark == "{", depth):
                return False
        elif mark:
            return False
        if path == ():
            self.found = (start, self.at)
            return False
        return True

    def _members(self, path: tuple[str | int, ...] | None, named: bool, depth: int) -> bool:
        number = 0
        closing = "}" if named else "]"
        while True:
            before = self.at
            match = self._next()
            if match is None:
                return False
            if match.group("mark") == closing:
                return True
            if match.group("mark") == ",":
                continue
            key: str | int = number
            if named:
                quoted = match.group("text")
                colon = self._next()
                if quoted is None or colon is None or colon.group("mark") != ":":
                    return False
                try:
                    key = json.loads(quoted)
                except ValueError:
                    key = quoted
            else:
                self.at = before
            if not self._value(path[1:] if path and path[0] == key else None, depth + 1):
                return False
            number += 1


def walk(tree: Value, visit: Callable[[tuple[str | int, ...], Value], None], path: tuple[str | int, ...] = ()) -> None:
    """Call a function with each leaf of a tree, and with the path to it."""
    if isinstance(tree, Known) and isinstance(tree.data, dict) and len(path) <= DEPTH:
        for key, item in tree.data.items():
            walk(inherit(tree, item), visit, (*path, key))
    elif isinstance(tree, Known) and isinstance(tree.data, list) and len(path) <= DEPTH:
        for number, item in enumerate(tree.data):
            walk(inherit(tree, item), visit, (*path, number))
    else:
        visit(path, tree)
