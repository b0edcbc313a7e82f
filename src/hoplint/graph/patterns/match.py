"""Does a pattern match an event? AWS's own engine, rule by rule: fields by their dotted path, arrays crushed out.

Two conditions never hold in two different elements of one array; a key above a leaf is no field; `null` is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from hoplint.graph.patterns.consumers import DROP, IGNORE_CASE, SKIP, SUBSCRIPTION, Consumer, Path, consumer
from hoplint.graph.patterns.pattern import (
    Hole,
    Numeral,
    Pattern,
    branches,
    dotted,
    is_or,
    loads,
    parse_text,
    plain_data,
)

MOST = 10_000
"""Combinations of `$or` that are looked at; AWS takes a tenth."""

Test = Callable[[object], bool]
Condition = tuple[Path, list[object]]
Place = dict[int, int]
"""Which elements of which arrays a field stands in."""

_IPV4 = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_IPV6 = re.compile(r"[0-9a-fA-F:]*:[0-9a-fA-F:]*")


class Mismatch:
    """Why an event does not match: where, and in one clause what is there instead."""

    __slots__ = ("path", "message")

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        self.message = message

    def __repr__(self) -> str:
        return f"Mismatch({dotted(self.path)}: {self.message})"


def matches(pattern: object, event: object, by: Consumer | str = "eventbridge") -> tuple[bool, Path]:
    """Whether an event (or record) matches, and if not, at which key. Both may be text of JSON or plain data."""
    mismatch = explain_mismatch(pattern, event, by)
    return (True, ()) if mismatch is None else (False, mismatch.path)


def explain_mismatch(pattern: object, event: object, by: Consumer | str = "eventbridge") -> Mismatch | None:
    """Why an event does not match a pattern; None where it does.

    Raises ValueError where one of them is no JSON object, and LookupError where the pattern is not wholly known.
    """
    data = _pattern_data(pattern)
    who = consumer(by) if isinstance(by, str) else by
    try:
        record = plain_data(loads(event) if isinstance(event, str) else event)
    except RecursionError:
        raise ValueError("the event is nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("the event is no JSON object")
    if who.name == "pipe":
        who = _pipe_of(record)
    if who.name == "sns-attributes":
        record = attributes(record)
        if not record:
            return Mismatch((), "the message has no attributes")
    else:
        for key in who.payload:
            if key in record:
                record = {**record, key: payload(record[key], bool(who.kind != SUBSCRIPTION and key != "body"))}
    fields = _Fields(record)
    first: Mismatch | None = None
    for branch in conditions(data):
        mismatch = _branch(branch, fields, record, who)
        if mismatch is None:
            return None
        first = first or mismatch
    return first


def _pattern_data(pattern: object) -> dict[str, object]:
    if isinstance(pattern, str):
        pattern = parse_text(pattern)
    if isinstance(pattern, Pattern):
        if pattern.problem:
            raise ValueError(f"the pattern is no JSON: {pattern.problem}")
        if pattern.unknown:
            raise LookupError(pattern.unknown)
        pattern = pattern.data
    data = plain_data(pattern)
    if not isinstance(data, dict):
        raise ValueError("the pattern is no JSON object")
    if branches(data) > MOST:
        raise ValueError('its "$or" makes too many combinations')
    return data


def conditions(data: dict[str, object]) -> list[list[Condition]]:
    """The alternatives of a pattern: each a list of paths with the tests of which one has to hold."""
    return [list(branch.values()) for branch in _alternatives(data, (), [{}])]


def _alternatives(data: dict[str, object], path: Path, rules: list[dict[str, Condition]]) -> list[dict[str, Condition]]:
    for key, node in data.items():
        if isinstance(node, list) and is_or(key, node):
            rules = [
                rule
                for item in node
                if isinstance(item, dict)
                for rule in _alternatives(item, path, [dict(one) for one in rules])
            ]
        elif isinstance(node, dict):
            rules = _alternatives(node, (*path, key), rules)
        else:
            here = (*path, key)
            # Keys with a dot are not told from nested ones.
            for rule in rules:
                rule[".".join(map(str, here))] = (here, node if isinstance(node, list) else [node])
    return rules


class _Fields:
    """An event's fields by their dotted path, each with the array elements that it stands in."""

    __slots__ = ("found", "arrays")

    def __init__(self, record: dict[str, object]) -> None:
        self.found: dict[str, list[tuple[object, Place]]] = {}
        self.arrays = 0
        self._object(record, "", {})

    def _object(self, data: dict[str, object], prefix: str, place: Place) -> None:
        for key, item in data.items():
            self._value(item, f"{prefix}{key}", place)

    def _value(self, item: object, name: str, place: Place) -> None:
        if isinstance(item, dict):
            self._object(item, f"{name}.", place)
        elif isinstance(item, list):
            array = self.arrays = self.arrays + 1
            for number, element in enumerate(item):
                # Plain elements of one array are not told apart.
                inner = {**place, array: number} if isinstance(element, dict | list) else place
                self._value(element, name, inner)
        else:
            self.found.setdefault(name, []).append((item, place))


