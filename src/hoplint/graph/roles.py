"""The policies of a role, wherever they are written: inside it, beside it, attached to it; and what they let it do.

Permission boundaries, service control policies and session policies are outside: they only ever take away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from hoplint.graph import actions, managed_policies, names
from hoplint.graph.answers import Absent
from hoplint.graph.conditions import with_variables
from hoplint.graph.fold import elements
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Grant, Hop
from hoplint.graph.policy import Allowed, Denied, Request, Service, decide, role_context, service_context
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.statements import ALLOW, IDENTITY, TRUST, Policy, Statement, of_permission
from hoplint.graph.statements import Condition as Asked
from hoplint.model.condition import Condition, both, can_hold
from hoplint.model.inquiry import doubt, holds, settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Unknown, Value, branches, is_null, reason, text_parts


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
    """The policies of a role that are written in this run and that it has in the scenario being looked at."""
    for held in holdings(graph, role).held:
        if held.policy.owner is not None and holds(held.exists):
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
        *before, last = self.actions
        return f"{', '.join(before)} and {last}" if before else last


Alternatives = str | tuple[str, ...]
"""An action, or several of which each will do."""


def lacks(
    graph: Graph,
    role: Resource,
    wanted: Iterable[Alternatives],
    resource: Value,
    beside: Hop | Resource,
    target: Resource | None = None,
) -> Lack | None:
    """Which of the wanted actions a role certainly may not do on a resource; None where it may, or that cannot be told.

    What cannot be told is recorded as a doubt.
    """
    own = holdings(graph, role)
    policies, blockers = own.policies(beside, role), list(own.blockers)
    if target is not None:
        others, unsure = resource_policies(graph, target, beside)
        policies += others
        blockers += unsure
    missing: list[str] = []
    for one in wanted:
        choices = (one,) if isinstance(one, str) else one
        verdict = _best(policies, role, choices, resource)
        if isinstance(verdict, str):
            doubt(verdict, role, role.head)
            return None
        if not verdict:
            missing.append(choices[0])
    if not missing:
        return None
    answer = graph.answer(role, (), blockers)
    if not isinstance(answer, Absent):
        return None
    owners = [policy.owner for policy in own.policies(beside, role) if policy.owner is not None]
    return Lack(role, tuple(missing), answer, list(dict.fromkeys(owners)))


def _best(policies: list[Policy], role: Resource, choices: tuple[str, ...], resource: Value) -> bool | str:
    """Whether one of the actions is allowed (or denied on purpose); a reason where that cannot be told."""
    unsure: str | None = None
    for action in choices:
        decision = decide(policies, Request(role, action, resource, role_context(role)))
        if isinstance(decision, Allowed) or (isinstance(decision, Denied) and decision.by is not None):
            # An explicit denial is written on purpose.
            return True
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


def distrusts(role: Resource, service: str) -> bool:
    """Whether a role's trust policy certainly does not let a service assume it; what cannot be told is recorded."""
    trust = role.get("trust")
    if is_null(trust) or isinstance(trust, Unknown):
        return False
    request = Request(Service(service), "sts:AssumeRole", Ref(role, "arn"), service_context(service, None, role.stack))
    decision = decide([Policy(trust, TRUST, role)], request)
    if isinstance(decision, Open):
        doubt(decision.blockers[0] if decision.blockers else f"whom {role.address} trusts", role, role.site("trust"))
    return isinstance(decision, Denied) and decision.by is None


# --- too broad ------------------------------------------------------------------------------------------------------


class Exposure:
    """A statement that lets a service (or, without one, anybody) in and says too little about whom it acts for."""

    __slots__ = ("statement", "service", "public", "lacks")

    def __init__(self, statement: Statement, service: str, lacks: str, public: bool = False) -> None:
        self.statement = statement
        self.service = service
        self.lacks = lacks
        self.public = public

    @property
    def who(self) -> str:
        """Who is let in, in words."""
        return self.service or "anybody"


_NO_CONFINEMENT = frozenset(("aws:securetransport",))


def exposures(policy: Policy) -> Iterator[Exposure]:
    """The statements of a resource's policy that let in more than their author can have meant."""
    for statement in policy.read()[0]:
        if statement.effect != ALLOW or statement.blockers:
            continue
        keys = {
            condition.key.lower()
            for condition in statement.conditions
            if not (condition.values.values and all(_anything(value) for value in condition.values.values))
        } - _NO_CONFINEMENT
        if keys and keys != {"aws:sourcearn"}:
            continue
        anybody, services = _principals(statement)
        if anybody and not keys:
            yield Exposure(statement, "", "without any condition", True)
        elif anybody and keys == {"aws:sourcearn"} and _buckets_alone(statement):
            yield Exposure(statement, "", "by the ARN of a bucket alone, which holds no account")
        for service in services:
            if not keys:
                yield Exposure(statement, service, "for anybody: it names neither source nor account")
            elif service.startswith("s3.") and keys == {"aws:sourcearn"} and _buckets_alone(statement):
                yield Exposure(statement, service, "by the ARN of a bucket alone, which holds no account")


def _anything(value: Value) -> bool:
    value = settle(value)
    return isinstance(value, Known) and value.data == "*"


