"""CloudFormation templates: what values come of them, through parameters, conditions and other stacks."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoplint.graph.hops import FailTo, Poll, Push
from hoplint.graph.link import link
from hoplint.model.condition import Atom, Scenario, can_hold, negate
from hoplint.model.inquiry import certainly
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Choice, Encoded, Known, Ref, Text, Unknown, Value, branches, plain, quantity
from hoplint.readers.cloudformation import Options, join_exports, looks_like_template, read_template
from hoplint.readers.tree import Tree


def stacks_of(folder: Path, files: dict[str, str], options: Options | None = None, *paths: str) -> list[Stack]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = options or Options(templates=[name for name in files if name.endswith((".yaml", ".json"))])
    tree = Tree(folder)
    stacks = [stack for path in paths or list(files)[:1] for stack in read_template(tree, path, options)]
    join_exports(stacks)
    return stacks


def stack_of(folder: Path, text: str, options: Options | None = None) -> Stack:
    return stacks_of(folder, {"template.yaml": text}, options)[0]


def resource(stack: Stack, address: str) -> Resource:
    return next(one for one in stack.resources if one.address == address)


def show(value: Value) -> object:
    """A value as plain data: references and unknowns in angle brackets, choices as tuples."""
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return [show(item) for item in value.data]
        if isinstance(value.data, dict):
            return {key: show(item) for key, item in value.data.items()}
        return value.data
    if isinstance(value, Ref):
        return f"<{value.target.address}.{value.attribute}>"
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else str(show(part)) for part in value.parts)
    if isinstance(value, Choice):
        return (repr(value.condition), show(value.then), show(value.otherwise))
    if isinstance(value, Encoded):
        return ("json", show(value.tree))
    assert isinstance(value, Unknown)
    return f"<{value.symbol.name}>"


COMMON = """
Parameters:
  Plain: {Type: String, Default: text}
  Size: {Type: Number, Default: 7}
  Open: {Type: Number, MinValue: 5, MaxValue: 60}
  Names: {Type: CommaDelimitedList, Default: "one, two,three"}
  Hidden: {Type: String, NoEcho: true, Default: secret}
  Stored: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /a/b}
Mappings:
  Sizes:
    small: {timeout: 3, names: [a, b]}
Resources:
  Dead:
    Type: AWS::SQS::Queue
  Other:
    Type: AWS::EC2::Instance
  Queue:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: %s
