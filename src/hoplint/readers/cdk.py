"""Cloud assemblies of the CDK: what `cdk synth` wrote into `cdk.out`. The app itself is never run.

Templates are read as CloudFormation. The manifest says which there are, the asset list which of them are nested, and
the metadata which construct, on which line of the user's program, made a resource.
"""

from __future__ import annotations

import posixpath
import re

from hoplint.model.condition import TRUE
from hoplint.model.finding import InputProblem
from hoplint.model.identity import deployed_in
from hoplint.model.place import Place, Site, Source, Spot
from hoplint.model.resource import Note, Stack
from hoplint.readers.cloudformation import Reader
from hoplint.readers.nodes import Document, Mapping, Node, Sequence, text_of
from hoplint.readers.template_options import Names, Options, problems

KNOWN_SCHEMA = 55
MAX_STAGES = 8


def read_assembly(tree: Names, folder: str, options: Options) -> list[Stack]:
    """The stacks of an assembly and of the stages in it. Call `join_exports` on all stacks of the run afterwards."""
    return _Assembly(tree, folder, options, folder).stacks(MAX_STAGES)


class _Assembly:
    """One folder with a manifest."""

    __slots__ = ("tree", "folder", "options", "root", "lines")

    def __init__(
        self, tree: Names, folder: str, options: Options, root: str, lines: dict[str, str | None] | None = None
    ) -> None:
        self.tree = tree
        self.folder = folder
        self.options = options
        self.root = root
        self.lines: dict[str, str | None] = lines if lines is not None else {}

    def stacks(self, depth: int) -> list[Stack]:
        """Every stack, in the order of the manifest."""
        path = posixpath.join(self.folder, "manifest.json")
        document = self.options.document(self.tree, path)
        root = document.root if document is not None else None
        artifacts = root.get("artifacts") if isinstance(root, Mapping) else None
        if not isinstance(artifacts, Mapping):
            return [self._broken(path, document)]
        found: list[Stack] = []
        for name, artifact in artifacts.entries.items():
            if not isinstance(artifact, Mapping):
                continue
            kind = text_of(artifact.get("type"))
            properties = artifact.get("properties")
            if kind == "aws:cloudformation:stack":
                found.append(self._stack(name, artifact))
            elif kind == "cdk:cloud-assembly" and isinstance(properties, Mapping) and depth:
                inner = text_of(properties.get("directoryName"))
                if inner is not None and inner == posixpath.basename(inner):
                    nested = posixpath.join(self.folder, inner)
                    found.extend(_Assembly(self.tree, nested, self.options, self.root, self.lines).stacks(depth - 1))
        version = text_of(root.get("version")) if isinstance(root, Mapping) else None
        major = (version or "").partition(".")[0]
        if found and major.isdigit() and int(major) > KNOWN_SCHEMA:
            message = f"the assembly's schema {version} is newer than the ones that are known"
            found[0].notes.append(Note(message, path, 1))
        return found

    def _broken(self, path: str, document: Document | None) -> Stack:
        stack = Stack(self.folder or path, "cdk", path)
        stack.files.add(path)
        stack.blind.append(f"{path} cannot be read")
        if document is None:
            stack.problems.append(InputProblem(1, "the manifest cannot be read", Spot(Source(path, b""))))
        elif document.root is None:
            stack.problems.extend(problems(document))
        else:
            stack.problems.append(InputProblem(1, "the manifest lists no artifacts", document.root))
        return stack

    def _stack(self, name: str, artifact: Mapping) -> Stack:
        properties = artifact.get("properties")
        settings = properties.entries if isinstance(properties, Mapping) else {}
        # A stack whose name is not its id is shown as "Stage/Stack (name)".
        shown = (text_of(artifact.get("displayName")) or name).partition(" (")[0]
        file = text_of(settings.get("templateFile")) or f"{name}.template.json"
        path = posixpath.normpath(posixpath.join(self.folder, file))
        stack = Stack(shown, "cdk", path)
        where = _ENVIRONMENT.fullmatch(text_of(artifact.get("environment")) or "")
        if where is not None:
            account, region = (None if name.startswith("unknown-") else name for name in where.groups())
            deployed_in(stack, account, region)
        reader = Reader(self.tree, self.options, stack)
        reader.assets = self._assets(name, artifact)
        scope = reader.template(path, None, "", TRUE)
        if scope is None:
            return stack
        scope.stack_name = text_of(settings.get("stackName")) or name
        given = self.options.given(self.tree)
        scope.given = {key: value for key, value in given.items() if key in scope.parameters}
        metadata = self._metadata(artifact)
        reader.locate = _Constructs(self, metadata).find if metadata else None
        reader.finish(scope)
        return stack

    def _document(self, name: str | None) -> Mapping | None:
        if name is None or name != posixpath.basename(name):
            return None
        document = self.options.document(self.tree, posixpath.join(self.folder, name))
        root = document.root if document is not None else None
        return root if isinstance(root, Mapping) else None

    def _assets(self, name: str, artifact: Mapping) -> dict[str, str]:
        """Templates by the last segment of their address, and by their hash alone."""
        found: dict[str, str] = {}
        listed = self._document(f"{name}.assets.json")
        files = listed.get("files") if listed is not None else None
        for key, asset in files.entries.items() if isinstance(files, Mapping) else ():
            source = asset.get("source") if isinstance(asset, Mapping) else None
            path = text_of(source.get("path")) if isinstance(source, Mapping) else None
            if path is not None and path.endswith(".json"):
                found[key] = found[f"{key}.json"] = path
                places = asset.get("destinations") if isinstance(asset, Mapping) else None
                for place in places.entries.values() if isinstance(places, Mapping) else ():
                    object_key = text_of(place.get("objectKey")) if isinstance(place, Mapping) else None
                    if object_key is not None:
                        found[object_key.rpartition("/")[2]] = path
        metadata = artifact.get("metadata")
        for entries in metadata.entries.values() if isinstance(metadata, Mapping) else ():
            for entry in entries.items if isinstance(entries, Sequence) else ():
                data = entry.get("data") if isinstance(entry, Mapping) else None
                if isinstance(data, Mapping):
                    file = text_of(data.get("path"))
                    digest = text_of(data.get("sourceHash")) or text_of(data.get("id"))
                    if file is not None and digest is not None and file.endswith(".json"):
                        found[digest] = file
        return found

    def _metadata(self, artifact: Mapping) -> dict[str, Node]:
        """The metadata by construct path: in a file of its own, or (older) in the manifest."""
        apart = self._document(text_of(artifact.get("additionalMetadataFile")))
        within = artifact.get("metadata")
        found = dict(within.entries) if isinstance(within, Mapping) else {}
        found.update(apart.entries if apart is not None else {})
        return found

    def line(self, frame: str) -> Site | None:
        """The line of the user's program that a frame of a stack trace names, if the file is here."""
        found = _FRAME.search(frame)
        if found is None or "node_modules" in frame:
            return None
        name = found.group("file") or found.group("script")
        number, column = int(found.group("line") or found.group("row")), int(found.group("column") or 1)
        path = self._source(name.replace("\\", "/"))
        if path is None:
            return None
        return _Line(self.tree, path, number, column)

    def _source(self, name: str) -> str | None:
        """A file of the machine that built the assembly, found by its path's end beside or above the assembly."""
        if name not in self.lines:
            self.lines[name] = None
            segments = [segment for segment in name.split("/") if segment not in ("", ".", "..")]
            folder = self.root
            for _ in range(len(self.root.split("/")) + 1 if self.root else 1):
                folder = posixpath.dirname(folder)
                for start in range(len(segments)):
                    candidate = posixpath.join(folder, *segments[start:])
                    if self.tree.exists(candidate):
                        self.lines[name] = candidate
                        return candidate
                if not folder:
                    break
        return self.lines[name]


