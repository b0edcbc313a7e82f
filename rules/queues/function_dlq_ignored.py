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
    At,
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
    Resource,
    Severity,
    at,
    certainly,
    consumers,
    is_null,
    rule,
)

# Where something could stand that invokes the function and cannot be read to the end.
ELSEWHERE = ("target arn", "endpoint", "notification target", "schedule target", "lambda.permission", "pipe target")


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
        if consumers.is_pipe(poll) or function.kind.name != "lambda.function" or function.elsewhere:
            continue
        ignored = _ignored(graph, function)
        if not ignored or not certainly(graph.active(poll)):
            continue
        queue = poll.source.kind.name == "sqs.queue"
        if queue:
            if poll.source.elsewhere or not isinstance(consumers.dead_letter_queue(graph, poll.source), Absent):
                continue
        elif not is_null(poll.via.get("on_failure")):
            continue
        # A permission says that somebody else invokes it, perhaps asynchronously; so does who names it in a policy.
        others = graph.into(function, Push, Invoke, Grant)
        answer = graph.answer(
            function, others, [*graph.loose_parts(function, *ELSEWHERE), *consumers.named_by(graph, function)]
        )
        if isinstance(answer, Absent):
            yield Missing(
                f"is for asynchronous invocations, but only a {'queue' if queue else 'stream'} feeds the function: "
                "what fails there never comes here",
                ignored[0],
                answer,
                trail=(*_way(poll, queue), at(function, "fails"), *ignored[1:]),
                hop=poll,
                fix=Fix(
                    "give the queue a redrive policy instead" if queue
                    else "give the mapping a failure destination instead"
                ),
            )


def _way(poll: Poll, queue: bool) -> tuple[At, At]:
    if queue:
        return at(poll.source, "has no redrive policy", "redrive_policy"), at(poll.via, "hands the messages over")
    return at(poll.source, "gives the records"), at(poll.via, "has no failure destination", "on_failure")


def _ignored(graph: Graph, function: Resource) -> list[At]:
    """The places where a function says what is to become of failures."""
    found: list[At] = []
    if certainly(function.has("dlq")):
        found.append(at(function, "gets nothing", "dlq"))
    for config in graph.of("lambda.invoke_config"):
        mine = function in graph.ends(config, "function", "lambda.function") and consumers.there(config)
        if mine and certainly(config.has("on_failure")):
            found.append(at(config, "gets nothing", "on_failure"))
    return found
