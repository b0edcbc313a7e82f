"""YAML as Terraform reads and writes it, which is neither YAML 1.1 nor 1.2."""

from __future__ import annotations

import re

import yaml

from hoplint.model.value import Known, Unknown, Value
from hoplint.readers.functions.base import Stop, cannot, computed, parse_number, refuse, scalar_text
from hoplint.readers.functions.typesystem import in_order, listed
from hoplint.readers.hcl_scanner import normal

MANY_VALUES = 200_000
FOLDED = 60

_TRUE = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"}
_FALSE = {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"}
_NULL = {"", "~", "null", "Null", "NULL"}
_INFINITE = re.compile(r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch
_WHOLE = re.compile(r"[+-]?[0-9]+").fullmatch
_BASED = re.compile(r"0x([0-9a-fA-F]+)|0o([0-7]+)").fullmatch
_REAL = re.compile(r"[+-]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?").fullmatch
_DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?:[Tt ](\d\d?):(\d\d?):(\d\d?)(\.\d+)?(Z)?)?").fullmatch
_resolver = yaml.resolver.Resolver()
_PREFIX = "tag:yaml.org,2002:"
_SIMPLE = re.compile(r"[ -~\t\n\r\u00c0-\u07ff]*").fullmatch
_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))
_SIMPLE_LINES = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?\n)*[!-~](?:[ -~]*[!-~])?\n?").fullmatch


class _Reader:
    __slots__ = ("made", "count")

    def __init__(self) -> None:
        self.made: dict[int, Value | None] = {}
        self.count = 0

    def value(self, node: yaml.Node) -> Value:
        key = id(node)
        if key in self.made:
            found = self.made[key]
            if found is None:
                raise refuse("the YAML refers to itself")
            return found
        self.made[key] = None
        self.count += 1
        if self.count > MANY_VALUES:
            raise Stop(Unknown("the YAML is too large to be computed"))
        if isinstance(node, yaml.ScalarNode):
            made = computed(_scalar(node))
        elif isinstance(node, yaml.SequenceNode):
            if node.tag != _PREFIX + "seq":
                raise refuse("the YAML has an unsupported tag")
            made = listed([self.value(item) for item in node.value])
        else:
            made = self.mapping(node)
        self.made[key] = made
        return made

    def mapping(self, node: yaml.Node) -> Value:
        if node.tag != _PREFIX + "map":
            raise refuse("the YAML has an unsupported tag")
        found: dict[str, Value] = {}
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise refuse("only strings can be keys")
            if key.value == "<<" and not key.style:
                merged = self.value(item)
                if not isinstance(merged, Known) or not isinstance(merged.data, dict):
                    raise refuse("only a mapping can be merged")
                found.update(merged.data)
                continue
            name = scalar_text(_scalar(key))
            if name is None:
                raise refuse("a key must not be null")
            found[name] = self.value(item)
        return computed(found)


def _scalar(node: yaml.ScalarNode) -> object:
    written = str(node.value)
    tag = node.tag.removeprefix(_PREFIX) if node.tag.startswith(_PREFIX) else None
    if tag is None:
        raise refuse("the YAML has an unsupported tag")
    if tag == "null":
        return None
    if tag in ("set", "omap", "pairs", "seq", "map"):
        raise refuse("the YAML has an unsupported tag")
    if node.style or tag in ("str", "binary") and not _implicit(node):
        return normal(written)
    return _resolved(written)


def _implicit(node: yaml.ScalarNode) -> bool:
    """Whether the tag follows from the text rather than being written."""
    return bool(node.tag == _resolver.resolve(yaml.ScalarNode, node.value, (True, False)))  # type: ignore[no-untyped-call]


def _resolved(written: str) -> object:
    if written in _NULL:
        return None
    if written in _TRUE or written in _FALSE:
        return written in _TRUE
    if _WHOLE(written) or _REAL(written):
        return parse_number(written)
    based = _BASED(written)
    if based:
        return int(based.group(1) or based.group(2), 16 if based.group(1) else 8)
    if _INFINITE(written):
        raise refuse("a number must be finite")
    date = _DATE(written)
    if date:
        return _date(written, date)
    return normal(written)


def _date(written: str, found: re.Match[str]) -> str:
    from datetime import datetime

    if found.group(7):
        raise Stop(Unknown("a timestamp in YAML is not computed"))
    try:
        moment = datetime(*(int(part or 0) for part in found.groups()[:6]))  # type: ignore[arg-type]
    except ValueError:
        return written
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def decode(written: str) -> Value:
    """The value of a YAML text."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(written, Loader=loader)
    except (yaml.YAMLError, ValueError):
        raise refuse("the string is not valid YAML") from None
    if node is None:
        raise refuse("the YAML is empty")
    return _Reader().value(node)


def encode(value: Value) -> str:
    """A known value in YAML."""
    lines = _block(value)
    if isinstance(value, Known) and isinstance(value.data, str):
        lines[1:] = [f"  {line}" if line else line for line in lines[1:]]
    end = "...\n" if isinstance(value, Known) and not isinstance(value.data, str | list | dict) else ""
    return "\n".join(lines) + "\n" + end


def _block(value: Value) -> list[str]:
    if not isinstance(value, Known):
        raise cannot(value)
    data = value.data
    if isinstance(data, list) and data:
        lines = []
        for item in in_order(data) if value.unordered else data:
            first, *rest = _block(item)
            lines.append(f"- {first}")
            lines.extend(f"  {line}" if line else line for line in rest)
        return lines
    if isinstance(data, dict) and data:
        lines = []
        for key in sorted(data):
            item = data[key]
            first, *rest = _block(item)
            nested = isinstance(item, Known) and isinstance(item.data, list | dict) and item.data
            if not nested:
                lines.append(f"{_quoted(key)}: {first}")
                lines.extend(f"  {line}" if line else line for line in rest)
                continue
            indent = "  " if isinstance(item, Known) and isinstance(item.data, dict) else ""
            lines.append(f"{_quoted(key)}:")
            lines.extend(indent + line if line else line for line in (first, *rest))
        return lines
    if isinstance(data, list | dict):
        return ["[]" if isinstance(data, list) else "{}"]
    if isinstance(data, str):
        return _string(data)
    if data is None:
        return ["null"]
    return [scalar_text(data) or ""]


def _quoted(written: str) -> str:
    if not _SIMPLE(written) or (len(written) > FOLDED and " " in written):
        raise Stop(Unknown("yamlencode() of this string is not computed"))
    done = written
    for char, escape in _ESCAPES:
        done = done.replace(char, escape)
    return '"' + done + '"'


def _string(written: str) -> list[str]:
    if "\n" not in written:
        return [_quoted(written)]
    if not _SIMPLE_LINES(written):
        if written.isascii() and not written[:1].isspace() and not written[-1:].isspace() or " \n" in written:
            return [_quoted(written)]
        raise Stop(Unknown("yamlencode() of this string is not computed"))
    return ["|" if written.endswith("\n") else "|-", *written.removesuffix("\n").split("\n")]
