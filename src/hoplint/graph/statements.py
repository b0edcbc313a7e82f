"""Policy documents read into statements, whatever of them is known.

What cannot be read stays as a blocker: a statement with one never matches for certain, and a policy with one may hold
further statements.
"""

from __future__ import annotations

from hoplint.graph.conditions import Operator
from hoplint.graph.names import arn_of, expand
from hoplint.graph.texts import ANY, made_of_symbol, parts_of
from hoplint.model.embedded import inherit, read
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.inquiry import settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.value import (
    Choice,
    Known,
    Ref,
    Text,
    Unknown,
    Value,
    is_null,
    join_text,
    map_choices,
    reason,
    text_parts,
)

RESOURCE, IDENTITY, TRUST, KEY = "resource", "identity", "trust", "key"
"""What a policy is attached to: a resource, a role, a role's trust, a key."""

ALLOW, DENY = "allow", "deny"


class Element:
    """One element of a statement: its values, and why there may be more than these."""

    __slots__ = ("open", "site", "values")

    def __init__(self, values: list[Value], site: Site | None, open_: str = "") -> None:
        self.values = values
        self.site = site
        self.open = open_

    @staticmethod
    def of(value: Value | None) -> Element | None:
        """Read a string or a list of strings; None where it is absent."""
        if value is None:
            return None
        value = settle(value)
        if is_null(value):
            return None
        if isinstance(value, Unknown) and made_of_symbol(value.symbol) == ANY:
            # It may be a list of anything, or one text: as one value it can match, and so can what is not seen.
            return Element([value], value.place_of_change, value.why)
        if not isinstance(value, Known) or not isinstance(value.data, list):
            return Element([value], value.place_of_change)
        values = [inherit(value, settle(inherit(value, item))) for item in value.data]
        flat: list[Value] = []
        for item in values:
            flat.extend(item.data if isinstance(item, Known) and isinstance(item.data, list) else [item])
        return Element(flat, value.place_of_change)


class Condition:
    """One operator with one key of a statement."""

    __slots__ = ("key", "operator", "values")

    def __init__(self, operator: Operator, key: str, values: Element) -> None:
        self.operator = operator
        self.key = key
        self.values = values

    def __repr__(self) -> str:
        return f"Condition({self.operator.name} {self.key} {self.values.values})"


class Statement:
    """One statement of a policy.

    `effect` is allow, deny, or empty where it is not known. An element that is absent is None. `principals` are pairs
    of a type (`AWS`, `Service`, …; empty for a plain text) and its values. `blockers` say what in it could not be
    read; a statement that has any never matches for certain.
    """

    __slots__ = (
        "actions", "blockers", "conditions", "effect", "index", "not_actions", "not_principals", "not_resources",
        "policy", "principals", "resources", "sid", "site",
    )  # fmt: skip

    def __init__(self, policy: Policy, index: int, site: Site | None) -> None:
        self.policy = policy
        self.index = index
        self.site = site
        self.sid = ""
        self.effect = ""
        self.principals: list[tuple[str, Element]] | None = None
        self.not_principals: list[tuple[str, Element]] | None = None
        self.actions: Element | None = None
        self.not_actions: Element | None = None
        self.resources: Element | None = None
        self.not_resources: Element | None = None
        self.conditions: list[Condition] = []
        self.blockers: list[str] = []

    @property
    def label(self) -> str:
        """What to call it: its Sid, or its place in the policy."""
        return f'statement "{self.sid}"' if self.sid else f"statement {self.index + 1}"

    def __repr__(self) -> str:
        return f"<{self.label} of {self.policy!r}>"


