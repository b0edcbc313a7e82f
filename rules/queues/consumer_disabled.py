"""The consumer of a queue is switched off.

## Why it matters
Nothing takes the messages. They wait until their retention ends, and are then deleted.

## How to fix
Enable the mapping, or start the pipe. If it rests on purpose, see that nothing is sent meanwhile, or that the retention
is long enough.

A consumer that is kept for redriving a failure queue by hand is not reported.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-error-troubleshooting.html
"""

from hoplint.api import Absent, Category, Finding, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="consumer-disabled",
    code=118,
    category=Category.LOSS,
    severity=Severity.INFO,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for mappings that are disabled and pipes that are stopped, on queues that nothing else drains."""
    for poll in consumers.of_queues(graph):
        queue = poll.source
        if not certainly(~graph.active(poll)) or consumers.drained_otherwise(graph, poll):
            continue
        # Messages that failed may well rest until somebody has looked at them.
        if isinstance(consumers.failure_queue(graph, queue), Absent):
            yield Finding(
                "switched off: what is sent to the queue waits until it expires",
                primary=at(poll.via, "takes no messages", consumers.switch(poll)),
                trail=(at(queue, "fills up"), at(poll.consumer, "gets nothing")),
            )
