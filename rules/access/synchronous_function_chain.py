"""A consumer's role may invoke another function that is declared here.

## Why it matters
Two functions are paid for while one waits, and a timeout or error of the second one makes the first one's event come
again.

## How to fix
Put a queue or a workflow between the two, or make one function of them.

A permission for all functions says nothing about what the consumer does and is left alone. Permission boundaries,
service control policies and session policies are outside.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
- https://docs.aws.amazon.com/lambda/latest/dg/concepts-event-driven-architectures.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Poll, Push, Severity, Tier, at, roles, rule


@rule(
    id="synchronous-function-chain",
    code=419,
    category=Category.HYGIENE,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(Poll, Push),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for functions that the role of each consumer may invoke by name."""
    fed = {hop.to for hop in graph.hops(Poll, Push) if hop.to.kind.name == "lambda.function"}
    for consumer in graph.each(one for one in graph.of("lambda.function") if one in fed and not one.elsewhere):
        role = roles.role_of(graph, consumer)
        for policy in roles.policies_of(graph, role) if role is not None else ():
            for statement in policy.read()[0]:
                other = roles.invokes(graph, statement)
                if role is not None and policy.owner is not None and other is not None and other is not consumer:
                    yield Finding(
                        f"the consumer may invoke {other.address} and wait for it",
                        primary=at(consumer, "is fed with events"),
                        trail=(
                            At(policy.owner, "lets it invoke another function", "policy", statement.site),
                            at(other, "is invoked"),
                        ),
                    )
                    break
