"""A mapping or pipe takes the messages out of a dead-letter queue.

## Why it matters
What fails leaves the queue at once, so that an alarm on its depth may never fire, and a message that fails in this
consumer as well needs a dead-letter queue of its own.

## How to fix
Keep the consumer switched off until you want to process the failures, or move them back with SQS's own redrive. If it
is to run, let the consumer itself raise the alarm.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
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
    failures,
    rule,
)


@rule(
    id="dlq-is-consumed",
    code=209,
    category=Category.HYGIENE,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for failures among what each mapping and pipe takes."""
    for poll in consumers.of_queues(graph):
        # What sends its failures to a queue that it consumes itself is dlq-is-its-source's.
        hop = next((hop for hop in failures.into(graph, poll.source) if hop.source is not poll.to), None)
        if hop is not None and certainly(graph.active(poll)):
            yield Finding(
                f"failures of {hop.source.address} are taken out again by {poll.via.address}",
                primary=at(poll.source, "takes failures"),
                trail=(at(hop.via, "sends its failures there"), at(poll.via, "takes them out")),
                hop=poll,
            )
