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

variable "fifo_topic" {
  type    = bool
  default = false
}

variable "content_based_deduplication" {
  type    = bool
  default = false
}

variable "kms_master_key_id" {
  type    = string
  default = null
}

variable "topic_policy" {
  type    = string
  default = null
}

variable "create_topic_policy" {
  type    = bool
  default = true
}

variable "enable_default_topic_policy" {
  type    = bool
  default = true
}

variable "topic_policy_statements" {
  type    = any
  default = {}
}

variable "source_topic_policy_documents" {
  type    = list(string)
  default = []
}

variable "override_topic_policy_documents" {
  type    = list(string)
  default = []
}

variable "create_subscription" {
  type    = bool
  default = true
}

variable "subscriptions" {
  type    = any
  default = {}
}
