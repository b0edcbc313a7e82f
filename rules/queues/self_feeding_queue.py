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

import re

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Poll,
    Ref,
    Resource,
    Severity,
    at,
    certainly,
    consumers,
    names,
    roles,
    rule,
    settle,
)

SEND = re.compile(r"sqs:sendmessage(batch)?\*?$", re.IGNORECASE)


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
                trail=trail[:1],
            )
        elif consumer.kind.name == "lambda.function" and not consumer.elsewhere:
            for config in graph.of("lambda.invoke_config"):
                if (
                    consumer in graph.ends(config, "function", "lambda.function")
                    and consumers.there(config)
                    and _is(settle(config.raw("on_success")), queue)
                ):
                    yield Finding(
                        "what the function did well is sent to the queue that it consumes",
                        primary=at(config, "sends to its own source", "on_success"),
                        trail=trail,
                    )
            found = _may_send(graph, consumer, queue)
            if found is not None:
                yield Finding(
                    "the function's role names sqs:SendMessage on the queue that the function consumes",
                    primary=found,
                    trail=trail,
                    severity=Severity.WARNING,
                )


def _is(value: object, queue: Resource) -> bool:
    return isinstance(value, Ref) and value.target is queue


def _may_send(graph: Graph, function: Resource, queue: Resource) -> At | None:
    """The statement of the function's role that lets it send to a queue, both named."""
    for role in graph.ends(function, "role", "iam.role"):
        for policy in roles.policies_of(graph, role):
            if policy.owner is None or not consumers.there(policy.owner):
                continue
            for statement in policy.read()[0]:
                if statement.effect != "allow" or statement.actions is None or statement.resources is None:
                    continue
                # A wildcard says nothing about what the function does: it is a broad policy, not a loop.
                sends = any(
                    isinstance(action, Known) and SEND.match(str(action.data))
                    for action in map(settle, statement.actions.values)
                )
                if not sends:
                    continue
                for resource in statement.resources.values:
                    if names.same(resource, Ref(queue, "arn")).certain:
                        return At(policy.owner, "may send to it", "policy", statement.site)
    return None