"""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("!Ref Plain", "text"),
        ("!Ref Dead", "<Dead.url>"),
        ("!GetAtt Dead.Arn", "<Dead.arn>"),
        ("!GetAtt [Dead, QueueName]", "<Dead.name>"),
        ("!GetAtt Dead.Nonsense", "<Dead.Nonsense>"),
        ("!Ref Other", "<Other.Ref>"),
        ("!Ref Nowhere", "<Nowhere>"),
        ("!GetAtt Nowhere.Arn", "<Nowhere.Arn>"),
        ("!Ref AWS::Region", "<region>"),
        ("!Ref AWS::StackName", "<AWS::StackName>"),
        ("!Ref Stored", "<Stored>"),
        ("!Sub 'a-${Plain}-${Size}-${Dead.Arn}-${AWS::AccountId}-${!Kept}'", "a-text-7-<Dead.arn>-<account>-${Kept}"),
        ("!Sub ['${X}/${Y.z}', {X: !Ref Plain, Y.z: !GetAtt Dead.Arn}]", "text/<Dead.arn>"),
        ("!Sub '${Dead.Arn}'", "<Dead.arn>"),
        ("!Sub no holes", "no holes"),
        ("!Join ['-', [a, !Ref Size, !Ref Dead]]", "a-7-<Dead.url>"),
        ("!Join ['', []]", ""),
        ("!Join [',', !Ref Names]", "one,two,three"),
        ("!Select [1, !Ref Names]", "two"),
        ("!Select ['0', [!GetAtt Dead.Arn, b]]", "<Dead.arn>"),
        ("!Select [9, !Ref Names]", "<an unknown value>"),
        ("!Select [2, !Split ['-', a-b-c]]", "c"),
        # What an ARN consists of is known, although the ARN is not.
        ("!Select [5, !Split [':', !GetAtt Dead.Arn]]", "<Dead.name>"),
        ("!Select [2, !Split [':', !GetAtt Dead.Arn]]", "sqs"),
        ("!Select [0, !Split ['/', !Sub 'head/${Nowhere}/tail']]", "head"),
        ("!Select [1, !Split ['/', !Sub 'head/${Nowhere}/tail']]", "<an unknown value>"),
        ("!FindInMap [Sizes, small, timeout]", 3),
        ("!FindInMap [Sizes, large, timeout, {DefaultValue: 9}]", 9),
        ("!FindInMap [Sizes, large, timeout]", "<an unknown value>"),
        ("!Select [1, !FindInMap [Sizes, small, names]]", "b"),
        ("!Base64 ab", "YWI="),
        ("Fn::Length: !Ref Names", 3),
        ("Fn::ToJsonString: {a: !GetAtt Dead.Arn}", ("json", {"a": "<Dead.arn>"})),
        ("!GetAZs ''", "<an unknown value>"),
        ("!Cidr [10.0.0.0/16, 2]", "<an unknown value>"),
        ("!Transform {Name: AWS::Include}", "<an unknown value>"),
        ("Fn::NoSuchThing: x", "<an unknown value>"),
        ("'{{resolve:ssm:/a/b}}'", "<{{resolve:ssm:/a/b}}>"),
        ("'x-{{resolve:ssm:/a/b}}'", "x-<{{resolve:ssm:/a/b}}>"),
        ("!ImportValue nowhere", "<import nowhere>"),
        ("[a, !Ref AWS::NoValue, null]", ["a", None]),
        ("{a: !Ref AWS::NoValue, b: null}", {"b": None}),
    ],
)
def test_a_function_gives(tmp_path: Path, written: str, meant: object) -> None:
    text = COMMON % (written if not written.startswith("Fn::") else f"{{{written}}}")
    assert show(resource(stack_of(tmp_path, text), "Queue").raw("name")) == meant


def test_long_forms_and_short_forms_are_the_same(tmp_path: Path) -> None:
    long = '{"Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": {"Fn::Join": ["", ["a", {"Ref": "AWS::Region"}]]}}}}}'  # noqa: E501
    short = "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: !Sub a${AWS::Region}\n"
    one, two = (stacks_of(tmp_path, {name: text})[0] for name, text in (("a.json", long), ("b.yaml", short)))
    assert show(resource(one, "Q").raw("name")) == show(resource(two, "Q").raw("name")) == "a<region>"


def test_the_same_unknown_is_the_same_symbol(tmp_path: Path) -> None:
    stack = stack_of(
        tmp_path,
        "Parameters: {P: {Type: Number, MinValue: 1, MaxValue: 9}}\nResources:\n"
        "  A: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref P}}\n"
        "  B: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref P}}\n",
    )
    one, two = (quantity(resource(stack, name).raw("visibility_timeout")) for name in "AB")
    assert one is not None
    assert two is not None
    assert one.equals(two).certain
    assert one.interval() == (1, 9)


@pytest.mark.parametrize(
    ("declared", "low", "high"),
    [("MinValue: 5", 5, float("inf")), ("AllowedValues: [30, '60', 45]", 30, 60), ("AllowedValues: [a]", None, None)],
)
def test_bounds_come_from_the_parameter(tmp_path: Path, declared: str, low: float | None, high: float | None) -> None:
    text = f"Parameters: {{P: {{Type: Number, {declared}}}}}\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n"
    stack = stack_of(tmp_path, text + "    Properties: {VisibilityTimeout: !Ref P}\n")
    found = quantity(resource(stack, "Q").raw("visibility_timeout"))
    assert found is not None
    if low is not None:
        assert found.interval() == (low, high)
    else:
        assert found.interval() == (float("-inf"), float("inf"))


def test_a_default_is_a_value_that_is_changed_at_the_default(tmp_path: Path) -> None:
    queue = resource(stack_of(tmp_path, COMMON % "!Ref Plain"), "Queue")
    value = queue.raw("name")
    [step] = value.through
    assert (step.name, step.how, step.secret) == ("Plain", "default", False)
    assert queue.site("name").place().key()[1:] == (3, 34, 3, 38)


def test_a_secret_stays_one(tmp_path: Path) -> None:
    for written in ("!Ref Hidden", "!Sub 'x-${Hidden}'"):
        value = resource(stack_of(tmp_path, COMMON % written), "Queue").raw("name")
        assert any(step.secret for step in value.through)


@pytest.mark.parametrize(
    "given",
    [
        '[{"ParameterKey": "Plain", "ParameterValue": "other"}, {"ParameterKey": "Gone", "ParameterValue": "x"}]',
        '{"Parameters": {"Plain": "other"}, "Tags": {"a": "b"}}',
        '{"Plain": "other"}',
        '["Plain=other"]',
        "Plain: other",
    ],
)
def test_a_parameter_file_gives_values(tmp_path: Path, given: str) -> None:
    (tmp_path / "given.json").write_text(given)
    stack = stack_of(tmp_path, COMMON % "!Ref Plain", Options(files=("given.json",)))
    queue = resource(stack, "Queue")
    assert show(queue.raw("name")) == "other"
    assert queue.site("name").place().path == "given.json"


def test_the_command_line_wins_over_files(tmp_path: Path) -> None:
    (tmp_path / "given.json").write_text('{"Plain": "other"}')
    options = Options(parameters={"Plain": "mine"}, files=("given.json",))
    value = resource(stack_of(tmp_path, COMMON % "!Ref Plain", options), "Queue").raw("name")
    assert show(value) == "mine"
    assert [step.how for step in value.through] == ["option"]


def test_a_parameter_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "given.json").write_text('{"Plain": ')
    options = Options(files=("given.json", "gone.json"))
    stack = stack_of(tmp_path, COMMON % "!Ref Plain", options)
    assert sorted(problem.primary.place().path for problem in stack.problems) == ["given.json", "gone.json"]
    assert stack_of(tmp_path, COMMON % "!Ref Plain", options).problems == []


CONDITIONS = """
Parameters:
  Stage: {Type: String, Default: dev%s}
  Flag: {Type: String, Default: 'false', AllowedValues: ['true', 'false']}
  Names: {Type: CommaDelimitedList}
Conditions:
  Prod: !Equals [!Ref Stage, prod]
  Test: !Equals [test, !Ref Stage]
  Either: !Or [!Condition Prod, !Condition Test]
  Neither: !Not [!Condition Either]
  On: !Equals [!Ref Flag, 'true']
  Both: !And [!Condition Prod, !Condition On]
  Many: !Not [!Equals [!Join ['', !Ref Names], '']]
  Few: !Equals ['', !Join ['', !Ref Names]]
  Always: !Equals [a, a]
  Loop: !Not [!Condition Loop]
