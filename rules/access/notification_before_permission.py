"""A bucket's notification does not wait for the policy or permission that it needs.

## Why it matters
Now and then the deployment fails: S3 tries each destination out when the notification is written, and Terraform may
write it before the policy of the queue or topic, or the permission of the function, is there.

## How to fix
Name the policy or permission in the notification's `depends_on`; from another module, the module call.

CloudFormation has the same trap, and orders by references; there S3's own error tells of it.

## References
- https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
- https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/s3_bucket_notification
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Push,
    Severity,
    at,
    doubt,
    order,
    permissions,
    rule,
    senders,
)


@rule(
    id="notification-before-permission",
    code=417,
    category=Category.REJECTED,
    severity=Severity.WARNING,
    since="0.1",
    asks=("s3.notification",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for each notification's way to what admits S3 to its target."""
    pushes = (hop for hop in graph.hops(Push) if isinstance(hop, Push) and hop.source.kind.name == "s3.bucket")
    for push in graph.each(pushes):
        notification = push.via.parent
        # A plan does not tell what waits for what.
        if notification is None or push.via.stack.dialect != "terraform":
            continue
        function = push.to.kind.name == "lambda.function"
        admitting = permissions.admits(graph, push) if function else senders.admits(graph, push)
        # What is written on the queue itself is there with it.
        separate = [one for one in admitting if one.parent is None]
        if not separate or len(separate) < len(admitting):
            continue
        blocks, readable = order.waits(notification)
        if not readable:
            doubt(f"what {notification.address} waits for is not read here", notification, notification.head)
            continue
        if any(order.block_of(one) in blocks for one in separate):
            continue
        home = order.module_of(notification)
        inner = [one for one in separate if order.module_of(one) == home]
        if not inner:
            doubt(f"a module may make {notification.address} wait", notification, notification.head)
            continue
        yield Finding(
            f"the notification does not wait for {inner[0].address}, without which S3 refuses it",
            primary=at(notification, "does not wait"),
            trail=(
                at(push.source, "tries each destination out"),
                at(push.via, "names the destination", "target"),
                at(inner[0], "admits S3"),
                at(push.to, "is the destination"),
            ),
            hop=push,
        )
