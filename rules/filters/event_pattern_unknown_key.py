"""An event pattern asks for a field that no event on a bus has.

## Why it matters
A rule whose pattern names a field that is never there never fires, and nothing says so: EventBridge drops what no rule
matches without a trace.

## How to fix
Use the names of the envelope: `source`, `detail-type`, `detail`, `account`, `region`, `resources`. What the sender
wrote stands under `detail`; `Source` and `DetailType` are how PutEvents calls these fields, not how events do.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, buses, feeds, rule


@rule(
    id="event-pattern-unknown-key",
    code=509,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=("events.rule",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look up the root keys of each event pattern among the fields of the envelope."""
    for listener in buses.listeners(graph):
        found = feeds.worst(listener.root_problems())
        if found is not None:
            first, others = found
            yield Finding(
                f"the rule never fires: {first.message}",
                primary=listener.place("is no field of an event", first.path, first.site),
                trail=tuple(listener.place(problem.message, problem.path, problem.site) for problem in others),
            )
