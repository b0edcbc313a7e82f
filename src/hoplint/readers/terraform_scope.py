"""One instance of a module: what `var`, `local`, `module`, `data` and the resource types mean in its expressions."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from hoplint.model.condition import TRUE, Atom, Condition, both
from hoplint.model.number import Symbol
from hoplint.model.place import Site, Span
from hoplint.model.value import COMPUTED, Known, Step, Through, Unknown, Value, is_null, map_choices
from hoplint.readers import syntax, validation
from hoplint.readers.choices import stepped
from hoplint.readers.constraints import ANY, Constraint, constraint, convert
from hoplint.readers.expansion import Slot
from hoplint.readers.expressions import evaluate, settled
from hoplint.readers.operations import Whole
from hoplint.readers.scope import Scope, World
from hoplint.readers.syntax import Block
from hoplint.readers.terraform_calls import Call
from hoplint.readers.terraform_inputs import Given
from hoplint.readers.terraform_module import Module, Modules
from hoplint.readers.terraform_resources import Node


class Space(Whole):
    """A namespace: `var`, `local`, `module`, `data`, a resource type."""

    __slots__ = ("lookup",)

    def __init__(self, name: str, lookup: Callable[[str, Scope, Site | None], Value], site: Site) -> None:
        super().__init__(f"{name} stands for nothing by itself", site)
        self.lookup = lookup

    def member(self, name: str, scope: Scope, site: Site | None) -> Value:
        """Return one attribute."""
        return self.lookup(name, scope, site)


class ModuleInstance:
    """A module as it is called from one place: arguments, instances, and the values in it, each computed once.

    `address` is `module.orders["eu"].` or empty for the root; `path` is it without keys. `open` marks the twin in
    which the defaults of root variables do not count: it tells what only a default switches off.
    """

    __slots__ = (
        "world", "modules", "module", "parent", "call", "call_scope", "address", "path", "name", "exists", "off",
        "many", "open", "given", "aliases", "_twin", "_values", "_nodes", "_calls", "_busy",
    )  # fmt: skip

    def __init__(
        self,
        world: World,
        modules: Modules,
        module: Module,
        given: dict[str, Given] | None = None,
        *,
        parent: ModuleInstance | None = None,
        call: Block | None = None,
        call_scope: Scope | None = None,
        slot: Slot | None = None,
        name: str = "",
        opened: bool = False,
    ) -> None:
        self.world = world
        self.modules = modules
        self.module = module
        self.parent = parent
        self.call = call
        self.call_scope = call_scope
        self.name = name
        self.given = given or {}
        self.open = opened
        self.address: str = f"{parent.address}module.{name}{slot.suffix}." if parent is not None and slot else ""
        self.path: str = f"{parent.path}module.{name}." if parent is not None else ""
        self.exists: Condition = both(parent.exists, slot.condition) if parent is not None and slot else TRUE
        self.off: bool = parent is not None and slot is not None and (parent.off or slot.off)
        self.many: bool = parent is not None and slot is not None and (parent.many or slot.many)
        self.aliases: dict[str, str] = {}
        self._twin: ModuleInstance | None = None
        self._values: dict[tuple[str, str, bool], Value] = {}
        self._nodes: dict[tuple[str, str, str], Node] = {}
        self._calls: dict[str, Call] = {}
        self._busy: set[tuple[str, str, bool]] = set()

    # ---------------------------------------------------------------------------------------------------------- scopes

    def scope(self, block: Block, slot: Slot | None = None, distinct: str = "") -> Scope:
        """The scope of a block's expressions."""
        return Scope(
            self.world,
            self,
            block.source,
            each=slot.each if slot else None,
            count=slot.count if slot else None,
            distinct=distinct,
            off=self.off or (slot is not None and slot.off),
        )

    def twin(self) -> ModuleInstance | None:
        """The same module with the defaults of root variables left open; None if this is it."""
        if self.open:
            return None
        if self._twin is None:
            if self.parent is None:
                self._twin = ModuleInstance(self.world, self.modules, self.module, self.given, opened=True)
            else:
                outer = self.parent.twin()
                assert outer is not None and self.call is not None and self.call_scope is not None
                scope = outer.scope(self.call)
                scope.each, scope.count = self.call_scope.each, self.call_scope.count
                made = ModuleInstance(
                    self.world, self.modules, self.module, parent=outer, call=self.call, call_scope=scope,
                    name=self.name, opened=True,
                )  # fmt: skip
                made.address, made.path = self.address, self.path
                self._twin = made
        return self._twin

    def root_name(self, name: str, scope: Scope, site: Site) -> Value:
        """What the first word of a traversal stands for."""
        if name == "var":
            return Space(name, lambda key, _, at: self.variable(key, at), site)
        if name == "local":
            return Space(name, lambda key, inner, at: self.local(key, inner, at), site)
        if name == "module":
            return Space(name, self._module_value, site)
        if name == "data":
            return Space(name, lambda key, _, at: Space(f"data.{key}", self._resources("data", key), site), site)
        if name == "ephemeral":
            return Unknown("an ephemeral value is known only during a run", site)
        if name == "path":
            return self._path(site)
        if name == "terraform":
            return self._terraform(site)
        if name in ("each", "count", "self"):
            return Unknown(f"{name} means nothing here", site)
        return Space(name, self._resources("resource", name), site)

    def _path(self, site: Site) -> Value:
        root = self.world.folder
        return Known(
            {
                "module": Known(_relative(self.module.folder, root), site, COMPUTED),
                "root": Known(".", site, COMPUTED),
                "cwd": self.world.unknown("path.cwd", "path.cwd", "path.cwd is another on each machine", site),
            },
            site,
            COMPUTED,
        )

    def _terraform(self, site: Site) -> Value:
        chosen = self.world.stack.sources.get("workspace")
        if isinstance(chosen, str):
            workspace: Value = Known(chosen, site, COMPUTED)
        else:
            why = "the workspace is not known: set TF_WORKSPACE"
            workspace = self.world.unknown("terraform.workspace", "terraform.workspace", why, site)
        return Known({"workspace": workspace}, site, COMPUTED)

    # ----------------------------------------------------------------------------------------------- variables, locals

    def _once(self, kind: str, name: str, off: bool, compute: Callable[[], Value], site: Site | None) -> Value:
        key = (kind, name, off)
        found = self._values.get(key)
        if found is not None:
            return found
        if key in self._busy:
            self.world.note(f"{self.path}{kind}.{name} depends on itself", site)
            return Unknown(f"{kind}.{name} depends on itself", site)
        self._busy.add(key)
        try:
            found = self._values[key] = compute()
        finally:
            self._busy.discard(key)
        return found

    def variable(self, name: str, site: Site | None = None) -> Value:
        """The value of an input variable."""
        return self._once("var", name, False, lambda: self._variable(name, site), site)

    def _variable(self, name: str, site: Site | None) -> Value:
        block = self.module.variables.get(name)
        if block is None:
            given = self.given.get(name)
            if given is not None and self.parent is None:
                return given.read(ANY, self.world)
            return self.world.unknown((self.address, "var", name), f"var.{name}", f"variable {name} is not declared")
        wanted = self._constraint(block)
        secret = self._flag(block, "sensitive", False) or self._flag(block, "ephemeral", False)
        value, step = self._supplied(name, block, wanted)
        if value is not None and not self._flag(block, "nullable", True):
            if is_null(value):
                value = None
            else:
                value = map_choices(value, lambda branch: self._not_null(branch, name, block, wanted))
        if value is None:
            value, step = self._default(name, block, wanted), None
        if value is None:
            value = self._missing(name, block, wanted)
        if step is not None:
            value = stepped(value, step)
        if secret:
            value = _secret(value, self._shown(name))
        return value

    def _not_null(self, branch: Value, name: str, block: Block, wanted: Constraint) -> Value:
        default = self._default(name, block, wanted) if is_null(branch) else None
        return branch if default is None else default

    def _shown(self, name: str) -> str:
        return f"{self.path}{name}" if self.path else f"var.{name}"

    def _supplied(self, name: str, block: Block, wanted: Constraint) -> tuple[Value | None, Step | None]:
        if self.parent is None:
            given = self.given.get(name)
            return (convert(given.read(wanted, self.world), wanted), None) if given is not None else (None, None)
        assert self.call is not None and self.call_scope is not None
        argument = self.call.attributes.get(name)
        if argument is None:
            return None, None
        value = settled(argument.expression, self.call_scope.at(argument.source))
        step = Step(self._shown(name), Span(argument.source, argument.start, argument.end), "argument")
        return convert(value, wanted), step

    def _default(self, name: str, block: Block, wanted: Constraint) -> Value | None:
        attribute = block.attributes.get("default")
        if attribute is None or (self.open and self.parent is None and name not in self.given):
            return None
        value = convert(evaluate(attribute.expression, Scope(self.world, None, attribute.source)), wanted)
        return stepped(value, Step(self._shown(name), attribute.span(), "default"))

    def _missing(self, name: str, block: Block, wanted: Constraint) -> Value:
        if self.parent is not None:
            why = f"{self.path.rstrip('.')} is called without {name}"
        elif self.open and "default" in block.attributes:
            why = f"variable {name} may be given another value than its default"
        else:
            why = f"variable {name} has no default: pass --var {name}=… or --var-file"
        key = (self.address, "var", name, self.open)
        shown = self._shown(name)
        if key not in self.world.symbols:
            low, high, choices = validation.limits(block, name)
            symbol = self.world.symbols[key] = Symbol(shown, why, low, high)
            if wanted.name == "bool":
                self.world.atoms[symbol] = Atom(shown, boolean=True)
            elif choices:
                self.world.atoms[symbol] = Atom(shown, choices)
        return self.world.unknown(key, shown, why, block.head())

    def _constraint(self, block: Block) -> Constraint:
        key = id(block)
        found = self.modules.variables.get(key)
        if found is None:
            attribute = block.attributes.get("type")
            found = ANY
            if attribute is not None:
                scope = Scope(self.world, None, attribute.source)
                found = constraint(attribute.expression, lambda node: evaluate(node, scope))
            self.modules.variables[key] = found
        assert isinstance(found, Constraint)
        return found

    def _flag(self, block: Block, name: str, default: bool) -> bool:
        attribute = block.attributes.get(name)
        return default if attribute is None else getattr(attribute.expression, "data", default) is True

    def local(self, name: str, scope: Scope, site: Site | None) -> Value:
        """The value of a local."""
        attribute = self.module.locals.get(name)
        if attribute is None:
            return Unknown(f"local.{name} is not declared", site)
        inner = Scope(self.world, self, attribute.source, off=scope.off)
        return self._once("local", name, scope.off, lambda: evaluate(attribute.expression, inner), site)

    def output(self, name: str, site: Site | None) -> Value:
        """The value of an output."""
        block = self.module.outputs.get(name)
        attribute = block.attributes.get("value") if block is not None else None
        if block is None or attribute is None:
            return Unknown(f"{self.path}{name} is not declared", site)
        inner = self.scope(block)
        return self._once("output", name, False, lambda: settled(attribute.expression, inner), site)

    # ---------------------------------------------------------------------------------------------- resources, modules

    def node(self, mode: str, type_name: str, name: str) -> Node | None:
        """A resource or data block of this module."""
        key = (mode, type_name, name)
        found = self._nodes.get(key)
        if found is None:
            block = self.module.resources.get(key)
            if block is None:
                return None
            found = self._nodes[key] = Node(self, block, mode, type_name, name)
        return found

    def _resources(self, mode: str, type_name: str) -> Callable[[str, Scope, Site | None], Value]:
        def lookup(name: str, scope: Scope, site: Site | None) -> Value:
            node = self.node(mode, type_name, name)
            if node is None:
                return Unknown(f"{'data.' if mode == 'data' else ''}{type_name}.{name} is not declared", site)
            return node.value(scope, site)

        return lookup

    def child(self, name: str) -> Call | None:
        """A call of another module."""
        found = self._calls.get(name)
        if found is None:
            block = self.module.calls.get(name)
            if block is None:
                return None
            found = self._calls[name] = Call(self, block, name)
        return found

    def called(self, block: Block, name: str, slot: Slot, module: Module) -> ModuleInstance:
        """One instance of a module that this one calls."""
        distinct = f"{self.address}module.{name}{slot.suffix}" if slot.suffix else ""
        return ModuleInstance(
            self.world, self.modules, module, parent=self, call=block,
            call_scope=self.scope(block, slot, distinct), slot=slot, name=name, opened=self.open,
        )  # fmt: skip

    def _module_value(self, name: str, scope: Scope, site: Site | None) -> Value:
        call = self.child(name)
        if call is None:
            return Unknown(f"module.{name} is not declared", site)
        return call.value(scope, site)

    def provider(self, block: Block) -> str:
        """The root's name of the provider that a block uses: `aws`, `aws.eu`, or nothing where none is said."""
        attribute = block.attributes.get("provider")
        name = _provider_name(attribute.expression) if attribute is not None else "aws"
        module: ModuleInstance = self
        while module.parent is not None:
            handed = module._handed()
            name = handed.get(name, name if "." not in name else f"{name} of {module.path.rstrip('.')}")
            module = module.parent
        return name

    def region(self, block: Block) -> Value | None:
        """The Region of the provider that a block uses, where the root says it."""
        name = self.provider(block)
        root: ModuleInstance = self
        while root.parent is not None:
            root = root.parent
        for provider in root.module.providers:
            if provider.labels == ("aws",) and _provider_called(provider) == name:
                attribute = provider.attributes.get("region")
                return settled(attribute.expression, root.scope(provider)) if attribute is not None else None
        return None

    def _handed(self) -> dict[str, str]:
        """The providers that the caller hands in, by the name that they have here."""
        if not self.aliases and self.call is not None:
            attribute = self.call.attributes.get("providers")
            node = attribute.expression if attribute is not None else None
            items = node.items if isinstance(node, syntax.Object) else []
            self.aliases = {_provider_name(key): _provider_name(item) for key, item in items}
        return self.aliases

    def chain(self) -> list[str]:
        """The folders from the root to this module."""
        found = [self.module.folder]
        outer = self.parent
        while outer is not None:
            found.append(outer.module.folder)
            outer = outer.parent
        return found


def _provider_name(node: syntax.Node) -> str:
    if isinstance(node, syntax.Literal) and isinstance(node.data, str):
        return node.data
    if isinstance(node, syntax.GetAttr):
        return f"{_provider_name(node.base)}.{node.name}"
    return node.name if isinstance(node, syntax.Name) else ""


def _provider_called(block: Block) -> str:
    alias = block.attributes.get("alias")
    name = alias.expression.data if alias is not None and isinstance(alias.expression, syntax.Literal) else ""
    return f"aws.{name}" if name else "aws"


def _secret(value: Value, name: str) -> Value:
    through: Through = (Step(name, None, "argument", secret=True), *value.through)
    if value.through:
        first, *rest = value.through
        through = (Step(first.name, first.site, first.how, secret=True), *rest)
    return value.moved(value.site, through)


def _relative(folder: str, root: str) -> str:
    return posixpath.relpath(folder or ".", root or ".")
