"""The shapes of what AWS's services send, a table with its sources, and what a target's settings make of them."""

from __future__ import annotations

import re

from hoplint.graph.patterns.consumers import ENVELOPE
from hoplint.graph.patterns.pattern import Hole, Numeral, Pattern, data_of, loads
from hoplint.graph.patterns.shapes import (
    BOOLEAN,
    NULL,
    NUMBER,
    STRING,
    Anything,
    Fields,
    Items,
    OneOf,
    Plain,
    Scalar,
    Shape,
    follow,
)
from hoplint.model.inquiry import settle
from hoplint.model.value import Encoded, Known, Text, Value, is_null, reason

TEXT = Scalar(STRING)
ANYTHING = Anything()

# F-069, F-181; the roots are those of AWS's event structure reference.
_ROOTS: dict[str, Shape] = {
    "version": TEXT, "id": TEXT, "detail-type": TEXT, "source": TEXT, "account": TEXT, "time": TEXT, "region": TEXT,
    "resources": Items(TEXT), "replay-name": TEXT,
}  # fmt: skip
_DETAIL = Fields({}, open=True, name='"detail"')

# F-068: old:sns/sns-message-and-json-formats; SequenceNumber on FIFO topics only.
_SNS_ENVELOPE: dict[str, Shape] = {
    "Type": Scalar(STRING, ("Notification",)), "MessageId": TEXT, "SequenceNumber": TEXT, "TopicArn": TEXT,
    "Subject": Anything(), "Message": Scalar(STRING, None, "the message itself, as a string"), "Timestamp": TEXT,
    "SignatureVersion": TEXT, "Signature": TEXT, "SigningCertURL": TEXT, "SigningCertUrl": TEXT,
    "UnsubscribeURL": TEXT, "UnsubscribeUrl": TEXT,
    "MessageAttributes": Fields({}, open=True),
}  # fmt: skip

# F-070: old:s3/notification-content-structure.
_S3_RECORD = Fields(
    {
        "eventVersion": TEXT, "eventSource": Scalar(STRING, ("aws:s3",)), "awsRegion": TEXT, "eventTime": TEXT,
        "eventName": TEXT,
        "userIdentity": Fields({"principalId": TEXT}, open=True),
        "requestParameters": Fields({"sourceIPAddress": TEXT}, open=True),
        "responseElements": Fields({}, open=True),
        "s3": Fields(
            {
                "s3SchemaVersion": TEXT, "configurationId": TEXT,
                "bucket": Fields({"name": TEXT, "arn": TEXT, "ownerIdentity": Fields({}, open=True)}, open=True),
                "object": Fields({"key": TEXT, "size": Scalar(NUMBER), "eTag": TEXT, "versionId": TEXT,
                                  "sequencer": TEXT}, open=True),
            },
            open=True,
        ),
    },
    open=True, never=("detail", "body", "Records"), name="an S3 record",
)  # fmt: skip
_S3_TEST = Fields(
    {"Service": TEXT, "Event": Scalar(STRING, ("s3:TestEvent",)), "Time": TEXT, "Bucket": TEXT, "RequestId": TEXT,
     "HostId": TEXT},
    name="S3's test event",
)  # fmt: skip

# S3:ev-events: the types of S3's own events on a bus; CloudTrail's of the same source look different.
S3_TYPES = frozenset((
    "Object Created", "Object Deleted", "Object Restore Initiated", "Object Restore Completed",
    "Object Restore Expired", "Object Storage Class Changed", "Object Access Tier Changed", "Object ACL Updated",
    "Object Tags Added", "Object Tags Deleted",
))  # fmt: skip
_S3_DETAIL = Fields(
    {
        "version": TEXT, "bucket": Fields({"name": TEXT}, open=True),
        "object": Fields({"key": TEXT, "size": Scalar(NUMBER), "etag": TEXT, "version-id": TEXT, "sequencer": TEXT},
                         open=True),
        "request-id": TEXT, "requester": TEXT, "source-ip-address": TEXT, "reason": TEXT,
    },
    open=True, never=("Records", "s3", "eventName", "requestParameters", "eventSource"),
    name="an S3 event's \"detail\"",
)  # fmt: skip

# CW:cloudwatch-and-eventbridge: events of alarms.
ALARM_TYPES = frozenset(("CloudWatch Alarm State Change",))
_ALARM_STATE = Fields({"value": Scalar(STRING, ("OK", "ALARM", "INSUFFICIENT_DATA")), "reason": TEXT,
                       "reasonData": TEXT, "timestamp": TEXT}, open=True)  # fmt: skip
