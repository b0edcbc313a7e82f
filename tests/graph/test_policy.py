# A row of the tables is a line, however long.
# ruff: noqa: E501
"""Decisions over policies: a table in which each row catches what no other does, and properties that hold for all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import arn, arn_text, make, stack, text, unknown

from hoplint.graph import managed_policies
from hoplint.graph.conditions import NEVER
from hoplint.graph.explain import explain, literal_wildcards, meant_for
from hoplint.graph.policy import (
    Account,
    Allowed,
    CannotTell,
    Decision,
    Denied,
    Request,
    Service,
    decide,
    decide_for_key,
    role_context,
    service_context,
)
from hoplint.graph.statements import IDENTITY, KEY, RESOURCE, TRUST, Policy, covered, of_permission
from hoplint.model.condition import Atom, Scenario
from hoplint.model.identity import ACCOUNT, REGION, shared
from hoplint.model.inquiry import begin
from hoplint.model.value import Choice, Encoded, Known, Ref, Text, Unknown, Value

T = stack()
QUEUE = make(T, "sqs.queue", "orders", name="orders")
OTHER_QUEUE = make(T, "sqs.queue", "payments", name="payments")
NAMELESS = make(T, "sqs.queue", "nameless")
TOPIC = make(T, "sns.topic", "news", name="news")
OTHER_TOPIC = make(T, "sns.topic", "alerts", name="alerts")
BUS = make(T, "events.bus", "billing", name="billing")
RULE = make(T, "events.rule", "paid", name="paid", event_bus_name=Ref(BUS, "name"))
DEFAULT_RULE = make(T, "events.rule", "tick", name="tick")
BUCKET = make(T, "s3.bucket", "pictures", bucket="pictures")
GROUP = make(T, "logs.group", "app", name="app")
ROLE = make(T, "iam.role", "worker", name="worker")
OTHER_ROLE = make(T, "iam.role", "admin", name="admin")
KEY_ = make(T, "kms.key", "key")
FUNCTION = make(T, "lambda.function", "fn", function_name="fn")
LIVE = make(T, "lambda.alias", "live", name="live", function_name=Ref(FUNCTION, "name"))
REGION_, ACCOUNT_ = shared(T, REGION), shared(T, ACCOUNT)
ROOT = text("arn:aws:iam::", ACCOUNT_, ":root")
X = unknown("var.x")

ALLOWED, DENIED, EXPLICIT, OPEN = "allowed", "denied", "denied by a statement", "cannot tell"


def word(decision: Decision) -> str:
    if isinstance(decision, Allowed):
        return ALLOWED
    if isinstance(decision, Denied):
        return DENIED if decision.by is None else EXPLICIT
    assert isinstance(decision, CannotTell)
    assert decision.blockers
    assert all(decision.blockers), decision.blockers
    return OPEN


def lift(data: Any) -> Value:
    if isinstance(data, Value):
        return data
    if isinstance(data, dict):
        return Known({key: lift(item) for key, item in data.items()})
    if isinstance(data, list):
        return Known([lift(item) for item in data])
    return Known(data)


def s(**changed: Any) -> dict[str, Any]:
    """A statement that lets EventBridge send to the queue, but for what is changed; None leaves an element out."""
    base: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": arn(QUEUE),
    }
    return {key: item for key, item in (base | changed).items() if item is not None}


def deny(**changed: Any) -> dict[str, Any]:
    return s(Effect="Deny", Principal="*", **changed)


def mine(**changed: Any) -> dict[str, Any]:
    """The same in a role's own policy."""
    return s(Principal=None, **changed)


def policy(*statements: Any, kind: str = RESOURCE) -> Policy:
    return Policy(lift({"Version": "2012-10-17", "Statement": list(statements)}), kind)


def ask(
    *statements: Any,
    by: Any = "events.amazonaws.com",
    action: str = "sqs:SendMessage",
    on: Value | None = None,
    source: Value | None = None,
    kind: str = RESOURCE,
    context: dict[str, Any] | None = None,
) -> str:
    return word(decide([policy(*statements, kind=kind)], request(by, action, on, source, context)))


def request(
    by: Any = "events.amazonaws.com",
    action: str = "sqs:SendMessage",
    on: Value | None = None,
    source: Value | None = None,
    context: dict[str, Any] | None = None,
) -> Request:
    if isinstance(by, str):
        held = service_context(by, arn(RULE) if source is None else source, T)
        return Request(Service(by), action, arn(QUEUE) if on is None else on, held | (context or {}))
    held = role_context(by) if by is ROLE else {}
    return Request(by, action, arn(QUEUE) if on is None else on, held | (context or {}))


def c(operator: str, key: str, *values: Any) -> dict[str, Any]:
    return {"Condition": {operator: {key: values[0] if len(values) == 1 else list(values)}}}


