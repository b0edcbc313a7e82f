output "queue_id" {
  value = try(aws_sqs_queue.this[0].id, null)
}

output "queue_arn" {
  value = try(aws_sqs_queue.this[0].arn, null)
}

output "queue_arn_static" {
  value = (
    var.create && !var.use_name_prefix
    ? "arn:${local.partition}:sqs:${local.region}:${local.account}:${local.static_name}" : ""
  )
}

output "queue_url" {
  value = try(aws_sqs_queue.this[0].url, null)
}

output "queue_name" {
  value = try(aws_sqs_queue.this[0].name, null)
}

output "dead_letter_queue_id" {
  value = try(aws_sqs_queue.dlq[0].id, null)
}

output "dead_letter_queue_arn" {
  value = try(aws_sqs_queue.dlq[0].arn, null)
}

output "dead_letter_queue_arn_static" {
  value = (
    local.with_dlq && !var.use_name_prefix
    ? "arn:${local.partition}:sqs:${local.region}:${local.account}:${local.dlq_name}" : ""
  )
}

output "dead_letter_queue_url" {
  value = try(aws_sqs_queue.dlq[0].url, null)
}

output "dead_letter_queue_name" {
  value = try(aws_sqs_queue.dlq[0].name, null)
}
