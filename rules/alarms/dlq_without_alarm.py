"""Failed messages gather in a queue that no alarm watches.

## Why it matters
A dead-letter queue that nobody watches is a delayed delete: after its retention the messages are gone, and nobody was
told that anything failed.

## How to fix
Alarm on `ApproximateNumberOfMessagesVisible` of the queue (dimension `QueueName`, statistic Maximum, above 0 in one
period of 60 s, missing data not breaching) with an action that reaches a person. Where another stack holds the alarm,
name the queue in the setting `alarms-elsewhere`.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
"""

from fnmatch import fnmatchcase

from hoplint.api import (
    Absent,
    Category,
    FailTo,
    Finding,
    Graph,
    Hop,
    Iterator,
    Known,
    Missing,
    Option,
    Redrive,
    Resource,
    Severity,
    alarms,
    at,
    doubt,
    failures,
    possibly,
    reason,
    rule,
)


@rule(
    id="dlq-without-alarm",
    code=301,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Redrive, FailTo),
    yields_to=("dlq-alarm-wrong-metric", "alarm-notifies-nobody", "alarm-dimension-mismatch"),
    alarms_elsewhere=Option([], "addresses or names (with *) of queues whose alarms are in another stack"),
)
def check(graph: Graph, alarms_elsewhere: list[str]) -> Iterator[Finding]:
    """Look for an alarm on every queue that receives failures."""
    first: dict[Resource, Hop] = {}
    for hop in failures.hops(graph):
        queue = hop.to
        if queue.elsewhere or failures.forgotten(graph, hop.source):
            # What a workflow catches that was started and forgotten is async-workflow-unwatched's.
            continue
        if any(possibly(graph.active(poll)) for poll in graph.consumers(queue)):
            # Drained at once: its depth says nothing, and dlq-is-consumed speaks.
            continue
        name = queue.raw("name")
        known = getattr(name, "data", None)
        if any(fnmatchcase(queue.address, p) or fnmatchcase(str(known), p) for p in alarms_elsewhere):
            continue
        if alarms_elsewhere and not isinstance(name, Known):
            # It may be one of those.
            doubt(reason(name), queue, queue.site("name"))
            continue
        redriven = bool(graph.feeds_redrive(queue))
        watches = graph.watches(queue, set(alarms.DEPTH if redriven else alarms.SENT))
        blockers = [*alarms.unsure_of(graph, queue), *graph.loose_consumers(queue)]
        answer = graph.answer(queue, watches, blockers)
        if isinstance(answer, Absent) and first.setdefault(queue, hop) is hop:
            yield Missing(
                f"failures of {hop.source.address} end here, and no alarm watches how many wait",
                at(queue, "no alarm on its depth"),
                answer,
                trail=(at(hop.via, "sends its failures there"),),
                hop=hop,
            )
