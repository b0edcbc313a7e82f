"""A batch workflow is watched only through failed executions, and it succeeds when records fail.

## Why it matters
The workflow reports what failed in `batchItemFailures` and ends well, so that `ExecutionsFailed` stays at 0. The
failed records go back to the queue, and at last to its dead-letter queue.

## How to fix
Alarm on the depth of the source's dead-letter queue as well.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html
- https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Missing,
    Poll,
    Redrive,
    Resource,
    Severity,
    Tier,
    Value,
    alarms,
    at,
    certainly,
    consumers,
    document,
    embedded,
    rule,
)

REPORT = "batchItemFailures"


@rule(
    id="batch-workflow-alarm-blind",
    code=314,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    tier=Tier.PEDANTIC,
    since="0.1",
    asks=("states.machine",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at who watches each Express workflow that reports failed records."""
    hops = (hop for hop in graph.hops(Poll) if hop.to.kind.name == "states.machine")
    for poll in graph.each(hops):
        machine, queue = poll.to, poll.source
        if queue.kind.name != "sqs.queue" or not certainly(graph.active(poll)) or not reports(machine):
            continue
        if machine.string("type") != "EXPRESS" or poll.via.string("machine_invocation") != "REQUEST_RESPONSE":
            continue
        watched = [hop for hop in graph.watches(machine, {"ExecutionsFailed"}) if consumers.there(hop)]
        if not watched:
            continue
        dlqs = [hop.to for hop in graph.out_of(queue, Redrive) if consumers.there(hop)]
        answers = [
            graph.answer(dlq, graph.watches(dlq, set(alarms.DEPTH)), graph.uncertain_watches(dlq)) for dlq in dlqs
        ]
        absent = next((answer for answer in answers if isinstance(answer, Absent)), None)
        if absent is None or not all(isinstance(answer, Absent) for answer in answers):
            continue
        yield Missing(
            f"watched through ExecutionsFailed alone, which stays at 0: failed records end in {dlqs[0].address} unseen",
            at(machine, "reports failed records and succeeds"),
            absent,
            trail=(
                at(poll.via, "waits for it, and sends failed records back"),
                at(watched[0].via, "watches failed executions only"),
                at(dlqs[0], "takes the failed records, and no alarm watches its depth"),
            ),
            hop=poll,
        )


def reports(machine: Resource) -> bool:
    """Whether a definition certainly speaks of failed records in its output."""
    found: list[bool] = []

    def visit(path: tuple[str | int, ...], value: Value) -> None:
        text = value.data if isinstance(value, Known) else None
        if any(str(step).removesuffix(".$") == REPORT for step in path) or (isinstance(text, str) and REPORT in text):
            found.append(True)

    embedded.walk(document(machine.get("definition")), visit)
    return bool(found)
