"""A rule waits for read-only calls that CloudTrail does not tell a plainly enabled rule of.

## Why it matters
In the state `ENABLED` a rule gets no read-only management events (`Describe…`, `List…`, `Get…`) from CloudTrail: it
never fires for them.

## How to fix
Set the rule's state to `ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS`.

## References
- https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Severity, Tier, at, buses, certainly, rule


@rule(
    id="cloudtrail-events-excluded",
    code=517,
    category=Category.LOSS,
    severity=Severity.WARNING,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("events.rule",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for read-only calls in patterns on CloudTrail's management events."""
    for listener in buses.listeners(graph):
        calls = buses.read_only_calls(listener)
        if calls and certainly(buses.plainly_enabled(listener.rule)):
            yield Finding(
                f"read-only calls ({buses.shortened(calls)}) do not reach a rule that is plainly ENABLED",
                primary=listener.place("never gets here", ("detail", "eventName")),
                trail=(at(listener.rule, "leaves read-only calls out", "state"),),
                fix=Fix("set the state to ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"),
            )
