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

locals {
  sources = { orders = "arn:aws:sns:eu-west-1:111122223333:orders", bills = "arn:aws:sns:eu-west-1:111122223333:bills" }
}

data "aws_iam_policy_document" "plain" {
  statement {
    actions   = ["sqs:SendMessage"]
    resources = ["*"]
  }
}

data "aws_iam_policy_document" "empty" {}

data "aws_iam_policy_document" "full" {
  version   = "2008-10-17"
  policy_id = "full"

  statement {
    sid           = "Full"
    effect        = "Deny"
    not_actions   = ["sqs:SendMessage", "sqs:DeleteMessage"]
    not_resources = ["arn:aws:sqs:eu-west-1:111122223333:orders"]

    not_principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::111122223333:root"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:PrincipalTag/team"
      values   = ["orders"]
    }
  }
}

data "aws_iam_policy_document" "variables" {
  statement {
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["arn:aws:s3:::home/&{aws:username}/*", "arn:aws:s3:::shared/*"]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["&{aws:username}/*", "shared/"]
    }
  }
}

data "aws_iam_policy_document" "principals" {
  statement {
    sid       = "Everyone"
    actions   = ["sns:Publish"]
    resources = ["*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }
  }

  statement {
    sid       = "AnyAccount"
    actions   = ["sns:Publish"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }
  }

  statement {
    sid       = "Several"
    actions   = ["sns:Publish"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com", "sns.amazonaws.com"]
    }

    principals {
      type        = "AWS"
      identifiers = ["111122223333"]
    }

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "conditions" {
  statement {
    actions   = ["sqs:SendMessage"]
    resources = ["*"]

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = values(local.sources)
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = ["111122223333"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:PrincipalArn"
      values   = ["arn:aws:iam::111122223333:role/a"]
    }
  }
}

data "aws_iam_policy_document" "dynamic" {
  dynamic "statement" {
    for_each = local.sources

    content {
      sid       = title(statement.key)
      actions   = ["sqs:SendMessage"]
      resources = ["*"]

      dynamic "principals" {
        for_each = statement.key == "orders" ? ["sns.amazonaws.com"] : []

        content {
          type        = "Service"
          identifiers = [principals.value]
        }
      }

      condition {
        test     = "ArnEquals"
        variable = "aws:SourceArn"
        values   = [statement.value]
      }
    }
  }
}

data "aws_iam_policy_document" "merged" {
  source_policy_documents = [
    data.aws_iam_policy_document.principals.json,
    jsonencode({ Version = "2012-10-17", Id = "json", Statement = [{ Sid = "Json", Effect = "Allow", Action = "sqs:*", Resource = "*" }] }),
    data.aws_iam_policy_document.plain.json,
  ]

  override_policy_documents = [
    data.aws_iam_policy_document.full.json,
    jsonencode({ Statement = [{ Sid = "Several", Effect = "Deny", Action = ["sns:*"], Resource = ["*"] }] }),
  ]

  statement {
    sid       = "Own"
    actions   = ["sqs:ReceiveMessage"]
    resources = ["*"]
  }

  statement {
    actions   = ["sqs:SendMessage"]
    resources = ["*"]
  }

  statement {
    sid       = "Full"
    actions   = ["sqs:PurgeQueue"]
    resources = ["*"]
  }
}
