"""A function that only a queue or stream feeds has a dead-letter queue or failure destination of its own.

## Why it matters
What a function says about failures is for asynchronous invocations only. Failed messages of a queue or stream never go
there, and the queue or stream says nothing itself: they are tried until they expire, and lost.

## How to fix
Give the queue a redrive policy, or the stream's mapping a failure destination, and remove the function's own.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Fix,
    Grant,
    Graph,
    Invoke,
    Iterator,
    Missing,
    Poll,
    Push,
    Severity,
    at,
    certainly,
    consumers,
    rule,
    ways_back,
)


@rule(
    id="function-dlq-ignored",
    code=113,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare what each function says about failures with what feeds it."""
    for poll in graph.each(graph.hops(Poll)):
        function = poll.to
        if consumers.is_pipe(poll) or not certainly(graph.active(poll)) or consumers.failures_kept(graph, poll):
            continue
        for ignored in ways_back.failure_settings(graph, function):
            # A permission says that somebody else invokes it, perhaps asynchronously; so does who names it in a policy.
            others = graph.into(function, Push, Invoke, Grant)
            answer = graph.answer(function, others, ways_back.uncertain_callers(graph, function))
            if isinstance(answer, Absent):
                yield Missing(
                    "is for asynchronous invocations, but the function is only fed by polling: what fails there never "
                    "comes here",
                    ignored,
                    answer,
                    trail=(
                        at(poll.source, "says nothing about failures", "redrive_policy"),
                        at(poll.via, "nor does this", "on_failure"),
                        at(function, "fails"),
                    ),
                    hop=poll,
                    fix=Fix("let the queue's redrive policy, or the stream's mapping, say where failures go"),
                )
