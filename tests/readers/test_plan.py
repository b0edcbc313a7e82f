"""Plans and states that Terraform and the AWS provider made: the same resources and values as from the sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hoplint.model import embedded
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Choice, Encoded, Known, Ref, Text, Unknown, Value, is_null
from hoplint.readers.plan import is_plan, read_plan
from hoplint.readers.terraform import read_root
from hoplint.readers.tree import Tree
from hoplint.run import Request, run

PLANS = Path(__file__).with_name("plans")
PIPELINE = Path(__file__).resolve().parents[2] / "fixtures" / "_stacks" / "order-pipeline-broken" / "terraform"
DOCUMENTS = ("policy", "redrive_policy", "trust")


def alone(tmp_path: Path, name: str) -> Stack:
    """The plan without its sources."""
    shutil.copy(PLANS / "queues" / name, tmp_path / name)
    return read_plan(Tree(tmp_path), name)


def beside(name: str) -> Stack:
    """The plan with its sources."""
    return read_plan(Tree(PLANS), f"queues/{name}")


def only(stack: Stack, address: str) -> Resource:
    (found,) = [resource for resource in stack.resources if resource.address == address]
    return found


def shown(value: Value) -> Any:
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
        return shown(value.tree)
    assert isinstance(value, Unknown | Choice), value
    return "?"


def settings(stack: Stack) -> dict[str, dict[str, Any]]:
    """Everything that is set, by address and property; documents as what they hold."""
    found: dict[str, dict[str, Any]] = {}
    for resource in stack.resources:
        values = found.setdefault(resource.address, {})
        for name in resource.kind.properties:
            value = resource.raw(name)
            if is_null(value) or not resource.written(name):
                continue
            values[name] = shown(embedded.document(value) if name in DOCUMENTS else value)
    return found


def test_a_plan_beside_its_sources_is_read_as_the_sources_are() -> None:
    sources = settings(read_root(Tree(PLANS), "queues"))
    assert len(sources) == 13
    assert settings(beside("plan.json")) == sources
    assert settings(beside("update.json")) == sources


def test_a_plan_alone_knows_all_but_what_is_inside_an_unknown_string(tmp_path: Path) -> None:
    wanted = settings(read_root(Tree(PLANS), "queues"))
    for region in ("eu", "us"):
        wanted[f'module.queue["{region}"].aws_sqs_queue.this']["redrive_policy"]["maxReceiveCount"] = "?"
    assert settings(alone(tmp_path, "plan.json")) == wanted


def test_a_plan_of_what_exists_turns_arns_into_references(tmp_path: Path) -> None:
    assert settings(alone(tmp_path, "update.json")) == settings(read_root(Tree(PLANS), "queues"))


def test_a_state_is_read_like_a_plan(tmp_path: Path) -> None:
    stack = alone(tmp_path, "state.json")
    queue = only(stack, 'module.queue["eu"].aws_sqs_queue.this')
    assert shown(embedded.document(queue.raw("redrive_policy"))) == {
        "deadLetterTargetArn": '<module.queue["eu"].aws_sqs_queue.dlq.arn>',
        "maxReceiveCount": 5,
    }
    assert not queue.written("delay")
    function = only(stack, "aws_lambda_function.worker")
    assert shown(function.raw("role")) == "<aws_iam_role.worker.arn>"
    assert not function.written("reserved_concurrency")


def test_places_are_those_of_the_sources_where_these_lie_beside(tmp_path: Path) -> None:
    queue = only(beside("plan.json"), 'module.queue["eu"].aws_sqs_queue.this')
    assert (queue.head.place().path, queue.head.place().line) == ("queues/queue/main.tf", 17)
    lone = only(alone(tmp_path, "plan.json"), 'module.queue["eu"].aws_sqs_queue.this')
    assert lone.head.place().path == "plan.json"


def test_a_plan_is_deployed_and_of_its_own_dialect(tmp_path: Path) -> None:
    stack = alone(tmp_path, "plan.json")
    assert (stack.name, stack.dialect, stack.family, stack.deployed) == ("plan.json", "plan", "terraform", True)


def test_the_region_is_that_of_the_provider(tmp_path: Path) -> None:
    region = only(alone(tmp_path, "plan.json"), "aws_sns_topic.alerts").fetch("@region")
    assert region is not None
    assert shown(region) == "eu-west-1"


def test_sources_of_another_root_are_not_taken_for_those_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('resource "aws_sqs_queue" "another" {}\n')
    queue = only(alone(tmp_path, "plan.json"), 'module.queue["eu"].aws_sqs_queue.this')
    assert queue.head.place().path == "plan.json"


def changed(tmp_path: Path, change: Any) -> Stack:
    content = json.loads((PLANS / "queues" / "plan.json").read_text())
    change(content)
    (tmp_path / "plan.json").write_text(json.dumps(content))
    return read_plan(Tree(tmp_path), "plan.json")


def test_what_is_deleted_is_not_there(tmp_path: Path) -> None:
    def delete(content: dict[str, Any]) -> None:
        for raw in content["resource_changes"]:
            if raw["type"] == "aws_sns_topic":
                raw["change"] |= {"actions": ["delete"], "before": raw["change"]["after"], "after": None}

    stack = changed(tmp_path, delete)
    assert not [resource for resource in stack.resources if resource.type == "aws_sns_topic"]
    actions = only(stack, 'module.queue["eu"].aws_cloudwatch_metric_alarm.dlq').raw("alarm_actions")
    assert isinstance(actions, Unknown)


def test_what_is_sensitive_is_marked(tmp_path: Path) -> None:
    def hide(content: dict[str, Any]) -> None:
        for raw in content["resource_changes"]:
            if raw["type"] == "aws_sns_topic":
                raw["change"]["after_sensitive"]["name"] = True

    value = only(changed(tmp_path, hide), "aws_sns_topic.alerts").raw("name")
    assert [step.secret for step in value.through] == [True]


def test_what_a_local_hides_is_unknown_and_no_guess(tmp_path: Path) -> None:
    def hide(content: dict[str, Any]) -> None:
        for raw in content["configuration"]["root_module"]["resources"]:
            if raw["address"] == "aws_lambda_event_source_mapping.direct":
                raw["expressions"]["event_source_arn"]["references"] = ["local.arn"]

    value = only(changed(tmp_path, hide), "aws_lambda_event_source_mapping.direct").raw("source")
    assert isinstance(value, Unknown)
    assert "sources are not beside the plan" in value.why


def test_a_resource_of_an_unknown_type_that_is_handed_a_queue_is_exposed(tmp_path: Path) -> None:
    def hand(content: dict[str, Any]) -> None:
        references = ['module.queue["eu"].arn', 'module.queue["eu"]']
        raw = {"address": "x.y", "mode": "managed", "type": "x", "name": "y"}
        content["resource_changes"].append(raw | {"change": {"actions": ["create"], "after": {}, "after_unknown": {}}})
        content["configuration"]["root_module"]["resources"].append(
            raw | {"expressions": {"arn": {"references": references}}}
        )

    stack = changed(tmp_path, hand)
    assert [shown(value) for value in stack.exposed] == ['<module.queue["eu"].aws_sqs_queue.this.arn>']


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"planned_values": 5}',
        '{"resource_changes": [5, {}, {"change": 5}]}',
        "[" * 100000,
    ],
)
def test_what_is_no_plan_is_one_problem_at_most(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    stack = read_plan(Tree(tmp_path), "plan.json")
    assert stack.resources == []
    assert len(stack.problems) <= 1


def test_plans_are_told_by_their_marks() -> None:
    assert is_plan((PLANS / "queues" / "plan.json").read_bytes())
    assert is_plan((PLANS / "queues" / "state.json").read_bytes())
    assert not is_plan(b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}')


# ------------------------------------------------------------------------------------------------- policy documents


def normal(data: Any) -> Any:
    """A policy in which lists are sets and a lone element is a list, as IAM reads it."""
    if isinstance(data, dict):
        return {key: normal(item) for key, item in data.items()}
    if isinstance(data, list):
        items = [normal(item) for item in data]
        if len(items) == 1 and not isinstance(items[0], dict):
            return items[0]
        return items if any(isinstance(item, dict) for item in items) else sorted(items)
    return data


POLICIES = json.loads((PLANS / "policies" / "plan.json").read_text())["prior_state"]["values"]["root_module"]


@pytest.mark.parametrize("name", [resource["name"] for resource in POLICIES["resources"]])
def test_a_policy_document_is_what_the_provider_makes_of_it(tmp_path: Path, name: str) -> None:
    (wanted,) = [resource["values"]["json"] for resource in POLICIES["resources"] if resource["name"] == name]
    text = (PLANS / "policies" / "main.tf").read_text()
    use = f'resource "aws_sqs_queue_policy" "p" {{\n  policy = data.aws_iam_policy_document.{name}.json\n}}\n'
    (tmp_path / "main.tf").write_text(text + use)
    (resource,) = read_root(Tree(tmp_path), "").resources
    found = normal(shown(embedded.document(resource.raw("policy"))))
    expected = normal(json.loads(wanted))
    found.setdefault("Statement", [])
    expected.setdefault("Statement", [])
    assert found == expected


def findings(path: Path) -> list[tuple[str, str, str, str]]:
    """What is found, without where."""
    report = run(Request([str(path)], working=str(path.parent))).report
    return sorted(
        (found.rule.code, found.address, found.finding.message, str(found.severity)) for found in report.findings
    )


def test_a_pipeline_and_its_plan_give_the_same_findings() -> None:
    """`record_pipeline.py` made the plan from the sources; it says the same without them."""
    sources = findings(PIPELINE)
    assert len(sources) == 9
    assert findings(PLANS / "pipeline" / "plan.json") == sources


def test_a_plan_beside_its_sources_points_at_them(tmp_path: Path) -> None:
    shutil.copytree(PIPELINE, tmp_path / "stack")
    shutil.copy(PLANS / "pipeline" / "plan.json", tmp_path / "stack" / "plan.json")

    def placed(path: Path) -> list[tuple[str, str, str, int, int]]:
        report = run(Request([str(path)], working=str(tmp_path))).report
        return sorted(
            (found.rule.code, found.address, Path(found.place.path).name, found.place.line, found.place.column)
            for found in report.findings
        )

    assert placed(tmp_path / "stack" / "plan.json") == placed(PIPELINE)