def _branch(branch: list[Condition], fields: _Fields, record: dict[str, object], who: Consumer) -> Mismatch | None:
    branch, mismatch = _formats(branch, record, who)
    if mismatch is not None:
        return mismatch
    wanted: dict[str, tuple[Path, bool, list[Test]]] = {}
    for path, tests in branch:
        absent = any(isinstance(test, dict) and test.get("exists") is False for test in tests)
        wanted[".".join(map(str, path))] = (path, absent, [compile_test(test, who) for test in tests])
    # Java's order of strings, which decides what `exists: false` is asked about.
    names = sorted(wanted, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    if _search(names, 0, {}, wanted, fields.found, set()):
        return None
    for (path, tests), (_, absent, ready) in zip(branch, wanted.values(), strict=True):
        found = fields.found.get(".".join(map(str, path)), [])
        if not (any(test(value) for value, _ in found for test in ready) or absent and not found):
            return Mismatch(path, _why(path, tests, [value for value, _ in found], record, who))
    path = branch[-1][0] if branch else ()
    return Mismatch(path, "each condition holds for itself, but not all of them in one element of the array")


def _formats(
    branch: list[Condition], record: dict[str, object], who: Consumer
) -> tuple[list[Condition], Mismatch | None]:
    """Apply the table of formats: a payload that is JSON under a pattern for plain text, and the other way round."""
    kept = []
    for path, tests in branch:
        key = path[0]
        if key not in who.payload or key not in record or who.mismatch not in (DROP, SKIP):
            kept.append((path, tests))
            continue
        nested, json = len(path) > 1, isinstance(record[key], dict | list)
        if nested == json:
            kept.append((path, tests))
        elif who.mismatch == DROP:
            there, wanted = ("JSON", "plain text") if json else ("no JSON", "JSON")
            return [], Mismatch((key,), f'"{key}" is {there}, the pattern is one for {wanted}')
    return kept, None


def _search(
    names: list[str], at: int, place: Place, wanted: dict[str, tuple[Path, bool, list[Test]]],
    found: dict[str, list[tuple[object, Place]]], failed: set[tuple[int, tuple[tuple[int, int], ...]]],
) -> bool:  # fmt: skip
    if at == len(names):
        return True
    state = (at, tuple(sorted(place.items())))
    if state in failed:
        return False
    _, absent, tests = wanted[names[at]]
    values = found.get(names[at], [])
    ways = [place] if absent and all(_merge(place, other) is None for _, other in values) else []
    for value, other in values:
        merged = _merge(place, other)
        if merged is not None and any(test(value) for test in tests):
            ways.append(merged)
    if any(_search(names, at + 1, way, wanted, found, failed) for way in ways):
        return True
    failed.add(state)
    return False


def _merge(place: Place, other: Place) -> Place | None:
    """Both together, or None where they are in different elements of one array."""
    if not other:
        return place
    if any(place.get(array, number) != number for array, number in other.items()):
        return None
    return {**place, **other}


def compile_test(test: object, who: Consumer) -> Test:
    """One element of a pattern's array as a function of a field's value."""
    if isinstance(test, str):
        address = ip_bytes(test)
        if address is not None:
            return _block(address.hex(), address.hex())
        return lambda value: value == test
    if isinstance(test, Numeral):
        return lambda value: isinstance(value, Numeral) and same_number(test, value, who.textual)
    if isinstance(test, bool) or test is None:
        return lambda value: value is test
    if isinstance(test, dict) and len(test) == 1:
        operator, operand = next(iter(test.items()))
        return _compile_operator(operator, operand, who)
    return lambda value: False


def _compile_operator(operator: str, operand: object, who: Consumer) -> Test:
    if operator == "exists":
        if operand is not True:
            return lambda value: False
        # SNS wants a value that is neither null nor empty.
        return lambda value: who.kind != SUBSCRIPTION or value is not None and value != ""
    if operator == "numeric" and isinstance(operand, list):
        return _numeric(operand)
    if operator == "cidr" and isinstance(operand, str):
        return _cidr(operand)
    if operator == "anything-but":
        return _anything_but(operand, who)
    if operator == "exactly" and isinstance(operand, str):
        return lambda value: value == operand
    text = _text_test(operator, operand)
    return lambda value: isinstance(value, str) and text(value)


def _text_test(operator: str, operand: object) -> Callable[[str], bool]:
    caseless = False
    if operator in ("prefix", "suffix") and isinstance(operand, dict):
        operand, caseless = operand.get(IGNORE_CASE), True
    if not isinstance(operand, str):
        return lambda value: False
    if operator == "wildcard":
        return _wildcard(operand)
    if operator == IGNORE_CASE or caseless:
        folded = _fold_regex(operand)
        if operator == "prefix":
            return lambda value: folded.match(value) is not None
        if operator == "suffix":
            tail = re.compile(f"(?:{folded.pattern})\\Z", re.DOTALL)
            return lambda value: tail.search(value) is not None
        return lambda value: folded.fullmatch(value) is not None
    text = operand
    if operator == "prefix":
        return lambda value: value.startswith(text)
    if operator == "suffix":
        return lambda value: value.endswith(text)
    return lambda value: False


def _fold_regex(text: str) -> re.Pattern[str]:
    """Each letter in lower or upper case, as the engine folds them: one by one."""
    pieces = []
    for letter in text:
        if ord(letter) > 0xFFFF:
            # The engine folds halves of such a letter, each of which becomes a question mark.
            letter = "??"
        low, high = letter.lower(), letter.upper()
        pieces.append(re.escape(low) if low == high else f"(?:{re.escape(low)}|{re.escape(high)})")
    return re.compile("".join(pieces), re.DOTALL)


def _wildcard(text: str) -> Callable[[str], bool]:
    """A wildcard; a backslash takes the meaning from `*` and from itself."""
    pieces = [""]
    for one in re.findall(r"\\[*\\]|.", text, re.DOTALL):
        if one == "*":
            pieces.append("")
        else:
            pieces[-1] += one[-1]
    first, last = pieces[0], pieces[-1]

    def test(value: str) -> bool:
        if len(pieces) == 1:
            return value == first
        end = len(value) - len(last)
        if not value.startswith(first) or not value.endswith(last) or end < len(first):
            return False
        at = len(first)
        for piece in pieces[1:-1]:
            at = value.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    return test


def _anything_but(operand: object, who: Consumer) -> Test:
    """Everything else, of whatever type."""
    if isinstance(operand, dict) and len(operand) == 1:
        operator, values = next(iter(operand.items()))
        texts = [_text_test(operator, one) for one in (values if isinstance(values, list) else [values])]
        return lambda value: not (isinstance(value, str) and any(text(value) for text in texts))
    forbidden = operand if isinstance(operand, list) else [operand]
    return lambda value: (
        not any(
            same_number(one, value, False) if isinstance(one, Numeral) and isinstance(value, Numeral) else value == one
            for one in forbidden
        )
    )


def _numeric(operands: list[object]) -> Test:
    bounds = list(zip(operands[::2], operands[1::2], strict=False))

    def test(value: object) -> bool:
        if not isinstance(value, Numeral) or value.exact is None:
            return False
        return all(isinstance(one, Numeral) and _holds(value.exact, how, one.exact) for how, one in bounds)

    return test


def _holds(number: Fraction, relation: object, bound: Fraction | None) -> bool:
    if bound is None:
        return False
    if relation == "=":
        return number == bound
    if relation in ("<", "<="):
        return number < bound or relation == "<=" and number == bound
    return number > bound or relation == ">=" and number == bound


def same_number(left: Numeral, right: Numeral, textual: bool) -> bool:
    """Whether two numbers are equal: written alike, or (where text does not decide) of the same value."""
    if textual or left.exact is None or right.exact is None:
        return left.text == right.text
    return left.exact == right.exact


def ip_bytes(text: str) -> bytes | None:
    """An IP address as bytes: AWS compares addresses, not their texts."""
    if _IPV4.fullmatch(text):
        parts = text.split(".")
        return None if any(len(part) > 9 or int(part) > 255 for part in parts) else bytes(map(int, parts))
    if _IPV6.fullmatch(text):
        import ipaddress

        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            return None
        return (address.ipv4_mapped or address).packed
    return None


def cidr_problem(text: str) -> str:
    """What is wrong with the operand of `cidr`; empty where nothing is."""
    address, slash, bits = text.partition("/")
    packed = ip_bytes(address)
    if not slash or packed is None:
        return f'"{text}" is no block of addresses like 10.0.0.0/24'
    if not bits.isascii() or not bits.isdigit() or int(bits) >= 8 * len(packed):
        return f'"{text}" has a mask that is no number from 0 to {8 * len(packed) - 1}'
    return ""


def _cidr(text: str) -> Test:
    address, _, bits = text.partition("/")
    packed = ip_bytes(address)
    if packed is None or cidr_problem(text):
        return lambda value: False
    size, free = len(packed), 8 * len(packed) - int(bits)
    first = int.from_bytes(packed, "big") >> free << free
    return _block(first.to_bytes(size, "big").hex(), (first | (1 << free) - 1).to_bytes(size, "big").hex())


def _block(first: str, last: str) -> Test:
    """Addresses from the first to the last, as hexadecimal digits.

    The engine compares digit by digit until it is sure, whatever kind of address it is.
    """

    def test(value: object) -> bool:
        found = ip_bytes(value) if isinstance(value, str) else None
        if found is None:
            return False
        digits = found.hex()
        if len(digits) >= len(first):
            return first <= digits[: len(first)] <= last
        return first[: len(digits)] < digits < last[: len(digits)]

    return test


def payload(value: object, encoded: bool = False) -> object:
    """What a record carries: JSON where its text is an object or an array, else the text. `encoded`: maybe base64."""
    if not isinstance(value, str):
        return value
    for text in (value, *(_decoded(value) if encoded else ())):
        try:
            data = loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict | list):
            return data
    return value


