"""A queue and the function that is to consume it are in different Regions.

## Why it matters
Lambda refuses the mapping: it polls queues of its own Region only.

## How to fix
Put the function beside the queue, or let a topic, a bus or a pipe bring the messages to a queue of the function's own
Region.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Poll,
    Severity,
    at,
    certainly,
    consumers,
    names,
    rule,
    senders,
)


@rule(
    id="cross-region-source",
    code=121,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the Regions of queue, mapping and function, as far as they are written out."""
    for poll in consumers.mappings_of_queues(graph):
        theirs, ours = consumers.regions(poll)
        if certainly(~names.same(theirs, ours)):
            there, here = senders.show(theirs), senders.show(ours)
            yield Finding(
                f"takes messages from {there}, but its function is in {here}: the mapping is refused",
                primary=at(poll.via, f"names a queue in {there}", "source"),
                trail=(at(poll.source, f"is in {there}"), at(poll.consumer, f"is in {here}")),
            )
