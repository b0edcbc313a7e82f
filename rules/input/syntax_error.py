"""A file of the input cannot be parsed.

## Why it matters
Nothing in the file is checked, and hoplint cannot tell whether something that seems missing stands in it: questions
about absence stay undecided in its stack. The deployment tool will refuse the file as well.

## How to fix
Correct the line that is named. Sources of a template engine belong into `exclude` in the settings.

## References
- https://developer.hashicorp.com/terraform/language/syntax/configuration
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
"""

from hoplint.api import Category, Severity, rule

rule(id="syntax-error", code=1, category=Category.REJECTED, severity=Severity.ERROR, since="0.1")(None)
