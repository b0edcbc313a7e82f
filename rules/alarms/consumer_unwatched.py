"""No alarm watches whether a function that events are handed to fails or falls behind.

## Why it matters
Errors and throttles show first in the function's own metrics, long before a dead-letter queue fills; a reader of a
stream that hangs shows only in the age of its records.

## How to fix
Alarm on `Errors` and `Throttles` (Sum above 0) of the function, and on `IteratorAge` (Maximum) where it reads a
stream.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Best_Practice_Recommended_Alarms_AWS_Services.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Missing,
    Poll,
    Push,
    Resource,
    Severity,
    Tier,
    at,
    certainly,
    rule,
)

FAILURE = {"Errors", "Throttles"}
AGE = {"IteratorAge"}
STREAMS = ("dynamodb.table", "kinesis.stream", "kinesis.consumer")


@rule(
    id="consumer-unwatched",
    code=313,
    category=Category.BLINDSPOT,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(Poll, Push),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for alarms on each function that events are handed to."""
    first: dict[tuple[Resource, bool], Hop] = {}
    for hop in graph.each(graph.hops(Poll, Push)):
        function = hop.to
        if function.kind.name != "lambda.function" or function.elsewhere:
            continue
        if isinstance(hop, Poll) and not certainly(graph.active(hop)):
            continue
        streams = isinstance(hop, Poll) and hop.source.kind.name in STREAMS
        for wanted, what in ((FAILURE, "fails"), *(((AGE, "falls behind"),) if streams else ())):
            if first.setdefault((function, wanted is AGE), hop) is not hop:
                continue
            answer = graph.answer(function, graph.watches(function, wanted), graph.uncertain_watches(function))
            if isinstance(answer, Absent):
                yield Missing(
                    f"no alarm on {' or '.join(sorted(wanted))}: nobody learns that it {what}",
                    at(function, f"no alarm on {' or '.join(sorted(wanted))}"),
                    answer,
                    trail=(at(hop.source, "hands it events"), at(hop.via, "connects the two")),
                    hop=hop,
                )