class Policy:
    """A policy document and what it is attached to; `owner` is the resource that declares it."""

    __slots__ = ("_fixed", "document", "kind", "name", "owner")

    def __init__(self, document: Value, kind: str = RESOURCE, owner: Resource | None = None, name: str = "") -> None:
        self.document = document
        self.kind = kind
        self.owner = owner
        self.name = name
        self._fixed: tuple[list[Statement], list[str]] | None = None

    def read(self) -> tuple[list[Statement], list[str]]:
        """The statements in the scenario being looked at, and why there may be others."""
        if self._fixed is not None:
            return self._fixed
        reader = _Reader(self)
        found = reader.read()
        if not reader.chose:
            self._fixed = found
        return found

    def __repr__(self) -> str:
        return f"Policy({self.name or (self.owner.address if self.owner else self.kind)})"


class _Reader:
    """Reads a document; notes whether a choice was met, since then another scenario reads otherwise."""

    __slots__ = ("chose", "policy")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.chose = False

    def read(self) -> tuple[list[Statement], list[str]]:
        tree = self.settle(self.policy.document)
        found = read(tree)
        if found.tree is None:
            return [], [f"the policy is no JSON: {found.problem}"]
        tree = self.settle(found.tree)
        if is_null(tree):
            return [], []
        if not isinstance(tree, Known):
            return [], [reason(tree) or "the policy is not known"]
        if isinstance(tree.data, dict):
            body = _member(tree, "statement")
            if body is not None:
                tree = self.settle(body)
            elif _member(tree, "effect") is None:
                return [], []
        if isinstance(tree, Known) and isinstance(tree.data, dict):
            return [self.statement(tree, 0)], []
        if not isinstance(tree, Known) or not isinstance(tree.data, list):
            return [], [reason(tree) or "the policy's statements are not known"]
        statements: list[Statement] = []
        blockers: list[str] = []
        for index, item in enumerate(tree.data):
            item = self.settle(inherit(tree, item))
            if isinstance(item, Known) and isinstance(item.data, dict):
                statements.append(self.statement(item, index))
            elif not is_null(item):
                blockers.append(reason(item) or f"statement {index + 1} is none")
        return statements, blockers

    def settle(self, value: Value) -> Value:
        self.chose = self.chose or isinstance(value, Choice)
        return settle(value)

    def statement(self, tree: Known, index: int) -> Statement:
        made = Statement(self.policy, index, tree.place_of_change)
        assert isinstance(tree.data, dict)
        parts = {name.lower(): self.settle(inherit(tree, item)) for name, item in tree.data.items()}
        self.chose = self.chose or any(_has_choice(item) for item in parts.values())
        sid, effect = parts.get("sid"), parts.get("effect")
        made.sid = sid.data if isinstance(sid, Known) and isinstance(sid.data, str) else ""
        if isinstance(effect, Known) and str(effect.data).lower() in (ALLOW, DENY):
            made.effect = str(effect.data).lower()
        else:
            made.blockers.append(f"its effect: {reason(effect)}" if effect is not None else "it has no effect")
        made.principals = self.principals(parts.get("principal"))
        made.not_principals = self.principals(parts.get("notprincipal"))
        made.actions, made.not_actions = Element.of(parts.get("action")), Element.of(parts.get("notaction"))
        made.resources, made.not_resources = Element.of(parts.get("resource")), Element.of(parts.get("notresource"))
        self.conditions(made, parts.get("condition"))
        return made

    def principals(self, value: Value | None) -> list[tuple[str, Element]] | None:
        if value is None or is_null(value):
            return None
        if isinstance(value, Known) and isinstance(value.data, dict):
            found = [(name, Element.of(inherit(value, item))) for name, item in value.data.items()]
            return [(name, element) for name, element in found if element is not None]
        element = Element.of(value)
        return [("", element)] if element is not None else None

    def conditions(self, made: Statement, value: Value | None) -> None:
        if value is None or is_null(value):
            return
        if not isinstance(value, Known) or not isinstance(value.data, dict):
            made.blockers.append(f"its condition: {reason(value) or 'it is no mapping'}")
            return
        for name, block in value.data.items():
            block = self.settle(inherit(value, block))
            if not isinstance(block, Known) or not isinstance(block.data, dict):
                made.blockers.append(f"its condition {name}: {reason(block) or 'it is no mapping'}")
                continue
            for key, item in block.data.items():
                element = Element.of(inherit(block, item))
                if element is not None:
                    made.conditions.append(Condition(Operator(name), key, element))


