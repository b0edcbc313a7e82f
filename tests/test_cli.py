"""The command line as its contract has it: exit codes, the JSON shape, wrong input, suppression, selection."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from harness import FIXTURES, samples

from hoplint.commands import cli

SCHEMA = json.loads(Path(__file__).with_name("schemas").joinpath("check.json").read_text("utf-8"))
CASES = FIXTURES / "visibility-below-six-timeouts"
BAD = (CASES / "bad" / "main.tf").read_text("utf-8")
TEMPLATE = (CASES / "bad" / "template.yaml").read_text("utf-8")

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run hoplint in an empty folder; whatever happens, there is no traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TF_WORKSPACE", raising=False)

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(cli, list(arguments), catch_exceptions=True)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return call


def write(name: str, text: str | bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def codes(result: Result) -> list[str]:
    return [entry["code"] for entry in document(result)["findings"]]


# Exit codes


def test_a_finding_exits_1_and_none_exits_0(run: Run) -> None:
    """1 with a finding at or above --fail-on, else 0."""
    write("bad/main.tf", BAD)
    write("good/main.tf", (CASES / "good" / "main.tf").read_text("utf-8"))
    assert run("check", "bad").exit_code == 1
    assert run("check", "good").exit_code == 0
    assert run("check").exit_code == 1


@pytest.mark.parametrize(("limit", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_is_a_severity(run: Run, limit: str, code: int) -> None:
    """A warning fails from warning on; never fails nothing."""
    write("main.tf", BAD.replace("seconds = 60", "seconds = 180 # hoplint: ignore[HOP101] x"))
    result = run("check", "--select", "HOP003,HOP101", "--fail-on", limit)
    assert "HOP003" in result.output and result.exit_code == code


def test_an_error_fails_everything_but_never(run: Run) -> None:
    """An error fails at every limit but never."""
    write("main.tf", BAD)
    assert [run("check", "--fail-on", limit).exit_code for limit in ("error", "info", "never")] == [1, 1, 0]


def test_a_suppressed_finding_does_not_fail(run: Run) -> None:
    """What is ignored with a reason does not count."""
    write("main.tf", re.sub(r"# expect.*", "# hoplint: ignore[HOP101] doubles are harmless", BAD))
    assert run("check").exit_code == 0


def test_a_missing_path_is_2_and_the_rest_is_linted(run: Run) -> None:
    """A named path that is not there is one line and exit 2, after the others were linted."""
    write("bad/main.tf", BAD)
    result = run("check", "nowhere", "bad")
    assert result.exit_code == 2
    assert "HOP101" in result.stdout
    assert result.stderr.strip().splitlines() == ["hoplint: nowhere: no such file or folder"]


def test_a_named_folder_with_nothing_is_2(run: Run) -> None:
    """A named path that holds nothing of ours is one line and exit 2."""
    Path("empty").mkdir()
    result = run("check", "empty")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("hoplint: empty: ")


def test_nothing_named_and_nothing_found_is_0(run: Run) -> None:
    """Without a path, an empty folder is a note and exit 0."""
    result = run("check")
    assert result.exit_code == 0
    assert "note: " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "--select", "visibility-below-six-timeout"), "did you mean visibility-below-six-timeouts"),
        (("check", "--ignore", "HOP999"), "no rule is called"),
        (("check", "--var", "timeout"), "NAME=VALUE"),
        (("check", "--rules", "nowhere"), "no such folder"),
        (("explain", "dlq-without-alarms"), "did you mean dlq-without-alarm"),
        (("new-rule", "nowhere/x"), "no group"),
    ],
)
def test_wrong_use_is_one_line_and_2(run: Run, arguments: tuple[str, ...], says: str) -> None:
    """What is wrong with the request is said in one line, with the nearest name there is."""
    write("main.tf", BAD)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and says in result.stderr


# Values


def test_a_variable_decides(run: Run) -> None:
    """--var and --parameter are used by every stack that declares the name."""
    write("tf/main.tf", (CASES / "unknown" / "main.tf").read_text("utf-8"))
    write("cfn/template.yaml", (CASES / "unknown" / "template.yaml").read_text("utf-8"))
    assert run("check").exit_code == 0
    found = codes(run("check", "--format", "json", "--var", "hidden=60", "--parameter", "Hidden=60"))
    assert found == ["HOP101", "HOP101"]
    assert run("check", "--var", "hidden=180", "--parameter", "Hidden=180").exit_code == 0


@pytest.mark.parametrize(
    ("flag", "given", "nearest"), [("--var", "hiden=60", "hidden"), ("--parameter", "Hiden=60", "Hidden")]
)
def test_a_name_that_nobody_declares_is_2(run: Run, flag: str, given: str, nearest: str) -> None:
    """A name that no stack declares is exit 2, with the nearest one."""
    write("tf/main.tf", (CASES / "unknown" / "main.tf").read_text("utf-8"))
    write("cfn/template.yaml", (CASES / "unknown" / "template.yaml").read_text("utf-8"))
    result = run("check", flag, given)
    assert result.exit_code == 2
    assert f"did you mean {nearest}" in result.stderr and result.stderr.count("\n") == 1


def test_a_variable_file_decides(run: Run) -> None:
    """--var-file is read, and the finding stands in it."""
    write("main.tf", (CASES / "unknown" / "main.tf").read_text("utf-8"))
    write("prod.tfvars", "hidden = 60\n")
    found = document(run("check", "--format", "json", "--var-file", "prod.tfvars"))["findings"]
    assert [(entry["code"], entry["path"], entry["line"]) for entry in found] == [("HOP101", "prod.tfvars", 1)]


# Selection


def test_selection(run: Run) -> None:
    """--select and --ignore take ids, codes and groups, and --pedantic adds the pedantic tier."""
    write("main.tf", BAD + 'module "away" {\n  source = "./nowhere"\n}\n')
    assert codes(run("check", "--format", "json")) == ["HOP101"]
    for name in ("visibility-below-six-timeouts", "HOP101", "HOP1", "hop101"):
        assert codes(run("check", "--format", "json", "--select", name)) == ["HOP101"]
        assert codes(run("check", "--format", "json", "--ignore", name)) == []
    assert codes(run("check", "--format", "json", "--select", "HOP6")) == []
    assert "HOP002" in codes(run("check", "--format", "json", "--pedantic"))
    assert codes(run("check", "--format", "json", "--select", "unresolved-module")) == ["HOP002"]
    assert codes(run("check", "--format", "json", "--select", "HOP1", "--ignore", "HOP101")) == []


def test_a_rule_that_is_not_selected_silences_nobody(run: Run) -> None:
    """The weaker rule speaks when the stronger one is not asked for, and not beside it."""
    write("main.tf", (FIXTURES / "visibility-below-timeout" / "bad" / "main.tf").read_text("utf-8"))
    assert codes(run("check", "--format", "json")) == ["HOP102"]
    assert codes(run("check", "--format", "json", "--ignore", "HOP102")) == ["HOP101"]


def test_ignoring_the_stronger_does_not_wake_the_weaker(run: Run) -> None:
    """Stronger over weaker is decided before suppression."""
    text = (FIXTURES / "visibility-below-timeout" / "bad" / "main.tf").read_text("utf-8")
    write("main.tf", re.sub(r"# expect.*", "# hoplint: ignore[HOP102] known", text))
    found = document(run("check", "--format", "json"))["findings"]
    assert [(entry["code"], entry["suppressed"]) for entry in found] == [("HOP102", {"reason": "known"})]


# JSON


@pytest.mark.parametrize("sample", [s for s in samples() if s.case == "bad"], ids=repr)
def test_the_shape_of_the_json(run: Run, sample: Any) -> None:
    """What is found in the main example of every rule has the shape of version 1."""
    found = document(run("check", "--format", "json", "--pedantic", str(FIXTURES / sample.rule_id / sample.path)))
    assert found["findings"] and found["summary"]["stacks"] >= 1
    for entry in found["findings"]:
        assert entry["path"].endswith((".tf", ".yaml", ".json", ".tfvars"))


def test_a_finding_in_json(run: Run) -> None:
    """Rule, place, trail, fix and counts of a finding."""
    write("main.tf", BAD)
    found = document(run("check", "--format", "json", "--select", "HOP101"))
    (entry,) = found["findings"]
    assert (entry["path"], entry["line"], entry["column"], entry["end_column"]) == ("main.tf", 5, 32, 34)
    assert (entry["address"], entry["dialect"], entry["stack"]) == ("aws_sqs_queue.orders", "terraform", ".")
    assert [step["address"] for step in entry["trail"]] == [
        "aws_lambda_event_source_mapping.orders", "aws_lambda_function.worker",
    ]  # fmt: skip
    edit = {"path": "main.tf", "line": 5, "column": 32, "end_line": 5, "end_column": 34, "text": "180"}
    assert entry["fix"]["safety"] == "safe" and entry["fix"]["edits"] == [edit]
    assert found["summary"] | {"undecided": 0} == {
        "stacks": 1, "resources": 3, "hops": 1, "error": 1, "warning": 0, "info": 0, "suppressed": 0, "undecided": 0,
    }  # fmt: skip


def test_the_fingerprint_stays_when_lines_move(run: Run) -> None:
    """A fingerprint holds no line, value or message."""
    write("main.tf", BAD)
    before = document(run("check", "--format", "json"))["findings"][0]["fingerprint"]
    write("main.tf", "\n\n# moved\n" + BAD.replace("= 60", "= 90"))
    assert document(run("check", "--format", "json"))["findings"][0]["fingerprint"] == before


def test_columns_are_code_points(run: Run) -> None:
    """A column counts characters, not bytes."""
    head, _, tail = TEMPLATE.partition("      VisibilityTimeout: 60")
    rest = tail.partition("maxReceiveCount: 5\n")[2]
    policy = "{deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:failed', maxReceiveCount: 5}"
    one_line = f"      {{Tags: [{{Key: größe, Value: ü}}], VisibilityTimeout: 60, RedrivePolicy: {policy}}}\n"
    write("template.yaml", head + one_line + rest)
    (entry,) = document(run("check", "--format", "json", "--select", "HOP101"))["findings"]
    line = Path("template.yaml").read_text("utf-8").splitlines()[entry["line"] - 1]
    assert line[entry["column"] - 1 : entry["end_column"] - 1] == "60" and "ü" in line[: entry["column"]]


def test_undecided_is_counted_and_listed(run: Run) -> None:
    """Text counts the undecided, lists them with --undecided; JSON always lists them with their reason."""
    write("main.tf", (CASES / "unknown" / "main.tf").read_text("utf-8"))
    assert "not decided" in run("check").stdout
    assert "Not decided:" not in run("check").stdout
    listed = run("check", "--undecided").stdout
    assert "HOP101" in listed and "--var hidden=" in listed
    found = document(run("check", "--format", "json", "--select", "HOP101"))["undecided"]
    assert [entry["code"] for entry in found] == ["HOP101"] and "hidden" in found[0]["why"]


def test_quiet_is_findings_only(run: Run) -> None:
    """--quiet prints neither notes nor the summary."""
    write("main.tf", BAD)
    assert "1 stack" in run("check").stdout
    assert "1 stack" not in run("check", "--quiet").stdout
    write("main.tf", (CASES / "good" / "main.tf").read_text("utf-8"))
    assert run("check", "--quiet").stdout == ""


# Wrong input


def _broken(name: str, data: bytes) -> list[str]:
    write(f"broken/{name}", data)
    return ["check", "--format", "json", "."]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("main.tf", b'resource "aws_sqs_queue" "orders" {\n  name = \n}\n'),
        ("main.tf", b'resource "aws_sqs_queue" "orders" {\n'),
        ("main.tf", b"\x00\x01\x02 resource \xff"),
        ("main.tf", 'resource "aws_sqs_queue" "orders" {}\n'.encode("utf-16")),
        ("main.tf", b'resource "aws_sqs_queue" "gr\xf6\xdfe" {}\n'),
        ("template.yaml", b"Resources:\n  Orders:\n    Type: AWS::SQS::Queue\n   Properties: [\n"),
        ("template.yaml", b"Resources:\n  Orders: &a [*a, AWS::SQS::Queue\n"),
        ("template.json", b'{"Resources": {"Orders": {"Type": "AWS::SQS::Queue",}}}'),
        ("template.json", b'{"Resources": {"Orders": {"Type": "AWS::SQS::Queue"}}'),
    ],
    ids=[
        "hcl", "hcl-unclosed", "binary", "utf-16", "latin-1", "yaml", "yaml-alias", "json-comma", "json-unclosed",
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_a_finding(run: Run, name: str, data: bytes) -> None:
    """One HOP001 with one line for the file, the rest is linted, exit 1."""
    write("sound/main.tf", BAD)
    result = run(*_broken(name, data))
    found = document(result)["findings"]
    assert [entry["code"] for entry in found] == ["HOP001", "HOP101"]
    assert found[0]["path"] == f"broken/{name}" and "\n" not in found[0]["message"]
    assert result.exit_code == 1


def test_utf_16_with_a_mark_is_read_as_yaml(run: Run) -> None:
    """YAML allows UTF-16, so a template in it is read."""
    write("template.yaml", TEMPLATE.encode("utf-16"))
    assert codes(run("check", "--format", "json", "template.yaml")) == ["HOP101"]


def test_a_template_of_another_engine_is_passed_over(run: Run) -> None:
    """A broken template that is the source of a template engine is not a word."""
    write("template.yaml", "{% if x %}\nResources:\n  Orders:\n    Type: AWS::SQS::Queue\n   Broken: [\n{% endif %}\n")
    write("main.tf", BAD)
    assert codes(run("check", "--format", "json")) == ["HOP101"]


def test_other_yaml_and_json_is_passed_over(run: Run) -> None:
    """Files that are no templates are not looked at, broken or not."""
    write("main.tf", BAD)
    write("compose.yaml", "services: [\n")
    write("package.json", "{,}")
    assert codes(run("check", "--format", "json")) == ["HOP101"]


def test_control_characters_do_not_reach_the_terminal(run: Run) -> None:
    """What a scanned file holds cannot steer the terminal."""
    write("main.tf", BAD.replace('"orders"\n', '"ord\x1b[31mers"\n', 1).replace("= 60", "= 60 # \x1b]0;title\x07"))
    assert "\x1b" not in run("check").stdout


# Suppression


def test_an_ignore_keeps_its_reason(run: Run) -> None:
    """The finding is in the JSON with the reason, and counted as suppressed."""
    comment = "# hoplint: ignore[visibility-below-six-timeouts] doubles are harmless"
    write("main.tf", re.sub(r"# expect.*", comment, BAD))
    found = document(run("check", "--format", "json"))
    assert [entry["suppressed"] for entry in found["findings"]] == [{"reason": "doubles are harmless"}]
    assert found["summary"]["suppressed"] == 1 and found["summary"]["error"] == 0
    assert "1 suppressed" in run("check").stdout


def test_an_ignore_that_ignores_nothing_is_a_finding(run: Run) -> None:
    """HOP003 tells of it, unless the rule it names is not asked for."""
    write("main.tf", re.sub(r"60 # expect.*", "180 # hoplint: ignore[HOP101] old", BAD))
    assert codes(run("check", "--format", "json")) == ["HOP003"]
    assert codes(run("check", "--format", "json", "--ignore", "HOP101")) == []


# Rules of the user


CRASHING = '''"""It crashes.

