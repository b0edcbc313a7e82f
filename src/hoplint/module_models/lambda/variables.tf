variable "create" {
  type    = bool
  default = true
}

variable "create_function" {
  type    = bool
  default = true
}

variable "create_layer" {
  type    = bool
  default = false
}

variable "create_role" {
  type    = bool
  default = true
}

variable "region" {
  type    = string
  default = null
}

variable "function_name" {
  type    = string
  default = ""
}

variable "handler" {
  type    = string
  default = ""
}

variable "runtime" {
  type    = string
  default = ""
}

variable "package_type" {
  type    = string
  default = "Zip"
}

variable "lambda_at_edge" {
  type    = bool
  default = false
}

variable "lambda_role" {
  type    = string
  default = ""
}

variable "kms_key_arn" {
  type    = string
  default = null
}

variable "memory_size" {
  type    = number
  default = 128
}

variable "timeout" {
  type    = number
  default = 3
}

variable "publish" {
  type    = bool
  default = false
}

variable "snap_start" {
  type    = bool
  default = false
}

variable "reserved_concurrent_executions" {
  type    = number
  default = -1
}

variable "provisioned_concurrent_executions" {
  type    = number
  default = -1
}

variable "managed_instances_capacity_provider_arn" {
  type    = string
  default = null
}

variable "dead_letter_target_arn" {
  type    = string
  default = null
}

variable "environment_variables" {
  type    = map(string)
  default = {}
}

variable "create_async_event_config" {
  type    = bool
  default = false
}

variable "create_current_version_async_event_config" {
  type    = bool
  default = true
}

variable "create_unqualified_alias_async_event_config" {
  type    = bool
  default = true
}

variable "maximum_event_age_in_seconds" {
  type    = number
  default = null
}

variable "maximum_retry_attempts" {
  type    = number
  default = null
}

variable "destination_on_failure" {
  type    = string
  default = null
}

variable "destination_on_success" {
  type    = string
  default = null
}

variable "create_current_version_allowed_triggers" {
  type    = bool
  default = true
}

variable "create_unqualified_alias_allowed_triggers" {
  type    = bool
  default = true
}

variable "allowed_triggers" {
  type    = any
  default = {}
}

variable "event_source_mapping" {
  type    = any
  default = {}
}

variable "use_existing_cloudwatch_log_group" {
  type    = bool
  default = false
}

variable "logging_log_group" {
  type    = string
  default = null
}

variable "role_name" {
  type    = string
  default = null
}

variable "role_permissions_boundary" {
  type    = string
  default = null
}

variable "policy_name" {
  type    = string
  default = null
}

variable "trusted_entities" {
  type    = any
  default = []
}

variable "assume_role_policy_statements" {
  type    = any
  default = {}
}

variable "attach_cloudwatch_logs_policy" {
  type    = bool
  default = true
}

variable "attach_create_log_group_permission" {
  type    = bool
  default = true
}

variable "attach_dead_letter_policy" {
  type    = bool
  default = false
}

variable "attach_async_event_policy" {
  type    = bool
  default = false
}

variable "attach_policy_json" {
  type    = bool
  default = false
}

variable "policy_json" {
  type    = string
  default = null
}

variable "attach_policy_jsons" {
  type    = bool
  default = false
}

variable "policy_jsons" {
  type    = list(string)
  default = []
}

variable "number_of_policy_jsons" {
  type    = number
  default = 0
}

variable "attach_policy" {
  type    = bool
  default = false
}

variable "policy" {
  type    = string
  default = null
}

variable "attach_policies" {
  type    = bool
  default = false
}

variable "policies" {
  type    = list(string)
  default = []
}

variable "number_of_policies" {
  type    = number
  default = 0
}

variable "attach_policy_statements" {
  type    = bool
  default = false
}

variable "policy_statements" {
  type    = any
  default = {}
}
