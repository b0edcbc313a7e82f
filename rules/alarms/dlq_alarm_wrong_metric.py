"""The only alarm on a dead-letter queue watches a metric that a move to it does not change.

## Why it matters
SQS does not count what it moves into a dead-letter queue as sent, and what lies there is neither received nor in
flight. The alarm stays quiet while failures pile up.

## How to fix
Watch `ApproximateNumberOfMessagesVisible` (statistic Maximum, above 0).

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
"""

from hoplint.api import (
    Absent,
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Missing,
    Redrive,
    Severity,
    Watch,
    alarms,
    at,
    consumers,
    possibly,
    rule,
    set_text,
)


@rule(
    id="dlq-alarm-wrong-metric",
    code=302,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Watch,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at what the alarms on each dead-letter queue watch."""
    for redrive in graph.each(graph.hops(Redrive)):
        queue = redrive.to
        blind = [hop for hop in graph.watches(queue, set(alarms.BLIND)) if consumers.there(hop)]
        if not blind or any(possibly(graph.active(poll)) for poll in graph.consumers(queue)):
            # What is taken out again does move the other metrics.
            continue
        seeing = graph.watches(queue, set(alarms.DEPTH))
        answer = graph.answer(queue, seeing, [*alarms.unsure_of(graph, queue), *graph.loose_consumers(queue)])
        if not isinstance(answer, Absent):
            continue
        for hop in blind:
            name = alarms.reading(hop).name
            metric = getattr(hop, "metric", "")
            yield Missing(
                f"watches {metric}, which a move to {queue.address} does not change",
                At(hop.via, f"watches {metric}", "metric", name.place_of_change or hop.via.head),
                answer,
                trail=(
                    at(redrive.via, "moves failed messages", "redrive_policy"),
                    at(queue, "takes them, and nothing is sent or received"),
                ),
                hop=redrive,
                about=(queue,),
                fix=set_text(hop.via, "metric", "ApproximateNumberOfMessagesVisible", name),
            )
