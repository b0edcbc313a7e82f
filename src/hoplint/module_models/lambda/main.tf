# Stands in for terraform-aws-modules/lambda/aws. What it builds of the code is left out.

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  create    = var.create && var.create_function && !var.create_layer
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  region    = data.aws_region.current.name
  log_group = coalesce(
    var.logging_log_group, "/aws/lambda/${var.lambda_at_edge ? "us-east-1." : ""}${var.function_name}"
  )
}

resource "aws_lambda_function" "this" {
  count = local.create ? 1 : 0

  region                         = var.region
  function_name                  = var.function_name
  role                           = var.create_role ? aws_iam_role.lambda[0].arn : var.lambda_role
  handler                        = var.package_type != "Zip" ? null : var.handler
  runtime                        = var.package_type != "Zip" ? null : var.runtime
  package_type                   = var.package_type
  memory_size                    = var.memory_size
  timeout                        = var.lambda_at_edge ? min(var.timeout, 30) : var.timeout
  publish                        = var.lambda_at_edge || var.snap_start ? true : var.publish
  reserved_concurrent_executions = var.reserved_concurrent_executions
  kms_key_arn                    = var.kms_key_arn

  dynamic "environment" {
    for_each = length(keys(var.environment_variables)) == 0 ? [] : [true]

    content {
      variables = var.environment_variables
    }
  }

  dynamic "dead_letter_config" {
    for_each = var.dead_letter_target_arn == null ? [] : [true]

    content {
      target_arn = var.dead_letter_target_arn
    }
  }

  dynamic "snap_start" {
    for_each = var.snap_start ? [true] : []

    content {
      apply_on = "PublishedVersions"
    }
  }

  dynamic "capacity_provider_config" {
    for_each = var.managed_instances_capacity_provider_arn != null ? [true] : []

    content {
      lambda_managed_instances_capacity_provider_config {
        capacity_provider_arn = var.managed_instances_capacity_provider_arn
      }
    }
  }
}

resource "aws_cloudwatch_log_group" "lambda" {
  count = local.create && !var.use_existing_cloudwatch_log_group ? 1 : 0

  region = var.region
  name   = local.log_group
}

resource "aws_lambda_provisioned_concurrency_config" "current_version" {
  count = local.create && var.provisioned_concurrent_executions > -1 ? 1 : 0

  region                            = var.region
  function_name                     = aws_lambda_function.this[0].function_name
  qualifier                         = aws_lambda_function.this[0].version
  provisioned_concurrent_executions = var.provisioned_concurrent_executions
}

resource "aws_lambda_function_event_invoke_config" "this" {
  for_each = {
    for name, wanted in {
      current_version   = var.create_current_version_async_event_config
      unqualified_alias = var.create_unqualified_alias_async_event_config
    } : name => wanted if local.create && wanted && var.create_async_event_config
  }

  region                       = var.region
  function_name                = aws_lambda_function.this[0].function_name
  qualifier                    = each.key == "current_version" ? aws_lambda_function.this[0].version : null
  maximum_event_age_in_seconds = var.maximum_event_age_in_seconds
  maximum_retry_attempts       = var.maximum_retry_attempts

  dynamic "destination_config" {
    for_each = var.destination_on_failure != null || var.destination_on_success != null ? [true] : []

    content {
      dynamic "on_failure" {
        for_each = var.destination_on_failure != null ? [true] : []

        content {
          destination = var.destination_on_failure
        }
      }

      dynamic "on_success" {
        for_each = var.destination_on_success != null ? [true] : []

        content {
          destination = var.destination_on_success
        }
      }
    }
  }
}

resource "aws_lambda_permission" "current_version_triggers" {
  for_each = {
    for name, trigger in var.allowed_triggers : name => trigger
    if local.create && var.create_current_version_allowed_triggers
  }

  region         = var.region
  function_name  = aws_lambda_function.this[0].function_name
  qualifier      = aws_lambda_function.this[0].version
  action         = try(each.value.action, "lambda:InvokeFunction")
  principal      = try(each.value.principal, "${try(each.value.service, "")}.amazonaws.com")
  source_arn     = try(each.value.source_arn, null)
  source_account = try(each.value.source_account, null)
}

resource "aws_lambda_permission" "unqualified_alias_triggers" {
  for_each = {
    for name, trigger in var.allowed_triggers : name => trigger
    if local.create && var.create_unqualified_alias_allowed_triggers
  }

  region         = var.region
  function_name  = aws_lambda_function.this[0].function_name
  action         = try(each.value.action, "lambda:InvokeFunction")
  principal      = try(each.value.principal, "${try(each.value.service, "")}.amazonaws.com")
  source_arn     = try(each.value.source_arn, null)
  source_account = try(each.value.source_account, null)
}

resource "aws_lambda_event_source_mapping" "this" {
  for_each = {
    for name, mapping in var.event_source_mapping : name => mapping
    if local.create && var.create_unqualified_alias_allowed_triggers
  }

  region                             = var.region
  function_name                      = aws_lambda_function.this[0].arn
  event_source_arn                   = try(each.value.event_source_arn, null)
  enabled                            = try(each.value.enabled, true)
  batch_size                         = try(each.value.batch_size, null)
  maximum_batching_window_in_seconds = try(each.value.maximum_batching_window_in_seconds, null)
  starting_position                  = try(each.value.starting_position, null)
  parallelization_factor             = try(each.value.parallelization_factor, null)
  maximum_retry_attempts             = try(each.value.maximum_retry_attempts, null)
  maximum_record_age_in_seconds      = try(each.value.maximum_record_age_in_seconds, null)
  bisect_batch_on_function_error     = try(each.value.bisect_batch_on_function_error, null)
  tumbling_window_in_seconds         = try(each.value.tumbling_window_in_seconds, null)
  function_response_types            = try(each.value.function_response_types, null)
  topics                             = try(each.value.topics, null)
  queues                             = try(each.value.queues, null)

  dynamic "destination_config" {
    for_each = try(each.value.destination_arn_on_failure, null) != null ? [true] : []

    content {
      on_failure {
        destination_arn = each.value["destination_arn_on_failure"]
      }
    }
  }

  dynamic "scaling_config" {
    for_each = try([each.value.scaling_config], [])

    content {
      maximum_concurrency = try(scaling_config.value.maximum_concurrency, null)
    }
  }

  dynamic "provisioned_poller_config" {
    for_each = try([each.value.provisioned_poller_config], [])

    content {
      maximum_pollers = try(provisioned_poller_config.value.maximum_pollers, null)
      minimum_pollers = try(provisioned_poller_config.value.minimum_pollers, null)
    }
  }

  dynamic "self_managed_event_source" {
    for_each = try(each.value.self_managed_event_source, [])

    content {
      endpoints = self_managed_event_source.value.endpoints
    }
  }

  dynamic "document_db_event_source_config" {
    for_each = try(each.value.document_db_event_source_config, [])

    content {
      database_name = document_db_event_source_config.value.database_name
    }
  }

  dynamic "filter_criteria" {
    for_each = try(each.value.filter_criteria, null) != null ? [true] : []

    content {
      dynamic "filter" {
        for_each = try(flatten([each.value.filter_criteria]), [])

        content {
          pattern = try(filter.value.pattern, null)
        }
      }
    }
  }
}