def _member(tree: Known, name: str) -> Value | None:
    assert isinstance(tree.data, dict)
    for key, item in tree.data.items():
        if key.lower() == name:
            return inherit(tree, item)
    return None


def _has_choice(value: Value) -> bool:
    if isinstance(value, Choice):
        return True
    if isinstance(value, Known) and isinstance(value.data, dict | list):
        return any(map(_has_choice, value.data.values() if isinstance(value.data, dict) else value.data))
    return isinstance(value, Text) and any(isinstance(part, Choice) for part in value.parts)


# --- Lambda permissions ---------------------------------------------------------------------------------------------


def of_permission(permission: Resource, function: Value | None = None) -> Policy:
    """A Lambda permission as the policy of one statement that it adds to its function.

    `function` is the ARN that it covers, qualifier and all; without it, it is put together from the permission, in
    the scenario that is being looked at.
    """
    equals: dict[str, Value] = {}
    conditions: dict[str, Value] = {}
    if permission.written("source_arn"):
        conditions["StringLike"] = Known({"aws:SourceArn": permission.raw("source_arn")})
    if permission.written("source_account"):
        equals["aws:SourceAccount"] = permission.raw("source_account")
    family = permission.stack.family
    organization = None if permission.elsewhere else permission.fetch(_ORGANIZATION[family != "terraform"])
    if organization is not None and not is_null(organization):
        equals["aws:PrincipalOrgID"] = organization
    if equals:
        conditions["StringEquals"] = Known(equals)
    statement = {
        "Effect": Known("Allow"),
        "Principal": map_choices(permission.raw("principal"), _permission_principal),
        "Action": permission.raw("action"),
        "Resource": covered(permission) if function is None else function,
        "Condition": Known(conditions, permission.head),
    }
    return Policy(Known([Known(dict(statement), permission.head)]), RESOURCE, permission)


_ORGANIZATION = ("principal_org_id", "PrincipalOrgID")


def _permission_principal(value: Value) -> Value:
    """Whether a permission's principal is a service or an account shows in its text alone."""
    parts = text_parts(expand(value))
    if parts is None:
        return value
    first, last = parts[0] if parts else "", parts[-1] if parts else ""
    if len(parts) == 1 and isinstance(first, str):
        kind = "Service" if first.endswith((".amazonaws.com", ".amazonaws.com.cn")) or "." in first else "AWS"
        return Known({kind: value}, value.site)
    if isinstance(last, str) and last.endswith(".amazonaws.com"):
        return Known({"Service": value}, value.site)
    if isinstance(first, str) and first.startswith("arn:"):
        return Known({"AWS": value}, value.site)
    return Known({"AWS": value, "Service": value}, value.site)


def covered(permission: Resource) -> Value:
    """The ARN that a Lambda permission covers: the unqualified one unless it names an alias or a version."""
    function, qualifier = settle(permission.raw("function")), settle(permission.raw("qualifier"))
    arn = arn_of(function.target) if isinstance(function, Ref) and function.attribute in ("arn", "name") else None
    if arn is None:
        arn = expand(function)
        parts = parts_of(arn)
        if not parts or not isinstance(parts[0], str):
            return Unknown(reason(arn) or "which function is meant is not known", function.site)
        if not parts[0].startswith("arn:"):
            where = permission.stack
            front: list[str | Value] = ["arn:", shared(where, PARTITION), ":lambda:", shared(where, REGION), ":"]
            arn = join_text([*front, shared(where, ACCOUNT), ":function:", *parts], function.site)
    if is_null(qualifier):
        return arn
    return join_text([*parts_of(arn), ":", *parts_of(expand(qualifier))], function.site)
