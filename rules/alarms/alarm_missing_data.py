"""An alarm on a failure queue takes an idle queue for a broken one, or does not say how to take it.

## Why it matters
A queue that is idle sends no figures, which is a dead-letter queue's normal state. With `breaching` the alarm goes
off then; when nothing is said it drifts into insufficient data.

## How to fix
Set the missing-data treatment to `notBreaching`.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Known,
    Resource,
    Severity,
    Tier,
    Watch,
    alarms,
    at,
    failures,
    rule,
    set_text,
)


@rule(
    id="alarm-missing-data",
    code=311,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Watch,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at how each alarm on a failure queue takes missing data."""
    hops = (hop for queue in failures.queues(graph) for hop in graph.watches(queue, set(alarms.DEPTH)))
    first: dict[Resource, Hop] = {}
    for watch in graph.each(hops):
        queue, alarm = watch.source, watch.via
        failing = next(iter(failures.into(graph, queue)), None)
        if failing is None or alarms.reading(watch).filled or first.setdefault(alarm, watch) is not watch:
            continue
        treatment = alarm.get("missing_data")
        if not isinstance(treatment, Known):
            continue
        unset = not alarm.written("missing_data")
        if treatment.data != "breaching" and not unset:
            continue
        trail = (at(failing.via, "sends its failures there"), at(queue, "sends no figures while it is idle"))
        fix = set_text(alarm, "missing_data", "notBreaching")
        if unset:
            yield Finding(
                "does not say how to take an idle queue, and drifts into insufficient data",
                primary=at(alarm, "no missing-data treatment", "missing_data"),
                trail=trail,
                severity=Severity.INFO,
                tier=Tier.PEDANTIC,
                hop=watch,
                fix=fix,
            )
        else:
            yield Finding(
                "goes off while the queue is idle: missing data counts as a breach",
                primary=at(alarm, "takes silence for failure", "missing_data"),
                trail=trail,
                hop=watch,
                fix=fix,
            )
