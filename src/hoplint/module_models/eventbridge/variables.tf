variable "create" {
  type    = bool
  default = true
}

variable "region" {
  type    = string
  default = null
}

variable "create_role" {
  type    = bool
  default = true
}

variable "create_pipe_role_only" {
  type    = bool
  default = false
}

variable "create_bus" {
  type    = bool
  default = true
}

variable "create_rules" {
  type    = bool
  default = true
}

variable "create_targets" {
  type    = bool
  default = true
}

variable "create_permissions" {
  type    = bool
  default = true
}

variable "create_archives" {
  type    = bool
  default = false
}

variable "create_connections" {
  type    = bool
  default = false
}

variable "create_api_destinations" {
  type    = bool
  default = false
}

variable "create_schedules" {
  type    = bool
  default = true
}

variable "create_pipes" {
  type    = bool
  default = true
}

variable "append_rule_postfix" {
  type    = bool
  default = true
}

variable "append_schedule_postfix" {
  type    = bool
  default = true
}

variable "append_pipe_postfix" {
  type    = bool
  default = true
}

variable "append_destination_postfix" {
  type    = bool
  default = true
}

variable "append_connection_postfix" {
  type    = bool
  default = true
}

variable "bus_name" {
  type    = string
  default = "default"
}

variable "event_source_name" {
  type    = string
  default = null
}

variable "kms_key_identifier" {
  type    = string
  default = null
}

variable "dead_letter_config" {
  type    = any
  default = {}
}

variable "rules" {
  type    = map(any)
  default = {}
}

variable "targets" {
  type    = any
  default = {}
}

variable "permissions" {
  type    = map(any)
  default = {}
}

variable "connections" {
  type    = any
  default = {}
}

variable "api_destinations" {
  type    = map(any)
  default = {}
}

variable "schedules" {
  type    = map(any)
  default = {}
}

variable "pipes" {
  type    = any
  default = {}
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

variable "attach_kinesis_policy" {
  type    = bool
  default = false
}

variable "kinesis_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_kinesis_firehose_policy" {
  type    = bool
  default = false
}

variable "kinesis_firehose_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_sqs_policy" {
  type    = bool
  default = false
}

variable "sqs_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_sns_policy" {
  type    = bool
  default = false
}

variable "sns_target_arns" {
  type    = list(string)
  default = []
}

variable "sns_kms_arns" {
  type    = list(string)
  default = ["*"]
}

variable "attach_ecs_policy" {
  type    = bool
  default = false
}

variable "ecs_target_arns" {
  type    = list(string)
  default = []
}

variable "ecs_pass_role_resources" {
  type    = list(string)
  default = []
}

variable "attach_lambda_policy" {
  type    = bool
  default = false
}

variable "lambda_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_sfn_policy" {
  type    = bool
  default = false
}

variable "sfn_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_cloudwatch_policy" {
  type    = bool
  default = false
}

variable "cloudwatch_target_arns" {
  type    = list(string)
  default = []
}

variable "attach_api_destination_policy" {
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
