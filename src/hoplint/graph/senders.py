"""Who sends to a queue or topic in its own name, and whether the receiver's policies admit it."""

from __future__ import annotations

from hoplint.graph import names
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Grant, Push
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.policy import Denied, Part, Request, Service, decide, match_parts, service_context, service_match
from hoplint.graph.statements import ALLOW, Policy, Statement
from hoplint.model.inquiry import doubt, settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Value, is_null, reason, text_parts

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
    """A statement that is meant for a sender and can never match it, with the elements that keep it from matching."""

    __slots__ = ("statement", "failing")

    def __init__(self, statement: Statement, failing: list[Part]) -> None:
        self.statement = statement
        self.failing = failing

    @property
    def site(self) -> Site | None:
        """Where the first of these elements stands."""
        for part in self.failing:
            if part.element is not None:
                for value in part.element.values:
                    if value.place_of_change is not None:
                        return value.place_of_change
                if part.element.site is not None:
                    return part.element.site
        return self.statement.site


class Refusal:
    """A sender that the receiver's policies do not admit: the service, its source, and the statements meant for it."""

    __slots__ = ("service", "action", "near", "policies", "regional")

    def __init__(
        self, service: str, action: str, near: list[Near], policies: list[Resource], regional: bool = False
    ) -> None:
        self.service = service
        self.action = action
        self.near = near
        self.policies = policies
        self.regional = regional


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
    source = push.sender if push.sender is not None else Ref(push.source, "arn")
    grants = [grant for grant in graph.into(push.to, Grant) if graph.together(push, grant)]
    policies = [
        Policy(grant.via.raw("policy"), owner=grant.via)
        for grant in grants
        if grant.via.kind.name == POLICIES[push.to.kind.name]
    ]
    context = service_context(service, names.expand(source), push.to.stack)
    request = Request(Service(service), action, Ref(push.to, "arn"), context)
    decision = decide(policies, request)
    if isinstance(decision, Open):
        for why in decision.blockers[:1]:
            doubt(why, push.to, push.to.head)
        return None
    if not isinstance(decision, Denied) or decision.by is not None:
        # An explicit denial is written on purpose.
        return None
    near = [
        Near(statement, failing)
        for policy in policies
        for statement in policy.read()[0]
        if (failing := _meant(statement, request, push, region is not None)) is not None
    ]
    return Refusal(service, action, near, [grant.via for grant in grants], region is not None)


def _meant(statement: Statement, request: Request, push: Push, regional: bool) -> list[Part] | None:
    """The elements that keep a statement from matching, if it is meant for the sender: names it or its source."""
    if statement.effect != ALLOW:
        return None
    assert isinstance(request.principal, Service)
    named = False
    for kind, element in statement.principals or ():
        for value in element.values:
            text = settle(value)
            if isinstance(text, Known) and text.data == "*":
                named = named or bool(statement.conditions)
            elif kind == "Service":
                wanted = SERVICES[push.source.kind.name] if regional else request.principal.name
                named = named or service_match(value, wanted).possible
    if not named:
        source = names.expand(Ref(push.source, "arn")) if push.sender is None else push.sender
        named = any(
            condition.key.lower() == "aws:sourcearn"
            and any(names.same(value, source).certain for value in condition.values.values)
            for condition in statement.conditions
        )
    if not named:
        return None
    return [part for part in match_parts(statement, request) if not part.test.possible]


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


def why_not(part: Part) -> str:
    """What is wrong with an element that never matches, in a clause."""
    values = part.element.values if part.element is not None else []
    shown = ", ".join(show(value) for value in values[:2]) or "nothing"
    if part.condition is not None:
        return f"its condition {part.condition.key} is {shown}"
    return f"its {part.name} is {shown}"


def wanted(push: Push, failing: list[Part]) -> str:
    """What the failing elements would have to be, where it can be told in a clause."""
    if any(part.condition is not None and part.condition.key.lower() == "aws:sourcearn" for part in failing):
        source = push.sender if push.sender is not None else Ref(push.source, "arn")
        return f", but it sends as {show(names.expand(source))}"
    if any(part.name == "resource" for part in failing):
        return f", not the ARN of {push.to.address}"
    return ""


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


def wildcard_in_equals(part: Part) -> bool:
    """Whether a condition compares a pattern with `StringEquals`, which takes wildcards to the letter."""
    if part.condition is None or "stringequals" not in part.condition.operator.name.lower():
        return False
    return any(
        isinstance(piece, str) and ("*" in piece or "?" in piece)
        for value in part.condition.values.values
        for piece in text_parts(settle(value)) or ()
    )
