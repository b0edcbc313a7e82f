"""A role does not trust the service that has to assume it.

## Why it matters
Nothing runs: the function, workflow, pipe or schedule is refused when it is deployed, or the rule's events are not
delivered.

## How to fix
Let the role's trust policy name the service: `lambda.amazonaws.com` for a function, `states.amazonaws.com` for a state
machine, `pipes.amazonaws.com` for a pipe, `scheduler.amazonaws.com` for a schedule, `events.amazonaws.com` for the
target of a rule.

Roles that are only named here belong to another stack and stay undecided.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html
- https://docs.aws.amazon.com/scheduler/latest/UserGuide/setting-up.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-identity-based.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, roles, rule

SERVICES = {
    "lambda.function": "lambda.amazonaws.com",
    "states.machine": "states.amazonaws.com",
    "pipes.pipe": "pipes.amazonaws.com",
    "scheduler.schedule": "scheduler.amazonaws.com",
    "events.target": "events.amazonaws.com",
}


@rule(
    id="role-trusts-wrong-service",
    code=412,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("iam.role",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the trust policy of each role that something here uses."""
    for user in graph.each(one for one in graph.of(*SERVICES) if not one.elsewhere):
        role = roles.role_of(graph, user)
        service = SERVICES[user.kind.name]
        if role is None or not roles.distrusts(role, service):
            continue
        yield Finding(
            f"the role's trust policy does not let {service} assume it, as {user.address} needs",
            primary=at(role, f"does not trust {service}", "trust"),
            trail=(at(user, "is to run with it", "role"),),
            hop=user,
        )