Resources:
  A: {Type: AWS::SQS::Queue, Condition: Prod}
  B: {Type: AWS::SQS::Queue, Condition: Test}
  C: {Type: AWS::SQS::Queue, Condition: Neither}
  D: {Type: AWS::SQS::Queue, Condition: Both}
  E: {Type: AWS::SQS::Queue, Condition: Always}
  F: {Type: AWS::SQS::Queue, Condition: Loop}
  G: {Type: AWS::SQS::Queue, Condition: Gone}
  H: {Type: AWS::SQS::Queue, Condition: Many}
  I: {Type: AWS::SQS::Queue, Condition: Few}
  Q:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: !If [Prod, 60, !If [Test, 30, !Ref AWS::NoValue]]
      QueueName: !Sub ['q-${S}', {S: !If [Prod, p, d]}]
"""


def exists(stack: Stack, *addresses: str) -> bool:
    return can_hold(*(resource(stack, address).exists for address in addresses))


def test_conditions_on_one_parameter_exclude_each_other(tmp_path: Path) -> None:
    stack = stack_of(tmp_path, CONDITIONS % "")
    assert exists(stack, "A")
    assert exists(stack, "B")
    assert not exists(stack, "A", "B")
    assert not exists(stack, "A", "C")
    assert exists(stack, "A", "D")
    assert not exists(stack, "B", "D")
    assert exists(stack, "E")
    assert exists(stack, "F")
    assert exists(stack, "G")
    # What no parameter decides is one truth for all who write the same.
    assert not exists(stack, "H", "I")


def test_a_default_decides_no_condition_but_is_looked_at_first(tmp_path: Path) -> None:
    stack = stack_of(tmp_path, CONDITIONS % "")
    assert not resource(stack, "A").exists.holds(Scenario())
    assert resource(stack, "C").exists.holds(Scenario())


def test_allowed_values_close_the_list(tmp_path: Path) -> None:
    stack = stack_of(tmp_path, CONDITIONS % ", AllowedValues: [prod, dev]")
    assert [one.address for one in stack.resources if one.address == "B"] == []
    assert exists(stack, "A")


@pytest.mark.parametrize(("stage", "present"), [("prod", ["A"]), ("test", ["B"]), ("else", ["C"])])
def test_a_given_parameter_decides(tmp_path: Path, stage: str, present: list[str]) -> None:
    stack = stack_of(tmp_path, CONDITIONS % "", Options(parameters={"Stage": stage}))
    assert [one.address for one in stack.resources if one.address in "ABC"] == present


def test_a_choice_keeps_its_condition(tmp_path: Path) -> None:
    queue = resource(stack_of(tmp_path, CONDITIONS % ""), "Q")
    found = [(show(value), can_hold(when)) for value, when in branches(queue.raw("visibility_timeout"))]
    assert found == [(60, True), (30, True), (30, True)]
    assert [show(value) for value, _ in branches(queue.raw("name"))] == ["q-p", "q-d"]


FORTY = 40


def forty(tie: str) -> str:
    """A template of forty conditions, each made of the one before, with a queue, a function and a mapping for each."""
    text = "Parameters:\n" + "".join(f"  P{n}: {{Type: String}}\n" for n in range(FORTY)) + "Conditions:\n"
    for n in range(FORTY):
        text += f"  C{n}: {tie % {'before': n - 1, 'own': n}}\n" if n else "  C0: !Equals [!Ref P0, a]\n"
    text += "Resources:\n"
    for n in range(FORTY):
        text += f"""
  Q{n}:
    Type: AWS::SQS::Queue
    Condition: C{n}
    Properties:
      QueueName: !Join ['-', [{", ".join(f"!If [C{one}, a, b]" for one in range(FORTY))}]]
      VisibilityTimeout: !If [C{n}, 30, !If [C{n - 1 if n else 1}, 40, 50]]
  F{n}: {{Type: AWS::Lambda::Function, Properties: {{Timeout: !If [C{(n + 7) % FORTY}, 10, 20]}}}}
  M{n}: {{Type: AWS::Lambda::EventSourceMapping, Properties: {{EventSourceArn: !GetAtt Q{n}.Arn, FunctionName: !Ref F{n}}}}}
"""
    return text


@pytest.mark.parametrize(
    "tie",
    [
        "!Or [!Condition C%(before)d, !Equals [!Ref P%(own)d, a]]",
        "!Or [!Condition C%(before)d, !And [!Not [!Condition C%(before)d], !Equals [!Ref P%(own)d, a]]]",
    ],
    ids=["chained", "each twice"],
)
def test_forty_conditions_cost_no_more_than_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tie: str
) -> None:
    """Counted, not timed: how often an atom is asked for, and in how many scenarios a hop is looked at."""
    asked = 0
    value = Scenario.value

    def counted(scenario: Scenario, atom: Atom) -> str:
        nonlocal asked
        asked += 1
        return value(scenario, atom)

    monkeypatch.setattr(Scenario, "value", counted)
    graph = link([stack_of(tmp_path, forty(tie))])
    for one in graph.of("sqs.queue"):
        one.raw("name")
        can_hold(one.exists)
    looked = 0
    for poll in graph.polls("sqs.queue", "lambda.function"):
        looked += 1
        certainly(poll.source.number("visibility_timeout") < poll.to.number("timeout"))
    assert len(graph.hops(Poll)) == FORTY
    assert FORTY < looked <= FORTY * (2 * FORTY + 16)
    assert asked <= 5 * looked * FORTY


def test_a_chain_of_conditions_has_an_end(tmp_path: Path) -> None:
    """Three thousand conditions, each the opposite of the one before: the last is a truth of its own."""
    text = "Parameters: {P: {Type: String}}\nConditions:\n  C0: !Equals [!Ref P, a]\n"
    text += "".join(f"  C{n}: !Not [!Condition C{n - 1}]\n" for n in range(1, 3000))
    text += "Resources:\n  Q: {Type: AWS::SQS::Queue, Condition: C2999}\n"
    queue = resource(stack_of(tmp_path, text), "Q")
    assert can_hold(queue.exists) and can_hold(negate(queue.exists))


def test_a_map_is_looked_up_for_every_value_of_its_parameter(tmp_path: Path) -> None:
    text = """
