"""No alarm tells that EventBridge could not even write to a target's dead-letter queue.

## Why it matters
When the queue's policy or key refuses EventBridge, the event is gone, and the queue stays empty: only the metric
`InvocationsFailedToBeSentToDlq` of the rule moves.

## How to fix
Alarm on `InvocationsFailedToBeSentToDlq` of the rule (Sum above 0, missing data not breaching), with `EventBusName`
as a second dimension on a custom bus.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
"""

from hoplint.api import (
    Absent,
    Category,
    FailTo,
    Finding,
    Graph,
    Hop,
    Iterator,
    Missing,
    Resource,
    Severity,
    Tier,
    at,
    rule,
)

FAILED = {"InvocationsFailedToBeSentToDlq"}


@rule(
    id="rule-dlq-delivery-unwatched",
    code=317,
    category=Category.BLINDSPOT,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(FailTo,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for an alarm on each rule whose targets have a dead-letter queue."""
    first: dict[Resource, Hop] = {}
    for hop in graph.each(graph.hops(FailTo)):
        rule_ = hop.source
        if hop.via.kind.name != "events.target" or rule_.elsewhere or first.setdefault(rule_, hop) is not hop:
            continue
        answer = graph.answer(rule_, graph.watches(rule_, FAILED), graph.uncertain_watches(rule_))
        if isinstance(answer, Absent):
            yield Missing(
                f"an event that cannot even be written to {hop.to.address} is gone, and no alarm tells of it",
                at(rule_, "no alarm on InvocationsFailedToBeSentToDlq"),
                answer,
                trail=(at(hop.via, "names the dead-letter queue", "dlq"), at(hop.to, "may refuse the event")),
                hop=hop,
            )
