"""The policy of a topic does not let CloudWatch publish the alarms that are sent there.

## Why it matters
A policy that is written replaces AWS's default one, which admits the alarms of the account. The alarm goes off, SNS
refuses the message, and the only trace is in the alarm's history.

## How to fix
Add a statement: principal `cloudwatch.amazonaws.com`, action `sns:Publish`, resource the topic's ARN, confined with
`aws:SourceArn` or `aws:SourceAccount`.

## References
- https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
"""

from hoplint.api import Category, Finding, Graph, Hop, Iterator, Notify, Resource, Severity, alarms, at, rule


@rule(
    id="alarm-topic-policy-blocks-cloudwatch",
    code=306,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Notify,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask the policies of each topic that alarms are sent to."""
    first: dict[Resource, Hop] = {}
    hops = (hop for hop in graph.hops(Notify) if hop.to.kind.name == "sns.topic")
    for notify in graph.each(hops):
        topic = notify.to
        refused = alarms.refused_by(graph, notify)
        # One word for each topic, however many alarms it takes.
        if not refused or first.setdefault(topic, notify) is not notify:
            continue
        yield Finding(
            f"no statement lets {alarms.CLOUDWATCH} publish to {topic.address}: {notify.source.address} reaches nobody",
            primary=at(refused[0], "admits others only", "policy"),
            trail=(at(notify.source, "is sent there", "alarm_actions"), at(topic, "refuses it")),
            hop=notify,
            about=(topic,),
        )
