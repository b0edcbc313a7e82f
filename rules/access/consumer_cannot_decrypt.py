"""A consumer's role may not decrypt what it is to read.

## Why it matters
Nothing is consumed, and nothing says why: Lambda does not poll a queue that it cannot decrypt, Scheduler does not
invoke.

## How to fix
Allow the role `kms:Decrypt` on the key, in one of its own policies if the key's policy lets the account decide, else in
the key's policy itself.

Only roles and keys are looked at that are declared here and can be read to the end; grants on the key count. Permission
boundaries, service control policies and session policies are outside.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html
- https://docs.aws.amazon.com/scheduler/latest/UserGuide/encryption-rest.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Missing,
    Poll,
    Resource,
    Severity,
    at,
    keys,
    roles,
    rule,
    steps,
)


@rule(
    id="consumer-cannot-decrypt",
    code=415,
    category=Category.STALL,
    severity=Severity.ERROR,
    since="0.1",
    asks=("kms.key",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Ask for each consumer of something encrypted, and for each encrypted schedule, whether its role may decrypt."""
    for poll in graph.each(hop for hop in graph.hops(Poll) if hop.source.kind.name in keys.MANAGED):
        user = poll.via if poll.via.kind.name == "pipes.pipe" else poll.to
        if not poll.source.elsewhere and not user.elsewhere:
            yield from _look(graph, poll, poll.source, user)
    for schedule in graph.each(graph.of("scheduler.schedule")):
        if not schedule.elsewhere:
            yield from _look(graph, schedule, schedule, schedule)


def _look(graph: Graph, subject: Hop | Resource, encrypted: Resource, user: Resource) -> Iterator[Finding]:
    found = keys.encryption(graph, encrypted)
    if found is None or found.key is None:
        return
    role = roles.role_of(graph, user)
    barred = keys.bars_role(graph, found.key, role, subject) if role is not None else None
    if role is None or barred is None:
        return
    yield Missing(
        f"the role of {user.address} may not decrypt with the key of {encrypted.address}",
        at(role, "may not kms:Decrypt"),
        barred.answer,
        trail=steps(
            role,
            at(encrypted, "is encrypted with the key", "kms_key"),
            (subject.via if isinstance(subject, Hop) else subject, "is to read it"),
            (user, "uses the role"),
            (found.key, "admits others only"),
        ),
        hop=subject,
    )
