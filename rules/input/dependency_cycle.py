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


@rule(id="dependency-cycle", code=5, category=Category.REJECTED, severity=Severity.ERROR, since="0.1")
def check(graph: Graph) -> Iterator[Finding]:
    """Follow the references of all resources."""
    for first, *rest in cycles.cycles(graph):
        way = " → ".join([*(edge.by.address for edge in (first, *rest)), first.by.address])
        yield Finding(
            f"it depends on itself, and the deployment is refused: {way}",
            primary=At(first.by, f"refers to {first.target.address}", first.setting, first.site),
            trail=tuple(At(edge.by, f"refers to {edge.target.address}", edge.setting, edge.site) for edge in rest),
            fix=Fix(cycles.APART.get(first.setting, "take out one of the references")),
        )
