"""Which files form which stack, in which dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hoplint.readers.ignorefile import Ignored
from hoplint.readers.tree import Tree, join, refusal

TERRAFORM = (".tf", ".tofu", ".tf.json", ".tofu.json")
TEMPLATES = (".yaml", ".yml", ".json", ".template")
NEVER = {".git", "node_modules", ".aws-sam", ".hg", ".svn", "__pycache__", ".venv", ".tox"}
BELOW_TERRAFORM = {"providers"}
READ_ALTHOUGH_IGNORED = {"cdk.out", "cdktf.out", ".serverless"}
TEMPLATE_SOURCE = (b"{%", b"{{cookiecutter", b"{{ cookiecutter")
_PLAN = re.compile(rb'"(?:planned_values|resource_changes|values)"\s*:')
_TOP_RESOURCES = re.compile(rb"""^["']?Resources["']?\s*:|[{,]\s*"Resources"\s*:""", re.MULTILINE)


class Found:
    """What there is to lint: folders of Terraform roots, templates, assemblies and plans, and the PATHs without any."""

    __slots__ = ("roots", "templates", "assemblies", "plans", "empty", "notes", "hits", "changed")

    def __init__(self) -> None:
        self.roots: dict[str, None] = {}
        self.templates: dict[str, None] = {}
        self.assemblies: dict[str, None] = {}
        self.plans: dict[str, None] = {}
        self.empty: list[str] = []
        self.notes: list[tuple[str, str]] = []
        self.hits = 0
        self.changed: set[str] | None = None

    def add(self, kind: dict[str, None], path: str) -> None:
        """Enter a find; one that an overlapping PATH gave before counts for this one too."""
        kind[path] = None
        self.hits += 1

    def keep_changed_templates(self, tree: Tree) -> None:
        """Keep the templates that changed and those that name a changed file (a nested template, a definition)."""
        changed = self.changed or set()
        ends = {path.rpartition("/")[2].encode() for path in changed}
        self.templates = {
            path: None
            for path in self.templates
            if path in changed or any(end in (tree.read(path) or b"") for end in ends)
        }

    def __len__(self) -> int:
        return len(self.roots) + len(self.templates) + len(self.assemblies) + len(self.plans)


def discover(tree: Tree, paths: Iterable[str], exclude: Iterable[str] = ()) -> Found:
    """Find what the PATHs, relative to the tree, hold."""
    found = Found()
    search = _Search(tree, found, [re.compile(_glob(pattern)) for pattern in exclude])
    for path in paths:
        before = found.hits
        if tree.is_dir(path):
            search.folder(path, named=True)
        else:
            search.named_file(path)
        if found.hits == before:
            found.empty.append(path)
    return found


def _glob(pattern: str) -> str:
    """A path pattern of the settings: `*` stays within a folder, `**` does not; a folder takes what is below it."""
    pieces = re.split(r"(\*\*/?|\*|\?)", pattern.rstrip("/"))
    wild = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(piece, re.escape(piece)) for piece in pieces) + "(?:/.*)?"


