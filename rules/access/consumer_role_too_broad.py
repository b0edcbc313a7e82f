"""A consumer's role may do anything with the service that its events come from.

## Why it matters
A fault in the consumer, or whoever takes it over, can purge or redirect every queue and stream of the account.

## How to fix
Allow the actions that the consumer needs, on the queue or stream that it reads.

AWS's own managed policies allow all resources and are left alone here.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
- https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Poll, Severity, Tier, at, roles, rule

SERVICES = {
    "sqs.queue": "sqs", "dynamodb.table": "dynamodb", "kinesis.stream": "kinesis", "kinesis.consumer": "kinesis",
}  # fmt: skip


@rule(
    id="consumer-role-too-broad",
    code=418,
    category=Category.HYGIENE,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read what each consumer's role is allowed with the service that it reads from."""
    for poll in graph.each(graph.hops(Poll)):
        user = poll.via if poll.via.kind.name == "pipes.pipe" else poll.to
        service = SERVICES.get(poll.source.kind.name)
        role = None if user.elsewhere or service is None else roles.role_of(graph, user)
        if role is None or service is None:
            continue
        found = next(
            (
                (policy, statement)
                for policy in roles.policies_of(graph, role)
                for statement in policy.read()[0]
                if roles.sweeping(statement, service)
            ),
            None,
        )
        if found is None or found[0].owner is None:
            continue
        policy, statement = found
        yield Finding(
            f"{statement.label} allows the consumer's role {roles.sweeping(statement, service)}",
            primary=At(found[0].owner, "allows too much", "policy", statement.site),
            trail=(
                at(poll.source, "gives the events"),
                at(user, "runs with the role", "role"),
                *((at(role, "has the policy"),) if found[0].owner is not role else ()),
            ),
            hop=poll,
        )
