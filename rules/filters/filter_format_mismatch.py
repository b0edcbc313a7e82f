"""A filter expects another format than the messages have, so that every message is deleted.

## Why it matters
Lambda and Pipes delete a message that no filter matches: it is not retried and never reaches the dead-letter queue. A
filter in JSON never matches a body of plain text, and a plain filter never matches a body in JSON.

## How to fix
Write the filter in the format of the body: `{"body": {"detail": {…}}}` for JSON, `{"body": ["text"]}` for plain text.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
"""

from hoplint.api import At, Category, Finding, Graph, Hop, Iterator, Poll, Severity, at, feeds, rule


@rule(
    id="filter-format-mismatch",
    code=501,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the format of each filter with the format of what is known to be sent."""
    for poll in graph.each(graph.hops(Poll)):
        for loss in feeds.losses(graph, poll):
            if loss.kind != "format" or loss.producer is None:
                continue
            push = loss.producer.owner
            trail = (at(push.source, "sends"), at(push.via, "decides the format")) if isinstance(push, Hop) else ()
            yield Finding(
                loss.message,
                primary=At(poll.via, "matches none of them", "filters", loss.site),
                trail=(*trail, at(poll.source, "loses them")),
            )
