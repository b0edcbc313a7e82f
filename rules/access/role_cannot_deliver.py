"""A role lacks an action without which a hop does not work.

## Why it matters
The consumer reads nothing, or what fails cannot be handed on: the mapping or pipe is refused or stalls, the delivery is
denied, and no policy of the role says so.

## How to fix
Allow the role the named action on the named resource.

A consumer of a queue needs `sqs:ReceiveMessage`,
`sqs:DeleteMessage` and `sqs:GetQueueAttributes`; whoever hands on needs `sqs:SendMessage`, `sns:Publish`,
`lambda:InvokeFunction`, `states:StartExecution` or `events:PutEvents` on exactly that ARN (a function's alias has
another one than the function).

Only roles are looked at that are declared here and whose policies can all be read: inline, attached and AWS's own ones,
and what SAM and CDK write. A policy of the resource that names the role counts too. Permission boundaries, service
control policies and session policies are outside: they can only take away.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
- https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-permissions.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
"""

from hoplint.api import (
    Category,
    FailTo,
    Finding,
    Graph,
    Iterator,
    Missing,
    Poll,
    Push,
    Severity,
    at,
    needs,
    roles,
    rule,
    steps,
)


@rule(
    id="role-cannot-deliver",
    code=411,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll, Push, FailTo, "states.machine"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policies of each role for what its hop needs."""
    for need in needs.needs(graph):
        lack = roles.lacks(graph, need.role, need.actions, need.resource, need.hop, need.target)
        if lack is None:
            continue
        yield Missing(
            f"the role of {need.user.address} may not {lack.named} on {need.end}",
            at(need.role, f"may not {lack.named}"),
            lack.answer,
            trail=steps(
                need.role,
                (need.user, f"is to {need.does} {need.end}"),
                (need.via, "says so"),
                (need.target, "is out of its reach"),
                *((owner, "allows something else") for owner in lack.owners),
            ),
            hop=need.hop,
        )
