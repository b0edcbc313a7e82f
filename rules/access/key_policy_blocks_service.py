"""The key of a queue or topic does not admit the service that writes there.

## Why it matters
Nothing arrives: the service may send, and may not encrypt what it sends. A statement for the account's root covers the
roles of the account, never a service.

## How to fix
Let the key's policy allow the service's principal `kms:GenerateDataKey*` and `kms:Decrypt`. Where EventBridge writes
to an encrypted topic, leave the conditions on `aws:SourceArn`, `aws:SourceAccount` and `aws:SourceOrgID` out: SNS
does not support them there.

Only keys that are declared here are looked at. Writers with a role (functions, pipes, schedules) need the actions in
that role and are no matter here.

## References
- https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
- https://docs.aws.amazon.com/AmazonS3/latest/userguide/ways-to-add-notification-config-to-bucket.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Missing, Severity, at, keys, rule, steps


@rule(
    id="key-policy-blocks-service",
    code=414,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=("kms.key",),
    yields_to=("alarm-topic-key-blocks-cloudwatch",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policy of each declared key whether it admits who writes to what it encrypts."""
    for writer in keys.writers(graph):
        found = keys.encryption(graph, writer.to)
        if found is None or found.key is None:
            continue
        key = found.key
        barred = keys.bars_service(graph, key, writer)
        if barred is None:
            continue
        yield Missing(
            f"the key's policy does not let {writer.service} do {barred.named} for {writer.to.address}{barred.why}",
            at(barred.owner(key), f"does not admit {writer.service}", "policy"),
            barred.answer,
            trail=steps(
                barred.owner(key),
                (writer.source, f"writes as {writer.service}"),
                (writer.via, f"names the {writer.word}"),
                at(writer.to, "is encrypted with the key", "kms_key"),
                (key, "is the key"),
            ),
            hop=writer.hop,
            about=(writer.to,),
        )
