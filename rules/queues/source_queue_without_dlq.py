"""A queue that is consumed has no dead-letter queue.

## Why it matters
A message that always fails is received again and again until its retention ends, and is then deleted without a trace.

## How to fix
Give the queue a redrive policy: a dead-letter queue of the same type with a retention of 14 days, and `maxReceiveCount`
of 5 or more. Watch the dead-letter queue with an alarm.

A dead-letter queue or another failure queue needs none of its own. What a subscription, a function or a mapping calls
its dead-letter queue does not count for the messages of this queue.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from hoplint.api import Absent, Category, Finding, Fix, Graph, Iterator, Missing, Poll, Severity, at, consumers, rule


@rule(
    id="source-queue-without-dlq",
    code=104,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for a redrive policy on each queue that something takes messages from."""
    for queue, poll in consumers.consumed(graph):
        answer = consumers.dead_letter_queue(graph, queue)
        # Where failures end there is nothing behind it: a queue that is itself a failure queue needs none.
        if isinstance(answer, Absent) and isinstance(consumers.failure_queue(graph, queue), Absent):
            yield Missing(
                "a message that always fails is received until it expires, and then it is gone",
                at(queue, "no redrive policy", "redrive_policy"),
                answer,
                trail=(at(poll.via, "takes the messages"), at(poll.consumer, "works on them")),
                hop=poll,
                fix=Fix("give it a redrive policy to a dead-letter queue that an alarm watches"),
            )
