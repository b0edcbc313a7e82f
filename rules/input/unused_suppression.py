"""An ignore comment or entry that ignores nothing.

## Why it matters
The finding that it was written for is gone, or it never matched. Left in place, it would silence the next real finding.

## How to fix
Remove it, or correct the rule's name: `# hoplint: ignore[rule-id] reason`, on a line of the finding or the line above.

## References
- https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from hoplint.api import Category, Severity, rule

rule(id="unused-suppression", code=3, category=Category.HYGIENE, severity=Severity.WARNING, since="0.1")(None)