Parameters: {Stage: {Type: String, Default: dev, AllowedValues: [dev, prod]}}
Mappings: {Sizes: {dev: {t: 3, same: 5}, prod: {t: 9, same: 5}, gone: {t: 1, same: 1}}}
Resources:
  Q:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: !FindInMap [Sizes, !Ref Stage, t]
      DelaySeconds: !FindInMap [Sizes, !Ref Stage, same]
"""
    queue = resource(stack_of(tmp_path, text), "Q")
    assert [show(value) for value, _ in branches(queue.raw("visibility_timeout"))] == [3, 9]
    assert show(queue.raw("delay")) == 5
    assert queue.site("delay").place().line == 3
    given = resource(stack_of(tmp_path, text, Options(parameters={"Stage": "prod"})), "Q")
    assert show(given.raw("visibility_timeout")) == 9


def test_properties_may_depend_on_a_condition_as_a_whole(tmp_path: Path) -> None:
    text = """
Parameters: {Stage: {Type: String}}
Conditions: {Prod: !Equals [!Ref Stage, prod]}
Resources:
  Q:
    Type: AWS::SQS::Queue
    Properties: !If [Prod, {VisibilityTimeout: 60, FifoQueue: true}, {VisibilityTimeout: 20}]
  R:
    Type: AWS::SQS::Queue
    Properties: {Fn::Transform: {Name: AWS::Include}, DelaySeconds: 3}
"""
    stack = stack_of(tmp_path, text)
    queue = resource(stack, "Q")
    assert [show(value) for value, _ in branches(queue.raw("visibility_timeout"))] == [60, 20]
    assert [show(value) for value, _ in branches(queue.raw("fifo"))] == [True, False]
    assert show(queue.raw("delay")) == 0
    assert isinstance(resource(stack, "R").raw("visibility_timeout"), Unknown)
    assert show(resource(stack, "R").raw("delay")) == 3


def test_loops_are_written_out(tmp_path: Path) -> None:
    text = """
Transform: AWS::LanguageExtensions
Parameters: {Names: {Type: CommaDelimitedList, Default: 'in-one,in-two'}}
Resources:
  Fn::ForEach::Queues:
    - Name
    - !Ref Names
    - Queue&{Name}:
        Type: AWS::SQS::Queue
        Properties:
          QueueName: !Sub '${Name}-x'
          RedrivePolicy:
            deadLetterTargetArn: !GetAtt
              - !Sub 'Dead${Name}'
              - Arn
          KmsMasterKeyId: !Ref Name
      Fn::ForEach::Inner:
        - Side
        - [A, B]
        - 'Dead&{Name}${Side}': {Type: AWS::SQS::Queue}
"""
    stack = stack_of(tmp_path, text)
    names = [one.address for one in stack.resources]
    assert names == ["Queueinone", "DeadinoneA", "DeadinoneB", "Queueintwo", "DeadintwoA", "DeadintwoB"]
    assert show(resource(stack, "Queueintwo").raw("name")) == "in-two-x"
    assert show(resource(stack, "Queueintwo").raw("kms_key")) == "in-two"
    assert stack.blind == []


@pytest.mark.parametrize(
    ("loop", "blind"),
    [
        ("[N, !Ref Gone, {Q: {Type: AWS::SQS::Queue}}]", True),
        ("[N, !Ref Gone, {Q: {Type: AWS::EC2::Instance}}]", False),
        ("[N, [], {Q: {Type: AWS::SQS::Queue}}]", False),
        ("[N, [a]]", True),
    ],
)
def test_a_loop_over_the_unknown_may_hide_resources(tmp_path: Path, loop: str, blind: bool) -> None:
    stack = stack_of(tmp_path, f"Resources:\n  X: {{Type: AWS::SNS::Topic}}\n  Fn::ForEach::L: {loop}\n")
    assert bool(stack.blind) == blind


@pytest.mark.parametrize(
    ("where", "known"), [("flow.json", True), ("{Bucket: b, Key: k}", False), ("gone.json", False)]
)
def test_a_definition_in_a_file(tmp_path: Path, where: str, known: bool) -> None:
    text = f"""
Resources:
  M: {{Type: AWS::StepFunctions::StateMachine, Properties: {{DefinitionS3Location: {where}}}}}
"""
    [stack] = stacks_of(tmp_path, {"t.yaml": text, "flow.json": '{"StartAt": "A"}'})
    value = resource(stack, "M").raw("definition")
    assert show(value) == {"StartAt": "A"} if known else isinstance(value, Unknown)


def test_ignores_and_constructs_come_from_metadata(tmp_path: Path) -> None:
    text = """
