"""The consumer of events runs with the default timeout of 3 seconds.

## Why it matters
Three seconds are rarely meant. A cold start and one slow call are enough to cut the run off; the event is tried again,
or goes to a failure queue.

## How to fix
Set the timeout that the work needs, and for a queue a visibility timeout of six times as much.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
"""

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Hop,
    Iterator,
    Known,
    Poll,
    Push,
    Severity,
    Tier,
    at,
    certainly,
    consumers,
    rule,
    settle,
)


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
        timeout = settle(function.raw("timeout"))
        if function.elsewhere or not isinstance(timeout, Known) or timeout.origin != "default":
            continue
        hops = [hop for hop in graph.into(function, Poll, Push) if consumers.there(hop) and _active(graph, hop)]
        if hops:
            yield Finding(
                "runs with the default timeout of 3 s, which is rarely enough for an event",
                primary=at(function, "no timeout is set", "timeout"),
                trail=(at(hops[0].source, "gives the events"), at(hops[0].via, "hands them to the function")),
                fix=Fix("set the timeout that the work needs"),
            )


def _active(graph: Graph, hop: Hop) -> bool:
    return not isinstance(hop, Poll) or certainly(graph.active(hop))
