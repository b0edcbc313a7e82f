"""Whatever bytes a file holds, hoplint answers: no crash, no hang, nothing read outside of the boundary."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

import pytest
from harness import FIXTURES, Memory, rulebook
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hoplint import engine
from hoplint.model.report import Report
from hoplint.report import json as json_report
from hoplint.report import text as text_report
from hoplint.run import Request, run

BAD = FIXTURES / "visibility-below-six-timeouts" / "bad"
SEEDS = {name: (BAD / name).read_bytes() for name in ("main.tf", "template.yaml", "cdk.template.json")}
TOKENS = {
    "main.tf": [
        "{", "}", "[", "]", "(", ")", '"', "${", "%{", "<<EOT\n", "EOT\n", "\n", "=", "var.x", "each.value", "#", "/*",
        "*/", "for", "? :", "...", 'resource "aws_sqs_queue" "q" {\n', "dynamic", "null", "1e999", "\\u12", "\x00",
    ],
    "template.yaml": [
        "\n", ": ", "- ", "{", "}", "[", "]", "!Ref ", "!Sub ", "!If ", "!GetAtt ", "&a ", "*a", "<<: ", "|\n", "'",
        '"', "%", "\t", "? ", "---\n", "...\n", "!!binary ", "Fn::Transform", "\x00", "\ufeff",
    ],
    "cdk.template.json": [
        "{", "}", "[", "]", ",", ":", '"', "\\u0000", "1e999", "-0", "null", "NaN", '{"Ref": "Orders"}',
        '{"Fn::Sub": "${', '{"Fn::Join": []}', "\x00",
    ],
}  # fmt: skip
YAML_QUEUE = b"Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      "
NAMES = sorted(SEEDS)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def lint(files: dict[str, bytes], path: str) -> Report:
    """Read and lint as the command line does, with every rule, and render the report."""
    read = engine.read(Memory(files), [path], Request([path]))
    book = rulebook()
    found = engine.lint(read.stacks, book, engine.Selection(book, pedantic=True), read.sources)
    assert not [entry.finding.message for entry in found.findings if entry.rule.code == "HOP006"]
    json.loads(json_report.render(found))
    text_report.render(found, undecided=True)
    return found


def queue(settings_: str) -> dict[str, bytes]:
    """A Terraform file with a queue."""
    return {"main.tf": f'resource "aws_sqs_queue" "q" {{\n  {settings_}\n}}\n'.encode()}


@QUICK
@given(name=st.sampled_from(NAMES), data=st.binary(max_size=300))
def test_any_bytes(name: str, data: bytes) -> None:
    """Random bytes under the name of a source never crash."""
    lint({name: data}, name)


@QUICK
@given(name=st.sampled_from(NAMES), data=st.data())
def test_any_change_of_a_sound_file(name: str, data: st.DataObject) -> None:
    """A sound file with pieces cut out, doubled or put in never crashes, nor does a rule on what is left of it."""
    source = SEEDS[name].decode()
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(source)))
        end = min(len(source), start + data.draw(st.integers(0, 40)))
        piece = data.draw(st.sampled_from([*TOKENS[name], source[start:end] * 2, ""]))
        source = source[:start] + piece + source[end:]
    lint({name: source.encode("utf-8", "surrogatepass")}, name)


@QUICK
@given(
    name=st.sampled_from(["Resources", "Parameters", "Conditions", "Mappings", "Outputs", "Transform", "Metadata"]),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8)
        | st.sampled_from(["AWS::SQS::Queue", "AWS::Lambda::Function", "AWS::Events::Rule", "Orders"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from([
                "Type", "Properties", "Orders", "Ref", "Fn::GetAtt", "Fn::Sub", "Fn::If", "Fn::Join", "Fn::Select",
                "Fn::Split", "Fn::FindInMap", "Condition", "DependsOn", "Default", "RedrivePolicy", "Targets",
            ]),
            inner, max_size=4),
        max_leaves=12,
    ),
)  # fmt: skip
def test_any_shape_of_a_template(name: str, value: object) -> None:
    """JSON of any shape where a template has sections never crashes."""
    template = {"Resources": {"Orders": {"Type": "AWS::SQS::Queue"}}, name: value}
    lint({"template.json": json.dumps(template).encode()}, "template.json")


def _deep(name: str, depth: int) -> bytes:
    if name == "main.tf":
        return b'resource "aws_sqs_queue" "q" {\n  name = ' + b"[" * depth + b"1" + b"]" * depth + b"\n}\n"
    if name == "template.yaml":
        return YAML_QUEUE + b"Tags: " + b"[" * depth + b"]" * depth + b"\n"
    head = b'{"Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": '
    return head + b"[" * depth + b"]" * depth + b"}}}}"


@pytest.mark.parametrize("depth", [200, 5_000, 100_000])
@pytest.mark.parametrize("name", NAMES)
def test_deep_nesting(name: str, depth: int) -> None:
    """Nesting of any depth ends in an answer."""
    began = time.process_time()
    lint({name: _deep(name, depth)}, name)
    assert time.process_time() - began < 20


def test_deep_parentheses_and_operators() -> None:
    """Long chains of one operator and deep parentheses end in an answer."""
    for value in ("(" * 3000 + "1" + ")" * 3000, " + ".join(["1"] * 20_000), "!" * 5000 + "true", "a" + ".b" * 10_000):
        lint(queue(f"visibility_timeout_seconds = {value}"), "main.tf")


def test_an_alias_bomb() -> None:
    """Aliases of aliases stand for one node each: ten levels of ten are no ten thousand million."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 11)]
    bomb = "\n".join(lines) + "\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      Tags: *a10\n"
    began = time.process_time()
    lint({"template.yaml": bomb.encode()}, "template.yaml")
    assert time.process_time() - began < 10


