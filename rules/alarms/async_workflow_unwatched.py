"""A workflow takes over messages for good, and no alarm tells when it fails.

## Why it matters
Started with fire and forget, the workflow has the only copy of the message: the queue has deleted it, and its
dead-letter queue stays empty whatever happens. Failed executions show only in the metrics of the workflow, and in the
queue to which it sends what it has caught.

## How to fix
Alarm on `ExecutionsFailed` and `ExecutionsTimedOut` of the state machine, and on the depth of its error queue.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-error-troubleshooting.html
- https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
"""

from hoplint.api import (
    Absent,
    Category,
    FailTo,
    Finding,
    Graph,
    Hop,
    Iterator,
    Missing,
    Poll,
    Severity,
    alarms,
    at,
    certainly,
    consumers,
    failures,
    rule,
)

FAILED = {"ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"}


@rule(
    id="async-workflow-unwatched",
    code=315,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    since="0.1",
    asks=("states.machine",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for an alarm on each workflow that a pipe starts and forgets."""
    hops = (hop for hop in graph.hops(Poll) if hop.to.kind.name == "states.machine")
    for poll in graph.each(hops):
        machine = poll.to
        if machine.elsewhere or poll.source.kind.name != "sqs.queue" or not failures.forgets(poll):
            continue
        if not certainly(graph.active(poll)):
            continue
        answer = graph.answer(machine, graph.watches(machine, FAILED), graph.uncertain_watches(machine))
        if isinstance(answer, Absent):
            yield Missing(
                f"has the only copy of what {poll.via.address} took from {poll.source.address}, "
                "and no alarm tells when it fails",
                at(machine, "no alarm on failed or timed-out executions"),
                answer,
                trail=(at(poll.source, "forgets a message once it has started"), at(poll.via, "starts it and forgets")),
                hop=poll,
            )
        for caught in graph.out_of(machine, FailTo):
            if consumers.there(caught):
                yield from error_queue(graph, poll, caught)


def error_queue(graph: Graph, poll: Hop, caught: Hop) -> Iterator[Finding]:
    """Look for an alarm on the queue to which a workflow sends what it has caught."""
    queue = caught.to
    if queue.elsewhere or any(certainly(graph.active(taken)) for taken in graph.consumers(queue)):
        return
    blockers = [*graph.uncertain_watches(queue), *graph.loose_consumers(queue)]
    answer = graph.answer(queue, graph.watches(queue, set(alarms.SENT)), blockers)
    if isinstance(answer, Absent):
        yield Missing(
            f"what {caught.source.address} has caught ends here, and no alarm watches how much waits",
            at(queue, "no alarm on its depth"),
            answer,
            trail=(at(poll.via, "starts the workflow and forgets"), at(caught.via, "sends what it has caught")),
            hop=caught,
        )
