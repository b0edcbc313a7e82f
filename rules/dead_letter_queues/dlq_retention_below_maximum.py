"""A failure queue keeps its messages for less than the maximum of 14 days.

## Why it matters
What is in a failure queue is what you still have of the failed work. After its retention it is gone, and a long
weekend or a holiday may come before anybody looks.

## How to fix
Set the retention to 1,209,600 s (14 days). It costs nothing: messages in SQS are not billed by time.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import (
    Category,
    FailTo,
    Finding,
    Graph,
    Iterator,
    Quantity,
    Redrive,
    Severity,
    Tier,
    at,
    certainly,
    failures,
    rule,
    set_number,
    timing,
)

LONGEST = 14 * 86_400


@rule(
    id="dlq-retention-below-maximum",
    code=202,
    category=Category.LOSS,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(Redrive, FailTo),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the retention of each queue that takes failures."""
    for queue in graph.each(failures.queues(graph)):
        hop = next(iter(failures.into(graph, queue)), None)
        if hop is None:
            continue
        kept = queue.number("retention")
        if certainly(kept < LONGEST):
            yield Finding(
                f"failures are kept for {timing.words(kept)}, and could be for 14 d",
                primary=at(queue, f"kept for {timing.words(kept)}", "retention"),
                trail=(at(hop.via, "sends its failures there"),),
                hop=hop,
                fix=set_number(queue, "retention", Quantity(LONGEST), " s"),
            )
