"""Plans and states as JSON: the values after apply, what is unknown until then, and what the configuration refers to.

Where the sources lie beside the plan they give the places, and what a plan does not tell: how an unknown value is made.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from hoplint.catalog import kind_of_terraform
from hoplint.model.finding import InputProblem
from hoplint.model.place import Site, Source, Spot
from hoplint.model.resource import Resource, Stack
from hoplint.model.schema import Kind
from hoplint.model.value import (
    WRITTEN,
    Choice,
    Encoded,
    Known,
    Ref,
    Step,
    Text,
    Through,
    Unknown,
    Value,
    join_text,
)
from hoplint.readers import plan_references, policy_document
from hoplint.readers.plan_references import Place, Target, table
from hoplint.readers.terraform import Modules, read_root
from hoplint.readers.terraform_inputs import Options
from hoplint.readers.terraform_module import has_files
from hoplint.readers.tree import Tree, refusal

__all__ = ["is_plan", "read_plan"]

UNREADABLE = 1
_MARK = re.compile(rb'"(?:planned_values|resource_changes|values)"')
# Strings by which a resource can be told wherever they stand; a name may be anybody's.
_UNIQUE = frozenset(("arn", "url", "qualified_arn", "invoke_arn", "qualified_invoke_arn", "stream_arn"))
_DOCUMENTS = frozenset(
    (
        "policy", "redrive_policy", "redrive_allow_policy", "assume_role_policy", "event_pattern", "filter_policy",
        "definition", "pattern", "input", "input_template", "json", "variables", "inline_policy",
    )
)  # fmt: skip
# What a provider keeps in a state for an argument that nobody wrote, where it is not AWS's own default.
_UNSET = {("aws_lambda_function", "reserved_concurrent_executions"): -1}
_WHY = "it is known only after apply, and the sources are not beside the plan"


def is_plan(data: bytes) -> bool:
    """Whether a JSON file looks like a plan or a state that Terraform has printed."""
    return b'"terraform_version"' in data and b'"format_version"' in data and _MARK.search(data) is not None


def read_plan(tree: Tree, path: str) -> Stack:
    """Read a plan or a state."""
    stack = Stack(path, "plan", path)
    stack.files.add(path)
    data = tree.read(path)
    source = Source(path, data or b"")
    problem = tree.refused.get(path, "it cannot be read") if data is None else refusal(data, wide=True)
    content: Any = None
    if problem is None and data is not None:
        try:
            content = json.loads(data)
        except ValueError as error:
            problem = f"it is no JSON: {error}"
        except RecursionError:
            problem = "its JSON is nested too deeply"
    if problem is None and not isinstance(content, dict):
        problem = "it is no plan"
    if problem is not None:
        stack.problems.append(
            InputProblem(UNREADABLE, f"{posixpath.basename(path)} was not read: {problem}", Spot(source))
        )
        stack.blind.append(f"{path} cannot be read")
        return stack
    _Reader(tree, stack, source, content).read()
    return stack


class _Entry:
    """One resource instance of the plan."""

    __slots__ = (
        "address", "mode", "type", "name", "values", "unknown", "secret", "expressions", "provider", "place",
        "resource",
    )  # fmt: skip

    def __init__(self, raw: dict[str, Any], values: object, unknown: object, secret: object, place: Place) -> None:
        self.address = str(raw.get("address", ""))
        self.mode = str(raw.get("mode", "managed"))
        self.type = str(raw.get("type", ""))
        self.name = str(raw.get("name", ""))
        self.values = table(values)
        self.unknown = table(unknown)
        self.secret = table(secret)
        self.expressions, each, self.provider = plan_references.expressions_of(place, self.mode, self.type, self.name)
        self.place = Place(place.module, place.config, raw.get("index"), each, place.outer, place.call)
        self.resource: Resource | None = None


class _Reader:
    """Turns the content of a plan or state into resources."""

    __slots__ = ("tree", "stack", "source", "content", "entries", "beside", "site", "known", "unique", "policies")

    def __init__(self, tree: Tree, stack: Stack, source: Source, content: dict[str, Any]) -> None:
        self.tree = tree
        self.stack = stack
        self.source = source
        self.content = content
        self.site: Site = Spot(source)
        self.entries: dict[str, _Entry] = {}
        self.beside: dict[str, Resource] = {}
        self.known: dict[str, list[tuple[Resource, str]]] = {}
        self.unique: re.Pattern[str] | None = None
        self.policies: set[str] = set()

    def read(self) -> None:
        configuration = table(self.content.get("configuration"))
        empty = Place("", {})
        for raw, values, unknown, secret in self._instances():
            module = str(raw.get("module_address") or _module_of(str(raw.get("address", ""))))
            place = plan_references.module_place(configuration, module) or empty
            entry = _Entry(raw, values, unknown, secret, place)
            self.entries.setdefault(entry.address, entry)
        self._read_sources(configuration)
        for entry in self.entries.values():
            kind = kind_of_terraform(entry.type)
            if kind is not None:
                self._add(entry, kind)
        self._index()
        for entry in self.entries.values():
            if entry.resource is None and entry.mode == "managed":
                self._expose(entry)
        self._outputs(configuration)

    def _instances(self) -> Iterator[tuple[dict[str, Any], object, object, object]]:
        """Every instance that is there after apply: what the plan changes or keeps, else what the state holds."""
        changes = self.content.get("resource_changes")
        if isinstance(changes, list):
            for raw in changes:
                change = table(table(raw).get("change"))
                actions = change.get("actions")
                if actions in (["delete"], ["forget"]) or not change:
                    continue
                yield raw, change.get("after"), change.get("after_unknown"), change.get("after_sensitive")
            root = table(table(self.content.get("prior_state")).get("values")).get("root_module")
            for raw in _resources(table(root)):
                if raw.get("mode") == "data":
                    yield raw, raw.get("values"), {}, raw.get("sensitive_values")
            return
        for holder in ("planned_values", "values"):
            for raw in _resources(table(table(self.content.get(holder)).get("root_module"))):
                yield raw, raw.get("values"), {}, raw.get("sensitive_values")

    def _read_sources(self, configuration: dict[str, Any]) -> None:
        """Read the sources that lie beside the plan, with the values that the plan was made with."""
        folder = posixpath.dirname(self.stack.path)
        if not configuration or not has_files(self.tree, folder):
            return
        given = {}
        for name, item in table(self.content.get("variables")).items():
            value = table(item).get("value")
            given[name] = value if isinstance(value, str) else json.dumps(value)
        modules = Modules(self.tree)
        declared = modules.module(folder).resources
        resources = table(configuration.get("root_module")).get("resources") or []
        wanted = {(item.get("type"), item.get("name")) for item in resources if isinstance(item, dict)}
        if not wanted <= {(type_name, name) for _, type_name, name in declared}:
            return
        found = read_root(self.tree, folder, Options(given), modules)
        self.beside = {resource.address: resource for resource in found.resources}
        self.stack.files |= found.files

    def _add(self, entry: _Entry, kind: Kind) -> None:
        source = self.beside.get(entry.address)
        entry.resource = Resource(
            kind,
            entry.type,
            entry.address,
            self.stack,
            source.head if source is not None else self.site,
            lambda name: self.setting(entry, name),
            elsewhere=entry.mode == "data",
        )
        self.stack.resources.append(entry.resource)

    def _index(self) -> None:
        """Remember by which strings each resource can be told."""
        for entry in self.entries.values():
            resource = entry.resource
            if resource is None:
                continue
            for attribute, neutral in resource.kind.attributes.get("terraform", {}).items():
                text = entry.values.get(attribute)
                if isinstance(text, str) and text:
                    self.known.setdefault(text, []).append((resource, neutral))
        unique = [
            text
            for text, owners in self.known.items()
            if any(neutral in _UNIQUE for _, neutral in owners) and ":" in text
        ]
        if unique:
            alternatives = "|".join(re.escape(text) for text in sorted(unique, key=len, reverse=True))
            self.unique = re.compile(rf"(?<![\w:/.-])({alternatives})(?![\w.-])")

    # ------------------------------------------------------------------------------------------------------- settings

    def setting(self, entry: _Entry, name: str) -> Value | None:
        """One argument of a resource: from the sources where they tell all of it, else from the plan."""
        source = self.beside.get(entry.address)
        written = source.fetch(name) if source is not None else None
        if written is not None:
            written = self._ours(written)
            if complete(written):
                return written
        planned = self.planned(entry, name)
        if written is None:
            return planned
        if planned is not None and complete(planned):
            return plan_references.placed(planned, written)
        return written

    def planned(self, entry: _Entry, name: str) -> Value | None:
        """One argument as the plan has it."""
        if name == "@region":
            return self._region(entry)
        value, unknown = entry.values.get(name), entry.unknown.get(name)
        if (value in (None, "", [], {}) and not _any(unknown)) or not _written(entry, name, value):
            return None
        expression = entry.expressions.get(name)
        filler = _Filler(self, entry, name, expression, _count(value, unknown))
        if unknown is True:
            return filler.whole()
        return filler.convert(value, unknown, entry.secret.get(name), expression)

    def _region(self, entry: _Entry) -> Value | None:
        """The Region of the provider that a resource uses, where the plan says it."""
        providers = table(table(self.content.get("configuration")).get("provider_config"))
        expression = table(table(table(providers.get(entry.provider)).get("expressions")).get("region"))
        region = entry.values.get("region") or expression.get("constant_value")
        references = plan_references.mentioned(expression)
        if region is None and len(references) == 1 and references[0].startswith("var."):
            region = table(table(self.content.get("variables")).get(references[0][4:])).get("value")
        return Known(region, self.site) if isinstance(region, str) else None

    def _targets(self, entry: _Entry, name: str) -> list[Target] | None:
        expression = entry.expressions.get(name)
        if expression is None:
            return []
        return plan_references.targets(plan_references.mentioned(expression), entry.place)

    def reference(self, target: Target) -> Value | None:
        """The attribute of a resource that a target names, as a reference where the resource is one of ours."""
        entry = self.entries.get(target.address)
        if entry is None:
            return None
        if entry.type == "aws_iam_policy_document":
            return self._policy(entry) if target.attribute in ("json", "minified_json") else None
        resource = entry.resource
        if resource is None:
            return None
        neutral = resource.kind.attributes.get("terraform", {}).get(target.attribute)
        if neutral is None:
            return self.setting(entry, target.attribute)
        if neutral == "version" and resource.kind.name == "lambda.function" and not entry.values.get("publish"):
            return Known("$LATEST", self.site)
        return Ref(resource, neutral, self.site)

    def _policy(self, entry: _Entry) -> Value | None:
        if entry.address in self.policies:
            return None
        self.policies.add(entry.address)
        try:
            return policy_document.policy(lambda name: self.planned(entry, name), self.site)
        finally:
            self.policies.discard(entry.address)

    def _ours(self, value: Value, depth: int = 0) -> Value:
        """A value of the sources with its references turned to the resources of the plan."""
        if depth > 60:
            return Unknown("it is nested too deeply", value.site)
        if isinstance(value, Ref):
            entry = self.entries.get(value.target.address)
            if entry is not None and entry.resource is not None:
                return Ref(entry.resource, value.attribute, value.site, value.through)
            return Unknown(f"{value.target.address} is not in the plan", value.site, through=value.through)
        if isinstance(value, Text):
            parts = [part if isinstance(part, str) else self._ours(part, depth + 1) for part in value.parts]
            return Text(tuple(parts), value.site, value.through)
        if isinstance(value, Encoded):
            return Encoded(self._ours(value.tree, depth + 1), value.site, value.through)
        if isinstance(value, Choice):
            then, otherwise = self._ours(value.then, depth + 1), self._ours(value.otherwise, depth + 1)
            return Choice(value.condition, then, otherwise, value.site, value.through)
        if isinstance(value, Known) and isinstance(value.data, list):
            items = [self._ours(item, depth + 1) for item in value.data]
            return Known(items, value.site, value.origin, value.through, value.source, value.unordered)
        if isinstance(value, Known) and isinstance(value.data, dict):
            members = {key: self._ours(item, depth + 1) for key, item in value.data.items()}
            return Known(members, value.site, value.origin, value.through, value.source)
        return value

    # ------------------------------------------------------------------------------------------------ what goes out

    def _expose(self, entry: _Entry) -> None:
        for name in entry.expressions:
            for target in self._targets(entry, name) or ():
                found = self.reference(target)
                if isinstance(found, Ref):
                    self.stack.exposed.append(found)

    def _outputs(self, configuration: dict[str, Any]) -> None:
        root = table(configuration.get("root_module"))
        place = Place("", root)
        for name, output in table(root.get("outputs")).items():
            found = plan_references.targets(plan_references.mentioned(table(output).get("expression")), place)
            value = self.reference(found[0]) if found is not None and len(found) == 1 else None
            if value is not None:
                self.stack.exports[name] = value


class _Filler:
    """Turns the values of one argument into ours, and puts references where something is unknown."""

    __slots__ = ("reader", "entry", "name", "targets", "references", "holes")

    def __init__(self, reader: _Reader, entry: _Entry, name: str, expression: object, holes: int) -> None:
        self.reader = reader
        self.entry = entry
        self.name = name
        self.targets = plan_references.targets(plan_references.mentioned(expression), entry.place)
        found = [reader.reference(target) for target in self.targets or ()]
        self.references = [value for value in found if value is not None]
        # Which hole takes which reference is certain only if there are as many of both.
        whole = self.targets is not None and len(self.references) == len(self.targets) == holes
        self.holes = iter(self.references if whole else [])

    def whole(self) -> Value:
        """The value of an argument of which nothing is known but what it refers to."""
        site = self.reader.site
        if self.targets is None or len(self.references) != len(self.targets) or not self.references:
            return Unknown(_WHY, site)
        only = self.references[0] if len(self.references) == 1 else None
        if self.name in _DOCUMENTS:
            if isinstance(only, Encoded):
                return only
            if self.name == "redrive_policy" and isinstance(only, Ref) and only.attribute == "arn":
                count = Unknown(_WHY, site)
                return Encoded(Known({"deadLetterTargetArn": only, "maxReceiveCount": count}, site), site)
            return Unknown(_WHY, site)
        if self.name.endswith("s"):
            return Known(list(self.references), site)
        return only if only is not None else Unknown(_WHY, site)

    def convert(self, value: object, unknown: object, secret: object, expression: object) -> Value:
        """A value with what is unknown in it. Blocks have an expression for each of their arguments."""
        site = self.reader.site
        through: Through = (Step(self.name, None, "file", secret=True),) if secret is True else ()
        if unknown is True and value is None:
            hole = next(self.holes, None)
            return Unknown(_WHY, site, through=through) if hole is None else hole
        if isinstance(value, dict):
            return Known(self._members(value, unknown, secret, expression), site, WRITTEN, through)
        if isinstance(value, list):
            marks = unknown if isinstance(unknown, list) else []
            secrets = secret if isinstance(secret, list) else []
            blocks = expression if isinstance(expression, list) and len(expression) == len(value) else []
            items = []
            for number, item in enumerate(value):
                hidden = True if secret is True else _at(secrets, number)
                items.append(self.convert(item, _at(marks, number), hidden, _at(blocks, number)))
            return Known(items, site, WRITTEN, through)
        if isinstance(value, float):
            number_ = Fraction(str(value)) if abs(value) < 1e300 else Fraction(0)
            return Known(int(number_) if number_.denominator == 1 else number_, site, WRITTEN, through)
        if isinstance(value, str):
            return self.text(value, through)
        if value is None or isinstance(value, bool | int):
            return Known(value, site, WRITTEN, through)
        return Unknown(_WHY, site)

    def _members(self, value: dict[str, Any], unknown: object, secret: object, expression: object) -> dict[str, Value]:
        marks, secrets = table(unknown), table(secret)
        arguments = table(expression)
        members: dict[str, Value] = {}
        for key in dict.fromkeys([*value, *(key for key, mark in marks.items() if mark is True)]):
            item, mark = value.get(key), marks.get(key)
            hidden = True if secret is True else secrets.get(key)
            inner = arguments.get(key)
            if inner is None or "references" in arguments:
                members[key] = self.convert(item, mark, hidden, None)
                continue
            filler = _Filler(self.reader, self.entry, key, inner, _count(item, mark))
            if mark is True:
                members[key] = filler.whole()
            else:
                members[key] = filler.convert(item, mark, hidden, inner)
        return members

    def text(self, value: str, through: Through) -> Value:
        """A string: a reference where it is one, and with references for the ARNs of our resources in it."""
        site = self.reader.site
        for resource, neutral in self.reader.known.get(value, ()):
            if (neutral in _UNIQUE and ":" in value) or any(
                isinstance(found, Ref) and found.target is resource and found.attribute == neutral
                for found in self.references
            ):
                return Ref(resource, neutral, site, through)
        if self.reader.unique is None or ":" not in value:
            return Known(value, site, WRITTEN, through)
        pieces: list[str | Value] = []
        for number, piece in enumerate(self.reader.unique.split(value)):
            if number % 2 == 0:
                pieces.append(piece)
            else:
                resource, neutral = next(owner for owner in self.reader.known[piece] if owner[1] in _UNIQUE)
                pieces.append(Ref(resource, neutral, site))
        return join_text(pieces, site, through) if len(pieces) > 1 else Known(value, site, WRITTEN, through)


def complete(value: Value, depth: int = 0) -> bool:
    """Whether nothing in a value is unknown but what references stand for."""
    if depth > 60:
        return False
    if isinstance(value, Ref):
        return True
    if isinstance(value, Text):
        return all(isinstance(part, str | Ref) for part in value.parts)
    if isinstance(value, Encoded):
        return complete(value.tree, depth + 1)
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return all(complete(item, depth + 1) for item in value.data)
        if isinstance(value.data, dict):
            return all(complete(item, depth + 1) for item in value.data.values())
        return True
    return False


def _resources(module: dict[str, Any], depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > plan_references.DEEPEST:
        return
    for raw in module.get("resources") or ():
        if isinstance(raw, dict):
            yield raw
    for child in module.get("child_modules") or ():
        yield from _resources(table(child), depth + 1)


def _module_of(address: str) -> str:
    """The module of a resource's address: `module.a["x"].module.b`."""
    found = re.match(r'((?:module\.[\w-]+(?:\[(?:"(?:[^"\\]|\\.)*"|[0-9]+)\])?\.)*)', address)
    return found.group(1).rstrip(".") if found else ""


