"""A mapping on a FIFO queue waits for a batch, or takes a larger one than there is.

## Why it matters
Lambda refuses the mapping: a FIFO queue has no batching window, and gives at most 10 messages at once.

## How to fix
Remove the batching window, and set the batch size to 10 or less.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="fifo-batching-unsupported",
    code=107,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at batch size and window of each mapping on a FIFO queue."""
    # A mapping that is disabled is refused as well.
    for poll in consumers.mappings_of_queues(graph):
        mapping, queue = poll.via, poll.source
        size, window = consumers.batch_size(poll), mapping.number("window")
        trail = (at(queue, "is a FIFO queue", "fifo"), at(poll.consumer, "works on the messages"))
        if certainly(window > 0) and certainly(consumers.is_fifo(queue)):
            yield Finding(
                f"waits up to {window} s for a batch, which a FIFO queue does not have: the mapping is refused",
                primary=at(mapping, f"waits up to {window} s", "window"),
                trail=trail,
                fix=Fix("remove the batching window"),
            )
        if certainly(size > consumers.FIFO_BATCH) and certainly(consumers.is_fifo(queue)):
            most = consumers.FIFO_BATCH
            yield Finding(
                f"takes up to {size} messages at once, but a FIFO queue gives at most {most}: the mapping is refused",
                primary=at(mapping, f"takes up to {size} at once", "batch_size"),
                trail=trail,
                fix=Fix(f"set the batch size to {most}"),
            )
