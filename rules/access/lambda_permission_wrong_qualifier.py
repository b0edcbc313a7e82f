"""A function's permission is for another alias or version than the one that is invoked.

## Why it matters
Every invocation is refused: a permission without a qualifier covers the bare function only, and one with a qualifier
covers that alias or version only.

## How to fix
Give the permission the qualifier that the rule, subscription or notification names, or let both name the bare function.
In CloudFormation the function name of the permission is the alias's ARN.

## References
- https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
- https://docs.aws.amazon.com/lambda/latest/dg/configuration-aliases.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Push,
    Severity,
    doubt_any,
    permissions,
    repairs,
    rule,
    steps,
)


@rule(
    id="lambda-permission-wrong-qualifier",
    code=406,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Find the permission that would admit each sender if it covered what is invoked."""
    for push in graph.pushes("lambda.function"):
        refusal = permissions.refusal(graph, push)
        wrong = refusal.qualifier() if refusal is not None else None
        if refusal is None or wrong is None:
            continue
        if doubt_any(graph.loose_parts(push.to, "lambda.permission"), push.to):
            continue
        invoked = permissions.called(push)
        yield Finding(
            f"the permission covers another qualifier than the one that {push.source.address} invokes: {invoked}",
            primary=At(wrong.permission, "covers another one", "function", permissions.covers_at(wrong.permission)),
            trail=steps(
                wrong.permission,
                (push.source, f"invokes as {refusal.service}"),
                (push.via, f"names {invoked}"),
                (push.to, "refuses it"),
            ),
            hop=push,
            fix=repairs.permit(push.to, refusal.service, push.source, push.sender, push.entry),
        )
