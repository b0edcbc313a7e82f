"""CloudFormation templates, with the stacks that they nest, as a `Stack` of resources."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from hoplint.catalog import KINDS, kind_of_cloudformation
from hoplint.model.condition import FALSE, TRUE, Condition, both
from hoplint.model.finding import InputProblem
from hoplint.model.place import Site, Source, Spot
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Text, Unknown, Value, choose, reason
from hoplint.readers import intrinsics  # noqa: F401  (it gives the scopes their functions)
from hoplint.readers.cdk_parts import bucket_notification, is_noise
from hoplint.readers.exports import Workspace, exported
from hoplint.readers.exposed import Exposed
from hoplint.readers.harmless import is_harmless
from hoplint.readers.includes import INCLUDE, include, with_holes
from hoplint.readers.loops import unroll
from hoplint.readers.nodes import Mapping, Mystery, Node, Scalar, Sequence, changed, text_of
from hoplint.readers.template_options import (
    Names,
    Options,
    dialect_of,
    is_serverless,
    is_template,
    is_template_source,
    looks_like_template,
    problems,
)
from hoplint.readers.template_scope import Foreign, Given, Nested, Scope

__all__ = ["Item", "Options", "Reader", "join_exports", "looks_like_template", "read_template"]

MAX_NESTED = 500
MAX_CHAIN = 20


def read_template(tree: Names, path: str, options: Options) -> list[Stack]:
    """A template with all that it nests, as one stack; nothing where the file turns out to be no template.

    Call `join_exports` on all stacks of the run afterwards.
    """
    document = options.document(tree, path)
    root = document.root if document is not None else None
    if document is not None and (not is_template(root) if root is not None else is_template_source(document)):
        return []
    stack = Stack(path, dialect_of(root) if isinstance(root, Mapping) else "cloudformation", path)
    reader = Reader(tree, options, stack)
    scope = reader.template(path, None, "", TRUE)
    stack.problems.extend(options.faults(tree))
    if scope is not None:
        given = dict(options.given(tree))
        if stack.dialect == "sam":
            folder, _, name = path.rpartition("/")
            given = {**options.configured(tree, folder, name), **given}
        scope.given = {name: value for name, value in given.items() if name in scope.parameters}
        reader.finish(scope)
    return [stack]


class Item:
    """A resource of a template, or one that SAM makes of it: where it stands and what it is called."""

    __slots__ = ("logical_id", "address", "node", "head")

    def __init__(self, logical_id: str, address: str, node: Mapping, head: Site) -> None:
        self.logical_id = logical_id
        self.address = address
        self.node = node
        self.head = head


class Fetcher:
    """Reads a resource's properties when they are asked for."""

    __slots__ = ("scope", "node", "properties", "why", "choice")

    def __init__(self, scope: Scope, node: Mapping) -> None:
        self.scope = scope
        self.node = node
        self.properties: dict[str, Node] | None = None
        self.why: Value | None = None
        self.choice: tuple[Condition, list[dict[str, Node]]] | None = None

    def __call__(self, name: str) -> Value | None:
        """A property; `@Name` is an attribute of the resource itself."""
        if name.startswith("@"):
            found = self.node.get(name[1:])
            return None if found is None else self.scope.lower(found)
        if self.properties is None:
            self._open()
        assert self.properties is not None
        found = self.properties.get(name)
        if found is not None:
            return self.scope.lower(found)
        if self.choice is None:
            return self.why
        condition, sides = self.choice
        if all(name not in side for side in sides):
            return None
        then, otherwise = (self.scope.lower(side[name]) if name in side else Known(None, self.node) for side in sides)
        return choose(condition, then, otherwise, self.node)

    def _open(self) -> None:
        properties = self.node.get("Properties")
        self.properties = {}
        if isinstance(properties, Mapping):
            entries = unroll(self.scope, properties.entries)
            function = next((key for key in entries if key.startswith("Fn::")), None)
            if function == "Fn::If" and len(entries) == 1 and self._conditional(entries[function]):
                entries = {}
            elif function is not None:
                self.why = Unknown(f"{function} writes properties at deployment", properties)
            self.properties = entries
        elif properties is not None and not (isinstance(properties, Scalar) and properties.data is None):
            self.why = Unknown("the properties are no object", properties)

    def _conditional(self, argument: Node) -> bool:
        """Properties of which a condition decides as a whole."""
        parts = argument.items if isinstance(argument, Sequence) else []
        name = text_of(parts[0]) if len(parts) == 3 else None
        if name is None:
            return False
        sides = [part.entries if isinstance(part, Mapping) else {} for part in parts[1:]]
        if any(key == "Ref" or key.startswith("Fn::") for side in sides for key in side):
            return False
        self.choice = self.scope.conditions.named(name), sides
        return True


