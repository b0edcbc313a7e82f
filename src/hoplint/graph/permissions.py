"""Who invokes functions in its own name, and whether a permission of the function admits it."""

from __future__ import annotations

from hoplint.graph import names
from hoplint.graph.explain import OTHER, OTHER_RESOURCE, OTHER_SERVICE, Mismatch, explain
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Grant, Hop, Push
from hoplint.graph.policy import Allowed, Denied, Request, Service, decide, service_context
from hoplint.graph.policy import CannotTell as Open
from hoplint.graph.senders import sender_of
from hoplint.graph.statements import of_permission
from hoplint.graph.texts import parts_of
from hoplint.model.identity import ACCOUNT, shared
from hoplint.model.inquiry import doubt, settle
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown, Value, is_null, join_text, text_parts

INVOKE = "lambda:InvokeFunction"
SERVICES = {
    "events.rule": "events.amazonaws.com",
    "sns.topic": "sns.amazonaws.com",
    "s3.bucket": "s3.amazonaws.com",
    "logs.group": "logs.amazonaws.com",
}


class Wrong:
    """A permission that is meant for a sender and can never match it, with what keeps it from matching."""

    __slots__ = ("permission", "mismatches")

    def __init__(self, permission: Resource, mismatches: list[Mismatch]) -> None:
        self.permission = permission
        self.mismatches = mismatches

    def of(self, element: str) -> Mismatch | None:
        """What is wrong with one element: `resource` is the function and its qualifier, `condition` the source."""
        return next((one for one in self.mismatches if one.element == element), None)

    @property
    def says(self) -> str:
        """What is wrong, in a clause."""
        return " and ".join(one.says for one in self.mismatches)

    @property
    def site(self) -> Site | None:
        """Where the first of these stands."""
        return self.mismatches[0].site


class Refusal:
    """A sender that no permission admits: its service, what it sends as, and the permissions that are meant for it."""

    __slots__ = ("service", "source", "wrong", "permissions")

    def __init__(self, service: str, source: Value, wrong: list[Wrong], permissions: list[Resource]) -> None:
        self.service = service
        self.source = source
        self.wrong = wrong
        self.permissions = permissions

    def qualifier(self) -> Wrong | None:
        """The permission with which nothing is wrong but the alias or version that it is for."""
        return next((one for one in self.wrong if {part.element for part in one.mismatches} == {"resource"}), None)

    def other(self) -> Wrong | None:
        """The permission that comes nearest among those with another fault."""
        found = [one for one in self.wrong if {part.element for part in one.mismatches} != {"resource"}]
        return min(found, key=lambda one: len(one.mismatches)) if found else None


def refusal(graph: Graph, push: Push) -> Refusal | None:
    """Why the permissions of a function refuse a push; None where one admits it or that cannot be told.

    What cannot be told is recorded as a doubt.
    """
    service = SERVICES.get(push.source.kind.name)
    if service is None or push.to.elsewhere or (push.entry is not None and push.entry.elsewhere):
        return None
    if push.via.kind.name == "events.target" and not is_null(push.via.get("role")):
        # With a role the target needs no permission (since 2025); what the role may do is another question.
        return None
    function = invoked(push)
    if function is None:
        return None
    source = sent_as(push)
    grants = [grant for grant in graph.into(push.to, Grant) if graph.together(push, grant)]
    policies = [of_permission(grant.via) for grant in grants]
    context = service_context(service, source, push.to.stack)
    request = Request(Service(service), INVOKE, function, context)
    decision = decide(policies, request)
    if isinstance(decision, Open):
        for why in decision.blockers[:1]:
            doubt(why, push.to, push.to.head)
        return None
    if not isinstance(decision, Denied) or decision.by is not None:
        return None
    by_owner: dict[Resource, list[Mismatch]] = {}
    for mismatch in explain(policies, request):
        owner = mismatch.statement.policy.owner
        if owner is not None and (mismatch.meant or _holds(owner, source)):
            by_owner.setdefault(owner, []).append(mismatch)
    wrong = [
        Wrong(owner, found)
        for owner, found in by_owner.items()
        if not _for_another(graph, push, owner, found)
    ]
    return Refusal(service, source, wrong, [grant.via for grant in grants])


