"""Failures are sent back to where they came from.

## Why it matters
What failed once is delivered again, fails again and goes round, at full speed and at your cost. Nothing keeps it, and
Lambda breaks such a loop only in some cases.

## How to fix
Name a queue that nothing delivers from as the failure destination.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
"""

from hoplint.api import (
    Category,
    FailTo,
    Finding,
    Graph,
    Hop,
    Iterator,
    Poll,
    Push,
    Severity,
    at,
    certainly,
    consumers,
    failures,
    rule,
)


@rule(
    id="dlq-is-its-source",
    code=211,
    category=Category.HYGIENE,
    severity=Severity.WARNING,
    since="0.1",
    asks=(FailTo,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare where failures go with where the events come from, and with where they were to go."""
    for fail in graph.each(graph.hops(FailTo)):
        if failures.unused(graph, fail):
            continue
        feeding = feed(graph, fail)
        if feeding is not None:
            yield Finding(
                f"failures of {fail.source.address} go to {fail.to.address}, which feeds it",
                primary=at(fail.via, "sends failures back", setting(fail)),
                trail=(at(fail.to, "takes them"), at(feeding.via, "delivers them again")),
                hop=fail,
            )
            continue
        push = aim(graph, fail)
        if push is not None:
            yield Finding(
                f"what cannot be delivered to {fail.to.address} is to go to {fail.to.address}",
                primary=at(fail.via, "names its own target", setting(fail)),
                trail=(at(fail.to, "is target and failure queue in one"),),
                hop=fail,
            )


def feed(graph: Graph, fail: Hop) -> Hop | None:
    """What delivers from the failure destination to the very function that fails."""
    for hop in graph.into(fail.source, Poll, Push):
        if hop.source is not fail.to or not consumers.there(hop):
            continue
        if not isinstance(hop, Poll) or certainly(graph.active(hop)):
            return hop
    return None


def aim(graph: Graph, fail: Hop) -> Hop | None:
    """The delivery of the same target, subscription or schedule, if it goes to the failure queue itself."""
    return next((hop for hop in graph.into(fail.to, Push) if hop.via is fail.via and consumers.there(hop)), None)


def setting(fail: Hop) -> str | None:
    """Where the failure destination is written."""
    return next((name for name in ("dlq", "on_failure", "redrive_policy") if name in fail.via.kind.properties), None)
