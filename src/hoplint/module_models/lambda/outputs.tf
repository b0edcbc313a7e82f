output "lambda_function_arn" {
  value = try(aws_lambda_function.this[0].arn, "")
}

output "lambda_function_arn_static" {
  value = (
    local.create
    ? "arn:${local.partition}:lambda:${local.region}:${local.account}:function:${var.function_name}" : ""
  )
}

output "lambda_function_invoke_arn" {
  value = try(aws_lambda_function.this[0].invoke_arn, "")
}

output "lambda_function_name" {
  value = try(aws_lambda_function.this[0].function_name, "")
}

output "lambda_function_qualified_arn" {
  value = try(aws_lambda_function.this[0].qualified_arn, "")
}

output "lambda_function_qualified_invoke_arn" {
  value = try(aws_lambda_function.this[0].qualified_invoke_arn, "")
}

output "lambda_function_version" {
  value = try(aws_lambda_function.this[0].version, "")
}

output "lambda_function_kms_key_arn" {
  value = try(aws_lambda_function.this[0].kms_key_arn, "")
}

output "lambda_event_source_mapping_uuid" {
  value = { for name, made in aws_lambda_event_source_mapping.this : name => made.uuid }
}

output "lambda_role_arn" {
  value = try(aws_iam_role.lambda[0].arn, "")
}

output "lambda_role_name" {
  value = try(aws_iam_role.lambda[0].name, "")
}

output "lambda_role_unique_id" {
  value = try(aws_iam_role.lambda[0].unique_id, "")
}

output "lambda_cloudwatch_log_group_arn" {
  value = try(aws_cloudwatch_log_group.lambda[0].arn, "")
}

output "lambda_cloudwatch_log_group_name" {
  value = try(aws_cloudwatch_log_group.lambda[0].name, local.log_group)
}
