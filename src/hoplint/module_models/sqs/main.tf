# Stands in for terraform-aws-modules/sqs/aws.

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  name        = try(trimsuffix(var.name, ".fifo"), "")
  wanted_dlq  = try(coalesce(try(trimsuffix(var.dlq_name, ".fifo"), ""), "${local.name}-dlq"), "")
  dlq_name    = var.fifo_queue && !var.use_name_prefix ? "${local.wanted_dlq}.fifo" : local.wanted_dlq
  dlq_key     = try(coalesce(var.dlq_kms_master_key_id, var.kms_master_key_id), null)
  with_dlq    = var.create && var.create_dlq
  partition   = data.aws_partition.current.partition
  account     = data.aws_caller_identity.current.account_id
  region      = data.aws_region.current.name
  static_name = var.fifo_queue ? "${local.name}.fifo" : local.name
}

resource "aws_sqs_queue" "this" {
  count = var.create ? 1 : 0

  region                      = var.region
  name                        = var.use_name_prefix ? null : local.static_name
  name_prefix                 = var.use_name_prefix ? "${local.name}-" : null
  fifo_queue                  = var.fifo_queue
  content_based_deduplication = var.content_based_deduplication
  deduplication_scope         = var.deduplication_scope
  fifo_throughput_limit       = var.fifo_throughput_limit
  delay_seconds               = var.delay_seconds
  visibility_timeout_seconds  = var.visibility_timeout_seconds
  message_retention_seconds   = var.message_retention_seconds
  max_message_size            = var.max_message_size
  receive_wait_time_seconds   = var.receive_wait_time_seconds
  kms_master_key_id           = var.kms_master_key_id
  sqs_managed_sse_enabled     = var.kms_master_key_id != null ? null : var.sqs_managed_sse_enabled
}

data "aws_iam_policy_document" "this" {
  count = var.create && var.create_queue_policy ? 1 : 0

  source_policy_documents   = var.source_queue_policy_documents
  override_policy_documents = var.override_queue_policy_documents

  dynamic "statement" {
    for_each = try([for statement in var.queue_policy_statements : statement], [])

    content {
      sid           = try(statement.value.sid, null)
      effect        = try(statement.value.effect, null)
      actions       = try(statement.value.actions, null)
      not_actions   = try(statement.value.not_actions, null)
      resources     = try(coalesce(statement.value.resources), [aws_sqs_queue.this[0].arn])
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

resource "aws_sqs_queue_policy" "this" {
  count = var.create && var.create_queue_policy ? 1 : 0

  region    = var.region
  queue_url = aws_sqs_queue.this[0].url
  policy    = data.aws_iam_policy_document.this[0].json
}

resource "aws_sqs_queue_redrive_policy" "this" {
  count = var.create && !var.create_dlq && length(var.redrive_policy) > 0 ? 1 : 0

  region         = var.region
  queue_url      = aws_sqs_queue.this[0].url
  redrive_policy = jsonencode(var.redrive_policy)
}

resource "aws_sqs_queue_redrive_policy" "dlq" {
  count = local.with_dlq ? 1 : 0

  region    = var.region
  queue_url = aws_sqs_queue.this[0].url
  redrive_policy = jsonencode(merge(
    { deadLetterTargetArn = aws_sqs_queue.dlq[0].arn, maxReceiveCount = 5 },
    var.redrive_policy,
  ))
}

resource "aws_sqs_queue_redrive_allow_policy" "this" {
  count = var.create && !var.create_dlq && length(var.redrive_allow_policy) > 0 ? 1 : 0

  region               = var.region
  queue_url            = aws_sqs_queue.this[0].url
  redrive_allow_policy = jsonencode(var.redrive_allow_policy)
}

resource "aws_sqs_queue" "dlq" {
  count = local.with_dlq ? 1 : 0

  region      = var.region
  name        = var.use_name_prefix ? null : local.dlq_name
  name_prefix = var.use_name_prefix ? "${local.dlq_name}-" : null
  fifo_queue  = var.fifo_queue
  content_based_deduplication = try(
    coalesce(var.dlq_content_based_deduplication, var.content_based_deduplication), null
  )
  deduplication_scope        = try(coalesce(var.dlq_deduplication_scope, var.deduplication_scope), null)
  fifo_throughput_limit      = try(coalesce(var.dlq_fifo_throughput_limit, var.fifo_throughput_limit), null)
  delay_seconds              = try(coalesce(var.dlq_delay_seconds, var.delay_seconds), null)
  visibility_timeout_seconds = try(coalesce(var.dlq_visibility_timeout_seconds, var.visibility_timeout_seconds), null)
  message_retention_seconds  = try(coalesce(var.dlq_message_retention_seconds, var.message_retention_seconds), null)
  receive_wait_time_seconds  = try(coalesce(var.dlq_receive_wait_time_seconds, var.receive_wait_time_seconds), null)
  max_message_size           = var.max_message_size
  kms_master_key_id          = local.dlq_key
  sqs_managed_sse_enabled = (
    local.dlq_key != null ? null : coalesce(var.dlq_sqs_managed_sse_enabled, var.sqs_managed_sse_enabled)
  )
}

data "aws_iam_policy_document" "dlq" {
  count = local.with_dlq && var.create_dlq_queue_policy ? 1 : 0

  source_policy_documents   = var.source_dlq_queue_policy_documents
  override_policy_documents = var.override_dlq_queue_policy_documents

  dynamic "statement" {
    for_each = try([for statement in var.dlq_queue_policy_statements : statement], [])

    content {
      sid           = try(statement.value.sid, null)
      effect        = try(statement.value.effect, null)
      actions       = try(statement.value.actions, null)
      not_actions   = try(statement.value.not_actions, null)
      resources     = try(coalesce(statement.value.resources), [aws_sqs_queue.dlq[0].arn])
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

resource "aws_sqs_queue_policy" "dlq" {
  count = local.with_dlq && var.create_dlq_queue_policy ? 1 : 0

  region    = var.region
  queue_url = aws_sqs_queue.dlq[0].url
  policy    = data.aws_iam_policy_document.dlq[0].json
}

resource "aws_sqs_queue_redrive_allow_policy" "dlq" {
  count = local.with_dlq && var.create_dlq_redrive_allow_policy ? 1 : 0

  region    = var.region
  queue_url = aws_sqs_queue.dlq[0].url
  redrive_allow_policy = jsonencode(merge(
    { redrivePermission = "byQueue", sourceQueueArns = [aws_sqs_queue.this[0].arn] },
    var.dlq_redrive_allow_policy,
  ))
}
