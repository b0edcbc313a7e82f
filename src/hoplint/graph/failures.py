"""Where failures end: the queues and topics that take them, and what the policies of dead-letter queues say.

A queue is a failure queue because something hands its failures to it: a redrive policy, a failure destination, a
workflow that catches an error. What it is called proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hoplint.graph import consumers, names
from hoplint.graph.graph import Graph
from hoplint.graph.hops import FailTo, Grant, Hop, Invoke, Poll, Push, Redrive
from hoplint.graph.texts import compare, level, parts_of, six_parts, tokens
from hoplint.model.condition import both
from hoplint.model.embedded import document
from hoplint.model.inquiry import doubt, settle
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Text, Unknown, Value, branches, is_null, reason

if TYPE_CHECKING:
    from hoplint.graph.link import Linker

SEND_MESSAGE = ("sqs:sendMessage", "aws-sdk:sqs:sendMessage")


def hops(graph: Graph, *kinds: str) -> Iterator[Hop]:
    """Every hand-over of failures to a resource of these kinds (queues, where none is said), in each scenario."""
    wanted = kinds or ("sqs.queue",)
    found = (hop for hop in graph.hops(Redrive, FailTo) if hop.to.kind.name in wanted)
    return graph.each(hop for hop in found if not unused(graph, hop))


def queues(graph: Graph) -> list[Resource]:
    """Every queue that takes failures, in the order in which they are handed over."""
    found = (hop for hop in graph.hops(Redrive, FailTo) if hop.to.kind.name == "sqs.queue")
    return list(dict.fromkeys(hop.to for hop in found if not unused(graph, hop)))


def into(graph: Graph, queue: Resource) -> list[Hop]:
    """The hand-overs of failures to a queue in the scenario that is looked at."""
    return [hop for hop in graph.into(queue, Redrive, FailTo) if consumers.there(hop) and not unused(graph, hop)]


def unused(graph: Graph, hop: Hop) -> bool:
    """Whether a failure destination gets nothing: that of a function which, as far as is seen, is only polled for.

    Queues and streams have failure paths of their own; what a function says about failures is for other invocations.
    """
    if not isinstance(hop, FailTo) or hop.via.kind.name not in ("lambda.function", "lambda.invoke_config"):
        return False
    return bool(graph.into(hop.source, Poll)) and not graph.into(hop.source, Push, Invoke, Grant)


def is_fifo(resource: Resource) -> Test:
    """Whether a queue or topic is FIFO; one of another stack shows it by its name."""
    return resource.flag("fifo") if not resource.elsewhere else _by_name(names.name_of(resource))


def _by_name(value: Value) -> Test:
    """Whether a name or ARN is that of a FIFO queue or topic: AWS wants it to end in `.fifo`."""
    value = settle(value)
    text = value.parts[-1] if isinstance(value, Text) else value.data if isinstance(value, Known) else None
    if isinstance(text, str):
        return YES if text.endswith(".fifo") else NO
    return maybe(reason(value) or "a name is not known")


SETTINGS: dict[str, tuple[str, ...]] = {
    "sqs.queue": ("redrive_policy",),
    "sns.subscription": ("redrive_policy",),
    "events.target": ("dlq",),
    "scheduler.schedule": ("dlq",),
    "lambda.function": ("dlq",),
    "lambda.invoke_config": ("on_failure",),
    "lambda.event_source_mapping": ("on_failure",),
    "pipes.pipe": ("kinesis_dlq", "dynamodb_dlq"),
}
"""Where each kind of resource says to whom its failures go."""


class Destination:
    """What a setting names as the place for failures; `target` is None where that is no resource of the run."""

    __slots__ = ("by", "setting", "value", "target")

    def __init__(self, by: Resource, setting: str, value: Value, target: Resource | None) -> None:
        self.by = by
        self.setting = setting
        self.value = value
        self.target = target

    @property
    def fifo(self) -> Test:
        """Whether it is a FIFO queue or topic."""
        if self.target is not None:
            return is_fifo(self.target)
        parts = parts_of(names.expand(self.value))
        first = parts[0] if isinstance(parts[0], str) else ""
        if first and not first.startswith(("arn:aws:sqs:", "arn:aws:sns:")) and len(parts) == 1:
            return NO
        return _by_name(names.expand(self.value))

    @property
    def shown(self) -> str:
        """What to call it."""
        if self.target is not None:
            return self.target.address
        return str(self.value.data) if isinstance(self.value, Known) else "it"


def destinations(graph: Graph, *kinds: str) -> Iterator[Destination]:
    """What resources of these kinds name as the place for their failures, in each scenario."""
    ends = [end for end in graph.of("sqs.queue", "sns.topic") if end.parent is None]
    for resource in graph.each(graph.of(*kinds)):
        if resource.elsewhere:
            continue
        for setting in SETTINGS[resource.kind.name]:
            value = settle(resource.raw(setting))
            if setting == "redrive_policy":
                value = item(policy(resource, setting), "deadLetterTargetArn")
            if is_null(value):
                continue
            found = names.resolve(value, ends)
            if found.certain is None and isinstance(value, Unknown):
                doubt(value.why, resource, resource.site(setting))
            yield Destination(resource, setting, value, found.certain)


def regions_apart(one: Value, other: Value) -> Test:
    """Whether two ARNs are of different Regions."""
    return _apart(one, other, 3)


def accounts_apart(one: Value, other: Value) -> Test:
    """Whether two ARNs are of different accounts."""
    return _apart(one, other, 4)


def _apart(one: Value, other: Value, part: int) -> Test:
    mine, theirs = (six_parts(tokens(value)) for value in level(names.expand(one), names.expand(other)))
    if mine is None or theirs is None:
        return maybe("an ARN is not known")
    return ~compare(mine[part], theirs[part])


def policy(queue: Resource, name: str) -> Value:
    """A redrive policy, or redrive allow policy, in the scenario that is looked at; null where there is none."""
    value = settle(queue.raw(name))
    if isinstance(value, Known) and value.data in (None, "", "null"):
        return Known(None, value.site)
    tree = settle(document(value))
    if isinstance(tree, Unknown):
        doubt(tree.why, queue, queue.site(name))
    return tree


def item(tree: Value, name: str) -> Value:
    """A field of a policy in the scenario that is looked at."""
    return settle(field(tree, name))


def set_apart(one: Resource, other: Resource | None) -> Test:
    """Whether two resources are set to different Regions by an argument of their own (Terraform)."""
    mine, theirs = (_region(resource) for resource in (one, other))
    if mine is None or theirs is None:
        return NO
    return ~names.same(mine, theirs)


def _region(resource: Resource | None) -> Value | None:
    if resource is None or resource.elsewhere or resource.stack.family != "terraform":
        return None
    found = resource.fetch("region")
    return None if found is None or is_null(settle(found)) else settle(found)


class Allowance:
    """What a redrive allow policy says: `byQueue`, `denyAll` or `allowAll`, and the queues that it lists."""

    __slots__ = ("permission", "sources")

    def __init__(self, permission: str, sources: list[Value]) -> None:
        self.permission = permission
        self.sources = sources


def allowance(queue: Resource) -> Allowance | None:
    """What the redrive allow policy of a queue says; None where it cannot be known, which is recorded."""
    tree = policy(queue, "redrive_allow_policy")
    if is_null(tree):
        return Allowance("allowAll", [])
    permission = item(tree, "redrivePermission")
    if not (isinstance(permission, Known) and isinstance(permission.data, str)):
        if not isinstance(tree, Unknown):
            why = reason(permission) or f"the redrive allow policy of {queue.address} cannot be read"
            doubt(why, queue, queue.head)
        return None
    listed = item(tree, "sourceQueueArns")
    if is_null(listed):
        return Allowance(permission.data, [])
    if not (isinstance(listed, Known) and isinstance(listed.data, list)):
        doubt(reason(listed) or f"the sources that {queue.address} allows cannot be read", queue, queue.head)
        return None
    return Allowance(permission.data, [settle(source) for source in listed.data])


def lists(sources: list[Value], queue: Resource) -> Test:
    """Whether a list of ARNs holds that of a queue."""
    answer = NO
    for source in sources:
        answer = answer | names.same(source, Ref(queue, "arn"))
    return answer


def feeders(graph: Graph, queue: Resource) -> set[Resource]:
    """What must work so that nothing more comes into a failure queue: its sources and their consumers."""
    found: set[Resource] = set()
    for hop in into(graph, queue):
        found.add(hop.source)
        found.update(poll.to for poll in consumers.polls_of(graph, hop.source))
    return found


# --- workflows that catch -------------------------------------------------------------------------------------------


def link(linker: Linker) -> None:
    """Enter a FailTo for every queue to which a workflow sends what it has caught."""
    for machine in linker.graph.of("states.machine"):
        for definition, condition in branches(machine.raw("definition")):
            tree = document(definition) if not is_null(definition) else definition
            for url in _caught(tree):
                url = _substituted(machine, url)
                for end in linker.ends_of(machine, url, ("sqs.queue",), "FailTo"):
                    exists = both(condition, end.exists)
                    linker.graph.add(FailTo(machine, end.resource, machine, exists, end.value))


def _substituted(machine: Resource, value: Value) -> Value:
    """What a definition's substitutions write for `${Name}`."""
    if isinstance(value, Known) and isinstance(value.data, str) and value.data.startswith("${"):
        found = field(machine.raw("substitutions"), value.data[2:-1])
        return value if is_null(found) else found
    return value


