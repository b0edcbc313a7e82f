"""Numbers that AWS does not take: the catalogue's ranges, and where they depend on another setting."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from hoplint.model.inquiry import certainly
from hoplint.model.number import Bound, Quantity
from hoplint.model.resource import Resource
from hoplint.model.value import is_null, quantity

KINDS = (
    "sqs.queue", "lambda.function", "lambda.event_source_mapping", "lambda.invoke_config", "events.target",
    "scheduler.schedule", "pipes.pipe", "kinesis.stream",
)  # fmt: skip

# Only functions with a capacity provider may have more.
_FUNCTION = {"timeout": 900, "memory": 10_240}


class Outside:
    """A number that is outside of its range."""

    __slots__ = ("name", "number", "low", "high")

    def __init__(self, name: str, number: Quantity, low: Bound, high: Bound) -> None:
        self.name = name
        self.number = number
        self.low = low
        self.high = high

    @property
    def range(self) -> str:
        """The range in words."""
        return f"between {self.low:,} and {self.high:,}"


def outside(resource: Resource) -> Iterator[Outside]:
    """The settings of a resource that certainly are outside of their range."""
    for prop in resource.kind.properties.values():
        if prop.low == -inf or prop.high == inf or not resource.written(prop.name):
            continue
        value = resource.get(prop.name)
        # Unbounded here: the range is what is asked about.
        number = None if is_null(value) else quantity(value)
        if number is None or _unset(resource, prop.name, number):
            continue
        high = prop.high
        if resource.kind.name == "lambda.function" and prop.name in _FUNCTION:
            high = _FUNCTION[prop.name] if is_null(resource.get("capacity_provider")) else high
        if certainly(number < prop.low) or certainly(number > high):
            yield Outside(prop.name, number, prop.low, high)


def _unset(resource: Resource, name: str, number: Quantity) -> bool:
    """Terraform's provider sends no batch size of 0, and AWS takes its default."""
    return resource.stack.family == "terraform" and name == "batch_size" and number.exact == 0
