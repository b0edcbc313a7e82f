"""A rule or bucket is to publish to a topic, and no policy of the topic admits it.

## Why it matters
Every delivery is refused: the policy that a topic has by default admits no other service. EventBridge does not retry a
missing permission, and S3 refuses the notification.

## How to fix
Give the topic a policy: principal `events.amazonaws.com` or `s3.amazonaws.com`, action `sns:Publish`, resource the
topic's ARN, for a bucket with its ARN and account as conditions. It replaces the default policy: keep a statement for
those of the account that publish without a policy of their own.

A rule's target may use a role instead.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
- https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Iterator,
    Missing,
    Push,
    Severity,
    at,
    repairs,
    rule,
    senders,
    steps,
)


@rule(
    id="topic-policy-missing",
    code=409,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
    yields_to=("policy-overwritten",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policies of each topic whether they admit who is to publish."""
    for push in graph.pushes("sns.topic"):
        refusal = senders.refusal(graph, push)
        if refusal is None:
            continue
        answer = graph.answer(push.to, (), graph.loose_parts(push.to, "sns.topic_policy"))
        if not isinstance(answer, Absent):
            continue
        yield Missing(
            f"no policy of the topic lets {refusal.service} publish for {push.source.address}{refusal.says}",
            at(push.to, f"does not admit {refusal.service}"),
            answer,
            trail=steps(
                push.to,
                (push.source, "publishes"),
                (push.via, "names the topic"),
                *refusal.places,
            ),
            hop=push,
            fix=repairs.admit(push.to, refusal.service, push.source, push.sender, more=bool(refusal.policies)),
        )
