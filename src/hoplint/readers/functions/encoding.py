"""JSON, CSV, base64 and character encodings. What is not known stays in the tree of the text that it is part of."""

from __future__ import annotations

import re
from fractions import Fraction

from hoplint.model.value import Encoded, Known, Number, Text, Unknown, Value
from hoplint.readers.functions.base import (
    Context,
    Function,
    Stop,
    cannot,
    computed,
    parse_number,
    refuse,
    scalar_text,
    text,
)
from hoplint.readers.functions.hashes import base64_of
from hoplint.readers.functions.typesystem import in_order, listed
from hoplint.readers.hcl_scanner import normal

_ESCAPED = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CHARSETS = ("utf-16le", "utf-16be", "iso-8859-1", "iso-8859-15", "us-ascii", "windows-1252", "shift_jis", "utf-8")


def quoted(written: str) -> str:
    """A string in JSON, with the escapes that Go writes."""
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found.group()) or f"\\u{ord(found.group()):04x}", written) + '"'


def encoded_text(value: Value) -> str:
    """A known value in JSON; raises `Stop` where a part is not known."""
    if isinstance(value, Known):
        data = value.data
        if data is None:
            return "null"
        if isinstance(data, list):
            items = in_order(data) if value.unordered else data
            return "[" + ",".join(encoded_text(item) for item in items) + "]"
        if isinstance(data, dict):
            return "{" + ",".join(f"{quoted(key)}:{encoded_text(data[key])}" for key in sorted(data)) + "}"
        return quoted(data) if isinstance(data, str) else scalar_text(data) or ""
    if isinstance(value, Encoded):
        return quoted(encoded_text(value.tree))
    raise cannot(value)


def _jsonencode(args: list[Value], context: Context) -> Value:
    value = args[0]
    if isinstance(value, Known) and not isinstance(value.data, list | dict):
        return computed(encoded_text(value))
    return Encoded(value)


def _jsondecode(args: list[Value], context: Context) -> Value:
    value = args[0]
    if isinstance(value, Encoded):
        tree = value.tree
        if isinstance(tree, Known) and isinstance(tree.data, list) and tree.unordered:
            return listed(in_order(tree.data))
        return tree
    if isinstance(value, Text) and len(value.parts) == 1 and isinstance(value.parts[0], Encoded | Number):
        return value.parts[0].tree if isinstance(value.parts[0], Encoded) else value.parts[0]
    import json

    written = text(value)
    try:
        found = json.loads(written, parse_float=_json_number, parse_int=_json_number, parse_constant=_json_constant)
    except ValueError:
        raise refuse("the string is not valid JSON") from None
    return _tree(found)


def _json_number(written: str) -> int | Fraction:
    number = parse_number(written)
    assert number is not None
    return number


def _json_constant(written: str) -> None:
    raise ValueError(written)


def _tree(data: object) -> Value:
    if isinstance(data, list):
        return listed([_tree(item) for item in data])
    if isinstance(data, dict):
        return computed({_plain(key): _tree(item) for key, item in data.items()})
    return computed(_plain(data) if isinstance(data, str) else data)


def _plain(written: str) -> str:
    """Half a surrogate pair is read as the replacement character."""
    return normal(_LONE_SURROGATE.sub("\ufffd", written))


def _csvdecode(args: list[Value], context: Context) -> Value:
    rows = _records(text(args[0]))
    if not rows:
        raise refuse("missing header line")
    header, *records = rows
    if len(set(header)) < len(header):
        raise refuse("duplicate column name")
    found = []
    for record in records:
        if len(record) != len(header):
            raise refuse("CSV parse error: wrong number of fields")
        found.append(computed({name: computed(normal(cell)) for name, cell in zip(header, record, strict=True)}))
    return listed(found)


def _records(written: str) -> list[list[str]]:
    """The cells of a CSV text, as strict as Go reads them."""
    rows: list[list[str]] = []
    row: list[str] = []
    at = 0
    written = written.replace("\r\n", "\n")
    while at < len(written):
        if not row and written[at] == "\n":
            at += 1
            continue
        if written[at] == '"':
            cell, at = _quoted_cell(written, at + 1)
        else:
            end = at
            while end < len(written) and written[end] not in ",\n":
                end += 1
            cell, at = written[at:end], end
            if '"' in cell:
                raise refuse('CSV parse error: bare " in non-quoted field')
        row.append(cell)
        if at >= len(written) or written[at] == "\n":
            rows.append(row)
            row = []
            at += 1
            continue
        at += 1
        if at >= len(written) or written[at] == "\n":
            row.append("")
            rows.append(row)
            row = []
            at += 1
    return rows


def _quoted_cell(written: str, at: int) -> tuple[str, int]:
    cell = []
    while True:
        end = written.find('"', at)
        if end < 0:
            raise refuse('CSV parse error: extraneous or missing " in quoted field')
        cell.append(written[at:end])
        following = written[end + 1 : end + 2]
        if following == '"':
            cell.append('"')
            at = end + 2
            continue
        if following and following not in ",\n":
            raise refuse('CSV parse error: extraneous or missing " in quoted field')
        return "".join(cell), end + 1


def _base64encode(args: list[Value], context: Context) -> Value:
    return computed(base64_of(text(args[0]).encode()))


def _decoded(written: str) -> bytes:
    import base64

    try:
        return base64.b64decode(written.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        raise refuse("failed to decode base64 data") from None


def _base64decode(args: list[Value], context: Context) -> Value:
    try:
        return computed(normal(_decoded(text(args[0])).decode("utf-8")))
    except UnicodeDecodeError:
        raise refuse("the result of decoding the provided string is not valid UTF-8") from None


def _charset(value: Value) -> str:
    name = text(value)
    if name.lower() not in _CHARSETS:
        raise Stop(Unknown(f"the encoding {name[:40]} is not computed"))
    import codecs

    return codecs.lookup(name).name


def _textencodebase64(args: list[Value], context: Context) -> Value:
    charset = _charset(args[1])
    try:
        return computed(base64_of(text(args[0]).encode(charset)))
    except UnicodeEncodeError:
        raise refuse("the given string contains characters that cannot be represented") from None


def _textdecodebase64(args: list[Value], context: Context) -> Value:
    charset = _charset(args[1])
    try:
        return computed(normal(_decoded(text(args[0])).decode(charset)))
    except UnicodeDecodeError:
        raise refuse("the given string contains symbols that are not defined") from None


def _base64gzip(args: list[Value], context: Context) -> Value:
    raise Stop(Unknown("base64gzip() is not computed"))


def _yamldecode(args: list[Value], context: Context) -> Value:
    value = args[0]
    if isinstance(value, Encoded):
        return _jsondecode(args, context)
    from hoplint.readers.functions.yaml_texts import decode

    return decode(text(value))


def _yamlencode(args: list[Value], context: Context) -> Value:
    from hoplint.readers.functions.yaml_texts import encode

    return computed(encode(args[0]))


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "base64decode": (_base64decode, 1, 1),
    "base64encode": (_base64encode, 1, 1),
    "base64gzip": (_base64gzip, 1, 1),
    "csvdecode": (_csvdecode, 1, 1),
    "jsondecode": (_jsondecode, 1, 1),
    "jsonencode": (_jsonencode, 1, 1),
    "textdecodebase64": (_textdecodebase64, 2, 2),
    "textencodebase64": (_textencodebase64, 2, 2),
    "yamldecode": (_yamldecode, 1, 1),
    "yamlencode": (_yamlencode, 1, 1),
}