def _principals(statement: Statement) -> tuple[bool, list[str]]:
    anybody, services = False, []
    for kind, element in statement.principals or ():
        for value in element.values:
            value = settle(value)
            if not isinstance(value, Known) or not isinstance(value.data, str):
                if not isinstance(value, Ref):
                    doubt(reason(value) or f"whom {statement.label} lets in is not known", None, value.site)
                continue
            if kind.lower() in ("", "*", "aws") and value.data == "*":
                anybody = True
            elif kind.lower() == "service" and value.data.endswith((".amazonaws.com", ".amazonaws.com.cn")):
                services.append(value.data)
    return anybody, services


def _buckets_alone(statement: Statement) -> bool:
    """Whether all sources that a statement names are certainly buckets."""
    values = [
        value
        for condition in statement.conditions
        if condition.key.lower() == "aws:sourcearn" and not condition.operator.negated and not condition.values.open
        for value in condition.values.values
    ]
    return bool(values) and all(
        names.glob_match(Known("arn:*:s3:::*"), with_variables(names.expand(value))).certain for value in values
    )


# --- what policies name ---------------------------------------------------------------------------------------------

_USERS = ("lambda.function", "states.machine", "pipes.pipe", "scheduler.schedule", "events.target")


def users(graph: Graph) -> dict[Resource, Resource]:
    """The roles of this run that a hop uses, each with the first resource that runs with it."""
    moved = {part for hops in graph.by_hop.values() for hop in hops for part in hop.parts()}
    found: dict[Resource, Resource] = {}
    for user in graph.of(*_USERS):
        if user.elsewhere or (user not in moved and user.kind.name != "states.machine"):
            continue
        for role in graph.ends(user, "role", "iam.role"):
            if not role.elsewhere:
                found.setdefault(role, user)
    return found


class Nothing:
    """Something in a statement that names nothing there is."""

    __slots__ = ("says", "site")

    def __init__(self, says: str, site: Site | None) -> None:
        self.says = says
        self.site = site


def nothing(statement: Statement) -> Nothing | None:
    """The first action that no service has, or resource that can be no ARN, of a statement that allows."""
    if statement.effect != ALLOW:
        return None
    named = [
        (str(value.data), value)
        for value in (map(settle, statement.actions.values) if statement.actions is not None else ())
        if isinstance(value, Known) and isinstance(value.data, str)
    ]
    for action, value in named:
        meant = actions.resembled(action)
        # What is allowed beside it makes up for it.
        if meant and not any(names.glob_match(Known(other), Known(meant), fold=True).possible for other, _ in named):
            return Nothing(f"no service has the action {action} (is {meant} meant?)", value.place_of_change)
    if statement.policy.kind != IDENTITY or statement.resources is None:
        return None
    for one in statement.resources.values:
        wrong = _no_arn(one)
        if wrong:
            return Nothing(f"the resource {wrong}", one.place_of_change or statement.resources.site)
    return None


def _no_arn(value: Value) -> str:
    value = settle(value)
    if isinstance(value, Ref) and value.attribute == "url" and value.target.kind.name == "sqs.queue":
        return f"is the URL of {value.target.address}, not its ARN"
    parts = text_parts(names.expand(value)) or ()
    text = "".join(part if isinstance(part, str) else "\0" for part in parts)
    if text.startswith(("http://", "https://")):
        return "is a URL, not an ARN"
    pieces = text.split(":", 5)
    if len(pieces) == 6 and pieces[0] == "arn" and pieces[5].startswith("arn:"):
        return "has an ARN inside an ARN, where a name belongs"
    return ""


_SOURCES = frozenset(("aws:sourcearn", "aws:sourceaccount"))


def never_met(statement: Statement) -> Asked | None:
    """The condition of a statement for roles or users that their own calls can never meet."""
    if statement.effect != ALLOW or statement.policy.kind == TRUST:
        return None
    if statement.policy.kind != IDENTITY:
        kinds = statement.principals or []
        if not kinds or any(kind.lower() != "aws" for kind, _ in kinds):
            return None
        if any(_anything(value) or isinstance(settle(value), Unknown) for _, one in kinds for value in one.values):
            return None
    for condition in statement.conditions:
        operator = condition.operator
        if condition.key.lower() in _SOURCES and not operator.negated and operator.base != "null":
            name = operator.name.lower()
            if not name.endswith("ifexists") and not name.startswith("forallvalues"):
                return condition
    return None


def sweeping(statement: Statement, service: str) -> str:
    """What a statement allows with a whole service, in words; empty where it is confined."""
    if statement.effect != ALLOW or statement.conditions or statement.actions is None:
        return ""
    allowed = [str(one.data).lower() for one in map(settle, statement.actions.values) if isinstance(one, Known)]
    for action in allowed:
        if action in ("*", f"{service}:*"):
            return f"every action of {service}"
    resources = statement.resources.values if statement.resources is not None else []
    if any(action.startswith(f"{service}:") for action in allowed) and any(_anything(one) for one in resources):
        return f"what it may do with {service} on every resource"
    return ""


def invokes(graph: Graph, statement: Statement) -> Resource | None:
    """The function that a statement lets a role invoke, where it is named."""
    if statement.effect != ALLOW or statement.actions is None or statement.resources is None:
        return None
    invoke = Known("lambda:InvokeFunction")
    if not any(names.glob_match(value, invoke, fold=True).certain for value in statement.actions.values):
        return None
    for value in statement.resources.values:
        function = names.resolve(value, graph.of("lambda.function")).certain
        if function is not None:
            return function
    return None
