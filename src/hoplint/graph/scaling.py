"""How many runs of a function may go on at once: what is reserved, what its mappings start, what is kept warm."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import consumers, names
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Hop, Poll
from hoplint.model.inquiry import certainly, doubt, settle
from hoplint.model.number import Quantity
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown, is_null

LATEST = "$LATEST"


def reserved(function: Resource) -> Quantity | None:
    """What is reserved for a function; None where nothing is."""
    if is_null(settle(function.raw("reserved_concurrency"))):
        return None
    return function.number("reserved_concurrency")


class Start:
    """A mapping that starts at most so many runs at once, and the setting that says so."""

    __slots__ = ("poll", "most", "setting")

    def __init__(self, poll: Poll, most: Quantity, setting: str) -> None:
        self.poll = poll
        self.most = most
        self.setting = setting


def starts(graph: Graph, function: Resource) -> Iterator[Start]:
    """What the active mappings of a function start at once, as far as they have a limit.

    What has none adds to the sum as well, but nobody can say how much.
    """
    for poll in consumers.polls_into(graph, function):
        if consumers.is_pipe(poll):
            continue
        if poll.source.kind.name == "sqs.queue":
            setting = "maximum_concurrency"
            most = None if is_null(settle(poll.via.raw(setting))) else poll.via.number(setting)
        else:
            setting, most = "parallelization", _shards(poll)
        if most is not None and certainly(graph.active(poll)):
            yield Start(poll, most, setting)


def _shards(poll: Poll) -> Quantity | None:
    """Shards times parallelization factor, where the shards of a stream are counted."""
    stream = poll.source
    if stream.kind.name != "kinesis.stream" or stream.elsewhere or is_null(settle(stream.raw("shards"))):
        return None
    mode = settle(stream.raw("mode"))
    if not isinstance(mode, Known) or mode.data not in (None, "PROVISIONED"):
        return None
    return stream.number("shards") * poll.via.number("parallelization")


def unqualified(hop: Hop) -> bool:
    """Whether a hop certainly names a function alone, or its `$LATEST`."""
    if hop.entry is not None or hop.value is None:
        return False
    found = names.resolve(hop.value, [hop.to])
    if found.certain is None:
        return False
    return found.qualifier is None or (isinstance(found.qualifier, Known) and found.qualifier.data == LATEST)


def kept_warm(graph: Graph, function: Resource) -> Resource | None:
    """The provisioned concurrency of an alias or version of a function, in this scenario."""
    for provisioned in graph.of("lambda.provisioned_concurrency"):
        if function not in graph.ends(provisioned, "function", "lambda.function") or not consumers.there(provisioned):
            continue
        if _is_published(provisioned) and _is_set(provisioned):
            return provisioned
    return None


def _is_set(provisioned: Resource) -> bool:
    """Whether environments are certainly kept warm, however many: the part of an alias that says so is there."""
    if provisioned.parent is None:
        return True
    config = provisioned.parent.get("provisioned_config")
    return isinstance(config, Known) and config.data is not None


def _is_published(provisioned: Resource) -> bool:
    """Whether an alias or version is kept warm. What hangs on `$LATEST` is refused, and keeps nothing warm."""
    by, qualifier = provisioned, settle(provisioned.raw("qualifier"))
    if isinstance(qualifier, Ref) and qualifier.target.kind.name == "lambda.alias":
        by = qualifier.target
        qualifier = settle(by.raw("version"))
    if isinstance(qualifier, Unknown):
        doubt(qualifier.why, by, qualifier.place_of_change)
        return False
    return isinstance(qualifier, Ref) or (isinstance(qualifier, Known) and qualifier.data not in (None, LATEST))
