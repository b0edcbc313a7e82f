"""The shape of the catalogue's table: kinds of resources and their properties."""

from __future__ import annotations

from math import inf
from typing import Any

from hoplint.model.number import Bound


class Property:
    """One setting: its neutral name, where each dialect writes it, AWS's default and the range that AWS takes.

    A path is dotted; `[]` behind a segment means every element of a list or every block of that name, otherwise the
    first counts. Several paths are tried in order. Defaults may differ per dialect (`defaults`).
    """

    __slots__ = ("name", "terraform", "cloudformation", "default", "defaults", "low", "high")

    def __init__(
        self,
        name: str,
        terraform: str | tuple[str, ...] = (),
        cloudformation: str | tuple[str, ...] = (),
        default: Any = None,
        low: Bound = -inf,
        high: Bound = inf,
        defaults: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.terraform = (terraform,) if isinstance(terraform, str) else terraform
        self.cloudformation = (cloudformation,) if isinstance(cloudformation, str) else cloudformation
        self.default = default
        self.defaults = defaults
        self.low = low
        self.high = high

    def paths(self, family: str) -> tuple[str, ...]:
        """Where the dialect writes it."""
        return self.terraform if family == "terraform" else self.cloudformation

    def default_in(self, family: str) -> Any:
        """AWS's value when nothing is written."""
        if self.defaults and family in self.defaults:
            return self.defaults[family]
        return self.default


class Kind:
    """A kind of resource, the same in every dialect.

    `terraform` and `cloudformation` list its type names. `attributes` translate a dialect's attribute of a reference
    (`.id`, `Ref`) into the neutral one. `identity` are the neutral names that a reference keeps as a reference.
    `arn` is the shape of its ARN, with `{name}` for the property that names it.
    """

    __slots__ = ("name", "terraform", "cloudformation", "properties", "attributes", "identity", "arn", "named_by")

    def __init__(
        self,
        name: str,
        terraform: tuple[str, ...] = (),
        cloudformation: tuple[str, ...] = (),
        properties: tuple[Property, ...] = (),
        attributes: dict[str, dict[str, str]] | None = None,
        arn: str = "",
        named_by: str = "name",
    ) -> None:
        self.name = name
        self.terraform = terraform
        self.cloudformation = cloudformation
        self.properties = {prop.name: prop for prop in properties}
        self.attributes = attributes or {}
        self.identity = frozenset(v for table in self.attributes.values() for v in table.values())
        self.arn = arn
        self.named_by = named_by

    def __repr__(self) -> str:
        return f"Kind({self.name})"
