locals {
  pipes = { for name, pipe in var.pipes : name => pipe if var.create && var.create_pipes }
  # The module makes a role with what source, enrichment and target need, unless the caller brings one.
  pipe_roles = { for name, pipe in local.pipes : name => pipe if var.create_role && !can(pipe.role_arn) }
}

data "aws_iam_policy_document" "assume_role_pipe" {
  for_each = local.pipe_roles

  statement {
    effect  = "Allow"
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["pipes.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "eventbridge_pipe" {
  for_each = local.pipe_roles

  name_prefix        = try(each.value.role_name_prefix, each.key)
  assume_role_policy = data.aws_iam_policy_document.assume_role_pipe[each.key].json
}

data "aws_iam_policy_document" "service" {
  for_each = { for name, pipe in local.pipe_roles : name => pipe if try(pipe.attach_policies_for_integrations, true) }

  statement {
    effect = "Allow"
    actions = [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
      "kinesis:DescribeStream",
      "kinesis:DescribeStreamSummary",
      "kinesis:GetRecords",
      "kinesis:GetShardIterator",
      "kinesis:ListShards",
      "kinesis:ListStreams",
      "sqs:DeleteMessage",
      "sqs:GetQueueAttributes",
      "sqs:ReceiveMessage",
    ]
    resources = [each.value.source]
  }

  statement {
    effect = "Allow"
    actions = [
      "batch:SubmitJob",
      "ecs:RunTask",
      "events:InvokeApiDestination",
      "events:PutEvents",
      "execute-api:Invoke",
      "firehose:PutRecord",
      "firehose:PutRecordBatch",
      "kinesis:PutRecord",
      "kinesis:PutRecords",
      "lambda:InvokeFunction",
      "sns:Publish",
      "sqs:SendMessage",
      "states:StartExecution",
      "states:StartSyncExecution",
    ]
    resources = compact([each.value.target, try(each.value.enrichment, "")])
  }
}

resource "aws_iam_role_policy" "service" {
  for_each = { for name, pipe in local.pipe_roles : name => pipe if try(pipe.attach_policies_for_integrations, true) }

  name   = each.key
  role   = aws_iam_role.eventbridge_pipe[each.key].name
  policy = data.aws_iam_policy_document.service[each.key].json
}

resource "aws_pipes_pipe" "this" {
  for_each = local.pipes

  region        = var.region
  name          = var.append_pipe_postfix ? "${replace(each.key, "_", "-")}-pipe" : each.key
  role_arn      = try(each.value.role_arn, aws_iam_role.eventbridge_pipe[each.key].arn)
  source        = each.value.source
  target        = try(aws_cloudwatch_event_api_destination.this[each.value.target].arn, each.value.target)
  enrichment    = try(aws_cloudwatch_event_api_destination.this[each.value.enrichment].arn, each.value.enrichment, null)
  desired_state = lookup(each.value, "desired_state", null)

  dynamic "source_parameters" {
    for_each = try([each.value.source_parameters], [])

    content {
      dynamic "filter_criteria" {
        for_each = try([source_parameters.value.filter_criteria], [])

        content {
          dynamic "filter" {
            for_each = try(filter_criteria.value, [])

            content {
              pattern = filter.value.pattern
            }
          }
        }
      }

      dynamic "sqs_queue_parameters" {
        for_each = try([source_parameters.value.sqs_queue_parameters], [])

        content {
          batch_size                         = try(sqs_queue_parameters.value.batch_size, null)
          maximum_batching_window_in_seconds = try(sqs_queue_parameters.value.maximum_batching_window_in_seconds, null)
        }
      }

      dynamic "dynamodb_stream_parameters" {
        for_each = try([source_parameters.value.dynamodb_stream_parameters], [])

        content {
          starting_position             = try(dynamodb_stream_parameters.value.starting_position, null)
          batch_size                    = try(dynamodb_stream_parameters.value.batch_size, null)
          maximum_retry_attempts        = try(dynamodb_stream_parameters.value.maximum_retry_attempts, null)
          maximum_record_age_in_seconds = try(dynamodb_stream_parameters.value.maximum_record_age_in_seconds, null)

          dynamic "dead_letter_config" {
            for_each = try([dynamodb_stream_parameters.value.dead_letter_config], [])

            content {
              arn = dead_letter_config.value.arn
            }
          }
        }
      }

      dynamic "kinesis_stream_parameters" {
        for_each = try([source_parameters.value.kinesis_stream_parameters], [])

        content {
          starting_position             = try(kinesis_stream_parameters.value.starting_position, null)
          batch_size                    = try(kinesis_stream_parameters.value.batch_size, null)
          maximum_retry_attempts        = try(kinesis_stream_parameters.value.maximum_retry_attempts, null)
          maximum_record_age_in_seconds = try(kinesis_stream_parameters.value.maximum_record_age_in_seconds, null)

          dynamic "dead_letter_config" {
            for_each = try([kinesis_stream_parameters.value.dead_letter_config], [])

            content {
              arn = dead_letter_config.value.arn
            }
          }
        }
      }
    }
  }

  dynamic "target_parameters" {
    for_each = try([each.value.target_parameters], [])

    content {
      input_template = try(target_parameters.value.input_template, null)

      dynamic "lambda_function_parameters" {
        for_each = try([target_parameters.value.lambda_function_parameters], [])

        content {
          invocation_type = try(lambda_function_parameters.value.invocation_type, null)
        }
      }

      dynamic "step_function_state_machine_parameters" {
        for_each = try([target_parameters.value.step_function_state_machine_parameters], [])

        content {
          invocation_type = try(step_function_state_machine_parameters.value.invocation_type, null)
        }
      }

      dynamic "sqs_queue_parameters" {
        for_each = try([target_parameters.value.sqs_queue_parameters], [])

        content {
          message_group_id         = try(sqs_queue_parameters.value.message_group_id, null)
          message_deduplication_id = try(sqs_queue_parameters.value.message_deduplication_id, null)
        }
      }
    }
  }

  dynamic "log_configuration" {
    for_each = try([each.value.log_configuration], [])

    content {
      level = log_configuration.value.level
    }
  }
}
