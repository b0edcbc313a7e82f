"""What can be told of an ARN before there is one: its service, its kind, its name.

Modules ask `strcontains(var.event_source_arn, ":sqs:")`. The question is put to two ARNs of the resource's shape that
differ in all that is not known; what both answer alike holds for the ARN that will be.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hoplint.model.value import COMPUTED, Known, Ref, Unknown, Value

ASKING = frozenset(("strcontains", "startswith", "endswith", "regexall", "split"))

_SAMPLES = (
    {"partition": "aws", "region": "us-east-1", "account": "123456789012", "name": "qa7-wv", "function": "qf3-xz"},
    {"partition": "aws-cn", "region": "mx-central-9", "account": "098765432109", "name": "Zk_b", "function": "Jh_d"},
)


def applies(name: str, args: list[Value]) -> bool:
    """Whether a function asks something of an ARN that is not there yet."""
    return name in ASKING and any(_shape(arg) for arg in args)


def _shape(value: Value) -> str:
    return value.target.kind.arn if isinstance(value, Ref) and value.attribute == "arn" else ""


def ask(args: list[Value], call: Callable[[list[Value]], Value]) -> Value:
    """Call the function with both ARNs, and keep what is the same in both answers."""
    answers = [call([_sample(arg, sample) for arg in args]) for sample in _SAMPLES]
    return _common(answers[0], answers[1])


def _sample(value: Value, sample: dict[str, str]) -> Value:
    shape = _shape(value)
    if not shape:
        return value
    assert isinstance(value, Ref)
    name = (
        value.target.raw(value.target.kind.named_by)
        if value.target.kind.named_by in value.target.kind.properties
        else None
    )
    known = {**sample, "name": name.data} if isinstance(name, Known) and isinstance(name.data, str) else sample
    return Known(re.sub(r"\{(\w+)\}", lambda part: known[part[1]], shape))


def _common(one: Value, other: Value) -> Value:
    if isinstance(one, Known) and isinstance(other, Known):
        if isinstance(one.data, list) and isinstance(other.data, list) and len(one.data) == len(other.data):
            pairs = zip(one.data, other.data, strict=True)
            return Known([_common(left, right) for left, right in pairs], None, COMPUTED)
        if not isinstance(one.data, list | dict) and type(one.data) is type(other.data) and one.data == other.data:
            return Known(one.data, None, COMPUTED)
    return Unknown("an ARN is known only after deployment")
