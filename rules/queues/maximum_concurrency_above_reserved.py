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

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Quantity, Severity, at, certainly, rule, scaling


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
        reserved = scaling.reserved(function)
        if reserved is None:
            continue
        started = list(scaling.starts(graph, function))
        total = sum((start.most for start in started), Quantity(0))
        # 0 switches the function off, which is another finding; below it nothing is reserved.
        if certainly(reserved >= 1) and certainly(total > reserved):
            yield Finding(
                f"{total} runs may be started at once, but only {reserved} are reserved: the rest is throttled",
                primary=at(function, f"{reserved} reserved", "reserved_concurrency"),
                trail=tuple(
                    at(start.poll.via, f"starts up to {start.most} at once", start.setting) for start in started
                ),
                fix=Fix(f"reserve {total}, or lower what the mappings may start"),
            )
