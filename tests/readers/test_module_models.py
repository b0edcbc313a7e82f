"""Modules of the registry that are not on disk: which are stood in for, what they make, and where it stands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Value
from hoplint.readers.stand_ins import Shelf, constraint
from hoplint.readers.terraform import read_root
from hoplint.readers.tree import Tree, packaged
from hoplint.run import Request, run

ROOT = Path(__file__).resolve().parents[2]
STACK = ROOT / "fixtures" / "_stacks" / "registry-modules" / "terraform"
SQS = "terraform-aws-modules/sqs/aws"
UNUSED = {"alarm_description", "unit", "create_archives", "create_pipe_role_only"}
GITHUB = "github.com/terraform-aws-modules/terraform-aws-sqs"


def stack(tmp_path: Path, text: str) -> Stack:
    (tmp_path / "main.tf").write_text(text)
    return read_root(Tree(tmp_path), "")


def only(found: Stack, address: str) -> Resource:
    (resource,) = [resource for resource in found.resources if resource.address == address]
    return resource


def data(value: Value | None) -> object:
    assert isinstance(value, Known), value
    return value.data


def test_the_stack_of_registry_modules_has_its_fault() -> None:
    """The golden stack: one fault, placed at the caller's argument, and a fix that changes that argument."""
    report = run(Request([str(STACK)], working=str(STACK))).report
    expected = json.loads((STACK / "expected.json").read_text("utf-8"))
    assert [(found.rule.code, found.address) for found in report.findings] == [
        (entry["code"], entry["address"]) for entry in expected
    ]
    assert report.undecided == []
    (found,) = report.findings
    line = (STACK / "main.tf").read_text("utf-8").splitlines()[found.place.line - 1]
    assert line.strip().startswith("visibility_timeout_seconds")
    assert line[found.place.column - 1 : found.place.end_column - 1] == "90"
    ((place, text),) = found.edits
    assert (place.path, place.line, text) == (found.place.path, found.place.line, "360")
    assert place.path.endswith("main.tf")


@pytest.mark.parametrize(
    ("source", "version", "found"),
    [
        (SQS, "", "sqs"),
        (SQS, "~> 5.0", "sqs"),
        (SQS, "4.2.1", "sqs"),
        (SQS, ">= 4.0, < 6.0", "sqs"),
        (SQS, ">= 4.0", "sqs"),
        (SQS, "~> 3.0", None),
        (SQS, "< 4.0.0", None),
        (SQS, "~> 9.0", None),
        (SQS, "> 5.9.9, < 5.9.9", None),
        (SQS, "latest", None),
        (SQS, None, None),
        (f"registry.terraform.io/{SQS}", "5.2.1", "sqs"),
        (f"registry.opentofu.org/{SQS}", "5.2.1", "sqs"),
        (f"registry.example.com/{SQS}", "5.2.1", None),
        (f"{SQS}//wrappers", "~> 5.0", None),
        ("terraform-aws-modules/vpc/aws", "~> 5.0", None),
        ("someone/sqs/aws", "~> 5.0", None),
        (f"git::https://{GITHUB}.git?ref=v4.2.0", "", "sqs"),
        (f"git::https://{GITHUB}?ref=refs/tags/v5.0.0&depth=1", "", "sqs"),
        (f"git::ssh://git@{GITHUB}.git?ref=5.0.0", "", "sqs"),
        ("git@github.com:terraform-aws-modules/terraform-aws-sqs.git?ref=v5.0.0", "", "sqs"),
        (f"{GITHUB}", "", "sqs"),
        (f"{GITHUB}?ref=v3.5.0", "", None),
        (f"{GITHUB}?ref=main", "", None),
        (f"{GITHUB}?ref=cc15171e4a5b6c7d8e9f0a1b2c3d4e5f6a7b8c9d", "", None),
        ("terraform-aws-modules/s3-bucket/aws//modules/notification", "~> 5.0", "s3-notification"),
        ("terraform-aws-modules/s3-bucket/aws", "~> 5.0", None),
        ("github.com/terraform-aws-modules/terraform-aws-cloudwatch//modules/metric-alarm", "", "metric-alarm"),
    ],
)  # fmt: skip
def test_a_stand_in_is_chosen_by_source_and_version(source: str, version: str | None, found: str | None) -> None:
    assert Shelf().find(source, version) == found


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("~> 5", (5, 0, 0), (6, 0, 0)),
        ("~> 5.1", (5, 1, 0), (6, 0, 0)),
        ("~> 5.1.2", (5, 1, 2), (5, 2, 0)),
        ("5.1", (5, 1, 0), (5, 1, 1)),
        ("> 4.0.0, <= 4.2.0", (4, 0, 1), (4, 2, 1)),
    ],
)
def test_a_constraint_is_a_range(text: str, low: tuple[int, int, int], high: tuple[int, int, int]) -> None:
    assert constraint(text) == (low, high)