def _decoded(text: str) -> Iterator[str]:
    import base64

    try:
        yield base64.b64decode(text, validate=True).decode("utf-8")
    except ValueError:
        return


def attributes(record: dict[str, object]) -> dict[str, object]:
    """Message attributes as SNS compares them, from plain values or from `{"Type": …, "Value": …}`."""
    result: dict[str, object] = {}
    for name, item in record.items():
        if not isinstance(item, dict):
            result[name] = item
            continue
        kind = str(item.get("DataType", item.get("Type", "String")))
        value = item.get("StringValue", item.get("Value"))
        if kind.startswith("Binary") or value is None:
            continue
        if isinstance(value, str) and kind.startswith(("String.Array", "Number")):
            try:
                value = loads(value)
            except ValueError:
                continue
        result[name] = value
    return result


_TELLING = (
    ("dynamodb", "dynamodb"), ("body", "sqs"), ("partitionKey", "kinesis"), ("topic", "kafka"), ("value", "kafka"),
)  # fmt: skip


def _pipe_of(record: dict[str, object]) -> Consumer:
    source = record.get("eventSource")
    name = source.rpartition(":")[2] if isinstance(source, str) else ""
    name = {"rmq": "mq", "amq": "mq", "SelfManagedKafka": "kafka"}.get(name, name)
    if not name:
        # A record as it is often written down, without what polling adds.
        name = next((kind for key, kind in _TELLING if key in record), "")
    return consumer(f"pipe-{name}" if name in ("sqs", "kinesis", "dynamodb", "kafka", "mq") else "pipe")


