"""A large batch without a batching window.

## Why it matters
Lambda refuses the mapping: a batch of more than 10 messages of a standard queue needs a window of at least a second.

## How to fix
Set the maximum batching window to 1 second or more (and leave room for it in the queue's visibility timeout), or take
at most 10 messages at once.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Poll,
    Quantity,
    Severity,
    at,
    certainly,
    consumers,
    rule,
    set_number,
)


@rule(
    id="batching-window-required",
    code=106,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare batch size and window of each mapping on a standard queue."""
    # A mapping that is disabled is refused as well.
    for poll in consumers.mappings_of_queues(graph):
        mapping = poll.via
        size = consumers.batch_size(poll)
        window = mapping.number("window")
        if not certainly(size > consumers.FIFO_BATCH) or not certainly(window < 1):
            continue
        if certainly(~consumers.is_fifo(poll.source)):
            yield Finding(
                f"a batch of up to {size} messages needs a batching window, and there is none: the mapping is refused",
                primary=at(mapping, f"waits {window} s to fill a batch", "window"),
                trail=(
                    at(poll.source, "gives the messages"),
                    at(mapping, f"takes up to {size} at once", "batch_size"),
                    at(poll.consumer, "works on them"),
                ),
                fix=set_number(mapping, "window", Quantity(1), " s"),
            )