def test_a_queue_with_its_dead_letter_queue(tmp_path: Path) -> None:
    """Addresses and defaults are the module's; what the caller did not write stands at the head of the call."""
    found = stack(
        tmp_path,
        """
module "orders" {
  source                     = "terraform-aws-modules/sqs/aws"
  version                    = "~> 5.0"
  name                       = "orders.fifo"
  fifo_queue                 = true
  visibility_timeout_seconds = 45
  create_dlq                 = true
}
""",
    )
    assert [resource.address for resource in found.resources if resource.type.startswith("aws_sqs")] == [
        "module.orders.aws_sqs_queue.this[0]",
        "module.orders.aws_sqs_queue_redrive_policy.dlq[0]",
        "module.orders.aws_sqs_queue.dlq[0]",
        "module.orders.aws_sqs_queue_redrive_allow_policy.dlq[0]",
    ]
    queue, dead = (only(found, f"module.orders.aws_sqs_queue.{name}[0]") for name in ("this", "dlq"))
    assert data(queue.raw("name")) == "orders.fifo"
    assert data(dead.raw("name")) == "orders-dlq.fifo"
    assert data(dead.raw("fifo")) is True
    assert data(dead.raw("visibility_timeout")) == 45
    place = queue.raw("visibility_timeout").through[0].site.place()
    assert (place.path, place.line) == ("main.tf", 7)
    for resource in (queue, dead):
        place = resource.head.place()
        assert (place.path, place.line, place.column, place.end_line) == ("main.tf", 2, 1, 2)
    policy = only(found, "module.orders.aws_sqs_queue_redrive_policy.dlq[0]").raw("policy")
    assert "maxReceiveCount" in repr(policy) and "5" in repr(policy)


def test_nothing_stands_in_the_package(tmp_path: Path) -> None:
    """No file of hoplint's own is named by a place, a finding or the stack."""
    found = stack(tmp_path, (STACK / "main.tf").read_text("utf-8"))
    assert found.files == {"main.tf"}
    for resource in found.resources:
        for name in resource.kind.properties:
            value = resource.raw(name)
            for site in (value.site, getattr(value, "source", None), *(step.site for step in value.through)):
                assert site is None or (site.source.path, site.place().path) == ("main.tf", "main.tf")


def test_a_function_with_its_triggers_and_mappings(tmp_path: Path) -> None:
    found = stack(
        tmp_path,
        """
resource "aws_sqs_queue" "jobs" {}

module "worker" {
  source        = "terraform-aws-modules/lambda/aws"
  version       = "~> 7.0"
  function_name = "worker"
  publish       = true

  allowed_triggers = {
    api    = { service = "apigateway", source_arn = "arn:aws:execute-api:eu-west-1:111122223333:abc/*/*" }
    events = { principal = "events.amazonaws.com" }
  }

  event_source_mapping = {
    jobs = {
      event_source_arn = aws_sqs_queue.jobs.arn
      batch_size       = 5
      filter_criteria  = { pattern = jsonencode({ body = { kind = ["a"] } }) }
    }
  }

  create_async_event_config                 = true
  create_current_version_async_event_config = false
  maximum_retry_attempts                    = 1
  destination_on_failure                    = aws_sqs_queue.jobs.arn
}
""",
    )
    function = only(found, "module.worker.aws_lambda_function.this[0]")
    assert data(function.raw("timeout")) == 3
    role = function.raw("role")
    assert isinstance(role, Ref) and role.target.address == "module.worker.aws_iam_role.lambda[0]"
    permissions = [resource.address for resource in found.resources if resource.type == "aws_lambda_permission"]
    assert permissions == [
        f'module.worker.aws_lambda_permission.{name}["{key}"]'
        for name in ("current_version_triggers", "unqualified_alias_triggers")
        for key in ("api", "events")
    ]
    first = only(found, permissions[2])
    assert data(first.raw("principal")) == "apigateway.amazonaws.com"
    mapping = only(found, 'module.worker.aws_lambda_event_source_mapping.this["jobs"]')
    assert data(mapping.raw("batch_size")) == 5
    assert mapping.raw("batch_size").source.place().line == 18
    configured = [resource for resource in found.resources if resource.kind.name == "lambda.invoke_config"]
    assert [resource.address for resource in configured] == [
        'module.worker.aws_lambda_function_event_invoke_config.this["unqualified_alias"]'
    ]


def test_a_rule_with_its_targets(tmp_path: Path) -> None:
    found = stack(
        tmp_path,
        """
module "bus" {
  source   = "terraform-aws-modules/eventbridge/aws"
  version  = "~> 3.0"
  bus_name = "shop"
  rules    = { new_order = { event_pattern = jsonencode({ source = ["shop"] }), enabled = false } }
  targets  = { new_order = [{ name = "log", arn = "arn:aws:sqs:eu-west-1:111122223333:log" }] }
}
""",
    )
    rule = only(found, 'module.bus.aws_cloudwatch_event_rule.this["new_order"]')
    assert data(rule.raw("name")) == "new-order-rule"
    assert data(rule.raw("state")) == "DISABLED"
    target = only(found, 'module.bus.aws_cloudwatch_event_target.this["log"]')
    assert data(target.raw("rule")) == "new-order-rule"


