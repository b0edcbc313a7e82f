"""A statement for a role asks for a source that a role's own call never carries.

## Why it matters
The statement allows nothing: `aws:SourceArn` and `aws:SourceAccount` are set only where a service acts in its own name.

## How to fix
Leave the condition out of statements for roles and users, and keep it in those for services. To confine a role, use
`aws:PrincipalArn`, `aws:PrincipalAccount` or the resource.

## References
- https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
- https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Policy, Severity, Tier, at, roles, rule

KINDS = ("sqs.queue_policy", "sns.topic_policy")


@rule(
    id="policy-condition-never-present",
    code=420,
    category=Category.EXPOSURE,
    severity=Severity.WARNING,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("iam.role", *KINDS),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read the conditions of what roles are allowed."""
    users = roles.users(graph)
    for role in graph.each(one for one in graph.of("iam.role") if one in users):
        for policy in roles.policies_of(graph, role):
            for finding in _read(policy):
                finding.trail = (*((at(role, "has the policy"),) if policy.owner is not role else ()),
                                 at(users[role], "runs with the role"))  # fmt: skip
                yield finding
    for owner in graph.each(one for one in graph.of(*KINDS) if not one.elsewhere):
        yield from _read(Policy(owner.raw("policy"), owner=owner))


def _read(policy: Policy) -> Iterator[Finding]:
    for statement in policy.read()[0]:
        condition = roles.never_met(statement)
        if condition is not None and policy.owner is not None:
            site = condition.values.site or statement.site
            yield Finding(
                f"{statement.label} asks a role for {condition.key}, which its own calls never carry",
                primary=At(policy.owner, "is never met", "policy", site),
            )
            return
