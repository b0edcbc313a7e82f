"""What takes messages from queues, and how: defaults that depend on the source, receives, times, failure queues."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hoplint.graph import names
from hoplint.graph.answers import Absent, Answer, Found
from hoplint.graph.graph import Graph
from hoplint.graph.hops import FailTo, Hop, Poll, Push, Redrive
from hoplint.graph.strangers import service_in
from hoplint.graph.texts import Hole, six_parts, tokens
from hoplint.model.condition import Condition, both, can_hold
from hoplint.model.embedded import document
from hoplint.model.finding import Edit, Fix, Safety
from hoplint.model.identity import REGION, shared
from hoplint.model.inquiry import certainly, doubt, holds, possibly, settle
from hoplint.model.number import NO, YES, Quantity, Symbol, Test, maybe
from hoplint.model.place import Site
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Text, Unknown, Value, branches, is_null, plain, quantity, reason

SQS_BATCH = 10
OTHER_BATCH = 100
"""How many records a mapping takes at once when its author says nothing."""

FIFO_BATCH = 10
RECEIVES = 10
"""How often a message is received when a redrive policy does not say."""

PIPE_RUN = 450
"""A pipe that waits for a batch hides messages for seven minutes and a half, and the window on top."""


def of_queues(graph: Graph) -> Iterator[Poll]:
    """What takes messages from queues, wherever they are, in each scenario that matters."""
    return graph.each(_of_queues(graph))


def mappings_of_queues(graph: Graph) -> Iterator[Poll]:
    """The mappings that take messages from queues, in each scenario that matters."""
    return graph.each(poll for poll in _of_queues(graph) if not is_pipe(poll))


def _of_queues(graph: Graph) -> list[Poll]:
    return [hop for hop in graph.hops(Poll) if isinstance(hop, Poll) and hop.source.kind.name == "sqs.queue"]


def consumed(graph: Graph) -> Iterator[tuple[Resource, Poll]]:
    """Every queue of this run that something takes messages from, with the first that does, in each scenario."""
    for queue in graph.each(queue for queue in graph.of("sqs.queue") if not queue.elsewhere):
        taking = next((poll for poll in polls_of(graph, queue) if certainly(graph.active(poll))), None)
        if taking is not None:
            yield queue, taking


def there(*things: Hop | Resource) -> bool:
    """Whether hops or resources exist in the scenario being looked at; what only a default switches off does not."""
    for thing in things:
        if isinstance(thing, Hop) and not holds(thing.exists):
            return False
        for part in thing.parts() if isinstance(thing, Hop) else (thing,):
            if part.off_by_default or not holds(part.exists):
                return False
    return True


def polls_of(graph: Graph, resource: Resource) -> list[Poll]:
    """The mappings and pipes that take events from a resource in this scenario, each once."""
    return _once(hop for hop in graph.out_of(resource, Poll))


def polls_into(graph: Graph, resource: Resource) -> list[Poll]:
    """The mappings and pipes that hand events to a resource in this scenario, each once."""
    return _once(hop for hop in graph.into(resource, Poll))


def _once(hops: Iterator[Hop]) -> list[Poll]:
    found: dict[Resource, Poll] = {}
    for hop in hops:
        if isinstance(hop, Poll) and hop.via not in found and there(hop):
            found[hop.via] = hop
    return list(found.values())


def first_feed(graph: Graph, function: Resource) -> Hop | None:
    """The first hop that brings events to a function of this run in this scenario."""
    if function.elsewhere:
        return None
    for hop in graph.into(function, Poll, Push):
        if there(hop) and (not isinstance(hop, Poll) or certainly(graph.active(hop))):
            return hop
    return None


def is_pipe(poll: Hop) -> bool:
    """Whether a pipe takes the events, not a mapping."""
    return poll.via.kind.name == "pipes.pipe"


def switch(poll: Hop) -> str:
    """The setting that switches a mapping or pipe on and off."""
    return "desired_state" if is_pipe(poll) else "enabled"


def batch_size(poll: Poll) -> Quantity:
    """How many records are taken at once, the default of the source included."""
    via = poll.via
    if not is_null(settle(via.raw("batch_size"))):
        return via.number("batch_size")
    return Quantity(SQS_BATCH if poll.source.kind.name == "sqs.queue" else OTHER_BATCH)


def is_fifo(queue: Resource) -> Test:
    """Whether a queue is a FIFO queue; one elsewhere shows it by its name."""
    if not queue.elsewhere:
        return queue.flag("fifo")
    name = settle(queue.raw("name"))
    last = name.parts[-1] if isinstance(name, Text) else name.data if isinstance(name, Known) else None
    if isinstance(last, str):
        return YES if last.endswith(".fifo") else NO
    return maybe(reason(name) or f"the name of {queue.address} is not known")


REPORT = "ReportBatchItemFailures"


def let_report(graph: Graph, mapping: Resource) -> Fix:
    """The fix that lets a function say which messages of a batch failed.

    It is not safe: a handler that returns something else is taken to have failed once the setting is on.
    """
    if any(part.address == mapping.address and part.stack is mapping.stack for part in graph.of("sns.subscription")):
        # SAM made both of one event, and has no setting for it.
        return Fix(f"declare the queue, its subscription and an SQS event that sets {REPORT}")
    title = f"let the function report failures one by one ({REPORT})"
    value = settle(mapping.raw("response_types"))
    if isinstance(value, Known) and value.source is not None:
        return Fix(title, Safety.UNSAFE, (Edit(value.source, f'["{REPORT}"]'),))
    terraform = mapping.stack.family == "terraform"
    shown = f'function_response_types = ["{REPORT}"]' if terraform else f"FunctionResponseTypes: [{REPORT}]"
    return Fix(title, Safety.SHOWN, (), shown)


def filters(via: Resource) -> frozenset[str] | None:
    """The filters of a mapping or pipe, comparable; None where they are not known."""
    patterns = via.items("filters")
    if patterns is None:
        return None
    try:
        return frozenset(json.dumps(plain(document(pattern)), sort_keys=True, default=str) for pattern in patterns)
    except LookupError:
        return None


def drained_otherwise(graph: Graph, poll: Poll) -> bool:
    """Whether something else takes, or may take, messages from the same queue; what is not known is recorded."""
    others = [other for other in polls_of(graph, poll.source) if other.via is not poll.via]
    if any(possibly(graph.active(other)) for other in others):
        return True
    unknown = graph.loose_consumers(poll.source)
    if unknown:
        doubt(unknown[0], poll.via, poll.via.head)
    return bool(unknown)


def waits_for_express(poll: Poll) -> Test:
    """Whether a pipe hands its messages to an Express workflow and waits for it."""
    if not is_pipe(poll) or poll.to.kind.name not in ("states.machine", "elsewhere"):
        return NO
    invocation = poll.via.get("machine_invocation")
    if isinstance(invocation, Known) and invocation.data != "REQUEST_RESPONSE":
        return NO
    if poll.to.kind.name == "elsewhere":
        return maybe(f"what {poll.via.address} hands its messages to is not known")
    kind = poll.to.get("type")
    if not isinstance(kind, Known) or not isinstance(invocation, Known):
        return maybe(f"whether {poll.to.address} is an Express workflow that is waited for is not known")
    return YES if kind.data == "EXPRESS" else NO


# Where messages end that fail too often ------------------------------------------------------------------------------


def redrive_policies(queue: Resource) -> Iterator[tuple[Value, Condition]]:
    """Each redrive policy that a queue can have, with the condition under which it has it."""
    for value, condition in branches(queue.raw("redrive_policy")):
        if not _no_policy(value):
            yield value, both(queue.exists, condition)


def _no_policy(value: Value) -> bool:
    return is_null(value) or (isinstance(value, Known) and value.data in ("", "null"))


def dead_letter_queue(graph: Graph, queue: Resource) -> Answer:
    """Whether a queue has a redrive policy."""
    for value, condition in redrive_policies(queue):
        if can_hold(condition):
            return graph.cannot_tell(value.why, queue) if isinstance(value, Unknown) else Found(value)
    opened = queue.fetch("@open redrive_policy") if queue.stack.family == "terraform" else None
    if opened is not None and any(not _no_policy(value) for value, _ in branches(opened)):
        # Whoever deploys the root may well say otherwise.
        return graph.cannot_tell(f"only a default leaves {queue.address} without a redrive policy", queue)
    return graph.answer(queue, (), graph.loose_parts(queue, "sqs.redrive_policy:redrive_policy"))


def failures_kept(graph: Graph, poll: Poll) -> bool:
    """Whether a queue's redrive policy, or a stream's mapping, says what becomes of failures, or may do so."""
    if poll.source.kind.name == "sqs.queue":
        return poll.source.elsewhere or not isinstance(dead_letter_queue(graph, poll.source), Absent)
    return not is_null(poll.via.get("on_failure"))


def failure_queue(graph: Graph, queue: Resource) -> Answer:
    """Whether a queue is one that failed messages are sent to."""
    hops = graph.into(queue, Redrive, FailTo)
    loose = [part for kind in ("Redrive", "FailTo") for part in graph.loose.get(kind, ())]
    # A queue is not its own failure queue.
    return graph.answer(
        queue, hops, [part.why for part in loose if part.declared_by is not queue and graph.may_belong(part, queue)]
    )


def keeps_failures(graph: Graph, queue: Resource) -> bool:
    """Whether failed messages are certainly sent to a queue."""
    return any(there(hop) for hop in graph.into(queue, Redrive, FailTo))


class Receives:
    """How often a message is received before it goes to the dead-letter queue, and where that is said."""

    __slots__ = ("count", "value", "site")

    def __init__(self, count: Quantity, value: Value, site: Site) -> None:
        self.count = count
        self.value = value
        self.site = site

    @property
    def words(self) -> str:
        """The number of receives."""
        return f"{self.count} receive{'' if self.count.exact == 1 else 's'}"

    def allow(self, least: int) -> Fix:
        """The fix that allows more of them: the one literal that decides the number, or what to write."""
        title = f"set maxReceiveCount to {least}"
        if isinstance(self.value, Known) and self.value.source is not None:
            return Fix(title, Safety.SAFE, (Edit(self.value.source, str(least)),))
        return Fix(title, Safety.SHOWN, (), f"maxReceiveCount: {least}")


def receives(queue: Resource) -> Receives | None:
    """What the redrive policy of a queue says about receives; None where there certainly is none."""
    policy = settle(queue.raw("redrive_policy"))
    giver = queue.given.get("redrive_policy")
    if _no_policy(policy) or (giver is not None and giver[1].off_by_default):
        return None
    value = settle(field(settle(document(policy)), "maxReceiveCount"))
    site = value.place_of_change or queue.site("redrive_policy")
    if isinstance(value, Unknown):
        doubt(value.why, queue, site)
    if is_null(value):
        return Receives(Quantity(RECEIVES), value, site)
    count = quantity(value)
    if count is None:
        why = f"maxReceiveCount of {queue.address} is no number"
        doubt(why, queue, site)
        count = Quantity(0, {Symbol("maxReceiveCount", why): 1})
    return Receives(count.within(1, 1_000), value, site)


def hidden(poll: Poll) -> Quantity | None:
    """For how long a message that was received stays hidden from others; None where that cannot be told.

    A pipe that waits for a batch sets it itself. A mapping that does may prolong it, which makes this the least.
    """
    own = poll.source.number("visibility_timeout")
    if not is_pipe(poll):
        return own
    window = poll.via.number("window")
    if certainly(window > 0):
        return window + PIPE_RUN
    return None if possibly(window > 0) else own


def hider(poll: Poll) -> tuple[Resource, str]:
    """What says for how long a received message stays hidden: the queue, or a pipe that waits for a batch."""
    if is_pipe(poll) and certainly(poll.via.number("window") > 0):
        return poll.via, "window"
    return poll.source, "visibility_timeout"


def time_to_failure_queue(poll: Poll) -> Quantity | None:
    """The seconds after which a message that always fails leaves its queue, at least; None where it never does."""
    count = receives(poll.source)
    time = hidden(poll)
    return None if count is None or time is None else count.count * time


# Regions -------------------------------------------------------------------------------------------------------------


def regions(poll: Poll) -> tuple[Value, Value]:
    """The Regions of a queue and of the function that a mapping hands its messages to, as far as they are known."""
    source, function = settle(poll.via.raw("source")), poll.value
    # A function that is named without its ARN is in the mapping's own Region.
    ours = _region_in(function) if function is not None and service_in(function) else _region_of(poll.via)
    if not isinstance(source, Ref):
        return _region_in(source), ours
    if source.target.stack is not poll.via.stack:
        # What CloudFormation imports comes from its own Region.
        return ours, ours
    return _region_of(poll.source), ours


def _region_of(resource: Resource) -> Value:
    found = resource.fetch("@region")
    found = None if found is None else settle(found)
    return shared(resource.stack, REGION) if found is None or is_null(found) else found


def _region_in(value: Value) -> Value:
    """The Region in an ARN."""
    parts = six_parts(tokens(names.expand(value)))
    if parts is None:
        return Unknown(reason(value) or "it is no ARN", value.site)
    region = parts[3]
    if all(isinstance(token, str) for token in region):
        return Known("".join(str(token) for token in region), value.site)
    first = region[0]
    if len(region) == 1 and isinstance(first, Hole):
        return first.value
    return Unknown(reason(value) or "the Region in an ARN is not known", value.site)


# What only streams know ----------------------------------------------------------------------------------------------

_STREAM_SETTINGS: dict[str, tuple[str, object]] = {
    "starting_position": ("a starting position", None),
    "bisect": ("splitting of failed batches", False),
    "retries": ("a limit of retries", -1),
    "record_age": ("a limit of record age", -1),
    "parallelization": ("a parallelization factor", 1),
    "tumbling_window": ("a tumbling window", 0),
}
"""Settings of mappings that queues do not know, and the value that asks for nothing although it is written."""


def stream_settings(mapping: Resource) -> list[tuple[str, str]]:
    """The settings for streams that a mapping certainly asks for, each with what to call it."""
    found: list[tuple[str, str]] = []
    for name, (label, neutral) in _STREAM_SETTINGS.items():
        if certainly(mapping.has(name)):
            value = mapping.get(name)
            if not isinstance(value, Known) or str(value.data).lower() != str(neutral).lower():
                found.append((name, label))
    return found
