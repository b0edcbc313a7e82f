variable "create_table" {
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

variable "billing_mode" {
  type    = string
  default = "PAY_PER_REQUEST"
}

variable "hash_key" {
  type    = string
  default = null
}

variable "range_key" {
  type    = string
  default = null
}

variable "autoscaling_enabled" {
  type    = bool
  default = false
}

variable "ignore_changes_global_secondary_index" {
  type    = bool
  default = false
}

variable "stream_enabled" {
  type    = bool
  default = false
}

variable "stream_view_type" {
  type    = string
  default = null
}

variable "ttl_enabled" {
  type    = bool
  default = false
}

variable "ttl_attribute_name" {
  type    = string
  default = ""
}

variable "replica_regions" {
  type    = any
  default = []
}

variable "server_side_encryption_enabled" {
  type    = bool
  default = false
}

variable "server_side_encryption_kms_key_arn" {
  type    = string
  default = null
}