# fmt: off
ELEMENTS = [
    ("the plain case", ALLOWED, [s()], {}),
    ("no statement", DENIED, [], {}),
    ("a denial alone is a denial", EXPLICIT, [deny()], {}),
    ("a denial wins over what comes before it", EXPLICIT, [s(), deny()], {}),
    ("a denial wins over what comes after it", EXPLICIT, [deny(), s()], {}),
    ("a denial of something else does not count", ALLOWED, [s(), deny(Action="sqs:DeleteQueue")], {}),
    ("one of several statements is enough", ALLOWED, [s(Action="sqs:Purge"), s()], {}),
    ("elements of two statements do not add up", DENIED, [s(Action="sqs:Purge"), s(Resource=arn(OTHER_QUEUE))], {}),
    ("the effect is not known", OPEN, [s(Effect=X)], {}),
    ("the effect is not known, but another statement allows", OPEN, [s(), s(Effect=X)], {}),
    ("the effect does not count where nothing else matches", ALLOWED, [s(), s(Effect=X, Action="sqs:Purge")], {}),
    ("no effect", OPEN, [s(Effect=None)], {}),
    ("an effect that AWS does not know", OPEN, [s(Effect="Permit")], {}),
    ("a Sid that is not known changes nothing", ALLOWED, [s(Sid=X)], {}),
    ("a statement that is not known may deny", OPEN, [s(), X], {}),
    ("a statement that is not known may allow", OPEN, [X], {}),
    ("null among the statements is none", ALLOWED, [s(), None], {}),
    # --- actions
    ("another action", DENIED, [s(Action="sqs:ReceiveMessage")], {}),
    ("case does not count in actions", ALLOWED, [s(Action="SQS:sendmessage")], {}),
    ("all actions of a service", ALLOWED, [s(Action="sqs:*")], {}),
    ("all actions", ALLOWED, [s(Action="*")], {}),
    ("a prefix", ALLOWED, [s(Action="sqs:Send*")], {}),
    ("a prefix of others", DENIED, [s(Action="sqs:Receive*")], {}),
    ("a question mark", ALLOWED, [s(Action="sqs:SendMessag?")], {}),
    ("a question mark is one character", DENIED, [s(Action="sqs:SendMessage?")], {}),
    ("all actions of another service", DENIED, [s(Action="sns:*")], {}),
    ("one of a list", ALLOWED, [s(Action=["sqs:ReceiveMessage", "sqs:SendMessage"])], {}),
    ("none of a list", DENIED, [s(Action=["sqs:ReceiveMessage", "sqs:DeleteMessage"])], {}),
    ("an empty list", DENIED, [s(Action=[])], {}),
    ("no action", DENIED, [s(Action=None)], {}),
    ("an action with a typing error", DENIED, [s(Action="sqs:SendMesage")], {}),
    ("an unknown action", OPEN, [s(Action=X)], {}),
    ("an unknown action besides a known one", ALLOWED, [s(Action=[X, "sqs:SendMessage"])], {}),
    ("an unknown action besides another", OPEN, [s(Action=[X, "sqs:Purge"])], {}),
    ("an action known in part that may be it", OPEN, [s(Action=text("sqs:", X))], {}),
    ("an action known in part that cannot be it", DENIED, [s(Action=text("sns:", X))], {}),
    ("a wildcard behind an unknown piece", OPEN, [s(Action=text("sqs:", X, "*"))], {}),
    ("all but this action", DENIED, [s(Action=None, NotAction="sqs:SendMessage")], {}),
    ("all but others", ALLOWED, [s(Action=None, NotAction=["sqs:Purge*", "sns:*"])], {}),
    ("all but an unknown one", OPEN, [s(Action=None, NotAction=X)], {}),
    ("all but an unknown one and this", DENIED, [s(Action=None, NotAction=[X, "SQS:*"])], {}),
    ("all but none", ALLOWED, [s(Action=None, NotAction=[])], {}),
    ("a denial of all but this", ALLOWED, [s(), deny(Action=None, NotAction="sqs:Send*")], {}),
    ("a denial of all but others", EXPLICIT, [s(), deny(Action=None, NotAction="sqs:Receive*")], {}),
    ("the action asked for may be a family", ALLOWED, [s(Action="kms:GenerateDataKey*")], {"action": "kms:GenerateDataKey"}),
    # --- resources
    ("another queue", DENIED, [s(Resource=arn(OTHER_QUEUE))], {}),
    ("any resource", ALLOWED, [s(Resource="*")], {}),
    ("any resource, for a queue without a name", ALLOWED, [s(Resource="*")], {"on": arn(NAMELESS)}),
    ("the queue's URL is no ARN", DENIED, [s(Resource=Ref(QUEUE, "url"))], {}),
    ("the queue's name is no ARN", DENIED, [s(Resource=Ref(QUEUE, "name"))], {}),
    ("built by hand of the stack's own region and account", ALLOWED, [s(Resource=arn_text(T, "sqs", "orders"))], {}),
    ("built by hand for another queue", DENIED, [s(Resource=arn_text(T, "sqs", "payments"))], {}),
    ("built by hand with the queue's name", ALLOWED, [s(Resource=arn_text(T, "sqs", Ref(NAMELESS, "name")))], {"on": arn(NAMELESS)}),
    ("a fixed name for a queue without one", OPEN, [s(Resource=arn_text(T, "sqs", "orders"))], {"on": arn(NAMELESS)}),
    ("a literal region and account may be the stack's", OPEN, [s(Resource="arn:aws:sqs:eu-west-1:123456789012:orders")], {}),
    ("a literal ARN of another name is not", DENIED, [s(Resource="arn:aws:sqs:eu-west-1:123456789012:payments")], {}),
    ("an account of eleven digits is none", DENIED, [s(Resource="arn:aws:sqs:*:12345678901:orders")], {}),
    ("wildcards for region and account", ALLOWED, [s(Resource="arn:aws:sqs:*:*:orders")], {}),
    ("wildcards for region and account, other name", DENIED, [s(Resource="arn:aws:sqs:*:*:payments")], {}),
    ("a name's prefix", ALLOWED, [s(Resource="arn:aws:sqs:*:*:ord*")], {}),
    ("a name's prefix for a queue without a name", OPEN, [s(Resource="arn:aws:sqs:*:*:ord*")], {"on": arn(NAMELESS)}),
    ("another partition", ALLOWED, [s(Resource="arn:aws-cn:sqs:*:*:orders")], {}),
    ("another service", DENIED, [s(Resource="arn:aws:sns:*:*:orders")], {}),
    ("a wildcard as service", ALLOWED, [s(Resource="arn:aws:*:*:*:orders")], {}),
    ("one wildcard for what is behind the service", ALLOWED, [s(Resource="arn:aws:sqs:*")], {}),
    ("an ARN that breaks off, which AWS may fill up", OPEN, [s(Resource="arn:aws:sqs")], {}),
    ("an ARN that breaks off for another service", DENIED, [s(Resource="arn:aws:sns")], {}),
    ("a wildcard for region and account at once", OPEN, [s(Resource="arn:aws:sqs:*:orders:*")], {"on": Known("arn:aws:sqs:r:1:orders:x")}),
    ("the path form of old queue policies", OPEN, [s(Resource="/123456789012/orders")], {}),
    ("one of a list", ALLOWED, [s(Resource=[arn(OTHER_QUEUE), arn(QUEUE)])], {}),
    ("an unknown resource", OPEN, [s(Resource=X)], {}),
    ("an unknown resource besides the right one", ALLOWED, [s(Resource=[X, arn(QUEUE)])], {}),
    ("no resource in a queue's policy", OPEN, [s(Resource=None)], {}),
    ("all but this queue", DENIED, [s(Resource=None, NotResource=arn(QUEUE))], {}),
    ("all but another queue", ALLOWED, [s(Resource=None, NotResource=arn(OTHER_QUEUE))], {}),
    ("all but an unknown one", OPEN, [s(Resource=None, NotResource=X)], {}),
    ("an object of a bucket is not the bucket", DENIED, [s(Resource=text(arn(BUCKET), "/*"))], {"on": arn(BUCKET)}),
    ("the objects of a bucket", ALLOWED, [s(Resource=text(arn(BUCKET), "/*"))], {"on": text(arn(BUCKET), "/a")}),
    ("a policy variable in the resource", OPEN, [s(Resource="arn:aws:sqs:*:*:${aws:PrincipalTag/team}")], {}),
    ("a policy variable beside what cannot match", DENIED, [s(Resource="arn:aws:sns:*:*:${aws:username}")], {}),
    ("what is asked about is not known", OPEN, [s()], {"on": X}),
    ("what is asked about is not known, and any will do", ALLOWED, [s(Resource="*")], {"on": X}),
]

