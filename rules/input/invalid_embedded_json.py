"""A JSON document in a string cannot be parsed, or has a key twice.

## Why it matters
A policy, pattern, redrive policy or workflow that is no JSON is refused by AWS. Of a key that stands twice the last
value counts: what the first one says is silently lost.

## How to fix
Correct what is named. Better, do not write JSON by hand: `jsonencode` in Terraform, a plain mapping in CloudFormation.

## References
- https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_policies.html
- https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-sqs-queue.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, documents, rule


@rule(
    id="invalid-embedded-json",
    code=4,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=documents.KINDS,
)
def check(graph: Graph) -> Iterator[Finding]:
    """Read each document that stands in a string."""
    for resource in graph.each(graph.of(*documents.KINDS)):
        for document in documents.strings(resource):
            if document.found.problem is not None:
                yield Finding(
                    f"the {document.label} is no JSON: {document.found.problem}",
                    primary=at(resource, "cannot be parsed", document.setting),
                )
            # In a pattern a repeated key has a finding of its own, which knows what is lost.
            elif document.found.repeated and not document.pattern:
                keys = ", ".join(document.found.repeated)
                yield Finding(
                    f"the {document.label} has a key twice, and the first one is lost: {keys}",
                    primary=at(resource, f"repeats {keys}", document.setting),
                    severity=Severity.WARNING,
                )
