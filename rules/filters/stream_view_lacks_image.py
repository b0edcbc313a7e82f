"""A filter looks for an image of the item that the table's stream does not carry.

## Why it matters
The stream's view type decides what its records hold. A condition on an image that they lack never holds, and every
record is passed over.

## How to fix
Give the stream a view type with the image (`NEW_IMAGE`, `OLD_IMAGE` or `NEW_AND_OLD_IMAGES`), or filter on what the
records do have: `Keys` and `eventName`.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-dynamodb-table-streamspecification.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, feeds, rule


@rule(
    id="stream-view-lacks-image",
    code=507,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=feeds.FILTERING,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare the images that each filter wants with the view type of the stream."""
    for filters in feeds.filtered(graph):
        for number, pattern, verdict, view in feeds.starved_by_view(filters):
            assert filters.source is not None
            yield Finding(
                f"the filter matches no record: {verdict.why}",
                primary=filters.place("is not in the stream", number, pattern.site(verdict.path)),
                trail=(at(filters.source, f"streams {view}", "stream_view"),),
            )
