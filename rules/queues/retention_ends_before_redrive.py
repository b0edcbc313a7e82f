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

from hoplint.api import (
    At,
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Poll,
    Resource,
    Severity,
    at,
    certainly,
    consumers,
    rule,
)


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
    spoken: dict[Resource, Poll] = {}
    for poll in consumers.of_queues(graph):
        queue = poll.source
        if queue.elsewhere or spoken.get(queue, poll) is not poll or not certainly(graph.active(poll)):
            continue
        receives, hidden = consumers.receives(queue), consumers.hidden(poll)
        if receives is None or hidden is None:
            continue
        retention = queue.number("retention")
        time = receives.count * hidden
        if certainly(time >= retention):
            spoken[queue] = poll
            setting = (poll.via, "window") if consumers.is_pipe(poll) and poll.via.written("window") else (
                queue, "visibility_timeout")
            yield Finding(
                f"{receives.count} receives take {time} s, but a message expires after {retention} s: "
                "none reaches the dead-letter queue",
                primary=at(queue, f"expires after {retention} s", "retention"),
                trail=(
                    at(setting[0], f"hidden for {hidden} s after each receive", setting[1]),
                    At(queue, f"given up after {receives.count} receives", "redrive_policy", receives.site),
                    at(poll.consumer, "fails"),
                ),
                fix=Fix(f"keep messages for longer than {time} s"),
            )
