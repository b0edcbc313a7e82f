"""A mapping on a queue has a failure destination.

## Why it matters
Failure destinations of mappings are for streams and Kafka. Failed messages of a queue stay in the queue: without a
redrive policy they are lost when their retention ends.

## How to fix
Remove the destination from the mapping, and give the queue a redrive policy.

## References
- https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="failure-destination-ignored",
    code=112,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for a failure destination on each mapping on a queue."""
    for poll in consumers.mappings_of_queues(graph):
        if certainly(poll.via.has("on_failure")):
            yield Finding(
                "this failure destination gets nothing: what fails stays in the queue",
                primary=at(poll.via, "is for streams only", "on_failure"),
                trail=(
                    at(poll.source, "keeps what fails, or hands it to its own dead-letter queue", "redrive_policy"),
                    at(poll.consumer, "fails"),
                ),
                fix=Fix("remove it, and let the queue's redrive policy name the dead-letter queue"),
            )