WHO = [
    ("another service", DENIED, [s(Principal={"Service": "sns.amazonaws.com"})], {}),
    ("one of several services", ALLOWED, [s(Principal={"Service": ["sns.amazonaws.com", "events.amazonaws.com"]})], {}),
    ("anyone, as text", ALLOWED, [s(Principal="*")], {}),
    ("anyone, as AWS principal", ALLOWED, [s(Principal={"AWS": "*"})], {}),
    ("anyone, as Terraform's type *", ALLOWED, [s(Principal={"*": "*"})], {}),
    ("anyone, in a list", ALLOWED, [s(Principal={"AWS": [ROOT, "*"]})], {}),
    ("any service is not documented", OPEN, [s(Principal={"Service": "*"})], {}),
    ("the account is no service", DENIED, [s(Principal={"AWS": ROOT})], {}),
    ("a role is no service", DENIED, [s(Principal={"AWS": arn(ROLE)})], {}),
    ("an unknown AWS principal may be anyone", OPEN, [s(Principal={"AWS": X})], {}),
    ("an unknown service", OPEN, [s(Principal={"Service": X})], {}),
    ("an unknown principal", OPEN, [s(Principal=X)], {}),
    ("an unknown principal besides the right one", ALLOWED, [s(Principal={"AWS": X, "Service": "events.amazonaws.com"})], {}),
    ("a federated principal", DENIED, [s(Principal={"Federated": "accounts.google.com"})], {}),
    ("no principal in a queue's policy", DENIED, [s(Principal=None)], {}),
    ("a principal without its type", OPEN, [s(Principal="events.amazonaws.com")], {}),
    ("a regional name where the global one asks", OPEN, [s(Principal={"Service": "sns.eu-west-1.amazonaws.com"})], {"by": "sns.amazonaws.com"}),
    ("a regional name of an unknown region", OPEN, [s(Principal={"Service": text("sns.", REGION_, ".amazonaws.com")})], {"by": "sns.amazonaws.com"}),
    ("a regional name of another service", DENIED, [s(Principal={"Service": "logs.eu-west-1.amazonaws.com"})], {"by": "sns.amazonaws.com"}),
    ("the global name where the regional one asks", DENIED, [s(Principal={"Service": "sns.amazonaws.com"})], {"by": "sns.af-south-1.amazonaws.com"}),
    ("the regional name that asks", ALLOWED, [s(Principal={"Service": "sns.af-south-1.amazonaws.com"})], {"by": "sns.af-south-1.amazonaws.com"}),
    ("the regional name, its region unknown", OPEN, [s(Principal={"Service": text("sns.", REGION_, ".amazonaws.com")})], {"by": "sns.af-south-1.amazonaws.com"}),
    ("all but another service", ALLOWED, [s(Principal=None, NotPrincipal={"Service": "sns.amazonaws.com"})], {}),
    ("all but this service", DENIED, [s(Principal=None, NotPrincipal={"Service": "events.amazonaws.com"})], {}),
    ("a denial of all but a role takes services too", EXPLICIT, [s(), s(Effect="Deny", Principal=None, NotPrincipal={"AWS": arn(ROLE)})], {}),
    ("all but an unknown one", OPEN, [s(Principal=None, NotPrincipal={"Service": X})], {}),
    # --- roles
    ("the role itself", ALLOWED, [s(Principal={"AWS": arn(ROLE)})], {"by": ROLE}),
    ("another role", DENIED, [s(Principal={"AWS": arn(OTHER_ROLE)})], {"by": ROLE}),
    ("the role's ARN by hand", ALLOWED, [s(Principal={"AWS": text("arn:aws:iam::", ACCOUNT_, ":role/worker")})], {"by": ROLE}),
    ("the role's ARN by hand, with a path that it has not", DENIED, [s(Principal={"AWS": text("arn:aws:iam::", ACCOUNT_, ":role/x/worker")})], {"by": ROLE}),
    ("the role's ARN in a literal account", OPEN, [s(Principal={"AWS": "arn:aws:iam::123456789012:role/worker"})], {"by": ROLE}),
    ("the role's name is no principal", DENIED, [s(Principal={"AWS": Ref(ROLE, "name")})], {"by": ROLE}),
    ("the role's unique id may be taken", OPEN, [s(Principal={"AWS": Ref(ROLE, "id")})], {"by": ROLE}),
    ("a session of the role", OPEN, [s(Principal={"AWS": text("arn:aws:sts::", ACCOUNT_, ":assumed-role/worker/fn")})], {"by": ROLE}),
    ("a session of another role", DENIED, [s(Principal={"AWS": text("arn:aws:sts::", ACCOUNT_, ":assumed-role/admin/fn")})], {"by": ROLE}),
    ("the account's root leaves it to the role's policies", DENIED, [s(Principal={"AWS": ROOT})], {"by": ROLE}),
    ("so does its number", DENIED, [s(Principal={"AWS": ACCOUNT_})], {"by": ROLE}),
    ("a denial for the account may reach its roles", OPEN, [s(Principal="*"), s(Effect="Deny", Principal={"AWS": ROOT})], {"by": ROLE}),
    ("a denial for another role does not", ALLOWED, [s(Principal="*"), s(Effect="Deny", Principal={"AWS": arn(OTHER_ROLE)})], {"by": ROLE}),
    ("a service is no role", DENIED, [s()], {"by": ROLE}),
    ("anyone is a role too", ALLOWED, [s(Principal="*")], {"by": ROLE}),
    ("a denial of all but another role takes this one", EXPLICIT, [s(Principal="*"), s(Effect="Deny", Principal=None, NotPrincipal={"AWS": arn(OTHER_ROLE)})], {"by": ROLE}),
    ("a denial of all but this role, whose session is not named", OPEN, [s(Principal="*"), s(Effect="Deny", Principal=None, NotPrincipal={"AWS": arn(ROLE)})], {"by": ROLE}),
    ("a denial of all but the account's root", OPEN, [s(Principal="*"), s(Effect="Deny", Principal=None, NotPrincipal={"AWS": ROOT})], {"by": ROLE}),
    # --- accounts
    ("the account's root", ALLOWED, [s(Principal={"AWS": ROOT})], {"by": Account(T)}),
    ("the account's number", ALLOWED, [s(Principal={"AWS": ACCOUNT_})], {"by": Account(T)}),
    ("a literal account may be this one", OPEN, [s(Principal={"AWS": "123456789012"})], {"by": Account(T)}),
    ("a literal account's root may be this one's", OPEN, [s(Principal={"AWS": "arn:aws:iam::123456789012:root"})], {"by": Account(T)}),
    ("a number as YAML reads it", OPEN, [s(Principal={"AWS": 123456789012})], {"by": Account(T)}),
    ("a role is not the account", DENIED, [s(Principal={"AWS": arn(ROLE)})], {"by": Account(T)}),
    ("an unknown principal may be the account", OPEN, [s(Principal={"AWS": X})], {"by": Account(T)}),
]

SOURCE = "aws:SourceArn"
RULE_BY_HAND = arn_text(T, "events", "rule/billing/paid")

