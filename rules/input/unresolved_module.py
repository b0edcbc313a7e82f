"""A module is not on disk, and hoplint has no model of it.

## Why it matters
What the module creates is not seen. Whatever is handed to it, or comes out of it, stays undecided.

## How to fix
Run `terraform init` or `terraform get` before hoplint, so that `.terraform/modules` holds the module.

## References
- https://developer.hashicorp.com/terraform/cli/commands/get
"""

from hoplint.api import Category, Severity, Tier, rule

rule(
    id="unresolved-module", code=2, category=Category.HYGIENE, severity=Severity.INFO, tier=Tier.PEDANTIC, since="0.1"
)(None)
