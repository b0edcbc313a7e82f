"""A filter on a table's stream compares a value in another form than its records have.

## Why it matters
DynamoDB sends every value with its type, and numbers as strings: `{"Price": {"N": "12.50"}}`. A numeric comparison, or
a condition on the attribute itself, never holds, and the records are passed over without a word.

## How to fix
Go down to the type, and write numbers as strings: `{"dynamodb": {"NewImage": {"Status": {"N": ["3"]}}}}`. Ranges
of numbers cannot be filtered here: compare them in the consumer.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, feeds, rule


@rule(
    id="dynamodb-numeric-filter",
    code=506,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the conditions under `dynamodb` with the typed values of stream records."""
    for filters in feeds.filtered(graph):
        for number, why, site in feeds.mistyped(filters):
            yield Finding(
                f"the filter matches no record: {why}",
                primary=filters.place("never holds", number, site),
                trail=filters.steps([], number),
            )
