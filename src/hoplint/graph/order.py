"""In which order Terraform makes things: what a resource says it depends on."""

from __future__ import annotations

import re

from hoplint.model.resource import Resource
from hoplint.model.value import Known, Value, branches, is_null

_KEY = re.compile(r"\[[^\]]*\]")
_MODULE = re.compile(r"^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*")


def module_of(resource: Resource) -> str:
    """The module that a resource stands in, keys apart: nothing for the root."""
    found = _MODULE.match(resource.address)
    return _KEY.sub("", found.group()) if found else ""


def block_of(resource: Resource) -> str:
    """The block that declares a resource: its address without keys."""
    return _KEY.sub("", resource.address)


def waits(resource: Resource) -> tuple[set[str], bool]:
    """The blocks that a resource names in `depends_on`, and whether all of these are resources that are read here."""
    written = resource.fetch("depends_on")
    if written is None or is_null(written):
        return set(), True
    blocks: set[str] = set()
    readable = True
    for item in _items(written):
        # A reference to a whole resource is none to one of its attributes: it knows the resource itself.
        named = getattr(getattr(item, "instance", item), "resource", None)
        if isinstance(named, Resource):
            blocks.add(block_of(named))
        else:
            readable = False
    return blocks, readable


def _items(value: Value) -> list[Value]:
    found: list[Value] = []
    for branch, _ in branches(value):
        if isinstance(branch, Known) and isinstance(branch.data, list):
            for item in branch.data:
                found.extend(_items(item))
        elif isinstance(branch, Known) and isinstance(branch.data, dict):
            for item in branch.data.values():
                found.extend(_items(item))
        else:
            found.append(branch)
    return found