def test_circles() -> None:
    """Modules, locals and variables that lead back to themselves end in an answer."""
    files = {
        "main.tf": b'module "a" {\n  source = "./m"\n  x = local.p\n}\nlocals {\n  p = local.q\n  q = local.p\n}\n'
        b'resource "aws_sqs_queue" "q" {\n  name = aws_sqs_queue.q.name\n  visibility_timeout_seconds = local.p\n}\n',
        "m/main.tf": b'module "b" {\n  source = "../m"\n}\nmodule "c" {\n  source = "../"\n}\nvariable "x" {}\n',
    }
    lint(files, "main.tf")
    template = {
        "Conditions": {"A": {"Condition": "B"}, "B": {"Condition": "A"}},
        "Resources": {
            "Q": {"Type": "AWS::SQS::Queue", "Condition": "A", "Properties": {"QueueName": {"Ref": "Q"}}},
            "S": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "template.json"}},
        },
    }
    lint({"template.json": json.dumps(template).encode()}, "template.json")


@pytest.mark.parametrize("count", ["1000000000", "-1", '"x"', "null", "[1]", "1.5"])
def test_absurd_counts(count: str) -> None:
    """A count that no provider would take ends in an answer, at once."""
    lint(queue(f'count = {count}\n  name = "q${{count.index}}"'), "main.tf")


def test_large_numbers_and_texts() -> None:
    """Numbers with thousands of digits and texts of megabytes end in an answer."""
    lint(queue(f"visibility_timeout_seconds = {'9' * 6000}"), "main.tf")
    lint(queue(f'name = "{"x" * 3_000_000}"'), "main.tf")
    lint({"t.yaml": YAML_QUEUE + b"VisibilityTimeout: " + b"9" * 6000 + b"\n"}, "t.yaml")


# The boundary


def _outside(tmp_path: Path) -> tuple[Path, Path]:
    inside, secret = tmp_path / "repository", tmp_path / "secret"
    (inside / ".git").mkdir(parents=True)
    secret.mkdir()
    (secret / "main.tf").write_text('resource "aws_sqs_queue" "secret_queue" {}\n', "utf-8")
    (secret / "queue.yaml").write_text("Resources:\n  SecretQueue:\n    Type: AWS::SQS::Queue\n", "utf-8")
    (secret / "pattern.json").write_text('{"secret": ["value"]}', "utf-8")
    return inside, secret


def _all(inside: Path, *paths: str) -> str:
    outcome = run(Request(list(paths) or ["."], working=str(inside), pedantic=True))
    return json_report.render(outcome.report) + repr(outcome.wrong)


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    """Module sources, file(), TemplateURL and symbolic links that lead out are not followed."""
    inside, secret = _outside(tmp_path)
    (inside / "main.tf").write_text(
        'module "a" {\n  source = "../secret"\n}\n'
        f'module "b" {{\n  source = "{secret.as_posix()}"\n}}\n'
        'resource "aws_cloudwatch_event_rule" "r" {\n  name = file("../secret/pattern.json")\n'
        f'  event_pattern = file("{secret.as_posix()}/pattern.json")\n}}\n',
        "utf-8",
    )
    (inside / "template.yaml").write_text(
        "Resources:\n  A:\n    Type: AWS::CloudFormation::Stack\n"
        "    Properties:\n      TemplateURL: ../secret/queue.yaml\n",
        "utf-8",
    )
    os.symlink(secret, inside / "linked")
    os.symlink(secret / "queue.yaml", inside / "linked.yaml")
    text = _all(inside)
    assert "secret_queue" not in text and "SecretQueue" not in text and '"secret"' not in text


def test_links_in_circles(tmp_path: Path) -> None:
    """Links that lead into themselves end in an answer."""
    inside, _ = _outside(tmp_path)
    os.symlink(inside, inside / "again")
    os.symlink("self", inside / "self")
    (inside / "main.tf").write_text('resource "aws_sqs_queue" "q" {}\n', "utf-8")
    assert '"resources": 1' in _all(inside)


def test_files_that_are_none(tmp_path: Path) -> None:
    """A folder, a pipe and a link to nothing under the name of a source end in an answer, and hide nothing else."""
    inside, _ = _outside(tmp_path)
    (inside / "folder.tf").mkdir()
    os.mkfifo(inside / "pipe.yaml")
    (inside / "main.tf").write_text('resource "aws_sqs_queue" "q" {}\n', "utf-8")
    os.symlink("nowhere", inside / "template.yaml")
    assert '"resources": 1' in _all(inside)


def test_random_names_of_folders(tmp_path: Path) -> None:
    """Names with spaces, quotes, line ends and bytes that are no UTF-8 end in an answer, as valid JSON."""
    inside, _ = _outside(tmp_path)
    names = ["a b", "quo'te\"", "new\nline", "tab\t", "ümläut", "-rf", "$(touch x)"]
    random.Random(1).shuffle(names)
    for name in names:
        (inside / name).mkdir()
        (inside / name / "main.tf").write_text(SEEDS["main.tf"].decode(), "utf-8")
    os.mkdir(os.fsencode(str(inside)) + b"/\xff\xfe")
    with open(os.fsencode(str(inside)) + b"/\xff\xfe/main.tf", "wb") as file:
        file.write(SEEDS["main.tf"])
    outcome = run(Request(["."], working=str(inside)))
    assert len(outcome.report.findings) == len(names) + 1
    json.loads(json_report.render(outcome.report))
    text_report.render(outcome.report)
