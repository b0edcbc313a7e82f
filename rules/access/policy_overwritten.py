"""Two policies are attached to one queue or topic, which can hold only one.

## Why it matters
Whichever is written last wins, and whoever the other one let in is refused from then on; with each deployment it may be
the other way round.

## How to fix
Merge the statements into one policy. In Terraform one `aws_sqs_queue_policy` or `aws_sns_topic_policy` per queue or
topic, and none written on the queue or topic itself beside it; in CloudFormation one `AWS::SQS::QueuePolicy` or
`AWS::SNS::TopicPolicy`.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
- https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html
"""

from hoplint.api import (
    Category,
    Finding,
    Grant,
    Graph,
    Iterator,
    Known,
    Resource,
    Severity,
    Unknown,
    at,
    consumers,
    doubt,
    rule,
    settle,
)

KINDS = {"sqs.queue": "sqs.queue_policy", "sns.topic": "sns.topic_policy"}


@rule(
    id="policy-overwritten",
    code=404,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sqs.queue_policy", "sns.topic_policy"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Count the policies of each queue and topic that exist together."""
    for subject in graph.each(graph.of(*KINDS)):
        kind = KINDS[subject.kind.name]
        attached = (grant for grant in graph.into(subject, Grant) if consumers.there(grant))
        found = list(dict.fromkeys(grant.via for grant in attached if grant.via.kind.name == kind))
        unsure = [one for one in found if one.parent is not None and isinstance(settle(one.raw("policy")), Unknown)]
        if unsure and len(found) > 1:
            # A setting that is not known may be absent.
            doubt(f"whether {subject.address} has a policy of its own is not known", subject, subject.head)
        found = [one for one in found if one not in unsure]
        if len(found) < 2:
            continue
        if subject.many or any(policy.many for policy in found):
            # One instance may have the one and another the other.
            doubt(f"which instances of {subject.address} have which policy is not known", subject, subject.head)
            continue
        *before, last = found
        if all(_same(policy, last) for policy in before):
            continue
        word = "queue" if subject.kind.name == "sqs.queue" else "topic"
        yield Finding(
            f"{len(found)} policies are attached to the {word} {subject.address}: the last one replaces the rest",
            primary=at(last, "replaces, or is replaced", "policy"),
            trail=(*(at(policy, "is the other one", "policy") for policy in before), at(subject, "holds one policy")),
            about=(subject,),
        )


def _same(one: Resource, other: Resource) -> bool:
    """Whether two policies are written alike, so that it does not matter which one stays."""
    first, second = settle(one.raw("policy")), settle(other.raw("policy"))
    if not isinstance(first, Known) or not isinstance(second, Known):
        return False
    return isinstance(first.data, str) and isinstance(second.data, str) and first.data == second.data
