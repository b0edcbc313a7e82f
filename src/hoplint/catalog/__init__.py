"""The catalogue: one table that says what each kind of resource is called, and where each dialect writes what."""

from __future__ import annotations

from hoplint.catalog import compute, events_v2, messaging, observability, security
from hoplint.model.schema import Kind, Property

KINDS: dict[str, Kind] = {
    kind.name: kind for module in (messaging, events_v2, compute, observability, security) for kind in module.KINDS
}

_TERRAFORM = {name: kind for kind in KINDS.values() for name in kind.terraform}
_CLOUDFORMATION = {name: kind for kind in KINDS.values() for name in kind.cloudformation}


def kind_of_terraform(type_name: str) -> Kind | None:
    """The kind of a Terraform resource or data source type."""
    return _TERRAFORM.get(type_name)


def kind_of_cloudformation(type_name: str) -> Kind | None:
    """The kind of a CloudFormation resource type."""
    return _CLOUDFORMATION.get(type_name)


__all__ = ["KINDS", "Kind", "Property", "kind_of_cloudformation", "kind_of_terraform"]
