variable "create_metric_alarm" {
  type    = bool
  default = true
}

variable "alarm_name" {
  type = string
}

variable "alarm_description" {
  type    = string
  default = null
}

variable "comparison_operator" {
  type = string
}

variable "evaluation_periods" {
  type = number
}

variable "threshold" {
  type    = number
  default = null
}

variable "threshold_metric_id" {
  type    = string
  default = null
}

variable "unit" {
  type    = string
  default = null
}

variable "metric_name" {
  type    = string
  default = null
}

variable "namespace" {
  type    = string
  default = null
}

variable "period" {
  type    = string
  default = null
}

variable "statistic" {
  type    = string
  default = null
}

variable "extended_statistic" {
  type    = string
  default = null
}

variable "actions_enabled" {
  type    = bool
  default = true
}

variable "datapoints_to_alarm" {
  type    = number
  default = null
}

variable "dimensions" {
  type    = any
  default = null
}

variable "alarm_actions" {
  type    = list(string)
  default = null
}

variable "ok_actions" {
  type    = list(string)
  default = null
}

variable "insufficient_data_actions" {
  type    = list(string)
  default = null
}

variable "treat_missing_data" {
  type    = string
  default = "missing"
}

variable "metric_query" {
  type    = any
  default = []
}
