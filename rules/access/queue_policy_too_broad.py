"""A queue's policy lets a service, or anyone, send without saying for whom.

## Why it matters
Somebody else's rule, topic or bucket can send to the queue: the service asks only whether it may itself. With principal
`*` and no condition anyone in the world can.

## How to fix
Add a condition with `aws:SourceArn` (the full ARN of the rule, topic or bucket) or `aws:SourceAccount`. For S3 both:
a bucket's ARN holds no account, and a bucket that was deleted can be made anew by somebody else.

Statements with another condition that confines them (an organization, a network endpoint) are left alone.

## References
- https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
- https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Policy, Severity, roles, rule


@rule(
    id="queue-policy-too-broad",
    code=403,
    category=Category.EXPOSURE,
    severity=Severity.WARNING,
    since="0.1",
    asks=("sqs.queue_policy",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read each statement that lets a service or anyone in."""
    for owner in graph.each(graph.of("sqs.queue_policy")):
        if owner.elsewhere:
            continue
        found = list(roles.exposures(Policy(owner.raw("policy"), owner=owner)))
        if not found:
            continue
        worst = next((one for one in found if one.public), found[0])
        rest = [one for one in found if one is not worst]
        yield Finding(
            f"{worst.statement.label} lets {worst.who} use the queue {worst.lacks}",
            primary=At(owner, f"lets {worst.who} in", "policy", worst.statement.site),
            trail=[At(owner, f"lets {one.who} in {one.lacks}", "policy", one.statement.site) for one in rest],
            severity=Severity.ERROR if worst.public else None,
        )
