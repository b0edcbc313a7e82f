"""SAM templates, against what AWS's own translator makes of them, and what only a linter needs to know.

The translator's answers are recorded (`record_sam.py`); where it is installed, it is asked again. Its own inputs are
compared when `HOPLINT_SAM_INPUTS` names the folder that holds them.
"""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest
from sam_graph import canonical, differences, facts, read

from hoplint.model.value import Known, Unknown

HERE = Path(__file__).parent
RECORDED: dict[str, dict[str, Any]] = json.loads((HERE / "sam.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_the_lowered_template_is_what_the_translator_makes(tmp_path: Path, name: str) -> None:
    (tmp_path / "template.json").write_text(json.dumps(RECORDED[name]))
    assert differences(read(HERE / "sam", f"{name}.yaml"), read(tmp_path, "template.json")) == []


def test_every_template_is_recorded() -> None:
    assert sorted(RECORDED) == sorted(path.stem for path in (HERE / "sam").glob("*.yaml"))


def test_the_recording_is_what_the_translator_says() -> None:
    pytest.importorskip("samtranslator", reason="the SAM translator is not installed")
    translate = runpy.run_path(str(HERE / "record_sam.py"))["translate"]
    for name, recorded in RECORDED.items():
        assert translate((HERE / "sam" / f"{name}.yaml").read_text(encoding="utf-8")) == recorded


GRAPHS: dict[str, Any] = json.loads((HERE / "sam_graphs.json").read_text(encoding="utf-8"))


def test_the_translators_own_inputs_are_covered() -> None:
    """At least 150 of them hold something of ours, and each that is left out has its reason."""
    assert len(GRAPHS["equal"]) >= 150
    assert all(GRAPHS["left out"].values())
    assert not GRAPHS["equal"].keys() & GRAPHS["left out"].keys()


@pytest.mark.skipif("HOPLINT_SAM_INPUTS" not in os.environ, reason="HOPLINT_SAM_INPUTS names no folder")
def test_the_graph_of_the_translators_own_inputs() -> None:
    """Our graph of each input has the hops, ends and settings of the graph of what the translator makes of it."""
    inputs = Path(os.environ["HOPLINT_SAM_INPUTS"])
    unlike = {}
    for name, recorded in GRAPHS["equal"].items():
        found = facts(read(inputs, f"{name}.yaml"))
        if found != recorded:
            unlike[name] = (found, recorded)
    assert unlike == {}


def test_places_are_those_of_the_users_template() -> None:
    stack = read(HERE / "sam", "queues.yaml")
    by_address = {one.address: one for one in stack.resources}
    mapping = by_address["Worker/Inbox"]
    assert mapping.kind.name == "lambda.event_source_mapping"
    assert mapping.head.place().key()[1:] == (28, 9, 28, 14)
    assert mapping.site("window").place().line == 33
    # A batch size that comes from a parameter is changed at its default.
    assert mapping.site("batch_size").place().line == 13
    # What `Globals` says is changed there.
    assert by_address["Worker"].site("timeout").place().line == 7
    # What nobody wrote stands at the event.
    assert mapping.site("retries").place().line == 28


def test_generated_names_resolve(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("""
Transform: AWS::Serverless-2016-10-31
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      AutoPublishAlias: live
      EventInvokeConfig: {DestinationConfig: {OnFailure: {Type: SQS}}}
      Events:
        News: {Type: SNS, Properties: {Topic: !Ref T, SqsSubscription: true}}
  T: {Type: AWS::SNS::Topic}
  A: {Type: AWS::SQS::Queue, Properties: {QueueName: !Ref F.Alias, KmsMasterKeyId: !Ref F.DestinationQueue}}
  B: {Type: AWS::SQS::Queue, Properties: {QueueName: !GetAtt FNewsQueue.QueueName, KmsMasterKeyId: !Ref F.Version}}
  C: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub '${F.Alias}', KmsMasterKeyId: !GetAtt FRole.Arn}}
  D: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub '${F.Arn}'}}
""")
    stack = read(tmp_path, "t.yaml")
    names = {id(one): one.address for one in stack.resources}
    found = {
        one.address: [canonical(one.raw(prop), names) for prop in ("name", "kms_key")]
        for one in stack.resources
        if one.address in "ABCD"
    }
    assert found == {
        "A": ["<FAliaslive.arn>", "<FEventInvokeConfigOnFailureQueue.url>"],
        "B": ["<FNewsQueue.name>", "<FVersion.arn>"],
        "C": ["<FAliaslive.arn>", "<FRole.arn>"],
        "D": ["<F.arn>", None],
    }


def test_ignores_of_a_function_hold_for_what_comes_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("""
Transform: AWS::Serverless-2016-10-31
Resources:
  F:
    Type: AWS::Serverless::Function
    Metadata: {hoplint: {ignore: {rule: HOP103, reason: single records}}}
    Properties: {Events: {In: {Type: SQS, Properties: {Queue: 'arn:aws:sqs:eu-west-1:111122223333:q'}}}}
""")
    stack = read(tmp_path, "t.yaml")
    assert [one.address for one in stack.resources if one.ignores] == ["F", "F/In", "FRole"]


MACHINE = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Q: {Type: AWS::SQS::Queue}
  M:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: %s
      DefinitionSubstitutions: {Queue: !Ref Q}
"""


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("flow/m.asl.json", '{"StartAt": "A",\n "States": {"A": {"Type": "Succeed"}}}'),
        ("./flow/m.asl.json", "StartAt: A\nStates:\n  A: {Type: Succeed}\n"),
    ],
)
def test_a_definition_is_read_from_its_file(tmp_path: Path, uri: str, text: str) -> None:
    (tmp_path / "flow").mkdir()
    (tmp_path / "flow/m.asl.json").write_text(text)
    (tmp_path / "t.yaml").write_text(MACHINE % uri)
    stack = read(tmp_path, "t.yaml")
    machine = next(one for one in stack.resources if one.address == "M")
    definition = machine.raw("definition")
    assert isinstance(definition, Known)
    assert isinstance(definition.data, dict)
    states = definition.data["States"]
    assert states.site is not None
    assert states.site.place().path == "flow/m.asl.json"
    assert canonical(machine.raw("substitutions"), {}) == {"Queue": "<?.url>"}
    assert stack.files == {"t.yaml", "flow/m.asl.json"}


@pytest.mark.parametrize("uri", ["gone.json", "../../../etc/passwd", "s3://bucket/key", "{Bucket: b, Key: k}"])
def test_a_definition_that_is_not_here_is_unknown(tmp_path: Path, uri: str) -> None:
    (tmp_path / "t.yaml").write_text(MACHINE % uri)
    stack = read(tmp_path, "t.yaml")
    machine = next(one for one in stack.resources if one.address == "M")
    assert isinstance(machine.raw("definition"), Unknown)
    assert stack.problems == []


def test_a_local_application_is_nested(tmp_path: Path) -> None:
    (tmp_path / "inner.yaml").write_text(
        "Parameters: {Wait: {Type: Number}}\n"
        "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref Wait}}}\n"
        "Outputs: {Arn: {Value: !GetAtt Q.Arn}}\n"
    )
    (tmp_path / "t.yaml").write_text("""
Transform: AWS::Serverless-2016-10-31
Resources:
  App: {Type: AWS::Serverless::Application, Properties: {Location: inner.yaml, Parameters: {Wait: 50}}}
  F:
    Type: AWS::Serverless::Function
    Properties: {Events: {In: {Type: SQS, Properties: {Queue: !GetAtt App.Outputs.Arn}}}}
""")
    stack = read(tmp_path, "t.yaml")
    names = {id(one): one.address for one in stack.resources}
    by_address = {one.address: one for one in stack.resources}
    assert canonical(by_address["F/In"].raw("source"), names) == "<App/Q.arn>"
    assert canonical(by_address["App/Q"].raw("visibility_timeout"), names) == "50"


CONFIG = """
version = 0.1
[default.deploy.parameters]
stack_name = "orders"
parameter_overrides = %s
"""
CONFIGURED = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Wait: {Type: Number, Default: 1}}
Resources: {Q: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref Wait}}}
"""


@pytest.mark.parametrize(
    ("overrides", "wait"),
    [
        ('"Wait=50 Other=\\"a b\\""', "50"),
        ('["Other=x", "Wait=50"]', "50"),
        ('"ParameterKey=Wait,ParameterValue=50"', "50"),
        # Two environments that may differ decide nothing.
        ('"Wait=50"\n[prod.deploy.parameters]\nparameter_overrides = "Wait=60"', "1"),
        ('"Wait=50"\ntemplate_file = "other.yaml"', "1"),
        ("[", "1"),
    ],
)
def test_samconfig_gives_parameters(tmp_path: Path, overrides: str, wait: str) -> None:
    (tmp_path / "samconfig.toml").write_text(CONFIG % overrides)
    (tmp_path / "t.yaml").write_text(CONFIGURED)
    queue = read(tmp_path, "t.yaml").resources[0]
    assert canonical(queue.raw("visibility_timeout"), {}) == wait
    if wait == "50":
        assert queue.site("visibility_timeout").place().key()[:2] == ("samconfig.toml", 5)


@pytest.mark.parametrize(
    "events",
    [
        "null", "[]", "{E: null}", "{E: {Type: SQS}}", "{E: {Type: Nope}}", "{E: {Properties: {}}}", "!Ref X",
        "{E: {Type: SNS, Properties: {SqsSubscription: {}}}}", "{E: {Type: SNS, Properties: []}}",
        "{E: {Type: S3, Properties: {Bucket: x, Events: null}}}",
        "{E: {Type: Schedule, Properties: {DeadLetterConfig: !Ref X, Enabled: !Ref Y}}}",
    ],
)  # fmt: skip
def test_nonsense_does_not_raise(tmp_path: Path, events: str) -> None:
    (tmp_path / "t.yaml").write_text(f"""
Transform: AWS::Serverless-2016-10-31
Globals: {{Function: [], SimpleTable: 3}}
Resources:
  F: {{Type: AWS::Serverless::Function, Properties: {{Events: {events}, Policies: {events}, Role: {events}}}}}
  G: {{Type: AWS::Serverless::Function, Properties: {events}}}
  M: {{Type: AWS::Serverless::StateMachine, Properties: {{Events: {events}, DefinitionUri: {events}}}}}
  T: {{Type: AWS::Serverless::SimpleTable, Properties: {{PrimaryKey: {events}}}}}
  C:
    Type: AWS::Serverless::Connector
    Properties: {{Source: {events}, Destination: {events}, Permissions: {events}}}
""")
    for one in read(tmp_path, "t.yaml").resources:
        for prop in one.kind.properties:
            one.raw(prop)
