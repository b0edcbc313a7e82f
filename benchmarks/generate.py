"""Generated work for the benchmark: sound event-driven stacks with a known fault in every tenth one.

The output depends on nothing but the arguments, so two runs measure the same bytes. Run as a program it writes the
work into a folder: ``python benchmarks/generate.py FOLDER``.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

FAULT_EVERY = 10
RESOURCES_PER_ROOT = 9
RESOURCES_PER_TEMPLATE = 10

_SUBJECTS = ("order", "invoice", "parcel", "refund", "seat", "meter", "ticket", "voucher", "claim", "booking", "label")
_VERBS = ("placed", "paid", "sent", "changed", "closed", "checked", "opened")
_PLAIN_YAML = re.compile(r"(?!(?:true|false|yes|no|on|off|null)$)[A-Za-z][A-Za-z0-9 ._:/-]*(?<![ :])", re.IGNORECASE)


@dataclass(frozen=True)
class Sizes:
    """How much work is generated."""

    roots: int = 200
    templates: int = 200
    small_groups: int = 30
    large_groups: int = 300


@dataclass(frozen=True)
class Work:
    """Where the generated work lies, and what is known about it."""

    roots: Path
    templates: Path
    small_root: Path
    large_root: Path
    one_root: Path
    one_template: Path
    sizes: Sizes

    def faults(self) -> dict[Path, int]:
        """How many queues of each folder are hidden for too short a time."""
        return {
            self.roots: _fault_count(self.sizes.roots),
            self.templates: _fault_count(self.sizes.templates),
            self.small_root: _fault_count(self.sizes.small_groups),
            self.large_root: _fault_count(self.sizes.large_groups),
        }


@dataclass(frozen=True)
class Flow:
    """The numbers and names of one flow: something is announced, queued and handled by a function."""

    index: int
    group: bool = False

    @property
    def subject(self) -> str:
        """What the flow is about."""
        return _SUBJECTS[self.index % len(_SUBJECTS)]

    @property
    def verb(self) -> str:
        """What happened to the subject."""
        return _VERBS[self.index % len(_VERBS)]

    @property
    def name(self) -> str:
        """A name that no other flow has."""
        return f"{self.subject}-{self.verb}-{self.index:03d}"

    @property
    def title(self) -> str:
        """The verb as an event's detail type has it."""
        return f"{self.subject.capitalize()} {self.verb}"

    @property
    def suffix(self) -> str:
        """What keeps the Terraform labels of several flows in one root apart."""
        return f"_{self.index:03d}" if self.group else ""

    @property
    def timeout(self) -> int:
        """The function's timeout in seconds."""
        return 10 + 5 * (self.index % 9)

    @property
    def window(self) -> int:
        """The mapping's batching window in seconds."""
        return self.index % 6

    @property
    def batch(self) -> int:
        """The mapping's batch size."""
        return 5 + self.index % 6

    @property
    def faulty(self) -> bool:
        """Whether the queue of this flow is hidden for less time than six timeouts."""
        return self.index % FAULT_EVERY == FAULT_EVERY - 1

    @property
    def as_json(self) -> bool:
        """Whether the template is JSON: every other one, and among the faulty ones every other too."""
        return (self.index + self.index // FAULT_EVERY) % 2 == 1

    @property
    def factor(self) -> int:
        """How many function timeouts the queue is hidden for."""
        return 2 if self.faulty else 6

    @property
    def visibility(self) -> int:
        """How long the queue hides a message, in seconds."""
        return self.factor * self.timeout + self.window

    @property
    def receives(self) -> int:
        """How often a message is received before it goes to the failure queue."""
        return 5 + self.index % 3


def generate(folder: Path, sizes: Sizes) -> Work:
    """Write all work below a folder."""
    work = Work(
        roots=folder / "roots",
        templates=folder / "templates",
        small_root=folder / "small-root",
        large_root=folder / "large-root",
        one_root=folder / "one-root",
        one_template=folder / "one-template",
        sizes=sizes,
    )
    for index in range(sizes.roots):
        _write_root(work.roots / f"root-{index:03d}", Flow(index))
    for index in range(sizes.templates):
        flow = Flow(index)
        _write_template(work.templates, flow, as_json=flow.as_json)
    _write_large_root(work.small_root, sizes.small_groups)
    _write_large_root(work.large_root, sizes.large_groups)
    flow = Flow(0)
    _write(work.one_root / "main.tf", _variables(flow) + _flow_hcl(flow))
    _write_template(work.one_template, flow, as_json=False)
    return work


def _fault_count(flows: int) -> int:
    return sum(Flow(index).faulty for index in range(flows))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# Terraform


def _write_root(folder: Path, flow: Flow) -> None:
    _write(folder / "versions.tf", _VERSIONS)
    _write(folder / "variables.tf", _variables(flow))
    _write(folder / "main.tf", _flow_hcl(flow))


def _write_large_root(folder: Path, groups: int) -> None:
    _write(folder / "versions.tf", _VERSIONS)
    _write(folder / "variables.tf", _shared_variables())
    for index in range(groups):
        flow = Flow(index, group=True)
        _write(folder / f"{flow.name}.tf", _flow_variables(flow) + _flow_hcl(flow))


_VERSIONS = """\
terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.60"
    }
  }
}

provider "aws" {
  region = var.region
}
"""


def _variables(flow: Flow) -> str:
    return _shared_variables() + _flow_variables(flow)


def _shared_variables() -> str:
    return """\
variable "region" {
  type    = string
  default = "eu-west-1"
}

variable "environment" {
  description = "Where this runs; part of every name."
  type        = string
  default     = "staging"
}

variable "packages_bucket" {
  description = "The bucket that the build puts the functions' packages into."
  type        = string
}

variable "on_call_topic_arn" {
  description = "The topic that reaches the people on call."
  type        = string
}

variable "undelivered_queue_arn" {
  description = "Where events go that could not be delivered at all."
  type        = string
}

variable "function_role_arn" {
  description = "The role of the functions that have none of their own."
  type        = string
}

variable "event_bus_name" {
  type    = string
  default = "default"
}

locals {
  tags = {
    Environment = var.environment
    ManagedBy   = "terraform"
  }
}

"""


def _flow_variables(flow: Flow) -> str:
    return f"""\
variable "timeout{flow.suffix}" {{
  description = "How long one batch may take, in seconds."
  type        = number
  default     = {flow.timeout}
}}

variable "window{flow.suffix}" {{
  description = "How long the mapping waits for a batch to fill, in seconds."
  type        = number
  default     = {flow.window}
}}

"""


def _flow_hcl(flow: Flow) -> str:
    shape = _SHAPES[flow.index % len(_SHAPES)]
    return "\n".join(shape(flow))


def _rule_with_own_role(flow: Flow) -> Iterator[str]:
    yield _failure_queue(flow)
    yield _queue(flow, redrive=True)
    yield _queue_policy_document(flow, "events.amazonaws.com", f"aws_cloudwatch_event_rule.this{flow.suffix}.arn")
    yield _role(flow)
    yield _function(flow, f"aws_iam_role.worker{flow.suffix}.arn")
    yield _mapping(flow)
    yield _event_rule(flow)
    yield _event_target(flow)
    yield _alarm(flow)


def _rule_with_shared_role(flow: Flow) -> Iterator[str]:
    yield _failure_queue(flow)
    yield _queue(flow, redrive=False)
    yield _redrive(flow)
    yield _queue_policy_json(flow, "events.amazonaws.com", f"aws_cloudwatch_event_rule.this{flow.suffix}.arn")
    yield _function(flow, "var.function_role_arn")
    yield _mapping(flow)
    yield _event_rule(flow)
    yield _event_target(flow)
    yield _alarm(flow)


def _topic_with_own_role(flow: Flow) -> Iterator[str]:
    yield _failure_queue(flow)
    yield _queue(flow, redrive=True)
    yield _queue_policy_json(flow, "sns.amazonaws.com", f"aws_sns_topic.this{flow.suffix}.arn")
    yield _role(flow)
    yield _function(flow, f"aws_iam_role.worker{flow.suffix}.arn")
    yield _mapping(flow)
    yield _topic(flow)
    yield _subscription(flow)
    yield _alarm(flow)


_SHAPES: tuple[Callable[[Flow], Iterator[str]], ...] = (
    _rule_with_own_role,
    _rule_with_shared_role,
    _topic_with_own_role,
)


def _failure_queue(flow: Flow) -> str:
    return f"""\
resource "aws_sqs_queue" "failed{flow.suffix}" {{
  name                      = "${{var.environment}}-{flow.name}-failed"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
  tags                      = local.tags
}}
"""


def _queue(flow: Flow, *, redrive: bool) -> str:
    visibility = f"var.timeout{flow.suffix} * {flow.factor} + var.window{flow.suffix}"
    if flow.index % 4 == 1:
        visibility = str(flow.visibility)
    policy = ""
    if redrive:
        policy = f"""
  redrive_policy = jsonencode({{
    deadLetterTargetArn = aws_sqs_queue.failed{flow.suffix}.arn
    maxReceiveCount     = {flow.receives}
  }})
"""
    return f"""\
# Work that the function has not done yet.
resource "aws_sqs_queue" "work{flow.suffix}" {{
  name                       = "${{var.environment}}-{flow.name}"
  visibility_timeout_seconds = {visibility}
  message_retention_seconds  = 345600
  receive_wait_time_seconds  = 20
  sqs_managed_sse_enabled    = true
  tags                       = local.tags
{policy}}}
"""


def _redrive(flow: Flow) -> str:
    return f"""\
resource "aws_sqs_queue_redrive_policy" "work{flow.suffix}" {{
  queue_url = aws_sqs_queue.work{flow.suffix}.id

  redrive_policy = jsonencode({{
    deadLetterTargetArn = aws_sqs_queue.failed{flow.suffix}.arn
    maxReceiveCount     = {flow.receives}
  }})
}}
"""


def _queue_policy_document(flow: Flow, service: str, source: str) -> str:
    return f"""\
data "aws_iam_policy_document" "work{flow.suffix}" {{
  statement {{
    sid       = "Deliver"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.work{flow.suffix}.arn]

    principals {{
      type        = "Service"
      identifiers = ["{service}"]
    }}

    condition {{
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [{source}]
    }}
  }}
}}

resource "aws_sqs_queue_policy" "work{flow.suffix}" {{
  queue_url = aws_sqs_queue.work{flow.suffix}.id
  policy    = data.aws_iam_policy_document.work{flow.suffix}.json
}}
"""


def _queue_policy_json(flow: Flow, service: str, source: str) -> str:
    return f"""\
resource "aws_sqs_queue_policy" "work{flow.suffix}" {{
  queue_url = aws_sqs_queue.work{flow.suffix}.id

  policy = jsonencode({{
    Version = "2012-10-17"
    Statement = [{{
      Sid       = "Deliver"
      Effect    = "Allow"
      Principal = {{ Service = "{service}" }}
      Action    = "sqs:SendMessage"
      Resource  = aws_sqs_queue.work{flow.suffix}.arn
      Condition = {{
        ArnEquals = {{ "aws:SourceArn" = {source} }}
      }}
    }}]
  }})
}}
"""


def _role(flow: Flow) -> str:
    return f"""\
resource "aws_iam_role" "worker{flow.suffix}" {{
  name = "${{var.environment}}-{flow.name}-worker"

  assume_role_policy = jsonencode({{
    Version = "2012-10-17"
    Statement = [{{
      Effect    = "Allow"
      Principal = {{ Service = "lambda.amazonaws.com" }}
      Action    = "sts:AssumeRole"
    }}]
  }})

  managed_policy_arns = ["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"]

  inline_policy {{
    name = "read-the-queue"
    policy = jsonencode({{
      Version = "2012-10-17"
      Statement = [{{
        Effect   = "Allow"
        Action   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
        Resource = aws_sqs_queue.work{flow.suffix}.arn
      }}]
    }})
  }}

  tags = local.tags
}}
"""


def _function(flow: Flow, role: str) -> str:
    return f"""\
resource "aws_lambda_function" "worker{flow.suffix}" {{
  function_name = "${{var.environment}}-{flow.name}"
  role          = {role}
  handler       = "{flow.subject}_{flow.verb}.handle"
  runtime       = "python3.12"
  architectures = ["arm64"]
  memory_size   = {256 + 128 * (flow.index % 4)}
  timeout       = var.timeout{flow.suffix}
  s3_bucket     = var.packages_bucket
  s3_key        = "{flow.name}.zip"

  environment {{
    variables = {{
      ENVIRONMENT = var.environment
      SUBJECT     = upper("{flow.subject}")
    }}
  }}

  tracing_config {{
    mode = "Active"
  }}

  tags = local.tags
}}
"""


def _mapping(flow: Flow) -> str:
    return f"""\
resource "aws_lambda_event_source_mapping" "work{flow.suffix}" {{
  event_source_arn                   = aws_sqs_queue.work{flow.suffix}.arn
  function_name                      = aws_lambda_function.worker{flow.suffix}.arn
  batch_size                         = {flow.batch}
  maximum_batching_window_in_seconds = var.window{flow.suffix}
  function_response_types            = ["ReportBatchItemFailures"]

  scaling_config {{
    maximum_concurrency = {10 + flow.index % 40}
  }}
}}
"""


def _event_rule(flow: Flow) -> str:
    return f"""\
resource "aws_cloudwatch_event_rule" "this{flow.suffix}" {{
  name           = "${{var.environment}}-{flow.name}"
  description    = "Each {flow.subject} that was {flow.verb}."
  event_bus_name = var.event_bus_name

  event_pattern = jsonencode({{
    source      = ["shop.{flow.subject}"]
    detail-type = ["{flow.title}"]
    detail = {{
      amount = [{{ numeric = [">", {flow.index % 50}] }}]
    }}
  }})

  tags = local.tags
}}
"""


def _event_target(flow: Flow) -> str:
    return f"""\
resource "aws_cloudwatch_event_target" "work{flow.suffix}" {{
  rule           = aws_cloudwatch_event_rule.this{flow.suffix}.name
  event_bus_name = aws_cloudwatch_event_rule.this{flow.suffix}.event_bus_name
  target_id      = "work"
  arn            = aws_sqs_queue.work{flow.suffix}.arn

  dead_letter_config {{
    arn = var.undelivered_queue_arn
  }}

  retry_policy {{
    maximum_event_age_in_seconds = 3600
    maximum_retry_attempts       = 20
  }}
}}
"""


def _topic(flow: Flow) -> str:
    return f"""\
resource "aws_sns_topic" "this{flow.suffix}" {{
  name         = "${{var.environment}}-{flow.name}"
  display_name = "{flow.title}"
  tags         = local.tags
}}
"""


def _subscription(flow: Flow) -> str:
    return f"""\
resource "aws_sns_topic_subscription" "work{flow.suffix}" {{
  topic_arn            = aws_sns_topic.this{flow.suffix}.arn
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.work{flow.suffix}.arn
  raw_message_delivery = true
  filter_policy_scope  = "MessageAttributes"
  filter_policy        = jsonencode({{ kind = ["{flow.subject}", "{flow.subject}-{flow.verb}"] }})
  redrive_policy       = jsonencode({{ deadLetterTargetArn = var.undelivered_queue_arn }})
}}
"""


def _alarm(flow: Flow) -> str:
    return f"""\
resource "aws_cloudwatch_metric_alarm" "failed{flow.suffix}" {{
  alarm_name          = "${{var.environment}}-{flow.name}-failed"
  alarm_description   = "A message about a {flow.subject} could not be handled."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  statistic           = "Maximum"
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  period              = 60
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.on_call_topic_arn]
  tags                = local.tags

  dimensions = {{
    QueueName = aws_sqs_queue.failed{flow.suffix}.name
  }}
}}
"""


# CloudFormation


@dataclass(frozen=True)
class _Tagged:
    """An intrinsic function, written in its short form in YAML and in its long form in JSON."""

    tag: str
    argument: str

    def long(self) -> dict[str, object]:
        """The form that JSON has."""
        if self.tag == "Ref":
            return {"Ref": self.argument}
        if self.tag == "GetAtt":
            return {"Fn::GetAtt": self.argument.split(".")}
        return {f"Fn::{self.tag}": self.argument}


def _write_template(folder: Path, flow: Flow, *, as_json: bool) -> None:
    template = _template(flow)
    if as_json:
        _write(folder / f"{flow.name}.json", json.dumps(template, indent=2, default=_Tagged.long) + "\n")
    else:
        _write(folder / f"{flow.name}.yaml", "\n".join(_yaml(template)) + "\n")


def _yaml(node: dict[str, object], indent: str = "") -> Iterator[str]:
    """Block style, as people write templates: short intrinsic functions, quotes only where they are needed."""
    for key, value in node.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from _yaml(value, indent + "  ")
        elif isinstance(value, list):
            yield f"{indent}{key}:"
            yield from _yaml_items(value, indent + "  ")
        else:
            yield f"{indent}{key}: {_yaml_scalar(value)}"


def _yaml_items(items: list[object], indent: str) -> Iterator[str]:
    for item in items:
        if isinstance(item, dict):
            first, *rest = _yaml(item, indent + "  ")
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {_yaml_scalar(item)}"


def _yaml_scalar(value: object) -> str:
    if isinstance(value, _Tagged):
        argument = json.dumps(value.argument) if value.tag == "Sub" else value.argument
        return f"!{value.tag} {argument}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if _PLAIN_YAML.fullmatch(value) else json.dumps(value)
    return str(value)


def _ref(name: str) -> _Tagged:
    return _Tagged("Ref", name)


def _arn(name: str) -> _Tagged:
    return _Tagged("GetAtt", f"{name}.Arn")


def _template(flow: Flow) -> dict[str, object]:
    resources = _events_template(flow) if flow.index % 4 < 2 else _topic_template(flow)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Handles each {flow.subject} that was {flow.verb}",
        "Parameters": {
            "Environment": {"Type": "String", "Default": "staging", "AllowedValues": ["staging", "production"]},
            "PackagesBucket": {"Type": "String", "Description": "Holds the packages of the functions"},
            "OnCallTopicArn": {"Type": "String", "Description": "The topic that reaches the people on call"},
            "UndeliveredQueueArn": {"Type": "String", "Description": "Keeps events that could not be delivered"},
        },
        "Resources": resources,
        "Outputs": {
            "WorkQueueUrl": {"Description": "Where the work waits", "Value": _ref("WorkQueue")},
            "WorkerArn": {"Description": "Who does the work", "Value": _arn("Worker")},
        },
    }


