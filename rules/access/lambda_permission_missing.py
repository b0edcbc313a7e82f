"""An AWS service is to invoke a function, and no permission of the function admits it.

## Why it matters
Every invocation is refused. EventBridge and SNS do not retry a missing permission, the event is gone unless a
dead-letter queue takes it; S3 and CloudWatch Logs refuse to set the notification or subscription up at all.

## How to fix
Add a permission for the service, confined to this very source: principal the service, action `lambda:InvokeFunction`,
source ARN the rule, topic, bucket or log group, and for a bucket the source account as well.

An EventBridge target may use a role instead. Queues, streams, pipes, schedules and workflows use roles always and need
no permission. What SAM and CDK write by themselves counts.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
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
    permissions,
    repairs,
    rule,
    steps,
)


@rule(
    id="lambda-permission-missing",
    code=405,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the permissions of each function whether they admit who is to invoke it."""
    for push in graph.pushes("lambda.function"):
        refusal = permissions.refusal(graph, push)
        if refusal is None or refusal.wrong:
            continue
        answer = graph.answer(push.to, (), graph.loose_parts(push.to, "lambda.permission"))
        if not isinstance(answer, Absent):
            continue
        yield Missing(
            f"no permission lets {refusal.service} invoke the function for {push.source.address}",
            at(push.to, f"does not admit {refusal.service}"),
            answer,
            trail=steps(
                push.to,
                (push.source, f"invokes as {refusal.service}"),
                (push.via, "names the function"),
                *((one, "admits others only") for one in refusal.permissions),
            ),
            hop=push,
            fix=repairs.permit(push.to, refusal.service, push.source, push.sender, push.entry),
        )