Resources:
  Q:
    Type: AWS::SQS::Queue
    Metadata:
      aws:cdk:path: App/Orders/Queue/Resource
      hoplint:
        ignore:
          - rule: HOP101
            reason: drained by hand
          - rule: source-queue-without-dlq
"""
    stack = stack_of(tmp_path, text)
    queue = resource(stack, "Q")
    assert stack.dialect == "cdk"
    assert queue.construct == "App/Orders/Queue"
    assert [(rule, why, site.place().line) for rule, why, site in queue.ignores] == [
        ("HOP101", "drained by hand", 9),
        ("source-queue-without-dlq", "", 11),
    ]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("Resources: {Q: {Type: AWS::SQS::Queue}}", "cloudformation"),
        ("Transform: AWS::Serverless-2016-10-31\nResources: {Q: {Type: AWS::SQS::Queue}}", "sam"),
        (
            "Transform: [AWS::LanguageExtensions, AWS::Serverless-2016-10-31]\nResources: {Q: {Type: AWS::SQS::Queue}}",
            "sam",
        ),
        ("Resources: {M: {Type: AWS::CDK::Metadata}}", "cdk"),
    ],
)
def test_the_dialect_of_a_lone_template(tmp_path: Path, text: str, dialect: str) -> None:
    assert stack_of(tmp_path, text).dialect == dialect


@pytest.mark.parametrize(
    "text",
    [
        "service: x\nresources:\n  Resources: {Q: {Type: AWS::SQS::Queue}}\n",
        '{"Resources": {"a": "AWS::SQS::Queue"}}',
        "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n# AWS::SQS::Queue\n",
        "- Resources: AWS::SQS::Queue\n",
        "{% if x %}\nResources: {Q: {Type: AWS::SQS::Queue}}\n",
        "Resources:\n  {{cookiecutter.name}}: [\n",
    ],
)
def test_what_is_no_template_gives_no_stack(tmp_path: Path, text: str) -> None:
    assert looks_like_template(text.encode()) or "AWS::" not in text
    assert stacks_of(tmp_path, {"template.yaml": text}) == []


def test_a_broken_template_gives_a_stack_that_is_not_fully_seen(tmp_path: Path) -> None:
    stack = stack_of(tmp_path, "Resources:\n  Q: [\n")
    assert stack.resources == []
    assert stack.blind == ["template.yaml cannot be parsed"]
    [problem] = stack.problems
    assert (problem.code, problem.primary.place().line) == (1, 3)


# Several stacks ------------------------------------------------------------------------------------------------------

PARENT = """
Parameters: {Wait: {Type: Number, Default: 40}}
Conditions: {Always: !Equals [a, a]}
Resources:
  Queues:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: %s
      Parameters: {Seconds: !Ref Wait}
  Workers:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: ./parts/workers.yaml
      Parameters: {QueueArn: !GetAtt Queues.Outputs.Arn}
Outputs:
  Out: {Value: !GetAtt Queues.Outputs.Arn, Export: {Name: the-queue}}
"""
QUEUES = """
Parameters: {Seconds: {Type: Number, Default: 5}}
Resources:
  Queue: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref Seconds}}
Outputs:
  Arn: {Value: !GetAtt Queue.Arn}
  Seconds: {Value: !Ref Seconds}
"""
WORKERS = """
Parameters: {QueueArn: {Type: String}}
Resources:
  Mapping: {Type: AWS::Lambda::EventSourceMapping, Properties: {EventSourceArn: !Ref QueueArn, FunctionName: f}}
"""


@pytest.mark.parametrize(
    "url",
    [
        "parts/queues.yaml",
        "!Sub 'https://s3.amazonaws.com/${Bucket}/parts/queues.yaml'",
        "!Join ['/', [!Ref Bucket, parts, queues.yaml]]",
        "https://bucket.s3.amazonaws.com/v1/queues.yaml",
    ],
)
def test_nested_stacks_are_joined_through_their_parent(tmp_path: Path, url: str) -> None:
    files = {"main.yaml": PARENT % url, "parts/queues.yaml": QUEUES, "parts/workers.yaml": WORKERS}
    [stack] = stacks_of(tmp_path, files)
    queue = resource(stack, "Queues/Queue")
    source = resource(stack, "Workers/Mapping").raw("source")
    assert isinstance(source, Ref)
    assert source.target is queue
    assert show(queue.raw("visibility_timeout")) == 40
    # It is changed where the parent hands it in.
    assert queue.site("visibility_timeout").place().key()[:2] == ("main.yaml", 9)
    assert stack.files == {"main.yaml", "parts/queues.yaml", "parts/workers.yaml"}
    assert show(stack.exports["the-queue"]) == "<Queues/Queue.arn>"


def test_the_nearest_of_several_templates_is_nested(tmp_path: Path) -> None:
    files = {
        "a/main.yaml": PARENT % "!Sub '${Base}/queues.yaml'",
        "b/parts/queues.yaml": QUEUES.replace("Queue:", "Wrong:").replace("Queue.", "Wrong."),
        "a/parts/queues.yaml": QUEUES,
        "a/parts/workers.yaml": WORKERS,
    }
    [stack] = stacks_of(tmp_path, files)
    assert [one.address for one in stack.resources] == ["Queues/Queue", "Workers/Mapping"]


@pytest.mark.parametrize("url", ["../../../../etc/passwd", "/etc/passwd", "gone.yaml", "!Ref Nothing"])
def test_a_template_that_is_not_here_is_not_guessed(tmp_path: Path, url: str) -> None:
    files = {"main.yaml": PARENT % url, "parts/workers.yaml": WORKERS}
    [stack] = stacks_of(tmp_path, files)
    source = resource(stack, "Workers/Mapping").raw("source")
    assert isinstance(source, Unknown)
    assert source.why == "the template of Queues is not here"


def test_a_stack_that_nests_itself_ends(tmp_path: Path) -> None:
    text = "Resources:\n  A: {Type: AWS::SQS::Queue}\n"
    loops = "".join(
        f"  S{n}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: {'ab'[n % 2]}.yaml}}}}\n"
        for n in range(9)
    )
    [stack] = stacks_of(tmp_path, {"a.yaml": text + loops, "b.yaml": text + loops})
    assert stack.blind


def test_nested_stacks_that_multiply_end(tmp_path: Path) -> None:
    files = {}
    for level in range(8):
        url = f"t{level + 1}.yaml"
        nested = "".join(
            f"  S{n}: {{Type: AWS::CloudFormation::Stack, Properties: {{TemplateURL: {url}}}}}\n" for n in range(9)
        )
        files[f"t{level}.yaml"] = "Resources:\n" + nested
    files["t8.yaml"] = "Resources: {Q: {Type: AWS::SQS::Queue}}"
    started = time.process_time()
    [stack] = stacks_of(tmp_path, files)
    assert time.process_time() - started < 2
    assert any("too many" in why for why in stack.blind)


EXPORTER = """
Parameters: {Env: {Type: String}}
Resources:
  Queue: {Type: AWS::SQS::Queue}
  Topic: {Type: AWS::SNS::Topic}