def _events_template(flow: Flow) -> dict[str, object]:
    return {
        **_common_resources(flow, "events.amazonaws.com", _arn("Announcement")),
        "Announcement": {
            "Type": "AWS::Events::Rule",
            "Properties": {
                "Description": f"Each {flow.subject} that was {flow.verb}",
                "State": "ENABLED",
                "EventPattern": {
                    "source": [f"shop.{flow.subject}"],
                    "detail-type": [flow.title],
                    "detail": {"channel": ["web", "till"]},
                },
                "Targets": [
                    {
                        "Id": "work",
                        "Arn": _arn("WorkQueue"),
                        "DeadLetterConfig": {"Arn": _ref("UndeliveredQueueArn")},
                        "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 20},
                    }
                ],
            },
        },
        "WorkerErrorsAlarm": _alarm_resource(
            "AWS/Lambda", "Errors", "Sum", {"Name": "FunctionName", "Value": _ref("Worker")}
        ),
    }


def _topic_template(flow: Flow) -> dict[str, object]:
    return {
        **_common_resources(flow, "sns.amazonaws.com", _ref("Announcement")),
        "Announcement": {
            "Type": "AWS::SNS::Topic",
            "Properties": {"TopicName": _Tagged("Sub", f"${{Environment}}-{flow.name}"), "DisplayName": flow.title},
        },
        "AnnouncementToWork": {
            "Type": "AWS::SNS::Subscription",
            "Properties": {
                "TopicArn": _ref("Announcement"),
                "Protocol": "sqs",
                "Endpoint": _arn("WorkQueue"),
                "RawMessageDelivery": True,
                "FilterPolicyScope": "MessageAttributes",
                "FilterPolicy": {"kind": [flow.subject, f"{flow.subject}-{flow.verb}"]},
                "RedrivePolicy": {"deadLetterTargetArn": _ref("UndeliveredQueueArn")},
            },
        },
    }


