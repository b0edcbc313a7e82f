# Stands in for terraform-aws-modules/eventbridge/aws. Archives, schedule groups and log deliveries
# are left out.

locals {
  rules = {
    for name, rule in var.rules : name => merge(rule, {
      Name = var.append_rule_postfix ? "${replace(name, "_", "-")}-rule" : name
    })
  }
  targets = flatten([
    for name, rule in local.rules : [
      for target in var.targets[name] : merge(target, { rule = name, Name = rule.Name })
    ] if length(var.targets) != 0
  ])
  bus_name = var.create_bus ? aws_cloudwatch_event_bus.this[0].name : var.bus_name
}

resource "aws_cloudwatch_event_bus" "this" {
  count = var.create && var.create_bus ? 1 : 0

  region             = var.region
  name               = var.bus_name
  event_source_name  = var.event_source_name
  kms_key_identifier = var.kms_key_identifier

  dynamic "dead_letter_config" {
    for_each = length(var.dead_letter_config) > 0 ? [var.dead_letter_config] : []

    content {
      arn = try(dead_letter_config.value.arn, null)
    }
  }
}

resource "aws_cloudwatch_event_rule" "this" {
  for_each = { for name, rule in local.rules : name => rule if var.create && var.create_rules }

  region              = var.region
  name                = each.value.Name
  name_prefix         = lookup(each.value, "name_prefix", null)
  event_bus_name      = local.bus_name
  event_pattern       = lookup(each.value, "event_pattern", null)
  schedule_expression = lookup(each.value, "schedule_expression", null)
  role_arn            = lookup(each.value, "role_arn", false) ? aws_iam_role.eventbridge[0].arn : null
  state = try(
    each.value.enabled ? "ENABLED" : "DISABLED",
    tobool(each.value.state) ? "ENABLED" : "DISABLED",
    upper(each.value.state),
    null
  )
}

resource "aws_cloudwatch_event_target" "this" {
  for_each = { for target in local.targets : target.name => target if var.create && var.create_targets }

  region         = var.region
  event_bus_name = local.bus_name
  rule           = each.value.Name
  arn = (
    lookup(each.value, "destination", null) != null
    ? aws_cloudwatch_event_api_destination.this[each.value.destination].arn : each.value.arn
  )
  role_arn = (
    can(length(each.value.attach_role_arn) > 0) ? each.value.attach_role_arn
    : (try(each.value.attach_role_arn, null) == true ? aws_iam_role.eventbridge[0].arn : null)
  )
  target_id  = lookup(each.value, "target_id", null)
  input      = lookup(each.value, "input", null)
  input_path = lookup(each.value, "input_path", null)

  dynamic "sqs_target" {
    for_each = lookup(each.value, "message_group_id", null) != null ? [true] : []

    content {
      message_group_id = each.value.message_group_id
    }
  }

  dynamic "input_transformer" {
    for_each = lookup(each.value, "input_transformer", null) != null ? [each.value.input_transformer] : []

    content {
      input_paths    = try(input_transformer.value.input_paths, null)
      input_template = chomp(input_transformer.value.input_template)
    }
  }

  dynamic "dead_letter_config" {
    for_each = lookup(each.value, "dead_letter_arn", null) != null ? [true] : []

    content {
      arn = each.value.dead_letter_arn
    }
  }

  dynamic "retry_policy" {
    for_each = lookup(each.value, "retry_policy", null) != null ? [each.value.retry_policy] : []

    content {
      maximum_event_age_in_seconds = retry_policy.value.maximum_event_age_in_seconds
      maximum_retry_attempts       = retry_policy.value.maximum_retry_attempts
    }
  }

  depends_on = [aws_cloudwatch_event_rule.this]
}

resource "aws_cloudwatch_event_permission" "this" {
  for_each = var.create && var.create_permissions ? var.permissions : {}

  region         = var.region
  principal      = compact(split(" ", each.key))[0]
  statement_id   = compact(split(" ", each.key))[1]
  action         = lookup(each.value, "action", null)
  event_bus_name = try(each.value["event_bus_name"], local.bus_name)
}

resource "aws_cloudwatch_event_connection" "this" {
  for_each = { for name, wanted in var.connections : name => wanted if var.create && var.create_connections }

  region             = var.region
  name               = var.append_connection_postfix ? "${replace(each.key, "_", "-")}-connection" : each.key
  authorization_type = each.value.authorization_type
}

resource "aws_cloudwatch_event_api_destination" "this" {
  for_each = { for name, wanted in var.api_destinations : name => wanted if var.create && var.create_api_destinations }

  region              = var.region
  name                = var.append_destination_postfix ? "${replace(each.key, "_", "-")}-destination" : each.key
  invocation_endpoint = each.value.invocation_endpoint
  http_method         = each.value.http_method
  connection_arn = try(
    aws_cloudwatch_event_connection.this[each.value.connection_name].arn,
    aws_cloudwatch_event_connection.this[each.key].arn
  )
}

resource "aws_scheduler_schedule" "this" {
  for_each = { for name, wanted in var.schedules : name => wanted if var.create && var.create_schedules }

  region              = var.region
  name                = var.append_schedule_postfix ? "${replace(each.key, "_", "-")}-schedule" : each.key
  schedule_expression = each.value.schedule_expression
  state               = lookup(each.value, "state", true) ? "ENABLED" : "DISABLED"
  kms_key_arn         = lookup(each.value, "kms_key_arn", null)

  flexible_time_window {
    maximum_window_in_minutes = lookup(each.value, "maximum_window_in_minutes", null)
    mode                      = lookup(each.value, "use_flexible_time_window", false) ? "FLEXIBLE" : "OFF"
  }

  target {
    arn      = each.value.arn
    role_arn = can(length(each.value.role_arn) > 0) ? each.value.role_arn : aws_iam_role.eventbridge[0].arn
    input    = lookup(each.value, "input", null)

    dynamic "dead_letter_config" {
      for_each = lookup(each.value, "dead_letter_arn", null) != null ? [true] : []

      content {
        arn = each.value.dead_letter_arn
      }
    }

    dynamic "sqs_parameters" {
      for_each = lookup(each.value, "message_group_id", null) != null ? [true] : []

      content {
        message_group_id = each.value.message_group_id
      }
    }

    dynamic "retry_policy" {
      for_each = lookup(each.value, "retry_policy", null) != null ? [each.value.retry_policy] : []

      content {
        maximum_event_age_in_seconds = retry_policy.value.maximum_event_age_in_seconds
        maximum_retry_attempts       = retry_policy.value.maximum_retry_attempts
      }
    }
  }
}
