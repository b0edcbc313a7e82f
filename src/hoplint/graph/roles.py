"""The policies of a role, wherever they are written: inside it, beside it, attached to it; and what they let it do.

Permission boundaries, service control policies and session policies are outside: they only ever take away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from hoplint.graph import managed_policies, names
from hoplint.graph.answers import Absent
from hoplint.graph.fold import elements
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Grant, Hop
from hoplint.graph.policy import Allowed, Denied, Request, decide, role_context
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.statements import IDENTITY, Policy, of_permission
from hoplint.model.condition import Condition, both, can_hold
from hoplint.model.inquiry import doubt, settle
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Unknown, Value, branches, is_null, reason


class Held:
    """A policy that a role has, who attaches it, and when."""

    __slots__ = ("policy", "by", "exists")

    def __init__(self, policy: Policy, by: Resource, exists: Condition) -> None:
        self.policy = policy
        self.by = by
        self.exists = exists


class Holdings:
    """All policies of a role, and why it may have others."""

    __slots__ = ("held", "blockers")

    def __init__(self) -> None:
        self.held: list[Held] = []
        self.blockers: list[str] = []

    def policies(self, *beside: Resource | Hop) -> list[Policy]:
        """The policies that can be there together with something else."""
        exists = [part.exists for thing in beside for part in _parts(thing)]
        return [held.policy for held in self.held if can_hold(held.exists, *exists)]


def _parts(thing: Resource | Hop) -> tuple[Resource, ...]:
    return thing.parts() if isinstance(thing, Hop) else (thing,)


class _Attached:
    """A policy and the value that says to which role it belongs."""

    __slots__ = ("role", "held")

    def __init__(self, role: Value, held: Held) -> None:
        self.role = role
        self.held = held


class _Index:
    """Everything that is attached to roles, by the role where that is certain."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.certain: dict[Resource, list[Held]] = {}
        self.open: list[_Attached] = []
        self.found: dict[Resource, Holdings] = {}
        for policy in graph.of("iam.role_policy", "iam.policy"):
            if not policy.elsewhere:
                name = "role" if policy.kind.name == "iam.role_policy" else "roles"
                self._enter(policy, policy.raw(name), [(Policy(policy.raw("policy"), IDENTITY, policy), policy.exists)])
        for attachment in graph.of("iam.attachment"):
            given = list(_attached(graph, attachment, attachment.raw("policy_arn")))
            for name in ("role", "roles"):
                self._enter(attachment, attachment.raw(name), given)

    def _enter(self, by: Resource, owners: Value, given: list[tuple[Policy, Condition]]) -> None:
        for owner, condition in elements(owners):
            if is_null(owner):
                continue
            for policy, exists in given:
                held = Held(policy, by, both(by.exists, condition, exists))
                if isinstance(owner, Ref) and not owner.target.elsewhere and owner.target.kind.name == "iam.role":
                    self.certain.setdefault(owner.target, []).append(held)
                else:
                    self.open.append(_Attached(owner, held))

    def of(self, role: Resource) -> Holdings:
        """The policies of a role."""
        found = self.found.get(role)
        if found is None:
            found = self.found[role] = self._collect(role)
        return found

    def _collect(self, role: Resource) -> Holdings:
        found = Holdings()
        for inline, condition in elements(role.raw("inline_policies")):
            if not isinstance(inline, Known):
                found.blockers.append(reason(inline) or f"the policies of {role.address} cannot be read")
            for key in ("policy", "PolicyDocument"):
                document = field(inline, key) if isinstance(inline, Known) else Known(None)
                if not is_null(document):
                    found.held.append(Held(Policy(document, IDENTITY, role), role, both(role.exists, condition)))
        for policy, condition in _attached(self.graph, role, role.raw("managed_policies")):
            found.held.append(Held(policy, role, both(role.exists, condition)))
        found.held.extend(self.certain.get(role, ()))
        for attached in self.open:
            if not self.graph.joined(attached.held.by.stack, role.stack):
                continue
            resolution = names.resolve(attached.role, [role])
            if resolution.certain is not None:
                found.held.append(attached.held)
            elif resolution.possible and can_hold(attached.held.exists, role.exists):
                found.blockers.append(resolution.why or f"{attached.held.by.address} may belong to {role.address}")
        return found


_indexes: WeakKeyDictionary[Graph, _Index] = WeakKeyDictionary()


def _attached(graph: Graph, by: Resource, value: Value) -> Iterator[tuple[Policy, Condition]]:
    """The policies that a list of ARNs means."""
    for item, condition in elements(value):
        if is_null(item):
            continue
        managed = managed_policies.lookup(item)
        if managed is not None:
            yield managed, condition
            continue
        own = names.resolve(item, graph.of("iam.policy")).certain
        if own is not None:
            yield Policy(own.raw("policy"), IDENTITY, own), both(condition, own.exists)
        else:
            why = reason(item) or f"{by.address} attaches a policy that is not declared here"
            yield Policy(Unknown(why, item.site), IDENTITY, by), condition


