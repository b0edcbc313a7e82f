"""A message expires before it has been received often enough to go to the dead-letter queue.

## Why it matters
Between two receives lies the visibility timeout. When all of them together take longer than the retention, a message
that always fails is deleted by its queue, and the dead-letter queue never sees it.

## How to fix
Raise the queue's retention (up to 14 days), or lower `maxReceiveCount` or the visibility timeout, so that receives
times visibility stays well below the retention.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import At, Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="retention-ends-before-redrive",
    code=117,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the time to the dead-letter queue with the retention of each consumed queue."""
    for queue, poll in consumers.consumed(graph):
        time, receives = consumers.time_to_failure_queue(poll), consumers.receives(queue)
        retention = queue.number("retention")
        if time is None or receives is None or not certainly(time >= retention):
            continue
        hider, setting = consumers.hider(poll)
        yield Finding(
            f"{receives.words} take {time} s, but a message expires after {retention} s: "
            "none reaches the dead-letter queue",
            primary=at(queue, f"expires after {retention} s", "retention"),
            trail=(
                at(hider, f"hidden for {consumers.hidden(poll)} s after each receive", setting),
                At(queue, f"given up after {receives.words}", "redrive_policy", receives.site),
                at(poll.consumer, "fails"),
            ),
            hop=poll,
            fix=Fix(f"keep messages for longer than {time} s"),
        )
