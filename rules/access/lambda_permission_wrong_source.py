"""A function's permission names a source that can never match the one that invokes it.

## Why it matters
The permission looks right, and every invocation is refused: the source ARN is not the one that the service sends.

## How to fix
Use the ARN attribute of the rule, topic, bucket or log group. A rule on a custom bus is `rule/BUS/NAME` and one on
the default bus `rule/NAME`; CloudWatch Logs sends the group's ARN with `:*` behind it, which Terraform's attribute
lacks and CloudFormation's has.

Leave `source_account` out where EventBridge invokes: its troubleshooting page names it as a reason for refused
invocations, and a rule's ARN holds the account anyway.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Grant,
    Graph,
    Iterator,
    Push,
    Severity,
    at,
    certainly,
    consumers,
    doubt_any,
    names,
    permissions,
    rule,
    senders,
    settle,
    steps,
)

EVENTS = "events.amazonaws.com"


@rule(
    id="lambda-permission-wrong-source",
    code=407,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Find the permission that is meant for each sender, and what keeps it from matching."""
    for push in graph.pushes("lambda.function"):
        refusal = permissions.refusal(graph, push)
        if refusal is None:
            yield from _accounts(graph, push)
            continue
        wrong = refusal.other()
        if wrong is None or refusal.qualifier() is not None:
            continue
        if doubt_any(graph.loose_parts(push.to, "lambda.permission"), push.to):
            continue
        yield Finding(
            f"the permission is meant for {push.source.address} and never matches it: {wrong.says}"
            f"; it sends as {senders.show(refusal.source)}",
            primary=At(wrong.permission, "never matches", "source_arn", wrong.site),
            trail=steps(
                wrong.permission,
                (push.source, f"invokes as {refusal.service}"),
                (push.via, "names the function"),
                (push.to, "refuses it"),
            ),
            hop=push,
        )


def _accounts(graph: Graph, push: Push) -> Iterator[Finding]:
    """A source account beside EventBridge's rule, in a permission that would match without it."""
    if push.source.kind.name != "events.rule" or push.to.elsewhere:
        return
    own = [grant.via for grant in graph.into(push.to, Grant) if consumers.there(grant)]
    meant = [one for one in own if permissions.service_of(one) == EVENTS]
    source = permissions.sent_as(push)
    fitting = [
        one
        for one in meant
        if not one.written("source_arn") or certainly(names.glob_match(settle(one.raw("source_arn")), source))
    ]
    if not fitting or not all(certainly(permissions.names_account(one)) for one in fitting):
        return
    yield Finding(
        f"the permission asks for a source account, with which EventBridge may not invoke for {push.source.address}",
        primary=at(fitting[0], "asks for a source account", "source_account"),
        trail=steps(
            fitting[0],
            (push.source, "invokes as events.amazonaws.com"),
            (push.via, "names the function"),
            (push.to, "may refuse it"),
        ),
        severity=Severity.WARNING,
        hop=push,
    )