Outputs:
  One: {Value: !GetAtt Queue.Arn, Export: {Name: queue-arn}}
  Two: {Value: !Ref Topic, Export: {Name: !Sub '${Env}-topic'}}
  Three: {Value: !Ref Topic, Export: {Name: !Sub '${AWS::StackName}-topic'}}
"""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("queue-arn", "<Queue.arn>"),
        ("!Sub '${Env}-topic'", "<Topic.arn>"),
        ("!Sub '${Other}-topic'", None),
        ("!Sub '${AWS::StackName}-topic'", None),
        ("gone", None),
    ],
)
def test_an_import_finds_the_export_of_another_template(tmp_path: Path, name: str, meant: str | None) -> None:
    importer = f"""
Parameters: {{Env: {{Type: String}}, Other: {{Type: String}}}}
Resources:
  M:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn:
        Fn::ImportValue: {name}
"""
    files = {"importer.yaml": importer, "exporter.yaml": EXPORTER}
    stack, _ = stacks_of(tmp_path, files, None, "importer.yaml", "exporter.yaml")
    value = resource(stack, "M").raw("source")
    assert show(value) == meant if meant else isinstance(value, Unknown)
    assert len(stack.imports) == 1


def test_an_export_of_two_templates_is_none(tmp_path: Path) -> None:
    importer = "Resources:\n  Q: {Type: AWS::SQS::Queue, Properties: {KmsMasterKeyId: !ImportValue queue-arn}}\n"
    files = {"i.yaml": importer, "a.yaml": EXPORTER, "b.yaml": EXPORTER}
    stack = stacks_of(tmp_path, files, None, "i.yaml", "a.yaml", "b.yaml")[0]
    assert isinstance(resource(stack, "Q").raw("kms_key"), Unknown)


def test_a_nested_template_is_deployed_only_where_it_is_nested(tmp_path: Path) -> None:
    main = "Resources:\n  S: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: exporter.yaml}}\n"
    importer = "Resources:\n  Q: {Type: AWS::SQS::Queue, Properties: {KmsMasterKeyId: !ImportValue queue-arn}}\n"
    files = {"i.yaml": importer, "main.yaml": main, "exporter.yaml": EXPORTER}
    stack = stacks_of(tmp_path, files, None, "i.yaml", "exporter.yaml", "main.yaml")[0]
    assert show(resource(stack, "Q").raw("kms_key")) == "<S/Queue.arn>"


def test_imports_that_go_in_a_circle_end(tmp_path: Path) -> None:
    one = "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {QueueName: !ImportValue b}}}\n"
    one += "Outputs: {O: {Value: !ImportValue b, Export: {Name: a}}}\n"
    two = "Resources: {Q: {Type: AWS::SQS::Queue}}\nOutputs: {O: {Value: !ImportValue a, Export: {Name: b}}}\n"
    stack, _ = stacks_of(tmp_path, {"a.yaml": one, "b.yaml": two}, None, "a.yaml", "b.yaml")
    assert isinstance(resource(stack, "Q").raw("name"), Unknown)


def test_what_is_handed_to_the_unknown_is_noted(tmp_path: Path) -> None:
    text = """
Resources:
  A: {Type: AWS::SQS::Queue}
  B: {Type: AWS::SQS::Queue}
  C: {Type: AWS::SQS::Queue}
  D: {Type: AWS::SQS::Queue}
  F: {Type: AWS::Lambda::Function}
  Own:
    Type: Custom::Alarms
    Properties: {ServiceToken: !GetAtt F.Arn, Arn: !GetAtt A.Arn, Text: !Sub 'x ${B.QueueName}'}
  Gone: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: gone.yaml, Parameters: {Q: !Ref C}}}
  Board: {Type: AWS::CloudWatch::Dashboard, Properties: {DashboardBody: !Sub '${D.QueueName}'}}
