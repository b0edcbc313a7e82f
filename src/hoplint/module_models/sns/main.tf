# Stands in for terraform-aws-modules/sns/aws.

data "aws_caller_identity" "current" {}

locals {
  name = try(trimsuffix(var.name, ".fifo"), "")
}

resource "aws_sns_topic" "this" {
  count = var.create ? 1 : 0

  region                      = var.region
  name                        = var.use_name_prefix ? null : (var.fifo_topic ? "${local.name}.fifo" : local.name)
  name_prefix                 = var.use_name_prefix ? "${local.name}-" : null
  fifo_topic                  = var.fifo_topic
  content_based_deduplication = var.content_based_deduplication
  kms_master_key_id           = var.kms_master_key_id
  policy                      = var.create_topic_policy ? null : var.topic_policy
}

data "aws_iam_policy_document" "this" {
  count = var.create && var.create_topic_policy ? 1 : 0

  source_policy_documents   = var.source_topic_policy_documents
  override_policy_documents = var.override_topic_policy_documents

  dynamic "statement" {
    for_each = var.enable_default_topic_policy ? [1] : []

    content {
      sid    = "DefaultStatementID"
      effect = "Allow"
      actions = [
        "sns:AddPermission",
        "sns:DeleteTopic",
        "sns:GetTopicAttributes",
        "sns:ListSubscriptionsByTopic",
        "sns:Publish",
        "sns:RemovePermission",
        "sns:SetTopicAttributes",
        "sns:Subscribe",
      ]
      resources = [aws_sns_topic.this[0].arn]

      principals {
        type        = "AWS"
        identifiers = ["*"]
      }

      condition {
        test     = "StringEquals"
        variable = "AWS:SourceAccount"
        values   = [data.aws_caller_identity.current.account_id]
      }
    }
  }

  dynamic "statement" {
    for_each = try([for statement in var.topic_policy_statements : statement], [])

    content {
      sid           = try(statement.value.sid, null)
      effect        = try(statement.value.effect, null)
      actions       = try(statement.value.actions, null)
      not_actions   = try(statement.value.not_actions, null)
      resources     = try(coalesce(statement.value.resources), [aws_sns_topic.this[0].arn])
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

resource "aws_sns_topic_policy" "this" {
  count = var.create && var.create_topic_policy ? 1 : 0

  region = var.region
  arn    = aws_sns_topic.this[0].arn
  policy = data.aws_iam_policy_document.this[0].json
}

resource "aws_sns_topic_subscription" "this" {
  for_each = { for name, wanted in var.subscriptions : name => wanted if var.create && var.create_subscription }

  region                 = var.region
  topic_arn              = aws_sns_topic.this[0].arn
  protocol               = each.value.protocol
  endpoint               = each.value.endpoint
  endpoint_auto_confirms = try(each.value.endpoint_auto_confirms, null)
  filter_policy          = try(each.value.filter_policy, null)
  filter_policy_scope    = try(each.value.filter_policy_scope, null)
  raw_message_delivery   = try(each.value.raw_message_delivery, null)
  redrive_policy         = try(each.value.redrive_policy, null)
  subscription_role_arn  = try(each.value.subscription_role_arn, null)
}
