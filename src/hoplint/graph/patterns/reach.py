"""Can a pattern match anything that a producer sends? Impossible is said only where it is proven."""

from __future__ import annotations

from hoplint.graph.patterns.consumers import DROP, MAPPING_FILTER, PIPE_FILTER, SKIP, Consumer, Path
from hoplint.graph.patterns.match import compile_test, shown
from hoplint.graph.patterns.pattern import Hole, Numeral, Pattern, accepts_absence, dotted, has_hole, is_or
from hoplint.graph.patterns.shapes import (
    BOOLEAN,
    NULL,
    NUMBER,
    STRING,
    Anything,
    Fields,
    Items,
    OneOf,
    Plain,
    Scalar,
    Shape,
)

FORMAT, KEY, VALUE = "format", "key", "value"


class Verdict:
    """Whether a pattern can match a producer's messages.

    Where it cannot: `path` leads to the first key that stands in the way, `why` is one clause, `kind` is format (JSON
    against plain text), key (a key that the producer never puts there, or that is no leaf) or value (a value that it
    never has), and `instead` is the path that may have been meant.
    """

    __slots__ = ("possible", "path", "why", "kind", "instead")

    def __init__(self, possible: bool, path: Path = (), why: str = "", kind: str = "", instead: Path = ()) -> None:
        self.possible = possible
        self.path = path
        self.why = why
        self.kind = kind
        self.instead = instead

    def __repr__(self) -> str:
        return "Verdict(possible)" if self.possible else f"Verdict({dotted(self.path)}: {self.why})"


POSSIBLE = Verdict(True)


def can_match(pattern: Pattern, shape: Shape, by: Consumer) -> Verdict:
    """Whether a pattern can match a message of this shape.

    For pipes and mappings of queues, streams and brokers the shape is that of the payload (a message's body); for a
    DynamoDB stream that of the record, for a rule the event, for a subscription the message or its attributes.
    """
    if pattern.problem or not isinstance(pattern.data, dict):
        return POSSIBLE
    if by.kind in (MAPPING_FILTER, PIPE_FILTER) and by.payload:
        shape = Fields({by.payload[0]: shape}, open=True, always=by.payload[:1])
    elif by.kind in (MAPPING_FILTER, PIPE_FILTER) and not by.name.endswith("dynamodb"):
        return POSSIBLE
    elif by.name == "sns-attributes" and isinstance(shape, Fields) and not (shape.fields or shape.open):
        # `exists: false` does not match where there are no attributes at all.
        key = next(iter(pattern.data), "")
        return Verdict(False, (key,), f"{shape.name or 'the message has no attributes'}", FORMAT)
    return _Reach(by, pattern.loose).fields(pattern.data, shape, ())


