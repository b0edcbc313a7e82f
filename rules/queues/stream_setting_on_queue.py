"""A mapping on a queue has settings that only streams know.

## Why it matters
Starting position, splitting of failed batches, retries, record age, parallelization and tumbling windows do not exist
for queues: the mapping is refused, or the setting has no effect.

## How to fix
Remove them. The queue's redrive policy says how often a message is tried; its retention says how long it lives.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, consumers, rule


@rule(
    id="stream-setting-on-queue",
    code=114,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for settings of streams on each mapping on a queue."""
    for poll in consumers.mappings_of_queues(graph):
        for name, label in consumers.stream_settings(poll.via):
            yield Finding(
                f"{label} on a mapping on a queue: only streams know it",
                primary=at(poll.via, f"sets {label}", name),
                trail=(at(poll.source, "is a queue"),),
                fix=Fix("remove what only streams know"),
            )
