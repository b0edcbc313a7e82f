"""A rule sorts out events that lack a field, and no rule catches these.

## Why it matters
An event that no rule matches is gone without a trace. Where a pattern guards against malformed events with
`{"exists": true}`, a sender's mistake then looks like silence.

## How to fix
Add a rule on the same bus with the same source and `{"exists": false}` on that field, and let it tell somebody.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
"""

from hoplint.api import Absent, Category, Finding, Graph, Iterator, Missing, Severity, Tier, buses, rule


@rule(
    id="malformed-events-unseen",
    code=513,
    category=Category.LOSS,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("events.rule",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for the rule that takes what a guard sorts out."""
    for listener in buses.active(graph):
        for path in buses.guards(listener):
            answer = buses.caught(graph, listener, path)
            if isinstance(answer, Absent):
                name = ".".join(map(str, path))
                yield Missing(
                    f'events without "{name}" are dropped without a trace: no rule catches them',
                    listener.place("sorts them out", path),
                    answer,
                )
                break
