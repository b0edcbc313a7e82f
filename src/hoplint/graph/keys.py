"""Which key encrypts a queue, a topic or a schedule, and whom the policy of that key lets use it."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import names
from hoplint.graph.answers import Absent
from hoplint.graph.conditions import NEVER
from hoplint.graph.graph import Graph
from hoplint.graph.hops import FailTo, Hop, Notify, Push
from hoplint.graph.policy import (
    Allowed,
    Denied,
    Request,
    Service,
    decide,
    decide_for_key,
    role_context,
    service_context,
)
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.roles import holdings
from hoplint.graph.statements import KEY, Policy
from hoplint.graph.texts import parts_of
from hoplint.model.inquiry import doubt, settle
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown, Value, branches, is_null

MANAGED = {"sqs.queue": "alias/aws/sqs", "sns.topic": "alias/aws/sns", "kinesis.stream": "alias/aws/kinesis"}
GENERATE, DECRYPT = "kms:GenerateDataKey", "kms:Decrypt"


class Encryption:
    """How something is encrypted: by AWS's own key (`managed`), or by a customer's, declared here or not (`key`)."""

    __slots__ = ("managed", "key", "value")

    def __init__(self, value: Value, managed: str = "", key: Resource | None = None) -> None:
        self.value = value
        self.managed = managed
        self.key = key


def encryption(graph: Graph, resource: Resource, name: str = "kms_key") -> Encryption | None:
    """The key that is set on a resource; None where none is, or which cannot be told (which is recorded)."""
    value = resource.get(name)
    if is_null(value) or isinstance(value, Unknown) or (isinstance(value, Known) and value.data == ""):
        return None
    alias = managed_alias(value)
    if alias:
        return Encryption(value, managed=alias)
    key = declared_key(graph, value)
    if key is None:
        doubt(f"the key of {resource.address} is not declared here, whom it admits is not known", resource, value.site)
    return Encryption(value, key=key)


def managed_alias(value: Value) -> str:
    """The alias of a key that AWS manages, where a value certainly means one."""
    value = settle(value)
    if isinstance(value, Ref) and value.target.kind.name in ("kms.alias", "kms.key"):
        target = value.target
        named = target.fetch("name" if target.kind.name == "kms.alias" else "key_id") if target.elsewhere else None
        value = settle(named) if named is not None else value
    parts = parts_of(names.expand(value))
    last = parts[-1] if parts else ""
    if not isinstance(last, str):
        return ""
    before, marker, service = last.rpartition("alias/aws/")
    if not marker or not service.isalpha() or (before and not before.endswith(":")):
        return ""
    return f"alias/aws/{service}"


def declared_key(graph: Graph, value: Value) -> Resource | None:
    """The key of this run that a value means: by reference, ARN, id or alias."""
    value = settle(value)
    key = names.resolve(value, graph.of("kms.key")).certain
    if key is None:
        alias = names.resolve(value, graph.of("kms.alias")).certain
        if alias is not None and not alias.elsewhere:
            key = names.resolve(alias.raw("key"), graph.of("kms.key")).certain
    return None if key is None or key.elsewhere else key


def policies_of(graph: Graph, key: Resource) -> tuple[list[Policy], list[str]]:
    """The policies of a key, and why there may be others. No policy is AWS's default one: the account decides."""
    found: list[Policy] = []
    blockers: list[str] = []
    if not is_null(key.raw("policy")):
        found.append(Policy(key.raw("policy"), KEY, key))
    for policy in graph.of("kms.key_policy"):
        for value, _ in branches(policy.raw("key")):
            resolution = names.resolve(value, [key])
            if resolution.certain is key:
                found.append(Policy(policy.raw("policy"), KEY, policy))
            elif resolution.possible and graph.joined(policy.stack, key.stack):
                blockers.append(resolution.why or f"{policy.address} may belong to {key.address}")
    return found, blockers


def _grants(graph: Graph, key: Resource, action: str, role: Resource | None) -> str:
    """Why a grant on the key lets a role (or, without one, a service) use it, or may."""
    for grant in graph.of("kms.grant"):
        if not any(names.resolve(value, [key]).possible for value, _ in branches(grant.raw("key"))):
            continue
        grantee = grant.raw("grantee")
        if role is not None and not names.resolve(grantee, [role]).possible:
            continue
        operations = grant.items("operations")
        named = [item.data for item in operations or () if isinstance(item, Known)]
        if operations is None or len(named) < len(operations) or action.partition(":")[2] in named:
            return f"{grant.address} grants the use of {key.address}"
    return ""


# --- services that write --------------------------------------------------------------------------------------------


class Writer:
    """A service that writes to a queue or topic in its own name, and the hop that makes it do so."""

    __slots__ = ("hop", "to", "service", "source", "via")

    def __init__(self, hop: Hop, service: str) -> None:
        self.hop = hop
        self.to = hop.to
        self.service = service
        self.source = hop.source
        self.via = hop.via


    @property
    def word(self) -> str:
        """What is written to."""
        return "queue" if self.to.kind.name == "sqs.queue" else "topic"


