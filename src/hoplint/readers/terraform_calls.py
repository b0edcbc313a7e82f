"""Calls of modules: where the module's files are, its instances, and what `module.name` gives."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from hoplint.model.place import Site
from hoplint.model.value import Unknown, Value
from hoplint.readers.expansion import Expansion, Slot, expand
from hoplint.readers.operations import Whole
from hoplint.readers.scope import Scope
from hoplint.readers.syntax import Block
from hoplint.readers.terraform_module import MANIFEST, Module, is_local
from hoplint.readers.tree import join

if TYPE_CHECKING:
    from hoplint.readers.terraform_scope import ModuleInstance

DEEPEST = 40


class ModuleValue(Whole):
    """One instance of a module in an expression: its attributes are the outputs."""

    __slots__ = ("instance",)

    def __init__(self, instance: ModuleInstance, site: Site | None) -> None:
        super().__init__(f"{instance.path.rstrip('.')} as a whole", site)
        self.instance = instance

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        return self.instance.output(name, site)


class AbsentModule(Whole):
    """A module whose files are not there: nothing is known of its outputs."""

    __slots__ = ("call",)

    def __init__(self, call: Call, site: Site | None) -> None:
        super().__init__(call.absent or "", site)
        self.call = call

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        shown = f"{self.call.path}.{name}"
        return scope.world.unknown((self.call.address, name), shown, self.why, site)


class ManyModules(Whole):
    """The instances of a module that cannot be counted."""

    __slots__ = ("instance",)
    single = False

    def __init__(self, instance: Value, why: str, site: Site | None) -> None:
        super().__init__(why, site)
        self.instance = instance

    def element(self, key: Value, scope: Scope, site: Site | None) -> Value:
        """Return one instance."""
        return self.instance

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        return Unknown(self.why, site)


class Call:
    """A module block with its instances, or with the reason why its files are not there."""

    __slots__ = ("outer", "block", "name", "absent", "source", "module", "_expansion", "_instances")

    def __init__(self, outer: ModuleInstance, block: Block, name: str) -> None:
        self.outer = outer
        self.block = block
        self.name = name
        self.absent: str | None = None
        self.source = _source(block)
        self.module = self._locate()
        self._expansion: Expansion | None = None
        self._instances: dict[int, ModuleInstance] = {}

    @property
    def path(self) -> str:
        """`module.a.module.b`, without keys."""
        return f"{self.outer.path}module.{self.name}"

    @property
    def address(self) -> str:
        """The address of the call, with the keys of those around it."""
        return f"{self.outer.address}module.{self.name}"

    def _locate(self) -> Module | None:
        """The module, or None with the reason in `absent`."""
        if self.source is None:
            self.absent = f"the source of {self.path} cannot be known"
            return None
        modules = self.outer.modules
        if is_local(self.source):
            folder: str | None = join(self.outer.module.folder, self.source)
        else:
            root, key = self.outer.world.folder, self.path.replace("module.", "")
            folder = modules.installed(root, key)
            if folder is None:
                there = join(root, f"{posixpath.dirname(MANIFEST)}/{key}")
                stand_in = modules.stand_in(self.source, _version(self.block), self.block.head(), there)
                if stand_in is not None:
                    return stand_in
        if folder is None or not modules.module(folder).files:
            hint = "" if is_local(self.source) else ": run terraform init, so that its files are here"
            self.absent = f"{self.path} comes from {self.source}, which is not on disk{hint}"
            return None
        chain = self.outer.chain()
        if folder in chain or len(chain) > DEEPEST:
            self.absent = f"{self.path} calls itself"
            self.outer.world.note(f"module {self.path} calls itself", self.block.head())
            return None
        return modules.module(folder)

    def expansion(self) -> Expansion:
        """The instances of the call."""
        if self._expansion is None:
            outer = self.outer

            def twin() -> Scope | None:
                opened = outer.twin()
                return opened.scope(self.block) if opened is not None else None

            self._expansion = Expansion([])
            self._expansion = expand(self.block, outer.scope(self.block), twin)
        return self._expansion

    def instance(self, slot: Slot) -> ModuleInstance:
        """One instance of the module."""
        found = self._instances.get(id(slot))
        if found is None:
            assert self.module is not None
            found = self._instances[id(slot)] = self.outer.called(self.block, self.name, slot, self.module)
        return found

    def value(self, scope: Scope, site: Site | None) -> Value:
        """What `module.name` gives."""
        if self.absent is not None:
            return AbsentCall(self, site) if self._keyed() else AbsentModule(self, site)
        expansion = self.expansion()
        if not expansion.slots and expansion.meta is None:
            return Unknown(f"{self.path} depends on itself", site)

        def whole(slot: Slot) -> Value:
            return ModuleValue(self.instance(slot), site)

        def many(slot: Slot) -> Value:
            return ManyModules(whole(slot), f"the instances of {self.path} cannot be counted", site)

        return expansion.value(whole, many, scope.off, site or self.block.head())

    def _keyed(self) -> bool:
        return "count" in self.block.attributes or "for_each" in self.block.attributes


class AbsentCall(Whole):
    """The instances of a module whose files are not there."""

    __slots__ = ("call",)
    single = False

    def __init__(self, call: Call, site: Site | None) -> None:
        super().__init__(call.absent or "", site)
        self.call = call

    def element(self, key: Value, scope: Scope, site: Site | None) -> Value:
        """Return one instance."""
        return AbsentModule(self.call, site)

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        return AbsentModule(self.call, site)


def _source(block: Block) -> str | None:
    attribute = block.attributes.get("source")
    data = getattr(attribute.expression, "data", None) if attribute is not None else None
    return data if isinstance(data, str) else None


def _version(block: Block) -> str | None:
    """The version constraint, empty where there is none; None where it cannot be known."""
    attribute = block.attributes.get("version")
    if attribute is None:
        return ""
    data = getattr(attribute.expression, "data", None)
    return data if isinstance(data, str) else None
