"""The unknowns that every stack shares: its partition, region and account, one symbol each.

Two ARNs built in one stack hold the same symbols, so that they can be compared although nothing of them is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.model.number import Symbol
from hoplint.model.place import Site
from hoplint.model.value import Unknown

if TYPE_CHECKING:
    from hoplint.model.resource import Stack

PARTITION, REGION, ACCOUNT = "partition", "region", "account"


def shared(stack: Stack, what: str, site: Site | None = None) -> Unknown:
    """The partition, region, account or another named unknown of a stack: the same symbol at each call."""
    found = stack.sources.get(what)
    if found is None:
        found = stack.sources[what] = Symbol(what, f"the {what} is known only at deployment")
    assert isinstance(found, Symbol)
    return Unknown(found.why, site, found)
