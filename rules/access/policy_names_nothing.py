"""A policy names an action that no service has, or a resource that can be no ARN.

## Why it matters
IAM accepts what it does not know and allows nothing by it: the statement looks right and has no effect.

## How to fix
Correct the name of the action. A resource is an ARN: not the URL of a queue, and no ARN put where a name belongs.

Only names that closely resemble a real action are called wrong, since services gain new ones.

## References
- https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
- https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Policy, Resource, Severity, at, roles, rule

KINDS = ("sqs.queue_policy", "sns.topic_policy")


@rule(
    id="policy-names-nothing",
    code=423,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=("iam.role", *KINDS),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read the policies of every role that a hop uses, and of every queue and topic."""
    users = roles.users(graph)
    for role in graph.each(one for one in graph.of("iam.role") if one in users):
        for policy in roles.policies_of(graph, role):
            yield from _read(policy, role, users[role])
    for owner in graph.each(one for one in graph.of(*KINDS) if not one.elsewhere):
        yield from _read(Policy(owner.raw("policy"), owner=owner), None, None)


def _read(policy: Policy, role: Resource | None, user: Resource | None) -> Iterator[Finding]:
    owner = policy.owner
    for statement in policy.read()[0]:
        mistake = roles.nothing(statement)
        if owner is not None and mistake is not None:
            yield Finding(
                f"{statement.label} allows nothing by this: {mistake.says}",
                primary=At(owner, mistake.says, "policy", mistake.site),
                trail=(
                    *((at(role, "has the policy"),) if role is not None and role is not owner else ()),
                    *((at(user, "runs with the role"),) if user is not None else ()),
                ),
            )
            return
