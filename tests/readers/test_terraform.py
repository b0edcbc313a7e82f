"""Terraform roots become stacks: instances, variables, modules, policy documents, and what cannot be known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoplint.catalog import KINDS
from hoplint.model import embedded
from hoplint.model.condition import TRUE, Scenario
from hoplint.model.inquiry import begin, certainly, settle
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Choice, Encoded, Known, Number, Ref, Text, Unknown, Value
from hoplint.readers.terraform import Options, called_modules, read_root
from hoplint.readers.tree import Tree


class Project:
    """Files on disk and the stack that is read from them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def stack(self, main: str | None = None, folder: str = "", options: Options | None = None, **files: str) -> Stack:
        if main is not None:
            self.write({"main.tf" if not folder else f"{folder}/main.tf": main})
        self.write({name.replace("__", "/") + ".tf": text for name, text in files.items()})
        return read_root(Tree(self.root), folder, options)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def only(stack: Stack, address: str) -> Resource:
    found = [resource for resource in stack.resources if resource.address == address]
    assert len(found) == 1, [resource.address for resource in stack.resources]
    return found[0]


def addresses(stack: Stack) -> list[str]:
    return [resource.address for resource in stack.resources]


def shown(value: Value) -> Any:
    """A value as plain data, references as `<address.attribute>`, the unknown as `?`."""
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return [shown(item) for item in value.data]
        if isinstance(value.data, dict):
            return {key: shown(item) for key, item in value.data.items()}
        return value.data
    if isinstance(value, Ref):
        return f"<{value.target.address}.{value.attribute}>"
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else str(shown(part)) for part in value.parts)
    if isinstance(value, Encoded):
        return {"json": shown(value.tree)}
    if isinstance(value, Choice):
        return (repr(value.condition), shown(value.then), shown(value.otherwise))
    if isinstance(value, Number):
        return str(value.quantity)
    return "?"


def place(value: Value) -> tuple[str, int]:
    site = value.place_of_change
    assert site is not None
    found = site.place()
    return found.path, found.line


# ----------------------------------------------------------------------------------------------------------- settings


def test_a_setting_stands_where_it_is_written_and_an_absent_one_at_the_head(project: Project) -> None:
    stack = project.stack('resource "aws_sqs_queue" "q" {\n  name = "orders"\n  delay_seconds = 5\n}\n')
    queue = only(stack, "aws_sqs_queue.q")
    written = queue.site("delay").place()
    assert (written.line, written.column, written.end_column) == (3, 19, 20)
    absent = queue.site("visibility_timeout").place()
    assert (absent.line, absent.column, absent.end_column) == (1, 1, 31)
    assert shown(queue.raw("visibility_timeout")) == 30


def test_an_unknown_type_is_not_a_resource_of_the_stack(project: Project) -> None:
    assert addresses(project.stack('resource "aws_security_group" "g" {\n  name = "x"\n}\n')) == []


def test_a_resource_of_an_unknown_type_that_is_handed_a_queue_is_exposed(project: Project) -> None:
    stack = project.stack(
        """
        locals {
          arn = aws_sqs_queue.q.arn
        }
        resource "aws_sqs_queue" "q" {}
        resource "aws_ssm_parameter" "p" {
          name  = "queue"
          value = local.arn
        }
        resource "aws_security_group" "g" {
          name = "x"
        }
        """
    )
    assert [shown(value) for value in stack.exposed] == ["<aws_sqs_queue.q.arn>"]
    assert place(stack.exposed[0]) == ("main.tf", 8)


def test_nested_blocks_are_lists_and_dynamic_blocks_are_written_out(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_s3_bucket_notification" "n" {
          bucket = "b"
          queue {
            queue_arn = "first"
            events    = ["s3:ObjectCreated:*"]
          }
          dynamic "queue" {
            for_each = { b = "two", a = "one" }
            iterator = each_queue
            content {
              queue_arn     = each_queue.value
              filter_prefix = each_queue.key
              events        = ["s3:ObjectRemoved:*"]
            }
          }
        }
        """
    )
    queues = only(stack, "aws_s3_bucket_notification.n").raw("queues")
    assert [(item["queue_arn"], item.get("filter_prefix")) for item in shown(queues)] == [
        ("first", None),
        ("one", "a"),
        ("two", "b"),
    ]


def test_a_dynamic_block_over_something_unknown_is_unknown(project: Project) -> None:
    stack = project.stack(
        """
        variable "targets" {}
        resource "aws_s3_bucket_notification" "n" {
          bucket = "b"
          dynamic "queue" {
            for_each = var.targets
            content {
              queue_arn = queue.value
            }
          }
        }
        """
    )
    queues = only(stack, "aws_s3_bucket_notification.n").raw("queues")
    assert isinstance(queues, Unknown)
    assert "--var targets" in queues.why


def test_a_dynamic_block_under_an_open_condition_is_a_choice(project: Project) -> None:
    stack = project.stack(
        """
        variable "dlq" {
          type = bool
        }
        resource "aws_lambda_function" "f" {
          dynamic "dead_letter_config" {
            for_each = var.dlq ? [1] : []
            content {
              target_arn = "arn"
            }
          }
        }
        """
    )
    function = only(stack, "aws_lambda_function.f")
    begin(Scenario())
    assert shown(function.raw("dlq")) == ("var.dlq in ['true']", "arn", None)


def test_an_attribute_of_another_resource_is_a_reference_its_value_or_aws_default(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_sqs_queue" "a" {
          name          = "a"
          delay_seconds = 7
        }
        resource "aws_sqs_queue" "b" {
          name                       = aws_sqs_queue.a.name
          kms_master_key_id          = aws_sqs_queue.a.arn
          delay_seconds              = aws_sqs_queue.a.delay_seconds
          visibility_timeout_seconds = aws_sqs_queue.a.visibility_timeout_seconds
          policy                     = aws_sqs_queue.a.tags_all
        }
        """
    )
    queue = only(stack, "aws_sqs_queue.b")
    assert shown(queue.raw("name")) == "<aws_sqs_queue.a.name>"
    assert shown(queue.raw("kms_key")) == "<aws_sqs_queue.a.arn>"
    assert shown(queue.raw("delay")) == 7
    assert shown(queue.raw("visibility_timeout")) == 30
    assert isinstance(queue.raw("policy"), Unknown)


