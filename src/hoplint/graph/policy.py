"""Who may do what: IAM policies, resource policies, trust and key policies, decided over values that may be unknown.

`decide` answers Allowed, Denied or CannotTell; `explain` says for each statement what in it can never match. Permission
boundaries, service control policies and session policies are outside: they live in no stack that is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hoplint.graph.conditions import NEVER, Carried, Context, holds, with_variables
from hoplint.graph.names import arn_of, expand, glob_match, name_of, same
from hoplint.graph.statements import ALLOW, DENY, IDENTITY, TRUST, Condition, Element, Policy, Statement
from hoplint.graph.texts import Hole, parts_of, tokens
from hoplint.model.identity import ACCOUNT, PARTITION, shared
from hoplint.model.inquiry import settle
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Unknown, Value, join_text, reason, text_parts


class Service:
    """A service that acts in its own name: `events.amazonaws.com`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Service({self.name})"


class Account:
    """Any identity of an account that its own policies allow: what `arn:aws:iam::…:root` stands for."""

    __slots__ = ("stack",)

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    @property
    def number(self) -> Value:
        """The account's number."""
        return shared(self.stack, ACCOUNT)

    def __repr__(self) -> str:
        return f"Account({self.stack.name})"


Principal = Service | Account | Resource
"""Who asks; a `Resource` is a role."""


class Request:
    """The question whether a principal may do something to a resource.

    `context` holds what the request carries, by condition keys in lower case: a value, several, or NEVER where the
    key certainly is not carried. Of a key that is missing nothing is known.
    """

    __slots__ = ("action", "context", "principal", "resource")

    def __init__(self, principal: Principal, action: str, resource: Value, context: Context | None = None) -> None:
        self.principal = principal
        self.action = action
        self.resource = resource
        self.context: Context = context or {}

    def __repr__(self) -> str:
        return f"Request({self.principal}, {self.action}, {self.resource!r})"


# --- the answer -----------------------------------------------------------------------------------------------------


class Decision:
    """The answer to a request."""

    __slots__ = ()

    @property
    def test(self) -> Test:
        """The same as a test, for `certainly` and `possibly`."""
        raise NotImplementedError


class Allowed(Decision):
    """A statement allows it and none denies it; `by` is None where a default does, with no statement."""

    __slots__ = ("by",)

    def __init__(self, by: Statement | None) -> None:
        self.by = by

    @property
    def test(self) -> Test:
        """It is certain."""
        return YES

    def __repr__(self) -> str:
        return f"Allowed({self.by})"


class Denied(Decision):
    """A statement denies it (`by`), or no statement allows it (None)."""

    __slots__ = ("by",)

    def __init__(self, by: Statement | None) -> None:
        self.by = by

    @property
    def test(self) -> Test:
        """It is impossible."""
        return NO

    def __repr__(self) -> str:
        return f"Denied({self.by})"


class CannotTell(Decision):
    """It depends on what is not known; `blockers` say on what, `may_deny` whether a denial is among them."""

    __slots__ = ("blockers", "may_deny")

    def __init__(self, blockers: Iterable[str], may_deny: bool = True) -> None:
        self.blockers = list(dict.fromkeys(blockers))
        self.may_deny = may_deny

    @property
    def test(self) -> Test:
        """It is possible."""
        return maybe(self.blockers[0] if self.blockers else "")

    def __repr__(self) -> str:
        return f"CannotTell({self.blockers})"


def decide(policies: Iterable[Policy], request: Request) -> Decision:
    """What the policies together say: a denial wins, then an allowance, and what nobody allows is denied.

    Give the policies that count for the request: for a service those of the resource, for a role its own and the
    resource's; for a role and a key use `decide_for_key`.
    """
    allowed: Statement | None = None
    unsure: list[str] = []
    undenied, may_allow = True, False
    for policy in policies:
        statements, blockers = policy.read()
        for blocker in blockers:
            unsure.append(blocker)
            undenied, may_allow = False, True
        for statement in statements:
            answer = _matches(statement, request)
            if not answer.possible:
                continue
            if answer.certain and statement.effect == DENY:
                return Denied(statement)
            if answer.certain and statement.effect == ALLOW:
                allowed = allowed or statement
                continue
            unsure.append(f"{statement.label} of {_title(policy)}: {answer.why}" if answer.why else statement.label)
            # What is merely possible may deny, unless it certainly is an allowance; and the other way round.
            undenied = undenied and statement.effect == ALLOW
            may_allow = may_allow or statement.effect != DENY
    if allowed is not None and undenied:
        return Allowed(allowed)
    return CannotTell(unsure, not undenied) if allowed is not None or may_allow else Denied(None)


