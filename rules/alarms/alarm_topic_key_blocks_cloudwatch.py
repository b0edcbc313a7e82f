"""CloudWatch may not use the key of the topic that alarms are sent to.

## Why it matters
The alarm goes off, CloudWatch cannot encrypt the message, and nobody is told: the only trace is in the alarm's
history. AWS's own key `alias/aws/sns` can never be opened to CloudWatch.

## How to fix
Encrypt the topic with a key of your own whose policy lets `cloudwatch.amazonaws.com` do `kms:Decrypt` and
`kms:GenerateDataKey*`.

## References
- https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Notify, Severity, alarms, at, keys, rule


@rule(
    id="alarm-topic-key-blocks-cloudwatch",
    code=305,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Notify,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the key of each topic that alarms are sent to."""
    for topic in graph.each(alarms.topics(graph)):
        senders = alarms.senders(graph, topic)
        if not senders or topic.elsewhere:
            continue
        encrypted = keys.encryption(graph, topic)
        if encrypted is None:
            continue
        trail = (at(senders[0].source, "is sent there", "alarm_actions"),)
        if encrypted.managed:
            yield Finding(
                f"encrypted with {encrypted.managed}, which CloudWatch cannot use: "
                f"{senders[0].source.address} reaches nobody",
                primary=at(topic, "cannot be opened to CloudWatch", "kms_key"),
                trail=trail,
                hop=senders[0],
            )
        elif encrypted.key is not None:
            barred = keys.bars_service(graph, encrypted.key, keys.Writer(senders[0], alarms.CLOUDWATCH))
            if barred is not None:
                policies: tuple[At, ...] = tuple(
                    at(policy.owner, f"does not let CloudWatch do {barred.actions[0]}", "policy")
                    for policy in barred.policies
                    if policy.owner is not None
                )
                yield Finding(
                    f"its key {encrypted.key.address} does not admit {alarms.CLOUDWATCH}: "
                    f"{senders[0].source.address} reaches nobody",
                    primary=at(topic, "encrypted with a key that bars CloudWatch", "kms_key"),
                    trail=(*trail, *(policies or (at(encrypted.key, "has no policy for CloudWatch"),))),
                    confidence=barred.answer.confidence,
                    hop=senders[0],
                )