_ALARM_DETAIL = Fields(
    {"alarmName": TEXT, "state": _ALARM_STATE, "previousState": _ALARM_STATE, "configuration": Fields({}, open=True)},
    open=True, never=("AlarmName", "NewStateValue", "OldStateValue", "NewStateReason", "Trigger"),
    name="an alarm's \"detail\"",
)  # fmt: skip
_ALARM_MESSAGE = Fields(
    {
        "AlarmName": TEXT, "AlarmDescription": ANYTHING, "AWSAccountId": TEXT,
        "AlarmConfigurationUpdatedTimestamp": TEXT,
        "NewStateValue": Scalar(STRING, ("OK", "ALARM", "INSUFFICIENT_DATA")), "NewStateReason": TEXT,
        "StateChangeTime": TEXT, "Region": TEXT, "AlarmArn": TEXT,
        "OldStateValue": Scalar(STRING, ("OK", "ALARM", "INSUFFICIENT_DATA")),
        "OKActions": Items(TEXT), "AlarmActions": Items(TEXT), "InsufficientDataActions": Items(TEXT),
        "Trigger": Fields({}, open=True),
    },
    open=True, never=("detail", "detail-type", "source", "alarmName", "state"), name="an alarm's message",
)  # fmt: skip

NO_ATTRIBUTES = Fields({}, name="an AWS service publishes without message attributes")
"""What EventBridge, S3 and CloudWatch alarms send as message attributes: none (F-262)."""


def envelope(pattern: Pattern | None = None, scheduled: bool = False) -> Fields:
    """An event as a bus delivers it. Its rule's pattern bounds what its envelope holds; schedules send no detail."""
    roots = dict(_ROOTS)
    detail: Shape = _DETAIL
    if scheduled:
        roots["source"] = Scalar(STRING, ("aws.events",))
        roots["detail-type"] = Scalar(STRING, ("Scheduled Event",))
        detail = Fields({}, name='"detail" of a scheduled event')
    elif pattern is not None and isinstance(pattern.data, dict) and not pattern.problem:
        for key in ("source", "detail-type", "account", "region"):
            values = _literals(pattern.data.get(key))
            if values is not None:
                roots[key] = Scalar(STRING, values)
        detail = _detail_of(roots)
    roots["detail"] = detail
    always = tuple(key for key in ENVELOPE if key != "detail")
    return Fields(roots, always=always, name="an EventBridge event", home="detail")


def _literals(node: object) -> tuple[object, ...] | None:
    if isinstance(node, list) and node and all(isinstance(item, str) for item in node):
        return tuple(node)
    return None


def _detail_of(roots: dict[str, Shape]) -> Shape:
    source, kind = roots["source"], roots["detail-type"]
    assert isinstance(source, Scalar) and isinstance(kind, Scalar)
    if source.values == ("aws.s3",) and kind.values and S3_TYPES.issuperset(kind.values):
        return _S3_DETAIL
    if source.values == ("aws.cloudwatch",) and kind.values and ALARM_TYPES.issuperset(kind.values):
        return _ALARM_DETAIL
    return _DETAIL


def target_input(
    event: Shape, constant: Value | None = None, path: Value | None = None, template: Value | None = None,
    paths: Value | None = None,
) -> Shape:  # fmt: skip
    """What a target gets of an event: its `Input`, what `InputPath` picks, or what the input transformer makes.

    `template` and `paths` are the transformer's InputTemplate and InputPathsMap. Null values count as not set.
    """
    if _set(constant):
        return constant_text(constant, json_only=True)
    if _set(path):
        return _body(_picked(event, path))
    if _set(template):
        return transformed(template, event, paths)
    return event


def _set(value: Value | None) -> bool:
    return value is not None and not is_null(settle(value))


def constant_text(value: Value | None, json_only: bool = False) -> Shape:
    """A constant text as a message body. Where the service takes JSON only, other text is not judged."""
    if value is None:
        return ANYTHING
    value = settle(value)
    if isinstance(value, Encoded):
        return _body(_shape_of(data_of(value.tree)))
    if isinstance(value, Known) and isinstance(value.data, str):
        try:
            data = loads(value.data)
        except (ValueError, RecursionError):
            if json_only or "<aws." in value.data:
                return Anything("its text is no JSON")
            return Plain(value.data)
        return _body(_shape_of(data))
    if isinstance(value, Text):
        return _template_shape(_joined(value), {}, reason(value))
    return Anything(reason(value))


