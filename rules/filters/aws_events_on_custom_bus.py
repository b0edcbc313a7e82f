"""A rule waits on a bus for events that never get there.

## Why it matters
AWS services put their events on the default bus only, and a partner's events arrive on the bus that is made for this
partner. A rule elsewhere never fires, unless another rule forwards the events.

## How to fix
Put the rule on the default bus (leave the bus out), or forward the events there with a rule whose target is this bus.

## References
- https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-saas.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Iterator,
    Missing,
    Severity,
    at,
    buses,
    certainly,
    doubt,
    possibly,
    rule,
)


@rule(
    id="aws-events-on-custom-bus",
    code=511,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=("events.rule",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the sources that a rule asks for with the bus that it listens on."""
    for listener in buses.listeners(graph):
        sources = buses.sources(listener)
        if not sources or not all(source.startswith("aws.") for source in sources):
            continue
        bus = buses.bus_of(graph, listener.rule)
        partner = all(source.startswith(buses.PARTNER) for source in sources)
        if partner and possibly(bus.partner):
            continue
        if not certainly(bus.custom):
            # Nothing in a configuration says that nobody forwards to the default bus.
            continue
        if bus.resource is None:
            doubt("who forwards to its bus is not known here", listener.rule, listener.rule.site("bus"))
            continue
        answer = buses.forwarded(graph, bus.resource)
        if isinstance(answer, Absent):
            what = (
                "events of partners arrive on the partner's own bus"
                if partner
                else ("AWS services put their events on the default bus")
            )
            yield Missing(
                f"the rule never fires: {what}, and nothing forwards them to this one",
                listener.place("never gets here", ("source",)),
                answer,
                trail=(at(listener.rule, "listens there", "bus"), at(bus.resource, "gets no such events")),
                severity=Severity.WARNING if partner else None,
            )
