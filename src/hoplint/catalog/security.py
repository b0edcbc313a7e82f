"""Roles, their policies, and keys: who may do what."""

from __future__ import annotations

from hoplint.model.schema import Kind
from hoplint.model.schema import Property as P

KINDS = (
    Kind(
        "iam.role",
        ("aws_iam_role",),
        ("AWS::IAM::Role",),
        (
            P("name", "name", "RoleName"),
            P("name_prefix", "name_prefix"),
            P("trust", "assume_role_policy", "AssumeRolePolicyDocument"),
            P("inline_policies", "inline_policy[]", "Policies[]"),
            P("managed_policies", "managed_policy_arns", "ManagedPolicyArns"),
            P("boundary", "permissions_boundary", "PermissionsBoundary"),
        ),
        {
            "terraform": {"arn": "arn", "id": "name", "name": "name", "unique_id": "id"},
            "cloudformation": {"Ref": "name", "Arn": "arn", "RoleId": "id"},
        },
        "arn:{partition}:iam::{account}:role/{name}",
    ),
    Kind(
        "iam.role_policy",
        ("aws_iam_role_policy",),
        ("AWS::IAM::RolePolicy",),
        (P("role", "role", "RoleName"), P("policy", "policy", "PolicyDocument")),
    ),
    Kind(
        "iam.policy",
        ("aws_iam_policy",),
        ("AWS::IAM::ManagedPolicy", "AWS::IAM::Policy"),
        (
            P("name", "name", ("ManagedPolicyName", "PolicyName")),
            P("policy", "policy", "PolicyDocument"),
            P("roles", (), "Roles"),
        ),
        {
            "terraform": {"arn": "arn", "id": "arn", "name": "name"},
            "cloudformation": {"Ref": "arn", "PolicyArn": "arn"},
        },
        "arn:{partition}:iam::{account}:policy/{name}",
    ),
    Kind(
        "iam.attachment",
        ("aws_iam_role_policy_attachment", "aws_iam_policy_attachment", "aws_iam_role_policy_attachments_exclusive"),
        (),
        (P("role", ("role", "role_name")), P("roles", "roles"), P("policy_arn", ("policy_arn", "policy_arns"))),
    ),
    Kind(
        "kms.key",
        ("aws_kms_key",),
        ("AWS::KMS::Key",),
        (P("policy", "policy", "KeyPolicy"),),
        {
            "terraform": {"arn": "arn", "id": "id", "key_id": "id"},
            "cloudformation": {"Ref": "id", "Arn": "arn", "KeyId": "id"},
        },
    ),
    Kind(
        "kms.key_policy",
        ("aws_kms_key_policy",),
        (),
        (P("key", "key_id"), P("policy", "policy")),
    ),
    Kind(
        "kms.alias",
        ("aws_kms_alias",),
        ("AWS::KMS::Alias",),
        (P("name", "name", "AliasName"), P("key", "target_key_id", "TargetKeyId")),
        {
            "terraform": {"arn": "arn", "id": "name", "name": "name", "target_key_arn": "target"},
            "cloudformation": {"Ref": "name"},
        },
    ),
    Kind(
        "kms.grant",
        ("aws_kms_grant",),
        (),
        (P("key", "key_id"), P("grantee", "grantee_principal"), P("operations", "operations")),
    ),
)
