terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "5.100.0"
    }
  }
}

provider "aws" {
  region                      = "eu-west-1"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_region_validation      = true
}

variable "timeout" {
  type    = number
  default = 30
}

variable "queues" {
  type = map(object({ visibility = number }))
  default = {
    eu = { visibility = 60 }
    us = { visibility = 180 }
  }
}

resource "aws_sns_topic" "alerts" {
  name = "alerts"
}

resource "aws_iam_role" "worker" {
  name = "worker"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" } }]
  })
}

resource "aws_lambda_function" "worker" {
  function_name = "worker"
  role          = aws_iam_role.worker.arn
  runtime       = "python3.13"
  handler       = "app.handler"
  s3_bucket     = "code"
  s3_key        = "worker.zip"
  timeout       = var.timeout
}

module "queue" {
  source     = "./queue"
  for_each   = var.queues
  name       = "orders-${each.key}"
  visibility = each.value.visibility
  topic_arn  = aws_sns_topic.alerts.arn
}

resource "aws_lambda_event_source_mapping" "worker" {
  for_each         = module.queue
  event_source_arn = each.value.arn
  function_name    = aws_lambda_function.worker.arn
  batch_size       = 5
}

resource "aws_lambda_event_source_mapping" "direct" {
  event_source_arn = module.queue["eu"].dlq_arn
  function_name    = aws_lambda_function.worker.function_name
}

data "aws_iam_policy_document" "send" {
  statement {
    sid       = "Send"
    actions   = ["sqs:SendMessage"]
    resources = [module.queue["eu"].arn]

    principals {
      type        = "Service"
      identifiers = ["sns.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [aws_sns_topic.alerts.arn]
    }
  }
}

resource "aws_sqs_queue_policy" "send" {
  queue_url = module.queue["eu"].url
  policy    = data.aws_iam_policy_document.send.json
}
