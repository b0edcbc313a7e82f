variable "create" {
  type    = bool
  default = true
}

variable "create_external" {
  type    = bool
  default = false
}

variable "create_replica" {
  type    = bool
  default = false
}

variable "create_replica_external" {
  type    = bool
  default = false
}

variable "region" {
  type    = string
  default = null
}

variable "policy" {
  type    = string
  default = null
}

variable "enable_default_policy" {
  type    = bool
  default = true
}

variable "key_owners" {
  type    = list(string)
  default = []
}

variable "key_administrators" {
  type    = list(string)
  default = []
}

variable "key_users" {
  type    = list(string)
  default = []
}

variable "key_service_users" {
  type    = list(string)
  default = []
}

variable "key_service_roles_for_autoscaling" {
  type    = list(string)
  default = []
}

variable "key_symmetric_encryption_users" {
  type    = list(string)
  default = []
}

variable "key_statements" {
  type    = any
  default = []
}

variable "source_policy_documents" {
  type    = list(string)
  default = []
}

variable "override_policy_documents" {
  type    = list(string)
  default = []
}

variable "aliases" {
  type    = list(string)
  default = []
}

variable "computed_aliases" {
  type    = any
  default = {}
}

variable "aliases_use_name_prefix" {
  type    = bool
  default = false
}

variable "grants" {
  type    = any
  default = {}
}

variable "primary_key_arn" {
  type    = string
  default = null
}

variable "primary_external_key_arn" {
  type    = string
  default = null
}
