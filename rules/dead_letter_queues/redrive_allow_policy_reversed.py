"""A redrive allow policy sits on the source queue and names its own dead-letter queue as a source.

## Why it matters
The policy belongs on the dead-letter queue and lists the queues that may use it. On the source it does nothing, and
the dead-letter queue stays open to every queue of the account.

## How to fix
Move it to the dead-letter queue and list the source there. In Terraform use `aws_sqs_queue_redrive_allow_policy`,
since two queues that refer to each other in their own arguments are a circle.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Redrive, Severity, at, certainly, consumers, failures, rule


@rule(
    id="redrive-allow-policy-reversed",
    code=212,
    category=Category.REJECTED,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Redrive,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for its own dead-letter queue in the redrive allow policy of each source."""
    for redrive in graph.each(graph.hops(Redrive)):
        source, dlq = redrive.source, redrive.to
        if source.elsewhere or source is dlq:
            continue
        allowance = failures.allowance(source)
        if allowance is None or not certainly(failures.lists(allowance.sources, dlq)):
            continue
        if any(hop.to is source and consumers.there(hop) for hop in graph.out_of(dlq, Redrive)):
            # The two hand their failures to each other: the policy is right, and the circle is another fault.
            continue
        yield Finding(
            f"lists its own dead-letter queue {dlq.address} as a queue that may send failures here",
            primary=at(source, "belongs on the dead-letter queue", "redrive_allow_policy"),
            trail=(at(source, "sends its failures there", "redrive_policy"), at(dlq, "may be used by any queue")),
            hop=redrive,
        )