def _why(path: Path, tests: list[object], values: list[object], record: dict[str, object], who: Consumer) -> str:
    name = path[-1]
    if not values:
        at: object = record
        for depth, step in enumerate(path):
            if isinstance(at, list):
                at = next((item for item in at if isinstance(item, dict) and step in item), at)
            if not isinstance(at, dict):
                around = dotted(path[:depth])
                return f'"{around}" is {shown(at)}, so it has no "{step}"' if around else f'there is no "{step}"'
            if step not in at:
                around = dotted(path[:depth])
                return f'there is no "{step}"' + (f' in "{around}"' if around else "")
            at = at[step]
        inner = at if isinstance(at, list) else [at]
        if any(isinstance(item, dict) and item for item in inner):
            return f'"{name}" holds {"objects" if at is inner else "an object"}, and a condition looks at leaves only'
        return f'"{name}" is empty'
    there = ", ".join(shown(value) for value in values[:3]) + (" …" if len(values) > 3 else "")
    if any(isinstance(test, dict) and test.get("exists") is False for test in tests):
        return f'"{name}" is there ({there})'
    return f'"{name}" is {there}, wanted is {" or ".join(shown(test) for test in tests)}{_hint(tests, values, who)}'


def _hint(tests: list[object], values: list[object], who: Consumer) -> str:
    for value in values:
        for test in tests:
            if isinstance(value, str) and isinstance(test, Numeral) and value == test.text:
                return " (a string is not equal to a number)"
            if isinstance(value, Numeral) and test == value.text:
                return " (a number is not equal to a string)"
            if isinstance(value, str) and isinstance(test, str) and value.lower() == test.lower():
                return " (letters differ in case)"
            if isinstance(value, Numeral) and isinstance(test, Numeral) and value.exact == test.exact is not None:
                return f" (plain numbers are compared by their text for {who.label})"
            if isinstance(value, str) and isinstance(test, dict) and "numeric" in test:
                return ' ("numeric" compares numbers only, this is a string)'
    return ""


def shown(value: object) -> str:
    """A value as JSON, cut where it is long."""
    if isinstance(value, dict):
        text = "{" + ", ".join(f'"{key}": {shown(item)}' for key, item in value.items()) + "}"
    elif isinstance(value, list):
        text = "[" + ", ".join(map(shown, value)) + "]"
    elif isinstance(value, Numeral):
        text = value.text
    elif isinstance(value, Hole):
        text = "…"
    else:
        import json

        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