def test_the_version_of_a_function_that_does_not_publish_is_latest(project: Project) -> None:
    stack = project.stack(
        """
        variable "publish" {
          default = "false"
        }
        resource "aws_lambda_function" "plain" {}
        resource "aws_lambda_function" "no" {
          publish = var.publish
        }
        resource "aws_lambda_function" "yes" {
          publish = true
        }
        resource "aws_lambda_alias" "plain" {
          function_version = aws_lambda_function.plain.version
        }
        resource "aws_lambda_alias" "no" {
          function_version = aws_lambda_function.no.version
        }
        resource "aws_lambda_alias" "yes" {
          function_version = aws_lambda_function.yes.version
        }
        """
    )
    assert shown(only(stack, "aws_lambda_alias.plain").raw("version")) == "$LATEST"
    assert shown(only(stack, "aws_lambda_alias.no").raw("version")) == "$LATEST"
    assert shown(only(stack, "aws_lambda_alias.yes").raw("version")) == "<aws_lambda_function.yes.version>"


# ---------------------------------------------------------------------------------------------------------- variables


VARIABLE = """
variable "timeout" {
  type    = number
  default = 30
}
resource "aws_sqs_queue" "q" {
  visibility_timeout_seconds = var.timeout
}
"""


def timeout(stack: Stack) -> Value:
    return only(stack, "aws_sqs_queue.q").raw("visibility_timeout")


def test_a_default_decides_and_is_the_place_to_change(project: Project) -> None:
    value = timeout(project.stack(VARIABLE))
    assert shown(value) == 30
    assert place(value) == ("main.tf", 4)
    assert [(step.name, step.how) for step in value.through] == [("var.timeout", "default")]


def test_values_are_given_with_terraforms_precedence(project: Project) -> None:
    environment = {"timeout": "1"}
    stack = project.stack(VARIABLE, options=Options(environment=environment))
    assert (shown(timeout(stack)), timeout(stack).through[0].how) == (1, "environment")
    project.write({"terraform.tfvars": "timeout = 2\n"})
    stack = project.stack(VARIABLE, options=Options(environment=environment))
    assert (shown(timeout(stack)), place(timeout(stack))) == (2, ("terraform.tfvars", 1))
    project.write({"terraform.tfvars.json": '{"timeout": 3}'})
    assert shown(timeout(project.stack(VARIABLE))) == 3
    project.write({"a.auto.tfvars": "timeout = 4\n", "b.auto.tfvars.json": '{\n  "timeout": 5\n}'})
    stack = project.stack(VARIABLE)
    assert (shown(timeout(stack)), place(timeout(stack))) == (5, ("b.auto.tfvars.json", 2))
    project.write({"env/prod.tfvars": "\ntimeout = 6\n"})
    stack = project.stack(VARIABLE, options=Options(var_files=("env/prod.tfvars",)))
    assert (shown(timeout(stack)), place(timeout(stack))) == (6, ("env/prod.tfvars", 2))
    stack = project.stack(VARIABLE, options=Options(variables={"timeout": "7"}, var_files=("env/prod.tfvars",)))
    assert (shown(timeout(stack)), timeout(stack).through[0].how) == (7, "option")


def test_a_value_on_the_command_line_is_an_expression_where_the_type_is_no_scalar(project: Project) -> None:
    stack = project.stack(
        """
        variable "queue" {
          type = object({ timeout = number })
        }
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = var.queue.timeout
        }
        """,
        options=Options(variables={"queue": "{ timeout = 41 }"}),
    )
    value = timeout(stack)
    assert shown(value) == 41
    assert [step.name for step in value.through] == ["var.queue.timeout"]


def test_a_variable_without_a_value_is_one_bounded_symbol(project: Project) -> None:
    stack = project.stack(
        """
        variable "timeout" {
          type = number
          validation {
            condition     = var.timeout >= 1 && var.timeout <= 900
            error_message = "out of range"
          }
        }
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = var.timeout * 6 + 5
        }
        resource "aws_lambda_function" "f" {
          timeout = var.timeout
        }
        """
    )
    hidden = only(stack, "aws_sqs_queue.q").number("visibility_timeout")
    needed = only(stack, "aws_lambda_function.f").number("timeout") * 6
    assert certainly(hidden > needed)
    assert not certainly(hidden > needed + 5)
    assert hidden.range_of(next(iter(hidden.terms))) == (1, 900)
    assert "pass --var timeout=" in hidden.why


def test_a_sensitive_value_is_used_and_marked(project: Project) -> None:
    stack = project.stack(
        """
        variable "name" {
          sensitive = true
          default   = "hidden"
        }
        variable "other" {
          default = "x"
        }
        resource "aws_sqs_queue" "q" {
          name = "${var.name}-${var.other}"
        }
        """
    )
    name = only(stack, "aws_sqs_queue.q").raw("name")
    assert shown(name) == "hidden-x"
    assert [step.secret for step in name.through] == [True]


def test_a_computed_value_keeps_the_way_of_its_one_variable_but_not_of_two(project: Project) -> None:
    stack = project.stack(
        """
        variable "a" {
          default = 2
        }
        variable "b" {
          default = 3
        }
        resource "aws_sqs_queue" "one" {
          delay_seconds = var.a * 2 + var.a
        }
        resource "aws_sqs_queue" "two" {
          delay_seconds = var.a * var.b
        }
        """
    )
    assert place(only(stack, "aws_sqs_queue.one").raw("delay")) == ("main.tf", 3)
    assert place(only(stack, "aws_sqs_queue.two").raw("delay")) == ("main.tf", 12)


def test_object_types_fill_in_defaults_and_convert(project: Project) -> None:
    stack = project.stack(
        """
        variable "queue" {
          type = object({
            timeout = optional(number, 45)
            fifo    = optional(bool)
            name    = string
            list    = optional(list(string), [])
          })
          default = { name = 5, unknown = "dropped" }
        }
        resource "aws_sqs_queue" "q" {
          name                       = var.queue.name
          visibility_timeout_seconds = var.queue.timeout
          fifo_queue                 = var.queue.fifo
          delay_seconds              = length(var.queue.list)
        }
        """
    )
    queue = only(stack, "aws_sqs_queue.q")
    assert [shown(queue.raw(name)) for name in ("name", "visibility_timeout", "fifo", "delay")] == ["5", 45, False, 0]


