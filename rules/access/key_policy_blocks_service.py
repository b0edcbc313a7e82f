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

from hoplint.api import Category, Finding, Graph, Iterator, Missing, Severity, at, keys, rule


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
        word = "queue" if writer.to.kind.name == "sqs.queue" else "topic"
        actions = " and ".join(barred.actions)
        why = ", since EventBridge carries no source there" if barred.by_source else ""
        owner = next((policy.owner for policy in barred.policies if policy.owner is not None), key)
        yield Missing(
            f"the key's policy does not let {writer.service} do {actions} for {writer.to.address}{why}",
            at(owner, f"does not admit {writer.service}", "policy"),
            barred.answer,
            trail=(
                at(writer.source, f"writes as {writer.service}"),
                *((at(writer.via, f"names the {word}"),) if writer.via is not writer.source else ()),
                at(writer.to, "is encrypted with the key", "kms_key"),
                *((at(key, "is the key"),) if owner is not key else ()),
            ),
            hop=writer.hop,
            about=(writer.to,),
        )
