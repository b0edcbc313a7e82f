"""A queue or topic that an AWS service writes to is encrypted with a key of AWS's own.

## Why it matters
Nothing arrives: the policies of `alias/aws/sqs` and `alias/aws/sns` admit no service and cannot be changed.
EventBridge, SNS, S3 and CloudWatch deliver nothing there, and S3 refuses the notification.

## How to fix
Use a customer key whose policy lets the service do `kms:GenerateDataKey*` and `kms:Decrypt`, or for a queue the
encryption that SQS does by itself (`sqs_managed_sse_enabled`, which is on where nothing else is said).

A rule's target with a role of its own writes as that role and is no matter here.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
"""

from hoplint.api import Category, FailTo, Finding, Graph, Iterator, Notify, Push, Severity, at, keys, rule, steps


@rule(
    id="managed-key-blocks-service",
    code=413,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Push, FailTo, Notify),
    yields_to=("alarm-topic-key-blocks-cloudwatch",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the key of each queue and topic that a service writes to."""
    for writer in keys.writers(graph):
        found = keys.encryption(graph, writer.to)
        if found is None or not found.managed:
            continue
        yield Finding(
            f"{writer.service} cannot write to the {writer.word}: {found.managed} is AWS's own and admits no service",
            primary=at(writer.to, f"encrypted with {found.managed}", "kms_key"),
            trail=steps(
                writer.to, (writer.source, f"writes as {writer.service}"), (writer.via, f"names the {writer.word}")
            ),
            hop=writer.hop,
        )