"""
    stack = stack_of(tmp_path, text)
    assert sorted(str(show(value)) for value in stack.exposed) == ["<A.arn>", "<B.name>", "<C.url>"]
    assert all(value.site is not None for value in stack.exposed)


@pytest.mark.parametrize(
    ("type_name", "blocks"),
    [
        ("Custom::Alarms", True), ("Monitors::For::Queues", True), ("Our::Queue::Alarms::MODULE", True),
        ("AWS::Chatbot::SlackChannelConfiguration", True),
        ("AWS::ServiceCatalog::CloudFormationProvisionedProduct", True),
        ("AWS::ApplicationAutoScaling::ScalingPolicy", True), ("AWS::CloudWatch::SomethingNew", True),
        ("AWS::CloudWatch::Dashboard", False), ("AWS::ECS::TaskDefinition", False), ("AWS::IoT::TopicRule", False),
    ],
)  # fmt: skip
def test_a_type_that_may_hold_an_alarm_blocks_absence(tmp_path: Path, type_name: str, blocks: bool) -> None:
    """Only for types that certainly make no alarm, policy or subscription what they are handed does not matter."""
    text = f"""
Resources:
  A: {{Type: AWS::SQS::Queue}}
  X: {{Type: '{type_name}', Properties: {{Some: [!GetAtt A.Arn]}}}}
"""
    assert bool(stack_of(tmp_path, text).exposed) is blocks


@pytest.mark.parametrize(
    "written",
    ["orders", "'arn:aws:sqs:eu-west-1:111122223333:orders'",
     "!Sub 'arn:aws:sqs:${AWS::Region}:${AWS::AccountId}:orders'",
     "!Join [':', [arn, aws, sqs, !Ref AWS::Region, !Ref AWS::AccountId, orders]]"],
)  # fmt: skip
def test_a_name_is_handed_over_as_well_as_a_reference(tmp_path: Path, written: str) -> None:
    text = f"""
Resources:
  A: {{Type: AWS::SQS::Queue, Properties: {{QueueName: orders}}}}
  B: {{Type: AWS::SQS::Queue, Properties: {{QueueName: orders-dlq}}}}
  X: {{Type: Custom::Alarms, Properties: {{Some: {written}}}}}
"""
    assert [str(show(value)) for value in stack_of(tmp_path, text).exposed] == ["<A.name>"]


def test_a_name_with_a_parameter_in_it_is_found(tmp_path: Path) -> None:
    text = """
Parameters: {Stage: {Type: String}}
Resources:
  A: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub '${Stage}-orders'}}
  B: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub 'other-${Stage}-orders'}}
  X: {Type: Custom::Alarms, Properties: {Some: !Sub 'arn:aws:sqs:eu-west-1:111122223333:${Stage}-orders'}}
"""
    assert [str(show(value)) for value in stack_of(tmp_path, text).exposed] == ["<A.name>"]


def test_attributes_of_the_resource_itself_can_be_asked_for(tmp_path: Path) -> None:
    text = "Resources:\n  Q: {Type: AWS::SQS::Queue, DependsOn: [A, B], DeletionPolicy: Retain}\n"
    fetch = resource(stack_of(tmp_path, text), "Q").fetch
    depends, policy = fetch("@DependsOn"), fetch("@DeletionPolicy")
    assert depends is not None
    assert policy is not None
    assert (plain(depends), plain(policy), fetch("@Condition")) == (["A", "B"], "Retain", None)


FRAGMENTS = st.sampled_from(
    [
        "Ref", "Fn::If", "Fn::Sub", "Fn::Join", "Fn::GetAtt", "Fn::Select", "Fn::Split", "Fn::FindInMap",
        "Fn::ImportValue", "Fn::Equals", "Fn::ForEach::X", "Fn::Length", "Fn::ToJsonString", "Fn::GetStackOutput",
        "Fn::Base64", "a", "Q",
    ]
)  # fmt: skip
SCALARS = st.sampled_from(["Q", "P", "C", "${Q.Arn}", "${P}${", "-", ":", 0, 1, "M", None, True, "AWS::NoValue"])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FRAGMENTS, inner, min_size=1, max_size=2),
    max_leaves=14,
)


@settings(max_examples=150, deadline=None)
@given(TREES, TREES, TREES)
def test_no_nonsense_raises(
    tmp_path_factory: pytest.TempPathFactory, name: object, condition: object, own: object
) -> None:
    template = {
        "Parameters": {"P": {"Type": "String", "Default": own}},
        "Conditions": {"C": condition},
        "Mappings": {"M": own},
        "Resources": {
            "Q": {"Type": "AWS::SQS::Queue", "Condition": "C", "Properties": {"QueueName": name}},
            "R": {"Type": "AWS::SQS::Queue", "Properties": own},
            "S": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": name, "Parameters": own}},
            "X": {"Type": "Custom::X", "Properties": own},
            "Fn::ForEach::L": condition,
        },
        "Outputs": {"O": {"Value": name, "Export": {"Name": own}}},
    }
    folder = tmp_path_factory.mktemp("nonsense")
    for stack in stacks_of(folder, {"t.json": json.dumps(template)}):
        for one in stack.resources:
            for prop in one.kind.properties:
                one.raw(prop)
                one.site(prop).place()


def test_a_dynamic_reference_with_a_parameter_in_it_is_unknown():
    """What a dynamic reference gives is known only at deployment, also where its name is put together."""
    from hoplint.model.value import Unknown
    from hoplint.readers.cloudformation import Options, join_exports, read_template
    from hoplint.readers.tree import Tree

    class One(Tree):
        def read(self, path):
            return (
                b"Parameters:\n  Env:\n    Type: String\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n"
                b"      KmsMasterKeyId: !Sub '{{resolve:ssm:/deploy/${Env}/key}}'\n"
            )

        def exists(self, path):
            return True

    stacks = read_template(One("/"), "t.yaml", Options())
    join_exports(stacks)
    assert isinstance(stacks[0].resources[0].raw("kms_key"), Unknown)


def test_a_subscriber_of_the_second_generation_is_a_hop(tmp_path: Path) -> None:
    """It hands events on in its own name, and what it cannot deliver to its failure destination."""
    text = """
