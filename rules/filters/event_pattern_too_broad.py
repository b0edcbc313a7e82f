"""An event pattern takes events of any source and type.

## Why it matters
The targets get every event on the bus that happens to fit, of senders that they were not built for, today's and those
to come: each one is an invocation, and one that cannot be worked on is retried and fails.

## How to fix
Name the source and the detail-type of the events that the target is built for.

A rule that only hands everything on to a log group, a stream or another bus is not meant.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-patterns-best-practices.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, buses, certainly, rule


@rule(
    id="event-pattern-too-broad",
    code=510,
    category=Category.HYGIENE,
    severity=Severity.WARNING,
    since="0.1",
    asks=("events.rule",),
    yields_to=("event-pattern-invalid", "event-pattern-unknown-key"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for patterns without source and detail-type."""
    for listener in buses.active(graph):
        broad = buses.unbounded(listener)
        if broad and certainly(~buses.meant_for_all(graph, listener.rule)):
            yield Finding(broad, primary=listener.place("takes events of any sender"))