def test_an_unused_broken_variable_does_not_matter_and_undeclared_ones_are_unknown(project: Project) -> None:
    stack = project.stack('resource "aws_sqs_queue" "q" {\n  visibility_timeout_seconds = var.typo\n}\n')
    value = timeout(stack)
    assert isinstance(value, Unknown)
    assert value.why == "variable typo is not declared"


def test_locals_in_a_circle_are_unknown_and_noted(project: Project) -> None:
    stack = project.stack(
        """
        locals {
          a = local.b + 1
          b = local.a + 1
        }
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = local.a
        }
        """
    )
    assert isinstance(timeout(stack), Unknown)
    assert any("depends on itself" in note.message for note in stack.notes)


def test_a_resource_that_refers_to_itself_is_unknown(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_sqs_queue" "q" {
          count                      = length(aws_sqs_queue.q)
          visibility_timeout_seconds = aws_sqs_queue.r.visibility_timeout_seconds
        }
        resource "aws_sqs_queue" "r" {
          visibility_timeout_seconds = aws_sqs_queue.s.visibility_timeout_seconds
        }
        resource "aws_sqs_queue" "s" {
          visibility_timeout_seconds = aws_sqs_queue.r.visibility_timeout_seconds
        }
        """
    )
    assert isinstance(only(stack, "aws_sqs_queue.s").raw("visibility_timeout"), Unknown)


def test_deep_nesting_ends_in_unknown(project: Project) -> None:
    deep = "(" * 100 + "1" + ")" * 100
    chain = "\n".join(f"  a{number} = local.a{number + 1}" for number in range(3000))
    stack = project.stack(
        f'locals {{\n{chain}\n  a3000 = 1\n}}\nresource "aws_sqs_queue" "q" {{\n'
        f"  visibility_timeout_seconds = local.a0\n  delay_seconds = {deep}\n}}\n"
    )
    assert isinstance(timeout(stack), Unknown)


# --------------------------------------------------------------------------------------------------------- conditions


def test_values_that_double_at_each_step_end_soon(project: Project) -> None:
    texts = "\n".join(f'  t{n} = "${{local.t{n + 1}}}${{local.t{n + 1}}}"' for n in range(60))
    lists = "\n".join(f"  l{n} = concat(local.l{n + 1}, local.l{n + 1})" for n in range(60))
    trees = "\n".join(f"  n{n} = [local.n{n + 1}, local.n{n + 1}]" for n in range(60))
    stack = project.stack(
        f"""
        locals {{
          t60 = "x"
          l60 = [1]
          n60 = [aws_sqs_queue.q.arn]
          {texts}
          {lists}
          {trees}
          loops = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : c]]]
        }}
        resource "aws_sqs_queue" "q" {{
          name              = local.t0
          policy            = local.l0
          kms_master_key_id = length(local.loops)
        }}
        resource "aws_ssm_parameter" "p" {{
          value = local.n0
        }}
        """
    )
    queue = only(stack, "aws_sqs_queue.q")
    assert not any(isinstance(queue.raw(name), Known) for name in ("name", "policy"))
    assert shown(queue.raw("kms_key")) == 1000
    assert [shown(value) for value in stack.exposed] == ["<aws_sqs_queue.q.arn>"]


def test_an_open_condition_is_a_choice_over_one_atom(project: Project) -> None:
    stack = project.stack(
        """
        variable "env" {}
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = var.env == "prod" ? 60 : 30
          delay_seconds              = var.env != "prod" && var.env != "dev" ? 1 : 2
        }
        """
    )
    queue = only(stack, "aws_sqs_queue.q")
    hidden, delay = queue.raw("visibility_timeout"), queue.raw("delay")
    assert isinstance(hidden, Choice)
    assert isinstance(delay, Choice)
    atom = next(hidden.condition.atoms())
    assert (atom.name, {id(one) for one in delay.condition.atoms()}) == ("var.env", {id(atom)})
    begin(Scenario({atom: "prod"}))
    assert (shown(settle(hidden)), shown(settle(delay))) == (60, 2)
    begin(Scenario({atom: "\x00other"}))
    assert (shown(settle(hidden)), shown(settle(delay))) == (30, 1)
    begin(Scenario())


def test_a_default_decides_a_condition(project: Project) -> None:
    stack = project.stack(
        """
        variable "env" {
          default = "prod"
        }
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = var.env == "prod" ? 60 : 30
        }
        """
    )
    assert shown(timeout(stack)) == 60


def test_allowed_values_close_the_atom(project: Project) -> None:
    stack = project.stack(
        """
        variable "env" {
          validation {
            condition     = contains(["dev", "prod"], var.env)
            error_message = "unknown"
          }
        }
        resource "aws_sqs_queue" "q" {
          visibility_timeout_seconds = { dev = 10, prod = 60, gone = 90 }[var.env]
        }
        """
    )
    value = timeout(stack)
    assert isinstance(value, Choice)
    assert next(value.condition.atoms()).values() == ["dev", "prod"]
    assert (shown(value.then), shown(value.otherwise)) == (10, 60)


def test_pieces_of_a_string_that_hang_on_one_condition_agree(project: Project) -> None:
    stack = project.stack(
        """
        variable "fifo" {
          type = bool
        }
        resource "aws_sqs_queue" "q" {
          name = "${var.fifo ? "a" : "b"}-${var.fifo ? "c" : "d"}"
        }
        """
    )
    assert shown(only(stack, "aws_sqs_queue.q").raw("name")) == ("var.fifo in ['true']", "a-c", "b-d")


def test_a_branch_that_terraform_refuses_is_no_branch(project: Project) -> None:
    stack = project.stack(
        """
        variable "create" {
          type = bool
        }
        resource "aws_sqs_queue" "q" {
          count = var.create ? 1 : 0
        }
        resource "aws_sqs_queue_policy" "p" {
          count     = var.create ? 1 : 0
          queue_url = aws_sqs_queue.q[0].url
          policy    = try(aws_sqs_queue.q[0].arn, "none")
        }
        """
    )
    policy = only(stack, "aws_sqs_queue_policy.p[0]")
    assert shown(policy.raw("queues")) == "<aws_sqs_queue.q[0].url>"
    assert shown(policy.raw("policy")) == ("var.create in ['true']", "<aws_sqs_queue.q[0].arn>", "none")
    assert policy.exists.holds(Scenario()) is only(stack, "aws_sqs_queue.q[0]").exists.holds(Scenario())


# ---------------------------------------------------------------------------------------------------------- instances


def test_count_and_for_each_make_instances_with_real_addresses(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_sqs_queue" "counted" {
          count         = 2
          name          = "q${count.index}"
          delay_seconds = count.index * 5
        }
        resource "aws_sqs_queue" "keyed" {
          for_each      = { a = 1, "b c" = 2 }
          name          = each.key
          delay_seconds = each.value
        }
        resource "aws_sqs_queue" "set" {
          for_each = toset(["x"])
          name     = each.value
        }
        """
    )
    assert addresses(stack) == [
        "aws_sqs_queue.counted[0]",
        "aws_sqs_queue.counted[1]",
        'aws_sqs_queue.keyed["a"]',
        'aws_sqs_queue.keyed["b c"]',
        'aws_sqs_queue.set["x"]',
    ]
    names = [shown(resource.raw("name")) for resource in stack.resources]
    assert names == ["q0", "q1", "a", "b c", "x"]
    assert [shown(resource.raw("delay")) for resource in stack.resources] == [0, 5, 1, 2, 0]


