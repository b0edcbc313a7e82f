"""What a default decides, and what it leaves open: parameters of nested stacks, defaults that stand for nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import Loaded, Memory, rulebook

from hoplint import engine

NESTED = """
Parameters:
  Fifo:
    Type: String
    Default: "false"
Conditions:
  IsFifo: !Equals [!Ref Fifo, "true"]
  IsStandard: !Not [Condition: IsFifo]
Resources:
  Standard:
    Type: AWS::SQS::Queue
    Condition: IsStandard
  Ordered:
    Type: AWS::SQS::Queue
    Condition: IsFifo
    Properties: {FifoQueue: true}
Outputs:
  Arn:
    Value: !If [IsFifo, !GetAtt Ordered.Arn, !GetAtt Standard.Arn]
"""
OUTER = """
%s
Resources:
  Queues:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: nested.yaml
%s
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !GetAtt Queues.Outputs.Arn
      FunctionName: worker
      BatchSize: 100
      MaximumBatchingWindowInSeconds: 5
"""


def said(rule: str, path: str, **files: str) -> tuple[list[str], list[str]]:
    """On which addresses a rule speaks, and on which it cannot decide."""
    read = Loaded(Memory({name.replace("_", "."): text.encode() for name, text in files.items()}), path)
    found = read.lint(engine.Selection(rulebook(), [rule]))
    return [entry.address for entry in found.findings], [entry.address for entry in found.undecided]


FIFO = "fifo-batching-unsupported"


def test_a_nested_stack_that_is_given_nothing_has_its_defaults() -> None:
    """The template that nests it is read: nobody else gives it a parameter."""
    assert said(FIFO, "outer.yaml", outer_yaml=OUTER % ("", ""), nested_yaml=NESTED) == ([], [])


def test_what_a_nested_stack_is_given_counts() -> None:
    given = "      Parameters: {Fifo: 'true'}"
    spoken, _ = said(FIFO, "outer.yaml", outer_yaml=OUTER % ("", given), nested_yaml=NESTED)
    assert spoken == ["Mapping", "Mapping"]


def test_a_nested_stack_that_is_handed_a_parameter_stays_open() -> None:
    parameter = "Parameters:\n  Ordered: {Type: String, Default: 'false'}"
    given = "      Parameters: {Fifo: !Ref Ordered}"
    spoken, _ = said(FIFO, "outer.yaml", outer_yaml=OUTER % (parameter, given), nested_yaml=NESTED)
    assert spoken == ["Mapping", "Mapping"]


NOTHING = """
Parameters:
  Pattern:
    Type: String
    Default: "%s"
Conditions:
  Filtered: !Not [!Equals [!Ref Pattern, "%s"]]
Resources:
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
%s    Properties:
      EventSourceArn: arn:aws:sqs:eu-west-1:123456789012:orders
      FunctionName: worker
      FilterCriteria:
        Filters:
          - Pattern: !Sub '{"body": ${Pattern}}'
"""


@pytest.mark.parametrize("default", ["", "-", "none"])
def test_a_default_that_stands_for_nothing_is_none_where_something_was_given(default: str) -> None:
    """What exists only if a parameter is given does not see the default that says that it was not."""
    text = NOTHING % (default, default, "    Condition: Filtered\n")
    assert said("invalid-embedded-json", "template.yaml", template_yaml=text)[0] == []


@pytest.mark.parametrize("asked", ["", "something else"])
def test_a_default_that_is_used_is_used(asked: str) -> None:
    """Without the condition the default is what is deployed, if nobody says otherwise."""
    text = NOTHING % ("", asked, "")
    assert said("invalid-embedded-json", "template.yaml", template_yaml=text)[0] == ["Mapping"]


ROOT = """
variable "keep" {
  type    = bool
  default = false
}
resource "aws_sqs_queue" "q" {
  redrive_policy = var.keep ? jsonencode({ deadLetterTargetArn = "arn:aws:sqs:eu-west-1:1:d", maxReceiveCount = 5 }) : null
}
resource "aws_lambda_event_source_mapping" "m" {
  event_source_arn = aws_sqs_queue.q.arn
  function_name    = "worker"
}
"""


def test_what_only_a_root_default_leaves_out_is_not_missing() -> None:
    address = "aws_sqs_queue.q"
    assert said("source-queue-without-dlq", "main.tf", main_tf=ROOT) == ([], [address])
    plain = ROOT.replace("default = false", "default = false\n  }\n  locals {\n    x = 1").replace("var.keep", "false")
    assert said("source-queue-without-dlq", "main.tf", main_tf=plain) == ([address], [])


REGIONS = """
provider "aws" {
  region = "eu-west-1"
}
provider "aws" {
  alias  = "other"
  region = "%s"
}
resource "aws_sqs_queue" "q" {
  provider = aws.other
}
resource "aws_lambda_event_source_mapping" "m" {
  event_source_arn = aws_sqs_queue.q.arn
  function_name    = "worker"
}
"""


@pytest.mark.parametrize(("region", "count"), [("us-east-1", 1), ("eu-west-1", 0)])
def test_a_resource_is_in_the_region_of_its_provider(region: str, count: int) -> None:
    spoken, _ = said("cross-region-source", "main.tf", main_tf=REGIONS % region)
    assert len(spoken) == count


STRANGERS = """
Parameters:
  Worker: {Type: String}
Resources:
  Orders:
    Type: AWS::SQS::Queue
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !GetAtt Orders.Arn
      FunctionName: !Ref Worker
"""


def test_a_mapping_takes_messages_although_its_function_is_not_known() -> None:
    """The hop is there; what is asked about the function stays open."""
    assert said("source-queue-without-dlq", "template.yaml", template_yaml=STRANGERS)[0] == ["Orders"]
    assert said("visibility-below-six-timeouts", "template.yaml", template_yaml=STRANGERS)[0] == []


NAMED: list[tuple[str, Callable[[list[str]], bool]]] = [
    ("arn:aws:sqs:eu-west-1:123456789012:failed-orders", lambda found: found == ["Waiting"]),
    ("arn:aws:sqs:eu-west-1:123456789012:shop-Waiting-ABCDEF", lambda found: found == []),
]


@pytest.mark.parametrize(("target", "right"), NAMED)
def test_a_name_that_the_stack_gives_holds_the_logical_id(target: str, right: Callable[[list[str]], bool]) -> None:
    """A queue without a name cannot be the one that an ARN names which does not hold its logical id."""
    text = f"""
Resources:
  Sender:
    Type: AWS::SQS::Queue
    Properties:
      RedrivePolicy: {{deadLetterTargetArn: "{target}", maxReceiveCount: 5}}
  Waiting:
    Type: AWS::SQS::Queue
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !GetAtt Waiting.Arn
      FunctionName: worker
"""
    spoken, _ = said("source-queue-without-dlq", "template.yaml", template_yaml=text)
    assert right(spoken)
