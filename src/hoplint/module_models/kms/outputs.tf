output "key_arn" {
  value = try(
    aws_kms_key.this[0].arn,
    aws_kms_external_key.this[0].arn,
    aws_kms_replica_key.this[0].arn,
    aws_kms_replica_external_key.this[0].arn,
    null
  )
}

output "key_id" {
  value = local.key_id
}

output "key_policy" {
  value = try(aws_kms_key.this[0].policy, null)
}

output "aliases" {
  value = aws_kms_alias.this
}

output "grants" {
  value = aws_kms_grant.this
}
