output "eventbridge_bus_name" {
  value = var.bus_name
}

output "eventbridge_bus_arn" {
  value = try(aws_cloudwatch_event_bus.this[0].arn, "")
}

output "eventbridge_bus" {
  value = aws_cloudwatch_event_bus.this
}

output "eventbridge_connection_arns" {
  value = { for name, made in aws_cloudwatch_event_connection.this : name => made.arn }
}

output "eventbridge_api_destination_arns" {
  value = { for name, made in aws_cloudwatch_event_api_destination.this : name => made.arn }
}

output "eventbridge_rule_ids" {
  value = { for name, made in aws_cloudwatch_event_rule.this : name => made.id }
}

output "eventbridge_rule_arns" {
  value = { for name, made in aws_cloudwatch_event_rule.this : name => made.arn }
}

output "eventbridge_rules" {
  value = aws_cloudwatch_event_rule.this
}

output "eventbridge_targets" {
  value = aws_cloudwatch_event_target.this
}

output "eventbridge_schedule_ids" {
  value = { for name, made in aws_scheduler_schedule.this : name => made.id }
}

output "eventbridge_schedule_arns" {
  value = { for name, made in aws_scheduler_schedule.this : name => made.arn }
}

output "eventbridge_schedules" {
  value = aws_scheduler_schedule.this
}

output "eventbridge_role_arn" {
  value = try(aws_iam_role.eventbridge[0].arn, "")
}

output "eventbridge_role_name" {
  value = try(aws_iam_role.eventbridge[0].name, "")
}

output "eventbridge_pipe_ids" {
  value = { for name, made in aws_pipes_pipe.this : name => made.id }
}

output "eventbridge_pipe_arns" {
  value = { for name, made in aws_pipes_pipe.this : name => made.arn }
}

output "eventbridge_pipe_role_arns" {
  value = { for name, made in aws_iam_role.eventbridge_pipe : name => made.arn }
}

output "eventbridge_pipe_role_names" {
  value = { for name, made in aws_iam_role.eventbridge_pipe : name => made.name }
}
