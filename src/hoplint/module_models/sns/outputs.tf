output "topic_arn" {
  value = try(aws_sns_topic.this[0].arn, null)
}

output "topic_id" {
  value = try(aws_sns_topic.this[0].id, null)
}

output "topic_name" {
  value = try(aws_sns_topic.this[0].name, null)
}

output "topic_owner" {
  value = try(aws_sns_topic.this[0].owner, null)
}

output "subscriptions" {
  value = aws_sns_topic_subscription.this
}
