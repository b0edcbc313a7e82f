"""A consumer sends back to the queue that it consumes.

## Why it matters
Each message can make the next one. Lambda stops some loops after about 16 rounds, by sending the message to the
dead-letter queue; a loop through a pipe is not noticed, and is paid for until somebody is.

## How to fix
Send results to another queue. To try a message again later, let it fail: the visibility timeout brings it back, and the
redrive policy ends it. If the function sends to its own queue on purpose, count the rounds in the message and say so
where you ignore this.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule, ways_back


@rule(
    id="self-feeding-queue",
    code=123,
    category=Category.HYGIENE,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for ways from each consumer back to its queue."""
    for poll in consumers.of_queues(graph):
        queue, consumer = poll.source, poll.consumer
        if not certainly(graph.active(poll)):
            continue
        trail = (at(queue, "gives the messages"), at(poll.via, "takes them"), at(consumer, "works on them"))
        if consumer is queue:
            yield Finding(
                "the pipe sends each message back to the queue that it came from",
                primary=at(poll.via, "sends to its own source", "target"),
                trail=(at(queue, "gives the messages"),),
            )
        for config in ways_back.successes(graph, consumer, queue):
            yield Finding(
                "what the function did well is sent to the queue that it consumes",
                primary=at(config, "sends to its own source", "on_success"),
                trail=trail,
            )
        statement = ways_back.named_send(graph, consumer, queue) if consumer.kind.name == "lambda.function" else None
        if statement is not None:
            yield Finding(
                "the function's role names sqs:SendMessage on the queue that the function consumes",
                primary=statement,
                trail=trail,
                severity=Severity.WARNING,
            )
