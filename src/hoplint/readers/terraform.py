"""Terraform from source: a root folder, with the modules that it calls, becomes a stack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoplint.catalog import kind_of_terraform
from hoplint.model.finding import InputProblem, Severity
from hoplint.model.place import Site
from hoplint.model.resource import Stack
from hoplint.model.value import Choice, Encoded, Known, Ref, Text, Unknown, Value
from hoplint.readers.expressions import settled
from hoplint.readers.scope import Scope, World
from hoplint.readers.stand_ins import written
from hoplint.readers.syntax import Attribute, Block
from hoplint.readers.terraform_calls import Call
from hoplint.readers.terraform_inputs import Options, given_values, var_files
from hoplint.readers.terraform_module import Modules, called_folders, has_files
from hoplint.readers.terraform_resources import Instance, Many
from hoplint.readers.terraform_scope import ModuleInstance
from hoplint.readers.tree import Tree

__all__ = ["Modules", "Options", "called_modules", "has_files", "read_root"]

UNREADABLE, UNRESOLVED = 1, 2
MOST_PARTS = 100_000
_MENTIONS = re.compile(rb"\b(?:(aws_\w+)|(module|local|var))\s*\.\s*([A-Za-z_][\w-]*)")
_META = frozenset(("source", "version", "providers", "depends_on", "count", "for_each", "provider", "lifecycle"))


def called_modules(tree: Tree, folder: str) -> set[str]:
    """The local folders that a folder calls as modules."""
    return called_folders(tree, folder)


def read_root(tree: Tree, folder: str, options: Options | None = None, modules: Modules | None = None) -> Stack:
    """Read the root in a folder. Folders already read for other roots are in `modules`."""
    options = options or Options()
    modules = modules or Modules(tree)
    stack = Stack(folder or ".", "terraform", folder)
    world = World(tree, stack, folder)
    if options.workspace:
        stack.sources["workspace"] = options.workspace
    module = modules.module(folder)
    root = ModuleInstance(world, modules, module, given_values(world, options))
    stack.sources["variables"] = frozenset(module.variables)
    stack.deployed = module.backend or bool(module.providers) or bool(var_files(tree, folder))
    _Reading(stack, world).module(root)
    for name in module.outputs:
        stack.exports[name] = root.output(name, module.outputs[name].head())
    return stack


class _Reading:
    """Collects the resources and problems of a root and of the modules in it."""

    __slots__ = ("stack", "world", "seen")

    def __init__(self, stack: Stack, world: World) -> None:
        self.stack = stack
        self.world = world
        self.seen: set[str] = set()

    def module(self, instance: ModuleInstance) -> None:
        module = instance.module
        if module.folder not in self.seen:
            self.seen.add(module.folder)
            self.stack.files.update(module.files)
            for problem in module.problems:
                self.stack.problems.append(InputProblem(UNREADABLE, problem.message, problem.site))
                self.stack.blind.append(f"{problem.site.place().path} cannot be read to its end")
        carriers = _Carriers(instance)
        for (mode, type_name, name), block in module.resources.items():
            if mode == "ephemeral":
                continue
            if kind_of_terraform(type_name) is not None:
                node = instance.node(mode, type_name, name)
                assert node is not None
                self.stack.resources.extend(one.resource for one in node.instances() if one.resource is not None)
            elif mode == "resource":
                self._foreign(instance, block, carriers)
        for name in module.calls:
            call = instance.child(name)
            assert call is not None
            if call.absent is not None:
                self._absent(call)
                continue
            for slot in call.expansion().slots:
                self.module(call.instance(slot))

    def _absent(self, call: Call) -> None:
        attribute = call.block.attributes.get("source")
        site: Site = attribute.span() if attribute is not None else call.block.head()
        if call.path not in self.seen:
            self.seen.add(call.path)
            self.stack.problems.append(InputProblem(UNRESOLVED, call.absent or "", site, severity=Severity.INFO))
        scope = call.outer.scope(call.block)
        for argument, value in _arguments(call.block, scope):
            if argument.name in _META or isinstance(value, Unknown) and not isinstance(value, Instance | Many):
                continue
            if not isinstance(value, Ref | Instance | Many):
                self.stack.exposed.append(value)
            self._expose(value, argument)

    def _foreign(self, instance: ModuleInstance, block: Block, carriers: _Carriers) -> None:
        """A resource of a type that no kind knows: what it is handed may be configured by it."""
        if not carriers.mentioned(written(block.source)[block.start : block.end]):
            return
        scope = instance.scope(block)
        for argument, value in _arguments(block, scope):
            if argument.name not in _META:
                self._expose(value, argument)

    def _expose(self, value: Value, argument: Attribute) -> None:
        handed: dict[object, Ref] = {}
        for ref in references(value):
            handed.setdefault((ref.target, ref.attribute), ref)
        for ref in handed.values():
            self.stack.exposed.append(ref.moved(argument.span(), ()))


def _arguments(block: Block, scope: Scope) -> Iterator[tuple[Attribute, Value]]:
    for argument in block.attributes.values():
        yield argument, settled(argument.expression, scope.at(argument.source))
    for inner in block.blocks:
        yield from _arguments(inner, scope)


def references(value: Value) -> Iterator[Ref]:
    """Every reference to a resource in a value; a resource as a whole counts as a reference to its ARN."""
    seen: set[int] = set()
    stack: list[object] = [value]
    while stack and len(seen) < MOST_PARTS:
        part = stack.pop()
        if isinstance(part, str) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Ref):
            yield part
        elif isinstance(part, Instance):
            if part.resource is not None:
                yield Ref(part.resource, "arn", part.site)
        elif isinstance(part, Many):
            stack.append(part.instance)
        elif isinstance(part, Text):
            stack.extend(reversed(part.parts))
        elif isinstance(part, Encoded):
            stack.append(part.tree)
        elif isinstance(part, Choice):
            stack += [part.otherwise, part.then]
        elif isinstance(part, Known) and isinstance(part.data, list):
            stack.extend(reversed(part.data))
        elif isinstance(part, Known) and isinstance(part.data, dict):
            stack.extend(reversed(part.data.values()))


class _Carriers:
    """Which names of a module may stand for one of our resources, told from the text alone.

    Most resources that no kind knows have nothing to do with ours, and are not worth evaluating.
    """

    __slots__ = ("instance", "known")

    def __init__(self, instance: ModuleInstance) -> None:
        self.instance = instance
        self.known: dict[tuple[str, str], bool] = {}

    def mentioned(self, text: bytes) -> bool:
        """Whether a text names one of our resources, or something that may hold one."""
        for type_name, space, name in _MENTIONS.findall(text):
            if type_name:
                if kind_of_terraform(type_name.decode("ascii")) is not None:
                    return True
            elif self._carries(space.decode("ascii"), name.decode("ascii")):
                return True
        return False

    def _carries(self, space: str, name: str) -> bool:
        if space == "module":
            return True
        key = (space, name)
        found = self.known.get(key)
        if found is None:
            self.known[key] = False
            found = self.known[key] = self._look(space, name)
        return found

    def _look(self, space: str, name: str) -> bool:
        instance = self.instance
        if space == "local":
            attribute = instance.module.locals.get(name)
            return attribute is not None and self.mentioned(_text(attribute))
        if instance.parent is None or instance.call is None:
            return False
        argument = instance.call.attributes.get(name)
        return argument is not None and _Carriers(instance.parent).mentioned(_text(argument))


def _text(attribute: Attribute) -> bytes:
    return written(attribute.source)[attribute.start : attribute.end]
