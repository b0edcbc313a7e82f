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

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Ref,
    Resource,
    Severity,
    Text,
    Value,
    at,
    embedded,
    is_null,
    rule,
    settle,
)

DOCUMENTS = {
    "sqs.queue": ("policy", "redrive_policy", "redrive_allow_policy"),
    "sqs.queue_policy": ("policy",),
    "sqs.redrive_policy": ("policy",),
    "sqs.redrive_allow_policy": ("policy",),
    "sns.topic": ("policy",),
    "sns.topic_policy": ("policy",),
    "sns.subscription": ("filter_policy", "redrive_policy"),
    "events.bus_policy": ("policy",),
    "events.rule": ("pattern",),
    "events.target": ("input",),
    "lambda.event_source_mapping": ("filters",),
    "pipes.pipe": ("filters",),
    "states.machine": ("definition",),
    "iam.role": ("trust",),
    "iam.role_policy": ("policy",),
    "iam.policy": ("policy",),
    "kms.key": ("policy",),
    "kms.key_policy": ("policy",),
}
PATTERNS = {"filter_policy", "pattern", "filters"}


@rule(
    id="invalid-embedded-json",
    code=4,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=tuple(DOCUMENTS),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Parse each document that stands in a string."""
    for resource in graph.each(graph.of(*DOCUMENTS)):
        # What is written inside another resource is read there.
        if resource.elsewhere or (resource.parent is not None and resource.kind.name != "events.target"):
            continue
        for name in DOCUMENTS[resource.kind.name]:
            if name in resource.given:
                continue
            for value in _documents(resource, name):
                found = embedded.read(value)
                label = name.replace("_", " ")
                if found.problem is not None:
                    if not _filled_later(resource, value):
                        yield Finding(
                            f"the {label} is no JSON: {found.problem}",
                            primary=at(resource, "cannot be parsed", name),
                        )
                # In a pattern a repeated key has a finding of its own, which knows what is lost.
                elif found.repeated and name not in PATTERNS:
                    keys = ", ".join(found.repeated)
                    yield Finding(
                        f"the {label} has a key twice, and the first one is lost: {keys}",
                        primary=at(resource, f"repeats {keys}", name),
                        severity=Severity.WARNING,
                    )


def _documents(resource: Resource, name: str) -> Iterator[Value]:
    """The values that must be JSON: strings that are known, or known in part."""
    value = resource.get(name)
    items = value.data if isinstance(value, Known) and isinstance(value.data, list) else [value]
    for item in map(settle, items):
        if is_null(item) or (isinstance(item, Known) and not (isinstance(item.data, str) and item.data.strip())):
            # An empty string is taken for an absent setting.
            continue
        if isinstance(item, Known | Text) and not isinstance(item, Ref):
            yield item


def _filled_later(resource: Resource, value: Value) -> bool:
    """Whether CloudFormation puts something into a definition before it is parsed."""
    if resource.kind.name != "states.machine" or resource.stack.family == "terraform":
        return False
    pieces = value.parts if isinstance(value, Text) else (value.data,) if isinstance(value, Known) else ()
    return any(isinstance(piece, str) and "${" in piece for piece in pieces)