def decide_for_key(key: Sequence[Policy], own: Sequence[Policy], request: Request) -> Decision:
    """What a key's policy and a role's own policies say together.

    A role's own policies count only where the key's policy hands the decision to the account. A key for which no
    policy is written has AWS's default one, which does.
    """
    direct, mine = decide(key, request), decide(own, request)
    for decision in (direct, mine):
        if isinstance(decision, Denied) and decision.by is not None:
            return decision
    unsure = [part for part in (direct, mine) if isinstance(part, CannotTell)]
    doubts = [why for part in unsure for why in part.blockers]
    may_deny = any(part.may_deny for part in unsure)
    if isinstance(direct, Allowed):
        return CannotTell(doubts) if may_deny else direct
    handed: Decision = Denied(None)
    if isinstance(request.principal, Resource):
        account = Request(Account(request.principal.stack), request.action, request.resource, request.context)
        handed = decide(key, account) if key else Allowed(None)
    if isinstance(handed, Denied) or isinstance(mine, Denied):
        return direct
    if isinstance(handed, Allowed) and isinstance(mine, Allowed):
        return CannotTell(doubts) if may_deny else mine
    return CannotTell(doubts + (handed.blockers if isinstance(handed, CannotTell) else []), may_deny)


def _title(policy: Policy) -> str:
    return policy.name or (policy.owner.address if policy.owner else "the policy")


# --- one statement --------------------------------------------------------------------------------------------------


class Part:
    """How one element of a statement answers a request."""

    __slots__ = ("condition", "element", "name", "test")

    def __init__(self, name: str, element: Element | None, test: Test, condition: Condition | None = None) -> None:
        self.name = name
        self.element = element
        self.test = test
        self.condition = condition


def _matches(statement: Statement, request: Request) -> Test:
    answer = YES
    for part in match_parts(statement, request):
        if not part.test.possible:
            return NO
        answer = answer & part.test
    if statement.blockers:
        answer = answer & maybe(statement.blockers[0])
    return answer


def match_parts(statement: Statement, request: Request) -> Iterator[Part]:
    """How each element of a statement answers, the cheap ones first."""
    yield _action_part(statement, request.action)
    yield from _principal_part(statement, request.principal)
    yield _resource_part(statement, request.resource)
    for condition in statement.conditions:
        test = holds(condition.operator, condition.key, condition.values.values, request.context)
        if condition.values.open:
            # A list that is not known may hold what matches, and what does not.
            test = Test(test.certain and False, True, condition.values.open)
        yield Part("condition", condition.values, test, condition)


def _action_part(statement: Statement, action: str) -> Part:
    def one(value: Value) -> Test:
        return glob_match(with_variables(value), Known(action), fold=True)

    return _either("action", statement.actions, statement.not_actions, one, NO)


def _resource_part(statement: Statement, resource: Value) -> Part:
    # A trust policy is about its role, whatever it says; elsewhere AWS wants a resource, and each service reads its
    # absence in its own way.
    absent = YES if statement.policy.kind == TRUST else maybe("it names no resource")

    def one(value: Value) -> Test:
        return resource_match(value, resource)

    return _either("resource", statement.resources, statement.not_resources, one, absent)


_Check = Callable[[Value], Test]


def _either(name: str, plain: Element | None, negated: Element | None, one: _Check, absent: Test) -> Part:
    if plain is not None:
        return Part(name, plain, _any_of(plain, one))
    if negated is not None:
        return Part(f"not {name}", negated, ~_any_of(negated, one))
    return Part(name, None, absent)


def _any_of(element: Element, one: _Check) -> Test:
    answer = NO
    for value in element.values:
        found = one(value)
        if found.certain:
            return found
        answer = answer | found
    return maybe(element.open) if element.open else answer