def test_count_zero_does_not_exist_and_zero_by_a_default_is_off(project: Project) -> None:
    stack = project.stack(
        """
        variable "create" {
          default = false
        }
        variable "names" {
          default = []
        }
        resource "aws_sqs_queue" "never" {
          count = 0
        }
        resource "aws_sqs_queue" "off" {
          count = var.create ? 1 : 0
        }
        resource "aws_sqs_queue" "none" {
          for_each = toset(var.names)
          name     = each.key
        }
        resource "aws_sqs_queue_policy" "off" {
          count     = var.create ? 1 : 0
          queue_url = aws_sqs_queue.off[0].url
        }
        resource "aws_lambda_event_source_mapping" "m" {
          event_source_arn = try(aws_sqs_queue.off[0].arn, "elsewhere")
          batch_size       = length(aws_sqs_queue.off)
        }
        """
    )
    assert [(resource.address, resource.off_by_default) for resource in stack.resources] == [
        ("aws_sqs_queue.off[0]", True),
        ("aws_sqs_queue.none[*]", True),
        ("aws_sqs_queue_policy.off[0]", True),
        ("aws_lambda_event_source_mapping.m", False),
    ]
    assert shown(only(stack, "aws_sqs_queue_policy.off[0]").raw("queues")) == "<aws_sqs_queue.off[0].url>"
    mapping = only(stack, "aws_lambda_event_source_mapping.m")
    assert (shown(mapping.raw("source")), shown(mapping.raw("batch_size"))) == ("elsewhere", 0)


def test_a_default_given_another_way_is_no_default(project: Project) -> None:
    main = (
        'variable "create" {\n  default = false\n}\nresource "aws_sqs_queue" "q" {\n  count = var.create ? 1 : 0\n}\n'
    )
    assert addresses(project.stack(main, options=Options(variables={"create": "true"}))) == ["aws_sqs_queue.q[0]"]
    assert addresses(project.stack(main, options=Options(variables={"create": "false"}))) == []


def test_instances_that_cannot_be_counted_are_one_that_stands_for_all(project: Project) -> None:
    stack = project.stack(
        """
        variable "queues" {
          type = map(object({ timeout = number }))
        }
        resource "aws_sqs_queue" "q" {
          for_each                   = var.queues
          name                       = each.key
          visibility_timeout_seconds = each.value.timeout * 6
        }
        resource "aws_lambda_function" "f" {
          for_each = var.queues
          timeout  = each.value.timeout
        }
        resource "aws_sqs_queue_policy" "p" {
          for_each  = var.queues
          queue_url = aws_sqs_queue.q[each.key].url
        }
        """
    )
    queue = only(stack, "aws_sqs_queue.q[*]")
    assert (queue.many, queue.exists) == (True, TRUE)
    assert shown(only(stack, "aws_sqs_queue_policy.p[*]").raw("queues")) == "<aws_sqs_queue.q[*].url>"
    needed = only(stack, "aws_lambda_function.f[*]").number("timeout") * 6
    assert certainly(queue.number("visibility_timeout") >= needed)


def test_all_ways_to_collect_from_instances(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_sns_topic" "t" {
          count = 2
        }
        resource "aws_sns_topic" "k" {
          for_each = toset(["a", "b"])
        }
        resource "aws_sns_topic" "one" {}
        resource "aws_sns_topic" "maybe" {
          count = 1
        }
        resource "aws_cloudwatch_metric_alarm" "a" {
          alarm_actions             = aws_sns_topic.t[*].arn
          ok_actions                = values(aws_sns_topic.k)[*].arn
          insufficient_data_actions = [for key, topic in aws_sns_topic.k : topic.arn if key != "a"]
        }
        resource "aws_cloudwatch_metric_alarm" "b" {
          alarm_actions = [one(aws_sns_topic.maybe[*].arn)]
          ok_actions    = aws_sns_topic.one[*].arn
          alarm_name    = element(aws_sns_topic.t[*].arn, 1)
        }
        """
    )
    first, second = (only(stack, f"aws_cloudwatch_metric_alarm.{name}") for name in "ab")
    assert shown(first.raw("alarm_actions")) == ["<aws_sns_topic.t[0].arn>", "<aws_sns_topic.t[1].arn>"]
    assert shown(first.fetch("ok_actions")) == ['<aws_sns_topic.k["a"].arn>', '<aws_sns_topic.k["b"].arn>']  # type: ignore[arg-type]
    assert shown(first.fetch("insufficient_data_actions")) == ['<aws_sns_topic.k["b"].arn>']  # type: ignore[arg-type]
    assert shown(second.raw("alarm_actions")) == ["<aws_sns_topic.maybe[0].arn>"]
    assert shown(second.fetch("ok_actions")) == ["<aws_sns_topic.one.arn>"]  # type: ignore[arg-type]
    assert shown(second.fetch("alarm_name")) == "<aws_sns_topic.t[1].arn>"  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------ modules


QUEUE = """
variable "name" {
  type = string
}
variable "visibility" {
  type    = number
  default = 30
}
resource "aws_sqs_queue" "this" {
  name                       = var.name
  visibility_timeout_seconds = var.visibility
}
output "arn" {
  value = aws_sqs_queue.this.arn
}
"""


def test_a_value_through_modules_points_at_the_outermost_argument(project: Project) -> None:
    project.write(
        {
            "modules/inner/main.tf": QUEUE,
            "modules/outer/main.tf": """
