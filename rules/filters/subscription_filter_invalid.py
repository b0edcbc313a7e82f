"""A subscription's filter policy is written in a way that SNS refuses, or that no message can match.

## Why it matters
The subscription is refused when it is deployed, or nothing is delivered to it.

## How to fix
Keep to five keys and 150 combinations of their values, put every value into an array, and use the operators that filter
policies have. What needs more is sorted out behind the subscription, or published to a topic of its own.

## References
- https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, feeds, rule


@rule(
    id="subscription-filter-invalid",
    code=515,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("sns.subscription",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Check each filter policy against SNS's grammar and limits."""
    for subscription in feeds.subscriptions(graph):
        problems = [one for one in subscription.problems() if one.kind in feeds.GRAMMAR or one.kind == "limit"]
        found = feeds.worst(problems)
        if found is not None:
            first, others = found
            yield Finding(
                f"the policy is refused or never matches: {first.message}",
                primary=subscription.place(first.message, first.site),
                trail=tuple(subscription.place(problem.message, problem.site) for problem in others),
                severity=Severity(first.severity),
            )
