"""Dead-letter queues hand their messages to each other in a circle.

## Why it matters
A message that always fails goes round until its retention ends, and is gone: no queue of the circle ever keeps it.

## How to fix
Let the last queue of the chain have no redrive policy, and an alarm on its depth.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import Category, Finding, Graph, Hop, Iterator, Redrive, Severity, at, consumers, rule


@rule(
    id="dlq-cycle",
    code=205,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Redrive,),
    yields_to=("dependency-cycle",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Follow each redrive until it ends, or comes back."""
    order = {hop: number for number, hop in enumerate(graph.hops(Redrive))}
    for redrive in graph.each(graph.hops(Redrive)):
        way = circle(graph, redrive)
        # Every hop of a circle finds it; the first one reports it.
        if way and order[redrive] == min(order[hop] for hop in way):
            names = " → ".join([*(hop.source.address for hop in way), redrive.source.address])
            what = "is its own dead-letter queue" if len(way) == 1 else f"failed messages go round: {names}"
            yield Finding(
                what,
                primary=at(redrive.source, "hands failures on", "redrive_policy"),
                trail=tuple(at(hop.source, "hands them on", "redrive_policy") for hop in way[1:]),
                hop=redrive,
            )


def circle(graph: Graph, start: Hop) -> list[Hop]:
    """The redrives that lead back to where one starts, itself first; none where they do not."""
    way: list[Hop] = []
    hop: Hop | None = start
    while hop is not None and hop not in way:
        way.append(hop)
        if hop.to is start.source:
            return way
        hop = next((onward for onward in graph.out_of(hop.to, Redrive) if consumers.there(onward)), None)
    return []
