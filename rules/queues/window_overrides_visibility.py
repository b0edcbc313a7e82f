"""A pipe that waits for batches sets the visibility of messages itself.

## Why it matters
With a batching window the pipe hides what it received for seven and a half minutes and the window, whatever the queue's
visibility timeout says. A failed message comes back that late.

## How to fix
Remove the batching window if messages are to come back after the queue's visibility timeout. Otherwise reckon with the
pipe's own time, above all in what `maxReceiveCount` and retention add up to.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-error-troubleshooting.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Severity,
    Tier,
    at,
    certainly,
    consumers,
    rule,
)


@rule(
    id="window-overrides-visibility",
    code=119,
    category=Category.STALL,
    severity=Severity.WARNING,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("pipes.pipe",),
    yields_to=("visibility-below-sync-run",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the window of each pipe on a queue."""
    for poll in consumers.of_queues(graph):
        if not consumers.is_pipe(poll) or not certainly(graph.active(poll)):
            continue
        window = poll.via.number("window")
        if certainly(window > 0):
            real = window + consumers.PIPE_RUN
            yield Finding(
                f"a failed message comes back after {real} s, not after the queue's visibility timeout",
                primary=at(poll.via, f"waits up to {window} s to fill a batch", "window"),
                trail=(
                    at(poll.source, "its visibility timeout is not used", "visibility_timeout"),
                    at(poll.consumer, "works on the batch"),
                ),
            )
