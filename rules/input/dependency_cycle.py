"""Resources depend on each other in a circle.

## Why it matters
The deployment is refused: none of them can be created before the others.

## How to fix
Break the circle at one reference: put it into a resource of its own (a redrive allow policy, a queue policy, a bucket
notification, a role policy), or write the name out where a reference stands.

## References
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-s3-bucket-notificationconfiguration.html
"""

from hoplint.api import At, Category, Finding, Fix, Graph, Iterator, Severity, cycles, rule

APART = {
    "redrive_allow_policy": "put the redrive allow policy into a resource of its own",
    "policy": "put the policy into a resource of its own",
    "inline_policies": "put the policy into a resource of its own",
}


@rule(id="dependency-cycle", code=5, category=Category.REJECTED, severity=Severity.ERROR, since="0.1")
def check(graph: Graph) -> Iterator[Finding]:
    """Follow the references of all resources."""
    for circle in cycles.cycles(graph):
        # Told from the reference that is the easiest to take out.
        start = next((number for number, edge in enumerate(circle) if edge.setting in APART), 0)
        first, *rest = circle[start:] + circle[:start]
        if not rest:
            message = "it refers to itself: the deployment is refused"
        else:
            way = " → ".join([*(edge.by.address for edge in (first, *rest)), first.by.address])
            message = f"these depend on each other, and the deployment is refused: {way}"
        yield Finding(
            message,
            primary=At(first.by, f"refers to {first.target.address}", first.setting, first.site),
            trail=tuple(At(edge.by, f"refers to {edge.target.address}", edge.setting, edge.site) for edge in rest),
            fix=Fix(APART.get(first.setting, "take out one of the references")),
        )
