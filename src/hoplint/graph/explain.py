"""Why a policy does not let a sender in: statement by statement, which element can never match, and what it holds.

A statement is *meant* for a sender when it names the sender's service (or role), or holds the sender's own ARN in a
condition. Where a request is denied, no statement that is meant is a policy that is missing; one that is meant and can
never match is a policy that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hoplint.graph.conditions import EXACT, Carried, with_variables
from hoplint.graph.names import expand, glob_match, same
from hoplint.graph.policy import Part, Request, Service, is_principal, match_parts, service_match
from hoplint.graph.statements import DENY, IDENTITY, Condition, Policy, Statement
from hoplint.graph.texts import Hole, Token, compare, level, parts_of, six_parts, tokens
from hoplint.model.inquiry import settle
from hoplint.model.place import Site
from hoplint.model.value import Known, Value, text_parts

OWN, BUS_MISSING, DEFAULT_SEGMENT, NESTED_ARN, BUS_ARN, STAR_MISSING, WILDCARD, URL, NO_ARN, NEVER_CARRIED = (
    "own-arn", "bus-segment-missing", "default-segment", "arn-inside-arn", "bus-arn", "star-missing",
    "wildcard-in-equals", "url", "no-arn", "never-carried",
)  # fmt: skip
OTHER_REGION, OTHER_ACCOUNT, OTHER_SERVICE, OTHER_RESOURCE, REGIONAL, ABSENT, OTHER = (
    "other-region", "other-account", "other-service", "other-resource", "regional-principal", "absent", "other",
)  # fmt: skip

_SAYS = {
    OWN: "holds the ARN of the resource that the policy protects",
    BUS_MISSING: "lacks the bus in the rule's ARN (rule/BUS/NAME)",
    DEFAULT_SEGMENT: "names the default bus in the rule's ARN, where AWS writes rule/NAME",
    NESTED_ARN: "has an ARN inside an ARN",
    BUS_ARN: "holds the ARN of a bus, not of a rule on it",
    STAR_MISSING: 'lacks the ":*" at the end of a log group\'s ARN',
    WILDCARD: "holds a wildcard, which this operator takes literally",
    URL: "is a URL, not an ARN",
    NO_ARN: "is no ARN",
    NEVER_CARRIED: "is not carried by the request",
    OTHER_REGION: "names another Region",
    OTHER_ACCOUNT: "names another account",
    OTHER_SERVICE: "names another service",
    OTHER_RESOURCE: "names another resource",
    REGIONAL: "lacks the regional principal that the service uses here",
    ABSENT: "is missing",
    OTHER: "never matches",
}


class Mismatch:
    """One element of a statement that can never match a request.

    `element` is principal, action, resource or condition (with `not ` before it for the negated ones), `key` and
    `operator` are the condition's. `values` are what stands there, `site` is where. `hint` tells the kind of mistake,
    `says` puts it into words. `meant` marks statements that are meant for the sender, `alone` those in which nothing
    else is wrong.
    """

    __slots__ = ("alone", "element", "hint", "key", "meant", "operator", "site", "statement", "value", "values")

    def __init__(
        self, statement: Statement, part: Part, hint: str, value: Value | None, meant: bool, alone: bool
    ) -> None:
        condition = part.condition
        self.statement = statement
        self.element = part.name
        self.key = condition.key if condition else ""
        self.operator = condition.operator.name if condition else ""
        self.values = part.element.values if part.element else []
        self.hint = hint
        self.value = value if value is not None else self.values[0] if self.values else None
        self.meant = meant
        self.alone = alone
        place = self.value.place_of_change if self.value is not None else None
        self.site: Site | None = place or (part.element.site if part.element else None) or statement.site

    @property
    def says(self) -> str:
        """What is wrong, in words: `aws:SourceArn holds the ARN of …`."""
        return f"{self.key or self.element.removeprefix('not ').capitalize()} {_SAYS[self.hint]}"

    def __repr__(self) -> str:
        return f"Mismatch({self.statement.label}: {self.says}{'' if self.meant else ', for another sender'})"


def explain(policies: Iterable[Policy], request: Request) -> list[Mismatch]:
    """What in each statement that could allow a request never matches it."""
    found: list[Mismatch] = []
    for policy in policies:
        for statement in policy.read()[0]:
            if statement.effect == DENY:
                continue
            wrong = [part for part in match_parts(statement, request) if not part.test.possible]
            meant = bool(wrong) and is_meant(statement, request)
            for part in wrong:
                hint, value = _hint(part, request)
                found.append(Mismatch(statement, part, hint, value, meant, len(wrong) == 1))
    return found


def meant_for(policies: Iterable[Policy], request: Request) -> list[Statement]:
    """The statements that are meant for a request's sender, whether or not they match."""
    return [
        statement
        for policy in policies
        for statement in policy.read()[0]
        if statement.effect != DENY and is_meant(statement, request)
    ]


def is_meant(statement: Statement, request: Request) -> bool:
    """Whether a statement names the sender's service or role, or holds the sender's own ARN in a condition."""
    if statement.policy.kind == IDENTITY:
        return _same_service(statement, request.action)
    for kind, element in statement.principals or ():
        for value in element.values:
            if isinstance(request.principal, Service):
                if kind.lower() == "service" and _of_service(value, request.principal.name):
                    return True
            elif is_principal(kind.lower(), value, request.principal).possible and not _anyone(value):
                return True
    return any(_holds_source(condition, request.context.get("aws:sourcearn")) for condition in statement.conditions)


