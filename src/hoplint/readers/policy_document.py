"""`aws_iam_policy_document` as the provider renders it: statements, defaults, sources and overrides merged by sid."""

from __future__ import annotations

from collections.abc import Callable

from hoplint.model import embedded
from hoplint.model.place import Site
from hoplint.model.value import Encoded, Known, Text, Unknown, Value, is_null, join_text, reason
from hoplint.readers.choices import lift
from hoplint.readers.operations import inherit

VERSION = "2012-10-17"
Setting = Callable[[str], "Value | None"]

_LISTS = (
    ("actions", "Action"),
    ("not_actions", "NotAction"),
    ("resources", "Resource"),
    ("not_resources", "NotResource"),
)


def policy(setting: Setting, site: Site) -> Value:
    """The document as a string of JSON."""
    parts = [
        _documents(setting, "source_policy_documents", "source_json"),
        setting("statement"),
        _documents(setting, "override_policy_documents", "override_json"),
        setting("version"),
        setting("policy_id"),
    ]
    absent = Known(None, site)
    return lift([part if part is not None else absent for part in parts], lambda values: _merged(values, site), site)


def _documents(setting: Setting, name: str, old_name: str) -> Value | None:
    """The sources or overrides as a list of documents; a lone one is a list of one."""
    value = setting(name)
    if value is None or is_null(value):
        value = setting(old_name)
    if value is None or is_null(value):
        return None

    def listed(values: list[Value]) -> Value:
        found = values[0]
        if isinstance(found, Known) and isinstance(found.data, list):
            items = [inherit(found, item, f"[{number}]") for number, item in enumerate(found.data)]
            return lift(items, lambda documents: Known(list(documents), found.site))
        if is_null(found) or (isinstance(found, Known) and found.data == ""):
            return Known([], found.site)
        return Known([found], found.site)

    return lift([value], listed, value.site)


def _merged(values: list[Value], site: Site) -> Value:
    sources, statements, overrides, version, policy_id = values
    merged = _Document(site)
    merged.take_all(sources)
    own = _Document(site)
    own.version = Known(VERSION, site, "default") if is_null(version) else version
    if not is_null(policy_id):
        own.id = policy_id
    own.add_blocks(statements)
    merged.take(own)
    merged.take_all(overrides)
    return Encoded(merged.tree(), site)


class _Document:
    """A policy document that is put together."""

    __slots__ = ("site", "version", "id", "statements")

    def __init__(self, site: Site) -> None:
        self.site = site
        self.version: Value = Known("", site)
        self.id: Value | None = None
        self.statements: list[Value] = []

    def take_all(self, documents: Value) -> None:
        """Merge documents that are given as strings, one after the other."""
        if is_null(documents):
            return
        if not isinstance(documents, Known) or not isinstance(documents.data, list):
            self.statements.append(Unknown(reason(documents), documents.site))
            return
        for item in documents.data:
            if is_null(item) or (isinstance(item, Known) and item.data == ""):
                continue
            self.take(_read(embedded.document(item), item, self.site))

    def take(self, other: _Document) -> None:
        """Merge one document: its statements replace those with the same sid."""
        if other.id is not None:
            self.id = other.id
        old, new = _plain(self.version), _plain(other.version)
        if old is not None and (new is None or new > old):
            self.version = other.version
        for statement in other.statements:
            sid = _sid(statement)
            at = next((n for n, one in enumerate(self.statements) if sid and _sid(one) == sid), None)
            if at is None:
                self.statements.append(statement)
            else:
                self.statements[at] = statement

    def add_blocks(self, blocks: Value) -> None:
        """Add `statement` blocks."""
        if is_null(blocks):
            return
        if isinstance(blocks, Known) and isinstance(blocks.data, dict):
            blocks = Known([blocks], blocks.site)
        if not isinstance(blocks, Known) or not isinstance(blocks.data, list):
            self.statements.append(Unknown(reason(blocks), blocks.site))
            return
        version = _plain(self.version)
        for block in blocks.data:
            if isinstance(block, Known) and isinstance(block.data, dict):
                self.statements.append(_statement(block, block.data, version != "2008-10-17"))
            else:
                self.statements.append(Unknown(reason(block), block.site))

    def tree(self) -> Value:
        """The whole document."""
        members: dict[str, Value] = {"Version": self.version}
        if self.id is not None:
            members["Id"] = self.id
        members["Statement"] = Known(list(self.statements), self.site)
        return Known(members, self.site)


def _read(tree: Value, written: Value, site: Site) -> _Document:
    document = _Document(site)
    if not isinstance(tree, Known) or not isinstance(tree.data, dict):
        document.statements.append(Unknown(reason(tree) or "a merged policy cannot be read", written.site))
        return document
    document.version = tree.data.get("Version", document.version)
    document.id = tree.data.get("Id")
    statements = tree.data.get("Statement")
    if isinstance(statements, Known) and isinstance(statements.data, list):
        document.statements.extend(statements.data)
    elif statements is not None and not is_null(statements):
        document.statements.append(statements)
    return document


