"""A filter is written in a way that its consumer does not take.

## Why it matters
The mapping or pipe is refused, or it is accepted and the filter matches nothing: then every message is deleted.

## How to fix
Put every value into an array (`["INSERT"]`, not `"INSERT"`), use only the operators that the consumer knows, and put
`exists` on leaves only.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-event-filtering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, feeds, rule


@rule(
    id="filter-invalid",
    code=504,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Check each filter against the grammar of its consumer."""
    for filters in feeds.filtered(graph):
        for number, problems in filters.problems():
            # The other kinds of problems belong to rules of their own, as do the types of DynamoDB's records.
            found = feeds.worst([one for one in problems if one.kind in feeds.GRAMMAR and not feeds.about_types(one)])
            if found is None:
                continue
            first, others = found
            yield Finding(
                f"the filter is refused or never matches: {first.message}",
                primary=filters.place(first.message, number, first.site),
                trail=filters.steps(others, number),
                severity=Severity(first.severity),
            )
