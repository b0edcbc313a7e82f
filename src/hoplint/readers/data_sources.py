"""Data sources whose answer follows from the configuration, or is one named unknown for the whole stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.place import Site, Source, Span
from hoplint.model.value import Known, Unknown, Value
from hoplint.readers.expressions import render

if TYPE_CHECKING:
    from hoplint.readers.terraform_resources import Instance

_NAMED = {
    ("aws_caller_identity", "account_id"): ACCOUNT,
    ("aws_caller_identity", "id"): ACCOUNT,
    ("aws_region", "name"): REGION,
    ("aws_region", "id"): REGION,
    ("aws_region", "region"): REGION,
    ("aws_partition", "partition"): PARTITION,
    ("aws_partition", "id"): PARTITION,
    ("aws_partition", "dns_suffix"): "DNS suffix",
}


def attribute(instance: Instance, name: str, site: Site | None) -> Value | None:
    """An attribute of a data source, or None where there is nothing special about it."""
    node = instance.node
    world = node.module.world
    named = _NAMED.get((node.type, name))
    if named is not None:
        provider = node.module.provider(node.block)
        if provider in ("", "aws") and not _asks_elsewhere(instance):
            return shared(world.stack, named, site)
        key = (named, provider, instance.address if _asks_elsewhere(instance) else "")
        return world.unknown(key, f"{named} of {provider}", f"the {named} is known only at deployment", site)
    if node.type == "aws_iam_policy_document":
        if name in ("json", "minified_json"):
            return instance.policy(site)
        return None
    if node.type == "terraform_remote_state" and name == "outputs":
        why = f"the outputs of another stack's state ({instance.address}) are not known here"
        return world.unknown((instance.address, name), f"{instance.address}.{name}", why, site)
    if name == "arn" and "arn" in node.block.attributes:
        # What is looked up by its ARN has that ARN, and AWS's own policies are told by it.
        return instance.setting("arn")
    if node.type == "template_file" and name == "rendered":
        return _rendered(instance, site)
    return None


def _asks_elsewhere(instance: Instance) -> bool:
    """A region that is asked for by name."""
    return instance.node.type == "aws_region" and bool(
        {"name", "region", "endpoint"} & instance.node.block.attributes.keys()
    )


def _rendered(instance: Instance, site: Site | None) -> Value | None:
    template, variables = instance.setting("template"), instance.setting("vars")
    if not isinstance(template, Known) or not isinstance(template.data, str):
        return None
    place = template.site or instance.node.block.head()
    bound = variables.data if isinstance(variables, Known) and isinstance(variables.data, dict) else {}
    if variables is not None and not isinstance(variables, Known):
        return Unknown("the variables of the template are not known", site)
    source = Source(place.source.path, template.data.encode("utf-8"))
    return render(source, dict(bound), instance.scope, Span(place.source, 0, 0) if site is None else site)
