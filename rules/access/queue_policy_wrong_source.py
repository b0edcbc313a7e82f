"""A queue's policy has a statement for the sender that can never match it.

## Why it matters
The policy looks complete, and every delivery is refused: the condition holds another ARN, the bus is missing in the
rule's ARN, the resource is not the queue, or principal or action are wrong.

## How to fix
Compare the statement with what really arrives: principal the service, action `sqs:SendMessage`, resource the queue's
ARN (never its URL), `aws:SourceArn` the ARN of the source. A rule on a custom bus is `rule/BUS/NAME`, one on the
default bus `rule/NAME`. Patterns need `ArnLike` or `StringLike`.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
- https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Push, Severity, at, doubt_any, rule, senders


@rule(
    id="queue-policy-wrong-source",
    code=402,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
    yields_to=("policy-overwritten",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Find the statement that is meant for each sender, and what keeps it from matching."""
    for push in graph.pushes("sqs.queue"):
        refusal = senders.refusal(graph, push)
        if refusal is None or not refusal.near or senders.meant_is_open(refusal, push.to):
            continue
        near = min(refusal.near, key=lambda found: len(found.mismatches))
        owner = near.statement.policy.owner
        if owner is None or doubt_any(graph.loose_parts(push.to, "sqs.queue_policy"), push.to):
            continue
        if refusal.regional:
            hint = f" (a topic in an opt-in Region sends to another one as {refusal.service})"
        else:
            hint = near.wanted(push)
        yield Finding(
            f"{near.statement.label} is meant for {push.source.address} and never matches it: {near.says}{hint}",
            primary=At(owner, "never matches", "policy", near.site),
            trail=(
                at(push.source, f"sends as {refusal.service}"),
                *((at(push.via, "names the queue as receiver"),) if push.via is not push.source else ()),
                at(push.to, "refuses what it sends"),
            ),
            severity=Severity.WARNING if near.only_patterns or refusal.regional else None,
            hop=push,
        )
