variable "create" {
  type    = bool
  default = true
}

variable "create_role" {
  type    = bool
  default = true
}

variable "use_existing_role" {
  type    = bool
  default = false
}

variable "use_existing_cloudwatch_log_group" {
  type    = bool
  default = false
}

variable "region" {
  type    = string
  default = null
}

variable "name" {
  type    = string
  default = ""
}

variable "definition" {
  type    = string
  default = ""
}

variable "role_arn" {
  type    = string
  default = ""
}

variable "type" {
  type    = string
  default = "STANDARD"
}

variable "logging_configuration" {
  type    = map(string)
  default = {}
}

variable "cloudwatch_log_group_name" {
  type    = string
  default = null
}

variable "attach_cloudwatch_logs_policy" {
  type    = bool
  default = true
}

variable "aws_region_assume_role" {
  type    = string
  default = ""
}

variable "role_name" {
  type    = string
  default = null
}

variable "role_permissions_boundary" {
  type    = string
  default = null
}

variable "trusted_entities" {
  type    = list(string)
  default = []
}

variable "attach_policies_for_integrations" {
  type    = bool
  default = true
}

variable "service_integrations" {
  type    = any
  default = {}
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
