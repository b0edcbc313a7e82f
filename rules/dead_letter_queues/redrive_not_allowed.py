"""A dead-letter queue does not allow the queue that is to use it.

## Why it matters
The redrive allow policy of the dead-letter queue refuses the source: its redrive policy is refused, and failed
messages stay where they fail until they expire.

## How to fix
List the ARN of the source queue under `sourceQueueArns` (10 at most), or leave the policy out: without one, every
queue of the account and Region may use the dead-letter queue.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Redrive, Severity, at, certainly, failures, rule


@rule(
    id="redrive-not-allowed",
    code=206,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Redrive,),
    yields_to=("redrive-allow-policy-reversed",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look up each source in the redrive allow policy of its dead-letter queue."""
    for redrive in graph.each(graph.hops(Redrive)):
        source, dlq = redrive.source, redrive.to
        if dlq.elsewhere:
            continue
        allowance = failures.allowance(dlq)
        if allowance is None or allowance.permission == "allowAll":
            continue
        if allowance.permission == "denyAll":
            what = "allows no queue to use it"
        elif allowance.permission == "byQueue" and certainly(~failures.lists(allowance.sources, source)):
            what = "allows other queues only" if allowance.sources else "allows queues by name and lists none"
        else:
            continue
        yield Finding(
            f"{what}, but {source.address} has it as its dead-letter queue",
            primary=at(dlq, what, "redrive_allow_policy"),
            trail=(at(source, "is to send its failures there", "redrive_policy"),),
            hop=redrive,
        )
