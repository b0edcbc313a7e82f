"""Resources and stacks: what every reader ends in, and all that the graph and the rules see."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hoplint.model.condition import TRUE, Condition
from hoplint.model.inquiry import doubt, noted, settle
from hoplint.model.number import NO, YES, Quantity, Symbol, Test, maybe
from hoplint.model.place import Site
from hoplint.model.schema import Kind, Property
from hoplint.model.value import (
    DEFAULT,
    WRITTEN,
    Choice,
    Known,
    Unknown,
    Value,
    is_null,
    map_choices,
    quantity,
    reason,
)

if TYPE_CHECKING:
    from hoplint.model.finding import Finding

Fetch = Callable[[str], "Value | None"]
"""Reads one top-level setting in the dialect's own name: None where it is not written.

Repeatable blocks (Terraform) and arrays come as `Known` lists of `Known` mappings.
"""


class Resource:
    """One resource, or one part of a resource that acts on its own (a rule's target).

    `address` is as the dialect prints it. `head` is the place of the resource itself (Terraform: from `resource` to
    `{`; CloudFormation: the logical id). `exists` is the condition of its being there; `off_by_default` says that it
    is absent only through a default that a caller may change. `elsewhere` marks a resource of another stack that is
    only named here (a data source, an import): its identity is known, its settings are not. `many` marks instances
    that cannot be counted. `parent` is the resource that declares a part.
    """

    __slots__ = (
        "kind", "type", "address", "stack", "head", "exists", "off_by_default", "elsewhere", "many", "construct",
        "creation", "parent", "ignores", "fetch", "values", "given",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        type_name: str,
        address: str,
        stack: Stack,
        head: Site,
        fetch: Fetch,
        *,
        exists: Condition = TRUE,
        off_by_default: bool = False,
        elsewhere: bool = False,
        many: bool = False,
        construct: str | None = None,
        creation: Site | None = None,
        parent: Resource | None = None,
    ) -> None:
        self.kind = kind
        self.type = type_name
        self.address = address
        self.stack = stack
        self.head = head
        self.fetch = fetch
        self.exists = exists
        self.off_by_default = off_by_default
        self.elsewhere = elsewhere
        self.many = many
        self.construct = construct
        self.creation = creation
        self.parent = parent
        self.ignores: list[tuple[str, str, Site]] = []
        self.values: dict[str, Value] = {}
        self.given: dict[str, tuple[Value, Resource]] = {}

    def raw(self, name: str) -> Value:
        """The value of a property by its neutral name, choices left open; AWS's default where nothing is written."""
        found = self.values.get(name)
        if found is None:
            found = self.values[name] = self._read(self.kind.properties[name])
        return found

    def _read(self, prop: Property) -> Value:
        if prop.name in self.given:
            return self.given[prop.name][0]
        if self.elsewhere and prop.name not in self.kind.identity:
            return Unknown(f"{self.address} belongs to another stack, its settings are not known here", self.head)
        value: Value | None = None
        for path in prop.paths(self.stack.family):
            value = self._at(path)
            if value is not None and not is_null(value):
                break
        absent = Known(prop.default_in(self.stack.family), self.head, DEFAULT)
        if value is None or is_null(value):
            return absent
        if isinstance(value, Choice):
            return map_choices(value, lambda branch: absent if is_null(branch) else branch)
        return value

    def _at(self, path: str) -> Value | None:
        first, _, rest = path.partition(".")
        key, each = (first[:-2], True) if first.endswith("[]") else (first, False)
        value = self.fetch(key)
        if value is None:
            return None
        return dig(value, ([""] if each else []) + (rest.split(".") if rest else []), path_each=each)

    def get(self, name: str) -> Value:
        """The value of a property in the scenario being looked at. An unknown value is recorded as a doubt."""
        value = settle(self.raw(name))
        if isinstance(value, Unknown):
            doubt(value.why, self, value.place_of_change)
        return value

    def number(self, name: str) -> Quantity:
        """A property as a number, in AWS's own unit (seconds, where nothing else is said).

        A symbol in it is bounded by the property's range. Text that is no number, and an absent value without a
        default, is an unknown number.
        """
        prop = self.kind.properties[name]
        # An unknown number is no doubt yet: it may cancel out of the comparison, which records what stays open.
        value = settle(self.raw(name))
        if isinstance(value, Unknown):
            noted(value.why, self, value.place_of_change)
        found = quantity(value)
        if found is None:
            why = f"{name} of {self.address} is not set" if is_null(value) else f"{name} of {self.address} is no number"
            found = Quantity(0, {Symbol(name, why): 1})
        return found.within(prop.low, prop.high)

    def flag(self, name: str) -> Test:
        """A property that is true or false; text counts as both dialects count it."""
        value = self.get(name)
        if isinstance(value, Known):
            if isinstance(value.data, bool):
                return YES if value.data else NO
            if isinstance(value.data, str) and value.data.lower() in ("true", "false"):
                return YES if value.data.lower() == "true" else NO
            if value.data is None:
                return NO
        return maybe(reason(value) or f"{name} of {self.address} is neither true nor false")

    def string(self, name: str) -> str | None:
        """A property as a certain string, or None where it is absent or not certain (which is recorded)."""
        value = self.get(name)
        if isinstance(value, Known):
            return value.data if isinstance(value.data, str) else None
        if not isinstance(value, Unknown):
            doubt(reason(value), self, value.place_of_change)
        return None

    def has(self, name: str) -> Test:
        """Whether a property is set at all, by its author (an AWS default does not count)."""
        value = self.get(name)
        if isinstance(value, Known):
            return NO if value.data is None or value.origin == DEFAULT or value.data in ("", []) else YES
        return maybe(reason(value)) if isinstance(value, Unknown) else YES

    def items(self, name: str) -> list[Value] | None:
        """The elements of a list property (a lone value counts as a list of one), or None where not known."""
        value = self.get(name)
        if not isinstance(value, Known):
            return None if isinstance(value, Unknown) else [value]
        if value.data is None:
            return []
        return [settle(item) for item in value.data] if isinstance(value.data, list) else [value]

    def give(self, name: str, value: Value, giver: Resource) -> None:
        """Set a property from another resource that carries it (a separate redrive policy, say)."""
        self.values.pop(name, None)
        self.given[name] = (value, giver)

    def written(self, name: str) -> bool:
        """Whether the author said anything about a property, known or not."""
        value = self.raw(name)
        return not (isinstance(value, Known) and (value.origin == DEFAULT or value.data is None))

    def site(self, name: str | None = None) -> Site:
        """Where a property is set and can be changed; the head of the resource where it is absent."""
        if name is None or name not in self.kind.properties:
            return self.head
        value = settle(self.raw(name))
        if isinstance(value, Known) and (value.origin == DEFAULT or value.data is None):
            giver = self.given.get(name)
            return giver[1].head if giver else self.head
        return value.place_of_change or self.head

    def __repr__(self) -> str:
        return f"<{self.kind.name} {self.address}>"


def dig(value: Value, segments: list[str], path_each: bool = False) -> Value | None:
    """Follow a dotted path into lists and mappings; `[]` behind a segment takes every element, else the first counts.

    What cannot be known on the way makes the result unknown; what is not there makes it None.
    """
    if isinstance(value, Choice):
        missing = Known(None, value.site, WRITTEN)

        def follow(branch: Value) -> Value:
            found = dig(branch, segments, path_each)
            return missing if found is None else found

        return map_choices(value, follow)
    if path_each:
        rest = segments[1:]
        if isinstance(value, Known):
            if value.data is None:
                return None
            items = value.data if isinstance(value.data, list) else [value]
            found = [dig(item, rest) for item in items] if rest else list(items)
            kept = [item for item in found if item is not None]
            return Known(kept, value.site, value.origin, value.through)
        return value
    if not segments:
        return value
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return dig(value.data[0], segments) if value.data else None
        if isinstance(value.data, dict):
            segment = segments[0]
            each = segment.endswith("[]")
            inner = value.data.get(segment[:-2] if each else segment)
            if inner is None:
                return None
            if value.through and not inner.through:
                inner = inner.moved(inner.site, value.through)
            return dig(inner, segments if each else segments[1:], each)
        return None
    if isinstance(value, Unknown):
        return value
    return Unknown(reason(value), value.site, through=value.through)


def field(value: Value, *segments: str) -> Value:
    """What a path leads to; null where it leads nowhere."""
    found = dig(value, list(segments))
    return Known(None, value.site) if found is None else found


class Stack:
    """What is deployed together: a Terraform root, a template, a stack of an assembly, a plan.

    `name` and `dialect` are as the JSON output has them. `blind` holds the reasons why something that is not seen may
    yet exist here (a file that does not parse). `deployed` tells a stack that is rolled out as it stands from a
    reusable module. `group` is shared by stacks that one deployment joins (a parent and its nested stacks).
    """

    __slots__ = (
        "name", "dialect", "family", "path", "resources", "blind", "problems", "notes", "deployed", "exports",
        "imports", "open_imports", "parent", "sources", "exposed", "files",
    )  # fmt: skip

    def __init__(self, name: str, dialect: str, path: str, *, deployed: bool = True) -> None:
        self.name = name
        self.dialect = dialect
        self.family = "terraform" if dialect in ("terraform", "plan") else "cloudformation"
        self.path = path
        self.resources: list[Resource] = []
        self.blind: list[str] = []
        self.problems: list[Finding] = []
        self.notes: list[Note] = []
        self.deployed = deployed
        self.exports: dict[str, Value] = {}
        self.imports: list[tuple[str, Site]] = []
        self.open_imports: list[str] = []
        """What is known of the names of imports that no stack of the run certainly exports."""
        self.parent: Stack | None = None
        self.sources: dict[str, object] = {}
        self.exposed: list[Value] = []
        self.files: set[str] = set()

    def __repr__(self) -> str:
        return f"<stack {self.name}>"


class Note:
    """A remark on the input that is no finding: what was passed over, and why."""

    __slots__ = ("message", "path", "line")

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        self.message = message
        self.path = path
        self.line = line
