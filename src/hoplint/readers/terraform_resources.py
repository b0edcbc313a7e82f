"""Resources and data sources as expressions see them: their instances, and what each attribute of one gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.catalog import kind_of_terraform
from hoplint.model.condition import both
from hoplint.model.place import Site
from hoplint.model.resource import Resource
from hoplint.model.schema import Kind
from hoplint.model.value import COMPUTED, DEFAULT, Choice, Known, Ref, Unknown, Value, branches, is_null
from hoplint.readers import data_sources, policy_document
from hoplint.readers.expansion import Expansion, Slot, expand
from hoplint.readers.operations import Whole
from hoplint.readers.scope import Scope
from hoplint.readers.syntax import Block
from hoplint.readers.terraform_body import setting

if TYPE_CHECKING:
    from hoplint.readers.terraform_scope import ModuleInstance


class Node:
    """A resource or data block in one instance of its module."""

    __slots__ = ("module", "block", "mode", "type", "name", "kind", "_expansion", "_instances")

    def __init__(self, module: ModuleInstance, block: Block, mode: str, type_name: str, name: str) -> None:
        self.module = module
        self.block = block
        self.mode = mode
        self.type = type_name
        self.name = name
        self.kind: Kind | None = kind_of_terraform(type_name)
        self._expansion: Expansion | None = None
        self._instances: dict[int, Instance] = {}

    @property
    def address(self) -> str:
        """The address without the instance's key."""
        return f"{self.module.address}{'data.' if self.mode == 'data' else ''}{self.type}.{self.name}"

    def expansion(self) -> Expansion:
        """The instances."""
        if self._expansion is None:
            module = self.module

            def twin() -> Scope | None:
                opened = module.twin()
                return opened.scope(self.block) if opened is not None else None

            # What count refers to may come back here; then the block depends on itself.
            self._expansion = Expansion([])
            self._expansion = expand(self.block, module.scope(self.block), twin)
        return self._expansion

    def instance(self, slot: Slot) -> Instance:
        """One instance, as a value."""
        found = self._instances.get(id(slot))
        if found is None:
            found = self._instances[id(slot)] = Instance(self, slot)
        return found

    def instances(self) -> list[Instance]:
        """All instances."""
        return [self.instance(slot) for slot in self.expansion().slots]

    def value(self, scope: Scope, site: Site | None) -> Value:
        """What a reference to the block gives: an instance, a list, a mapping, or what depends on a condition."""
        expansion = self.expansion()
        if not expansion.slots and expansion.meta is None:
            return Unknown(f"{self.address} depends on itself", site)
        return expansion.value(self.instance, self._many, scope.off, site or self.block.head())

    def _many(self, slot: Slot) -> Value:
        return Many(self.instance(slot), f"the instances of {self.address} cannot be counted")


class Many(Whole):
    """The instances of a resource that cannot be counted; each of them is the one that stands for all."""

    __slots__ = ("instance",)
    single = False

    def __init__(self, instance: Instance, why: str) -> None:
        super().__init__(why, instance.node.block.head())
        self.instance = instance

    def element(self, key: Value, scope: Scope, site: Site | None) -> Value:
        """Return one instance."""
        return self.instance

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        return Unknown(self.why, site)


