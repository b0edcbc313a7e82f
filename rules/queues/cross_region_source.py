"""A queue and the function that is to consume it are in different Regions.

## Why it matters
Lambda refuses the mapping: it polls queues of its own Region only.

## How to fix
Put the function beside the queue, or let a topic, a bus or a pipe bring the messages to a queue of the function's own
Region.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Poll, Severity, at, consumers, rule


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
    for poll in consumers.of_queues(graph, mappings=True):
        theirs = consumers.region_of(poll.source, poll.via.get("source"))
        ours = consumers.region_of(poll.consumer, poll.value) or consumers.region_of(poll.via)
        if theirs is not None and ours is not None and theirs != ours:
            yield Finding(
                f"takes messages from {theirs}, but its function is in {ours}: the mapping is refused",
                primary=at(poll.via, f"names a queue in {theirs}", "source"),
                trail=(at(poll.source, f"is in {theirs}"), at(poll.consumer, f"is in {ours}")),
            )