def test_instances_and_switches(tmp_path: Path) -> None:
    """Calls with for_each make each instance; a switch that is off makes nothing."""
    found = stack(
        tmp_path,
        """
module "queues" {
  source   = "terraform-aws-modules/sqs/aws"
  version  = "~> 5.0"
  for_each = toset(["a", "b"])
  name     = each.key
}

module "none" {
  source  = "terraform-aws-modules/sqs/aws"
  version = "~> 5.0"
  create  = false
}
""",
    )
    queues = [resource for resource in found.resources if resource.type == "aws_sqs_queue"]
    assert {resource.address: data(resource.raw("name")) for resource in queues} == {
        'module.queues["a"].aws_sqs_queue.this[0]': "a",
        'module.queues["b"].aws_sqs_queue.this[0]': "b",
    }


def test_what_is_not_stood_in_for_stays_absent(tmp_path: Path) -> None:
    found = stack(
        tmp_path,
        """
module "old" {
  source  = "terraform-aws-modules/sqs/aws"
  version = "~> 3.0"
}

module "other" {
  source = "example/sqs/aws"
}
""",
    )
    assert found.resources == []
    assert [problem.message.partition(" comes")[0] for problem in found.problems] == ["module.old", "module.other"]


def test_installed_modules_come_first(tmp_path: Path) -> None:
    """What `terraform init` has fetched is read, and nothing stands in for it."""
    folder = tmp_path / ".terraform" / "modules"
    (folder / "orders").mkdir(parents=True)
    (folder / "orders" / "main.tf").write_text('resource "aws_sqs_queue" "real" {}\n')
    entries = [{"Key": "orders", "Source": SQS, "Dir": ".terraform/modules/orders"}]
    (folder / "modules.json").write_text(json.dumps({"Modules": entries}))
    found = stack(tmp_path, f'module "orders" {{\n  source = "{SQS}"\n}}\n')
    assert [resource.address for resource in found.resources] == ["module.orders.aws_sqs_queue.real"]


def test_every_stand_in_is_whole(tmp_path: Path) -> None:
    """Each entry of the index has its folder; every variable that is used is declared, and every declared one used."""
    shelf = packaged()
    assert {entry.folder for entry in Shelf().entries} == {
        name.rstrip("/") for name in shelf.list("") if name.endswith("/")
    }
    for entry in Shelf().entries:
        names = [name for name in shelf.list(entry.folder) if name.endswith(".tf")]
        text = "\n".join((shelf.read(f"{entry.folder}/{name}") or b"").decode() for name in names)
        declared = set(re.findall(r'^variable "(\w+)"', text, re.MULTILINE))
        used = set(re.findall(r"\bvar\.(\w+)", text))
        assert used - declared == set(), entry.folder
        assert declared - used <= UNUSED, entry.folder
        outer = "".join(f'  {name} = "x"\n' for name in re.findall(r'variable "(\w+)" \{\n  type = ', text))
        source = f"{entry.module}//{entry.within}" if entry.within else entry.module
        made = stack(tmp_path, f'module "one" {{\n  source = "{source}"\n{outer}}}\n')
        assert made.problems == [] and made.notes == []
        assert made.resources, entry.folder


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not installed")
def test_terraform_formats_the_stand_ins_as_they_are() -> None:
    command = ["terraform", "fmt", "-check", "-recursive", packaged().root]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_caller_cannot_know_stays_undecided(tmp_path: Path) -> None:
    """A reusable module that hands its own variables on: nothing is said that could be otherwise."""
    (tmp_path / "main.tf").write_text(
        """
variable "timeout" {
  type = number
}

variable "with_dlq" {
  type = bool
}

module "orders" {
  source                     = "terraform-aws-modules/sqs/aws"
  version                    = "~> 5.0"
  name                       = "orders"
  create_dlq                 = var.with_dlq
  visibility_timeout_seconds = var.timeout
}

module "worker" {
  source               = "terraform-aws-modules/lambda/aws"
  version              = "~> 8.0"
  function_name        = "worker"
  create_role          = false
  event_source_mapping = { orders = { event_source_arn = module.orders.queue_arn, batch_size = 1 } }
}
"""
    )
    report = run(Request([str(tmp_path)], working=str(tmp_path))).report
    assert "HOP101" not in [found.rule.code for found in report.findings]
    assert ("HOP101", "module.orders.aws_sqs_queue.this[0]") in {
        (entry.rule.code, entry.address) for entry in report.undecided
    }
