# Stands in for terraform-aws-modules/s3-bucket/aws//modules/notification.

data "aws_partition" "this" {}

locals {
  bucket_arn = coalesce(var.bucket_arn, "arn:${data.aws_partition.this.partition}:s3:::${var.bucket}")
}

resource "aws_s3_bucket_notification" "this" {
  count = var.create ? 1 : 0

  region      = var.region
  bucket      = var.bucket
  eventbridge = var.eventbridge

  dynamic "lambda_function" {
    for_each = var.lambda_notifications

    content {
      id                  = try(lambda_function.value.id, lambda_function.key)
      lambda_function_arn = lambda_function.value.function_arn
      events              = lambda_function.value.events
      filter_prefix       = try(lambda_function.value.filter_prefix, null)
      filter_suffix       = try(lambda_function.value.filter_suffix, null)
    }
  }

  dynamic "queue" {
    for_each = var.sqs_notifications

    content {
      id            = try(queue.value.id, queue.key)
      queue_arn     = queue.value.queue_arn
      events        = queue.value.events
      filter_prefix = try(queue.value.filter_prefix, null)
      filter_suffix = try(queue.value.filter_suffix, null)
    }
  }

  dynamic "topic" {
    for_each = var.sns_notifications

    content {
      id            = try(topic.value.id, topic.key)
      topic_arn     = topic.value.topic_arn
      events        = topic.value.events
      filter_prefix = try(topic.value.filter_prefix, null)
      filter_suffix = try(topic.value.filter_suffix, null)
    }
  }

  depends_on = [
    aws_lambda_permission.allow,
    aws_sqs_queue_policy.allow,
    aws_sns_topic_policy.allow,
  ]
}

resource "aws_lambda_permission" "allow" {
  for_each = { for name, wanted in var.lambda_notifications : name => wanted if var.create_lambda_permission }

  region         = var.region
  action         = "lambda:InvokeFunction"
  function_name  = each.value.function_name
  qualifier      = try(each.value.qualifier, null)
  principal      = "s3.amazonaws.com"
  source_arn     = local.bucket_arn
  source_account = try(each.value.source_account, null)
}

data "aws_iam_policy_document" "sqs" {
  for_each = { for name, wanted in var.sqs_notifications : name => wanted if var.create_sqs_policy }

  statement {
    effect    = "Allow"
    actions   = ["sqs:SendMessage"]
    resources = [each.value.queue_arn]

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [local.bucket_arn]
    }
  }
}

# The module makes the queue's URL of its ARN; here the ARN tells the queue.
resource "aws_sqs_queue_policy" "allow" {
  for_each = { for name, wanted in var.sqs_notifications : name => wanted if var.create_sqs_policy }

  region    = var.region
  queue_url = try(coalesce(each.value.queue_id), each.value.queue_arn)
  policy    = data.aws_iam_policy_document.sqs[each.key].json
}

data "aws_iam_policy_document" "sns" {
  for_each = { for name, wanted in var.sns_notifications : name => wanted if var.create_sns_policy }

  statement {
    effect    = "Allow"
    actions   = ["sns:Publish"]
    resources = [each.value.topic_arn]

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [local.bucket_arn]
    }
  }
}

resource "aws_sns_topic_policy" "allow" {
  for_each = { for name, wanted in var.sns_notifications : name => wanted if var.create_sns_policy }

  region = var.region
  arn    = each.value.topic_arn
  policy = data.aws_iam_policy_document.sns[each.key].json
}
