"""Two consumers take messages from one queue.

## Why it matters
Each message goes to one of them, whichever comes first. If they filter, each deletes what does not pass its own filter,
and with it what the other one waited for.

## How to fix
Give each consumer its own queue, and let a topic or an event bus send to both. Consumers that are alike are one
function with a higher concurrency.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
"""

from hoplint.api import Category, Finding, Fix, Graph, Iterator, Poll, Severity, at, certainly, consumers, rule


@rule(
    id="competing-consumers",
    code=116,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for queues that more than one enabled mapping or pipe takes messages from."""
    for queue in graph.each(graph.of("sqs.queue")):
        taking = [poll for poll in consumers.polls_of(graph, queue) if certainly(graph.active(poll))]
        if len(taking) < 2:
            continue
        differ = len({consumers.filters(poll.via) for poll in taking} - {None}) > 1
        yield Finding(
            f"{len(taking)} consumers take messages from one queue: each message reaches one, and its filter alone",
            primary=at(queue, "gives each message once"),
            trail=tuple(at(poll.via, "takes some of them", "filters") for poll in taking),
            severity=Severity.ERROR if differ else None,
            fix=Fix("give each consumer its own queue, and fan out with a topic or a bus"),
        )
