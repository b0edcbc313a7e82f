"""A topic's policy lets a service publish without saying for whom.

## Why it matters
Somebody else's bucket, alarm or rule can publish to the topic: the service asks only whether it may itself.

## How to fix
Add a condition with `aws:SourceArn` or `aws:SourceAccount` to the statement. For EventBridge this is a hint only: older
pages of AWS forbid conditions in a topic's policy there, the current one does not.

## References
- https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Policy, Severity, Tier, roles, rule


@rule(
    id="topic-policy-too-broad",
    code=424,
    category=Category.EXPOSURE,
    severity=Severity.WARNING,
    since="0.1",
    asks=("sns.topic_policy",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read each statement that lets a service in."""
    for owner in graph.each(graph.of("sns.topic_policy")):
        if owner.elsewhere:
            continue
        found = [one for one in roles.exposures(Policy(owner.raw("policy"), owner=owner)) if one.service]
        if not found:
            continue
        events = all(one.service == "events.amazonaws.com" for one in found)
        worst = next((one for one in found if one.service != "events.amazonaws.com"), found[0])
        rest = [one for one in found if one is not worst]
        yield Finding(
            f"{worst.statement.label} lets {worst.who} use the topic {worst.lacks}",
            primary=At(owner, f"lets {worst.who} in", "policy", worst.statement.site),
            trail=[At(owner, f"lets {one.who} in {one.lacks}", "policy", one.statement.site) for one in rest],
            severity=Severity.INFO if events else None,
            tier=Tier.PEDANTIC if events else None,
        )
