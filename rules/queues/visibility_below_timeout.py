"""A queue hides a message for less time than one run of its function may take.

## Why it matters
Lambda refuses to create or update the mapping. Where it exists already, every slow run is joined by a second one that
works on the same messages.

## How to fix
Raise the queue's visibility timeout, best to six function timeouts plus the batching window, or lower the function's
timeout.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Poll, Severity, at, certainly, rule, set_number


@rule(
    id="visibility-below-timeout",
    code=102,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare each queue with the function that a mapping invokes."""
    for poll in graph.polls("sqs.queue", "lambda.function"):
        if poll.via.kind.name != "lambda.event_source_mapping" or not certainly(graph.active(poll)):
            continue
        hidden = poll.source.number("visibility_timeout")
        timeout = poll.consumer.number("timeout")
        window = poll.via.number("window")
        if certainly(hidden < timeout):
            yield Finding(
                f"hidden for {hidden} s, but one run of its function may take {timeout} s: the mapping is refused",
                primary=at(poll.source, f"hidden for {hidden} s", "visibility_timeout"),
                trail=(
                    at(poll.via, "hands the messages to the function"),
                    at(poll.consumer, f"runs up to {timeout} s", "timeout"),
                ),
                fix=set_number(poll.source, "visibility_timeout", 6 * timeout + window, " s"),
            )
