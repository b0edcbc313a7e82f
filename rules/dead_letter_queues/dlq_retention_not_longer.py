"""A dead-letter queue keeps messages no longer than the queue before it.

## Why it matters
A standard queue keeps the time of the first send when it moves a message: what it has spent in the source is gone
from its life in the dead-letter queue. A message that waited there for long dies on arrival, before anybody can look
at it.

## How to fix
Set the retention of the dead-letter queue to 14 days, the maximum, and that of the source below it. FIFO queues start
the clock anew and need no more.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Quantity,
    Redrive,
    Resource,
    Severity,
    at,
    certainly,
    failures,
    possibly,
    rule,
    set_number,
    timing,
)

LONGEST = 14 * 86_400


@rule(
    id="dlq-retention-not-longer",
    code=201,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Redrive,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare each dead-letter queue with the queue before it."""
    for redrive in graph.each(graph.hops(Redrive)):
        source, dlq = redrive.source, redrive.to
        # A FIFO queue gives a message that it moves its whole retention again.
        if possibly(failures.is_fifo(source)):
            continue
        kept, before = dlq.number("retention"), source.number("retention")
        if not certainly(kept <= before):
            continue
        if certainly(before >= LONGEST):
            yield Finding(
                f"kept for {timing.words(before)}, which no dead-letter queue can exceed: "
                f"a message that waited here for long dies when it is moved to {dlq.address}",
                primary=at(source, f"kept for {timing.words(before)}", "retention"),
                trail=(at(redrive.via, "moves it with its age", "redrive_policy"), kept_here(dlq, kept)),
                hop=redrive,
            )
            continue
        yield Finding(
            f"kept for {timing.words(kept)} from its first send, of which {source.address} "
            f"may use up {timing.words(before)}",
            primary=kept_here(dlq, kept),
            trail=(
                at(source, f"kept for {timing.words(before)}", "retention"),
                at(redrive.via, "moves it with its age", "redrive_policy"),
            ),
            hop=redrive,
            fix=set_number(dlq, "retention", Quantity(LONGEST), " s"),
        )


def kept_here(dlq: Resource, kept: Quantity) -> At:
    """How long a dead-letter queue keeps messages, and where that is said."""
    return at(dlq, f"kept for {timing.words(kept)}", "retention")
