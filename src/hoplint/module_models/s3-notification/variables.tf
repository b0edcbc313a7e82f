variable "create" {
  type    = bool
  default = true
}

variable "create_sns_policy" {
  type    = bool
  default = true
}

variable "create_sqs_policy" {
  type    = bool
  default = true
}

variable "create_lambda_permission" {
  type    = bool
  default = true
}

variable "region" {
  type    = string
  default = null
}

variable "bucket" {
  type    = string
  default = ""
}

variable "bucket_arn" {
  type    = string
  default = null
}

variable "eventbridge" {
  type    = bool
  default = null
}

variable "lambda_notifications" {
  type    = any
  default = {}
}

variable "sqs_notifications" {
  type    = any
  default = {}
}

variable "sns_notifications" {
  type    = any
  default = {}
}
