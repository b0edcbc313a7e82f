"""The consumer of events runs with the default timeout of 3 seconds.

## Why it matters
Three seconds are rarely meant. A cold start and one slow call are enough to cut the run off; the event is tried again,
or goes to a failure queue.

## How to fix
Set the timeout that the work needs, and for a queue a visibility timeout of six times as much.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Severity, Tier, at, consumers, rule


@rule(
    id="default-function-timeout",
    code=122,
    category=Category.HYGIENE,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("lambda.function",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the timeout of each function that events reach."""
    for function in graph.each(graph.of("lambda.function")):
        hop = consumers.first_feed(graph, function)
        if hop is not None and not function.written("timeout"):
            yield Finding(
                "runs with the default timeout of 3 s, which is rarely enough for an event",
                primary=at(function, "no timeout is set", "timeout"),
                trail=(at(hop.source, "gives the events"), at(hop.via, "hands them to the function")),
                fix=Fix("set the timeout that the work needs"),
            )
