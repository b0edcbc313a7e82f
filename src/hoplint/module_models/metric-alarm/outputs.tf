output "cloudwatch_metric_alarm_arn" {
  value = try(aws_cloudwatch_metric_alarm.this[0].arn, "")
}

output "cloudwatch_metric_alarm_id" {
  value = try(aws_cloudwatch_metric_alarm.this[0].id, "")
}