def _plain(value: Value) -> str | None:
    return value.data if isinstance(value, Known) and isinstance(value.data, str) else None


def _sid(statement: Value) -> str | None:
    if isinstance(statement, Known) and isinstance(statement.data, dict):
        found = statement.data.get("Sid")
        return _plain(found) if found is not None else None
    return None


def _statement(block: Known, data: dict[str, Value], variables: bool) -> Value:
    members: dict[str, Value] = {}
    sid = data.get("sid")
    if sid is not None and not is_null(sid) and _plain(sid) != "":
        members["Sid"] = sid
    effect = data.get("effect")
    members["Effect"] = effect if effect is not None and not is_null(effect) else Known("Allow", block.site, "default")
    for name, wanted in _LISTS:
        found = data.get(name)
        if found is None or _empty(found):
            continue
        replaced = variables and name in ("resources", "not_resources")
        members[wanted] = _single(_variables(found) if replaced else found)
    for name, wanted in (("principals", "Principal"), ("not_principals", "NotPrincipal")):
        found = data.get(name)
        if found is not None and not _empty(found):
            members[wanted] = lift([found], lambda values: _principals(values[0], variables), block.site)
    conditions = data.get("condition")
    if conditions is not None and not _empty(conditions):
        members["Condition"] = lift([conditions], lambda values: _conditions(values[0], variables), block.site)
    return Known(members, block.site)


def _empty(value: Value) -> bool:
    return isinstance(value, Known) and (value.data is None or value.data == [])


def _single(value: Value) -> Value:
    """A list of one is written as its element."""
    if isinstance(value, Known) and isinstance(value.data, list) and len(value.data) == 1:
        return inherit(value, value.data[0], "[0]")
    return value


def _variables(value: Value) -> Value:
    """`&{aws:username}` stands for the policy's own `${aws:username}`."""
    if isinstance(value, Known):
        if isinstance(value.data, str) and "&{" in value.data:
            return Known(value.data.replace("&{", "${"), value.site, value.origin, value.through)
        if isinstance(value.data, list):
            items = [_variables(item) for item in value.data]
            if any(new is not old for new, old in zip(items, value.data, strict=True)):
                return Known(items, value.site, value.origin, value.through)
    elif isinstance(value, Text) and any(isinstance(part, str) and "&{" in part for part in value.parts):
        parts = [part.replace("&{", "${") if isinstance(part, str) else part for part in value.parts]
        return join_text(parts, value.site, value.through)
    return value


def _blocks(value: Value) -> list[Value] | Value:
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return value.data
        if isinstance(value.data, dict):
            return [value]
    return Unknown(reason(value), value.site)


def _principals(value: Value, variables: bool) -> Value:
    blocks = _blocks(value)
    if isinstance(blocks, Value):
        return blocks
    found: dict[str, list[Value]] = {}
    for block in blocks:
        data = block.data if isinstance(block, Known) else None
        kind = data.get("type") if isinstance(data, dict) else None
        name = _plain(kind) if kind is not None else None
        if not isinstance(data, dict) or name is None:
            return Unknown(reason(block if kind is None else kind) or "a principal cannot be read", value.site)
        identifiers = data.get("identifiers")
        if identifiers is None:
            continue
        found.setdefault(name, []).append(_variables(identifiers) if variables else identifiers)
    everyone = found.get("*")
    if everyone is not None and len(found) == 1 and _is_star(everyone[0]):
        return Known("*", everyone[0].site)
    return Known({name: _together(lists) for name, lists in found.items()}, value.site)


def _is_star(value: Value) -> bool:
    single = _single(value)
    return isinstance(single, Known) and single.data == "*"


def _together(lists: list[Value]) -> Value:
    if len(lists) == 1:
        return _single(lists[0])
    items: list[Value] = []
    for part in lists:
        if isinstance(part, Known) and isinstance(part.data, list):
            items.extend(part.data)
        elif isinstance(part, Known):
            items.append(part)
        else:
            return Unknown(reason(part), part.site)
    return Known(items, lists[0].site)


def _conditions(value: Value, variables: bool) -> Value:
    blocks = _blocks(value)
    if isinstance(blocks, Value):
        return blocks
    found: dict[str, dict[str, list[Value]]] = {}
    for block in blocks:
        data = block.data if isinstance(block, Known) else None
        parts = [data.get(name) for name in ("test", "variable")] if isinstance(data, dict) else [None, None]
        names = [_plain(_variables(part)) if part is not None else None for part in parts]
        values = data.get("values") if isinstance(data, dict) else None
        if names[0] is None or names[1] is None or values is None:
            return Unknown(reason(block) or "a condition cannot be read", value.site)
        found.setdefault(names[0], {}).setdefault(names[1], []).append(_variables(values) if variables else values)
    tests: dict[str, Value] = {}
    for test, keys in found.items():
        tests[test] = Known({key: _together(lists) for key, lists in keys.items()}, value.site)
    return Known(tests, value.site)
