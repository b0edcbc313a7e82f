"""An AWS service is to send to a queue, and no policy of the queue admits it.

## Why it matters
The rule, subscription or notification exists, and every delivery is refused. EventBridge does not retry a missing
permission: the event goes to the target's dead-letter queue, or is dropped at once. S3 refuses the notification.

## How to fix
Give the queue a policy that lets the service send, confined to this very source: principal the service, action
`sqs:SendMessage`, resource the queue's ARN, condition `ArnEquals` on `aws:SourceArn` with the ARN of the rule, topic or
bucket. An EventBridge target may use a role instead.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
- https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
- https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
"""

from hoplint.api import Absent, Category, Finding, Graph, Iterator, Missing, Push, Severity, at, repairs, rule, senders


@rule(
    id="queue-policy-missing",
    code=401,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
    yields_to=("queue-policy-wrong-source", "policy-overwritten", "target-role-missing"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policies of each queue whether they admit who is to send to it."""
    for push in graph.pushes("sqs.queue"):
        refusal = senders.refusal(graph, push)
        if refusal is None or refusal.near or senders.meant_is_open(refusal, push.to):
            continue
        answer = graph.answer(push.to, (), graph.loose_parts(push.to, "sqs.queue_policy"))
        if not isinstance(answer, Absent):
            continue
        policies = tuple(dict.fromkeys(refusal.policies))
        yield Missing(
            f"no policy of the queue lets {refusal.service} send for {push.source.address}",
            at(push.to, f"does not admit {refusal.service}"),
            answer,
            trail=(
                at(push.source, "sends"),
                *((at(push.via, "names the queue as receiver"),) if push.via is not push.source else ()),
                *(at(policy, "admits others only", "policy") for policy in policies),
            ),
            hop=push,
            fix=repairs.admit(push.to, refusal.service, push.source, push.sender, more=bool(policies)),
        )
