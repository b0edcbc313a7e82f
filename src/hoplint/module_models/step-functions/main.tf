# Stands in for terraform-aws-modules/step-functions/aws.

data "aws_region" "current" {}

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}

locals {
  create_role    = var.create && var.create_role && !var.use_existing_role
  role_name      = local.create_role ? coalesce(var.role_name, var.name) : null
  region         = var.aws_region_assume_role == "" ? data.aws_region.current.name : var.aws_region_assume_role
  enable_logging = try(var.logging_configuration["level"], "OFF") != "OFF"
  log_group_arn  = try(trimsuffix(aws_cloudwatch_log_group.sfn[0].arn, ":*"), "")
}

resource "aws_sfn_state_machine" "this" {
  count = var.create ? 1 : 0

  region     = var.region
  name       = var.name
  role_arn   = var.use_existing_role ? var.role_arn : aws_iam_role.this[0].arn
  definition = var.definition
  type       = upper(var.type)

  dynamic "logging_configuration" {
    for_each = local.enable_logging ? [true] : []

    content {
      log_destination        = lookup(var.logging_configuration, "log_destination", "${local.log_group_arn}:*")
      include_execution_data = lookup(var.logging_configuration, "include_execution_data", null)
      level                  = lookup(var.logging_configuration, "level", null)
    }
  }
}

resource "aws_cloudwatch_log_group" "sfn" {
  count = var.create && local.enable_logging && !var.use_existing_cloudwatch_log_group ? 1 : 0

  region = var.region
  name   = coalesce(var.cloudwatch_log_group_name, "/aws/vendedlogs/states/${var.name}")
}
