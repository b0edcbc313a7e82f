"""What belongs to the templates of a run: the files, the parameters that they are given, and what they are."""

from __future__ import annotations

import posixpath
import re
from typing import Any, Protocol

from hoplint.model.finding import InputProblem, Severity
from hoplint.model.place import Source, Span, Spot
from hoplint.readers.marked import load
from hoplint.readers.nodes import Document, MadeScalar, Mapping, Node, Scalar, Sequence, text_of
from hoplint.readers.template_scope import Given

SERVERLESS = "AWS::Serverless-2016-10-31"


class Names(Protocol):
    """What the readers ask of a tree."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or None."""

    def list(self, folder: str) -> list[str]:
        """The names in a folder."""

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""


class Options:
    """What the user gives the templates of a run.

    `parameters` are those of the command line, `files` parameter files (paths of the tree), `templates` the paths of
    the templates of the run, among which a `TemplateURL` is looked for.
    """

    __slots__ = ("parameters", "files", "templates", "documents", "_given", "_configured", "_told")

    def __init__(
        self,
        parameters: dict[str, str] | None = None,
        files: tuple[str, ...] = (),
        templates: tuple[str, ...] | list[str] = (),
    ) -> None:
        self.parameters = parameters or {}
        self.files = files
        self.templates = tuple(templates)
        self.documents: dict[str, Document | None] = {}
        self._given: dict[str, Given] | None = None
        self._configured: dict[str, dict[str, Given]] = {}
        self._told = False

    def document(self, tree: Names, path: str) -> Document | None:
        """A file as a document, parsed once."""
        if path not in self.documents:
            data = tree.read(path)
            self.documents[path] = None if data is None else load(path, data)
        return self.documents[path]

    def given(self, tree: Names) -> dict[str, Given]:
        """The values that parameters are given: the command line wins over files, a later file over an earlier."""
        if self._given is None:
            self._given = {}
            for path in self.files:
                document = self.document(tree, path)
                if document is not None and document.root is not None:
                    self._given.update(parameter_values(document.root))
            for name, text in self.parameters.items():
                self._given[name] = Given("option", text)
        return self._given

    def configured(self, tree: Names, folder: str, template: str) -> dict[str, Given]:
        """What `samconfig.toml` beside a template gives: only where one environment says it, not where they differ."""
        path = posixpath.join(folder, "samconfig.toml")
        if path not in self._configured:
            data = tree.read(path) if tree.exists(path) else None
            self._configured[path] = {} if data is None else overrides(Source(path, data), template)
        return self._configured[path]

    def faults(self, tree: Names) -> list[InputProblem]:
        """What is wrong with the parameter files, told once."""
        found: list[InputProblem] = []
        if self._told:
            return found
        self._told = True
        for path in self.files:
            document = self.document(tree, path)
            if document is None:
                found.append(InputProblem(1, f"{path} cannot be read", Spot(Source(path, b""))))
            else:
                found.extend(problems(document))
        return found


def parameter_values(root: Node) -> dict[str, Given]:
    """What a parameter file gives: the AWS CLI's list, CodePipeline's `Parameters`, or plain names and values."""
    found: dict[str, Given] = {}
    if isinstance(root, Sequence):
        for item in root.items:
            if isinstance(item, Mapping):
                name, value = text_of(item.get("ParameterKey")), item.get("ParameterValue")
                if name is not None and value is not None:
                    found[name] = Given("file", node=value)
            elif (text := text_of(item)) and "=" in text:
                name, _, rest = text.partition("=")
                found[name] = Given("file", node=MadeScalar(rest, item))
    elif isinstance(root, Mapping):
        inner = root.get("Parameters")
        table = inner if isinstance(inner, Mapping) else root
        for name, value in table.entries.items():
            if isinstance(value, Scalar):
                found[name] = Given("file", node=value)
            elif isinstance(value, Sequence):
                joined = ",".join(str(item.data) for item in value.items if isinstance(item, Scalar))
                found[name] = Given("file", node=MadeScalar(joined, value))
    return found


