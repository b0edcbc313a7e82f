"""The policies of a role, wherever they are written: inside it, beside it, attached to it."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph.graph import Graph
from hoplint.graph.statements import IDENTITY, Policy
from hoplint.model.resource import Resource, field
from hoplint.model.value import is_null


def policies_of(graph: Graph, role: Resource) -> Iterator[Policy]:
    """The policies of a role that are written in this run; AWS's managed ones are not among them."""
    for inline in role.items("inline_policies") or ():
        for key in ("policy", "PolicyDocument"):
            document = field(inline, key)
            if not is_null(document):
                yield Policy(document, IDENTITY, role)
    for policy in graph.of("iam.role_policy", "iam.policy"):
        owner = "role" if policy.kind.name == "iam.role_policy" else "roles"
        if role in graph.ends(policy, owner, "iam.role"):
            yield Policy(policy.raw("policy"), IDENTITY, policy)
    for attachment in graph.of("iam.attachment"):
        for owner in ("role", "roles"):
            if role in graph.ends(attachment, owner, "iam.role"):
                for policy in graph.ends(attachment, "policy_arn", "iam.policy"):
                    yield Policy(policy.raw("policy"), IDENTITY, policy)
    for policy in graph.ends(role, "managed_policies", "iam.policy"):
        yield Policy(policy.raw("policy"), IDENTITY, policy)
