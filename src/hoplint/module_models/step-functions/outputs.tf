output "state_machine_id" {
  value = try(aws_sfn_state_machine.this[0].id, "")
}

output "state_machine_arn" {
  value = try(aws_sfn_state_machine.this[0].arn, "")
}

output "state_machine_name" {
  value = try(aws_sfn_state_machine.this[0].name, "")
}

output "role_arn" {
  value = try(aws_iam_role.this[0].arn, "")
}

output "role_name" {
  value = try(aws_iam_role.this[0].name, "")
}

output "cloudwatch_log_group_arn" {
  value = try(aws_cloudwatch_log_group.sfn[0].arn, "")
}

output "cloudwatch_log_group_name" {
  value = try(aws_cloudwatch_log_group.sfn[0].name, "")
}