_ENVIRONMENT = re.compile(r"aws://(\d{12}|unknown-account)/([a-z0-9-]+)")
_FRAME = re.compile(
    r"""(?P<file>(?:[A-Za-z]:)?[^\s():"]*[^\s():"/\\]):(?P<line>\d+)(?::(?P<column>\d+))?\)?\s*$"""
    r"""|File\ "(?P<script>[^"]+)",\ line\ (?P<row>\d+)""",
    re.VERBOSE,
)


class _Line:
    """A line of the user's program, opened only when it is printed."""

    __slots__ = ("tree", "path", "line", "column")

    def __init__(self, tree: Names, path: str, line: int, column: int) -> None:
        self.tree = tree
        self.path = path
        self.line = line
        self.column = column

    @property
    def source(self) -> Source:
        """The program's text."""
        return Source(self.path, self.tree.read(self.path) or b"")

    def place(self) -> Place:
        """From the call to the end of its line."""
        text = self.source.line_text(self.line)
        column = self.column if self.column <= len(text) else 1
        return Place(self.path, self.line, column, self.line, max(column, len(text) + 1))


class _Constructs:
    """The constructs of a stack by the nested stack and the logical id of their resources."""

    __slots__ = ("assembly", "entries", "folders", "byname")

    def __init__(self, assembly: _Assembly, metadata: dict[str, Node]) -> None:
        self.assembly = assembly
        self.entries: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self.folders: dict[str, str] = {}
        paths: dict[str, tuple[str, list[str]]] = {}
        for path, node in metadata.items():
            logical, frames = _facts(node)
            if logical is not None:
                paths[path] = (logical, frames)
                if path.endswith(".NestedStackResource"):
                    inside = path.rpartition("/")[0].removesuffix(".NestedStack")
                    self.folders[inside] = logical
        for path, (logical, frames) in paths.items():
            self.entries[(self._address(path), logical)] = (path, frames)

    def _address(self, path: str) -> str:
        """The address of the nested stack that a construct stands in, with a slash at its end."""
        found: list[str] = []
        at = path
        while "/" in at:
            at = at.rpartition("/")[0]
            if at in self.folders:
                found.append(self.folders[at])
        return "".join(f"{name}/" for name in reversed(found))

    def find(self, prefix: str, logical_id: str) -> tuple[str | None, Site | None]:
        """The construct of a resource, and the line that made it."""
        entry = self.entries.get((prefix, logical_id))
        if entry is None:
            return None, None
        path, frames = entry
        for frame in frames:
            line = self.assembly.line(frame)
            if line is not None:
                return path.lstrip("/"), line
        return path.lstrip("/"), None


def _facts(node: Node) -> tuple[str | None, list[str]]:
    """The logical id that metadata gives a construct, and the frames of the call that made it."""
    logical: str | None = None
    frames: list[str] = []
    for entry in node.items if isinstance(node, Sequence) else ():
        if not isinstance(entry, Mapping):
            continue
        kind = text_of(entry.get("type"))
        if kind == "aws:cdk:logicalId":
            logical = text_of(entry.get("data"))
            trace = entry.get("trace")
            if not frames and isinstance(trace, Sequence):
                frames = [text for item in trace.items if (text := text_of(item)) is not None]
        elif kind == "aws:cdk:creationStack":
            data = entry.get("data")
            listed = data.items if isinstance(data, Sequence) else []
            frames = [text for item in listed if (text := text_of(item)) is not None]
    return logical, frames