class Reader:
    """Reads one template and what it nests into one stack."""

    __slots__ = ("tree", "options", "stack", "scopes", "handed", "assets", "locate")

    def __init__(self, tree: Names, options: Options, stack: Stack) -> None:
        self.tree = tree
        self.options = options
        self.stack = stack
        self.scopes: list[Scope] = []
        self.handed: list[tuple[Scope, Node]] = []
        self.assets: dict[str, str] = {}
        self.locate: Callable[[str, str], tuple[str | None, Site | None]] | None = None
        stack.sources["scopes"] = self.scopes
        stack.sources["handed"] = self.handed

    # Templates -------------------------------------------------------------------------------------------------------

    def template(self, path: str, parent: Scope | None, prefix: str, exists: Condition) -> Scope | None:
        """Parse a template; None, and a reason why the stack is not fully seen, if that fails."""
        document = self.options.document(self.tree, path)
        first = path not in self.stack.files
        self.stack.files.add(path)
        if document is None:
            self._blind(f"{path} cannot be read")
            if parent is None:
                message = "the template is not here, or cannot be read"
                self.stack.problems.append(InputProblem(1, message, Spot(Source(path, b""))))
            return None
        if first:
            self.stack.problems.extend(problems(document))
        root = document.root
        if root is None:
            self._blind(f"{path} cannot be parsed")
            return None
        if INCLUDE in document.source.data:
            root = include(root, lambda name, at: self._snippet(path, name, at))
        resources = root.get("Resources") if isinstance(root, Mapping) else root
        empty = resources is None or (isinstance(resources, Scalar) and resources.data is None)
        if not isinstance(root, Mapping) or not (empty or isinstance(resources, Mapping)):
            if first:
                self.stack.problems.append(InputProblem(1, "the template has no Resources", resources or root))
            self._blind(f"{path} has no Resources")
            return None
        scope = Scope(self.stack, path, root, prefix, parent, exists)
        self.scopes.append(scope)
        return scope

    def _snippet(self, template: str, name: str, at: Node) -> Node | None:
        found = self.attached(posixpath.normpath(posixpath.join(posixpath.dirname(template), name)), at)
        return None if isinstance(found, Mystery) else found

    def _blind(self, why: str) -> None:
        if why not in self.stack.blind:
            self.stack.blind.append(why)

    def finish(self, scope: Scope) -> None:
        """Read the resources of a template whose parameters are known."""
        scope.begin()
        resources = scope.root.get("Resources")
        if not isinstance(resources, Mapping):
            return
        entries = unroll(scope, resources.entries)
        loops = entries is not resources.entries
        if "Fn::Transform" in entries:
            self._blind(f"{scope.path} includes a snippet at deployment")
        items: list[Item] = []
        for name, node in entries.items():
            if isinstance(node, Mapping) and not name.startswith("Fn::"):
                items.append(Item(name, name, node, node if loops and name not in resources.entries
                                  else resources.key(name)))  # fmt: skip
        if is_serverless(scope.root):
            from hoplint.readers.sam import lower_serverless

            items = lower_serverless(scope, items, self)
        nested: list[tuple[Item, Condition]] = []
        for item in items:
            self._item(scope, item, nested)
        for item, exists in nested:
            self._nest(scope, item, exists)

    def _item(self, scope: Scope, item: Item, nested: list[tuple[Item, Condition]]) -> None:
        node = item.node
        type_name = text_of(node.get("Type")) or ""
        condition = text_of(node.get("Condition"))
        exists = scope.exists
        if condition is not None:
            exists = both(exists, scope.conditions.named(condition))
        address = scope.prefix + item.address
        if type_name in ("AWS::CloudFormation::Stack", "AWS::Serverless::Application"):
            nested.append((item, exists))
            return
        kind = kind_of_cloudformation(type_name)
        noise = is_noise(item.logical_id, type_name, node)
        if type_name == "AWS::StepFunctions::StateMachine":
            node = self._with_definition(scope, node)
        if type_name == "Custom::S3BucketNotifications":
            kind, noise, node = KINDS["s3.notification"], False, bucket_notification(node)
        if kind is None or noise:
            foreign = Foreign(type_name, address, node, noise)
            scope.resources[item.logical_id] = foreign
            if not noise and exists is not FALSE and not is_harmless(type_name):
                self.handed.append((scope, node))
            return
        construct, creation = self.locate(scope.prefix, item.logical_id) if self.locate else (None, None)
        resource = Resource(
            kind, type_name, address, self.stack, item.head, Fetcher(scope, node), exists=exists,
            construct=_construct(construct) if construct else None, creation=creation,
        )  # fmt: skip
        metadata = node.get("Metadata")
        if isinstance(metadata, Mapping):
            self._metadata(resource, metadata)
        scope.resources[item.logical_id] = resource
        if exists is not FALSE:
            self.stack.resources.append(resource)

    def _metadata(self, resource: Resource, metadata: Mapping) -> None:
        construct = text_of(metadata.get("aws:cdk:path"))
        if construct is not None and resource.construct is None:
            resource.construct = _construct(construct)
        own = metadata.get("hoplint")
        ignores = own.get("ignore") if isinstance(own, Mapping) else None
        for entry in ignores.items if isinstance(ignores, Sequence) else [ignores]:
            rule = entry.get("rule") if isinstance(entry, Mapping) else entry
            why = entry.get("reason") if isinstance(entry, Mapping) else None
            if rule is not None and text_of(rule) is not None:
                resource.ignores.append((text_of(rule) or "", text_of(why) or "", rule))

    def _with_definition(self, scope: Scope, node: Mapping) -> Mapping:
        """A state machine whose definition lies in a file: before it is packaged, that is a local path."""
        properties = node.get("Properties")
        where = properties.get("DefinitionS3Location") if isinstance(properties, Mapping) else None
        if where is None or not isinstance(properties, Mapping) or properties.get("Definition") is not None:
            return node
        return changed(node, {"Properties": changed(properties, {"Definition": self.definition(scope, where)})})

    def definition(self, scope: Scope, where: Node) -> Node:
        """The definition that a local path names, with its own places; something unknown where it cannot be had."""
        path = text_of(where)
        if path is None or "://" in path:
            return Mystery("the definition lies in a bucket", where)
        return self.attached(posixpath.normpath(posixpath.join(posixpath.dirname(scope.path), path)), where)

    def attached(self, path: str, at: Node) -> Node:
        """What a file beside the template holds; something unknown where it cannot be read."""
        document = None if path.startswith(("../", "/")) else self.options.document(self.tree, path)
        if document is None:
            return Mystery(f"the file {path} is not here", at)
        found = document.root or with_holes(document)
        if path not in self.stack.files:
            self.stack.files.add(path)
            if document.root is not None or "${" not in document.text:
                self.stack.problems.extend(problems(document))
        return found or Mystery(f"the file {path} cannot be parsed", at)

    # Nested stacks ---------------------------------------------------------------------------------------------------

    def _nest(self, scope: Scope, item: Item, exists: Condition) -> None:
        address = scope.prefix + item.address
        properties = item.node.get("Properties")
        props = properties.entries if isinstance(properties, Mapping) else {}
        where = self._template_path(scope, item, props)
        why = f"the template of {address} is not here"
        child = None
        if where is not None:
            if self._chain(scope, where) or len(self.scopes) > MAX_NESTED:
                why = f"{address} nests itself" if len(self.scopes) <= MAX_NESTED else "too many stacks are nested"
                self._blind(why)
            else:
                child = self.template(where, scope, f"{address}/", exists)
                why = f"the template of {address} cannot be read"
        scope.resources[item.logical_id] = Nested(address, item.node, child, why)
        if exists is FALSE:
            return
        given = props.get("Parameters")
        if child is None:
            if given is not None:
                self.handed.append((scope, given))
            return
        child.given_whole = given is None
        if isinstance(given, Mapping):
            child.given_whole = not any(name.startswith("Fn::") for name in given.entries)
            child.given = {
                name: Given("argument", node=node, scope=scope)
                for name, node in unroll(scope, given.entries).items()
                if name in child.parameters
            }
        self.finish(child)

    def _chain(self, scope: Scope, path: str) -> bool:
        at: Scope | None = scope
        for _ in range(MAX_CHAIN):
            if at is None:
                return False
            if at.path == path:
                return True
            at = at.parent
        return True

    def _template_path(self, scope: Scope, item: Item, props: dict[str, Node]) -> str | None:
        folder = posixpath.dirname(scope.path)
        metadata = item.node.get("Metadata")
        asset = text_of(metadata.get("aws:asset:path")) if isinstance(metadata, Mapping) else None
        if asset is not None:
            return self._existing(posixpath.join(folder, asset))
        url = props.get("TemplateURL") or props.get("Location")
        if url is None:
            return None
        value = scope.lower(url)
        tail = _tail(value)
        name = tail.rpartition("/")[2] if tail else _hash_in(url)
        if name in self.assets:
            return self._existing(posixpath.join(folder, self.assets[name]))
        if not tail:
            return None
        local = isinstance(value, Known) and "://" not in tail
        if local:
            found = self._existing(posixpath.join(folder, tail.removeprefix("file://")))
            if found is not None:
                return found
        return self._by_suffix(folder, tail.partition("://")[2] or tail)

    def _existing(self, path: str) -> str | None:
        path = posixpath.normpath(path)
        if path.startswith(("../", "/")) or path == "..":
            return None
        return path if self.tree.exists(path) else None

    def _by_suffix(self, folder: str, tail: str) -> str | None:
        """The template whose path ends as the address does: in the most segments, and then the nearest."""
        segments = [segment for segment in tail.split("?")[0].split("/") if segment not in ("", ".", "..")]
        for start in range(len(segments)):
            suffix = "/".join(segments[start:])
            found = [path for path in self.options.templates if path == suffix or path.endswith("/" + suffix)]
            if len(found) > 1:
                near = max(len(posixpath.commonpath([path, folder or "."]) if folder else "") for path in found)
                closest = [
                    path for path in found if len(posixpath.commonpath([path, folder]) if folder else "") == near
                ]
                found = closest
            if len(found) == 1:
                return found[0]
            beside = self._existing(posixpath.join(folder, suffix))
            if beside is not None and not found:
                return beside
            if found:
                return None
        return None


