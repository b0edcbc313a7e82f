"""Filters that test different fields are alternatives, not conditions that all have to hold.

## Why it matters
A record needs to pass one filter only. Where one filter tests the type of a record and another one its state, each lets
through what the other one was meant to stop.

## How to fix
Write conditions that all have to hold into one filter. Filters beside it are for other records altogether.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, feeds, rule


@rule(
    id="filters-are-alternatives",
    code=518,
    category=Category.HYGIENE,
    severity=Severity.WARNING,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the fields that the filters of one mapping or pipe test."""
    for filters in feeds.filtered(graph):
        if feeds.disjoint(filters):
            first, second = filters.patterns
            yield Finding(
                f"a record passes if {feeds.listed(first)} fits or {feeds.listed(second)} does: "
                "filters are alternatives",
                primary=filters.whole("one is enough", second),
                trail=(filters.whole("the other way in", first),),
            )
