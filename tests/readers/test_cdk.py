"""Cloud assemblies: stacks, stages, nested stacks, references across stacks, constructs, lines that made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoplint.graph import names
from hoplint.model.condition import TRUE
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Unknown, Value, text_parts
from hoplint.readers.cdk import read_assembly
from hoplint.readers.cloudformation import Options, join_exports
from hoplint.readers.discover import discover
from hoplint.readers.terraform import read_root
from hoplint.readers.tree import Tree

QUEUE: dict[str, Any] = {"Type": "AWS::SQS::Queue"}


def write(folder: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def read(folder: Path, assembly: str = "cdk.out") -> list[Stack]:
    stacks = read_assembly(Tree(folder), assembly, Options())
    join_exports(stacks)
    return stacks


def manifest(**artifacts: Any) -> dict[str, Any]:
    return {"version": "55.0.0", "artifacts": artifacts}


def stack(file: str, **more: Any) -> dict[str, Any]:
    return {"type": "aws:cloudformation:stack", "properties": {"templateFile": file}, **more}


def resource(stacks: list[Stack], address: str) -> Resource:
    return next(one for each in stacks for one in each.resources if one.address == address)


def target(value: Value) -> Resource:
    assert isinstance(value, Ref), value
    return value.target


def mapping(source: Any) -> dict[str, Any]:
    return {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {"EventSourceArn": source, "FunctionName": "f"}}


def test_stacks_of_stages_are_named_by_their_stage(tmp_path: Path) -> None:
    template = {"Resources": {"Q": QUEUE}}
    stage = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-Dev", "displayName": "Dev"}}
    named = stack("o.template.json", displayName="Dev/Orders (dev-orders)")
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(Top=stack("top.template.json", displayName="Top"), Dev=stage),
            "top.template.json": template,
            "assembly-Dev/manifest.json": manifest(DevOrders=named),
            "assembly-Dev/o.template.json": template,
        },
    )
    found = read(tmp_path)
    assert [(one.name, one.dialect, one.path) for one in found] == [
        ("Top", "cdk", "cdk.out/top.template.json"),
        ("Dev/Orders", "cdk", "cdk.out/assembly-Dev/o.template.json"),
    ]


def test_stacks_of_one_app_are_joined_by_their_exports(tmp_path: Path) -> None:
    name = "Queues:ExportsOutputFnGetAttQ"
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(Workers=stack("w.json"), Queues=stack("q.json")),
            "q.json": {
                "Resources": {"Q": QUEUE},
                "Outputs": {"E": {"Value": {"Fn::GetAtt": ["Q", "Arn"]}, "Export": {"Name": name}}},
            },
            "w.json": {"Resources": {"M": mapping({"Fn::ImportValue": name})}},
        },
    )
    found = read(tmp_path)
    assert target(resource(found, "M").raw("source")) is resource(found, "Q")
    assert list(found[1].exports) == [name]


def test_references_across_regions_are_joined(tmp_path: Path) -> None:
    name = "/cdk/exports/Sender/QArn"
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(Sender=stack("s.json"), Queues=stack("q.json")),
            "q.json": {
                "Resources": {
                    "Q": QUEUE,
                    "Writer": {
                        "Type": "Custom::CrossRegionExportWriter",
                        "Properties": {"WriterProps": {"exports": {name: {"Fn::GetAtt": ["Q", "Arn"]}}}},
                    },
                    "CustomCrossRegionExportWriterCustomResourceProviderHandlerD8": {"Type": "AWS::Lambda::Function"},
                }
            },
            "s.json": {
                "Resources": {
                    "Reader": {"Type": "Custom::CrossRegionExportReader", "Properties": {}},
                    "M": mapping({"Fn::GetAtt": ["Reader", name]}),
                    "N": mapping({"Fn::GetAtt": ["Reader", "/cdk/exports/Sender/Gone"]}),
                }
            },
        },
    )
    found = read(tmp_path)
    assert target(resource(found, "M").raw("source")) is resource(found, "Q")
    assert isinstance(resource(found, "N").raw("source"), Unknown)
    assert [one.address for each in found for one in each.resources] == ["M", "N", "Q"]
    assert all(each.exposed == [] for each in found)


def test_the_output_of_a_stack_is_read_by_its_name(tmp_path: Path) -> None:
    read_output = {"Fn::GetStackOutput": {"StackName": "queues-name", "OutputName": "Arn", "Region": "eu-west-1"}}
    properties = {"templateFile": "q.json", "stackName": "queues-name"}
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(
                Sender=stack("s.json"), Queues={"type": "aws:cloudformation:stack", "properties": properties}
            ),
            "q.json": {"Resources": {"Q": QUEUE}, "Outputs": {"Arn": {"Value": {"Fn::GetAtt": ["Q", "Arn"]}}}},
            "s.json": {"Resources": {"M": mapping(read_output)}},
        },
    )
    found = read(tmp_path)
    assert target(resource(found, "M").raw("source")) is resource(found, "Q")


HASH = "0123456789abcdef" * 4
URL = {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, ".", {"Ref": "AWS::URLSuffix"}, f"/b/{HASH}.json"]]}
LEGACY_URL = {
    "Fn::Join": ["", [
        "https://s3.", {"Ref": "AWS::Region"}, "/", {"Ref": f"AssetParameters{HASH}S3Bucket12"}, "/",
        {"Fn::Select": [0, {"Fn::Split": ["||", {"Ref": f"AssetParameters{HASH}S3VersionKey34"}]}]},
    ]]
}  # fmt: skip
ASSETS = {"files": {HASH: {"source": {"path": "n.nested.json", "packaging": "file"}, "destinations": {}}}}


@pytest.mark.parametrize(
    ("url", "metadata", "assets", "legacy"),
    [
        (URL, {"aws:asset:path": "n.nested.json"}, {}, []),
        (URL, {}, ASSETS, []),
        (LEGACY_URL, {}, {}, [{"type": "aws:cdk:asset", "data": {"id": HASH, "path": "n.nested.json"}}]),
    ],
    ids=["path", "assets", "legacy"],
)
def test_nested_stacks_are_found(tmp_path: Path, url: Any, metadata: Any, assets: Any, legacy: list[Any]) -> None:
    parent = {
        "Resources": {
            "Nested": {
                "Type": "AWS::CloudFormation::Stack",
                "Properties": {"TemplateURL": url, "Parameters": {"referencetoQ": {"Fn::GetAtt": ["Q", "Arn"]}}},
                "Metadata": metadata,
            },
            "Q": QUEUE,
        }
    }
    nested = {"Parameters": {"referencetoQ": {"Type": "String"}}, "Resources": {"M": mapping({"Ref": "referencetoQ"})}}
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(Parent=stack("p.json", metadata={"/Parent": legacy})),
            "p.json": parent,
            "n.nested.json": nested,
            "Parent.assets.json": assets,
        },
    )
    found = read(tmp_path)
    assert target(resource(found, "Nested/M").raw("source")) is resource(found, "Q")


APP = "const app = 1;\nnew Queue(app);\n"
CREATED = ["...new Queue in aws-cdk-lib...", "new Orders (/home/someone/src/app/bin/app.ts:2:1)", "...node internals"]


def constructs(path: str, frames: list[str], trace: bool = False) -> dict[str, Any]:
    logical = {"type": "aws:cdk:logicalId", "data": "Q1234"}
    if trace:
        return {path: [{**logical, "trace": frames}]}
    return {path: [logical, {"type": "aws:cdk:creationStack", "data": frames}]}


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("trace", [True, False])
def test_a_construct_and_the_line_that_made_it(tmp_path: Path, apart: bool, trace: bool) -> None:
    metadata = constructs("/Orders/Queue/Resource", CREATED, trace)
    artifact = (
        stack("o.json", additionalMetadataFile="Orders.metadata.json") if apart else stack("o.json", metadata=metadata)
    )
    write(
        tmp_path,
        {
            "cdk.out/manifest.json": manifest(Orders=artifact),
            "cdk.out/Orders.metadata.json": metadata if apart else {},
            "cdk.out/o.json": {"Resources": {"Q1234": QUEUE}},
            "bin/app.ts": APP,
        },
    )
    queue = resource(read(tmp_path), "Q1234")
    assert queue.construct == "Orders/Queue"
    assert queue.creation is not None
    assert queue.creation.place().key() == ("bin/app.ts", 2, 1, 2, 16)
    assert queue.head.place().path == "cdk.out/o.json"


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        ("new Orders (/home/someone/src/app/bin/app.ts:2:1)", 2),
        ("/home/someone/src/app/bin/app.ts:2:1", 2),
        ("at Object.<anonymous> (C:\\Users\\x\\app\\bin\\app.ts:1:7)", 1),
        ('File "/home/someone/app/bin/app.ts", line 2', 2),
        ("Orders.java (bin/app.ts:2)", 2),
        ("new Orders (/home/someone/src/app/bin/gone.ts:2:1)", None),
        ("new Queue (/home/someone/node_modules/bin/app.ts:2:1)", None),
        ("new Orders (/home/someone/../../etc/passwd:2:1)", None),
        ("(no user code in 10 frames, use --stack-trace-limit to capture more)", None),
        ("...node internals...", None),
    ],
)
def test_frames_of_a_stack_trace(tmp_path: Path, frame: str, line: int | None) -> None:
    write(
        tmp_path,
        {
            "cdk.out/manifest.json": manifest(O=stack("o.json", metadata=constructs("/O/Queue/Resource", [frame]))),
            "cdk.out/o.json": {"Resources": {"Q1234": QUEUE}},
            "bin/app.ts": APP,
        },
    )
    creation = resource(read(tmp_path), "Q1234").creation
    assert (creation.place().line if creation is not None else None) == line


def test_constructs_of_nested_stacks_with_equal_names_are_told_apart(tmp_path: Path) -> None:
    metadata = {
        f"/P/{name}.NestedStack/{name}.NestedStackResource": [{"type": "aws:cdk:logicalId", "data": f"{name}Stack"}]
        for name in ("A", "B")
    }
    for name in ("A", "B"):
        metadata[f"/P/{name}/Queue/Resource"] = [{"type": "aws:cdk:logicalId", "data": "Q1234"}]
    nested = {
        f"{name}Stack": {
            "Type": "AWS::CloudFormation::Stack", "Properties": {}, "Metadata": {"aws:asset:path": "n.json"},
        }
        for name in ("A", "B")
    }  # fmt: skip
    write(
        tmp_path / "cdk.out",
        {
            "manifest.json": manifest(P=stack("p.json", metadata=metadata)),
            "p.json": {"Resources": nested},
            "n.json": {"Resources": {"Q1234": QUEUE}},
        },
    )
    found = read(tmp_path)
    assert {one.address: one.construct for one in found[0].resources} == {
        "AStack/Q1234": "P/A/Queue",
        "BStack/Q1234": "P/B/Queue",
    }


def test_cdks_own_machinery_is_left_out(tmp_path: Path) -> None:
    handler = "BucketNotificationsHandler050a0587b7544547bf325f094a3db834"
    template = {
        "Resources": {
            "CDKMetadata": {"Type": "AWS::CDK::Metadata"},
            f"{handler}RoleB6FB88EC": {"Type": "AWS::IAM::Role"},
            f"{handler}347C3ED8": {"Type": "AWS::Lambda::Function"},
            "Policy": {"Type": "AWS::IAM::Policy", "Properties": {"Roles": [{"Ref": f"{handler}RoleB6FB88EC"}]}},
            "Other": {"Type": "AWS::IAM::Policy", "Properties": {"Roles": [{"Ref": "Own"}]}},
            "Own": {"Type": "AWS::IAM::Role"},
        },
        "Parameters": {"BootstrapVersion": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/a"}},
    }
    write(tmp_path / "cdk.out", {"manifest.json": manifest(S=stack("s.json")), "s.json": template})
    assert [one.address for one in read(tmp_path)[0].resources] == ["Other", "Own"]


@pytest.mark.parametrize("bridge", [{}, {"EventBridgeConfiguration": {}}])
def test_bucket_notifications_of_a_custom_resource(tmp_path: Path, bridge: dict[str, Any]) -> None:
    arn = {"Fn::GetAtt": ["F", "Arn"]}
    configuration = {
        "LambdaFunctionConfigurations": [{"Events": ["s3:ObjectCreated:*"], "LambdaFunctionArn": arn}],
        **bridge,
    }
    template = {
        "Resources": {
            "Bucket": {"Type": "AWS::S3::Bucket"},
            "F": {"Type": "AWS::Lambda::Function"},
            "Notifications": {
                "Type": "Custom::S3BucketNotifications",
                "Properties": {
                    "ServiceToken": "x",
                    "BucketName": {"Ref": "Bucket"},
                    "NotificationConfiguration": configuration,
                },
            },
        }
    }
    write(tmp_path / "cdk.out", {"manifest.json": manifest(S=stack("s.json")), "s.json": template})
    found = read(tmp_path)
    notifications = resource(found, "Notifications")
    assert notifications.kind.name == "s3.notification"
    assert target(notifications.raw("bucket")) is resource(found, "Bucket")
    functions = notifications.raw("functions")
    assert isinstance(functions, Known)
    assert isinstance(functions.data, list)
    assert isinstance(functions.data[0], Known)
    assert (notifications.fetch("EventBridgeConfiguration") is not None) == bool(bridge)


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "not valid JSON"), ("[]", "no artifacts"), ('{"version": "1"}', "no artifacts"), (None, "cannot be read")],
)
def test_a_broken_manifest_is_a_finding(tmp_path: Path, content: str | None, said: str) -> None:
    write(tmp_path / "cdk.out", {"cdk.out": "{}"} if content is None else {"manifest.json": content})
    [broken] = read(tmp_path)
    assert said in broken.problems[0].message
    assert broken.blind


@pytest.mark.parametrize("name", ["gone.json", "../../etc/passwd", "/etc/passwd"])
def test_a_template_that_is_not_here_is_a_finding(tmp_path: Path, name: str) -> None:
    write(tmp_path / "cdk.out", {"manifest.json": manifest(S=stack(name), T=stack("t.json")), "t.json": {}})
    broken, empty = read(tmp_path)
    assert broken.problems
    assert broken.blind
    # A stack that holds nothing is no mistake.
    assert (empty.resources, empty.problems, empty.blind) == ([], [], [])


def test_a_newer_schema_is_noted(tmp_path: Path) -> None:
    artifacts = {"version": "99.0.0", "artifacts": {"S": stack("s.json")}}
    write(tmp_path / "cdk.out", {"manifest.json": artifacts, "s.json": {"Resources": {"Q": QUEUE}}})
    [found] = read(tmp_path)
    assert "99.0.0" in found.notes[0].message
    assert found.resources


@pytest.mark.parametrize(
    ("environment", "arn"),
    [
        ("aws://111122223333/eu-west-1", "arn:aws:sqs:eu-west-1:111122223333:q"),
        ("aws://111122223333/us-gov-west-1", "arn:aws-us-gov:sqs:us-gov-west-1:111122223333:q"),
        ("aws://111122223333/cn-north-1", "arn:aws-cn:sqs:cn-north-1:111122223333:q"),
        ("aws://unknown-account/eu-west-1", "arn:aws:sqs:eu-west-1:<account>:q"),
        ("aws://111122223333/unknown-region", "arn:<partition>:sqs:<region>:111122223333:q"),
        ("aws://unknown-account/unknown-region", "arn:<partition>:sqs:<region>:<account>:q"),
        ("somewhere", "arn:<partition>:sqs:<region>:<account>:q"),
    ],
)
def test_where_a_stack_is_deployed_is_known(tmp_path: Path, environment: str, arn: str) -> None:
    """An ARN that is put together in a stack of a known account is the same as one that is written out."""
    written = "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:q"
    template = {
        "Conditions": {"Here": {"Fn::Equals": [{"Ref": "AWS::Region"}, "eu-west-1"]}},
        "Resources": {
            "Q": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "q"}},
            "M": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {"EventSourceArn": {"Fn::Sub": written}}},
            "H": {"Type": "AWS::SQS::Queue", "Condition": "Here"},
        },
    }
    artifact = {**stack("s.json"), "environment": environment}
    write(tmp_path / "cdk.out", {"manifest.json": manifest(S=artifact), "s.json": template})
    found = read(tmp_path)
    mapping, queue = resource(found, "M"), resource(found, "Q")

    def shown(value: Value) -> str:
        return "".join(
            part if isinstance(part, str) else f"<{getattr(part, 'symbol').name}>"  # noqa: B009
            for part in text_parts(value) or ()
        )

    assert shown(mapping.raw("source")) == arn
    assert shown(names.expand(Ref(queue, "arn"))) == arn
    if "unknown-region" not in environment and environment.startswith("aws://"):
        here = [one for one in found[0].resources if one.address == "H"]
        assert [one.exists is TRUE for one in here] == ([True] if "eu-west-1" in environment else [])


def test_terraform_of_a_program_knows_its_constructs(tmp_path: Path) -> None:
    """CDK for Terraform writes JSON with the construct beside each resource, into a folder that git ignores."""
    queue = {"//": {"metadata": {"path": "orders/intake/queue", "uniqueId": "q"}}, "name": "orders"}
    written = {"resource": {"aws_sqs_queue": {"q": queue, "plain": {"name": "other"}}}}
    (tmp_path / ".gitignore").write_text("cdktf.out\n", encoding="utf-8")
    write(tmp_path / "cdktf.out" / "stacks" / "orders", {"cdk.tf.json": written})
    tree = Tree(tmp_path)
    assert list(discover(tree, [""]).roots) == ["cdktf.out/stacks/orders"]
    found = read_root(tree, "cdktf.out/stacks/orders")
    assert {one.address: one.construct for one in found.resources} == {
        "aws_sqs_queue.q": "orders/intake/queue",
        "aws_sqs_queue.plain": None,
    }


def test_a_program_that_was_not_synthesised_is_noted(tmp_path: Path) -> None:
    write(tmp_path, {"cdktf.json": {"app": "node main.js"}})
    assert [message.partition(":")[0] for message, _ in discover(Tree(tmp_path), [""]).notes] == [
        "cdktf.json without cdktf.out"
    ]
