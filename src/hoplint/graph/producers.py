"""Functions that send by themselves: what their environment hands them, and whether their role lets them send there."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph.cycles import references
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Poll
from hoplint.graph.needs import SENDS
from hoplint.graph.policy import Allowed, Request, decide, role_context
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.roles import Lack, holdings, lacks, role_of
from hoplint.graph.statements import DENY, Policy
from hoplint.model.inquiry import doubt, holds, settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown

HANDED = {"sqs.queue": ("url", "arn", "name"), "sns.topic": ("arn", "name"), "events.bus": ("arn", "name")}

# Who may do one of these with a queue, topic or bus is handed it for that.
_OTHERWISE = {
    "sqs.queue": (
        "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:PurgeQueue", "sqs:GetQueueUrl",
        "sqs:GetQueueAttributes", "sqs:SetQueueAttributes", "sqs:StartMessageMoveTask",
    ),
    "sns.topic": (
        "sns:Subscribe", "sns:Unsubscribe", "sns:ListSubscriptionsByTopic", "sns:GetTopicAttributes",
        "sns:SetTopicAttributes", "sns:ConfirmSubscription", "sns:AddPermission",
    ),
    "events.bus": (
        "events:PutRule", "events:PutTargets", "events:DescribeRule", "events:ListRules", "events:EnableRule",
        "events:DisableRule", "events:DescribeEventBus", "events:PutPermission", "events:StartReplay",
    ),
}  # fmt: skip


class Handed:
    """A function that is handed something that its role may not send to."""

    __slots__ = ("function", "target", "site", "lack")

    def __init__(self, function: Resource, target: Resource, site: Site, lack: Lack) -> None:
        self.function = function
        self.target = target
        self.site = site
        self.lack = lack


def barred(graph: Graph) -> Iterator[Handed]:
    """Every function whose role certainly may not send to what it is handed, in each scenario that matters."""
    shared = _shared(graph)
    for function in graph.each(one for one in graph.of("lambda.function") if not one.elsewhere):
        targets = dict(_handed(function))
        if not targets:
            continue
        role = role_of(graph, function)
        if role is None:
            continue
        for target, site in targets.items():
            if target.elsewhere or any(poll.to is function for poll in graph.out_of(target, Poll)):
                continue
            policies = holdings(graph, role).policies(function, role)
            if _otherwise(policies, role, target):
                continue
            if any(_assumes(policy) for policy in policies):
                doubt(f"{function.address} may take another role, or hand one on", function, function.head)
                continue
            if any(
                other is not function and _sends(graph, other, target) for other in shared.get((target, id(site)), ())
            ):
                # Settings that several functions have in common are written for those of them that send.
                continue
            lack = lacks(graph, role, SENDS[target.kind.name], Ref(target, "arn"), function, target)
            if lack is not None:
                yield Handed(function, target, site, lack)


def _handed(function: Resource) -> Iterator[tuple[Resource, Site]]:
    for ref, condition in references(function.raw("environment")):
        if ref.attribute in HANDED.get(ref.target.kind.name, ()) and holds(condition):
            yield ref.target, ref.site or function.head


def _shared(graph: Graph) -> dict[tuple[Resource, int], list[Resource]]:
    found: dict[tuple[Resource, int], list[Resource]] = {}
    for function in graph.of("lambda.function"):
        if not function.elsewhere:
            for ref, _ in references(function.raw("environment")):
                found.setdefault((ref.target, id(ref.site or function.head)), []).append(function)
    return found


def _sends(graph: Graph, function: Resource, target: Resource) -> bool:
    """Whether another function may send there, as far as that can be told."""
    role = role_of(graph, function)
    if role is None:
        return True
    actions = [one for one in SENDS[target.kind.name] if isinstance(one, str)]
    decision = decide(
        holdings(graph, role).policies(function), Request(role, actions[0], Ref(target, "arn"), role_context(role))
    )
    return isinstance(decision, Allowed | Open)


def _otherwise(policies: list[Policy], role: Resource, target: Resource) -> bool:
    """Whether a role may do something else with what it is handed, by a statement that means this very thing."""
    for action in _OTHERWISE[target.kind.name]:
        decision = decide(policies, Request(role, action, Ref(target, "arn"), role_context(role)))
        if isinstance(decision, Open):
            doubt(decision.blockers[0] if decision.blockers else f"what {role.address} may do", role, role.head)
            return True
        if isinstance(decision, Allowed) and decision.by is not None:
            resources = decision.by.resources.values if decision.by.resources is not None else []
            if not any(isinstance(one := settle(value), Known) and one.data == "*" for value in resources):
                return True
    return False


def _assumes(policy: Policy) -> bool:
    for statement in policy.read()[0]:
        if statement.effect != DENY and statement.actions is not None:
            if statement.actions.open:
                return True
            for value in statement.actions.values:
                value = settle(value)
                if isinstance(value, Unknown):
                    return True
                if isinstance(value, Known) and str(value.data).lower().startswith(("sts:", "iam:passrole")):
                    return True
    return False
