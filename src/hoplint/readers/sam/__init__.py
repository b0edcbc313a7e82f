"""SAM templates: what SAM makes of its resources, as plain CloudFormation with the places of the user's template.

The result is nodes, not values, so everything behind it is the CloudFormation reader's; references to logical ids that
SAM generates resolve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.readers.nodes import text_of
from hoplint.readers.sam.base import Sam
from hoplint.readers.sam.connectors import connector, embedded
from hoplint.readers.sam.resources import function, machine, table

if TYPE_CHECKING:
    from hoplint.readers.cloudformation import Item, Reader
    from hoplint.readers.template_scope import Scope

_LOWERED = {
    "AWS::Serverless::Function": function,
    "AWS::Serverless::StateMachine": machine,
    "AWS::Serverless::SimpleTable": table,
}


def lower_serverless(scope: Scope, items: list[Item], reader: Reader) -> list[Item]:
    """The resources of a template with SAM's own replaced by what SAM makes of them."""
    if not items:
        return items
    sam = Sam(scope, reader, type(items[0]))
    serverless: list[tuple[str, Item]] = []
    for item in items:
        type_name = text_of(item.node.get("Type")) or ""
        if type_name in _LOWERED:
            serverless.append((type_name, item))
        elif type_name != "AWS::Serverless::Connector":
            sam.made[item.logical_id] = item
    for type_name, item in serverless:
        _LOWERED[type_name](sam, item)
    for item in items:
        if text_of(item.node.get("Type")) == "AWS::Serverless::Connector":
            connector(sam, item)
        else:
            embedded(sam, item)
    return list(sam.made.values())
