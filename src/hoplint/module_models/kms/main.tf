# Stands in for terraform-aws-modules/kms/aws. External keys and replicas have no policy here, and
# what only signs or makes codes is left out.

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}

locals {
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  own       = var.create && !var.create_external && !var.create_replica && !var.create_replica_external
  key_id = try(
    aws_kms_key.this[0].key_id,
    aws_kms_external_key.this[0].id,
    aws_kms_replica_key.this[0].key_id,
    aws_kms_replica_external_key.this[0].key_id,
    null
  )
  aliases = { for name in toset(var.aliases) : name => { name = name } }
}

resource "aws_kms_key" "this" {
  count = local.own ? 1 : 0

  region = var.region
  policy = coalesce(var.policy, data.aws_iam_policy_document.this[0].json)
}

resource "aws_kms_external_key" "this" {
  count = var.create && var.create_external && !var.create_replica && !var.create_replica_external ? 1 : 0
}

resource "aws_kms_replica_key" "this" {
  count = var.create && var.create_replica && !var.create_external && !var.create_replica_external ? 1 : 0

  primary_key_arn = var.primary_key_arn
}

resource "aws_kms_replica_external_key" "this" {
  count = var.create && var.create_replica_external && !var.create_external && !var.create_replica ? 1 : 0

  primary_key_arn = var.primary_external_key_arn
}

data "aws_iam_policy_document" "this" {
  count = var.create ? 1 : 0

  source_policy_documents   = var.source_policy_documents
  override_policy_documents = var.override_policy_documents

  dynamic "statement" {
    for_each = var.enable_default_policy ? [1] : []

    content {
      sid       = "Default"
      effect    = "Allow"
      actions   = ["kms:*"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = ["arn:${local.partition}:iam::${local.account}:root"]
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_owners) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:*"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_owners
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_administrators) > 0 ? [1] : []

    content {
      effect = "Allow"
      actions = [
        "kms:CancelKeyDeletion", "kms:Create*", "kms:Delete*", "kms:Describe*", "kms:Disable*", "kms:Enable*",
        "kms:Get*", "kms:ImportKeyMaterial", "kms:List*", "kms:Put*", "kms:ReplicateKey", "kms:Revoke*",
        "kms:ScheduleKeyDeletion", "kms:TagResource", "kms:UntagResource", "kms:Update*",
      ]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_administrators
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_users) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_users
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_service_users) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:CreateGrant", "kms:ListGrants", "kms:RevokeGrant"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_service_users
      }

      condition {
        test     = "Bool"
        variable = "kms:GrantIsForAWSResource"
        values   = [true]
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_service_roles_for_autoscaling) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_service_roles_for_autoscaling
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_service_roles_for_autoscaling) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:CreateGrant"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_service_roles_for_autoscaling
      }

      condition {
        test     = "Bool"
        variable = "kms:GrantIsForAWSResource"
        values   = [true]
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_symmetric_encryption_users) > 0 ? [1] : []

    content {
      effect    = "Allow"
      actions   = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = var.key_symmetric_encryption_users
      }
    }
  }

  dynamic "statement" {
    for_each = try([for statement in var.key_statements : statement], [])

    content {
      sid           = try(statement.value.sid, null)
      effect        = try(statement.value.effect, null)
      actions       = try(statement.value.actions, null)
      not_actions   = try(statement.value.not_actions, null)
      resources     = try(statement.value.resources, null)
      not_resources = try(statement.value.not_resources, null)

      dynamic "principals" {
        for_each = try(coalesce(statement.value.principals), [])

        content {
          type        = principals.value.type
          identifiers = principals.value.identifiers
        }
      }

      dynamic "not_principals" {
        for_each = try(coalesce(statement.value.not_principals), [])

        content {
          type        = not_principals.value.type
          identifiers = not_principals.value.identifiers
        }
      }

      dynamic "condition" {
        for_each = try(coalesce(statement.value.condition), coalesce(statement.value.conditions), [])

        content {
          test     = condition.value.test
          variable = condition.value.variable
          values   = condition.value.values
        }
      }
    }
  }
}

resource "aws_kms_alias" "this" {
  for_each = { for name, alias in merge(local.aliases, var.computed_aliases) : name => alias if var.create }

  region        = var.region
  name          = var.aliases_use_name_prefix ? null : "alias/${each.value.name}"
  name_prefix   = var.aliases_use_name_prefix ? "alias/${each.value.name}-" : null
  target_key_id = local.key_id
}

resource "aws_kms_grant" "this" {
  for_each = { for name, grant in var.grants != null ? var.grants : {} : name => grant if var.create }

  region            = var.region
  key_id            = local.key_id
  grantee_principal = each.value.grantee_principal
  operations        = each.value.operations
}
