"""What the filters of one mapping, pipe or subscription do to what its producers send, ready to be reported."""

from __future__ import annotations

from hoplint.graph.patterns.consumers import MAPPING_FILTER, PIPE_FILTER, Consumer, Path
from hoplint.graph.patterns.pattern import Pattern, parse
from hoplint.graph.patterns.reach import FORMAT, KEY, VALUE, Verdict, can_match
from hoplint.graph.patterns.shapes import Anything, Shape
from hoplint.model.inquiry import settle
from hoplint.model.place import Site
from hoplint.model.value import Known, Value, is_null, reason


class Producer:
    """Someone who sends: `label` reads well in "every message that … sends"; `owner` is whatever the caller keeps."""

    __slots__ = ("label", "shape", "owner")

    def __init__(self, label: str, shape: Shape, owner: object = None) -> None:
        self.label = label
        self.shape = shape
        self.owner = owner

    def __repr__(self) -> str:
        return f"Producer({self.label})"


class Filters:
    """All filters of one consumer; one is enough to let a message through.

    `unknown` says why not all of them are known; empty where they are.
    """

    __slots__ = ("patterns", "unknown")

    def __init__(self, patterns: list[Pattern], unknown: str = "") -> None:
        self.patterns = patterns
        self.unknown = unknown or next((one.unknown for one in patterns if one.unknown), "")


class Loss:
    """What no filter lets through, or a filter that lets nothing through.

    With `producer`: every message of it is lost, since no filter can match any. `numbers` are the filters that speak
    (all of them), `path`, `why`, `kind` and `instead` those of the first that comes nearest. Without `producer`: the
    filter `numbers[0]` can match none of the known producers' messages, while others can. `message` is one clause,
    `site` where the first filter's key stands.
    """

    __slots__ = ("producer", "numbers", "path", "why", "kind", "instead", "message", "site")

    def __init__(
        self, producer: Producer | None, numbers: list[int], verdict: Verdict, message: str, site: Site | None
    ) -> None:
        self.producer = producer
        self.numbers = numbers
        self.path: Path = verdict.path
        self.why = verdict.why
        self.kind = verdict.kind
        self.instead: Path = verdict.instead
        self.message = message
        self.site = site

    def __repr__(self) -> str:
        return f"Loss({self.message})"


def filters_of(patterns: Value) -> Filters:
    """Read the filters of a mapping, pipe or subscription: a list of patterns, or one pattern."""
    value = settle(patterns)
    if is_null(value):
        return Filters([])
    if not isinstance(value, Known):
        return Filters([], reason(value) or "its filters are not known")
    items = value.data if isinstance(value.data, list) else [value]
    found, unknown = [], ""
    for item in items:
        item = settle(item)
        if is_null(item):
            unknown = "a filter without a pattern"
            continue
        pattern = parse(item)
        if pattern.unknown and not isinstance(pattern.data, dict) and not pattern.problem:
            unknown = unknown or pattern.unknown
        found.append(pattern)
    return Filters(found, unknown)


def mapping_filter_verdicts(patterns: Value, producers: list[Producer], consumer: Consumer) -> list[Loss]:
    """Which producers' messages none of the filters can match, and which filters can match nothing that is sent.

    Filters are ORed: a producer is starved only if every one of them is impossible for it, whatever else is sent to
    the same place. A filter that is impossible for every producer is named only if nobody is starved and everything
    that is sent is known.
    """
    filters = filters_of(patterns)
    # A filter that AWS refuses, or that is not known, may let anything through.
    if not filters.patterns or len(filters.patterns) != _count(patterns):
        return []
    table = [[can_match(one, producer.shape, consumer) for one in filters.patterns] for producer in producers]
    losses = [
        _starved(filters, producer, row, consumer)
        for producer, row in zip(producers, table, strict=True)
        if not any(verdict.possible for verdict in row)
    ]
    if producers and not losses and not any(isinstance(one.shape, Anything) for one in producers):
        for number, pattern in enumerate(filters.patterns):
            column = [row[number] for row in table]
            if not any(verdict.possible for verdict in column):
                message = f"filter {number + 1} can match nothing that is sent: {column[0].why}"
                losses.append(Loss(None, [number], column[0], message, pattern.site(column[0].path)))
    return losses


def _count(patterns: Value) -> int:
    value = settle(patterns)
    return len(value.data) if isinstance(value, Known) and isinstance(value.data, list) else 1


def _starved(filters: Filters, producer: Producer, row: list[Verdict], consumer: Consumer) -> Loss:
    # A format that does not fit is said first: then no key of it matters.
    order = sorted(range(len(row)), key=lambda number: ((FORMAT, KEY, VALUE).index(row[number].kind), number))
    verdict = row[order[0]]
    by = "this filter" if len(row) == 1 else f"its {len(row)} filters"
    polled = consumer.kind in (MAPPING_FILTER, PIPE_FILTER)
    deleted = consumer.lost == "deleted from the queue"
    fate = f"is deleted by {by}" if deleted else f"is {consumer.lost}, since {by} cannot match it"
    what = "message" if deleted or not polled else "record"
    message = f"every {what} that {producer.label} sends {fate}: {verdict.why}"
    site = filters.patterns[order[0]].site(verdict.path)
    return Loss(producer, list(range(len(row))), verdict, message, site)