_PUSHES = {"events.rule": "events.amazonaws.com", "sns.topic": "sns.amazonaws.com", "s3.bucket": "s3.amazonaws.com"}
_FAILURES = {"events.target": "events.amazonaws.com", "sns.subscription": "sns.amazonaws.com"}


def writers(graph: Graph) -> Iterator[Writer]:
    """Who writes to queues and topics in a service's name, in each scenario that matters."""
    wanted = [
        hop
        for hop in graph.hops(Push, FailTo, Notify)
        if hop.to.kind.name in ("sqs.queue", "sns.topic") and not hop.to.elsewhere and _service(hop)
    ]
    for hop in graph.each(wanted):
        if isinstance(hop, Push) and hop.via.kind.name == "events.target" and not is_null(hop.via.get("role")):
            # It writes as the role then, which is allowed the use of the key in its own way.
            continue
        yield Writer(hop, _service(hop))


def _service(hop: Hop) -> str:
    if isinstance(hop, Push):
        return _PUSHES.get(hop.source.kind.name, "")
    if isinstance(hop, FailTo):
        return _FAILURES.get(hop.via.kind.name, "")
    return "cloudwatch.amazonaws.com" if hop.source.kind.name.startswith("cloudwatch.") else ""


class Barred:
    """A service or role that a key certainly does not admit.

    `by_source` tells that a condition on the source alone keeps it out.
    """

    __slots__ = ("actions", "policies", "answer", "by_source")

    def __init__(self, actions: list[str], policies: list[Policy], answer: Absent, by_source: bool = False) -> None:
        self.actions = actions
        self.policies = policies
        self.answer = answer
        self.by_source = by_source


    @property
    def named(self) -> str:
        """The actions in words."""
        return " and ".join(self.actions)

    @property
    def why(self) -> str:
        """What keeps a service out that the policy names."""
        return ", since EventBridge carries no source there" if self.by_source else ""

    def owner(self, key: Resource) -> Resource:
        """What declares the policy of a key."""
        return next((policy.owner for policy in self.policies if policy.owner is not None), key)


def bars_service(graph: Graph, key: Resource, writer: Writer) -> Barred | None:
    """What a key does not let a service do that writes; None where it does, or that cannot be told (recorded)."""
    policies, blockers = policies_of(graph, key)
    context = service_context(writer.service, None, key.stack)
    plain = dict(context)
    to_topic = writer.service.startswith("events.") and writer.to.kind.name == "sns.topic"
    if to_topic:
        # EventBridge carries no source when it uses the key of a topic.
        context.update({"aws:sourcearn": NEVER, "aws:sourceaccount": NEVER, "aws:sourceorgid": NEVER})
    missing: list[str] = []
    without = False
    for action in (GENERATE, DECRYPT):
        decision = decide(policies, Request(Service(writer.service), action, Ref(key, "arn"), context))
        if isinstance(decision, Open):
            doubt(decision.blockers[0] if decision.blockers else "the key's policy", key, key.head)
            return None
        if isinstance(decision, Denied) and decision.by is None:
            missing.append(action)
            plainly = decide(policies, Request(Service(writer.service), action, Ref(key, "arn"), plain))
            without = without or not isinstance(plainly, Denied)
    if not missing:
        return None
    granted = _grants(graph, key, missing[0], None)
    answer = graph.answer(key, (), [*blockers, *([granted] if granted else [])])
    return Barred(missing, policies, answer, without) if isinstance(answer, Absent) else None


def bars_role(graph: Graph, key: Resource, role: Resource, beside: Hop | Resource) -> Barred | None:
    """Whether a role certainly may not decrypt with a key: neither its policies nor the key's, nor a grant."""
    policies, blockers = policies_of(graph, key)
    own = holdings(graph, role)
    request = Request(role, DECRYPT, Ref(key, "arn"), role_context(role))
    decision = decide_for_key(policies, own.policies(beside, role), request)
    if isinstance(decision, Allowed) or (isinstance(decision, Denied) and decision.by is not None):
        return None
    if isinstance(decision, Open):
        doubt(decision.blockers[0] if decision.blockers else "the key's policy", role, role.head)
        return None
    granted = _grants(graph, key, DECRYPT, role)
    unsure = [*blockers, *own.blockers, *([granted] if granted else [])]
    answers = [graph.answer(subject, (), unsure) for subject in (role, key)]
    if not all(isinstance(answer, Absent) for answer in answers):
        return None
    absent = [answer for answer in answers if isinstance(answer, Absent)]
    weakest = min(absent, key=lambda answer: answer.confidence == "high")
    return Barred([DECRYPT], policies, weakest)