Resources:
  Bus: {Type: AWS::EventsV2::EventBus, Properties: {Name: orders}}
  Q: {Type: AWS::SQS::Queue}
  Lost: {Type: AWS::SQS::Queue}
  S:
    Type: AWS::EventsV2::Subscriber
    Properties:
      EventBusArn: !Ref Bus
      InvokeConfiguration: {TargetArn: !GetAtt Q.Arn}
      OnFailureConfiguration: {Arn: !GetAtt Lost.Arn}
  Source:
    Type: AWS::EventsV2::EventSource
    Properties:
      EventBusArn: !GetAtt Bus.EventBusArn
      Configuration: {AwsServiceEventsConfiguration: {AwsService: s3, OnFailureConfiguration: {Arn: !GetAtt Lost.Arn}}}
"""
    graph = link([stack_of(tmp_path, text)])
    ends = [(type(hop), hop.source.address, hop.to.address) for hop in graph.hops(Push, FailTo)]
    assert ends == [(Push, "S", "Q"), (FailTo, "S", "Lost"), (FailTo, "Source", "Lost")]
    [subscriber] = graph.of("events2.subscriber")
    assert [show(subscriber.raw(name)) for name in ("retries", "event_age")] == [5, 300]
    assert show(subscriber.raw("bus")) == "<Bus.arn>"


INCLUDING = """
Transform: {Name: AWS::Include, Parameters: {Location: ./parts/conditions.yaml}}
Parameters: {Stage: {Type: String}}
Resources:
  Fn::Transform: {Name: AWS::Include, Parameters: {Location: parts/queues.yaml}}
  Own:
    Type: AWS::SQS::Queue
    Condition: Prod
    Properties:
      DelaySeconds: 1
      Fn::Transform: {Name: AWS::Include, Parameters: {Location: parts/settings.json}}
"""
PARTS = {
    "parts/conditions.yaml": "Conditions: {Prod: !Equals [!Ref Stage, prod]}\n",
    "parts/queues.yaml": "Other:\n  Type: AWS::SQS::Queue\n  Properties: {KmsMasterKeyId: !Ref Own}\n",
    "parts/settings.json": '{"VisibilityTimeout": 30,\n "DelaySeconds": 2}',
}


def test_a_local_snippet_is_included(tmp_path: Path) -> None:
    """As a section, as some of the resources, as some of the properties; what stands beside it wins."""
    [stack] = stacks_of(tmp_path, {"main.yaml": INCLUDING, **PARTS})
    assert stack.blind == []
    own, other = resource(stack, "Own"), resource(stack, "Other")
    assert [show(own.raw(name)) for name in ("visibility_timeout", "delay")] == [30, 1]
    assert own.site("visibility_timeout").place().key()[:3] == ("parts/settings.json", 1, 23)
    assert [atom.name for atom in own.exists.atoms()] == ["Stage"]
    assert other.head.place().key()[:3] == ("parts/queues.yaml", 1, 1)
    assert other.head.source.path == "parts/queues.yaml"
    assert stack.files == {"main.yaml", *PARTS}


@pytest.mark.parametrize("where", ["s3://bucket/queues.yaml", "gone.yaml", "../../etc/passwd", "!Ref Stage"])
def test_a_snippet_that_is_not_here_blocks_absence(tmp_path: Path, where: str) -> None:
    [stack] = stacks_of(tmp_path, {"main.yaml": INCLUDING.replace("parts/queues.yaml", where), **PARTS})
    assert [one.address for one in stack.resources] == ["Own"]
    assert stack.blind == ["main.yaml includes a snippet at deployment"]


def test_a_definition_with_holes_is_read(tmp_path: Path) -> None:
    """`${Wait}` where a number is meant is no JSON, and what SAM's and CloudFormation's substitutions are for."""
    text = """
Resources:
  M:
    Type: AWS::StepFunctions::StateMachine
    Properties: {DefinitionS3Location: flow.asl.json, DefinitionSubstitutions: {Wait: 5}}
"""
    flow = '{"StartAt": "A", "Comment": "${Kept} \\" ${Wait}",\n "States": {"A": {"Seconds": ${Wait}, "Type": "Wait"}}}'
    [stack] = stacks_of(tmp_path, {"main.yaml": text, "flow.asl.json": flow})
    definition = resource(stack, "M").raw("definition")
    assert plain(definition) == {
        "StartAt": "A", "Comment": '${Kept} " ${Wait}', "States": {"A": {"Seconds": "${Wait}", "Type": "Wait"}},
    }  # fmt: skip
    assert isinstance(definition, Known) and isinstance(definition.data, dict)
    states = definition.data["States"]
    assert isinstance(states, Known) and isinstance(states.data, dict)
    kind = states.data["A"].data["Type"]
    assert kind.site.place().key()[1:] == (2, 47, 2, 53)
    assert stack.problems == []
