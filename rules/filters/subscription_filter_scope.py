"""A subscription's filter policy is written for the other scope than it has.

## Why it matters
A policy looks at the message attributes unless its scope says `MessageBody`. With the wrong scope it is refused, or
nothing is ever delivered, which shows only in the metrics of filtered-out notifications.

## How to fix
Set the scope to `MessageBody` for a policy on the fields of the message. EventBridge, S3 and CloudWatch publish without
attributes, so that a policy on what they send needs it; a message that is no JSON can be filtered by attributes only.

## References
- https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering-scope.html
- https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, feeds, rule, set_text


@rule(
    id="subscription-filter-scope",
    code=514,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sns.subscription",),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare each filter policy with its scope, and with the form of what is known to be published."""
    for subscription in feeds.subscriptions(graph):
        nested = subscription.nested
        if nested is not None:
            yield Finding(
                f"the policy is refused: {nested.message}",
                primary=subscription.place("is nested", nested.site),
                trail=(subscription.scope,),
                fix=set_text(subscription.via, "filter_scope", "MessageBody"),
            )
            continue
        for loss, hop in subscription.misread(graph):
            yield Finding(
                loss.message,
                primary=subscription.place("matches none of them", loss.site),
                trail=(at(hop.source, "publishes"), subscription.scope),
            )
