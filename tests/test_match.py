"""The command `match`: verdict, key and reason, exit codes, and one line for what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hoplint.commands import cli

ORDERS = '{"source": ["com.example.orders"], "detail": {"status": ["completed"]}}'
COMPLETED = '{"source": "com.example.orders", "detail": {"status": "completed"}}'
PAID = '{"source": "com.example.orders", "detail": {"status": "paid"}}'
MESSAGE = json.dumps({"messageId": "1", "body": json.dumps({"status": "completed"})})


def run(tmp_path: Path, pattern: str, event: str, *more: str) -> Result:
    """Run the command on two texts; `-` is standard input, which holds the event."""
    files = []
    for name, text in (("pattern.json", pattern), ("event.json", event)):
        (tmp_path / name).write_text(text, "utf-8")
        files.append(str(tmp_path / name))
    return CliRunner().invoke(cli, ["match", *files, *more])


def test_a_match_is_said_and_exits_0(tmp_path: Path) -> None:
    """A pattern that matches."""
    found = run(tmp_path, ORDERS, COMPLETED)
    assert (found.exit_code, found.stdout) == (0, "match\n")


def test_the_key_that_does_not_match_is_named(tmp_path: Path) -> None:
    """A pattern that does not match: where, and what is there instead; exit 1."""
    found = run(tmp_path, ORDERS, PAID)
    assert found.exit_code == 1
    assert found.stdout == 'no match at detail.status: "status" is "paid", wanted is "completed"\n'


def test_json_holds_the_same(tmp_path: Path) -> None:
    """The same for programs."""
    found = run(tmp_path, ORDERS, PAID, "--format", "json")
    assert found.exit_code == 1
    assert json.loads(found.stdout) == {
        "version": 1, "consumer": "eventbridge", "match": False, "key": "detail.status",
        "why": '"status" is "paid", wanted is "completed"', "problems": [],
    }  # fmt: skip


def test_a_pattern_that_aws_refuses_matches_nothing(tmp_path: Path) -> None:
    """What is wrong with the pattern itself is said."""
    found = run(tmp_path, '{"source": "com.example.orders"}', COMPLETED)
    assert found.exit_code == 1
    assert found.stdout == 'refused for an EventBridge rule: the value of "source" is not in an array\n'


@pytest.mark.parametrize(
    ("pattern", "event", "consumer", "code"),
    [
        ('{"body": {"status": ["completed"]}}', MESSAGE, "sqs", 0),
        ('{"body": {"status": ["completed"]}}', MESSAGE, "pipe", 0),
        ('{"body": ["completed"]}', MESSAGE, "sqs", 1),
        ('{"eventName": ["INSERT"]}', '{"eventName": "INSERT", "dynamodb": {}}', "dynamodb", 0),
        ('{"data": {"a": [1]}}', '{"kinesis": {"data": "eyJhIjogMX0="}}', "kinesis", 0),
        ('{"value": {"a": [1]}}', '{"value": "eyJhIjogMX0="}', "kafka", 0),
        ('{"data": {"a": [1]}}', '{"data": "eyJhIjogMX0="}', "mq", 0),
        ('{"kind": ["order"]}', '{"kind": {"Type": "String", "Value": "order"}}', "sns-attributes", 0),
        ('{"order": {"kind": ["new"]}}', '{"order": {"kind": "new"}}', "sns-body", 0),
        ('{"order": {"kind": ["new"]}}', '{"order": {"kind": "new"}}', "sns-attributes", 1),
    ],
)
def test_each_consumer_has_its_own_records(tmp_path: Path, pattern: str, event: str, consumer: str, code: int) -> None:
    """The payload of a record is read as its consumer reads it."""
    found = run(tmp_path, pattern, event, "--consumer", consumer)
    assert found.exit_code == code, found.output


def test_the_event_can_come_from_standard_input(tmp_path: Path) -> None:
    """`-` reads standard input."""
    (tmp_path / "pattern.json").write_text(ORDERS, "utf-8")
    found = CliRunner().invoke(cli, ["match", str(tmp_path / "pattern.json"), "-"], input=COMPLETED)
    assert found.exit_code == 0


@pytest.mark.parametrize(
    ("pattern", "event", "says"),
    [
        ("{", COMPLETED, "pattern.json: no JSON: "),
        ("[]", COMPLETED, "pattern.json: a pattern is a JSON object"),
        (ORDERS, "{\n,}", "event.json: no JSON: expecting property name enclosed in double quotes at line 2, column 1"),
        (ORDERS, '"text"', "event.json: an event is a JSON object"),
        (ORDERS, '{"a": NaN}', "event.json: no JSON: NaN is no JSON"),
        (ORDERS, '{"a": ' + "[" * 100_000, "event.json: its JSON is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, pattern: str, event: str, says: str) -> None:
    """Exit 2, the file's name and why."""
    found = run(tmp_path, pattern, event)
    assert found.exit_code == 2
    assert says in found.stderr and found.stderr.count("\n") == 1 and not found.stdout


def test_wrong_use_is_one_line(tmp_path: Path) -> None:
    """Files that are not there, JSON in place of a file, standard input twice, a batch in place of a record."""
    for arguments, says in (
        (["nowhere.json", "nowhere.json"], "nowhere.json: cannot be read"),
        ([ORDERS, "-"], "are files, or - for standard input"),
        (["-", "-"], "only one of PATTERN and EVENT"),
    ):
        found = CliRunner().invoke(cli, ["match", *arguments], input="{}")
        assert found.exit_code == 2 and says in found.stderr and found.stderr.count("\n") == 1
    batch = run(tmp_path, '{"body": ["a"]}', f'{{"Records": [{MESSAGE}]}}', "--consumer", "sqs")
    assert batch.exit_code == 2 and "give one of them" in batch.stderr