def _of_service(value: Value, name: str) -> bool:
    """The service itself, or the global name where it asks by a regional one."""
    if service_match(value, name).possible:
        return True
    pieces = name.split(".")
    return len(pieces) > 3 and same(value, Known(f"{pieces[0]}.amazonaws.com")).possible


def _anyone(value: Value) -> bool:
    return same(value, Known("*")).certain


def _holds_source(condition: Condition, source: Carried | None) -> bool:
    if condition.operator.negated or condition.key.lower() != "aws:sourcearn" or not isinstance(source, Value):
        return False
    return any(same(value, source).certain for value in condition.values.values)


def _same_service(statement: Statement, action: str) -> bool:
    prefix = action.partition(":")[0]
    if statement.actions is None:
        return False
    return any(glob_match(Known(f"{prefix}:*"), value, fold=True).possible for value in statement.actions.values)


def literal_wildcards(statement: Statement) -> list[tuple[Condition, Value]]:
    """Values with `*` or `?` under operators that take them literally, with the conditions that hold them."""
    found: list[tuple[Condition, Value]] = []
    for condition in statement.conditions:
        if condition.operator.base in EXACT:
            found.extend((condition, value) for value in condition.values.values if _wild(value))
    return found


def _wild(value: Value) -> bool:
    return any(isinstance(part, str) and ("*" in part or "?" in part) for part in parts_of(with_variables(value)))


# --- the kind of mistake --------------------------------------------------------------------------------------------


def _hint(part: Part, request: Request) -> tuple[str, Value | None]:
    if part.element is None:
        return ABSENT, None
    if part.condition is not None:
        carried = request.context.get(part.condition.key.lower())
        if not isinstance(carried, Value):
            return NEVER_CARRIED, None
        return _first(part.element.values, lambda value: _of_condition(part.condition, value, carried, request))
    if part.name == "resource":
        return _first(part.element.values, lambda value: _of_arn(value, request.resource))
    if part.name == "principal" and isinstance(request.principal, Service):
        return _first(part.element.values, lambda value: _of_principal(value, request.principal))
    if part.name == "action":
        return (OTHER if part.element.values else ABSENT), None
    return OTHER, None


def _first(values: list[Value], tell: Callable[[Value], str]) -> tuple[str, Value | None]:
    """The hint that says most, with the value that it is about."""
    told = [(tell(value), value) for value in values]
    return next((pair for pair in told if pair[0] != OTHER), told[0] if told else (ABSENT, None))


def _of_principal(value: Value, principal: object) -> str:
    assert isinstance(principal, Service)
    text = text_parts(expand(value))
    if len(principal.name.split(".")) > 3 and _of_service(value, principal.name):
        return REGIONAL
    last = text[-1] if text else ""
    return OTHER_SERVICE if isinstance(last, str) and last.endswith(".amazonaws.com") else OTHER


def _of_condition(condition: Condition | None, value: Value, carried: Value, request: Request) -> str:
    assert condition is not None
    if condition.operator.negated:
        return OTHER
    if condition.operator.base in EXACT and _wild(value) and glob_match(value, carried).possible:
        return WILDCARD
    if condition.key.lower() != "aws:sourcearn":
        return OTHER
    if same(value, request.resource).certain:
        return OWN
    return _of_arn(value, carried)


def _of_arn(value: Value, wanted: Value) -> str:
    """How an ARN differs from the one that is wanted."""
    value = settle(value)
    mine, theirs = level(expand(value), expand(wanted))
    first = parts_of(mine)[0] if parts_of(mine) else ""
    if isinstance(first, str) and first.startswith("http"):
        return URL
    if isinstance(first, str) and not first.startswith(("arn:", "*")):
        return NO_ARN
    left, right = six_parts(tokens(mine, wildcards=True)), six_parts(tokens(theirs))
    if left is None or right is None:
        return OTHER
    if _text(left[5]).partition("arn:")[1]:
        return NESTED_ARN
    known = _of_rule(left[5], right[5]) if _text(right[2]) == "events" else ""
    if known:
        return known
    if compare([*left[5], ":", "*"], right[5]).certain and _text(right[2]) == "logs":
        return STAR_MISSING
    if not compare(left[2], right[2]).possible:
        return OTHER_SERVICE
    if compare(left[5], right[5]).possible:
        if not compare(left[3], right[3]).possible:
            return OTHER_REGION
        if not compare(left[4], right[4]).possible:
            return OTHER_ACCOUNT
    return OTHER_RESOURCE


def _of_rule(mine: list[Token], wanted: list[Token]) -> str:
    """How the last part of a rule's ARN differs."""
    text, rule = _text(mine), "rule/"
    if text.startswith("event-bus/"):
        return BUS_ARN
    if not text.startswith(rule) or not _text(wanted).startswith(rule):
        return ""
    name, full = mine[len(rule) :], wanted[len(rule) :]
    if "/" in full:
        last = len(full) - full[::-1].index("/")
        return BUS_MISSING if "/" not in name and compare(name, full[last:]).possible else ""
    if text.startswith("rule/default/") and compare(name[len("default/") :], full).possible:
        return DEFAULT_SEGMENT
    return ""


def _text(items: list[Token]) -> str:
    return "".join(token if isinstance(token, str) else "\0" if isinstance(token, Hole) else "*" for token in items)
