"""One folder of Terraform files, parsed once however often it is called: its variables, locals, blocks and problems."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TypeVar

from hoplint.model.place import Source, Span, Spot
from hoplint.readers import hcl, terraform_json
from hoplint.readers.stand_ins import Borrowed, Shelf, borrowed, lent
from hoplint.readers.syntax import Attribute, Block
from hoplint.readers.tree import Tree, join, refusal

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
MANIFEST = ".terraform/modules/modules.json"
LOCAL = ("./", "../")
_SOURCE = re.compile(rb'(?:^|[{\s])source\s*=\s*"(\.\.?(?:/[^"$%]*)?)"')

Key = TypeVar("Key")


class Problem:
    """Something in the folder that cannot be read, and where."""

    __slots__ = ("message", "site", "block")

    def __init__(self, message: str, site: Span | Spot, block: str = "") -> None:
        self.message = message
        self.site = site
        self.block = block


class Module:
    """What the files of a folder declare."""

    __slots__ = (
        "folder", "files", "variables", "locals", "outputs", "resources", "calls", "providers", "backend", "problems",
    )  # fmt: skip

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.files: list[str] = []
        self.variables: dict[str, Block] = {}
        self.locals: dict[str, Attribute] = {}
        self.outputs: dict[str, Block] = {}
        self.resources: dict[tuple[str, str, str], Block] = {}
        self.calls: dict[str, Block] = {}
        self.providers: list[Block] = []
        self.backend = False
        self.problems: list[Problem] = []


class Modules:
    """The folders read in one run, each once."""

    __slots__ = ("tree", "folders", "manifests", "variables", "shelf", "models", "calls")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.folders: dict[str, Module] = {}
        self.manifests: dict[str, dict[str, str]] = {}
        self.variables: dict[object, object] = {}
        self.shelf: Shelf | None = None
        self.models: dict[str, Module] = {}
        self.calls: dict[tuple[str, int, str], Module] = {}

    def module(self, folder: str) -> Module:
        """The module in a folder."""
        found = self.folders.get(folder)
        if found is None:
            found = self.folders[folder] = _read(self.tree, folder)
        return found

    def installed(self, root: str, key: str) -> str | None:
        """The folder where `terraform init` put the module of a call (`orders.queue`), if it is there."""
        manifest = self.manifests.get(root)
        if manifest is None:
            manifest = self.manifests[root] = _manifest(self.tree, root)
        folder = manifest.get(key)
        return folder if folder is not None and has_files(self.tree, folder) else None

    def stand_in(self, source: str, version: str | None, head: Span, folder: str) -> Module | None:
        """What stands in for an absent module at the call with this head; `folder` is where the module would be."""
        self.shelf = self.shelf or Shelf()
        name = self.shelf.find(source, version)
        if name is None:
            return None
        model = self.models.get(name)
        if model is None:
            model = self.models[name] = _read(self.shelf.tree, name)
        # Kept as long as the variables' types, which are found by the identity of their blocks.
        key = (head.source.path, head.start, name)
        found = self.calls.get(key)
        if found is None:
            found = self.calls[key] = _as_called(model, folder, head)
        return found


def _as_called(model: Module, folder: str, head: Span) -> Module:
    sources: dict[Source, Borrowed] = {}

    def source(original: Source) -> Borrowed:
        if original not in sources:
            sources[original] = Borrowed(original.data, head)
        return sources[original]

    def lend(blocks: dict[Key, Block]) -> dict[Key, Block]:
        return {key: borrowed(block, source(block.source)) for key, block in blocks.items()}

    module = Module(folder)
    module.variables = lend(model.variables)
    module.outputs = lend(model.outputs)
    module.resources = lend(model.resources)
    module.locals = {name: lent(attribute, source(attribute.source)) for name, attribute in model.locals.items()}
    return module


def _manifest(tree: Tree, root: str) -> dict[str, str]:
    data = tree.read(join(root, MANIFEST))
    if data is None:
        return {}
    try:
        entries = json.loads(data.decode("utf-8"))["Modules"]
        return {entry["Key"]: join(root, entry["Dir"].replace("\\", "/")) for entry in entries if entry["Key"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def has_files(tree: Tree, folder: str) -> bool:
    """Whether a folder holds Terraform files."""
    return any(name.endswith(ENDINGS) for name in tree.list(folder))


def file_names(tree: Tree, folder: str) -> list[str]:
    """The files of a module: plain ones first, then overrides; OpenTofu's stands for Terraform's of the same name."""
    names = [name for name in tree.list(folder) if name.endswith(ENDINGS) and not name.startswith((".", "#"))]
    names = [name for name in names if not name.endswith("~")]
    stems = {name for name in names if ".tofu" in name}
    kept = [name for name in names if ".tofu" in name or name.replace(".tf", ".tofu") not in stems]
    return sorted(kept, key=lambda name: (is_override(name), name))


def is_override(name: str) -> bool:
    """Whether a file's blocks change those of other files."""
    stem = name.partition(".")[0] if "." in name else name
    for ending in ENDINGS:
        if name.endswith(ending):
            stem = name[: -len(ending)]
    return stem == "override" or stem.endswith("_override")