def _caught(tree: Value) -> Iterator[Value]:
    """The URLs of the queues that states send to which are reached by a catch alone."""
    states = _mapping(field(tree, "States"))
    if not states:
        return
    start = _text(field(tree, "StartAt"))
    normal = _reached(states, {start})
    caught = {
        target
        for state in states.values()
        for catcher in _list(field(state, "Catch"))
        if (target := _text(field(catcher, "Next")))
    }
    for name in states:
        if name in _reached(states, caught) - normal:
            yield from _sends(states[name])
    for state in states.values():
        for nested in (field(state, "Iterator"), field(state, "ItemProcessor"), *_list(field(state, "Branches"))):
            yield from _caught(nested)


def _reached(states: dict[str, Value], starts: set[str]) -> set[str]:
    """The states that follow from some, catches not taken."""
    seen: set[str] = set()
    todo = list(starts)
    while todo:
        name = todo.pop()
        if name in seen or name not in states:
            continue
        seen.add(name)
        state = states[name]
        todo.extend((_text(field(state, "Next")), _text(field(state, "Default"))))
        todo.extend(_text(field(choice, "Next")) for choice in _list(field(state, "Choices")))
    return seen


def _sends(state: Value) -> Iterator[Value]:
    resource = _text(field(state, "Resource"))
    if resource.startswith("arn:") and resource.rpartition(":::")[2] in SEND_MESSAGE:
        for group in ("Parameters", "Arguments"):
            url = field(state, group, "QueueUrl")
            if not is_null(url):
                yield url