def looks_like_template(data: bytes) -> bool:
    """Whether bytes hold what a template holds; UTF-16 with a mark counts."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    return b"AWS::" in data and b"Resources" in data


def problems(document: Document) -> list[InputProblem]:
    """What is wrong with a document, as findings."""
    return [
        InputProblem(
            1, fault.message, Spot(document.source, fault.place), severity=Severity.WARNING if fault.warning else None
        )
        for fault in document.faults
    ]


def is_template(root: Node) -> bool:
    """Whether a document is a template: it says so, or has resources with types."""
    if not isinstance(root, Mapping):
        return False
    resources = root.get("Resources")
    if isinstance(resources, Mapping) and root.get("AWSTemplateFormatVersion") is not None:
        return True
    return isinstance(resources, Mapping) and any(
        key.startswith("Fn::") or (isinstance(node, Mapping) and text_of(node.get("Type")) is not None)
        for key, node in resources.entries.items()
    )


def is_template_source(document: Document) -> bool:
    """Whether a file that does not parse is what a generator makes templates of."""
    return b"{%" in document.source.data or b"{{cookiecutter" in document.source.data.replace(b" ", b"")


def dialect_of(root: Mapping) -> str:
    """The dialect of a lone template."""
    resources = root.get("Resources")
    if isinstance(resources, Mapping):
        for node in resources.entries.values():
            if isinstance(node, Mapping):
                metadata = node.get("Metadata")
                if text_of(node.get("Type")) == "AWS::CDK::Metadata":
                    return "cdk"
                if isinstance(metadata, Mapping) and metadata.get("aws:cdk:path") is not None:
                    return "cdk"
    return "sam" if is_serverless(root) else "cloudformation"


def is_serverless(root: Mapping) -> bool:
    """Whether a template is SAM's; a fragment that a build merges may lack the transform, and its name may differ."""
    transform = root.get("Transform")
    names = transform.items if isinstance(transform, Sequence) else [transform]
    if any(text_of(name) == SERVERLESS for name in names):
        return True
    resources = root.get("Resources")
    return isinstance(resources, Mapping) and any(
        isinstance(node, Mapping) and (text_of(node.get("Type")) or "").startswith("AWS::Serverless::")
        for node in resources.entries.values()
    )


_OVERRIDE = re.compile(
    r"""(?:^|\s)(?:ParameterKey=)?([A-Za-z0-9]+)(?:,ParameterValue)?=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)"""
)


def overrides(source: Source, template: str) -> dict[str, Given]:
    """The parameter overrides of a `samconfig.toml`, if one environment alone has any for this template."""
    import tomllib

    try:
        config = tomllib.loads(source.data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return {}
    found: list[Any] = []
    for environment in config.values():
        if not isinstance(environment, dict):
            continue
        settings: dict[str, Any] = {}
        for command in ("global", "deploy"):
            section = environment.get(command)
            parameters = section.get("parameters") if isinstance(section, dict) else None
            settings.update(parameters if isinstance(parameters, dict) else {})
        named = next((settings[key] for key in ("template_file", "template") if key in settings), None)
        other = isinstance(named, str) and posixpath.basename(named) != template and ".aws-sam" not in named
        if settings.get("parameter_overrides") and not other:
            found.append(settings["parameter_overrides"])
    if len(found) != 1:
        return {}
    given: dict[str, Given] = {}
    for text in found[0] if isinstance(found[0], list) else [found[0]]:
        for name, value in _OVERRIDE.findall(text) if isinstance(text, str) else ():
            plain = value[1:-1] if value[:1] in ("'", '"') and len(value) > 1 else value
            given[name] = Given("file", node=MadeScalar(plain, _line_of(source, name)))
    return given


def _line_of(source: Source, name: str) -> Span:
    """The place where a name is given a value."""
    found = re.search(rb"\b" + re.escape(name.encode()) + rb"\b(?:,ParameterValue)?=[^\s]*", source.data)
    return Span(source, found.start(), found.end()) if found else Span(source, 0, 0)
