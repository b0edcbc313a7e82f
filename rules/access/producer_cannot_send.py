"""A function is handed a queue, topic or bus that its role may not send to.

## Why it matters
Each call is denied when the function runs. What it was to send is lost unless the code gives the failure back.

## How to fix
Allow the function's role `sqs:SendMessage`, `sns:Publish` or `events:PutEvents` on it, or take the variable away. SAM's
policy templates want names: given an ARN they allow a queue that cannot exist.

What the function does with it otherwise counts: a role that may receive from the queue or subscribe to the topic is
handed it for that. Only roles are looked at that are declared here and whose policies can all be read; permission
boundaries, service control policies and session policies are outside.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
- https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-templates.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Missing, Severity, at, producers, rule


@rule(
    id="producer-cannot-send",
    code=421,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=("lambda.function",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask each function's role about what its environment names."""
    for handed in producers.barred(graph):
        role, function = handed.lack.role, handed.function
        yield Missing(
            f"the function is handed {handed.target.address}, and its role may not {handed.lack.named} there",
            At(function, f"is handed {handed.target.address}", "environment", handed.site),
            handed.lack.answer,
            trail=(
                at(role, f"may not {handed.lack.named}"),
                *(at(owner, "allows something else", "policy") for owner in handed.lack.owners if owner is not role),
                at(handed.target, "is out of its reach"),
            ),
        )
