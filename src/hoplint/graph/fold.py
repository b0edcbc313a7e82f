"""Settings that one dialect writes apart and another inside are brought into one shape, each by a small named fold.

The shape that the graph sees is the finer one: a policy, a target, a subscription, a notification entry is a resource
of its own even where it was written inside another, and then shares its address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hoplint.catalog import KINDS
from hoplint.model.condition import TRUE, Condition, both
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Unknown, Value, branches, choose, is_null

Loose = Callable[[str, Resource, str], None]
"""Notes that a part of a kind exists whose place is not known: kind, who declares it, why."""


def part(parent: Resource, kind: str, fields: Value | None = None, exists: Condition = TRUE) -> Resource:
    """A resource that is written inside another: its settings are the fields of a mapping."""
    data = fields.data if isinstance(fields, Known) and isinstance(fields.data, dict) else {}
    through = fields.through if fields is not None else ()

    def fetch(name: str) -> Value | None:
        value = data.get(name)
        return value.moved(value.site, through) if value is not None and through and not value.through else value

    child = Resource(
        KINDS[kind],
        parent.type,
        parent.address,
        parent.stack,
        (fields.site if fields is not None and fields.site is not None else parent.head),
        fetch,
        exists=both(parent.exists, exists),
        off_by_default=parent.off_by_default,
        elsewhere=False,
        many=parent.many,
        construct=parent.construct,
        creation=parent.creation,
        parent=parent,
    )
    child.ignores = parent.ignores
    return child


def elements(value: Value) -> Iterator[tuple[Value, Condition]]:
    """The elements of a list that may depend on conditions, each with its condition; unknown ones as they are."""
    for whole, condition in branches(value):
        if isinstance(whole, Known) and isinstance(whole.data, list):
            for item in whole.data:
                for branch, inner in branches(item):
                    if not is_null(branch):
                        yield branch, both(condition, inner)
        elif not is_null(whole):
            yield whole, condition


def fold(stack: Stack, loose: Loose) -> list[Resource]:
    """Return the resources of a stack in their finest shape."""
    folded: list[Resource] = []
    for resource in stack.resources:
        folded.append(resource)
        one = _FOLDS.get(resource.kind.name)
        if one is not None and not resource.elsewhere:
            folded.extend(one(resource, loose))
    return folded


def _children(parent: Resource, listed: str, kind: str, loose: Loose) -> Iterator[Resource]:
    for item, condition in elements(parent.raw(listed)):
        if isinstance(item, Known) and isinstance(item.data, dict):
            yield part(parent, kind, item, condition)
        else:
            why = item.why if isinstance(item, Unknown) else f"{listed} of {parent.address} cannot be read"
            loose(kind, parent, why)


def _inline_policy(kind: str, owner: str, attribute: str) -> Callable[[Resource, Loose], Iterator[Resource]]:
    """A policy written on the queue or topic itself."""

    def inline(resource: Resource, loose: Loose) -> Iterator[Resource]:
        value = resource.raw("policy")
        if not is_null(value):
            policy = part(resource, kind)
            policy.head = value.site or resource.head
            policy.give(owner, Ref(resource, attribute, resource.head), resource)
            policy.give("policy", value, resource)
            yield policy

    return inline


def _topic(topic: Resource, loose: Loose) -> Iterator[Resource]:
    yield from _inline_policy("sns.topic_policy", "topics", "arn")(topic, loose)
    for subscription in _children(topic, "subscriptions", "sns.subscription", loose):
        subscription.give("topic", Ref(topic, "arn", topic.head), topic)
        yield subscription


def _rule(rule: Resource, loose: Loose) -> Iterator[Resource]:
    for target in _children(rule, "targets", "events.target", loose):
        target.give("rule", Ref(rule, "name", rule.head), rule)
        target.give("bus", rule.raw("bus"), rule)
        yield target


def _bucket(bucket: Resource, loose: Loose) -> Iterator[Resource]:
    for value, condition in branches(bucket.raw("notification")):
        if is_null(value):
            continue
        if not isinstance(value, Known):
            loose("s3.notification", bucket, f"the notifications of {bucket.address} cannot be read")
            continue
        notification = part(bucket, "s3.notification", value, condition)
        notification.give("bucket", Ref(bucket, "name", bucket.head), bucket)
        yield notification
        yield from _notification(notification, loose)


def _notification(notification: Resource, loose: Loose) -> Iterator[Resource]:
    for listed in ("queues", "functions", "topics"):
        for entry in _children(notification, listed, "s3.notification_entry", loose):
            entry.parent = notification
            yield entry


def _alias(alias: Resource, loose: Loose) -> Iterator[Resource]:
    value = alias.raw("provisioned")
    if isinstance(value, Unknown):
        # Whether anything is kept warm is not known.
        loose("lambda.provisioned_concurrency", alias, value.why)
    elif not is_null(value):
        provisioned = part(alias, "lambda.provisioned_concurrency")
        provisioned.head = alias.raw("provisioned_config").site or alias.head
        provisioned.give("function", alias.raw("function"), alias)
        provisioned.give("qualifier", Ref(alias, "name", alias.head), alias)
        provisioned.give("provisioned", value, alias)
        yield provisioned


_FOLDS: dict[str, Callable[[Resource, Loose], Iterator[Resource]]] = {
    "sqs.queue": _inline_policy("sqs.queue_policy", "queues", "url"),
    "sns.topic": _topic,
    "events.rule": _rule,
    "s3.bucket": _bucket,
    "s3.notification": _notification,
    "lambda.alias": _alias,
    "lambda.version": _alias,
}


def hand_over(giver: Resource, taker: Resource, name: str, value: Value) -> None:
    """Let a resource that carries another's setting give it, under the giver's own condition."""
    taker.give(name, choose(giver.exists, value, taker.raw(name)), giver)
