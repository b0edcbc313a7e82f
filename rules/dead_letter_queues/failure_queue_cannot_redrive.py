"""A failure queue is no dead-letter queue of any queue, so that SQS refuses to move its messages back.

## Why it matters
The redrive of SQS (console, `StartMessageMoveTask`) works only from the dead-letter queue of another queue. What
EventBridge, SNS, Lambda or a workflow put aside has to be sent again by a script of your own, which is best written
before it is needed.

## How to fix
Have that script at hand. To use SQS's own redrive, put a queue before the function or workflow and let its redrive
policy name this queue.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
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
    failures,
    rule,
)


@rule(
    id="failure-queue-cannot-redrive",
    code=210,
    category=Category.HYGIENE,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(FailTo,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for a queue whose dead-letter queue each failure queue is."""
    first: dict[Resource, Hop] = {}
    for hop in failures.hops(graph):
        queue = hop.to
        if not isinstance(hop, FailTo) or queue.elsewhere:
            continue
        answer = graph.answer(queue, graph.feeds_redrive(queue), graph.loose_parts(queue, "Redrive"))
        if isinstance(answer, Absent) and first.setdefault(queue, hop) is hop:
            yield Missing(
                f"takes the failures of {hop.source.address}, and SQS cannot move them back: "
                "it is no queue's dead-letter queue",
                at(queue, "no queue names it as its dead-letter queue"),
                answer,
                trail=(at(hop.via, "sends its failures there"),),
                hop=hop,
            )
