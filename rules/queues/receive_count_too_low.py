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
    NO,
    YES,
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Option,
    Poll,
    Quantity,
    Resource,
    Severity,
    Test,
    at,
    certainly,
    consumers,
    maybe,
    possibly,
    replace,
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
    spoken: dict[Resource, Poll] = {}
    for poll in consumers.of_queues(graph):
        queue = poll.source
        if queue.elsewhere or spoken.get(queue, poll) is not poll:
            continue
        receives = consumers.receives(queue)
        if receives is None or not possibly(receives.count < minimum) or not certainly(graph.active(poll)):
            continue
        least = minimum
        if consumers.is_pipe(poll):
            workflow = _waits_for_workflow(poll)
            if possibly(workflow) and certainly(receives.count >= min(minimum, WORKFLOW_MINIMUM)):
                continue
            least = minimum if not workflow.possible else min(minimum, WORKFLOW_MINIMUM)
        if certainly(receives.count < least):
            spoken[queue] = poll
            yield Finding(
                f"given up after {_times(receives.count)}, and throttling alone may use that up: allow {least}",
                primary=At(queue, f"at most {_times(receives.count)}", "redrive_policy", receives.site),
                trail=(at(poll.via, "takes the messages"), at(poll.consumer, "works on them")),
                fix=replace(
                    receives.value, str(least), f"set maxReceiveCount to {least}", shown=f"maxReceiveCount: {least}"
                ),
            )


def _times(count: Quantity) -> str:
    return f"{count} receive{'' if count.exact == 1 else 's'}"


def _waits_for_workflow(poll: Poll) -> Test:
    """Whether a pipe hands its messages to an Express workflow and waits for it."""
    if poll.consumer.kind.name not in ("states.machine", "elsewhere"):
        return NO
    invocation = poll.via.get("machine_invocation")
    if isinstance(invocation, Known) and invocation.data != "REQUEST_RESPONSE":
        return NO
    if poll.consumer.kind.name == "elsewhere":
        return maybe(f"what {poll.via.address} hands its messages to is not known")
    kind = poll.consumer.get("type")
    if not isinstance(kind, Known) or not isinstance(invocation, Known):
        return maybe(f"whether {poll.consumer.address} is an Express workflow that is waited for is not known")
    return YES if kind.data == "EXPRESS" else NO
