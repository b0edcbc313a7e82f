"""An alarm names a rule on a custom bus without its bus.

## Why it matters
The metrics of a rule on a custom bus carry the name of the bus and that of the rule. With the rule's name alone, the
alarm looks at the default bus, where there is no such rule, and never sees a figure.

## How to fix
Add the dimension `EventBusName`.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html
"""

from hoplint.api import (
    NO,
    YES,
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Ref,
    Resource,
    Severity,
    Test,
    Value,
    Watch,
    alarms,
    at,
    certainly,
    doubt,
    is_null,
    maybe,
    reason,
    rule,
    settle,
)


@rule(
    id="rule-alarm-without-bus",
    code=310,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Watch,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the dimensions of each alarm on a rule of a custom bus."""
    for watch in graph.each(hop for hop in graph.hops(Watch) if hop.source.kind.name == "events.rule"):
        dimensions = alarms.dimensions(alarms.reading(watch))
        named = [name for name, _ in dimensions]
        if "EventBusName" in named:
            continue
        if None in named:
            doubt(f"a dimension of {watch.via.address} is not known", watch.via)
            continue
        if certainly(on_custom_bus(watch.source)):
            value = next(value for name, value in dimensions if name == "RuleName")
            site = value.place_of_change or watch.via.head
            yield Finding(
                f"watches {watch.source.address} without its bus, and so the default bus, where that rule is not",
                primary=At(watch.via, "lacks EventBusName", "dimensions", site),
                trail=(at(watch.source, "is on a custom bus", "bus"),),
                hop=watch,
                about=(watch.source,),
            )


def on_custom_bus(rule: Resource) -> Test:
    """Whether a rule is on another bus than the default one."""
    bus: Value = settle(rule.raw("bus"))
    if is_null(bus):
        return NO
    if isinstance(bus, Ref):
        # A bus that is declared is never the default one.
        return YES if not bus.target.elsewhere else maybe(reason(bus))
    if isinstance(bus, Known):
        return NO if str(bus.data).rpartition("event-bus/")[2] == "default" else YES
    return maybe(reason(bus))
