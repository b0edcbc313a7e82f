"""A filter looks at a field that the records of its source do not have.

## Why it matters
A filter on a field that is never there matches nothing: records of a stream are passed over, messages of a queue are
deleted, and neither is retried or kept anywhere.

## How to fix
Begin the filter with the key under which this source puts its data: `body` for a queue, `data` for a Kinesis stream or
a message broker, `dynamodb` (or `eventName`) for a table's stream, `value` for a Kafka topic.

A field that records do have, and that AWS documents no filtering on, is a warning: filter on the data, or sort the
records out in the consumer.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
- https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-event-filtering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, doubt, feeds, rule


@rule(
    id="filter-unknown-key",
    code=503,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look up the root keys of each filter among the fields of its source's records."""
    for filters in feeds.filtered(graph):
        if not filters.sure:
            doubt(f"what {filters.via.address} takes its records from is not known", filters.via, filters.via.head)
            continue
        for number, pattern in enumerate(filters.patterns):
            found = feeds.worst(feeds.root_problems(pattern, filters))
            if found is None:
                continue
            first, others = found
            yield Finding(
                first.message,
                primary=filters.place("no filter works on it", number, first.site),
                trail=filters.steps(others, number),
                severity=Severity(first.severity),
            )
