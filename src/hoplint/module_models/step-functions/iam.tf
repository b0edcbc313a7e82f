data "aws_iam_policy_document" "assume_role" {
  count = local.create_role ? 1 : 0

  statement {
    effect  = "Allow"
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = distinct(concat(["states.${local.region}.amazonaws.com"], var.trusted_entities))
    }
  }
}

resource "aws_iam_role" "this" {
  count = local.create_role ? 1 : 0

  name                 = local.role_name
  permissions_boundary = var.role_permissions_boundary
  assume_role_policy   = data.aws_iam_policy_document.assume_role[0].json
}

locals {
  # What the module's policies allow for a service; those of the other services are not known here.
  service_actions = {
    lambda       = { lambda = ["lambda:InvokeFunction"] }
    sns          = { sns = ["sns:Publish"] }
    sqs          = { sqs = ["sqs:SendMessage"] }
    dynamodb     = { dynamodb = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"] }
    stepfunction = { stepfunction = ["states:StartExecution"] }
    eventbridge  = { eventbridge = ["events:PutEvents"] }
    xray         = { xray = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"] }
  }
  integrations = {
    for name, wanted in var.service_integrations : name => wanted
    if local.create_role && var.attach_policies_for_integrations
  }
}

data "aws_iam_policy" "service" {
  for_each = { for name, wanted in local.integrations : name => wanted if !can(local.service_actions[name]) }

  name = "${local.role_name}-${each.key}"
}

data "aws_iam_policy_document" "service" {
  for_each = { for name, wanted in local.integrations : name => wanted if can(local.service_actions[name]) }

  dynamic "statement" {
    for_each = each.value

    content {
      effect    = "Allow"
      actions   = local.service_actions[each.key][statement.key]
      resources = try(tolist(statement.value), ["*"])
    }
  }
}

resource "aws_iam_policy" "service" {
  for_each = local.integrations

  name   = "${local.role_name}-${each.key}"
  policy = try(data.aws_iam_policy_document.service[each.key].json, data.aws_iam_policy.service[each.key].policy)
}

resource "aws_iam_policy_attachment" "service" {
  for_each = local.integrations

  name       = "${local.role_name}-${each.key}"
  roles      = [aws_iam_role.this[0].name]
  policy_arn = aws_iam_policy.service[each.key].arn
}

data "aws_iam_policy_document" "logs" {
  count = local.create_role && local.enable_logging && var.attach_cloudwatch_logs_policy ? 1 : 0

  statement {
    effect = "Allow"
    actions = [
      "logs:CreateLogDelivery",
      "logs:DeleteLogDelivery",
      "logs:DescribeLogGroups",
      "logs:DescribeResourcePolicies",
      "logs:GetLogDelivery",
      "logs:ListLogDeliveries",
      "logs:PutResourcePolicy",
      "logs:UpdateLogDelivery",
    ]
    resources = ["*"]
  }
}

resource "aws_iam_policy" "logs" {
  count = local.create_role && local.enable_logging && var.attach_cloudwatch_logs_policy ? 1 : 0

  name   = "${local.role_name}-logs"
  policy = data.aws_iam_policy_document.logs[0].json
}

resource "aws_iam_policy_attachment" "logs" {
  count = local.create_role && local.enable_logging && var.attach_cloudwatch_logs_policy ? 1 : 0

  name       = "${local.role_name}-logs"
  roles      = [aws_iam_role.this[0].name]
  policy_arn = aws_iam_policy.logs[0].arn
}

resource "aws_iam_policy" "additional_json" {
  count = local.create_role && var.attach_policy_json ? 1 : 0

  name   = "${local.role_name}-additional_json"
  policy = var.policy_json
}

resource "aws_iam_policy_attachment" "additional_json" {
  count = local.create_role && var.attach_policy_json ? 1 : 0

  name       = "${local.role_name}-additional_json"
  roles      = [aws_iam_role.this[0].name]
  policy_arn = aws_iam_policy.additional_json[0].arn
}

resource "aws_iam_policy" "additional_jsons" {
  count = local.create_role && var.attach_policy_jsons ? var.number_of_policy_jsons : 0

  name   = "${local.role_name}-additional_jsons-${count.index}"
  policy = var.policy_jsons[count.index]
}

resource "aws_iam_policy_attachment" "additional_jsons" {
  count = local.create_role && var.attach_policy_jsons ? var.number_of_policy_jsons : 0

  name       = "${local.role_name}-additional_jsons-${count.index}"
  roles      = [aws_iam_role.this[0].name]
  policy_arn = aws_iam_policy.additional_jsons[count.index].arn
}

resource "aws_iam_role_policy_attachment" "additional_one" {
  count = local.create_role && var.attach_policy ? 1 : 0

  role       = aws_iam_role.this[0].name
  policy_arn = var.policy
}

resource "aws_iam_role_policy_attachment" "additional_many" {
  count = local.create_role && var.attach_policies ? var.number_of_policies : 0

  role       = aws_iam_role.this[0].name
  policy_arn = var.policies[count.index]
}

data "aws_iam_policy_document" "additional_inline" {
  count = local.create_role && var.attach_policy_statements ? 1 : 0

  dynamic "statement" {
    for_each = try([for statement in var.policy_statements : statement], [])

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

resource "aws_iam_policy" "additional_inline" {
  count = local.create_role && var.attach_policy_statements ? 1 : 0

  name   = "${local.role_name}-additional_inline"
  policy = data.aws_iam_policy_document.additional_inline[0].json
}

resource "aws_iam_policy_attachment" "additional_inline" {
  count = local.create_role && var.attach_policy_statements ? 1 : 0

  name       = "${local.role_name}-additional_inline"
  roles      = [aws_iam_role.this[0].name]
  policy_arn = aws_iam_policy.additional_inline[0].arn
}