def _picked(event: Shape, path: Value | None) -> Shape:
    value = settle(path) if path is not None else None
    if not isinstance(value, Known) or not isinstance(value.data, str):
        return Anything("its input path is not known")
    keys = _path_keys(value.data)
    if keys is None:
        return Anything("its input path picks a part that is not followed")
    return follow(event, keys)


def _body(shape: Shape) -> Shape:
    """A value as a whole body: how one that is no object is written out is not judged, that it is none is certain."""
    return Plain() if isinstance(shape, Scalar) else shape


def _path_keys(path: str) -> list[str] | None:
    if path == "$":
        return []
    if not re.fullmatch(r"\$(?:\.[A-Za-z0-9_\-]+)+", path):
        return None
    return path.split(".")[1:]


_PLACEHOLDER = re.compile(r"<([A-Za-z0-9_.\-]+)>")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_HOLE, _MARK = "\ue000", "\ue001"


def transformed(template: Value | None, event: Shape, paths: Value | None = None) -> Shape:
    """What an input template makes: its own keys, at whose values only plain texts and whole JSON paths are known."""
    value = settle(template) if template is not None else None
    names: dict[str, Shape] = {}
    mapping = settle(paths) if paths is not None else None
    if isinstance(mapping, Known) and isinstance(mapping.data, dict):
        for name, path in mapping.data.items():
            names[name] = _picked(event, path)
    names["aws.events.event.json"] = event
    if isinstance(value, Encoded):
        return _body(_shape_of(data_of(value.tree)))
    if isinstance(value, Known) and isinstance(value.data, str):
        return _template_shape(value.data, names, "")
    if isinstance(value, Text):
        return _template_shape(_joined(value), names, reason(value))
    return Anything("its input template is not known")


def _joined(value: Text) -> str:
    return "".join(part if isinstance(part, str) else _HOLE for part in value.parts)


def _template_shape(text: str, names: dict[str, Shape], why: str) -> Shape:
    """Read a template: what stands outside of its strings may be a placeholder or an unknown piece."""
    stripped = text.strip()
    outside = _STRING.sub("", stripped)
    if stripped.startswith('"'):
        # One string, or several lines of them: no object in any case.
        return Plain() if not outside.strip() else Anything(why or "its input template is not followed")
    whole = _PLACEHOLDER.fullmatch(stripped)
    if whole:
        return _body(names.get(whole.group(1), ANYTHING))
    pieces: list[str] = []
    at = 0
    for quoted in _STRING.finditer(stripped):
        pieces += [_fill(stripped[at : quoted.start()]), quoted.group()]
        at = quoted.end()
    pieces.append(_fill(stripped[at:]))
    try:
        data = loads("".join(pieces))
    except (ValueError, RecursionError):
        return Anything(why or "its input template is not followed")
    return _shape_of(data, names) if isinstance(data, dict) else Anything(why or "its input template is not followed")


def _fill(code: str) -> str:
    """Code between strings, with its unknown pieces and placeholders turned into strings."""
    return _PLACEHOLDER.sub(rf'"{_MARK}\1{_MARK}"', code.replace(_HOLE, f'"{_HOLE}"'))


def _shape_of(data: object, names: dict[str, Shape] | None = None) -> Shape:
    if isinstance(data, Hole):
        return TEXT if data.text else Anything(data.why)
    if isinstance(data, dict):
        if any(_HOLE in key or _PLACEHOLDER.search(key) for key in data):
            return Anything("a key of its template is not known")
        return Fields({key: _shape_of(item, names) for key, item in data.items()}, name="its input template")
    if isinstance(data, list):
        shapes = [_shape_of(item, names) for item in data]
        return Items(OneOf(*shapes) if shapes else Anything())
    if isinstance(data, str):
        if data.startswith(_MARK) and data.endswith(_MARK):
            return (names or {}).get(data[1:-1], ANYTHING)
        # A placeholder in quotes may be replaced by an object; an unknown piece is text.
        if _PLACEHOLDER.search(data) or _HOLE in data:
            return ANYTHING
        return Scalar(STRING, (data,))
    kind = NULL if data is None else BOOLEAN if isinstance(data, bool) else NUMBER
    return Scalar(kind, (data,) if isinstance(data, Numeral | bool) or data is None else None)


def eventbridge(
    pattern: Pattern | None = None, *, scheduled: bool = False, constant: Value | None = None,
    path: Value | None = None, template: Value | None = None, paths: Value | None = None,
) -> Shape:  # fmt: skip
    """What a rule sends to its target (F-069, F-215)."""
    return target_input(envelope(pattern, scheduled), constant, path, template, paths)


