"""Stacks and resources made by hand, for tests of what needs no reader."""

from __future__ import annotations

from typing import Any

from hoplint.catalog import KINDS
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.number import Symbol
from hoplint.model.place import Place, Source, Spot
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Text, Unknown, Value, join_text

SOURCE = Source("main.tf", b"")


def site(line: int = 1) -> Spot:
    """A place in a file that does not exist."""
    return Spot(SOURCE, Place("main.tf", line))


def lift(data: Any) -> Value:
    """Plain data as values; what is a value already stays as it is."""
    if isinstance(data, Value):
        return data
    if isinstance(data, dict):
        return Known({key: lift(item) for key, item in data.items()})
    if isinstance(data, list | tuple):
        return Known([lift(item) for item in data])
    return Known(data)


def stack(dialect: str = "terraform", name: str = "app") -> Stack:
    """An empty stack."""
    return Stack(name, dialect, "main.tf")


def make(where: Stack, kind: str, label: str, *, elsewhere: bool = False, **settings: Any) -> Resource:
    """A resource with its settings by their names in Terraform (or CloudFormation)."""
    shape = KINDS[kind]
    names = shape.terraform if where.family == "terraform" else shape.cloudformation
    type_name = names[0] if names else kind
    address = f"{type_name}.{label}" if where.family == "terraform" else label
    values = {key: lift(item) for key, item in settings.items()}
    made = Resource(shape, type_name, address, where, site(), values.get, elsewhere=elsewhere)
    where.resources.append(made)
    return made


def unknown(name: str = "var.x") -> Unknown:
    """A value that is not known, with a symbol of its own."""
    why = f"{name} has no value"
    return Unknown(why, site(), Symbol(name, why))


def text(*parts: str | Value) -> Value:
    """A text of pieces."""
    return join_text(list(parts), site())


def arn_text(where: Stack, service: str, rest: str | Value, *more: str | Value) -> Value:
    """An ARN that is built by hand of the stack's own partition, region and account."""
    return Text(
        ("arn:", shared(where, PARTITION), f":{service}:", shared(where, REGION), ":", shared(where, ACCOUNT), ":",
         rest, *more),
        site(),
    )  # fmt: skip


def arn(resource: Resource) -> Ref:
    """A reference to a resource's ARN."""
    return Ref(resource, "arn", site())