def _written(entry: _Entry, name: str, value: object) -> bool:
    """Whether an author wrote an argument: a plan also holds what the provider fills in."""
    if name in entry.expressions:
        return True
    if entry.expressions:
        # Blocks that a dynamic block makes are not in the configuration that a plan tells.
        return isinstance(value, list) and any(isinstance(item, dict) for item in value)
    if _UNSET.get((entry.type, name)) == value:
        return False
    kind = kind_of_terraform(entry.type)
    properties = [prop for prop in kind.properties.values() if name in prop.terraform] if kind is not None else []
    return all(prop.default_in("terraform") is None or prop.default_in("terraform") != value for prop in properties)


def _any(unknown: object) -> bool:
    if isinstance(unknown, dict):
        return any(_any(item) for item in unknown.values())
    if isinstance(unknown, list):
        return any(_any(item) for item in unknown)
    return unknown is True


def _count(value: object, unknown: object) -> int:
    """How many pieces of a value are unknown."""
    if isinstance(unknown, dict):
        return sum(_count(table(value).get(key), item) for key, item in unknown.items())
    if isinstance(unknown, list):
        return sum(_count(None, item) for item in unknown)
    return int(unknown is True)


def _at(items: list[object], number: int) -> object:
    return items[number] if number < len(items) else None
