"""A function cannot say which messages of its batch failed.

## Why it matters
One failing message brings the whole batch back: the messages that were done are done again, and every one of them moves
towards the dead-letter queue. Where the handler returns `batchItemFailures` nevertheless, Lambda does not look at it
and deletes the failed messages with the others.

## How to fix
Set `ReportBatchItemFailures` in the function response types of the mapping, and let the handler return the ids of the
messages that failed (for a FIFO queue also of all behind the first of them).

A batch size of 1 needs neither. SAM's `SqsSubscription` has no setting for it: declare the queue, the subscription and
an `SQS` event instead.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Poll,
    Severity,
    at,
    certainly,
    consumers,
    doubt,
    reason,
    rule,
)


@rule(
    id="partial-batch-response-missing",
    code=103,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
    fixable=True,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at what each mapping on a queue lets its function answer."""
    for poll in consumers.mappings_of_queues(graph):
        mapping = poll.via
        types = mapping.items("response_types")
        if types is None or not certainly(graph.active(poll)):
            continue
        if any(isinstance(value, Known) and value.data == consumers.REPORT for value in types):
            continue
        unknown = next((value for value in types if not isinstance(value, Known)), None)
        if unknown is not None:
            doubt(reason(unknown), mapping, unknown.place_of_change)
            continue
        size = consumers.batch_size(poll)
        if certainly(size > 1):
            yield Finding(
                f"one failed message brings back its whole batch of up to {size}",
                primary=at(mapping, "takes no list of failed messages", "response_types"),
                trail=(
                    at(poll.source, "gives the messages"),
                    at(mapping, f"takes up to {size} at once", "batch_size"),
                    at(poll.consumer, "cannot say which of them failed"),
                ),
                fix=consumers.let_report(graph, mapping),
            )
