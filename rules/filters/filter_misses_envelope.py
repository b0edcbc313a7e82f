"""A filter looks for fields where the producer never puts them, so that every message is deleted.

## Why it matters
Lambda and Pipes delete a message that no filter matches, SNS does not deliver it. What EventBridge, SNS and S3 put
into a queue is wrapped: the fields of the event lie deeper than in the code that sends it, or inside a string.

## How to fix
Filter below the envelope: `body.detail` behind EventBridge, `body.Records` behind S3. Behind SNS the message is a
string inside the body: turn raw message delivery on, or filter at the subscription.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
"""

from hoplint.api import At, Category, Finding, Graph, Hop, Iterator, Poll, Push, Severity, at, feeds, rule


@rule(
    id="filter-misses-envelope",
    code=502,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for the keys of each filter, and of each policy on the body, in what is known to be sent."""
    for poll in graph.each(graph.hops(Poll)):
        for loss in feeds.losses(graph, poll):
            # A value that the producer never has is another question than a key that it never puts there.
            if loss.kind != "key" or loss.producer is None:
                continue
            push = loss.producer.owner
            trail = (at(push.source, "sends"), at(push.via, "wraps what it sends")) if isinstance(push, Hop) else ()
            yield Finding(
                loss.message,
                primary=At(poll.via, "looks where nothing is", "filters", loss.site),
                trail=(*trail, at(poll.source, "loses them")),
            )
    for subscription in feeds.subscriptions(graph):
        for loss, hop in subscription.misplaced(graph):
            yield Finding(
                loss.message,
                primary=subscription.place("looks where nothing is", loss.site),
                trail=(at(hop.source, "publishes"), at(hop.via, "wraps what it publishes")),
            )
