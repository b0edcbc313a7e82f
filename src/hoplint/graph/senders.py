"""Who sends to a queue or topic in its own name, and whether the receiver's policies admit it."""

from __future__ import annotations

from hoplint.graph import names
from hoplint.graph.explain import NO_ARN, OTHER, OTHER_SERVICE, WILDCARD, Mismatch, explain
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Grant, Hop, Push
from hoplint.graph.policy import Allowed, Denied, Request, Service, decide, service_context
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.statements import Policy, Statement
from hoplint.model.finding import At
from hoplint.model.inquiry import doubt, settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown, Value, is_null, reason, text_parts

SERVICES = {"events.rule": "events.amazonaws.com", "sns.topic": "sns.amazonaws.com", "s3.bucket": "s3.amazonaws.com"}
SEND = {"sqs.queue": "sqs:SendMessage", "sns.topic": "sns:Publish"}
POLICIES = {"sqs.queue": "sqs.queue_policy", "sns.topic": "sns.topic_policy"}

# https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html (opt-in status "Required")
OPT_IN_REGIONS = frozenset(
    (
        "af-south-1", "ap-east-1", "ap-east-2", "ap-south-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5",
        "ap-southeast-6", "ap-southeast-7", "ca-west-1", "eu-central-2", "eu-south-1", "eu-south-2", "il-central-1",
        "me-central-1", "me-south-1", "mx-central-1",
    )
)  # fmt: skip


class Near:
    """A statement that is meant for a sender and can never match it, with what keeps it from matching."""

    __slots__ = ("statement", "mismatches")

    def __init__(self, statement: Statement, mismatches: list[Mismatch]) -> None:
        self.statement = statement
        self.mismatches = mismatches

    @property
    def site(self) -> Site | None:
        """Where the first of these stands."""
        return self.mismatches[0].site

    @property
    def says(self) -> str:
        """What is wrong, in a clause."""
        return " and ".join(mismatch.says for mismatch in self.mismatches)

    @property
    def only_patterns(self) -> bool:
        """Whether nothing is wrong but wildcards under an operator that takes them to the letter."""
        return all(mismatch.hint == WILDCARD for mismatch in self.mismatches)

    def wanted(self, push: Push) -> str:
        """What should stand there, where it can be told in a clause."""
        for mismatch in self.mismatches:
            if mismatch.hint == WILDCARD:
                return ""
            if mismatch.key.lower() == "aws:sourcearn":
                return f"; it sends as {show(names.expand(sender_of(push)))}"
            if mismatch.element == "resource":
                return f"; the queue is {show(names.expand(Ref(push.to, 'arn')))}"
        return ""


class Refusal:
    """A sender that the receiver's policies do not admit: the service, its source, and the statements meant for it."""

    __slots__ = ("service", "action", "near", "policies", "regional", "unsure")

    def __init__(
        self, service: str, action: str, near: list[Near], policies: list[Resource], regional: bool = False
    ) -> None:
        self.service = service
        self.action = action
        self.near = near
        self.policies = policies
        self.regional = regional
        self.unsure = ""


    @property
    def nearest(self) -> Near | None:
        """The statement that comes nearest to admitting the sender."""
        return min(self.near, key=lambda found: len(found.mismatches)) if self.near else None

    @property
    def says(self) -> str:
        """What keeps the nearest statement from matching, as the end of a sentence."""
        near = self.nearest
        return f": {near.statement.label} never matches, {near.says}" if near is not None else ""

    @property
    def places(self) -> list[At]:
        """The policies, with what each has to do with it."""
        near = self.nearest
        owner = near.statement.policy.owner if near is not None else None
        found = [At(owner, "never matches", "policy", near.site)] if near is not None and owner is not None else []
        others = (policy for policy in dict.fromkeys(self.policies) if policy is not owner)
        return found + [At(policy, "admits others only", "policy") for policy in others]


def refusal(graph: Graph, push: Push) -> Refusal | None:
    """Why a push is refused by the policies of its receiver; None where it is admitted or cannot be told.

    What cannot be told is recorded as a doubt.
    """
    service = SERVICES.get(push.source.kind.name)
    action = SEND.get(push.to.kind.name)
    if service is None or action is None or push.to.elsewhere:
        return None
    if push.source.kind.name == "events.rule":
        role = push.via.get("role")
        if not is_null(role):
            # With a role the target needs no resource policy (since 2025); what the role may do is another question.
            return None
    region = _regional(push) if service == SERVICES["sns.topic"] else None
    if region is not None:
        service = f"sns.{region}.amazonaws.com"
    return refused(graph, push, service, action, sender_of(push), region is not None)


