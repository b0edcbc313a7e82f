output "dynamodb_table_arn" {
  value = try(
    aws_dynamodb_table.this[0].arn,
    aws_dynamodb_table.autoscaled[0].arn,
    aws_dynamodb_table.autoscaled_gsi_ignore[0].arn,
    ""
  )
}

output "dynamodb_table_id" {
  value = try(
    aws_dynamodb_table.this[0].id,
    aws_dynamodb_table.autoscaled[0].id,
    aws_dynamodb_table.autoscaled_gsi_ignore[0].id,
    ""
  )
}

output "dynamodb_table_stream_arn" {
  value = try(
    aws_dynamodb_table.this[0].stream_arn,
    aws_dynamodb_table.autoscaled[0].stream_arn,
    aws_dynamodb_table.autoscaled_gsi_ignore[0].stream_arn,
    ""
  )
}

output "dynamodb_table_stream_label" {
  value = try(
    aws_dynamodb_table.this[0].stream_label,
    aws_dynamodb_table.autoscaled[0].stream_label,
    aws_dynamodb_table.autoscaled_gsi_ignore[0].stream_label,
    ""
  )
}
