"""A rule waits for events of a bucket that sends none to EventBridge.

## Why it matters
A bucket tells EventBridge of its objects only where that is switched on. Until then the rule never fires, and nothing
fails that could be noticed.

## How to fix
Switch it on: `eventbridge = true` in the bucket's `aws_s3_bucket_notification`; in CloudFormation
`NotificationConfiguration: {EventBridgeConfiguration: {EventBridgeEnabled: true}}`, where an empty
`EventBridgeConfiguration` leaves it off; `eventBridgeEnabled: true` in CDK.

## References
- https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-event-notifications-eventbridge.html
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-s3-bucket-eventbridgeconfiguration.html
"""

from hoplint.api import Absent, Category, Finding, Fix, Graph, Iterator, Missing, Resource, Severity, buses, rule


@rule(
    id="bucket-events-off",
    code=512,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=("s3.bucket",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for the switch on each bucket whose object events a rule asks for."""
    first: dict[Resource, Resource] = {}
    for listener in buses.active(graph):
        for bucket in buses.buckets(graph, listener):
            answer, place = buses.delivers(graph, bucket)
            if isinstance(answer, Absent) and first.setdefault(bucket, listener.rule) is listener.rule:
                yield Missing(
                    f"it sends none of its events to EventBridge, so {listener.rule.address} never fires",
                    place,
                    answer,
                    trail=(listener.place("waits for its events", ("detail",)),),
                    fix=Fix("switch the bucket's delivery to EventBridge on"),
                )
