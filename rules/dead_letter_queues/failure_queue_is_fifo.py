"""Failures are to go to a FIFO queue or topic, which this source cannot send to.

## Why it matters
Lambda, EventBridge, Scheduler and stream pipes send failures to standard queues and topics only. A FIFO one is
refused, or is accepted and the failure is lost at the very moment it should be kept.

## How to fix
Name a standard queue or topic. Order means little among failures.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
- https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-error-troubleshooting.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, certainly, failures, rule

KINDS = {
    "events.target": "EventBridge",
    "scheduler.schedule": "Scheduler",
    "lambda.function": "Lambda",
    "lambda.invoke_config": "Lambda",
    "lambda.event_source_mapping": "Lambda",
    "pipes.pipe": "a pipe",
}


@rule(
    id="failure-queue-is-fifo",
    code=208,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=tuple(KINDS),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at the type of each failure destination."""
    for end in failures.destinations(graph, *KINDS):
        if end.by.kind.name == "lambda.event_source_mapping" and graph.ends(end.by, "source", "sqs.queue"):
            # A mapping of a queue never uses its destination, whatever it is.
            continue
        if certainly(end.fifo):
            what = "topic" if end.target is not None and end.target.kind.name == "sns.topic" else "queue"
            yield Finding(
                f"{KINDS[end.by.kind.name]} sends failures to standard queues and topics only, and {end.shown} is FIFO",
                primary=at(end.by, f"names a FIFO {what}", end.setting),
                trail=(at(end.target, "is FIFO", "fifo"),) if end.target is not None else (),
            )
