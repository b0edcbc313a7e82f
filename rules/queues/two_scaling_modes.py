"""A mapping has both a maximum concurrency and provisioned pollers.

## Why it matters
Lambda refuses the mapping: it scales by itself up to a maximum, or has pollers set aside, not both.

## How to fix
Remove one of the two. With provisioned pollers the concurrency is about ten times the maximum of pollers.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="two-scaling-modes",
    code=108,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for both settings on each mapping on a queue."""
    for poll in consumers.mappings_of_queues(graph):
        mapping = poll.via
        pollers = mapping.has("minimum_pollers") | mapping.has("maximum_pollers")
        if certainly(mapping.has("maximum_concurrency")) and certainly(pollers):
            limit = mapping.number("maximum_concurrency")
            yield Finding(
                "a maximum concurrency and provisioned pollers exclude each other: the mapping is refused",
                primary=at(mapping, f"runs at most {limit} at once", "maximum_concurrency"),
                trail=(
                    at(poll.source, "gives the messages"),
                    at(mapping, "has pollers set aside", "pollers"),
                    at(poll.consumer, "works on the messages"),
                ),
                fix=Fix("remove the maximum concurrency, or the provisioned pollers"),
            )