variable "seconds" {}
module "queue" {
  source     = "../inner"
  name       = "orders"
  visibility = var.seconds * 2
}
output "queue_arn" {
  value = module.queue.arn
}
""",
        }
    )
    stack = project.stack(
        """
module "orders" {
  source  = "./modules/outer"
  seconds = 40
}
resource "aws_lambda_event_source_mapping" "m" {
  event_source_arn = module.orders.queue_arn
}
"""
    )
    queue = only(stack, "module.orders.module.queue.aws_sqs_queue.this")
    value = queue.raw("visibility_timeout")
    assert shown(value) == 80
    assert place(value) == ("main.tf", 4)
    assert [step.name for step in value.through] == ["module.orders.seconds", "module.orders.module.queue.visibility"]
    mapping = only(stack, "aws_lambda_event_source_mapping.m")
    assert shown(mapping.raw("source")) == "<module.orders.module.queue.aws_sqs_queue.this.arn>"
    assert called_modules(Tree(project.root), "") == {"modules/outer"}
    assert called_modules(Tree(project.root), "modules/outer") == {"modules/inner"}


def test_a_module_argument_that_is_not_given_points_at_the_modules_default(project: Project) -> None:
    project.write({"queue/main.tf": QUEUE})
    stack = project.stack('module "q" {\n  source = "./queue"\n  name = "x"\n}\n')
    value = only(stack, "module.q.aws_sqs_queue.this").raw("visibility_timeout")
    assert (shown(value), place(value)) == (30, ("queue/main.tf", 7))


def test_a_part_of_an_object_argument_points_at_that_part(project: Project) -> None:
    project.write(
        {
            "queue/main.tf": """
variable "config" {
  type = object({ timeout = number, delay = optional(number, 3) })
}
resource "aws_sqs_queue" "this" {
  visibility_timeout_seconds = var.config.timeout
  delay_seconds              = var.config.delay
}
"""
        }
    )
    stack = project.stack(
        """
module "q" {
  source = "./queue"
  config = {
    timeout = 12
  }
}
"""
    )
    queue = only(stack, "module.q.aws_sqs_queue.this")
    assert place(queue.raw("visibility_timeout")) == ("main.tf", 5)
    assert shown(queue.raw("delay")) == 3


def test_modules_have_instances_too(project: Project) -> None:
    project.write({"queue/main.tf": QUEUE})
    stack = project.stack(
        """
        variable "more" {
          type = bool
        }
        module "q" {
          source     = "./queue"
          for_each   = { a = 10, b = 20 }
          name       = each.key
          visibility = each.value
        }
        module "c" {
          source = "./queue"
          count  = var.more ? 1 : 0
          name   = "c"
        }
        resource "aws_lambda_event_source_mapping" "m" {
          for_each         = module.q
          event_source_arn = each.value.arn
        }
        resource "aws_lambda_event_source_mapping" "b" {
          event_source_arn        = module.q["b"].arn
          function_response_types = values(module.q)[*].arn
        }
        """
    )
    queue = only(stack, 'module.q["b"].aws_sqs_queue.this')
    assert (shown(queue.raw("name")), shown(queue.raw("visibility_timeout"))) == ("b", 20)
    mapping = only(stack, 'aws_lambda_event_source_mapping.m["a"]')
    assert shown(mapping.raw("source")) == '<module.q["a"].aws_sqs_queue.this.arn>'
    assert len(shown(only(stack, "aws_lambda_event_source_mapping.b").raw("response_types"))) == 2
    assert only(stack, "module.c[0].aws_sqs_queue.this").exists is not TRUE


def test_a_module_is_parsed_once_however_often_it_is_called(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from hoplint.readers import hcl

    parsed: list[str] = []
    real = hcl.parse
    monkeypatch.setattr(hcl, "parse", lambda source: parsed.append(source.path) or real(source))
    project.write({"queue/main.tf": QUEUE})
    calls = "\n".join(f'module "q{n}" {{\n  source = "./queue"\n  name = "q{n}"\n}}' for n in range(20))
    assert len(project.stack(calls).resources) == 20
    assert sorted(parsed) == ["main.tf", "queue/main.tf"]


def test_what_is_off_in_a_caller_is_off_in_the_module(project: Project) -> None:
    project.write({"queue/main.tf": QUEUE})
    stack = project.stack(
        """
        variable "create" {
          default = false
        }
        module "q" {
          source = "./queue"
          count  = var.create ? 1 : 0
          name   = "x"
        }
        resource "aws_lambda_event_source_mapping" "m" {
          count            = var.create ? 1 : 0
          event_source_arn = module.q[0].arn
        }
        """
    )
    assert [(resource.address, resource.off_by_default) for resource in stack.resources] == [
        ("aws_lambda_event_source_mapping.m[0]", True),
        ("module.q[0].aws_sqs_queue.this", True),
    ]
    assert shown(stack.resources[0].raw("source")) == "<module.q[0].aws_sqs_queue.this.arn>"


def test_a_switch_in_a_module_that_a_root_default_turns_off(project: Project) -> None:
    project.write(
        {
            "queue/main.tf": """