WHEN = [
    ("the rule itself", ALLOWED, [s(**c("ArnEquals", SOURCE, arn(RULE)))], {}),
    ("another rule", DENIED, [s(**c("ArnEquals", SOURCE, arn(DEFAULT_RULE)))], {}),
    ("case does not count in keys", ALLOWED, [s(**c("ArnLike", "AWS:sourcearn", arn(RULE)))], {}),
    ("case does not count in operators", ALLOWED, [s(**c("arnlike", SOURCE, arn(RULE)))], {}),
    ("one of several rules", ALLOWED, [s(**c("ArnEquals", SOURCE, arn(DEFAULT_RULE), arn(RULE)))], {}),
    ("none of several rules", DENIED, [s(**c("ArnEquals", SOURCE, arn(DEFAULT_RULE), arn(TOPIC)))], {}),
    ("an unknown one besides the right one", ALLOWED, [s(**c("ArnEquals", SOURCE, X, arn(RULE)))], {}),
    ("an unknown one besides a wrong one", OPEN, [s(**c("ArnEquals", SOURCE, X, arn(TOPIC)))], {}),
    ("an unknown list", OPEN, [s(**c("ArnEquals", SOURCE, X))], {}),
    ("the queue's own ARN", DENIED, [s(**c("ArnEquals", SOURCE, arn(QUEUE)))], {}),
    ("by hand, with the bus", ALLOWED, [s(**c("ArnEquals", SOURCE, RULE_BY_HAND))], {}),
    ("by hand, without the bus", DENIED, [s(**c("ArnEquals", SOURCE, arn_text(T, "events", "rule/paid")))], {}),
    ("by hand, with `default` as bus", DENIED, [s(**c("ArnEquals", SOURCE, arn_text(T, "events", "rule/default/tick")))], {"source": arn(DEFAULT_RULE)}),
    ("by hand, with the bus's ARN as bus", DENIED, [s(**c("ArnLike", SOURCE, arn_text(T, "events", "rule/", arn(BUS), "/paid")))], {}),
    ("wildcards in ArnEquals", ALLOWED, [s(**c("ArnEquals", SOURCE, "arn:aws:events:*:*:rule/*"))], {}),
    ("wildcards in ArnLike of another service", DENIED, [s(**c("ArnLike", SOURCE, "arn:aws:sns:*:*:*"))], {}),
    ("a wildcard past a colon in StringLike", ALLOWED, [s(**c("StringLike", SOURCE, "arn:aws:events:*:rule/billing/paid"))], {}),
    ("a wildcard past a colon in ArnLike", OPEN, [s(**c("ArnLike", SOURCE, "arn:aws:events:*:rule/billing/paid"))], {}),
    ("any ARN in ArnLike is not documented", OPEN, [s(**c("ArnLike", SOURCE, "*"))], {}),
    ("any ARN in StringLike", ALLOWED, [s(**c("StringLike", SOURCE, "*"))], {}),
    ("a wildcard in StringEquals is a character", DENIED, [s(**c("StringEquals", SOURCE, "arn:aws:events:*:*:rule/billing/paid"))], {}),
    ("StringEquals without a wildcard", ALLOWED, [s(**c("StringEquals", SOURCE, arn(RULE)))], {}),
    ("StringEquals minds case", DENIED, [s(**c("StringEquals", SOURCE, "ARN:AWS:EVENTS"))], {}),
    ("StringEqualsIgnoreCase does not", ALLOWED, [s(**c("StringEqualsIgnoreCase", SOURCE, arn_text(T, "events", "RULE/Billing/PAID")))], {}),
    ("a topic's ARN by hand, for that topic", ALLOWED, [s(Principal={"Service": "sns.amazonaws.com"}, **c("ArnEquals", SOURCE, arn_text(T, "sns", "news")))], {"by": "sns.amazonaws.com", "source": arn(TOPIC)}),
    ("a literal account in the source", OPEN, [s(**c("ArnLike", SOURCE, "arn:aws:events:*:123456789012:rule/*"))], {}),
    ("not this rule", DENIED, [s(**c("ArnNotEquals", SOURCE, arn(RULE)))], {}),
    ("not another rule", ALLOWED, [s(**c("ArnNotLike", SOURCE, arn(DEFAULT_RULE)))], {}),
    ("not one of several, of which it is one", DENIED, [s(**c("ArnNotEquals", SOURCE, arn(DEFAULT_RULE), arn(RULE)))], {}),
    ("not an unknown one", OPEN, [s(**c("ArnNotEquals", SOURCE, X))], {}),
    ("a denial unless it is this rule", ALLOWED, [s(), deny(**c("ArnNotEquals", SOURCE, arn(RULE)))], {}),
    ("a denial unless it is another rule", EXPLICIT, [s(), deny(**c("ArnNotEquals", SOURCE, arn(DEFAULT_RULE)))], {}),
    ("StringNotLike with a pattern that takes it", DENIED, [s(**c("StringNotLike", SOURCE, "arn:aws:events:*"))], {}),
    ("StringNotEqualsIgnoreCase", DENIED, [s(**c("StringNotEqualsIgnoreCase", SOURCE, arn_text(T, "events", "RULE/billing/paid")))], {}),
    ("both of two keys", ALLOWED, [s(Condition={"StringEquals": {SOURCE: arn(RULE), "aws:PrincipalServiceName": "events.amazonaws.com"}})], {}),
    ("one of two keys is not enough", DENIED, [s(Condition={"StringEquals": {SOURCE: arn(RULE), "aws:PrincipalServiceName": "sns.amazonaws.com"}})], {}),
    ("a service's name is no ARN", DENIED, [s(**c("ArnEquals", "aws:PrincipalServiceName", "events.amazonaws.com"))], {}),
    ("a denial that is merely possible, where nothing allows", DENIED, [deny(Action=X)], {}),
    ("one of two operators is not enough", DENIED, [s(Condition={"ArnLike": {SOURCE: arn(RULE)}, "Bool": {"aws:SecureTransport": "false"}})], {}),
    ("of one key nothing is known", OPEN, [s(**c("StringEquals", "aws:SourceAccount", ACCOUNT_))], {}),
    ("a bucket's account is known", ALLOWED, [s(Principal={"Service": "s3.amazonaws.com"}, **c("StringEquals", "aws:SourceAccount", ACCOUNT_))], {"by": "s3.amazonaws.com", "source": arn(BUCKET)}),
    ("a literal account may be the bucket's", OPEN, [s(Principal={"Service": "s3.amazonaws.com"}, **c("StringEquals", "aws:SourceAccount", "123456789012"))], {"by": "s3.amazonaws.com", "source": arn(BUCKET)}),
    ("anyone, for a bucket", ALLOWED, [s(Principal="*", Resource="arn:aws:sqs:*:*:orders", **c("ArnLike", SOURCE, "arn:aws:s3:*:*:pictures"))], {"by": "s3.amazonaws.com", "source": arn(BUCKET)}),
    ("an unknown key that fails leaves no doubt", DENIED, [s(Condition={"ArnEquals": {SOURCE: arn(TOPIC)}, "StringEquals": {"aws:SourceOrgID": "o-1"}})], {}),
    ("an unknown condition", OPEN, [s(Condition=X)], {}),
    ("an unknown block", OPEN, [s(Condition={"ArnEquals": X})], {}),
    ("an unknown block beside one that fails", DENIED, [s(Condition={"StringLike": X, "ArnEquals": {SOURCE: arn(TOPIC)}})], {}),
    ("a condition that is no mapping", OPEN, [s(Condition="never")], {}),
    ("an operator that AWS does not know", OPEN, [s(**c("StringMatches", SOURCE, arn(RULE)))], {}),
    ("an empty condition", ALLOWED, [s(Condition={})], {}),
    ("a key whose value is null is left out", ALLOWED, [s(**c("ArnEquals", SOURCE, None))], {}),
    ("a list of no values never matches", DENIED, [s(Condition={"ArnEquals": {SOURCE: []}})], {}),
    # --- bool and null
    ("over TLS", ALLOWED, [s(**c("Bool", "aws:SecureTransport", "true"))], {}),
    ("over TLS, as a truth value", ALLOWED, [s(**c("Bool", "aws:SecureTransport", True))], {}),
    ("a denial without TLS leaves services alone", ALLOWED, [s(), deny(Action="sqs:*", Resource="*", **c("Bool", "aws:SecureTransport", "false"))], {}),
    ("a denial of what is no service", ALLOWED, [s(), deny(**c("BoolIfExists", "aws:PrincipalIsAWSService", "false"))], {}),
    ("an unknown truth value", OPEN, [s(**c("Bool", "aws:SecureTransport", X))], {}),
    ("a key must be there, and is", ALLOWED, [s(**c("Null", SOURCE, "false"))], {}),
    ("a key must not be there, and is", DENIED, [s(**c("Null", SOURCE, True))], {}),
    ("a key must be there, and is not", DENIED, [s(**c("Null", "aws:PrincipalOrgID", "false"))], {}),
    ("a key must not be there, and is not", ALLOWED, [s(**c("Null", "aws:PrincipalOrgID", "true"))], {}),
    ("whether a key is there is not known", OPEN, [s(**c("Null", "aws:SourceOrgID", "false"))], {}),
    # --- keys that are not carried
    ("a service has no organization", DENIED, [s(**c("StringEquals", "aws:PrincipalOrgID", "o-1"))], {}),
    ("a denial to foreigners, which services are", EXPLICIT, [s(), deny(**c("StringNotEquals", "aws:PrincipalOrgID", "o-1"))], {}),
    ("a denial to foreigners that have one", EXPLICIT, [s(), deny(**c("StringNotEqualsIfExists", "aws:PrincipalOrgID", "o-1"))], {}),
    ("a denial that spares services", ALLOWED, [s(), deny(Condition={"StringNotEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}, "Bool": {"aws:PrincipalIsAWSService": "false"}})], {}),
    ("IfExists of a key that is not there", ALLOWED, [s(**c("StringEqualsIfExists", "aws:PrincipalOrgID", "o-1"))], {}),
    ("IfExists of a key that is there and differs", DENIED, [s(**c("ArnLikeIfExists", SOURCE, arn(TOPIC)))], {}),
    ("IfExists of a key that is there and matches", ALLOWED, [s(**c("ArnLikeIfExists", SOURCE, arn(RULE)))], {}),
    ("IfExists of a key of which nothing is known", OPEN, [s(**c("StringEqualsIfExists", "aws:SourceOrgID", "o-1"))], {}),
    ("a role carries no source", DENIED, [s(Principal={"AWS": arn(ROLE)}, **c("ArnEquals", SOURCE, arn(RULE)))], {"by": ROLE}),
    ("a role's own ARN", ALLOWED, [s(Principal="*", **c("ArnEquals", "aws:PrincipalArn", arn(ROLE)))], {"by": ROLE}),
    ("a role's account", ALLOWED, [s(Principal="*", **c("StringEquals", "aws:PrincipalAccount", ACCOUNT_))], {"by": ROLE}),
    # --- several values
    ("any of the carried values", ALLOWED, [s(**c("ForAnyValue:StringEquals", "k", "a", "b"))], {"context": {"k": [Known("x"), Known("b")]}}),
    ("none of the carried values", DENIED, [s(**c("ForAnyValue:StringEquals", "k", "a"))], {"context": {"k": [Known("x"), Known("y")]}}),
    ("one of the carried values is not known", OPEN, [s(**c("ForAnyValue:StringEquals", "k", "a"))], {"context": {"k": [Known("x"), X]}}),
    ("all of the carried values", ALLOWED, [s(**c("ForAllValues:StringLike", "k", "a*"))], {"context": {"k": [Known("a1"), Known("a2")]}}),
    ("not all of the carried values", DENIED, [s(**c("ForAllValues:StringLike", "k", "a*"))], {"context": {"k": [Known("a1"), Known("b")]}}),
    ("all of none", ALLOWED, [s(**c("ForAllValues:StringEquals", "k", "a"))], {"context": {"k": NEVER}}),
    ("any of none", DENIED, [s(**c("ForAnyValue:StringEquals", "k", "a"))], {"context": {"k": []}}),
    ("any of none, negated, is not documented", OPEN, [s(**c("ForAnyValue:StringNotEquals", "k", "a"))], {"context": {"k": NEVER}}),
    ("any of none, if it exists, is not documented", OPEN, [s(**c("ForAnyValue:StringEqualsIfExists", "k", "a"))], {"context": {"k": NEVER}}),
    ("any that is not listed", ALLOWED, [s(**c("ForAnyValue:StringNotEquals", "k", "a"))], {"context": {"k": [Known("a"), Known("b")]}}),
    ("all that are not listed", DENIED, [s(**c("ForAllValues:StringNotEquals", "k", "a"))], {"context": {"k": [Known("a"), Known("b")]}}),
    ("several values under a plain operator", OPEN, [s(**c("StringEquals", "k", "a"))], {"context": {"k": [Known("a"), Known("b")]}}),
    ("a list of one value is that value", ALLOWED, [s(**c("StringEquals", "k", "a"))], {"context": {"k": [Known("a")]}}),
    # --- numbers, dates, addresses, bytes
    ("a number that is less", ALLOWED, [s(**c("NumericLessThan", "k", "10"))], {"context": {"k": Known(9)}}),
    ("a number that is not less", DENIED, [s(**c("NumericLessThan", "k", 10))], {"context": {"k": Known(10)}}),
    ("a number at most", ALLOWED, [s(**c("NumericLessThanEquals", "k", 10))], {"context": {"k": Known("10")}}),
    ("a number that is more", DENIED, [s(**c("NumericGreaterThan", "k", 10))], {"context": {"k": Known(10)}}),
    ("a number at least", ALLOWED, [s(**c("NumericGreaterThanEquals", "k", 10))], {"context": {"k": Known(10)}}),
    ("the same number, written otherwise", ALLOWED, [s(**c("NumericEquals", "k", "1.0"))], {"context": {"k": Known(1)}}),
    ("another number", ALLOWED, [s(**c("NumericNotEquals", "k", 1))], {"context": {"k": Known(2)}}),
    ("an unknown number", OPEN, [s(**c("NumericLessThan", "k", 10))], {"context": {"k": X}}),
    ("no number", OPEN, [s(**c("NumericLessThan", "k", "many"))], {"context": {"k": Known(1)}}),
    ("a date before", ALLOWED, [s(**c("DateLessThan", "aws:CurrentTime", "2030-01-01T00:00:00Z"))], {"context": {"aws:currenttime": Known("2026-12-01T12:00:00Z")}}),
    ("a date after", DENIED, [s(**c("DateGreaterThan", "aws:CurrentTime", "2030-01-01"))], {"context": {"aws:currenttime": Known("2026-12-01T12:00:00Z")}}),
    ("a date as seconds", ALLOWED, [s(**c("DateEquals", "k", "0"))], {"context": {"k": Known("1970-01-01T00:00:00Z")}}),
    ("not that date", DENIED, [s(**c("DateNotEquals", "k", "0"))], {"context": {"k": Known("1970-01-01T00:00:00Z")}}),
    ("a date at most", ALLOWED, [s(**c("DateLessThanEquals", "k", "0"))], {"context": {"k": Known("0")}}),
    ("a date at least", DENIED, [s(**c("DateGreaterThanEquals", "k", "1"))], {"context": {"k": Known("0")}}),
    ("today is not known", OPEN, [s(**c("DateLessThan", "aws:CurrentTime", "2030-01-01"))], {}),
    ("no date", OPEN, [s(**c("DateLessThan", "k", "soon"))], {"context": {"k": Known("0")}}),
    ("an address in a network", ALLOWED, [s(**c("IpAddress", "aws:SourceIp", "10.0.0.0/8"))], {"context": {"aws:sourceip": Known("10.1.2.3")}}),
    ("an address outside", DENIED, [s(**c("IpAddress", "aws:SourceIp", "10.0.0.0/8"))], {"context": {"aws:sourceip": Known("11.1.2.3")}}),
    ("not in a network", DENIED, [s(**c("NotIpAddress", "aws:SourceIp", "10.0.0.0/8"))], {"context": {"aws:sourceip": Known("10.1.2.3")}}),
    ("IPv6 in a network", ALLOWED, [s(**c("IpAddress", "aws:SourceIp", "2001:db8::/32"))], {"context": {"aws:sourceip": Known("2001:db8::1")}}),
    ("no network", OPEN, [s(**c("IpAddress", "aws:SourceIp", "home"))], {"context": {"aws:sourceip": Known("10.1.2.3")}}),
    ("an unknown network", OPEN, [s(**c("IpAddress", "aws:SourceIp", X))], {"context": {"aws:sourceip": Known("10.1.2.3")}}),
    ("the same bytes", ALLOWED, [s(**c("BinaryEquals", "k", "QmFzZQ=="))], {"context": {"k": Known("QmFzZQ==")}}),
    # --- policy variables
    ("a policy variable", OPEN, [s(**c("StringEquals", "k", "${aws:username}"))], {"context": {"k": Known("me")}}),
    ("a policy variable beside what cannot match", DENIED, [s(**c("StringLike", "k", "you-${aws:username}"))], {"context": {"k": Known("me")}}),
    ("a policy variable with a default", OPEN, [s(**c("StringEquals", "k", "${aws:PrincipalTag/t, 'me'}"))], {"context": {"k": Known("me")}}),
    ("an escaped star", OPEN, [s(**c("StringLike", "k", "a${*}"))], {"context": {"k": Known("a*")}}),
]

OWN = [
    ("a role's own policy names no principal", ALLOWED, [mine()], {"by": ROLE, "kind": IDENTITY}),
    ("another action", DENIED, [mine(Action="sqs:ReceiveMessage")], {"by": ROLE, "kind": IDENTITY}),
    ("a condition of which nothing is known", OPEN, [mine(**c("StringEquals", "aws:ResourceTag/team", "a"))], {"by": ROLE, "kind": IDENTITY}),
    ("a source, which a role does not carry", DENIED, [mine(**c("ArnLike", SOURCE, "*"))], {"by": ROLE, "kind": IDENTITY}),
    ("no resource", OPEN, [mine(Resource=None)], {"by": ROLE, "kind": IDENTITY}),
    ("a table's stream is not the table", DENIED, [mine(Action="*", Resource="arn:aws:dynamodb:*:*:table/t")], {"by": ROLE, "kind": IDENTITY, "on": Known("arn:aws:dynamodb:r:1:table/t/stream/x")}),
    ("the service that may assume", ALLOWED, [s(Principal={"Service": "lambda.amazonaws.com"}, Action="sts:AssumeRole", Resource=None)], {"by": "lambda.amazonaws.com", "action": "sts:AssumeRole", "on": arn(ROLE), "kind": TRUST}),
    ("another service may assume", DENIED, [s(Principal={"Service": "ec2.amazonaws.com"}, Action="sts:AssumeRole", Resource=None)], {"by": "lambda.amazonaws.com", "action": "sts:AssumeRole", "on": arn(ROLE), "kind": TRUST}),
    ("tagging a session is not assuming", DENIED, [s(Principal={"Service": "lambda.amazonaws.com"}, Action="sts:TagSession", Resource=None)], {"by": "lambda.amazonaws.com", "action": "sts:AssumeRole", "on": arn(ROLE), "kind": TRUST}),
]
# fmt: on

TABLE = [*ELEMENTS, *WHO, *WHEN, *OWN]


@pytest.mark.parametrize(
    ("expected", "statements", "asked"),
    [pytest.param(*row[1:], id=f"{number:03} {row[0]}") for number, row in enumerate(TABLE)],
)
def test_decision(expected: str, statements: list[Any], asked: dict[str, Any]) -> None:
    assert ask(*statements, **asked) == expected


def test_the_rows_differ() -> None:
    assert len({(row[0], repr(row[2]), repr(row[3])) for row in TABLE}) == len(TABLE) >= 200


# --- documents ------------------------------------------------------------------------------------------------------


def decided(document: Value, **asked: Any) -> str:
    return word(decide([Policy(document)], request(**asked)))


def plain(**changed: Any) -> dict[str, Any]:
    return s(Resource="*", **changed)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (Known(json.dumps({"Statement": [plain()]})), ALLOWED),
        (Known(json.dumps({"Statement": plain()})), ALLOWED),
        (lift(plain()), ALLOWED),  # a bus policy of CloudFormation is one bare statement
        (lift([plain()]), ALLOWED),
        (lift({"statement": [{"effect": "Allow", "principal": "*", "action": "*", "resource": "*"}]}), ALLOWED),
        (Encoded(lift({"Statement": [s()]})), ALLOWED),
        (
            Text(
                (
                    '{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "',
                    arn(QUEUE),
                    '"}}',
                )
            ),
            ALLOWED,
        ),
        (
            Text(('{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "', X, '"}}')),
            OPEN,
        ),
        (Text(('{"Statement": [', X, "]}")), OPEN),
        (Known("{"), OPEN),  # AWS refuses it, and what stands there otherwise is not known
        (Known(None), DENIED),
        (lift({"Version": "2012-10-17"}), DENIED),
        (lift({"Statement": X}), OPEN),
        (lift({"Statement": "all"}), OPEN),
        (X, OPEN),
    ],
)
def test_documents(document: Value, expected: str) -> None:
    assert decided(document) == expected


def test_a_choice_is_decided_by_the_scenario() -> None:
    atom = Atom("var.env")
    prod = atom.compare("prod")
    choices = [
        Policy(Choice(prod, lift({"Statement": [s()]}), Known(None))),
        policy(s(Resource=Choice(prod, arn(QUEUE), arn(OTHER_QUEUE)))),
        policy(s(**c("ArnEquals", SOURCE, Choice(prod, arn(RULE), arn(TOPIC))))),
        policy(Choice(prod, lift(s()), Known(None))),
        policy(s(Principal=Choice(prod, Known("*"), lift({"AWS": ROOT})))),
    ]
    for chosen in choices:
        for _ in range(2):
            begin(Scenario({atom: "prod"}))
            assert word(decide([chosen], request())) == ALLOWED
            begin()
            assert word(decide([chosen], request())) == DENIED


def test_several_policies() -> None:
    assert word(decide([policy(s(Action="sqs:Purge")), policy(s())], request())) == ALLOWED
    assert word(decide([policy(s()), policy(deny())], request())) == EXPLICIT
    assert word(decide([policy(s()), Policy(X)], request())) == OPEN
    assert word(decide([policy(deny()), Policy(X)], request())) == EXPLICIT
    own = policy(mine(), kind=IDENTITY)
    assert word(decide([policy(s(Principal={"AWS": ROOT})), own], request(ROLE))) == ALLOWED


def test_who_decided() -> None:
    decision = decide([policy(s(Sid="first", Action="sqs:Purge"), s(Sid="second"))], request())
    assert isinstance(decision, Allowed)
    assert decision.by is not None
    assert decision.by.sid == "second"
    assert decision.test.certain
    denied = decide([policy(s(), deny(Sid="no"))], request())
    assert isinstance(denied, Denied)
    assert denied.by is not None
    assert denied.by.sid == "no"
    assert not denied.test.possible
    open_ = decide([policy(s(Sid="maybe", Action=X))], request())
    assert isinstance(open_, CannotTell)
    assert open_.blockers == ['statement "maybe" of the policy: var.x has no value']
    assert open_.test.possible
    assert not open_.test.certain
    assert not open_.may_deny


# --- keys -----------------------------------------------------------------------------------------------------------

DECRYPT = {"action": "kms:Decrypt", "on": arn(KEY_)}
DELEGATES = s(Principal={"AWS": ROOT}, Action="kms:*", Resource="*")
LETS_ROLE = s(Principal={"AWS": arn(ROLE)}, Action="kms:Decrypt", Resource="*")
MAY = mine(Action="kms:Decrypt", Resource=arn(KEY_))


@pytest.mark.parametrize(
    ("reason", "expected", "key", "own"),
    [
        ("the key lets the role", ALLOWED, [LETS_ROLE], []),
        ("the key hands over, the role may", ALLOWED, [DELEGATES], [MAY]),
        ("the key hands over, the role may not", DENIED, [DELEGATES], []),
        (
            "the key hands nothing over",
            DENIED,
            [s(Principal={"AWS": arn(OTHER_ROLE)}, Action="kms:*", Resource="*")],
            [MAY],
        ),
        ("AWS's own key policy hands over", ALLOWED, None, [MAY]),
        ("AWS's own key policy, the role may not", DENIED, None, [mine(Action="kms:Encrypt")]),
        ("the role's policy is for another key", DENIED, [DELEGATES], [mine(Action="kms:*", Resource=arn(QUEUE))]),
        (
            "the key denies",
            EXPLICIT,
            [DELEGATES, s(Effect="Deny", Principal={"AWS": arn(ROLE)}, Action="kms:*", Resource="*")],
            [MAY],
        ),
        ("the role's policy denies", EXPLICIT, [LETS_ROLE], [mine(Effect="Deny", Action="kms:*", Resource="*")]),
        ("the key hands over under a condition", OPEN, [DELEGATES | c("StringEquals", "kms:ViaService", "sqs")], [MAY]),
        (
            "the key hands over to an account that may be this one",
            OPEN,
            [s(Principal={"AWS": "arn:aws:iam::123456789012:root"}, Action="kms:*", Resource="*")],
            [MAY],
        ),
        ("the role's policy is not known", OPEN, [DELEGATES], [X]),
        ("the key's policy is not known", OPEN, [X], [MAY]),
        ("the key lets the role, whose own policy is not known", OPEN, [LETS_ROLE], [X]),
        ("the key lets the role, whose own policy may allow", ALLOWED, [LETS_ROLE], [mine(Action=X, Resource="*")]),
        (
            "a denial for the account",
            OPEN,
            [LETS_ROLE, s(Effect="Deny", Principal={"AWS": ROOT}, Action="kms:*", Resource="*")],
            [MAY],
        ),
    ],
)
def test_keys(reason: str, expected: str, key: list[Any] | None, own: list[Any]) -> None:
    key_policies = [] if key is None else [policy(*key, kind=KEY)]
    assert word(decide_for_key(key_policies, [policy(*own, kind=IDENTITY)], request(ROLE, **DECRYPT))) == expected, (
        reason
    )


def test_a_service_needs_the_key_s_own_policy() -> None:
    asked = request("events.amazonaws.com", **DECRYPT)
    assert word(decide_for_key([policy(DELEGATES)], [], asked)) == DENIED
    assert word(decide_for_key([policy(s(Action="kms:*", Resource="*"))], [], asked)) == ALLOWED
    assert word(decide_for_key([], [], asked)) == DENIED


# --- managed policies -----------------------------------------------------------------------------------------------

PREFIX = "arn:aws:iam::aws:policy/"


@pytest.mark.parametrize(
    ("name", "action", "expected"),
    [
        ("service-role/AWSLambdaSQSQueueExecutionRole", "sqs:ReceiveMessage", ALLOWED),
        ("service-role/AWSLambdaSQSQueueExecutionRole", "sqs:ChangeMessageVisibility", DENIED),
        ("service-role/AWSLambdaSQSQueueExecutionRole", "kms:Decrypt", DENIED),
        ("service-role/AWSLambdaSQSQueueExecutionRole", "ec2:DescribeVpcs", OPEN),
        ("service-role/AWSLambdaBasicExecutionRole", "logs:PutLogEvents", ALLOWED),
        ("service-role/AWSLambdaBasicExecutionRole", "sqs:ReceiveMessage", DENIED),
        ("service-role/AWSLambdaKinesisExecutionRole", "kinesis:SubscribeToShard", ALLOWED),
        ("service-role/AWSLambdaDynamoDBExecutionRole", "dynamodb:PutItem", DENIED),
        ("AdministratorAccess", "iam:CreateUser", ALLOWED),
        ("PowerUserAccess", "sqs:SendMessage", ALLOWED),
        ("PowerUserAccess", "iam:CreateUser", DENIED),
        ("AmazonSQSFullAccess", "sqs:SendMessage", ALLOWED),
        ("AmazonSQSFullAccess", "sns:Publish", DENIED),
        ("AWSLambda_FullAccess", "lambda:InvokeFunction", ALLOWED),
        ("AmazonEventBridgeFullAccess", "events:PutEvents", ALLOWED),
        ("AmazonDynamoDBFullAccess", "sns:Publish", DENIED),
        ("CloudWatchLogsFullAccess", "logs:CreateLogGroup", ALLOWED),
        ("SomethingNew", "sqs:SendMessage", OPEN),
    ],
)
def test_managed_policies(name: str, action: str, expected: str) -> None:
    found = managed_policies.lookup(Known(PREFIX + name))
    assert found is not None
    assert word(decide([found], request(ROLE, action))) == expected


def test_how_managed_policies_are_named() -> None:
    partition = text("arn:", shared(T, "partition"), ":iam::aws:policy/AmazonSQSFullAccess")
    assert managed_policies.lookup(partition) is managed_policies.lookup(Known("AmazonSQSFullAccess"))
    assert managed_policies.lookup(Known("arn:aws:iam::123456789012:policy/AmazonSQSFullAccess")) is None
    assert managed_policies.lookup(Known("SQSSendMessagePolicy")) is None
    assert managed_policies.lookup(X) is None
    own = make(T, "iam.policy", "own", name="AmazonSQSFullAccess")
    found = make(T, "iam.policy", "found", elsewhere=True, name="AmazonSQSFullAccess")
    assert managed_policies.lookup(arn(own)) is None
    assert managed_policies.lookup(arn(found)) is managed_policies.lookup(partition)
    vague = managed_policies.lookup(Text((PREFIX, X)))
    assert vague is not None
    assert word(decide([vague], request(ROLE))) == OPEN


# --- Lambda permissions ---------------------------------------------------------------------------------------------

INVOKE = "lambda:InvokeFunction"


def permission(**given: Any) -> Policy:
    base = {"function_name": Ref(FUNCTION, "name"), "principal": "events.amazonaws.com", "action": INVOKE}
    return of_permission(make(T, "lambda.permission", "p", **(base | given)))


@pytest.mark.parametrize(
    ("given_", "asked", "expected"),
    [
        ({}, {}, ALLOWED),
        ({"source_arn": arn(RULE)}, {}, ALLOWED),
        ({"source_arn": arn(DEFAULT_RULE)}, {}, DENIED),
        ({"source_arn": arn_text(T, "events", "rule/paid")}, {}, DENIED),
        ({"source_arn": arn_text(T, "events", "rule/*")}, {}, ALLOWED),
        ({"source_arn": X}, {}, OPEN),
        ({"source_account": ACCOUNT_}, {}, OPEN),  # whether EventBridge carries it is not known
        ({"principal": "s3.amazonaws.com"}, {}, DENIED),
        ({"principal": X}, {}, OPEN),
        ({"principal": "123456789012"}, {}, DENIED),
        ({"principal": "*"}, {}, ALLOWED),
        ({"principal": arn(ROLE)}, {"by": ROLE}, ALLOWED),
        ({"principal": text("logs.", REGION_, ".amazonaws.com")}, {"by": "logs.amazonaws.com"}, OPEN),
        ({"principal_org_id": "o-1", "principal": "*"}, {}, DENIED),
        ({"action": "lambda:GetFunction"}, {}, DENIED),
        ({"qualifier": "live"}, {}, DENIED),  # the unqualified function is invoked
        ({"qualifier": "live"}, {"on": arn(LIVE)}, ALLOWED),
        ({"qualifier": Ref(LIVE, "name")}, {"on": arn(LIVE)}, ALLOWED),
        ({}, {"on": arn(LIVE)}, DENIED),
        ({"function_name": arn(LIVE)}, {"on": arn(LIVE)}, ALLOWED),
        ({"function_name": arn(FUNCTION)}, {}, ALLOWED),
        ({"function_name": "fn"}, {}, ALLOWED),
        ({"function_name": "fn:live"}, {"on": arn(LIVE)}, ALLOWED),
        ({"function_name": "other"}, {}, DENIED),
        ({"function_name": X}, {}, OPEN),
        ({"function_name": arn_text(T, "lambda", "function:fn")}, {}, ALLOWED),
        (
            {"principal": "logs.amazonaws.com", "source_arn": arn(GROUP)},
            {"by": "logs.amazonaws.com", "source": text(arn(GROUP), ":*")},
            DENIED,
        ),
        (
            {"principal": "logs.amazonaws.com", "source_arn": text(arn(GROUP), ":*")},
            {"by": "logs.amazonaws.com", "source": text(arn(GROUP), ":*")},
            ALLOWED,
        ),
    ],
)
def test_permissions(given_: dict[str, Any], asked: dict[str, Any], expected: str) -> None:
    wanted = {"on": arn(FUNCTION), "action": INVOKE} | asked
    assert word(decide([permission(**given_)], request(**wanted))) == expected


def test_what_a_permission_covers_may_be_given() -> None:
    made = make(T, "lambda.permission", "q", function_name=X, principal="events.amazonaws.com", action=INVOKE)
    assert isinstance(covered(made), Unknown)
    policy_ = of_permission(made, arn(LIVE))
    assert word(decide([policy_], request(on=arn(LIVE), action=INVOKE))) == ALLOWED


# --- explanations ---------------------------------------------------------------------------------------------------

SNS = {"Service": "sns.amazonaws.com"}
BY_TOPIC = {"by": "sns.amazonaws.com", "source": arn(TOPIC)}


@pytest.mark.parametrize(
    ("statement", "asked", "hints", "meant"),
    [
        (s(**c("ArnEquals", SOURCE, arn(QUEUE))), {}, ["own-arn"], True),
        (s(**c("ArnEquals", SOURCE, arn_text(T, "events", "rule/paid"))), {}, ["bus-segment-missing"], True),
        (s(**c("ArnLike", SOURCE, "arn:aws:events:*:*:rule/paid")), {}, ["bus-segment-missing"], True),
        (
            s(**c("ArnEquals", SOURCE, arn_text(T, "events", "rule/default/tick"))),
            {"source": arn(DEFAULT_RULE)}, ["default-segment"], True,
        ),
        (s(**c("ArnLike", SOURCE, arn_text(T, "events", "rule/", arn(BUS), "/paid"))), {}, ["arn-inside-arn"], True),
        (s(**c("ArnLike", SOURCE, arn(BUS))), {}, ["bus-arn"], True),
        (s(**c("StringEquals", SOURCE, "arn:aws:events:*:*:rule/billing/paid")), {}, ["wildcard-in-equals"], True),
        (s(**c("StringEquals", SOURCE, "arn:aws:events:*:*:rule/other")), {}, ["other-resource"], True),
        (s(**c("ArnEquals", SOURCE, arn(TOPIC))), {}, ["other-service"], True),
        (s(**c("ArnEquals", SOURCE, Ref(QUEUE, "url"))), {}, ["url"], True),
        (s(**c("ArnEquals", SOURCE, "paid")), {}, ["no-arn"], True),
        (s(Resource=Ref(QUEUE, "url")), {}, ["url"], True),
        (s(Resource=arn(OTHER_QUEUE)), {}, ["other-resource"], True),
        (s(Resource=text("arn:aws:sqs:", REGION_, ":", "1", ":orders")), {}, ["other-account"], True),
        (s(Resource=text("arn:aws:sqs:EU:", ACCOUNT_, ":orders")), {}, ["other-region"], True),
        (s(Action="sqs:ReceiveMessage"), {}, ["other"], True),
        (s(Action=None), {}, ["absent"], True),
        (s(**c("StringEquals", "aws:PrincipalOrgID", "o-1")), {}, ["never-carried"], True),
        (s(**c("ArnNotEquals", SOURCE, arn(RULE))), {}, ["other"], True),
        (s(Principal=SNS), {}, ["other-service"], False),
        (s(Principal=SNS, **c("ArnEquals", SOURCE, arn(RULE))), {}, ["other-service"], True),
        (s(Principal={"AWS": ROOT}), {}, ["other"], False),
        (s(Principal="*", **c("ArnEquals", SOURCE, arn(TOPIC))), {}, ["other-service"], False),
        (s(Principal=None), {}, ["absent"], False),
        (s(Principal=SNS), {"by": "sns.af-south-1.amazonaws.com"}, ["regional-principal"], True),
        (s(Principal=SNS, **c("ArnEquals", SOURCE, arn(OTHER_TOPIC))), BY_TOPIC, ["other-resource"], True),
        (
            s(Principal={"Service": "logs.amazonaws.com"}, **c("ArnEquals", SOURCE, arn(GROUP))),
            {"by": "logs.amazonaws.com", "source": text(arn(GROUP), ":*")}, ["star-missing"], True,
        ),
        (s(Action="sqs:Purge", Resource=Ref(QUEUE, "name")), {}, ["other", "no-arn"], True),
        (s(Principal={"AWS": arn(ROLE)}, **c("ArnEquals", SOURCE, arn(RULE))), {"by": ROLE}, ["never-carried"], True),
        (s(), {}, [], True),
    ],
)  # fmt: skip
def test_explain(statement: dict[str, Any], asked: dict[str, Any], hints: list[str], meant: bool) -> None:
    policies, asked_ = [policy(statement)], request(**asked)
    found = explain(policies, asked_)
    assert [mismatch.hint for mismatch in found] == hints
    assert all(mismatch.meant is meant for mismatch in found)
    assert all(mismatch.alone is (len(hints) == 1) for mismatch in found)
    assert bool(meant_for(policies, asked_)) is meant
    assert word(decide(policies, asked_)) == (DENIED if hints else ALLOWED)


def test_an_explanation_is_put_into_words() -> None:
    (found,) = explain([policy(s(**c("ArnEquals", SOURCE, arn(QUEUE))))], request())
    assert found.says == "aws:SourceArn holds the ARN of the resource that the policy protects"
    assert (found.element, found.key, found.operator) == ("condition", SOURCE, "ArnEquals")
    assert isinstance(found.value, Ref)
    assert found.site is found.value.site
    (other,) = explain([policy(s(Resource=Ref(QUEUE, "url")))], request())
    assert other.says == "Resource is a URL, not an ARN"


def test_a_denial_is_not_explained_away() -> None:
    assert explain([policy(deny(Action="sqs:Purge"))], request()) == []
    assert meant_for([policy(deny())], request()) == []


def test_an_identity_policy_is_meant_for_the_services_that_it_names() -> None:
    (found,) = explain([policy(mine(Action="sqs:ReciveMessage"), kind=IDENTITY)], request(ROLE, "sqs:ReceiveMessage"))
    assert found.meant
    assert found.alone
    (found,) = explain([policy(mine(Action="sns:Publish"), kind=IDENTITY)], request(ROLE))
    assert not found.meant


def test_wildcards_that_are_taken_to_the_letter() -> None:
    (statement,), _ = policy(s(Condition={"StringEquals": {SOURCE: ["a*", "b"]}, "ArnEquals": {SOURCE: "c*"}})).read()
    assert [value.data for _, value in literal_wildcards(statement) if isinstance(value, Known)] == ["a*"]


# --- properties -----------------------------------------------------------------------------------------------------

VALUES = {
    "Effect": ["Allow", "Deny"],
    "Principal": ["*", {"Service": "events.amazonaws.com"}, SNS, {"AWS": ROOT}, {"AWS": arn(ROLE)}, {"AWS": X}],
    "Action": ["sqs:SendMessage", "sqs:*", "*", ["sns:Publish", "sqs:Send*"], "sqs:Purge", text("sqs:", X)],
    "Resource": [
        arn(QUEUE),
        "*",
        "arn:aws:sqs:*:*:orders",
        arn(OTHER_QUEUE),
        "arn:aws:sqs:eu-west-1:123456789012:orders",
    ],
    "Condition": [
        None,
        None,
        {"ArnEquals": {SOURCE: arn(RULE)}},
        {"ArnLike": {SOURCE: ["arn:aws:events:*:*:rule/*", arn(TOPIC)]}},
        {"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}},
        {"ForAllValues:StringEquals": {"aws:TagKeys": ["a"]}, "Bool": {"aws:SecureTransport": "true"}},
        {"StringEqualsIfExists": {"aws:SourceAccount": ACCOUNT_}},
        {"Null": {SOURCE: "true"}},
    ],
}
STATEMENT = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()})
NEGATED = st.sampled_from([(), ("Action",), ("Resource",), ("Principal",)])
STATEMENTS = st.tuples(STATEMENT, NEGATED).map(
    lambda made: {f"Not{name}" if name in made[1] else name: item for name, item in made[0].items()}
)
REQUESTS = st.sampled_from(
    [
        request(),
        request(**BY_TOPIC),
        request(ROLE),
        request("s3.amazonaws.com", source=arn(BUCKET)),
        request(Account(T)),
    ]
)
LISTS = st.lists(STATEMENTS, max_size=4)
RANK = {DENIED: 0, EXPLICIT: 0, OPEN: 1, ALLOWED: 2}


def outcome(statements: list[Any], asked: Request) -> str:
    return word(decide([policy(*statements)], asked))


@settings(max_examples=100)
@given(LISTS, STATEMENTS, REQUESTS)
def test_an_allowance_never_takes_away(statements: list[Any], more: dict[str, Any], asked: Request) -> None:
    before = outcome(statements, asked)
    after = outcome([*statements, more | {"Effect": "Allow"}], asked)
    assert RANK[after] >= RANK[before]


@settings(max_examples=100)
@given(LISTS, STATEMENTS, REQUESTS)
def test_a_denial_never_gives(statements: list[Any], more: dict[str, Any], asked: Request) -> None:
    before = outcome(statements, asked)
    after = outcome([*statements, more | {"Effect": "Deny"}], asked)
    assert RANK[after] <= RANK[before]


@settings(max_examples=100)
@given(LISTS, REQUESTS, st.randoms(use_true_random=False))
def test_the_order_of_statements_does_not_count(statements: list[Any], asked: Request, random: Any) -> None:
    mixed = list(statements)
    random.shuffle(mixed)
    assert outcome(mixed, asked) == outcome(statements, asked)


def spots(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(data, dict):
        for key, item in data.items():
            found += spots(item, (*path, key))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            found += spots(item, (*path, number))
    return found


def blurred(data: Any, path: tuple[Any, ...]) -> Any:
    if not path:
        return unknown("var.blurred")
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = blurred(copy[path[0]], path[1:])
    return copy


@settings(max_examples=200)
@given(LISTS.filter(bool), REQUESTS, st.data())
def test_what_is_blurred_only_moves_towards_doubt(statements: list[Any], asked: Request, data: Any) -> None:
    statements = [{key: item for key, item in made.items() if item is not None} for made in statements]
    before = outcome(statements, asked)
    after = outcome(blurred(statements, data.draw(st.sampled_from(spots(statements)))), asked)
    assert after == OPEN or RANK[after] == RANK[before]


@settings(max_examples=100)
@given(LISTS, REQUESTS)
def test_an_explanation_agrees_with_the_decision(statements: list[Any], asked: Request) -> None:
    policies = [policy(*statements)]
    explained = {id(mismatch.statement) for mismatch in explain(policies, asked)}
    allowing = [statement for statement in policies[0].read()[0] if statement.effect == "allow"]
    if outcome(statements, asked) == DENIED:
        assert all(id(statement) in explained for statement in allowing)
    decision = decide(policies, asked)
    if isinstance(decision, Allowed):
        assert id(decision.by) not in explained


LEAF = st.sampled_from([None, True, 5, "", "*", "a:b", "arn:", "arn:aws:sqs:*:*:orders", "${", "Allow", X, arn(QUEUE)])
WORDS = [
    "Statement",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
]
WORDS += ["AWS", "Service", "StringLike", "ForAnyValue:ArnLikeIfExists", "Null", "NumericLessThan", "IpAddress", SOURCE]
ANYTHING = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=150)
@given(ANYTHING, REQUESTS)
def test_no_document_raises(document: Any, asked: Request) -> None:
    policies = [Policy(lift(document)), policy(document)]
    assert word(decide(policies, asked))
    for mismatch in explain(policies, asked):
        assert mismatch.says
