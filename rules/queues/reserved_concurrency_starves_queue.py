"""A queue's consumer has fewer runs reserved than Lambda starts polling with.

## Why it matters
Lambda starts with five batches at once. What the reserved concurrency does not take is throttled and received again, so
that good messages end in the dead-letter queue.

## How to fix
Reserve 5 or more, or set the mapping's maximum concurrency (at least 2) to what is reserved.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
"""

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Poll,
    Severity,
    at,
    certainly,
    consumers,
    is_null,
    rule,
    scaling,
)

FIRST_RUNS = 5


@rule(
    id="reserved-concurrency-starves-queue",
    code=111,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at what is reserved for the function behind each mapping that has no limit of its own."""
    for poll in consumers.mappings_of_queues(graph):
        mapping, function = poll.via, poll.consumer
        reserved = scaling.reserved(function)
        if reserved is None or not is_null(mapping.get("maximum_concurrency")) or not certainly(graph.active(poll)):
            continue
        # How many batches of a FIFO queue run at once depends on its message groups.
        if certainly(reserved >= 1) and certainly(reserved < FIRST_RUNS) and certainly(~consumers.is_fifo(poll.source)):
            yield Finding(
                f"only {reserved} of the {FIRST_RUNS} batches that polling starts with can run: the rest is throttled",
                primary=at(function, f"{reserved} reserved", "reserved_concurrency"),
                trail=(at(poll.source, "gives the messages"), at(mapping, "has no maximum concurrency")),
                fix=Fix(f"reserve {FIRST_RUNS} or more, or set the mapping's maximum concurrency"),
            )