def called_folders(tree: Tree, folder: str) -> set[str]:
    """The local folders that the files of a folder call as modules, found without parsing them."""
    found: set[str] = set()
    for name in file_names(tree, folder):
        data = tree.read(join(folder, name))
        if data is None:
            continue
        if name.endswith(".json"):
            found.update(terraform_json.module_sources(data))
        elif b"module" in data:
            found.update(match.decode("utf-8", "replace") for match in _SOURCE.findall(data))
    return {join(folder, source) for source in found if is_local(source)}


def is_local(source: str) -> bool:
    """Whether a module's source is a folder beside the caller's."""
    return source.startswith(LOCAL) or source in (".", "..")


def _read(tree: Tree, folder: str) -> Module:
    module = Module(folder)
    for name in file_names(tree, folder):
        path = join(folder, name)
        data = tree.read(path)
        if data is None:
            why = tree.refused.get(path, "it cannot be read")
            module.problems.append(Problem(f"{posixpath.basename(path)} was not read: {why}", Spot(Source(path, b""))))
            continue
        module.files.append(path)
        source = Source(path, data)
        why_not = refusal(data)
        if why_not:
            module.problems.append(Problem(f"{posixpath.basename(path)} was not read: {why_not}", Spot(source)))
            continue
        parsed = terraform_json.parse(source) if name.endswith(".json") else hcl.parse(source)
        for problem in parsed.problems:
            module.problems.append(Problem(problem.message, problem.span))
        for block in parsed.blocks:
            _add(module, block, is_override(name))
    return module


def _add(module: Module, block: Block, override: bool) -> None:
    labels = block.labels
    if block.type in ("resource", "data", "ephemeral") and len(labels) == 2:
        _put(module.resources, (block.type, labels[0], labels[1]), block, override)
    elif block.type == "variable" and labels:
        _put(module.variables, labels[0], block, override)
    elif block.type == "output" and labels:
        _put(module.outputs, labels[0], block, override)
    elif block.type == "module" and labels:
        _put(module.calls, labels[0], block, override)
    elif block.type == "locals":
        module.locals.update(block.attributes)
    elif block.type == "provider":
        module.providers.append(block)
    elif block.type == "terraform":
        module.backend = module.backend or any(inner.type in ("backend", "cloud") for inner in block.blocks)


def _put(table: dict[Key, Block], key: Key, block: Block, override: bool) -> None:
    base = table.get(key)
    if base is None:
        table[key] = block
    elif override:
        table[key] = _overridden(base, block)


def _nested_type(block: Block) -> str:
    return block.labels[0] if block.type == "dynamic" and block.labels else block.type


def _overridden(base: Block, change: Block) -> Block:
    """A block with the arguments of an override file: arguments one by one, nested blocks by their type as a whole."""

    def read() -> tuple[dict[str, Attribute], list[Block]]:
        replaced = {_nested_type(block) for block in change.blocks} | change.attributes.keys()
        kept = [block for block in base.blocks if _nested_type(block) not in replaced]
        arguments = {name: item for name, item in base.attributes.items() if name not in replaced}
        return {**arguments, **change.attributes}, [*kept, *change.blocks]

    return Block(
        base.type, base.labels, base.source, base.start, base.head_end, base.end, read, base.broken or change.broken
    )