def resource_match(pattern: Value, resource: Value) -> Test:
    """Whether a statement's resource takes a resource's ARN."""
    pattern = with_variables(pattern)
    if isinstance(pattern, Known) and pattern.data == "*":
        return YES
    whole = glob_match(pattern, resource)
    if not whole.possible:
        return _incomplete(pattern, resource)
    if isinstance(pattern, Ref) or _colons(pattern) < 5:
        return whole
    # Whether a wildcard reaches past a colon is told differently in AWS's own pages: certain only if both readings are.
    sixfold = glob_match(pattern, resource, arn=True)
    return Test(whole.certain and sixfold.certain, True, whole.why or sixfold.why or "a wildcard reaches past a colon")


def _colons(pattern: Value) -> int:
    return sum(part.count(":") for part in parts_of(expand(pattern)) if isinstance(part, str))


def _incomplete(pattern: Value, resource: Value) -> Test:
    """A text that does not match as it stands: AWS fills up an ARN that breaks off, and SQS knew `/account/queue`."""
    text = str(pattern.data) if isinstance(pattern, Known) else ""
    if text.startswith("arn:") and text.count(":") < 5:
        filled = glob_match(Known(text + ":*"), resource)
        return maybe("AWS fills up an ARN that breaks off") if filled.possible else NO
    return maybe("a path is no ARN, and old queues knew it") if text.startswith("/") else NO


_ACCOUNT_WIDE = "whether a denial for an account reaches its roles is not told"

# --- who ------------------------------------------------------------------------------------------------------------


def _principal_part(statement: Statement, principal: Principal) -> Iterator[Part]:
    if statement.principals is not None:
        test = _names(statement.principals, principal)
        if statement.effect != ALLOW and not test.possible and isinstance(principal, Resource):
            # An allowance for an account lets the role's own policies decide; a denial may reach all of its roles.
            test = test | Test(False, _names(statement.principals, Account(principal.stack)).possible, _ACCOUNT_WIDE)
        yield Part("principal", _joined(statement.principals), test)
    elif statement.not_principals is not None:
        yield Part("not principal", _joined(statement.not_principals), _named_not(statement.not_principals, principal))
    elif statement.policy.kind != IDENTITY:
        yield Part("principal", None, NO)


def _joined(pairs: list[tuple[str, Element]]) -> Element:
    values = [value for _, element in pairs for value in element.values]
    return Element(values, pairs[0][1].site if pairs else None)


def _names(pairs: list[tuple[str, Element]], principal: Principal) -> Test:
    answer = NO
    for kind, element in pairs:
        if element.open:
            answer = answer | maybe(element.open)
        for value in element.values:
            found = is_principal(kind.lower(), value, principal)
            if found.certain and not element.open:
                return found
            answer = answer | Test(False, found.possible, found.why)
    return answer


def _named_not(pairs: list[tuple[str, Element]], principal: Principal) -> Test:
    """Whether NotPrincipal takes a principal. An exempted role needs its account and session exempted as well."""
    named = _names(pairs, principal)
    if not isinstance(principal, Resource):
        return ~named
    accounts = _names(pairs, Account(principal.stack))
    if named.possible or accounts.possible:
        return maybe(named.why or accounts.why or "NotPrincipal and the session of a role")
    return YES


def is_principal(kind: str, value: Value, principal: Principal) -> Test:
    """Whether one value of a statement's principal is the one that asks."""
    value = settle(value)
    anyone = same(value, Known("*"))
    if anyone.certain:
        return YES if kind in ("", "*", "aws") else maybe(f"a wildcard as {kind} principal is not documented")
    if kind in ("", "*"):
        # The whole element is not known: it may be anyone, or a mapping.
        return maybe(reason(value)) if isinstance(value, Unknown) else maybe("a principal is given without its type")
    if isinstance(principal, Service):
        if kind == "service":
            return service_match(value, principal.name)
        return maybe(reason(value)) if kind == "aws" and anyone.possible else NO
    if kind != "aws":
        return NO
    if isinstance(principal, Account):
        return anyone | _is_account(value, principal)
    return anyone | _is_role(value, principal)