def refused(
    graph: Graph, hop: Hop, service: str, action: str, source: Value, regional: bool = False
) -> Refusal | None:
    """Why the policies of a hop's receiver refuse a service that sends for a source; None as above."""
    grants = [grant for grant in graph.into(hop.to, Grant) if graph.together(hop, grant)]
    policies = [
        Policy(grant.via.raw("policy"), owner=grant.via)
        for grant in grants
        if grant.via.kind.name == POLICIES[hop.to.kind.name]
    ]
    context = service_context(service, names.expand(source), hop.to.stack)
    request = Request(Service(service), action, Ref(hop.to, "arn"), context)
    decision = decide(policies, request)
    if isinstance(decision, Open):
        for why in decision.blockers[:1]:
            doubt(why, hop.to, hop.to.head)
        return None
    if not isinstance(decision, Denied) or decision.by is not None:
        # An explicit denial is written on purpose.
        return None
    by_statement: dict[Statement, list[Mismatch]] = {}
    for mismatch in explain(policies, request):
        by_statement.setdefault(mismatch.statement, []).append(mismatch)
    near = [Near(statement, wrong) for statement, wrong in by_statement.items() if _meant(wrong)]
    found = Refusal(service, action, near, [grant.via for grant in grants], regional)
    found.unsure = next((why for statement in by_statement if (why := _open(statement))), "")
    return found


def _open(statement: Statement) -> str:
    """Why a statement that never matches might yet be meant for a sender, or might not: it is not all known."""
    for why in statement.blockers:
        return f"{statement.label}: {why}"
    named = [element for kind, element in statement.principals or () if kind.lower() in ("", "service")]
    values = [one for element in named for one in element.values]
    for condition in statement.conditions:
        if condition.key.lower() == "aws:sourcearn":
            values.extend(condition.values.values)
    unknown = next((one for one in map(settle, values) if isinstance(one, Unknown)), None)
    return f"{statement.label}: {unknown.why}" if unknown is not None else ""


def meant_is_open(refusal: Refusal, subject: Resource) -> bool:
    """Whether it cannot be told if a policy is missing or wrong; recorded as a doubt."""
    if refusal.unsure:
        doubt(refusal.unsure, subject, subject.head)
    return bool(refusal.unsure)


def sender_of(push: Push) -> Value:
    """The ARN of what sends."""
    return push.sender if push.sender is not None else Ref(push.source, "arn")


def source_of(hop: Hop) -> Value:
    """The ARN that a service carries as the source of what it hands on; a foreign topic is named by its own."""
    named = settle(hop.via.raw("topic")) if hop.via.kind.name == "sns.subscription" and hop.source.elsewhere else None
    return Ref(hop.source, "arn") if named is None else named


def _meant(wrong: list[Mismatch]) -> bool:
    """Whether a statement is meant for the sender.

    It names the sender's service or source, or it lets anyone send from the sender's kind of source or, by a mistake
    that is seen often, from the receiver itself.
    """
    if any(mismatch.meant for mismatch in wrong):
        return True
    if any(mismatch.element.endswith("principal") for mismatch in wrong):
        return False
    return any(
        mismatch.key.lower() == "aws:sourcearn" and mismatch.hint not in (OTHER_SERVICE, NO_ARN, OTHER)
        for mismatch in wrong
    )


def _regional(push: Push) -> str | None:
    """The region of a topic in an opt-in region whose subscriber is known to be in another one."""
    topic = push.sender if push.sender is not None else push.via.get("topic")
    region, other = _region_in(topic), _region_in(push.value)
    return region if region in OPT_IN_REGIONS and other is not None and other != region else None


def _region_in(arn: Value | None) -> str | None:
    parts = text_parts(arn) if arn is not None else None
    text = "".join(part if isinstance(part, str) else "\0" for part in parts or ())
    pieces = text.split(":")
    region = pieces[3] if len(pieces) > 5 and pieces[0] == "arn" else ""
    return region if region and "\0" not in region else None


def show(value: Value) -> str:
    """A value as its author thinks of it."""
    value = settle(value)
    if isinstance(value, Known):
        return str(value.data)
    if isinstance(value, Ref):
        return f"{value.target.address}'s {value.attribute}"
    parts = text_parts(value)
    if parts is None or (len(parts) == 1 and parts[0] is value):
        return f"unknown ({reason(value)})"
    return "".join(part if isinstance(part, str) else "${" + _short(part) + "}" for part in parts)


def _short(value: Value) -> str:
    if isinstance(value, Ref):
        return f"{value.target.address}.{value.attribute}"
    symbol = getattr(value, "symbol", None)
    return symbol.name if symbol is not None else "…"


def admits(graph: Graph, push: Push) -> list[Resource]:
    """The policies of a queue or topic that certainly admit who is to send there."""
    service = SERVICES.get(push.source.kind.name)
    action = SEND.get(push.to.kind.name)
    if service is None or action is None or push.to.elsewhere:
        return []
    grants = [grant.via for grant in graph.into(push.to, Grant) if graph.together(push, grant)]
    context = service_context(service, names.expand(sender_of(push)), push.to.stack)
    request = Request(Service(service), action, Ref(push.to, "arn"), context)
    own = [policy for policy in grants if policy.kind.name == POLICIES[push.to.kind.name]]
    return [one for one in own if isinstance(decide([Policy(one.raw("policy"), owner=one)], request), Allowed)]
