"""A consumer invokes the function itself, past the alias that has provisioned concurrency.

## Why it matters
The unqualified name runs `$LATEST`, with cold starts. The environments that are kept warm for the alias or version are
paid for and stay idle.

## How to fix
Let the mapping, rule, subscription, notification, schedule or pipe name the alias, and give it the permission that the
function had.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Push, Severity, at, certainly, rule, scaling


@rule(
    id="consumer-bypasses-alias",
    code=115,
    category=Category.HYGIENE,
    severity=Severity.WARNING,
    since="0.1",
    asks=("lambda.provisioned_concurrency",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at how each consumer names a function that is kept warm under another name."""
    for hop in graph.each(graph.hops(Poll, Push)):
        if isinstance(hop, Poll) and not certainly(graph.active(hop)):
            continue
        kept = scaling.kept_warm(graph, hop.to) if scaling.unqualified(hop) else None
        if kept is not None:
            yield Finding(
                "invokes the function itself, while its warm environments belong to an alias or version",
                primary=at(hop.via, "names no alias or version"),
                trail=(
                    at(hop.source, "gives the events"),
                    at(hop.to, "runs $LATEST"),
                    at(kept, "kept warm, and idle"),
                ),
                fix=Fix("name the alias that has the provisioned concurrency"),
            )
