"""What every stack shares: its partition, region and account, one symbol each as long as they are not known.

Two ARNs built in one stack hold the same symbols, so that they can be compared although nothing of them is known. Where
the input says in which account and region a stack is deployed (a CDK app may), they are texts like any other; an ARN
that is written out is the same as one that is put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.model.number import Symbol
from hoplint.model.place import Site
from hoplint.model.value import COMPUTED, Known, Unknown, Value

if TYPE_CHECKING:
    from hoplint.model.resource import Stack

PARTITION, REGION, ACCOUNT = "partition", "region", "account"
_COMMERCIAL = frozenset(("af", "ap", "ca", "eu", "il", "me", "mx", "sa", "us"))


def shared(stack: Stack, what: str, site: Site | None = None) -> Value:
    """The partition, region, account or another unknown of a stack that has a name: the same symbol at each call."""
    known = stack.sources.get(f"known {what}")
    if isinstance(known, str):
        return Known(known, site, COMPUTED)
    found = stack.sources.get(what)
    if found is None:
        found = stack.sources[what] = Symbol(what, f"the {what} is known only at deployment")
    assert isinstance(found, Symbol)
    return Unknown(found.why, site, found)


def deployed_in(stack: Stack, account: str | None, region: str | None) -> None:
    """Note where a stack is deployed, as far as that is known; before any value of it is read."""
    if account is not None:
        stack.sources[f"known {ACCOUNT}"] = account
    if region is not None:
        stack.sources[f"known {REGION}"] = region
        first = region.partition("-")[0]
        if region.startswith(("cn-", "us-gov-")):
            stack.sources[f"known {PARTITION}"] = "aws-cn" if first == "cn" else "aws-us-gov"
        elif "-iso" not in region and first in _COMMERCIAL:
            stack.sources[f"known {PARTITION}"] = "aws"
