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

from math import inf

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Known,
    Resource,
    Severity,
    at,
    certainly,
    is_null,
    quantity,
    rule,
)

KINDS = (
    "sqs.queue",
    "lambda.function",
    "lambda.event_source_mapping",
    "lambda.invoke_config",
    "events.target",
    "scheduler.schedule",
    "pipes.pipe",
    "kinesis.stream",
)
# Only functions with a capacity provider may have more.
ORDINARY_FUNCTION = {"timeout": 900, "memory": 10_240}


@rule(
    id="value-out-of-range",
    code=120,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=KINDS,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare each number with the range that AWS takes."""
    for resource in graph.each(graph.of(*KINDS)):
        if resource.elsewhere:
            continue
        for prop in resource.kind.properties.values():
            if (prop.low == -inf and prop.high == inf) or not resource.written(prop.name):
                continue
            value = resource.get(prop.name)
            number = None if is_null(value) else quantity(value)
            if number is None:
                continue
            low, high = prop.low, _highest(resource, prop.name, prop.high)
            if certainly(number < low) or certainly(number > high):
                if _unset(resource, prop.name, value):
                    continue
                name = prop.name.replace("_", " ")
                what = f"between {low:,} and {high:,}" if high != inf else f"at least {low:,}"
                yield Finding(
                    f"a {name} of {number} is refused: it must be {what}",
                    primary=at(resource, f"{name} of {number}", prop.name),
                    fix=Fix(f"choose a value {what}"),
                )


def _highest(resource: Resource, name: str, high: float) -> float:
    lower = ORDINARY_FUNCTION.get(name) if resource.kind.name == "lambda.function" else None
    return lower if lower is not None and is_null(resource.get("capacity_provider")) else high


def _unset(resource: Resource, name: str, value: object) -> bool:
    # Terraform's provider sends no batch size of 0: AWS then takes its default.
    return (
        resource.stack.family == "terraform"
        and name == "batch_size"
        and isinstance(value, Known)
        and value.data in (0, "0")
    )
