"""Failures are to go to a queue in another Region or account.

## Why it matters
SQS wants a dead-letter queue in the account and Region of its source, SNS in those of the subscription, EventBridge
in the Region of the rule. Elsewhere it is refused, or the failures are lost when they should be kept.

## How to fix
Put the queue beside what fails. To gather failures in one place, forward them from there.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
"""

from hoplint.api import (
    NO,
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Ref,
    Resource,
    Severity,
    Value,
    at,
    certainly,
    failures,
    rule,
    settle,
)

PLACES = {True: "Region", False: "account"}
WORDS = {"sqs.queue": "the queue", "sns.subscription": "its topic", "events.target": "its rule"}


@rule(
    id="dlq-elsewhere",
    code=204,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sqs.queue", "sns.subscription", "events.target"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare Region and account of each failure queue with what sends its failures there."""
    for end in failures.destinations(graph, "sqs.queue", "sns.subscription", "events.target"):
        mine = home(graph, end.by)
        if mine is None:
            continue
        region = failures.regions_apart(mine, end.value) | failures.set_apart(end.by, end.target)
        account = failures.accounts_apart(mine, end.value)
        if end.by.kind.name == "events.target":
            # EventBridge may write to the queue of another account.
            account = NO
        if certainly(region | account):
            where = PLACES[region.certain]
            other: tuple[At, ...] = (at(end.target, f"is in another {where}"),) if end.target is not None else ()
            yield Finding(
                f"failures are to go to {end.shown}, in another {where} than {WORDS[end.by.kind.name]}",
                primary=at(end.by, f"names a queue in another {where}", end.setting),
                trail=other,
            )


def home(graph: Graph, by: Resource) -> Value | None:
    """The ARN of what fails, or of what stands where it does."""
    if by.kind.name == "sqs.queue":
        return Ref(by, "arn")
    if by.kind.name == "sns.subscription":
        return settle(by.raw("topic"))
    rules = graph.ends(by, "rule", "events.rule")
    return Ref(rules[0], "arn") if rules else None