variable "create" {
  type    = bool
  default = true
}
variable "extra" {
  default = false
}
resource "aws_sqs_queue" "this" {
  count = var.create ? 1 : 0
}
resource "aws_sqs_queue" "extra" {
  count = var.extra ? 1 : 0
}
"""
        }
    )
    stack = project.stack(
        """
        variable "create" {
          default = false
        }
        module "q" {
          source = "./queue"
          create = var.create
        }
        """
    )
    assert [(resource.address, resource.off_by_default) for resource in stack.resources] == [
        ("module.q.aws_sqs_queue.this[0]", True)
    ]


def test_an_absent_module_is_a_problem_and_what_it_was_handed_is_exposed(project: Project) -> None:
    stack = project.stack(
        """
        resource "aws_sqs_queue" "q" {}
        module "lost" {
          source = "example/sns/aws"
          subscriptions = {
            queue = { endpoint = aws_sqs_queue.q.arn }
          }
        }
        resource "aws_lambda_event_source_mapping" "m" {
          event_source_arn = module.lost.queue_arn
        }
        """
    )
    assert [problem.code for problem in stack.problems] == [2]  # type: ignore[attr-defined]
    assert stack.problems[0].primary.place().line == 4
    assert "<aws_sqs_queue.q.arn>" in [shown(value) for value in stack.exposed]
    source = only(stack, "aws_lambda_event_source_mapping.m").raw("source")
    assert isinstance(source, Unknown)
    assert "module.lost" in source.why


def test_an_installed_module_is_found_through_the_manifest(project: Project) -> None:
    project.write(
        {
            ".terraform/modules/modules.json": '{"Modules": [{"Key": "", "Dir": "."}, {"Key": "q", "Source": '
            '"registry.terraform.io/a/b/aws", "Dir": ".terraform/modules/q"}]}',
            ".terraform/modules/q/main.tf": QUEUE,
        }
    )
    stack = project.stack('module "q" {\n  source = "a/b/aws"\n  name = "x"\n}\n')
    assert addresses(stack) == ["module.q.aws_sqs_queue.this"]


def test_a_module_that_calls_itself_ends(project: Project) -> None:
    stack = project.stack('module "me" {\n  source = "./"\n}\nresource "aws_sqs_queue" "q" {}\n')
    assert addresses(stack) == ["aws_sqs_queue.q"]
    assert any("calls itself" in note.message for note in stack.notes)


def test_a_module_outside_the_boundary_is_absent(project: Project) -> None:
    (project.root.parent / "outside").mkdir(exist_ok=True)
    (project.root.parent / "outside" / "main.tf").write_text(QUEUE)
    stack = project.stack('module "q" {\n  source = "../outside"\n  name = "x"\n}\n')
    assert addresses(stack) == []
    assert [problem.code for problem in stack.problems] == [2]  # type: ignore[attr-defined]


def test_a_file_outside_the_boundary_is_not_read(project: Project) -> None:
    (project.root.parent / "secret.txt").write_text("secret")
    stack = project.stack('resource "aws_sqs_queue" "q" {\n  name = file("${path.module}/../secret.txt")\n}\n')
    assert isinstance(only(stack, "aws_sqs_queue.q").raw("name"), Unknown)


def test_provider_aliases_tell_regions_apart(project: Project) -> None:
    project.write(
        {"m/main.tf": 'data "aws_region" "here" {}\noutput "name" {\n  value = data.aws_region.here.name\n}\n'}
    )
    stack = project.stack(
        """
        provider "aws" {
          alias = "us"
        }
        data "aws_region" "here" {}
        data "aws_region" "again" {}
        data "aws_region" "us" {
          provider = aws.us
        }
        module "m" {
          source    = "./m"
          providers = { aws = aws.us }
        }
        resource "aws_sqs_queue" "q" {
          name              = data.aws_region.here.name
          policy            = data.aws_region.again.region
          redrive_policy    = data.aws_region.us.name
          kms_master_key_id = module.m.name
        }
        """
    )
    queue = only(stack, "aws_sqs_queue.q")
    values = [queue.raw(name) for name in ("name", "policy", "redrive_policy", "kms_key")]
    symbols = [value.symbol for value in values if isinstance(value, Unknown)]
    assert symbols[0] is symbols[1]
    assert symbols[2] is symbols[3]
    assert symbols[0] is not symbols[2]


# -------------------------------------------------------------------------------------------------------------- files


def test_override_files_change_arguments_and_replace_blocks(project: Project) -> None:
    project.write(
        {
            "main_override.tf": """
resource "aws_lambda_function" "f" {
  timeout = 9
  environment {
    variables = { B = "2" }
  }
}
"""
        }
    )
    stack = project.stack(
        """
        resource "aws_lambda_function" "f" {
          timeout     = 3
          memory_size = 256
          environment {
            variables = { A = "1" }
          }
        }
        """
    )
    function = only(stack, "aws_lambda_function.f")
    assert shown(function.raw("timeout")) == 9
    assert shown(function.raw("memory")) == 256
    assert shown(function.raw("environment")) == {"B": "2"}
    assert place(function.raw("timeout")) == ("main_override.tf", 3)


def test_json_files_are_read_with_places(project: Project) -> None:
    project.write(
        {
            "main.tf.json": """{
  "//": "a comment",
  "variable": {"t": {"type": "number", "default": 20}},
  "locals": {"name": "orders"},
  "resource": {
    "aws_sqs_queue": {
      "q": {
        "name": "${local.name}-\\"q\\"",
        "visibility_timeout_seconds": "${var.t * 2}",
        "delay_seconds": 4,
        "redrive_policy": "${jsonencode({ deadLetterTargetArn = aws_sqs_queue.d.arn, maxReceiveCount = 3 })}"
      },
      "d": [{"name": "dead"}]
    },
    "aws_s3_bucket_notification": {
      "n": {"bucket": "b", "queue": [{"queue_arn": "${aws_sqs_queue.q.arn}", "events": ["s3:ObjectCreated:*"]}]}
    }
  }
}
"""
        }
    )
    stack = project.stack()
    assert addresses(stack) == ["aws_sqs_queue.q", "aws_sqs_queue.d", "aws_s3_bucket_notification.n"]
    queue = only(stack, "aws_sqs_queue.q")
    assert shown(queue.raw("name")) == 'orders-"q"'
    assert shown(queue.raw("visibility_timeout")) == 40
    assert shown(queue.raw("redrive_policy")) == {
        "json": {"deadLetterTargetArn": "<aws_sqs_queue.d.arn>", "maxReceiveCount": 3}
    }
    assert place(queue.raw("delay")) == ("main.tf.json", 10)
    assert shown(only(stack, "aws_s3_bucket_notification.n").raw("queues"))[0]["queue_arn"] == "<aws_sqs_queue.q.arn>"


def test_a_json_file_that_is_none_is_a_problem(project: Project) -> None:
    project.write({"main.tf.json": '{\n  "resource": {},\n}\n'})
    stack = project.stack()
    assert [problem.code for problem in stack.problems] == [1]  # type: ignore[attr-defined]
    assert stack.problems[0].primary.place().line == 3


def test_opentofu_files_stand_for_terraforms_of_the_same_name(project: Project) -> None:
    project.write({"main.tf": 'resource "aws_sqs_queue" "a" {}\n', "main.tofu": 'resource "aws_sqs_queue" "b" {}\n'})
    assert addresses(project.stack()) == ["aws_sqs_queue.b"]


def test_a_broken_block_makes_its_values_unknown_and_the_stack_blind(project: Project) -> None:
    stack = project.stack(
        """
