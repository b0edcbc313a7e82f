"""Where JSON documents stand in strings."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.model.embedded import UNKNOWN, Embedded, read
from hoplint.model.inquiry import doubt, settle
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Text, Value, is_null, reason

_PLACES = {
    "sqs.queue": ("policy", "redrive_policy", "redrive_allow_policy"),
    "sqs.queue_policy": ("policy",),
    "sqs.redrive_policy": ("policy",),
    "sqs.redrive_allow_policy": ("policy",),
    "sns.topic": ("policy",),
    "sns.topic_policy": ("policy",),
    "sns.subscription": ("filter_policy", "redrive_policy"),
    "events.bus_policy": ("policy",),
    "events.rule": ("pattern",),
    "events.target": ("input",),
    "lambda.event_source_mapping": ("filters",),
    "pipes.pipe": ("filters",),
    "states.machine": ("definition",),
    "iam.role": ("trust",),
    "iam.role_policy": ("policy",),
    "iam.policy": ("policy",),
    "kms.key": ("policy",),
    "kms.key_policy": ("policy",),
}
_LABELS = {
    "filters": "filter", "pattern": "event pattern", "trust": "trust policy", "redrive_policy": "redrive policy",
    "redrive_allow_policy": "redrive allow policy", "filter_policy": "filter policy",
}  # fmt: skip

KINDS = tuple(_PLACES)


class Document:
    """A string that must be JSON, and what came of reading it; `pattern` marks filters and event patterns."""

    __slots__ = ("setting", "label", "found", "pattern")

    def __init__(self, setting: str, found: Embedded) -> None:
        self.setting = setting
        self.label = _LABELS.get(setting, setting)
        self.found = found
        self.pattern = setting in ("filters", "pattern", "filter_policy")


def strings(resource: Resource) -> Iterator[Document]:
    """The documents of a resource that are written as strings; what is written as a mapping cannot be malformed."""
    # What is written inside another resource is read there, rules and their targets excepted.
    if resource.elsewhere or (resource.parent is not None and resource.kind.name != "events.target"):
        return
    for name in _PLACES[resource.kind.name]:
        if name in resource.given:
            continue
        value = settle(resource.raw(name))
        items = value.data if isinstance(value, Known) and isinstance(value.data, list) else [value]
        for item in map(settle, items):
            if _is_string(item) and not _filled_later(resource, item):
                found = read(item)
                if found.kind == UNKNOWN and found.tree is not None:
                    doubt(reason(found.tree), resource, item.place_of_change)
                yield Document(name, found)


def _is_string(value: Value) -> bool:
    # An empty string is taken for an absent setting.
    if isinstance(value, Known):
        return isinstance(value.data, str) and bool(value.data.strip())
    return isinstance(value, Text) and not is_null(value)


def _filled_later(resource: Resource, value: Value) -> bool:
    """Whether CloudFormation puts something into a definition before it is parsed."""
    if resource.kind.name != "states.machine" or resource.stack.family == "terraform":
        return False
    pieces = value.parts if isinstance(value, Text) else (value.data,) if isinstance(value, Known) else ()
    return any(isinstance(piece, str) and "${" in piece for piece in pieces)
