"""A mapping or pipe has more filters, or more combinations of conditions, than AWS takes.

## Why it matters
Five filters are the limit; a quota increase for the account allows ten. Beyond that the deployment is refused.

## How to fix
Join filters that differ in one field only: the values of one array are alternatives, `["created", "changed"]`. Or ask
for an increase of the quota, and note here that there is one.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-event-filtering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, feeds, rule

USUAL, MOST = 5, 10


@rule(
    id="too-many-filters",
    code=505,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Count the filters of each mapping and pipe, and the combinations that each makes."""
    for filters in feeds.filtered(graph):
        count = len(filters.patterns)
        if count > USUAL:
            yield Finding(
                f"it has {count} filters: the usual quota is 5, and none allows more than 10",
                primary=at(filters.via, f"{count} filters", "filters"),
                severity=Severity.ERROR if count > MOST else Severity.WARNING,
            )
        for number, problems in filters.problems():
            for problem in problems:
                if problem.kind == "limit":
                    yield Finding(
                        f"the filter is refused: {problem.message}",
                        primary=filters.place(problem.message, number, problem.site),
                    )
