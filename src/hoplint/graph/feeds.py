"""What is known of the messages in a queue: who sends there, and in which shape."""

from __future__ import annotations

from hoplint.graph import patterns
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Hop, Notify, Poll, Push
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, is_null

WORDS = {"events.rule": "rule", "sns.topic": "topic", "s3.bucket": "bucket", "scheduler.schedule": "schedule"}


def producers_of(graph: Graph, queue: Resource, beside: Hop | None = None) -> list[patterns.Producer]:
    """Who sends to a queue by itself, with the shape of what arrives; only those that can exist beside a hop."""
    found: list[patterns.Producer] = []
    for push in graph.into(queue, Push):
        if beside is not None and not graph.together(beside, push):
            continue
        word = WORDS.get(push.source.kind.name, "")
        label = f"{word} {push.source.address}".strip()
        found.append(patterns.Producer(label, shape_of(graph, push), push))
    return found


def shape_of(graph: Graph, push: Hop) -> patterns.Shape:
    """The body of the messages that a push puts into a queue."""
    kind = push.source.kind.name
    via = push.via
    if kind == "events.rule":
        pattern = push.source.get("pattern")
        transformer = via.get("input_transformer")
        paths = field(transformer, "input_paths") if via.stack.family == "terraform" else field(
            transformer, "InputPathsMap"
        )
        return patterns.eventbridge(
            None if is_null(pattern) else patterns.parse(pattern),
            scheduled=push.source.written("schedule") and is_null(pattern),
            constant=via.get("input"),
            path=via.get("input_path"),
            template=via.get("input_template"),
            paths=paths,
        )
    if kind == "sns.topic":
        raw = via.flag("raw")
        alarms = graph.into(push.source, Notify)
        inner = patterns.alarm_message() if alarms and not graph.into(push.source, Push) else patterns.unknown_sender()
        # Programs may publish to any topic, so that only the envelope around it is certain.
        known = True if raw.certain else False if not raw.possible else None
        return patterns.sns(known, patterns.unknown_sender() if known else inner)
    if kind == "s3.bucket":
        return patterns.s3_notifications()
    if kind == "scheduler.schedule":
        return patterns.scheduler(via.get("input"))
    return patterns.unknown_sender()


def losses(graph: Graph, poll: Hop) -> list[patterns.Loss]:
    """Whose messages the filters of a mapping or pipe certainly let none through of."""
    filters = poll.via.get("filters")
    if poll.source.kind.name != "sqs.queue" or (isinstance(filters, Known) and not filters.data):
        return []
    producers = producers_of(graph, poll.source, poll)
    if not producers:
        return []
    consumer = patterns.consumer_of(poll.source.kind.name, poll.via.kind.name == "pipes.pipe")
    found = patterns.mapping_filter_verdicts(filters, producers, consumer)
    return [loss for loss in found if loss.producer is not None]


def filter_problems(poll: Poll) -> list[patterns.Problem]:
    """What is certainly wrong with the filters of a mapping or pipe, whatever is sent."""
    consumer = patterns.consumer_of(poll.source.kind.name, poll.via.kind.name == "pipes.pipe")
    filters = patterns.filters_of(poll.via.get("filters"))
    return [
        problem
        for pattern in filters.patterns
        if not pattern.problem
        for problem in patterns.validate(pattern, consumer)
        if problem.certain
    ]
