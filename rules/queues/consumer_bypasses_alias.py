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

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Hop,
    Iterator,
    Known,
    Poll,
    Push,
    Ref,
    Resource,
    Severity,
    at,
    certainly,
    consumers,
    is_null,
    names,
    rule,
)

LATEST = "$LATEST"


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
    warm: dict[Resource, list[Resource]] = {}
    for provisioned in graph.of("lambda.provisioned_concurrency"):
        for function in graph.ends(provisioned, "function", "lambda.function"):
            warm.setdefault(function, []).append(provisioned)
    for hop in graph.each(hop for hop in graph.hops(Poll, Push) if hop.to in warm and not hop.to.elsewhere):
        if not _unqualified(hop) or (isinstance(hop, Poll) and not certainly(graph.active(hop))):
            continue
        kept = next((part for part in warm[hop.to] if consumers.there(part) and _is_published(graph, part)), None)
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


def _unqualified(hop: Hop) -> bool:
    """Whether a hop certainly names the function alone, or `$LATEST`."""
    if hop.entry is not None or hop.value is None:
        return False
    found = names.resolve(hop.value, [hop.to])
    if found.certain is None:
        return False
    return found.qualifier is None or (isinstance(found.qualifier, Known) and found.qualifier.data == LATEST)


def _is_published(graph: Graph, provisioned: Resource) -> bool:
    """Whether an alias or version is kept warm. What hangs on `$LATEST` is refused, and keeps nothing warm."""
    qualifier = provisioned.get("qualifier")
    if isinstance(qualifier, Ref):
        if qualifier.target.kind.name != "lambda.alias":
            return True
        qualifier = qualifier.target.get("version")
        if isinstance(qualifier, Ref):
            return True
    return isinstance(qualifier, Known) and not is_null(qualifier) and qualifier.data != LATEST
