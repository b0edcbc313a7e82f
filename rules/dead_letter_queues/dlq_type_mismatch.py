"""A queue and its dead-letter queue are of different types, FIFO and standard.

## Why it matters
SQS refuses the redrive policy: the deployment fails, or the queue goes without a dead-letter queue.

## How to fix
Give both the same type. A queue's type cannot be changed: a new queue with a name that ends in `.fifo` (or does not)
takes its place.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, certainly, failures, rule

KINDS = {True: "a FIFO", False: "a standard"}


@rule(
    id="dlq-type-mismatch",
    code=203,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sqs.queue",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the type of each queue with that of its dead-letter queue."""
    for end in failures.destinations(graph, "sqs.queue"):
        mine, theirs = failures.is_fifo(end.by), end.fifo
        if certainly((mine & ~theirs) | (~mine & theirs)):
            here, there = KINDS[mine.certain], KINDS[theirs.certain]
            yield Finding(
                f"{here} queue whose dead-letter queue {end.shown} is {there} queue: the redrive policy is refused",
                primary=at(end.by, "names a queue of another type", "redrive_policy"),
                trail=(
                    at(end.by, f"is {here} queue", "fifo"),
                    *((at(end.target, f"is {there} queue", "fifo"),) if end.target is not None else ()),
                ),
            )