class _Reach:
    __slots__ = ("by", "loose")

    def __init__(self, by: Consumer, loose: bool) -> None:
        self.by = by
        self.loose = loose

    def node(self, node: object, shape: Shape, path: Path) -> Verdict:
        if isinstance(node, Hole) or isinstance(shape, Anything):
            return POSSIBLE
        if isinstance(shape, OneOf):
            return self._one_of(node, shape, path)
        if len(path) == 1 and path[0] in self.by.payload and self.by.mismatch in (DROP, SKIP):
            verdict = self._format(node, shape, path)
            if verdict is not None:
                return verdict
        if isinstance(node, dict):
            return self.fields(node, shape, path)
        return self._leaf(node if isinstance(node, list) else [node], shape, path)

    def _one_of(self, node: object, shape: OneOf, path: Path) -> Verdict:
        first: Verdict | None = None
        for one in shape.shapes:
            verdict = self.node(node, one, path)
            if verdict.possible:
                return verdict
            first = first or verdict
        return first or POSSIBLE

    def _format(self, node: object, shape: Shape, path: Path) -> Verdict | None:
        """The table of formats: JSON under a pattern for plain text, and the other way round."""
        json = isinstance(shape, Fields | Items)
        plain = isinstance(shape, Plain | Scalar)
        if not (json and isinstance(node, list) or plain and isinstance(node, dict)):
            return None
        if self.by.mismatch == SKIP:
            return POSSIBLE
        there, wanted = ("JSON", "plain text") if json else ("plain text", "JSON")
        return Verdict(False, path, f'"{path[-1]}" is {there}, the filter is written for {wanted}', FORMAT)

    def fields(self, group: dict[str, object], shape: Shape, path: Path) -> Verdict:
        """Every field has to be possible; of `$or`'s objects one."""
        if isinstance(shape, Anything):
            return POSSIBLE
        if isinstance(shape, OneOf):
            return self._one_of(group, shape, path)
        for key, node in group.items():
            if isinstance(node, list) and is_or(key, node):
                verdict = self._alternatives(node, shape, path)
            else:
                verdict = self._field(key, node, shape, path)
            if not verdict.possible:
                return verdict
        return POSSIBLE

    def _alternatives(self, items: list[object], shape: Shape, path: Path) -> Verdict:
        first: Verdict | None = None
        for item in items:
            if not isinstance(item, dict):
                return POSSIBLE
            verdict = self.fields(item, shape, path)
            if verdict.possible:
                return POSSIBLE
            first = first or verdict
        return first or POSSIBLE

    def _field(self, key: str, node: object, shape: Shape, path: Path) -> Verdict:
        here = (*path, key)
        if isinstance(shape, Items):
            # An empty array has no fields, which a test for absence likes.
            return POSSIBLE if accepts_absence(node) else self._field(key, node, shape.item, path)
        if isinstance(shape, OneOf):
            return self._one_of({key: node}, shape, path)
        if isinstance(shape, Anything) or isinstance(node, Hole):
            return POSSIBLE
        if not isinstance(shape, Fields):
            return POSSIBLE if accepts_absence(node) else self._below(key, shape, path)
        first, dot, rest = key.partition(".")
        if dot and key not in shape.fields:
            # A key with a dot is the same as nested keys.
            return self._field(first, {rest: node}, shape, path)
        if any(name.startswith(f"{key}.") for name in shape.fields):
            return POSSIBLE
        if key in shape.fields:
            if key not in shape.always and accepts_absence(node):
                return POSSIBLE
            return self.node(node, shape.fields[key], here)
        if key in shape.never or not shape.open:
            return POSSIBLE if accepts_absence(node) else self._missing(key, node, shape, path)
        if shape.each is None or accepts_absence(node):
            return POSSIBLE
        return self.node(node, shape.each, here)

    def _below(self, key: str, shape: Shape, path: Path) -> Verdict:
        note = shape.note if isinstance(shape, Scalar) else ""
        kind = shape.kind if isinstance(shape, Scalar) else "plain text"
        what = f'"{path[-1]}"' if path else "it"
        why = f'{what} is {note or kind}, so it has no "{key}"'
        return Verdict(False, (*path, key), why, KEY)

    def _missing(self, key: str, node: object, shape: Fields, path: Path) -> Verdict:
        where = shape.name or (f'"{path[-1]}"' if path else "the message")
        why = f'{where} has no "{key}"'
        instead: Path = ()
        near = _meant(key, shape)
        if near:
            instead = (*path, near)
            why += f' (it is "{near}")'
        elif shape.home and self._fits(key, node, shape.fields.get(shape.home)):
            instead = (*path, shape.home, key)
            why += f' (what its sender puts in stands under "{dotted((*path, shape.home))}")'
        elif shape.home == "Message":
            why += ' (what was published stands as a string in its "Message")'
        return Verdict(False, (*path, key), why, KEY, instead)

    def _fits(self, key: str, node: object, home: Shape | None) -> bool:
        return isinstance(home, Fields) and self._field(key, node, home, ()).possible

    def _leaf(self, tests: list[object], shape: Shape, path: Path) -> Verdict:
        if isinstance(shape, Anything) or any(isinstance(test, Hole) for test in tests):
            return POSSIBLE
        if isinstance(shape, OneOf):
            return self._one_of(tests, shape, path)
        if isinstance(shape, Items):
            return POSSIBLE if accepts_absence(tests) else self._leaf(tests, shape.item, path)
        key = path[-1]
        if isinstance(shape, Fields):
            # For a condition, a key with keys below is not there.
            if accepts_absence(tests):
                return POSSIBLE
            return Verdict(False, path, f'"{key}" is an object, and a condition looks at leaves only', KEY)
        kind, values = STRING, None
        if isinstance(shape, Scalar):
            kind, values = shape.kind, shape.values
        elif isinstance(shape, Plain) and shape.text is not None:
            values = (shape.text,)
        if any(self._test(test, kind, values) for test in tests):
            return POSSIBLE
        if all(isinstance(test, dict) and test.get("exists") is False for test in tests):
            return Verdict(False, path, f'"{key}" is always there', KEY)
        if any(self._test(test, kind, None) for test in tests):
            known = " or ".join(shown(value) for value in values or ())
            return Verdict(False, path, f'"{key}" is always {known}', VALUE)
        return Verdict(False, path, f'"{key}" is {kind}, which {_shown_tests(tests)} never matches', VALUE)

    def _test(self, test: object, kind: str, values: tuple[object, ...] | None) -> bool:
        """Whether a test can hold for some value of a kind."""
        if isinstance(test, dict) and has_hole(test):
            return True
        if isinstance(test, dict) and len(test) == 1:
            operator = next(iter(test))
            if operator == "exists":
                return test["exists"] is not False
            if operator == "anything-but" and values is None:
                return True
            suits = operator == "anything-but" or (kind == NUMBER if operator == "numeric" else kind == STRING)
        elif isinstance(test, dict | list):
            return True
        else:
            suits = kind == _kind_of(test) or self.loose and isinstance(test, str | Numeral | bool)
        if not suits:
            return False
        if values is None or self.loose or has_hole(test, True):
            return True
        ready = compile_test(test, self.by)
        return any(ready(value) for value in values)


def _kind_of(value: object) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    return NUMBER if isinstance(value, Numeral) else STRING


def _shown_tests(tests: list[object]) -> str:
    return " or ".join(shown(test) for test in tests)


def _meant(key: str, shape: Fields) -> str:
    folded = "".join(letter for letter in key.lower() if letter.isalnum())
    for name in shape.fields:
        if "".join(letter for letter in name.lower() if letter.isalnum()) == folded:
            return name
    return ""