def _mapping(value: Value) -> dict[str, Value]:
    value = settle(value)
    return value.data if isinstance(value, Known) and isinstance(value.data, dict) else {}


def _list(value: Value) -> list[Value]:
    value = settle(value)
    return value.data if isinstance(value, Known) and isinstance(value.data, list) else []


def _text(value: Value) -> str:
    value = settle(value)
    if isinstance(value, Known) and isinstance(value.data, str):
        return value.data
    # The partition may be open: `arn:${AWS::Partition}:states:::sqs:sendMessage`.
    return "".join(part if isinstance(part, str) else "" for part in value.parts) if isinstance(value, Text) else ""


def forgets(poll: Hop) -> bool:
    """Whether a pipe certainly starts a Standard workflow and takes the message for done.

    A pipe that waits is none of that, and cannot have a Standard workflow as its target anyway.
    """
    if poll.via.kind.name != "pipes.pipe" or poll.to.kind.name != "states.machine":
        return False
    return poll.to.string("type") == "STANDARD" and poll.via.string("machine_invocation") == "FIRE_AND_FORGET"


def forgotten(graph: Graph, machine: Resource) -> bool:
    """Whether a workflow is started and forgotten by a pipe that takes messages from a queue."""
    return any(forgets(poll) for poll in consumers.polls_into(graph, machine) if poll.source.kind.name == "sqs.queue")