def _construct(path: str) -> str:
    """A construct's path without the segment of the resource in it."""
    return path.removesuffix("/Resource").removesuffix("/Default")


def _tail(value: Value) -> str:
    """The certain end of a text."""
    if isinstance(value, Known):
        return value.data if isinstance(value.data, str) else ""
    if isinstance(value, Text):
        last = value.parts[-1]
        if not isinstance(last, str):
            return ""
        # What stands in front of the first slash belongs to a segment whose begin is not known.
        return last.partition("/")[2]
    return ""


def _hash_in(node: Node) -> str:
    """The hash in the names of the parameters that stand for an asset of the older CDK."""
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, Sequence):
            stack.extend(at.items)
        elif isinstance(at, Mapping):
            found = _HASH.search(text_of(at.get("Ref")) or "")
            if found is not None:
                return found.group()
            stack.extend(at.entries.values())
    return ""


_HASH = re.compile(r"(?<=AssetParameters)[0-9a-f]{64}")


def join_exports(stacks: list[Stack]) -> None:
    """Join the stacks of one run: imports find their exports, and what is handed to the unknown is noted.

    Until then an import is unknown; so it comes before anything reads a value.
    """
    scopes: list[Scope] = []
    offering: list[Scope] = []
    nested = {path for stack in stacks for path in stack.files if path != stack.path}
    for stack in stacks:
        found = stack.sources.get("scopes")
        scopes.extend(found if isinstance(found, list) else [])
        if stack.path not in nested:
            # A template that another one nests is deployed there, and not by itself.
            offering.extend(found if isinstance(found, list) else [])
    workspace = Workspace(offering)
    for scope in scopes:
        scope.workspace = workspace
    for scope in scopes:
        _exports(scope)
    for stack in stacks:
        handed = stack.sources.get("handed")
        exposed = Exposed(stack)
        for scope, node in handed if isinstance(handed, list) else []:
            stack.exposed.extend(exposed.handed_to(scope, node))
        for resource in stack.resources:
            if resource.type == "Custom::S3BucketNotifications":
                bucket = resource.fetch("BucketName")
                if bucket is not None:
                    resource.give("bucket", bucket, resource)


def _exports(scope: Scope) -> None:
    for name, export in exported(scope):
        value = scope.output(name)
        if value is None:
            continue
        if isinstance(export, Known):
            key = str(export.data)
        elif isinstance(export, Text):
            key = "".join(part if isinstance(part, str) else f"${{{reason(part)}}}" for part in export.parts)
        else:
            key = f"{scope.prefix}{name}"
        scope.stack.exports[key] = value