def holdings(graph: Graph, role: Resource) -> Holdings:
    """The policies of a role, and why it may have others."""
    index = _indexes.get(graph)
    if index is None:
        index = _indexes[graph] = _Index(graph)
    return index.of(role)


def policies_of(graph: Graph, role: Resource) -> Iterator[Policy]:
    """The policies of a role that are written in this run; AWS's managed ones are not among them."""
    for held in holdings(graph, role).held:
        if held.policy.owner is not None:
            yield held.policy


def role_of(graph: Graph, by: Resource, name: str = "role") -> Resource | None:
    """The role, declared in this run, that a resource uses in this scenario.

    None where it uses none; a role that is only named belongs to another stack, which is recorded as a doubt.
    """
    value = by.get(name)
    if is_null(value) or isinstance(value, Unknown):
        return None
    role = names.resolve(value, graph.of("iam.role")).certain
    if role is None or role.elsewhere:
        doubt(f"the role of {by.address} is another stack's, what it may do is not known here", by, by.site(name))
        return None
    return role


# --- may it? --------------------------------------------------------------------------------------------------------

_RESOURCE_POLICIES = {"sqs.queue": "sqs.queue_policy", "sns.topic": "sns.topic_policy"}


def resource_policies(graph: Graph, resource: Resource, beside: Hop | Resource) -> tuple[list[Policy], list[str]]:
    """The policies attached to what a role is to use, and why there may be others."""
    kind = resource.kind.name
    if kind in _RESOURCE_POLICIES:
        found = [
            Policy(grant.via.raw("policy"), owner=grant.via)
            for grant in graph.into(resource, Grant)
            if graph.together(beside, grant)
        ]
        return found, graph.loose_parts(resource, _RESOURCE_POLICIES[kind])
    if kind == "lambda.function":
        permissions = [grant.via for grant in graph.into(resource, Grant) if graph.together(beside, grant)]
        return [of_permission(one) for one in permissions], graph.loose_parts(resource, "lambda.permission")
    if kind == "events.bus":
        written = [
            Policy(policy.raw("policy"), owner=policy)
            for policy in graph.of("events.bus_policy")
            if graph.joined(policy.stack, resource.stack) and not is_null(policy.raw("policy"))
        ]
        return written, []
    return [], []


class Lack:
    """What a role certainly may not do that it has to: the actions, on what, and the proof that nobody allows it."""

    __slots__ = ("role", "actions", "answer", "owners")

    def __init__(self, role: Resource, actions: tuple[str, ...], answer: Absent, owners: list[Resource]) -> None:
        self.role = role
        self.actions = actions
        self.answer = answer
        self.owners = owners

    @property
    def named(self) -> str:
        """The actions in words."""
        return " and ".join(self.actions) if len(self.actions) < 3 else f"{', '.join(self.actions[:-1])} and {self.actions[-1]}"


Alternatives = str | tuple[str, ...]
"""An action, or several of which each will do."""


def lacks(
    graph: Graph,
    role: Resource,
    actions: Iterable[Alternatives],
    resource: Value,
    beside: Hop | Resource,
    target: Resource | None = None,
) -> Lack | None:
    """Which of some actions a role certainly may not do on a resource; None where it may, or that cannot be told.

    What cannot be told is recorded as a doubt.
    """
    own = holdings(graph, role)
    policies, blockers = own.policies(beside, role), list(own.blockers)
    if target is not None:
        others, unsure = resource_policies(graph, target, beside)
        policies += others
        blockers += unsure
    missing: list[str] = []
    for one in actions:
        choices = (one,) if isinstance(one, str) else one
        verdict = _best(policies, role, choices, resource)
        if verdict is False:
            missing.append(choices[0])
        elif verdict is not None:
            doubt(verdict, role, role.head)
            return None
    if not missing:
        return None
    answer = graph.answer(role, (), blockers)
    if not isinstance(answer, Absent):
        return None
    owners = [policy.owner for policy in own.policies(beside, role) if policy.owner is not None]
    return Lack(role, tuple(missing), answer, list(dict.fromkeys(owners)))


def _best(policies: list[Policy], role: Resource, actions: tuple[str, ...], resource: Value) -> str | bool | None:
    """None where one of the actions is allowed or denied on purpose, a reason where it may be, False where none is."""
    unsure: str | None = None
    for action in actions:
        decision = decide(policies, Request(role, action, resource, role_context(role)))
        if isinstance(decision, Allowed) or (isinstance(decision, Denied) and decision.by is not None):
            # An explicit denial is written on purpose.
            return None
        if isinstance(decision, Open):
            unsure = unsure or (decision.blockers[0] if decision.blockers else f"what {role.address} may do")
    return unsure if unsure is not None else False


def means(value: Value, candidates: Iterable[Resource]) -> Resource | None:
    """The resource that a value certainly names."""
    return names.resolve(settle(value), candidates).certain


def leaves(value: Value) -> Iterator[tuple[Value, Condition]]:
    """The values that a setting can have, lists taken apart."""
    for branch, condition in branches(value):
        yield from ((item, both(condition, inner)) for item, inner in elements(branch))
