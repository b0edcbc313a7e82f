"""A pattern as it was found: plain data, with holes where something is not known."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from hoplint.graph.patterns.consumers import OPERATORS, Path
from hoplint.model import embedded
from hoplint.model.identity import ACCOUNT, PARTITION, REGION
from hoplint.model.inquiry import settle
from hoplint.model.place import Site
from hoplint.model.value import Encoded, Known, Ref, Text, Unknown, Value, print_scalar, reason

MANY = 100_000
"""Where counting the combinations of `$or` stops."""

_DIGITS = 400
_DEPTH = 100
# Of a reference, these are strings for certain; anything else may stand for a list.
_STRINGS = frozenset(("arn", "name", "url", "id"))


_DEEP = "its JSON is nested too deeply"


class Numeral:
    """A JSON number: its text, and its value where a double holds it exactly as it is written."""

    __slots__ = ("text", "exact")

    def __init__(self, text: str, exact: Fraction | None = None) -> None:
        self.text = text
        self.exact = exact if exact is not None else exact_numeral(text)

    def __repr__(self) -> str:
        return self.text


class Hole:
    """A part of a pattern that is not known. `text` tells a string, of which `pieces` are known, from anything else."""

    __slots__ = ("why", "text", "known")

    def __init__(self, why: str, text: bool = False, known: int = 0) -> None:
        self.why = why
        self.text = text
        self.known = known

    def __repr__(self) -> str:
        return f"Hole({self.why})"


class Pattern:
    """A pattern: nested dicts and lists of str, `Numeral`, bool, None and `Hole`.

    `problem` says why it is none at all (it is no JSON). `repeated` are the keys that stand twice in one object.
    `size` is the number of characters that the consumer gets, at least; `compact` the same without white space.
    `loose` marks a mapping of a template, whose scalars may change their type on the way to AWS. `tree` is what it was
    read from, for places.
    """

    __slots__ = ("data", "problem", "repeated", "size", "compact", "loose", "tree")

    def __init__(
        self,
        data: object,
        problem: str = "",
        repeated: tuple[Path, ...] = (),
        size: int | None = None,
        loose: bool = False,
        tree: Value | None = None,
    ) -> None:
        self.data = data
        self.problem = problem
        self.repeated = repeated
        self.compact = least_size(data)
        self.size = self.compact if size is None else size
        self.loose = loose
        self.tree = tree

    @property
    def unknown(self) -> str:
        """Why something in it is not known; empty where all of it is."""
        return _first_hole(self.data)

    def site(self, path: Path = ()) -> Site | None:
        """Where the part at a path is written, or the nearest part around it that has a place."""
        value, found = self.tree, None
        for key in (None, *path):
            if value is not None and key is not None:
                value = _member(value, key)
            if value is None:
                break
            value = settle(value)
            found = value.site or found
        return found

    def __repr__(self) -> str:
        return f"Pattern({self.problem or self.data!r})"


def parse(value: Value) -> Pattern:
    """Read a pattern from a value: text of JSON, `jsonencode(…)`, or a mapping as it stands."""
    value = settle(value)
    found = embedded.read(value)
    repeated = tuple(tuple(dotted.split(".")) for dotted in found.repeated)
    if found.tree is None:
        return Pattern(Hole(found.problem or ""), found.problem or "it is no JSON", repeated, tree=value)
    size = len(value.data) if isinstance(value, Known) and isinstance(value.data, str) else None
    return Pattern(data_of(found.tree), "", repeated, size, found.kind == embedded.TREE, found.tree)


def parse_text(text: str) -> Pattern:
    """Read a pattern from its text, the way its numbers are written included."""
    repeated: list[Path] = []
    try:
        data = loads(text, repeated)
    except RecursionError:
        return Pattern(Hole(_DEEP), size=len(text))
    except ValueError as error:
        message = str(error)
        if isinstance(error, json.JSONDecodeError):
            message = f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
        return Pattern(Hole(message), message, size=len(text))
    if _deeper(data, _DEPTH):
        return Pattern(Hole(_DEEP), size=len(text))
    return Pattern(data, "", tuple(repeated), len(text))


def loads(text: str, repeated: list[Path] | None = None) -> object:
    """JSON as plain data whose numbers keep their text.

    Of keys that stand twice in an object the last one counts. With `repeated`, which gets their paths, it is read as
    AWS's engine reads a pattern: two objects are joined.
    """
    seen: list[tuple[dict[str, object], str]] = []

    def pairs(members: list[tuple[str, object]]) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, item in members:
            if key in result:
                seen.append((result, key))
                item = _join(result[key], item) if repeated is not None else item
            result[key] = item
        return result

    def constant(name: str) -> object:
        raise ValueError(f"{name} is no JSON")

    data: object = json.loads(
        text, object_pairs_hook=pairs, parse_int=Numeral, parse_float=Numeral, parse_constant=constant
    )
    if repeated is not None and seen:
        _find_repeated(data, {id(owner): [k for o, k in seen if o is owner] for owner, _ in seen}, (), repeated)
    return data


def _join(first: object, second: object) -> object:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return second
    for key, item in second.items():
        first[key] = _join(first[key], item) if key in first else item
    return first


def _deeper(data: object, left: int) -> bool:
    items = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return left == 0 or any(_deeper(item, left - 1) for item in items)


def _find_repeated(data: object, owners: dict[int, list[str]], path: Path, found: list[Path]) -> None:
    if isinstance(data, dict):
        found.extend((*path, key) for key in owners.get(id(data), ()))
        for key, item in data.items():
            _find_repeated(item, owners, (*path, key), found)
    elif isinstance(data, list):
        for number, item in enumerate(data):
            _find_repeated(item, owners, (*path, number), found)


def plain_data(data: object) -> object:
    """Ordinary Python data with its numbers as `Numeral`s; what already is one stays as it is."""
    if isinstance(data, dict):
        return {str(key): plain_data(item) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [plain_data(item) for item in data]
    if isinstance(data, bool) or data is None or isinstance(data, str | Numeral | Hole):
        return data
    if isinstance(data, int | Fraction):
        return Numeral(print_scalar(data))
    if isinstance(data, float):
        return Numeral(json.dumps(data))
    raise TypeError(f"{type(data).__name__} is no JSON data")


def data_of(value: Value) -> object:
    """A tree of values as plain data with holes."""
    value = settle(value)
    if isinstance(value, Known):
        data = value.data
        if isinstance(data, dict):
            return {key: data_of(item) for key, item in data.items()}
        if isinstance(data, list):
            # How often an element of unknown type repeats is not known either.
            return [data_of(item) for item in data]
        return data if data is None or isinstance(data, str | bool) else Numeral(print_scalar(data))
    if isinstance(value, Text):
        return Hole(reason(value), True, sum(len(part) for part in value.parts if isinstance(part, str)))
    text = isinstance(value, Encoded) or isinstance(value, Ref) and value.attribute in _STRINGS
    # The account, region and partition are strings, whatever they are.
    return Hole(reason(value), text or isinstance(value, Unknown) and value.symbol.name in (ACCOUNT, REGION, PARTITION))


def exact_numeral(text: str) -> Fraction | None:
    """The value of a JSON number where a double holds it exactly as it is written, as AWS's engine wants it."""
    exponent = text.lower().partition("e")[2]
    if len(text) > _DIGITS or len(exponent) > 5 or abs(int(exponent or "0")) > _DIGITS:
        return None
    double = float(text)
    if math.isinf(double):
        return None
    exact = Fraction(text)
    return exact if Fraction(repr(double)) == exact else None


