"""A function's permission lets a service invoke it without saying for whom.

## Why it matters
Somebody else's rule, topic or bucket can invoke the function: the service asks only whether it may itself.

## How to fix
Give the permission the source ARN. For S3 add the source account: a bucket's ARN holds no account, and a bucket that
was deleted can be made anew by somebody else. Not for EventBridge, where the source account keeps it from invoking.

## References
- https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
- https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Resource,
    Severity,
    at,
    is_null,
    permissions,
    rule,
    settle,
)

CONFINING = ("principal_org_id", "PrincipalOrgID", "event_source_token", "EventSourceToken", "function_url_auth_type",
             "FunctionUrlAuthType")  # fmt: skip


@rule(
    id="lambda-permission-too-broad",
    code=408,
    category=Category.EXPOSURE,
    severity=Severity.WARNING,
    since="0.1",
    asks=("lambda.permission",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at what confines each permission of a service."""
    for permission in graph.each(graph.of("lambda.permission")):
        if permission.elsewhere:
            continue
        service = permissions.service_of(permission)
        if not service or _confined(permission):
            continue
        arn, account = _given(permission, "source_arn"), _given(permission, "source_account")
        if not arn and not account:
            yield Finding(
                f"the permission lets {service} invoke the function for anybody: it names neither source nor account",
                primary=at(permission, f"lets {service} in"),
            )
        elif service.startswith("s3.") and not account:
            yield Finding(
                "the permission names a bucket and no account, and a bucket's ARN holds none",
                primary=at(permission, "names no account", "source_arn"),
            )


def _given(permission: Resource, name: str) -> bool:
    """Whether something is said; what is not known stands for something."""
    value = settle(permission.raw(name))
    return not is_null(value) and not (isinstance(value, Known) and value.data == "")


def _confined(permission: Resource) -> bool:
    found = (permission.fetch(name) for name in CONFINING)
    return any(value is not None and not is_null(settle(value)) for value in found)
