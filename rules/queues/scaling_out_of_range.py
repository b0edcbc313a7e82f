"""A mapping's maximum concurrency or pollers are outside of what Lambda takes.

## Why it matters
Lambda refuses the mapping.

## How to fix
A maximum concurrency is between 2 and 1,000. Provisioned pollers are at least 2 and at most 200, their maximum at most
10,000 and not below their minimum (which is 2 and 200 where nothing is said).

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
"""

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Poll,
    Severity,
    at,
    certainly,
    consumers,
    is_null,
    rule,
    settle,
)

RANGES = {"maximum_concurrency": (2, 1_000), "minimum_pollers": (2, 200), "maximum_pollers": (2, 10_000)}
LABELS = {
    "maximum_concurrency": "maximum concurrency",
    "minimum_pollers": "minimum of pollers",
    "maximum_pollers": "maximum of pollers",
}


@rule(
    id="scaling-out-of-range",
    code=109,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the scaling settings of each mapping on a queue with their ranges, and with each other."""
    for poll in consumers.mappings_of_queues(graph):
        mapping = poll.via
        source, consumer = at(poll.source, "gives the messages"), at(poll.consumer, "works on them")
        written = [name for name in RANGES if not is_null(settle(mapping.raw(name)))]
        outside = False
        for name in written:
            low, high = RANGES[name]
            number = mapping.number(name)
            if certainly(number < low) or certainly(number > high):
                outside = True
                yield Finding(
                    f"a {LABELS[name]} of {number} is not between {low} and {high:,}: the mapping is refused",
                    primary=at(mapping, f"{LABELS[name]} of {number}", name),
                    trail=(source, consumer),
                    fix=Fix(f"set it between {low} and {high:,}"),
                )
        if not outside and {"minimum_pollers", "maximum_pollers"} <= set(written):
            least, most = mapping.number("minimum_pollers"), mapping.number("maximum_pollers")
            if certainly(least > most):
                yield Finding(
                    f"at least {least} pollers, but at most {most}: the mapping is refused",
                    primary=at(mapping, f"at least {least}", "minimum_pollers"),
                    trail=(source, at(mapping, f"at most {most}", "maximum_pollers"), consumer),
                    fix=Fix("set the minimum of pollers to their maximum or less"),
                )