def least_size(data: object) -> int:
    """The number of characters of data as compact JSON, at least: holes count for what is known of them."""
    if isinstance(data, dict):
        return (
            2
            + sum(len(json.dumps(key, ensure_ascii=False)) + 1 + least_size(item) for key, item in data.items())
            + (max(0, len(data) - 1))
        )
    if isinstance(data, list):
        return 2 + sum(map(least_size, data)) + max(0, len(data) - 1)
    if isinstance(data, Numeral):
        return len(data.text)
    if isinstance(data, Hole):
        return data.known + (2 if data.text else 0)
    return len(json.dumps(data, ensure_ascii=False))


def _member(value: Value, key: str | int) -> Value | None:
    value = settle(value)
    if not isinstance(value, Known):
        return None
    if isinstance(value.data, dict) and isinstance(key, str):
        return value.data.get(key)
    if isinstance(value.data, list) and isinstance(key, int) and key < len(value.data):
        return value.data[key]
    return None


def _first_hole(data: object) -> str:
    if isinstance(data, Hole):
        return data.why or "a part of the pattern is not known"
    if isinstance(data, dict):
        return next((why for item in data.values() if (why := _first_hole(item))), "")
    if isinstance(data, list):
        return next((why for item in data if (why := _first_hole(item))), "")
    return ""


def dotted(path: Path) -> str:
    """A path as people write it: `body.detail.status`."""
    return ".".join(str(step) for step in path if not isinstance(step, int))


def is_or(key: str, node: object) -> bool:
    """Whether a key is the operator `$or`. Where its array holds values and tests only, AWS takes it for a field."""
    if key != "$or" or not isinstance(node, list):
        return False
    return any(not _is_test(item) if isinstance(item, dict) else isinstance(item, Hole) for item in node)


def _is_test(item: dict[str, object]) -> bool:
    operator, operand = next(iter(item.items()), ("", None))
    if len(item) != 1 or operator not in OPERATORS:
        return False
    if isinstance(operand, list):
        return operator in ("numeric", "anything-but")
    return not isinstance(operand, dict) or operator in ("prefix", "suffix", "anything-but")


def accepts_absence(node: object) -> bool:
    """Whether what stands under a key can hold where the key is absent."""
    if isinstance(node, Hole):
        return True
    if isinstance(node, dict):
        return all(
            any(accepts_absence(item) for item in inner) if isinstance(inner, list) and is_or(key, inner)
            else accepts_absence(inner)
            for key, inner in node.items()
        )  # fmt: skip
    if isinstance(node, list):
        return any(
            isinstance(test, Hole)
            and not test.text
            or isinstance(test, dict)
            and (test.get("exists") is False or has_hole(test))
            for test in node
        )
    return False


def has_hole(data: object, texts: bool = False) -> bool:
    """Whether something of unknown kind (with `texts`: of unknown content) is in it."""
    if isinstance(data, dict):
        return any(has_hole(item, texts) for item in data.values())
    if isinstance(data, list):
        return any(has_hole(item, texts) for item in data)
    return isinstance(data, Hole) and (texts or not data.text)


def branches(data: object) -> int:
    """How many combinations the `$or`s of a pattern make."""
    count = 1
    if isinstance(data, dict):
        for key, node in data.items():
            count *= sum(map(branches, node)) if is_or(key, node) else branches(node)
            if count > MANY:
                return MANY
    return count
