"""The dead-letter queue of a rule's target or a subscription does not admit the service that fills it.

## Why it matters
What cannot be delivered is lost after all: the service may not write to the dead-letter queue, and the event vanishes
with no more than a count in a metric.

## How to fix
Give the dead-letter queue a policy: principal `events.amazonaws.com` with the ARN of the rule in `aws:SourceArn`, or
`sns.amazonaws.com` with that of the topic; action `sqs:SendMessage`, resource the queue's ARN. This holds for a target
with a role, too.

SAM writes the policy by itself where the dead-letter queue is given with `Type: SQS`; CDK does so as well. A schedule
or pipe writes as its role, which is looked at by role-cannot-deliver.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
"""

from hoplint.api import (
    Absent,
    Category,
    FailTo,
    Finding,
    Graph,
    Iterator,
    Missing,
    Severity,
    at,
    failures,
    repairs,
    rule,
    senders,
    steps,
)

SERVICES = {"events.target": "events.amazonaws.com", "sns.subscription": "sns.amazonaws.com"}


@rule(
    id="target-dlq-policy-missing",
    code=416,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(FailTo,),
    yields_to=("policy-overwritten",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policies of each dead-letter queue whether they admit who is to fill it."""
    for failure in failures.hops(graph, "sqs.queue"):
        service = SERVICES.get(failure.via.kind.name)
        if not isinstance(failure, FailTo) or service is None or failure.to.elsewhere:
            continue
        sender = senders.source_of(failure)
        refusal = senders.refused(graph, failure, service, "sqs:SendMessage", sender)
        if refusal is None:
            continue
        answer = graph.answer(failure.to, (), graph.loose_parts(failure.to, "sqs.queue_policy"))
        if not isinstance(answer, Absent):
            continue
        yield Missing(
            f"no policy of the dead-letter queue lets {service} write what {failure.source.address} cannot deliver"
            f"{refusal.says}",
            at(failure.to, f"does not admit {service}"),
            answer,
            trail=steps(
                failure.to,
                (failure.source, "sends"),
                (failure.via, "names the dead-letter queue"),
                *refusal.places,
            ),
            hop=failure,
            fix=repairs.admit(failure.to, service, failure.source, None, more=bool(refusal.policies)),
        )
