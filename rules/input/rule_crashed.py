"""A rule raised an exception.

## Why it matters
What the rule would have found is not reported. Silence would look like a pass.

## How to fix
Report it with the message and, if you can, the part of the configuration that it names. A rule of your own: mend it.

## References
- https://docs.python.org/3/library/exceptions.html
"""

from hoplint.api import Category, Severity, rule

rule(id="rule-crashed", code=6, category=Category.BLINDSPOT, severity=Severity.ERROR, since="0.1")(None)
