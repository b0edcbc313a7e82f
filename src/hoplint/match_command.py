"""The command that tells whether a pattern matches an event, and at which key it does not."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from hoplint.graph.patterns import Consumer, Mismatch, Pattern, Problem

CONSUMERS = ["eventbridge", "pipe", "sqs", "dynamodb", "kinesis", "kafka", "mq", "sns-attributes", "sns-body"]
NO_MATCH = 1


@click.command()
@click.argument("pattern", metavar="PATTERN")
@click.argument("event", metavar="EVENT")
@click.option(
    "--consumer", type=click.Choice(CONSUMERS), default="eventbridge", show_default=True,
    help="Who evaluates the pattern: each has its own operators and its own records.",
)  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def match(pattern: str, event: str, consumer: str, form: str) -> None:
    """Tell whether the pattern in a file matches the event in another one (- reads standard input).

    Exit 0 where it matches, 1 where it does not (or AWS refuses the pattern), 2 where a file cannot be read.
    """
    from hoplint.graph import patterns

    if pattern == event == "-":
        _wrong("only one of PATTERN and EVENT can be read from standard input")
    by = patterns.consumer(consumer)
    read = patterns.parse_text(_text(pattern))
    if read.problem:
        _wrong(f"{pattern}: no JSON: {read.problem}")
    if not isinstance(read.data, dict):
        _wrong(f"{pattern}: a pattern is a JSON object")
    record = _record(_text(event), event, by)
    problems = [problem for problem in patterns.validate(read, by) if problem.severity == "error"]
    mismatch = _mismatch(read, record, by, pattern)
    click.echo(_json(consumer, mismatch, problems) if form == "json" else _words(mismatch, problems, by))
    if problems or mismatch is not None:
        raise SystemExit(NO_MATCH)


def _mismatch(pattern: Pattern, record: dict[str, object], by: Consumer, name: str) -> Mismatch | None:
    from hoplint.graph import patterns

    try:
        return patterns.explain_mismatch(pattern, record, by)
    except (ValueError, LookupError) as error:
        _wrong(f"{name}: {error}")


def _wrong(message: str) -> NoReturn:
    from hoplint.commands import Wrong

    raise Wrong(message)


def _text(path: str) -> str:
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        _wrong(f"{path}: it is no UTF-8")
    except OSError as error:
        hint = " (PATTERN and EVENT are files, or - for standard input)" if path.lstrip()[:1] in ("{", "[") else ""
        _wrong(f"{path[:80]}: cannot be read: {error.strerror}{hint}")
    except ValueError:
        _wrong(f"{path[:80]!r} is no name of a file")


def _record(text: str, name: str, by: Consumer) -> dict[str, object]:
    from hoplint.graph.patterns.pattern import loads

    try:
        record = loads(text)
    except json.JSONDecodeError as error:
        _wrong(f"{name}: no JSON: {error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}")
    except ValueError as error:
        _wrong(f"{name}: no JSON: {error}")
    except RecursionError:
        _wrong(f"{name}: its JSON is nested too deeply")
    if not isinstance(record, dict):
        _wrong(f"{name}: an event is a JSON object")
    if by.kind in ("mapping", "pipe") and isinstance(record.get("Records"), list):
        # What a function gets is a batch; filters see one record after the other.
        _wrong(f"{name}: this is a batch of records, give one of them")
    inner = record.get("kinesis")
    if by.name == "kinesis" and isinstance(inner, dict) and "data" not in record:
        # Before filters are applied the fields of the stream stand at the root.
        record = {**record, **inner}
    return record


def _words(mismatch: Mismatch | None, problems: list[Problem], by: Consumer) -> str:
    from hoplint.graph.patterns import dotted

    lines = [f"refused for {by.label}: {problem.message}" for problem in problems]
    if mismatch is not None:
        at = dotted(mismatch.path)
        lines.append(f"no match at {at}: {mismatch.message}" if at else f"no match: {mismatch.message}")
    return "\n".join(lines) or "match"


def _json(consumer: str, mismatch: Mismatch | None, problems: list[Problem]) -> str:
    from hoplint.graph.patterns import dotted

    found = {
        "version": 1,
        "consumer": consumer,
        "match": mismatch is None and not problems,
        "key": None if mismatch is None else dotted(mismatch.path),
        "why": None if mismatch is None else mismatch.message,
        "problems": [{"key": dotted(problem.path), "message": problem.message} for problem in problems],
    }
    return json.dumps(found, indent=2, ensure_ascii=False)
