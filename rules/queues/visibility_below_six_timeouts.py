"""A queue hides a message for less time than its consumer may hold it.

## Why it matters
Lambda may be throttled after it has received a batch, and retries within the visibility timeout. When that ends too
early, the message is received again while it is still being worked on: it is processed twice, and every such receive
counts towards the dead-letter queue although nothing failed.

## How to fix
Set the queue's visibility timeout to at least six times the function's timeout plus the batching window of the mapping.
For a pipe that waits for its target, add up the run times of enrichment and target.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Option,
    Poll,
    Severity,
    at,
    certainly,
    possibly,
    rule,
    set_number,
)


@rule(
    id="visibility-below-six-timeouts",
    code=101,
    category=Category.DUPLICATES,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
    yields_to=("visibility-below-timeout",),
    fixable=True,
    factor=Option(6, "how many function timeouts the queue must outlast"),
)
def check(graph: Graph, factor: int) -> Iterator[Finding]:
    """Compare each polled queue with the function behind it."""
    for poll in graph.polls("sqs.queue", "lambda.function"):
        if not certainly(graph.active(poll)):
            continue
        hidden = poll.source.number("visibility_timeout")
        window = poll.via.number("window")
        if poll.via.kind.name == "pipes.pipe" and possibly(window > 0):
            # A pipe that waits for a batch sets the visibility itself, whatever the queue says.
            continue
        steps = graph.waited_for(poll)
        if steps is None:
            continue
        needed = window
        for function in steps:
            needed = needed + factor * function.number("timeout")
        if certainly(hidden < needed):
            yield Finding(
                f"hidden for {hidden} s, but its consumer may need {needed} s",
                primary=at(poll.source, f"hidden for {hidden} s", "visibility_timeout"),
                trail=(
                    at(poll.via, f"waits up to {window} s to fill a batch", "window"),
                    *(at(function, f"runs up to {function.number('timeout')} s", "timeout") for function in steps),
                ),
                fix=set_number(poll.source, "visibility_timeout", needed, " s"),
            )