def _holds(permission: Resource, source: Value) -> bool:
    """Whether a permission is for this source, whatever service it names."""
    value = settle(permission.raw("source_arn"))
    return not is_null(value) and names.glob_match(value, source).certain


def _for_another(graph: Graph, push: Push, permission: Resource, found: list[Mismatch]) -> bool:
    """Whether a permission lets another sender in: then this one has none."""
    condition = next((one for one in found if one.element == "condition" and one.key.lower() == "aws:sourcearn"), None)
    if condition is None:
        return any(one.element.endswith("principal") for one in found) and not _holds(permission, sent_as(push))
    if condition.hint in (OTHER_SERVICE, OTHER):
        return True
    if condition.hint != OTHER_RESOURCE:
        return False
    value = settle(permission.raw("source_arn"))
    for hop in graph.into(push.to, Push):
        if hop.source is not push.source and isinstance(hop, Push) and names.glob_match(value, sent_as(hop)).possible:
            return True
    # One that names another thing that is declared, or not known here, is for that; a name in plain text is a mistake.
    return isinstance(value, Ref) and value.target.elsewhere


def invoked(push: Hop) -> Value | None:
    """The ARN that is invoked, alias or version and all."""
    value = settle(push.value) if push.value is not None else Ref(push.to, "arn")
    parts = parts_of(names.expand(value))
    last = parts[-1] if parts else ""
    if isinstance(last, str) and last.endswith(":$LATEST"):
        doubt("whether a permission without a qualifier covers $LATEST is not documented", push.via, push.via.head)
        return None
    if isinstance(value, Ref) and value.target.kind.name == "lambda.function" and value.attribute == "name":
        return Ref(value.target, "arn")
    return value


def sent_as(push: Push) -> Value:
    """The ARN that a request carries as its source; CloudWatch Logs adds `:*` to that of a group."""
    arn = names.expand(sender_of(push))
    if push.source.kind.name != "logs.group":
        return arn
    parts = list(text_parts(arn) or ())
    last = parts[-1] if parts else ""
    return arn if not parts or (isinstance(last, str) and last.endswith(":*")) else join_text([*parts, ":*"], arn.site)


def service_of(permission: Resource) -> str:
    """The service that a permission certainly lets in, or nothing."""
    principal = permission.get("principal")
    text = principal.data if isinstance(principal, Known) and isinstance(principal.data, str) else ""
    return text if text.endswith((".amazonaws.com", ".amazonaws.com.cn")) else ""


def admits(graph: Graph, push: Push) -> list[Resource]:
    """The permissions that certainly admit who is to invoke a function."""
    service = SERVICES.get(push.source.kind.name)
    if service is None or push.to.elsewhere:
        return []
    function = settle(push.value) if push.value is not None else Ref(push.to, "arn")
    request = Request(Service(service), INVOKE, function, service_context(service, sent_as(push), push.to.stack))
    grants = [grant.via for grant in graph.into(push.to, Grant) if graph.together(push, grant)]
    return [one for one in grants if isinstance(decide([of_permission(one)], request), Allowed)]


def names_account(permission: Resource) -> Test:
    """Whether a permission asks for a source account."""
    value = settle(permission.raw("source_account"))
    if is_null(value) or (isinstance(value, Known) and value.data == ""):
        return NO
    own = shared(permission.stack, ACCOUNT)
    if isinstance(value, Unknown) and not (isinstance(own, Unknown) and value.symbol is own.symbol):
        # A setting that is not known may be absent.
        return maybe(value.why)
    return YES


def called(push: Hop) -> str:
    """What is invoked, in words."""
    return push.entry.address if push.entry is not None else "the function without a qualifier"


def covers_at(permission: Resource) -> Site:
    """Where it is said which alias or version a permission covers."""
    return permission.site("qualifier" if permission.written("qualifier") else "function")
