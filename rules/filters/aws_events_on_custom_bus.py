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
        partner = all(source.startswith(buses.PARTNER) for source in sources)
        if partner and possibly(buses.of_partner(graph, listener.rule)):
            continue
        bus = buses.declared_bus(graph, listener.rule)
        if bus is None:
            continue
        answer = buses.forwarded(graph, bus)
        if isinstance(answer, Absent):
            yield Missing(
                "the rule never fires: such events arrive on another bus, and nothing forwards them to this one",
                listener.place("never gets here", ("source",)),
                answer,
                trail=(at(listener.rule, "listens there", "bus"), at(bus, "gets no such events")),
                severity=Severity.WARNING if partner else None,
            )