def service_match(value: Value, name: str) -> Test:
    """Whether a service principal is the one that asks; regional names stand for the same service in some places."""
    found = same(value, Known(name))
    parts = text_parts(expand(value))
    if found.possible or parts is None:
        return found
    mine = name.split(".")
    if len(mine) == 3 and len(parts) and isinstance(parts[0], str):
        first = parts[0].split(".")
        ending = parts[-1] if isinstance(parts[-1], str) else ""
        if first[0] == mine[0] and ending.endswith((".amazonaws.com", ".amazonaws.com.cn")):
            # Where plain `sns.amazonaws.com` asks, `sns.eu-west-1.amazonaws.com` may do or not: AWS tells only when
            # the name must be a regional one.
            return maybe(f"whether a regional name stands for {name} here is not documented")
    return NO


def _account_in(value: Value) -> Value | None:
    """The account in a principal that means a whole account: its number, or the ARN of its root."""
    items = tokens(value)
    if len(items) == 1 and isinstance(items[0], Hole):
        return value if items[0].made_of == "digit" else None
    parts = parts_of(value)
    if len(parts) == 1 and isinstance(parts[0], str) and len(parts[0]) == 12 and parts[0].isdigit():
        return value
    last = parts[-1]
    if not isinstance(last, str) or not last.endswith(":root"):
        return None
    for number, part in enumerate(parts):
        if isinstance(part, str) and ":iam::" in part:
            inner: list[str | Value] = [part.partition(":iam::")[2], *parts[number + 1 :]]
            inner[-1] = str(inner[-1]).removesuffix(":root")
            return join_text(inner)
    return None


def _is_account(value: Value, principal: Account) -> Test:
    value = expand(value)
    account = _account_in(value)
    if account is not None:
        return same(account, principal.number)
    return maybe(reason(value)) if isinstance(value, Unknown) else NO


def _is_role(value: Value, role: Resource) -> Test:
    """Whether a principal is this role. An account's root is not: it lets the role's own policies decide."""
    if isinstance(value, Ref) and value.target is role and value.attribute in ("arn", "id"):
        return YES if value.attribute == "arn" else maybe("a role's unique id stands for it in some places")
    value = expand(value)
    if _account_in(value) is not None:
        return NO
    arn = arn_of(role)
    found = same(value, arn) if arn is not None else maybe(f"the ARN of {role.address} is not known")
    if not found.possible and _session_of(value, role):
        return maybe("it names one session of the role")
    return found


def _session_of(value: Value, role: Resource) -> bool:
    text = join_text(["arn:", shared(role.stack, PARTITION), ":sts::", shared(role.stack, ACCOUNT), ":assumed-role/",
                      *parts_of(name_of(role)), "/*"])  # fmt: skip
    return glob_match(text, value).possible


# --- contexts -------------------------------------------------------------------------------------------------------


def service_context(service: str, source_arn: Value | None, stack: Stack) -> dict[str, Carried]:
    """What a request carries that a service makes in its own name for one of its resources.

    Which services carry the account of their source is documented for few of them; the others leave it undecided.
    """
    context: dict[str, Carried] = {
        "aws:securetransport": Known(True),
        "aws:principalisawsservice": Known(True),
        "aws:principalservicename": Known(service),
        # A service is in no organization and has no ARN of its own.
        "aws:principalorgid": NEVER,
        "aws:principalorgpaths": NEVER,
    }
    if source_arn is not None:
        context["aws:sourcearn"] = source_arn
    if service.partition(".")[0] in ("s3", "cloudwatch"):
        context["aws:sourceaccount"] = shared(stack, ACCOUNT)
    return context


def role_context(role: Resource, more: Mapping[str, Carried] | None = None) -> dict[str, Carried]:
    """What a request carries that a role makes itself: no source, since nothing acts on its behalf."""
    arn = arn_of(role)
    context: dict[str, Carried] = {
        "aws:securetransport": Known(True),
        "aws:principalisawsservice": Known(False),
        "aws:principalservicename": NEVER,
        "aws:principalaccount": shared(role.stack, ACCOUNT),
        "aws:sourcearn": NEVER,
        "aws:sourceaccount": NEVER,
        "aws:sourceorgid": NEVER,
    }
    if arn is not None:
        context["aws:principalarn"] = arn
    return context | dict(more or {})