def _common_resources(flow: Flow, service: str, source: _Tagged) -> dict[str, object]:
    return {
        "FailedQueue": {
            "Type": "AWS::SQS::Queue",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {
                "QueueName": _Tagged("Sub", f"${{Environment}}-{flow.name}-failed"),
                "MessageRetentionPeriod": 1209600,
                "SqsManagedSseEnabled": True,
            },
        },
        "WorkQueue": {
            "Type": "AWS::SQS::Queue",
            "DeletionPolicy": "Delete",
            "UpdateReplacePolicy": "Delete",
            "Properties": {
                "QueueName": _Tagged("Sub", f"${{Environment}}-{flow.name}"),
                "VisibilityTimeout": flow.visibility,
                "MessageRetentionPeriod": 345600,
                "SqsManagedSseEnabled": True,
                "RedrivePolicy": {
                    "deadLetterTargetArn": _arn("FailedQueue"),
                    "maxReceiveCount": flow.receives,
                },
            },
        },
        "WorkQueuePolicy": {
            "Type": "AWS::SQS::QueuePolicy",
            "Properties": {
                "Queues": [_ref("WorkQueue")],
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Sid": "Deliver",
                            "Effect": "Allow",
                            "Principal": {"Service": service},
                            "Action": "sqs:SendMessage",
                            "Resource": _arn("WorkQueue"),
                            "Condition": {"ArnEquals": {"aws:SourceArn": source}},
                        }
                    ],
                },
            },
        },
        "WorkerRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "lambda.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
                "ManagedPolicyArns": [
                    _Tagged("Sub", "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole")
                ],
                "Policies": [
                    {
                        "PolicyName": "read-the-queue",
                        "PolicyDocument": {
                            "Version": "2012-10-17",
                            "Statement": [
                                {
                                    "Effect": "Allow",
                                    "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
                                    "Resource": _arn("WorkQueue"),
                                }
                            ],
                        },
                    }
                ],
            },
        },
        "Worker": {
            "Type": "AWS::Lambda::Function",
            "Properties": {
                "FunctionName": _Tagged("Sub", f"${{Environment}}-{flow.name}"),
                "Role": _arn("WorkerRole"),
                "Handler": f"{flow.subject}_{flow.verb}.handle",
                "Runtime": "python3.12",
                "Architectures": ["arm64"],
                "MemorySize": 256 + 128 * (flow.index % 4),
                "Timeout": flow.timeout,
                "Code": {"S3Bucket": _ref("PackagesBucket"), "S3Key": f"{flow.name}.zip"},
                "Environment": {"Variables": {"ENVIRONMENT": _ref("Environment")}},
                "TracingConfig": {"Mode": "Active"},
            },
        },
        "WorkerLogs": {
            "Type": "AWS::Logs::LogGroup",
            "DeletionPolicy": "Delete",
            "UpdateReplacePolicy": "Delete",
            "Properties": {"LogGroupName": _Tagged("Sub", "/aws/lambda/${Worker}"), "RetentionInDays": 30},
        },
        "WorkMapping": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "EventSourceArn": _arn("WorkQueue"),
                "FunctionName": _arn("Worker"),
                "BatchSize": flow.batch,
                "MaximumBatchingWindowInSeconds": flow.window,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "ScalingConfig": {"MaximumConcurrency": 10 + flow.index % 40},
            },
        },
        "FailedQueueAlarm": _alarm_resource(
            "AWS/SQS",
            "ApproximateNumberOfMessagesVisible",
            "Maximum",
            {"Name": "QueueName", "Value": _Tagged("GetAtt", "FailedQueue.QueueName")},
        ),
    }


def _alarm_resource(namespace: str, metric: str, statistic: str, dimension: dict[str, object]) -> dict[str, object]:
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "Namespace": namespace,
            "MetricName": metric,
            "Statistic": statistic,
            "Dimensions": [dimension],
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 0,
            "Period": 60,
            "EvaluationPeriods": 1,
            "TreatMissingData": "notBreaching",
            "AlarmActions": [_ref("OnCallTopicArn")],
        },
    }


def main() -> None:
    """Write the full work into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Write the benchmark's stacks into a folder.")
    parser.add_argument("folder", type=Path)
    generate(parser.parse_args().folder, Sizes())


if __name__ == "__main__":
    main()
