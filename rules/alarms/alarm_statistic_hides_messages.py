"""The alarm on a failure queue uses a statistic in which a message can get lost.

## Why it matters
The minimum is zero whenever the queue was empty for one moment of the period, and an average of less than one message
never reaches one. The sample count is about how often the metric was reported, and goes off on an empty queue.

## How to fix
Use `Maximum`.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Known,
    Severity,
    Watch,
    alarms,
    at,
    doubt,
    failures,
    metrics,
    quantity,
    rule,
    set_text,
    settle,
)

WORDS = {
    "Minimum": "the minimum is 0 when the queue was empty for a moment",
    "SampleCount": "the sample count tells how often the metric was reported, on an empty queue as well",
    "Average": "an average stays below one message when it was not there for the whole period",
}


@rule(
    id="alarm-statistic-hides-messages",
    code=308,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Watch,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the statistic of each alarm on a failure queue's depth."""
    hops = [hop for queue in failures.queues(graph) for hop in alarms.depth_watches(graph, queue)]
    for watch in graph.each(hops):
        queue, alarm = watch.source, watch.via
        failing = next(iter(failures.into(graph, queue)), None)
        others = [hiding(other) for other in hops if beside(graph, watch, other)]
        if failing is None or any(other is None for other in others):
            continue
        name = hiding(watch)
        if name == "" or (name and "" in others):
            doubt(f"{alarm.address}, or another alarm, compares what cannot be told here", alarm)
        if not name or "" in others:
            continue
        statistic = alarms.reading(watch).statistic
        yield Finding(
            f"{WORDS[name]}: failures of {failing.source.address} end in {queue.address}",
            primary=At(alarm, f"uses {name}", "statistic", statistic.place_of_change or alarm.head),
            trail=(at(failing.via, "sends its failures there"), at(queue, "takes them")),
            hop=watch,
            fix=set_text(alarm, "statistic", "Maximum", statistic),
        )


def beside(graph: Graph, watch: Hop, other: Hop) -> bool:
    """Whether another alarm is on the same queue at the same time."""
    return other.source is watch.source and other.via is not watch.via and graph.together(watch, other)


def hiding(watch: Hop) -> str | None:
    """The statistic that hides a message; None where it does not, empty where that cannot be told."""
    reading = alarms.reading(watch)
    statistic = settle(reading.statistic)
    if reading.shape == metrics.COMPUTED or not isinstance(statistic, Known):
        return ""
    name = str(statistic.data)
    if name not in WORDS:
        return None
    operator, threshold = settle(watch.via.raw("operator")), quantity(settle(watch.via.raw("threshold")))
    if name != "Average" or not isinstance(operator, Known):
        return name if isinstance(operator, Known) else ""
    if operator.data not in (alarms.GREATER, alarms.AT_LEAST) or threshold is None:
        return None
    reaches = threshold >= 1
    # An average above 0 tells of a message that was there for any part of the period.
    return name if reaches.certain else "" if reaches.possible else None
