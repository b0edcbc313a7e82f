"""Link the resources of all stacks into hops.

Each `_link_…` reads one kind of declaration. What names its ends is resolved by reference, ARN, URL or name; one that
cannot be known makes the declaration *loose*, so that whoever asks for an absence hears of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hoplint.catalog import KINDS
from hoplint.graph import alarms, failures, fold, names, strangers
from hoplint.graph.graph import Graph, Loose, named_in
from hoplint.graph.hops import FailTo, Grant, Hop, Notify, Poll, Push, Redrive
from hoplint.model.condition import TRUE, Condition, both
from hoplint.model.embedded import document
from hoplint.model.resource import Resource, Stack, field
from hoplint.model.value import (
    Known,
    Ref,
    Text,
    Unknown,
    Value,
    branches,
    is_null,
    reason,
)

FUNCTIONS = ("lambda.function", "lambda.alias", "lambda.version")
STREAMS = ("dynamodb.table", "kinesis.stream", "kinesis.consumer")
TARGETS = (
    *FUNCTIONS, "sqs.queue", "sns.topic", "states.machine", "events.bus", "kinesis.stream", "logs.group",
    "scheduler.schedule",
)  # fmt: skip


class End:
    """Where a value leads: a resource (with the alias or version it was reached by), under a condition."""

    __slots__ = ("resource", "entry", "exists", "value")

    def __init__(self, resource: Resource, exists: Condition, value: Value, entry: Resource | None = None) -> None:
        self.resource = resource
        self.exists = exists
        self.value = value
        self.entry = entry


class Linker:
    """Builds a graph; `overlay` replaces values before anything is linked (for tests that blur)."""

    def __init__(self, stacks: list[Stack], overlay: dict[tuple[Resource, str], Value] | None = None) -> None:
        self.graph = Graph(stacks)
        self.overlay = overlay or {}

    def run(self) -> Graph:
        """Fold, enter and link everything."""
        graph = self.graph
        graph.resolver = self.certain_ends
        self._lay_over()
        for stack in graph.stacks:
            for resource in fold.fold(stack, self._loosen):
                graph.by_kind.setdefault(resource.kind.name, []).append(resource)
        self._join_stacks()
        for kind, hand in (
            ("sqs.redrive_policy", "redrive_policy"),
            ("sqs.redrive_allow_policy", "redrive_allow_policy"),
        ):
            for giver in graph.of(kind):
                for end in self.ends(giver, "queue", ("sqs.queue",), f"{kind}:{hand}"):
                    fold.hand_over(giver, end.resource, hand, giver.raw("policy"))
        self._lay_over()
        for kind, link in _LINKS.items():
            for resource in graph.of(kind):
                link(self, resource)
        failures.link(self)
        alarms.link(graph)
        return graph

    def _lay_over(self) -> None:
        for (resource, name), value in self.overlay.items():
            resource.values[name] = value

    def _loosen(self, kind: str, declared_by: Resource, why: str) -> None:
        self.graph.loose.setdefault(kind, []).append(Loose(kind, declared_by, why))

    def _join_stacks(self) -> None:
        for stack in self.graph.stacks:
            for value in stack.exports.values():
                for target in named_in(value):
                    self.graph.exported.add(target)
            for value in stack.exposed:
                for target in named_in(value):
                    self.graph.exposures.setdefault(target, []).append(
                        f"{target.address} is handed to something that is not read here"
                    )

    # Resolving ends

    def ends(self, by: Resource, name: str, kinds: tuple[str, ...], loose: str | None = None) -> list[End]:
        """Every resource that a property of `by` leads to. What cannot be known is entered as loose."""
        return self.ends_of(by, by.raw(name), kinds, loose)

    def ends_of(self, by: Resource, value: Value, kinds: tuple[str, ...], loose: str | None = None) -> list[End]:
        """Every resource that a value in `by` leads to."""
        found: list[End] = []
        for branch, condition in branches(value):
            items = branch.data if isinstance(branch, Known) and isinstance(branch.data, list) else [branch]
            for item in items:
                for leaf, inner in branches(item):
                    if is_null(leaf):
                        continue
                    end = self._end(by, leaf, kinds, both(condition, inner))
                    if isinstance(end, End):
                        found.append(end)
                    elif end is not None and loose:
                        self._loosen(loose, by, end)
        return found

    def _end(self, by: Resource, value: Value, kinds: tuple[str, ...], condition: Condition) -> End | str | None:
        if isinstance(value, Unknown):
            return value.why
        target: Resource | None
        if isinstance(value, Ref):
            target = self._declared(value.target)
            if target.stack is not by.stack:
                self.graph.join(by.stack, target.stack)
        else:
            candidates = [r for r in self.graph.of(*kinds) if r.stack is by.stack and not _inline(r)]
            resolution = names.resolve(value, candidates)
            target = resolution.certain or _named_last(value, candidates)
            if target is None:
                return resolution.why if resolution.possible else None
        if target.kind.name not in kinds:
            return None
        return End(target, condition, value)

    def _declared(self, target: Resource) -> Resource:
        """A data source that looks up, by its name, what the same stack declares means just that."""
        if not target.elsewhere or target.stack.family != "terraform":
            return target
        name = names.name_of(target)
        for other in self.graph.of(target.kind.name):
            if other.stack is target.stack and not other.elsewhere and names.same(name, names.name_of(other)).certain:
                return other
        return target

    def function(self, end: End, seen: int = 0) -> End | None:
        """Follow an alias or version to its function."""
        if end.resource.kind.name == "lambda.function" or seen > 4:
            return end
        if end.resource.kind.name not in FUNCTIONS:
            return end
        for branch, condition in branches(end.resource.raw("function")):
            inner = self._end(end.resource, branch, FUNCTIONS, condition)
            if isinstance(inner, End):
                through = End(inner.resource, both(end.exists, inner.exists), end.value, end.entry or end.resource)
                return self.function(through, seen + 1)
        return None

    def certain_ends(self, by: Resource, name: str, kinds: tuple[str, ...]) -> list[Resource]:
        """The resources that a property leads to, with aliases and versions followed where functions are asked for."""
        wanted = (*kinds, *FUNCTIONS) if "lambda.function" in kinds else kinds
        found = [self.function(end) for end in self.ends(by, name, wanted)]
        return [end.resource for end in found if end is not None and end.resource.kind.name in kinds]

    def foreign(self, found: Iterator[tuple[Resource, Condition, Value]]) -> list[End]:
        """Ends that no resource of this run declares."""
        return [End(resource, condition, value) for resource, condition, value in found]

    def hop(self, kind: type[Hop], source: Resource, end: End, via: Resource, exists: Condition = TRUE) -> None:
        """Enter a hop to an end, through an alias where the end is one."""
        resolved = self.function(end)
        if resolved is not None:
            self.graph.add(
                kind(source, resolved.resource, via, both(exists, resolved.exists), end.value, resolved.entry)
            )


def _named_last(value: Value, candidates: list[Resource]) -> Resource | None:
    """The resource whose name ends an ARN that is built by hand: a Region or account written out changes nothing."""
    last = value.parts[-1] if isinstance(value, Text) else None
    if isinstance(last, Ref) and last.attribute == last.target.kind.named_by and last.target in candidates:
        return last.target
    return None


def _inline(resource: Resource) -> bool:
    return resource.parent is not None


def _link_mapping(linker: Linker, mapping: Resource) -> None:
    loose = "lambda.event_source_mapping"
    sources = linker.ends(mapping, "source", ("sqs.queue", *STREAMS), loose)
    functions = linker.ends(mapping, "function", FUNCTIONS, None)
    for source in sources or linker.foreign(strangers.queues(mapping)):
        for function in functions or linker.foreign(strangers.functions(mapping)):
            linker.hop(Poll, source.resource, function, mapping, source.exists)
        if not functions:
            linker._loosen("consumer", mapping, f"the function of {mapping.address} is not known here")
    for source in sources:
        for failure in linker.ends(mapping, "on_failure", ("sqs.queue", "sns.topic", "s3.bucket"), "FailTo"):
            linker.graph.add(FailTo(source.resource, failure.resource, mapping, failure.exists, failure.value))


def _link_pipe(linker: Linker, pipe: Resource) -> None:
    sources = linker.ends(pipe, "source", ("sqs.queue", *STREAMS), "pipes.pipe")
    targets = linker.ends(pipe, "target", TARGETS, "pipe target")
    for source in sources or linker.foreign(strangers.queues(pipe)):
        for target in targets or linker.foreign(strangers.targets(pipe)):
            linker.hop(Poll, source.resource, target, pipe, source.exists)
    for name in ("dynamodb_dlq", "kinesis_dlq"):
        for failure in linker.ends(pipe, name, ("sqs.queue", "sns.topic"), "FailTo"):
            for source in sources:
                linker.graph.add(FailTo(source.resource, failure.resource, pipe, failure.exists, failure.value))


def _link_target(linker: Linker, target: Resource) -> None:
    rules = linker.ends(target, "rule", ("events.rule",), "events.target")
    for rule in rules:
        for end in linker.ends(target, "arn", TARGETS, "target arn"):
            linker.hop(Push, rule.resource, end, target, rule.exists)
        for failure in linker.ends(target, "dlq", ("sqs.queue",), "FailTo"):
            linker.graph.add(FailTo(rule.resource, failure.resource, target, failure.exists, failure.value))


def _link_subscription(linker: Linker, subscription: Resource) -> None:
    topics = linker.ends(subscription, "topic", ("sns.topic",), "sns.subscription")
    for topic in topics:
        for end in linker.ends(subscription, "endpoint", (*FUNCTIONS, "sqs.queue"), "endpoint"):
            linker.hop(Push, topic.resource, end, subscription, topic.exists)
    if not topics:
        for value, condition in branches(subscription.raw("topic")):
            foreign = _foreign_topic(subscription, value)
            if foreign is not None:
                for end in linker.ends(subscription, "endpoint", ("sqs.queue",)):
                    push = Push(foreign, end.resource, subscription, both(condition, end.exists), end.value)
                    push.sender = value
                    linker.graph.add(push)
                topics.append(End(foreign, condition, value))
    for topic in topics:
        policy = subscription.raw("redrive_policy")
        for failure in linker.ends_of(subscription, _within(policy, "deadLetterTargetArn"), ("sqs.queue",), "FailTo"):
            linker.graph.add(FailTo(topic.resource, failure.resource, subscription, failure.exists, failure.value))


def _foreign_topic(subscription: Resource, value: Value) -> Resource | None:
    """A topic of another stack that is named by its whole ARN."""
    if not (isinstance(value, Known) and isinstance(value.data, str) and value.data.startswith("arn:")):
        return None
    arn = value.data.split(":")
    if len(arn) != 6 or arn[2] != "sns":
        return None
    name = Known(arn[5], value.site)
    return Resource(
        KINDS["sns.topic"], "", value.data, subscription.stack, value.site or subscription.head,
        lambda key: name if key in ("name", "TopicName") else None, elsewhere=True,
    )  # fmt: skip


def _link_notification_entry(linker: Linker, entry: Resource) -> None:
    notification = entry.parent
    assert notification is not None
    for bucket in linker.ends(notification, "bucket", ("s3.bucket",), "s3.notification"):
        for end in linker.ends(entry, "target", (*FUNCTIONS, "sqs.queue", "sns.topic"), "notification target"):
            linker.hop(Push, bucket.resource, end, entry, bucket.exists)


def _link_schedule(linker: Linker, schedule: Resource) -> None:
    for end in linker.ends(schedule, "target", TARGETS, "schedule target"):
        linker.hop(Push, schedule, end, schedule)
    for failure in linker.ends(schedule, "dlq", ("sqs.queue",), "FailTo"):
        linker.graph.add(FailTo(schedule, failure.resource, schedule, failure.exists, failure.value))


def _link_subscriber(linker: Linker, subscriber: Resource) -> None:
    # It reads the bus with a role of its own, so that it sends, like a schedule, in its own name.
    for end in linker.ends(subscriber, "target", (*TARGETS, "events2.bus"), "subscriber target"):
        linker.hop(Push, subscriber, end, subscriber)
    _link_event_source(linker, subscriber)


def _link_event_source(linker: Linker, source: Resource) -> None:
    for failure in linker.ends(source, "on_failure", ("sqs.queue", "sns.topic"), "FailTo"):
        linker.graph.add(FailTo(source, failure.resource, source, failure.exists, failure.value))


def _link_log_subscription(linker: Linker, subscription: Resource) -> None:
    for group in linker.ends(subscription, "group", ("logs.group",)):
        for end in linker.ends(subscription, "target", (*FUNCTIONS, "kinesis.stream")):
            linker.hop(Push, group.resource, end, subscription, group.exists)


def _link_queue(linker: Linker, queue: Resource) -> None:
    policy = queue.raw("redrive_policy")
    for end in linker.ends_of(queue, _within(policy, "deadLetterTargetArn"), ("sqs.queue",), "Redrive"):
        linker.graph.add(Redrive(queue, end.resource, queue, end.exists, end.value))


def _link_function(linker: Linker, function: Resource) -> None:
    for end in linker.ends(function, "dlq", ("sqs.queue", "sns.topic"), "FailTo"):
        linker.graph.add(FailTo(function, end.resource, function, end.exists, end.value))


def _link_invoke_config(linker: Linker, config: Resource) -> None:
    for end in linker.ends(config, "function", FUNCTIONS, "lambda.invoke_config"):
        function = linker.function(end)
        for failure in linker.ends(
            config, "on_failure", ("sqs.queue", "sns.topic", *FUNCTIONS, "events.bus"), "FailTo"
        ):
            if function is not None:
                linker.graph.add(
                    FailTo(function.resource, failure.resource, config, failure.exists, failure.value, function.entry)
                )


def _link_bus(linker: Linker, bus: Resource) -> None:
    for failure in linker.ends(bus, "dlq", ("sqs.queue",), "FailTo"):
        linker.graph.add(FailTo(bus, failure.resource, bus, failure.exists, failure.value))


def _link_policy(owner: str, kind: str) -> Callable[[Linker, Resource], None]:
    """A resource policy, attached to each queue or topic that it names."""

    def link(linker: Linker, policy: Resource) -> None:
        for end in linker.ends(policy, owner, (kind,), policy.kind.name):
            linker.graph.add(Grant(policy, end.resource, policy, end.exists, end.value))

    return link


def _link_permission(linker: Linker, permission: Resource) -> None:
    for end in linker.ends(permission, "function", FUNCTIONS, "lambda.permission"):
        linker.hop(Grant, permission, end, permission)


def _link_alarm(linker: Linker, alarm: Resource) -> None:
    for end in linker.ends(alarm, "alarm_actions", ("sns.topic", *FUNCTIONS), "alarm action"):
        linker.hop(Notify, alarm, end, alarm)


def _within(value: Value, key: str) -> Value:
    """A field of a JSON document, or null where it is not there."""
    return field(document(value) if not is_null(value) else value, key)


def unreadable(value: Value) -> str | None:
    """Why a document cannot be read, or None."""
    tree = document(value)
    return reason(tree) if isinstance(tree, Unknown) else None


_LINKS: dict[str, Callable[[Linker, Resource], None]] = {
    "lambda.event_source_mapping": _link_mapping,
    "pipes.pipe": _link_pipe,
    "events.target": _link_target,
    "sns.subscription": _link_subscription,
    "s3.notification_entry": _link_notification_entry,
    "scheduler.schedule": _link_schedule,
    "events2.subscriber": _link_subscriber,
    "events2.source": _link_event_source,
    "logs.subscription": _link_log_subscription,
    "sqs.queue": _link_queue,
    "lambda.function": _link_function,
    "lambda.invoke_config": _link_invoke_config,
    "events.bus": _link_bus,
    "sqs.queue_policy": _link_policy("queues", "sqs.queue"),
    "sns.topic_policy": _link_policy("topics", "sns.topic"),
    "lambda.permission": _link_permission,
    "cloudwatch.alarm": _link_alarm,
    "cloudwatch.composite_alarm": _link_alarm,
}


def link(stacks: list[Stack], overlay: dict[tuple[Resource, str], Value] | None = None) -> Graph:
    """Build the graph of all stacks of a run."""
    return Linker(stacks, overlay).run()