resource "aws_sqs_queue" "good" {
  delay_seconds = 5
}
resource "aws_sqs_queue" "bad" {
  delay_seconds = = 5
}
"""
    )
    assert [problem.code for problem in stack.problems] == [1]  # type: ignore[attr-defined]
    assert stack.blind
    assert shown(only(stack, "aws_sqs_queue.good").raw("delay")) == 5
    assert isinstance(only(stack, "aws_sqs_queue.bad").raw("delay"), Unknown)


@pytest.mark.parametrize("data", [b"\0\1\2", "resource".encode("utf-16"), b"\xff\xfe\xfa", b"", b"{", b"}" * 3, b'"'])
def test_any_bytes_are_read_without_a_word_too_much(project: Project, data: bytes) -> None:
    (project.root / "main.tf").write_bytes(data)
    stack = project.stack()
    assert stack.resources == []
    assert all(problem.code == 1 for problem in stack.problems)  # type: ignore[attr-defined]


def test_paths_and_workspace(project: Project) -> None:
    project.write({"m/main.tf": 'resource "aws_sqs_queue" "q" {\n  name = "${path.module} ${path.root}"\n}\n'})
    main = """
        module "m" {
          source = "./m"
        }
        resource "aws_sqs_queue" "q" {
          name          = path.module
          delay_seconds = terraform.workspace == "prod" ? 9 : 1
        }
        """
    stack = project.stack(main)
    assert shown(only(stack, "module.m.aws_sqs_queue.q").raw("name")) == "m ."
    queue = only(stack, "aws_sqs_queue.q")
    assert shown(queue.raw("name")) == "."
    assert shown(queue.raw("delay")) == ("terraform.workspace in ['prod']", 9, 1)
    stack = project.stack(main, options=Options(workspace="prod"))
    assert shown(only(stack, "aws_sqs_queue.q").raw("delay")) == 9


@pytest.mark.parametrize(
    ("main", "deployed"),
    [
        ('resource "aws_sqs_queue" "q" {}\n', False),
        ('provider "aws" {\n  region = "eu-west-1"\n}\n', True),
        ('terraform {\n  backend "s3" {}\n}\n', True),
        ('terraform {\n  cloud {\n    organization = "x"\n  }\n}\n', True),
        ('terraform {\n  required_version = ">= 1.5"\n}\n', False),
    ],
)
def test_what_tells_a_deployed_root_from_a_reusable_module(project: Project, main: str, deployed: bool) -> None:
    assert project.stack(main).deployed is deployed


def test_outputs_are_the_exports_of_a_stack(project: Project) -> None:
    stack = project.stack('resource "aws_sqs_queue" "q" {}\noutput "arn" {\n  value = aws_sqs_queue.q.arn\n}\n')
    assert {name: shown(value) for name, value in stack.exports.items()} == {"arn": "<aws_sqs_queue.q.arn>"}


# ------------------------------------------------------------------------------------------------------- data sources


def document(stack: Stack, address: str) -> Any:
    return shown(embedded.document(only(stack, address).raw("policy")))


def test_a_policy_document_is_rendered_as_the_provider_renders_it(project: Project) -> None:
    stack = project.stack(
        """
        data "aws_caller_identity" "me" {}
        resource "aws_sqs_queue" "q" {}
        data "aws_iam_policy_document" "base" {
          statement {
            sid       = "One"
            actions   = ["sqs:SendMessage"]
            resources = ["a"]
          }
          statement {
            sid       = "Two"
            actions   = ["sqs:*"]
            resources = ["b"]
          }
        }
        data "aws_iam_policy_document" "override" {
          statement {
            sid       = "Three"
            effect    = "Deny"
            actions   = ["sns:Publish"]
            resources = ["d"]
          }
        }
        data "aws_iam_policy_document" "whole" {
          source_policy_documents   = [data.aws_iam_policy_document.base.json]
          override_policy_documents = [data.aws_iam_policy_document.override.json]
          policy_id                 = "id"
          statement {
            sid       = "Two"
            actions   = ["sqs:SendMessage", "sqs:ReceiveMessage"]
            resources = [aws_sqs_queue.q.arn]
            principals {
              type        = "Service"
              identifiers = ["sns.amazonaws.com"]
            }
            principals {
              type        = "AWS"
              identifiers = ["*"]
            }
            condition {
              test     = "ArnLike"
              variable = "aws:SourceArn"
              values   = ["arn:aws:sns:*:${data.aws_caller_identity.me.account_id}:*"]
            }
          }
          statement {
            sid = "Three"
            not_actions   = ["x"]
            not_resources = ["arn:&{aws:username}"]
            principals {
              type        = "*"
              identifiers = ["*"]
            }
          }
        }
        resource "aws_sqs_queue_policy" "p" {
          queue_url = aws_sqs_queue.q.url
          policy    = data.aws_iam_policy_document.whole.json
        }
        """
    )
    assert document(stack, "aws_sqs_queue_policy.p") == {
        "Version": "2012-10-17",
        "Id": "id",
        "Statement": [
            {"Sid": "One", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "a"},
            {
                "Sid": "Two",
                "Effect": "Allow",
                "Action": ["sqs:SendMessage", "sqs:ReceiveMessage"],
                "Resource": "<aws_sqs_queue.q.arn>",
                "Principal": {"Service": "sns.amazonaws.com", "AWS": "*"},
                "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:sns:*:?:*"}},
            },
            {"Sid": "Three", "Effect": "Deny", "Action": "sns:Publish", "Resource": "d"},
        ],
    }


def test_a_merged_document_that_is_unknown_leaves_an_unknown_statement(project: Project) -> None:
    stack = project.stack(
        """
        variable "extra" {}
        data "aws_iam_policy_document" "d" {
          source_policy_documents = [var.extra]
          statement {
            actions   = ["sqs:SendMessage"]
            resources = ["*"]
          }
        }
        resource "aws_sqs_queue_policy" "p" {
          policy = data.aws_iam_policy_document.d.json
        }
        """
    )
    assert document(stack, "aws_sqs_queue_policy.p")["Statement"] == [
        "?",
        {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"},
    ]


def test_data_sources_of_our_kinds_are_resources_of_another_stack(project: Project) -> None:
    stack = project.stack(
        """
        data "aws_sqs_queue" "other" {
          name = "orders"
        }
        resource "aws_lambda_event_source_mapping" "m" {
          event_source_arn = data.aws_sqs_queue.other.arn
          batch_size       = data.aws_sqs_queue.other.delay_seconds
        }
        """
    )
    other = only(stack, "data.aws_sqs_queue.other")
    assert other.elsewhere
    assert shown(other.raw("name")) == "orders"
    assert isinstance(other.raw("visibility_timeout"), Unknown)
    mapping = only(stack, "aws_lambda_event_source_mapping.m")
    assert shown(mapping.raw("source")) == "<data.aws_sqs_queue.other.arn>"
    assert isinstance(mapping.raw("batch_size"), Unknown)


def test_what_is_looked_up_by_its_arn_has_that_arn(project: Project) -> None:
    stack = project.stack(
        """
        data "aws_iam_policy" "managed" {
          arn = "arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"
        }
        resource "aws_iam_role_policy_attachment" "a" {
          policy_arn = data.aws_iam_policy.managed.arn
        }
        """
    )
    arn = only(stack, "aws_iam_role_policy_attachment.a").raw("policy_arn")
    assert shown(arn) == "arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole"


def test_template_file_data_is_rendered(project: Project) -> None:
    project.write({"policy.json": '{"Resource": "${arn}"}'})
    stack = project.stack(
        """
        resource "aws_sqs_queue" "q" {}
        data "template_file" "t" {
          template = file("policy.json")
          vars     = { arn = aws_sqs_queue.q.arn }
        }
        resource "aws_sqs_queue_policy" "p" {
          policy = data.template_file.t.rendered
        }
        """
    )
    assert document(stack, "aws_sqs_queue_policy.p") == {"Resource": "<aws_sqs_queue.q.arn>"}


FOLDER = ("a.json", "b.yaml", "e/c.json", ".h/x.json", ".hid.json")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('fileset("d", "*.json")', [".hid.json", "a.json"]),
        ('fileset(path.module, "d/*.yaml")', ["d/b.yaml"]),
        ('fileset("d", "**")', [".h/x.json", ".hid.json", "a.json", "b.yaml", "e/c.json"]),
        ('fileset("d", "**/*.json")', [".h/x.json", ".hid.json", "a.json", "e/c.json"]),
        ('fileset("d", "**/**/c.json")', ["e/c.json"]),
        ('fileset("d", "**.json")', [".hid.json", "a.json"]),
        ('fileset("d", "{a,b}.*")', ["a.json", "b.yaml"]),
        ('fileset("d", "e/[!a-b].js?n")', []),
        ('fileset("d", "[a-b].*")', ["a.json", "b.yaml"]),
        ('fileset("d", "\\\\a.json")', ["a.json"]),
        ('fileset("d", "e/**")', ["e/c.json"]),
        ('fileset("d", "*.none")', []),
        ('fileexists("d/a.json")', True),
        ('fileexists("d/missing.json")', False),
        ("templatestring(local.text, { x = 5 })", "q-5"),
    ],
)
def test_files_are_listed_as_terraform_lists_them(project: Project, call: str, expected: object) -> None:
    """Each was compared with `terraform plan`."""
    project.write({f"d/{name}": "" for name in FOLDER})
    text = f'locals {{\n  text = "q-$${{x}}"\n}}\noutput "o" {{\n  value = {call}\n}}\n'
    value = project.stack(text).exports["o"]
    assert isinstance(value, Known)
    found = [item.data for item in value.data] if isinstance(value.data, list) else value.data  # type: ignore[union-attr]
    assert found == expected


@pytest.mark.parametrize(
    "call",
    [
        'fileset("nowhere", "*")', 'fileset("..", "*")', 'fileset("/etc", "*")', 'fileset(".", "../*")',
        'fileexists("built.zip")', 'fileexists("nowhere/x.json")', 'fileexists("../x.json")',
        'fileexists("/etc/passwd")', 'file("/etc/passwd")', 'file("../../etc/passwd")',
    ],
)  # fmt: skip
def test_what_builds_make_or_stands_outside_is_unknown(project: Project, call: str) -> None:
    assert isinstance(project.stack(f'output "o" {{\n  value = {call}\n}}\n').exports["o"], Unknown)


SCHEMA = Path(__file__).with_name("provider_schema.json")
# Blocks of another resource that are resources of their own here.
INSIDE = {"s3.notification_entry": ("aws_s3_bucket_notification", ("lambda_function", "queue", "topic"))}
# Newer than the provider that was recorded.
NEWER = {("lambda.function", "capacity_provider_config")}


def held(schema: Any, path: str) -> Any:
    """What the provider has at a path: `w` can be written, `r` is only given, a table is a block."""
    for part in path.replace("[]", "").split("."):
        if schema == "w":
            # What a map or an object of any shape holds is not described.
            return "w"
        schema = schema.get(part) if isinstance(schema, dict) else None
    return schema


def test_the_catalogue_names_what_the_provider_has() -> None:
    """`record_provider_schema.py` recorded the names; each path of the catalogue can be written in one of its types."""
    types = json.loads(SCHEMA.read_text())["types"]
    wrong = []
    for kind in KINDS.values():
        schemas = [types.get(name, {}) for name in kind.terraform]
        if kind.name in INSIDE:
            outer, blocks = INSIDE[kind.name]
            schemas = [types[outer][block] for block in blocks]
        elif kind.terraform:
            wrong += [name for name in kind.terraform if name not in types]
        for prop in kind.properties.values():
            for path in prop.terraform:
                found = [held(schema, path) for schema in schemas]
                if (kind.name, path) not in NEWER and not any(one is not None and one != "r" for one in found):
                    wrong.append(f"{kind.name}: {path}")
        for name in kind.attributes.get("terraform", {}):
            if not any(name in schema for schema in schemas):
                wrong.append(f"{kind.name}.{name}")
    assert wrong == []