class _Search:
    def __init__(self, tree: Tree, found: Found, exclude: list[re.Pattern[str]]) -> None:
        self.tree = tree
        self.found = found
        self.exclude = exclude
        self.ignored = Ignored(tree)

    def named_file(self, path: str) -> None:
        """A file that was named: what it belongs to is linted, whatever ignores it."""
        folder, _, name = path.rpartition("/")
        if name.endswith(TERRAFORM) or name.endswith((".tfvars", ".tfvars.json")):
            self.found.add(self.found.roots, folder)
            return
        if name == "manifest.json" and self._is_assembly(folder):
            self.found.add(self.found.assemblies, folder)
            return
        data = self.tree.read(path)
        if data is None:
            return
        kind = kind_of(data)
        if kind == "plan":
            self.found.add(self.found.plans, path)
        elif kind == "template" or (kind is None and name.endswith(TEMPLATES) and refusal(data, wide=True)):
            self.found.add(self.found.templates, path)

    def folder(self, folder: str, named: bool = False) -> None:
        """Everything below a folder, deepest last."""
        waiting = [(folder, named, False)]
        # Links may lead in circles, or to the same folder twice.
        seen: set[str] = set()
        while waiting:
            here, is_named, hidden = waiting.pop()
            real = self.tree.real(here)
            if real in seen:
                continue
            seen.add(real)
            if self._is_assembly(here):
                self.found.add(self.found.assemblies, here)
                continue
            names = self.tree.list(here)
            below: list[tuple[str, bool, bool]] = []
            for name in names:
                path = join(here, name.rstrip("/"))
                if any(pattern.fullmatch(path) for pattern in self.exclude):
                    continue
                if name.endswith("/"):
                    self._subfolder(here, name[:-1], path, hidden, below)
                elif not (hidden and not self._read_although(here)):
                    self._file(here, name, path, is_named)
            if "cdk.json" in names and "cdk.out/" not in names and not hidden:
                self.found.notes.append(
                    ("cdk.json without cdk.out: run `cdk synth`, hoplint reads what it makes", here)
                )
            if "cdktf.json" in names and "cdktf.out/" not in names and not hidden:
                message = "cdktf.json without cdktf.out: run `cdktf synth`, hoplint reads what it makes"
                self.found.notes.append((message, here))
            if {"serverless.yml", "serverless.yaml"} & set(names) and ".serverless/" not in names and not hidden:
                self.found.notes.append(
                    ("serverless.yml without .serverless: run `serverless package`, hoplint reads what it makes", here)
                )
            waiting.extend(reversed(below))

    def _subfolder(self, here: str, name: str, path: str, hidden: bool, below: list[tuple[str, bool, bool]]) -> None:
        if name in NEVER or (here.rpartition("/")[2] == ".terraform" or here == ".terraform"):
            # Modules below .terraform are read through their callers.
            return
        if name == ".terraform":
            return
        if name in READ_ALTHOUGH_IGNORED or (hidden and "cdktf.out" in here.split("/")):
            below.append((path, False, True))
        elif hidden or self.ignored.hides(path, folder=True):
            # What is ignored may still hold inputs that a tool made; only those are looked for, one level down.
            if not hidden:
                for inner in self.tree.list(path):
                    if inner.rstrip("/") in READ_ALTHOUGH_IGNORED:
                        below.append((join(path, inner.rstrip("/")), False, True))
        else:
            below.append((path, False, False))

    def _read_although(self, folder: str) -> bool:
        return any(part in READ_ALTHOUGH_IGNORED for part in folder.split("/"))

    def _file(self, folder: str, name: str, path: str, is_named: bool) -> None:
        if name.endswith(TERRAFORM):
            if folder in self.found.roots:
                return
            made = self._read_although(folder) or name.endswith(("_override.tf", "override.tf"))
            if made or not self.ignored.hides(path, folder=False):
                self.found.add(self.found.roots, folder)
        elif name.endswith(TEMPLATES):
            if name.endswith((".tfvars.json", "package-lock.json")):
                return
            if not self._read_although(folder) and self.ignored.hides(path, folder=False):
                return
            data = self.tree.read(path)
            if data is None:
                why = self.tree.refused.get(path)
                if why == "over 10 MB":
                    self.found.notes.append((f"passed over: {why}", path))
                return
            kind = kind_of(data)
            if kind == "plan":
                self.found.add(self.found.plans, path)
            elif kind == "template":
                self.found.add(self.found.templates, path)

    def _is_assembly(self, folder: str) -> bool:
        if "manifest.json" not in self.tree.list(folder):
            return False
        data = self.tree.read(join(folder, "manifest.json")) or b""
        return (
            b'"artifacts"' in data and b'"version"' in data and (b"aws:cloudformation:stack" in data or b"cdk:" in data)
        )


def kind_of(data: bytes) -> str | None:
    """Tell a template or a plan from other YAML and JSON by its bytes, without parsing it."""
    if b"AWS::" in data and b"Resources" in data and _TOP_RESOURCES.search(data):
        return "template"
    if b"A\0W\0S\0:\0:\0" in data and b"R\0e\0s\0o\0u\0r\0c\0e\0s\0" in data:
        return "template"
    if data.lstrip()[:1] == b"{" and b'"terraform_version"' in data and _PLAN.search(data):
        return "plan"
    return None


def is_template_source(data: bytes) -> bool:
    """Whether a broken template is the source of another template engine, about which nothing is said."""
    return any(mark in data for mark in TEMPLATE_SOURCE)
