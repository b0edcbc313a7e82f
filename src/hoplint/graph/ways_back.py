"""Ways from a consumer back to its queue, and what else is written about a function's failures and callers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoplint.graph import consumers, names, roles
from hoplint.graph.cycles import DEPTH
from hoplint.graph.graph import Graph
from hoplint.model.embedded import document
from hoplint.model.finding import At
from hoplint.model.inquiry import certainly, possibly, settle
from hoplint.model.resource import Resource
from hoplint.model.value import Encoded, Known, Ref, Text, Unknown, Value, branches

_SEND = re.compile(r"sqs:sendmessage(batch)?\*?$", re.IGNORECASE)


def configs(graph: Graph, function: Resource) -> Iterator[Resource]:
    """The settings for asynchronous invocations that a function has in this scenario."""
    for config in graph.of("lambda.invoke_config"):
        if function in graph.ends(config, "function", "lambda.function") and consumers.there(config):
            yield config


def failure_settings(graph: Graph, function: Resource) -> list[At]:
    """Where a function says what is to become of asynchronous events that fail."""
    found = [At(function, "gets nothing", "dlq")] if certainly(function.has("dlq")) else []
    for config in configs(graph, function):
        if certainly(config.has("on_failure")):
            found.append(At(config, "gets nothing", "on_failure"))
    return found


def successes(graph: Graph, function: Resource, queue: Resource) -> Iterator[Resource]:
    """The settings that send what a function did well to a queue."""
    for config in configs(graph, function):
        value = settle(config.raw("on_success"))
        if isinstance(value, Ref) and value.target is queue:
            yield config


def named_send(graph: Graph, function: Resource, queue: Resource) -> At | None:
    """The statement that lets a function send to a queue, both named.

    A wildcard says nothing about what the function does: that is a broad policy, not a loop.
    """
    for role in graph.ends(function, "role", "iam.role"):
        for policy in roles.policies_of(graph, role):
            if policy.owner is None:
                continue
            for statement in policy.read()[0]:
                if statement.effect != "allow" or statement.actions is None or statement.resources is None:
                    continue
                actions = map(settle, statement.actions.values)
                if not any(isinstance(action, Known) and _SEND.match(str(action.data)) for action in actions):
                    continue
                for resource in statement.resources.values:
                    value = settle(resource)
                    if isinstance(value, Known) and value.data == "*":
                        continue
                    test = names.same(value, Ref(queue, "arn"))
                    # What is merely possible is recorded.
                    if possibly(test) and test.certain:
                        return At(policy.owner, "may send to it", "policy", statement.site)
    return None


# Where something could stand that invokes a function and cannot be read to the end.
_ELSEWHERE = ("target arn", "endpoint", "notification target", "schedule target", "lambda.permission", "pipe target")


def uncertain_callers(graph: Graph, function: Resource) -> Iterator[str]:
    """Why somebody might invoke a function asynchronously although no hop is seen."""
    yield from graph.loose_parts(function, *_ELSEWHERE)
    for policy in graph.of("iam.role_policy", "iam.policy", "iam.role"):
        if policy.elsewhere or not graph.joined(policy.stack, function.stack):
            continue
        setting = "inline_policies" if policy.kind.name == "iam.role" else "policy"
        if _may_name(document(policy.raw(setting)), function):
            yield f"{policy.address} names {function.address}, or may do so: it may be invoked from code"


def _may_name(value: Value, function: Resource, depth: int = 0) -> bool:
    """Whether something in a document is, or may be, the ARN of a function."""
    if depth > DEPTH:
        return True
    for branch, _ in branches(value):
        if isinstance(branch, Unknown):
            return True
        if isinstance(branch, Ref) and branch.target is function:
            return True
        if isinstance(branch, Text):
            first, *rest = branch.parts
            if isinstance(first, Unknown) or any(isinstance(p, Ref) and p.target is function for p in (first, *rest)):
                return True
        if isinstance(branch, Encoded) and _may_name(branch.tree, function, depth + 1):
            return True
        if isinstance(branch, Known) and isinstance(branch.data, list | dict):
            items = branch.data.values() if isinstance(branch.data, dict) else branch.data
            if any(_may_name(item, function, depth + 1) for item in items):
                return True
    return False