def sns(raw: bool | None, inner: Shape = ANYTHING) -> Shape:
    """What a subscription delivers: an envelope whose Message is a string, or raw the message as it was published.

    `inner` is what is published to the topic; `raw` None is not known (F-068, F-260).
    """
    if raw is None:
        return Anything("whether it delivers raw messages is not known")
    if raw:
        return inner
    return Fields(_SNS_ENVELOPE, always=("Type", "MessageId", "TopicArn", "Message", "Timestamp"),
                  name="an SNS notification", home="Message")  # fmt: skip


def s3_notifications(test_event: bool = True) -> Shape:
    """What a bucket's own notifications send: records, and at first a test event (F-070)."""
    records = Fields({"Records": Items(_S3_RECORD)}, name="an S3 notification", home="Records")
    return OneOf(records, _S3_TEST) if test_event else records


def alarm_message() -> Shape:
    """What a CloudWatch alarm publishes to a topic, as the message (behind raw delivery: as the body)."""
    return _ALARM_MESSAGE


def scheduler(constant: Value | None) -> Shape:
    """What a schedule of EventBridge Scheduler sends: its input. Without one its own event, which is not judged."""
    if not _set(constant):
        return Anything("a schedule without input sends an event of its own")
    return constant_text(constant)


def unknown_sender(why: str = "who else sends to it is not known here") -> Shape:
    """Messages of programs: nothing is known."""
    return Anything(why)


def _typed(depth: int = 3) -> Fields:
    """An attribute of an item with its type: numbers are strings (F-094), maps and lists hold such values again."""
    inner: Shape = _typed(depth - 1) if depth else ANYTHING
    return Fields(
        {
            "S": TEXT, "N": TEXT, "B": TEXT, "SS": Items(TEXT), "NS": Items(TEXT), "BS": Items(TEXT),
            "BOOL": Scalar(BOOLEAN), "NULL": Scalar(BOOLEAN), "M": Fields({}, each=inner), "L": Items(inner),
        },
        name="a DynamoDB value",
    )  # fmt: skip


IMAGES = {
    "KEYS_ONLY": (), "NEW_IMAGE": ("NewImage",), "OLD_IMAGE": ("OldImage",),
    "NEW_AND_OLD_IMAGES": ("NewImage", "OldImage"),
}  # fmt: skip


def dynamodb_stream(view: str | None = None) -> Shape:
    """A record of a table's stream; `view` is the stream's view type, None where it is not known (F-093 to F-096)."""
    images = IMAGES.get(view or "", ("NewImage", "OldImage"))
    data: dict[str, Shape] = {
        "ApproximateCreationDateTime": ANYTHING, "SequenceNumber": TEXT,
        "Keys": Fields({}, each=_typed(), name="the keys of a stream record"), "SizeBytes": ANYTHING,
        "StreamViewType": TEXT,
    }  # fmt: skip
    for image in images:
        data[image] = Fields({}, each=_typed(), name=f'"{image}"')
    whose = f"a stream of view type {view}" if view else "a stream record"
    lacking = tuple(image for image in ("NewImage", "OldImage") if image not in images)
    return Fields(
        {
            "eventID": TEXT, "eventName": Scalar(STRING, ("INSERT", "MODIFY", "REMOVE")), "eventVersion": TEXT,
            "eventSource": Scalar(STRING, ("aws:dynamodb",)), "awsRegion": TEXT, "eventSourceARN": TEXT,
            "dynamodb": Fields(data, never=lacking, name=whose),
            "userIdentity": Fields({"type": TEXT, "principalId": TEXT}, open=True),
        },
        name="a DynamoDB stream record", home="dynamodb",
    )  # fmt: skip


_KINDS = {
    "eventbridge": eventbridge, "sns": sns, "s3": s3_notifications, "cloudwatch-alarm": alarm_message,
    "scheduler": scheduler, "dynamodb": dynamodb_stream, "sqs": unknown_sender, "kinesis": unknown_sender,
    "kafka": unknown_sender, "mq": unknown_sender,
}  # fmt: skip


def producer_shape(kind: str, *settings: object, **named: object) -> Shape:
    """The shape of what a producer of this kind sends, with the settings that its own function here takes.

    Kinds: eventbridge, sns, s3, cloudwatch-alarm, scheduler, dynamodb, sqs, kinesis, kafka, mq (the last four are
    programs' own data, of which nothing is known).
    """
    make = _KINDS[kind]
    shape: Shape = make(*settings, **named)  # type: ignore[operator]
    return shape
