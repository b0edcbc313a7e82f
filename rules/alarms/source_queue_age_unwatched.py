"""No alarm watches how long the oldest message of a consumed queue has waited.

## Why it matters
When the consumer hangs, is throttled or is too slow, nothing fails and nothing reaches a dead-letter queue: messages
only grow older, until they expire.

## How to fix
Alarm on `ApproximateAgeOfOldestMessage` (Maximum) above the delay that you can bear.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Best_Practice_Recommended_Alarms_AWS_Services.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Missing,
    Poll,
    Resource,
    Severity,
    Tier,
    at,
    certainly,
    consumers,
    rule,
)

AGE = {"ApproximateAgeOfOldestMessage"}


@rule(
    id="source-queue-age-unwatched",
    code=312,
    category=Category.BLINDSPOT,
    severity=Severity.INFO,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for an alarm on the age of messages in each consumed queue."""
    first: dict[Resource, Hop] = {}
    for poll in consumers.of_queues(graph):
        queue = poll.source
        if queue.elsewhere or consumers.keeps_failures(graph, queue) or not certainly(graph.active(poll)):
            continue
        if first.setdefault(queue, poll) is not poll:
            continue
        answer = graph.answer(queue, graph.watches(queue, AGE), graph.uncertain_watches(queue))
        if isinstance(answer, Absent):
            yield Missing(
                f"nobody learns that {poll.via.address} falls behind: no alarm watches the age of its messages",
                at(queue, "no alarm on the age of its oldest message"),
                answer,
                trail=(at(poll.via, "takes its messages"),),
                hop=poll,
            )
