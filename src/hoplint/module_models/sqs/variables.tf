variable "create" {
  type    = bool
  default = true
}

variable "region" {
  type    = string
  default = null
}

variable "name" {
  type    = string
  default = null
}

variable "use_name_prefix" {
  type    = bool
  default = false
}

variable "fifo_queue" {
  type    = bool
  default = false
}

variable "content_based_deduplication" {
  type    = bool
  default = null
}

variable "deduplication_scope" {
  type    = string
  default = null
}

variable "fifo_throughput_limit" {
  type    = string
  default = null
}

variable "delay_seconds" {
  type    = number
  default = null
}

variable "visibility_timeout_seconds" {
  type    = number
  default = null
}

variable "message_retention_seconds" {
  type    = number
  default = null
}

variable "max_message_size" {
  type    = number
  default = null
}

variable "receive_wait_time_seconds" {
  type    = number
  default = null
}

variable "kms_master_key_id" {
  type    = string
  default = null
}

variable "sqs_managed_sse_enabled" {
  type    = bool
  default = true
}

variable "redrive_policy" {
  type    = any
  default = {}
}

variable "redrive_allow_policy" {
  type    = any
  default = {}
}

variable "create_queue_policy" {
  type    = bool
  default = false
}

variable "queue_policy_statements" {
  type    = any
  default = {}
}

variable "source_queue_policy_documents" {
  type    = list(string)
  default = []
}

variable "override_queue_policy_documents" {
  type    = list(string)
  default = []
}

variable "create_dlq" {
  type    = bool
  default = false
}

variable "dlq_name" {
  type    = string
  default = null
}

variable "dlq_content_based_deduplication" {
  type    = bool
  default = null
}

variable "dlq_deduplication_scope" {
  type    = string
  default = null
}

variable "dlq_fifo_throughput_limit" {
  type    = string
  default = null
}

variable "dlq_delay_seconds" {
  type    = number
  default = null
}

variable "dlq_visibility_timeout_seconds" {
  type    = number
  default = null
}

variable "dlq_message_retention_seconds" {
  type    = number
  default = null
}

variable "dlq_receive_wait_time_seconds" {
  type    = number
  default = null
}

variable "dlq_kms_master_key_id" {
  type    = string
  default = null
}

variable "dlq_sqs_managed_sse_enabled" {
  type    = bool
  default = true
}

variable "create_dlq_redrive_allow_policy" {
  type    = bool
  default = true
}

variable "dlq_redrive_allow_policy" {
  type    = any
  default = {}
}

variable "create_dlq_queue_policy" {
  type    = bool
  default = false
}

variable "dlq_queue_policy_statements" {
  type    = any
  default = {}
}

variable "source_dlq_queue_policy_documents" {
  type    = list(string)
  default = []
}

variable "override_dlq_queue_policy_documents" {
  type    = list(string)
  default = []
}
