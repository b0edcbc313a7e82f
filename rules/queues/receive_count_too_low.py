"""A message is given up after too few receives.

## Why it matters
A receive counts even if the function never ran: throttling, a cold dependency or a look at the queue in the console are
enough. Messages that nothing is wrong with end in the dead-letter queue.

## How to fix
Set `maxReceiveCount` to 5 or more in front of a Lambda mapping or a pipe. In front of a pipe that waits for an Express
workflow 3 may do.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Option,
    Poll,
    Severity,
    at,
    certainly,
    consumers,
    possibly,
    rule,
)

WORKFLOW_MINIMUM = 3


@rule(
    id="receive-count-too-low",
    code=105,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
    fixable=True,
    minimum=Option(5, "the fewest receives after which a message may be given up"),
)
def check(graph: Graph, minimum: int) -> Iterator[Finding]:
    """Compare the receives that each consumed queue allows with what its consumer needs."""
    for queue, poll in consumers.consumed(graph):
        receives = consumers.receives(queue)
        if receives is None:
            continue
        least = min(minimum, WORKFLOW_MINIMUM) if possibly(consumers.waits_for_express(poll)) else minimum
        if certainly(receives.count < least):
            yield Finding(
                f"given up after {receives.words}, and throttling alone may use that up: allow {least}",
                primary=At(queue, f"at most {receives.words}", "redrive_policy", receives.site),
                trail=(at(poll.via, "takes the messages"), at(poll.consumer, "works on them")),
                hop=poll,
                fix=receives.allow(least),
            )
