"""A redrive policy lacks its target, or says in a wrong way how often a message may be received.

## Why it matters
SQS wants the ARN of the dead-letter queue and a whole number from 1 to 1,000. Anything else is refused, or never
settles: Terraform compares `"5"` with the number that SQS stores, and changes the queue at every run.

## How to fix
Write `deadLetterTargetArn` with the ARN of a queue (not its URL or name), and `maxReceiveCount` as a number without
quotes, best 5.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Known,
    Resource,
    Severity,
    Value,
    certainly,
    failures,
    is_null,
    quantity,
    replace,
    rule,
)

LEAST, MOST = 1, 1_000


@rule(
    id="redrive-policy-malformed",
    code=207,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sqs.queue",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read each redrive policy as SQS does."""
    for queue in graph.each(graph.of("sqs.queue")):
        if queue.elsewhere:
            continue
        policy = failures.policy(queue, "redrive_policy")
        if not isinstance(policy, Known) or not isinstance(policy.data, dict):
            continue
        count, target = failures.item(policy, "maxReceiveCount"), failures.item(policy, "deadLetterTargetArn")
        if is_null(target) or (isinstance(target, Known) and target.data == ""):
            yield Finding("the redrive policy names no dead-letter queue", At(queue, "no target", "redrive_policy"))
            continue
        problem = wrong(queue, count)
        if problem is not None:
            what, fix = problem
            site = count.place_of_change or queue.site("redrive_policy")
            yield Finding(
                f"maxReceiveCount is {what}", primary=At(queue, what, "redrive_policy", site), fix=fix
            )


def wrong(queue: Resource, count: Value) -> tuple[str, Fix | None] | None:
    """What is wrong with a number of receives."""
    if is_null(count):
        return None
    number = quantity(count)
    if number is None:
        return "no number", None
    if certainly(number < LEAST) or certainly(number > MOST):
        return f"{number}, and must be {LEAST} to {MOST}", None
    if isinstance(count, Known) and isinstance(count.data, str) and queue.stack.family == "terraform":
        # CloudFormation hands numbers on as they are meant, quoted or not.
        return f'the text "{count.data}", not a number', replace(count, count.data, "write it as a number")
    return None
