"""A setting has a value that AWS does not take.

## Why it matters
The deployment is refused.

## How to fix
Choose a value within the range that is named. A Lambda function runs for at most 900 seconds, unless it has a capacity
provider.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
- https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
- https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RetryPolicy.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Severity, at, ranges, rule


@rule(
    id="value-out-of-range",
    code=120,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=ranges.KINDS,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare each number with the range that AWS takes."""
    for resource in graph.each(graph.of(*ranges.KINDS)):
        for found in ranges.outside(resource):
            name = found.name.replace("_", " ")
            yield Finding(
                f"a {name} of {found.number} is refused: it must be {found.range}",
                primary=at(resource, f"{name} of {found.number}", found.name),
                fix=Fix(f"choose a value {found.range}"),
            )
