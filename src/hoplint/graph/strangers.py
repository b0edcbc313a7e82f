"""Stand-ins for what a mapping or pipe names and no resource of this run declares: queues, functions and targets.

That a mapping takes messages, and how, is known although its function is not. A stand-in keeps the hop in the graph;
whoever asks for its settings hears that they are not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.catalog import KINDS
from hoplint.model.condition import Condition
from hoplint.model.resource import Resource
from hoplint.model.schema import Kind
from hoplint.model.value import Known, Text, Unknown, Value, branches, is_null, reason

TARGET = Kind("elsewhere")
"""Something that a pipe hands events to, of a kind that is not known or not in the catalogue."""

Found = Iterator[tuple[Resource, Condition, Value]]


def service_in(value: Value) -> str | None:
    """The service in an ARN whose beginning is written out: `sqs` in `arn:aws:sqs:…`, whatever follows."""
    if isinstance(value, Known) and isinstance(value.data, str):
        text = value.data
    elif isinstance(value, Text):
        text = "".join(part if isinstance(part, str) else "\0" for part in value.parts)
    else:
        return None
    pieces = text.split(":")
    return pieces[2] if len(pieces) > 3 and pieces[0] == "arn" and "\0" not in pieces[2] else None


def queues(via: Resource) -> Found:
    """The queues elsewhere that a mapping or pipe takes messages from: those whose ARN says that they are queues."""
    for value, condition in branches(via.raw("source")):
        if service_in(value) == "sqs":
            yield _stand_in(via, KINDS["sqs.queue"], value, _last(value)), condition, value


def functions(mapping: Resource) -> Found:
    """The functions elsewhere that a mapping invokes."""
    for value, condition in branches(mapping.raw("function")):
        if not is_null(value):
            yield _stand_in(mapping, KINDS["lambda.function"], value, None), condition, value


def targets(pipe: Resource) -> Found:
    """What a pipe hands its events to, if nothing that is known here."""
    for value, condition in branches(pipe.raw("target")):
        if not is_null(value):
            kind = KINDS["lambda.function"] if service_in(value) == "lambda" else TARGET
            yield _stand_in(pipe, kind, value, None), condition, value


def _stand_in(via: Resource, kind: Kind, value: Value, name: Value | None) -> Resource:
    address = value.data if isinstance(value, Known) and isinstance(value.data, str) else via.address
    made = Resource(kind, "", address, via.stack, value.place_of_change or via.head, lambda key: None, elsewhere=True)
    why = reason(value) or f"{address} belongs to another stack, its settings are not known here"
    made.values = {prop: Unknown(why, made.head) for prop in kind.properties}
    if name is not None:
        made.values[kind.named_by] = name
    return made


def _last(value: Value) -> Value | None:
    """The name at the end of a queue's ARN, if it is written out."""
    if isinstance(value, Known):
        return Known(str(value.data).rpartition(":")[2], value.site)
    last = value.parts[-1] if isinstance(value, Text) else None
    if isinstance(last, str) and ":" in last:
        return Known(last.rpartition(":")[2], value.site)
    return None