## Why it matters
It does not.

## How to fix
Not at all.

## References
- https://example.com
"""

from hoplint.api import Category, Poll, Severity, rule


@rule(id="always-crashes", code=990, category=Category.HYGIENE, severity=Severity.INFO, since="0.1", asks=(Poll,))
def check(graph):
    for poll in graph.polls("sqs.queue", "lambda.function"):
        raise ValueError("no\\nsuch luck")
        yield
'''


def test_a_rule_that_raises_is_a_finding(run: Run) -> None:
    """HOP006 names rule, subject and exception, cannot be ignored, and the other rules speak."""
    write("mine/always_crashes.py", CRASHING)
    write("main.tf", BAD.replace("# expect: ", "# hoplint: ignore[HOP006] no # "))
    result = run("check", "--format", "json", "--rules", "mine", "--ignore", "HOP006,HOP003", "main.tf")
    found = {entry["code"]: entry for entry in document(result)["findings"]}
    assert set(found) == {"HOP006", "HOP101"}
    message = found["HOP006"]["message"]
    assert all(word in message for word in ("always-crashes", "ValueError", "aws_lambda_event_source_mapping.orders"))
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import nowhere_at_all", "cannot be imported"),
        ("x = 1", "no function"),
        (CRASHING.replace("always-crashes", "another-name"), "differ"),
        (CRASHING.replace("code=990", "code=101"), "two rules"),
    ],
)
def test_a_broken_rule_of_the_user_is_2(run: Run, text: str, says: str) -> None:
    """A rule file that is none is wrong use: one line, exit 2."""
    write("mine/always_crashes.py", text)
    write("main.tf", BAD)
    result = run("check", "--rules", "mine", "main.tf")
    assert result.exit_code == 2 and says in result.stderr and result.stderr.count("\n") == 1


def test_a_repository_cannot_bring_rules(run: Run) -> None:
    """Rules lying in the scanned folder are not run unless the command line names them."""
    write("rules/queues/always_crashes.py", CRASHING)
    write("main.tf", BAD)
    assert codes(run("check", "--format", "json")) == ["HOP101"]


# The other commands


def test_rules_lists_them_all(run: Run) -> None:
    """A line a rule, and in JSON the keys of the contract."""
    listed = json.loads(run("rules", "--format", "json").stdout)
    keys = ["code", "id", "group", "category", "severity", "tier", "title", "fixable", "options"]
    assert all(list(entry) == keys for entry in listed)
    assert [entry["code"] for entry in listed] == sorted(entry["code"] for entry in listed)
    assert len(run("rules").stdout.splitlines()) == len(listed)


@pytest.mark.parametrize("name", ["HOP301", "dlq-without-alarm"])
def test_explain_prints_the_page(run: Run, name: str) -> None:
    """The page of a rule, by id or code, with its options."""
    page = run("explain", name).stdout
    assert page.startswith("HOP301 dlq-without-alarm: ") and "## How to fix" in page and "alarms_elsewhere" in page


def test_the_installed_command(tmp_path: Path) -> None:
    """As a process: the version, an exit code, and no traceback."""
    (tmp_path / "main.tf").write_text(BAD, "utf-8")
    calls = ((["--version"], 0), (["check", "main.tf"], 1), (["check", "nowhere"], 2), (["nonsense"], 2))
    for arguments, code in calls:
        done = subprocess.run(
            [sys.executable, "-m", "hoplint", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stdout + done.stderr


def test_paths_are_told_from_the_working_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in the output lead from where one stands."""
    write("deep/er/main.tf", BAD)
    write("elsewhere/keep", "")
    monkeypatch.chdir("elsewhere")
    (entry,) = document(run("check", "--format", "json", "../deep"))["findings"]
    assert entry["path"] == "../deep/er/main.tf"
