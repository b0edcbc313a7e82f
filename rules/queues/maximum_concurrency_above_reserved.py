"""Mappings start more runs at once than are reserved for their function.

## Why it matters
What is above the reserved concurrency is throttled. Each throttled batch was received, so its messages move towards the
dead-letter queue although nothing failed; a stream's shard waits.

## How to fix
Reserve at least the sum of what the function's mappings may start at once: their maximum concurrency, and shards times
parallelization factor of its streams.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
- https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
"""

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Known,
    Poll,
    Quantity,
    Severity,
    at,
    certainly,
    consumers,
    is_null,
    rule,
    settle,
)


@rule(
    id="maximum-concurrency-above-reserved",
    code=110,
    category=Category.STALL,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Add up what the mappings of each function may start at once."""
    for function in graph.each(graph.of("lambda.function")):
        if function.elsewhere or is_null(settle(function.raw("reserved_concurrency"))):
            continue
        total = Quantity(0)
        counted: list[tuple[Poll, Quantity, str]] = []
        for poll in consumers.polls_into(graph, function):
            # What has no limit adds to the sum as well, but nobody can say how much.
            limit, setting = _limit(poll)
            if limit is not None and not consumers.is_pipe(poll) and certainly(graph.active(poll)):
                total = total + limit
                counted.append((poll, limit, setting))
        reserved = function.number("reserved_concurrency")
        # 0 switches the function off, which is another finding; below it nothing is reserved.
        if counted and certainly(reserved >= 1) and certainly(total > reserved):
            yield Finding(
                f"{total} runs may be started at once, but only {reserved} are reserved: the rest is throttled",
                primary=at(function, f"{reserved} reserved", "reserved_concurrency"),
                trail=tuple(at(poll.via, f"starts up to {limit} at once", name) for poll, limit, name in counted),
                fix=Fix(f"reserve {total}, or lower what the mappings may start"),
            )


def _limit(poll: Poll) -> tuple[Quantity | None, str]:
    mapping = poll.via
    if poll.source.kind.name == "sqs.queue":
        name = "maximum_concurrency"
        return (None if is_null(settle(mapping.raw(name))) else mapping.number(name)), name
    stream = poll.source
    if stream.kind.name != "kinesis.stream" or stream.elsewhere or is_null(settle(stream.raw("shards"))):
        return None, ""
    mode = settle(stream.raw("mode"))
    if not isinstance(mode, Known) or mode.data not in (None, "PROVISIONED"):
        return None, ""
    return stream.number("shards") * mapping.number("parallelization"), "parallelization"