class Instance(Whole):
    """One instance of a resource or data source in an expression."""

    __slots__ = ("node", "slot", "resource", "scope", "_policy")

    def __init__(self, node: Node, slot: Slot) -> None:
        address = f"{node.address}{slot.suffix}"
        super().__init__(f"{address} as a whole is known only after deployment", node.block.head())
        self.node = node
        self.slot = slot
        self.scope = node.module.scope(node.block, slot, address if slot.suffix or node.module.address else "")
        self.scope.self_value = self
        self._policy: Value | None = None
        self.resource: Resource | None = None
        if node.kind is not None:
            module = node.module
            self.resource = Resource(
                node.kind,
                node.type,
                address,
                module.world.stack,
                node.block.head(),
                self.setting,
                exists=both(module.exists, slot.condition),
                off_by_default=module.off or slot.off,
                elsewhere=node.mode == "data",
                many=module.many or slot.many,
                construct=node.block.construct,
            )

    @property
    def address(self) -> str:
        """The address, with the key."""
        return f"{self.node.address}{self.slot.suffix}"

    def setting(self, name: str) -> Value | None:
        """One argument, or the nested blocks of that name.

        `@region` is the Region of it or of its provider; `@open NAME` is an argument as it would be if the defaults of
        root variables did not count.
        """
        if name == "@region":
            own = setting(self.node.block, "region", self.scope)
            return own if own is not None and not is_null(own) else self.node.module.region(self.node.block)
        if name.startswith("@open "):
            opened = self.node.module.twin()
            scope = opened.scope(self.node.block, self.slot) if opened is not None else None
            return setting(self.node.block, name[6:], scope) if scope is not None else None
        return setting(self.node.block, name, self.scope)

    def policy(self, site: Site | None) -> Value:
        """The JSON of an `aws_iam_policy_document`."""
        if self._policy is None:
            self._policy = Unknown(f"{self.address} depends on itself", site)
            self._policy = policy_document.policy(self.setting, self.node.block.head())
        return self._policy

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        node = self.node
        if node.mode == "data":
            found = data_sources.attribute(self, name, site)
            if found is not None:
                return found
        if node.kind is not None and self.resource is not None:
            neutral = node.kind.attributes.get("terraform", {}).get(name)
            if neutral is not None:
                return self._reference(self.resource, node.kind, neutral, site)
            if node.mode == "data":
                why = f"{self.address} belongs to another stack, its {name} is not known here"
                return node.module.world.unknown((self.address, name), f"{self.address}.{name}", why, site)
        return self._configured(name, site)

    def _reference(self, resource: Resource, kind: Kind, neutral: str, site: Site | None) -> Value:
        if kind.name == "lambda.function" and neutral == "version" and self.node.mode == "resource":
            published = self._published()
            if published is False:
                return Known("$LATEST", site, COMPUTED)
            if published is None:
                why = f"whether {self.address} publishes versions is not known"
                return self.node.module.world.unknown((self.address, "version"), f"{self.address}.version", why, site)
        return Ref(resource, neutral, site)

    def _published(self) -> bool | None:
        value = self.setting("publish")
        if value is None:
            return False
        answers = {
            branch.data in (True, "true") if isinstance(branch, Known) else None for branch, _ in branches(value)
        }
        return answers.pop() if len(answers) == 1 else None

    def _configured(self, name: str, site: Site | None) -> Value:
        node = self.node
        busy = node.module._busy
        key = ("setting", f"{self.address}.{name}", self.scope.off)
        if key in busy:
            return Unknown(f"{self.address}.{name} depends on itself", site)
        busy.add(key)
        try:
            value = self.setting(name)
        finally:
            busy.discard(key)
        computed = self._unset(name, site)
        if value is None or is_null(value):
            return computed
        if isinstance(value, Choice):
            return _without_null(value, computed)
        return value

    def _unset(self, name: str, site: Site | None) -> Value:
        """An attribute that nobody wrote: AWS's default where the catalogue has one, else known after deployment."""
        kind = self.node.kind
        if kind is not None:
            for prop in kind.properties.values():
                if name in prop.terraform and prop.default_in("terraform") is not None:
                    return Known(prop.default_in("terraform"), site, DEFAULT)
        shown = f"{self.address}.{name}"
        why = f"{shown} is known only after deployment"
        return self.node.module.world.unknown((self.address, name), shown, why, site)


def _without_null(value: Choice, instead: Value) -> Value:
    def pick(branch: Value) -> Value:
        if isinstance(branch, Choice):
            return _without_null(branch, instead)
        return instead if is_null(branch) else branch

    return Choice(value.condition, pick(value.then), pick(value.otherwise), value.site, value.through)
