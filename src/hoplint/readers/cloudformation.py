"""CloudFormation templates, with the stacks that they nest, as a `Stack` of resources."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import Protocol

from hoplint.catalog import KINDS, kind_of_cloudformation
from hoplint.model.condition import FALSE, TRUE, Condition, both
from hoplint.model.finding import InputProblem, Severity
from hoplint.model.place import Site, Source, Spot
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Text, Unknown, Value, reason
from hoplint.readers.exports import Workspace, exported
from hoplint.readers.intrinsics import Foreign, Given, Nested, Scope
from hoplint.readers.marked import (
    Document,
    MadeMapping,
    MadeScalar,
    Mapping,
    Mystery,
    Node,
    Scalar,
    Sequence,
    load,
    make,
    text_of,
)

MAX_NESTED = 500
MAX_CHAIN = 20
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

    __slots__ = ("parameters", "files", "templates", "documents", "_given")

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

    def faults(self, tree: Names) -> list[InputProblem]:
        """What is wrong with the parameter files."""
        found: list[InputProblem] = []
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


def read_template(tree: Names, path: str, options: Options) -> list[Stack]:
    """A template with all that it nests, as one stack. Call `join_exports` on all stacks of the run afterwards."""
    document = options.document(tree, path)
    root = document.root if document is not None else None
    stack = Stack(path, dialect_of(root) if isinstance(root, Mapping) else "cloudformation", path)
    reader = Reader(tree, options, stack)
    scope = reader.template(path, None, "", TRUE)
    if scope is not None:
        given = options.given(tree)
        scope.given = {name: value for name, value in given.items() if name in scope.parameters}
        reader.finish(scope)
    return [stack]


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

    __slots__ = ("scope", "node", "properties", "why")

    def __init__(self, scope: Scope, node: Mapping) -> None:
        self.scope = scope
        self.node = node
        self.properties: dict[str, Node] | None = None
        self.why: Value | None = None

    def __call__(self, name: str) -> Value | None:
        """A property; `@Name` is an attribute of the resource itself."""
        if name.startswith("@"):
            found = self.node.get(name[1:])
            return None if found is None else self.scope.lower(found)
        if self.properties is None:
            self._open()
        assert self.properties is not None
        found = self.properties.get(name)
        return self.why if found is None else self.scope.lower(found)

    def _open(self) -> None:
        properties = self.node.get("Properties")
        self.properties = {}
        if isinstance(properties, Mapping):
            entries = self.scope.unroll(properties.entries)
            function = next((key for key in entries if key.startswith("Fn::")), None)
            if function is not None:
                self.why = Unknown(f"{function} writes properties at deployment", properties)
            self.properties = entries
        elif properties is not None and not (isinstance(properties, Scalar) and properties.data is None):
            self.why = Unknown("the properties are no object", properties)


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
                self.stack.problems.append(InputProblem(1, "the file cannot be read", Spot(Source(path, b""))))
            return None
        if first:
            self.stack.problems.extend(problems(document))
        root = document.root
        if root is None:
            self._blind(f"{path} cannot be parsed")
            return None
        if not isinstance(root, Mapping) or not isinstance(root.get("Resources"), Mapping):
            if first:
                self.stack.problems.append(InputProblem(1, "the template has no Resources", root))
            self._blind(f"{path} has no Resources")
            return None
        scope = Scope(self.stack, path, root, prefix, parent, exists)
        self.scopes.append(scope)
        return scope

    def _blind(self, why: str) -> None:
        if why not in self.stack.blind:
            self.stack.blind.append(why)

    def finish(self, scope: Scope) -> None:
        """Read the resources of a template whose parameters are known."""
        scope.begin()
        resources = scope.root.get("Resources")
        assert isinstance(resources, Mapping)
        entries = scope.unroll(resources.entries)
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
        noise = self.stack.dialect == "cdk" and is_noise(item.logical_id, type_name, node)
        if type_name == "Custom::S3BucketNotifications":
            kind, noise, node = KINDS["s3.notification"], False, _bucket_notification(node)
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

    def attached(self, path: str, at: Node) -> Node:
        """What a file beside the template holds; something unknown where it cannot be read."""
        document = None if path.startswith(("../", "/")) else self.options.document(self.tree, path)
        if document is None:
            return Mystery(f"the file {path} is not here", at)
        if path not in self.stack.files:
            self.stack.files.add(path)
            if document.root is not None or "${" not in document.text:
                self.stack.problems.extend(problems(document))
        return document.root or Mystery(f"the file {path} cannot be parsed", at)

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
        if isinstance(given, Mapping):
            child.given = {
                name: Given("argument", node=node, scope=scope)
                for name, node in scope.unroll(given.entries).items()
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


def _bucket_notification(node: Mapping) -> Mapping:
    """CDK's custom resource, with the names that a bucket's own notification has."""
    properties = node.get("Properties")
    inner = properties.get("NotificationConfiguration") if isinstance(properties, Mapping) else None
    entries: dict[str, Node] = {}
    if isinstance(inner, Mapping):
        names = {"LambdaFunctionConfigurations": "LambdaConfigurations"}
        for key, value in inner.entries.items():
            entries[names.get(key, key)] = value
        bridge = inner.get("EventBridgeConfiguration")
        if bridge is not None:
            # An empty configuration switches delivery on here, and leaves it off on a bucket.
            entries["EventBridgeConfiguration"] = make({"EventBridgeEnabled": True}, bridge)
    elif inner is not None:
        entries["Fn::Transform"] = inner
    if isinstance(properties, Mapping):
        for key in ("BucketName", "SkipDestinationValidation", "Managed"):
            found = properties.get(key)
            if found is not None:
                entries[key] = found
    made = {key: value for key, value in node.entries.items() if key != "Properties"}
    return MadeMapping({**made, "Properties": MadeMapping(entries, properties or node)}, node)


# What is left out, and what is handed to the unknown -----------------------------------------------------------------

_NOISE_TYPES = (
    "AWS::CDK::Metadata", "Custom::LogRetention", "Custom::S3AutoDeleteObjects", "Custom::CrossRegionExportReader",
    "Custom::CrossRegionExportWriter", "Custom::CDKBucketDeployment",
)  # fmt: skip
_NOISE_NAMES = (
    "BucketNotificationsHandler050a0587b7544547bf325f094a3db834",
    "CustomS3AutoDeleteObjectsCustomResourceProvider",
    "CustomCrossRegionExport",
    "CustomVpcRestrictDefaultSG",
    "LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8a",
    "AWS679f53fac002430cb0da5b7982bd2287",
    "CustomCDKBucketDeployment",
    "SingletonLambda",
    "AWSCDKOpenIdConnectProvider",
    "CustomAWSCDK",
    "awscdkawsdynamodbReplicaProvider",
)


def is_noise(logical_id: str, type_name: str, node: Mapping) -> bool:
    """Whether a resource of an assembly is CDK's own machinery: it handles no event of the user's."""
    return type_name in _NOISE_TYPES or logical_id.startswith(_NOISE_NAMES)


_HARMLESS = tuple(
    f"AWS::{service}"
    for service in (
        "ApiGateway:", "ApiGatewayV2:", "AppSync:", "ApplicationAutoScaling:", "AutoScaling:", "Batch:", "CDK:",
        "CertificateManager:", "CloudFormation::WaitCondition", "CloudFront:", "CloudWatch::Dashboard", "CodeBuild:",
        "CodeDeploy:", "CodePipeline:", "Cognito:", "EC2:", "ECR:", "ECS:", "EKS:", "ElasticLoadBalancing",
        "Firehose", "Glue:", "IAM:", "IoT:", "KMS:", "KinesisFirehose:", "Lambda:", "Logs:", "OpenSearchService:",
        "RDS:", "ResourceGroups:", "Route53:", "SSM:", "SecretsManager:", "Serverless::Api", "Serverless::HttpApi",
        "ServiceDiscovery:", "Synthetics:", "WAF", "XRay:",
    )
)  # fmt: skip


def is_harmless(type_name: str) -> bool:
    """Whether a resource of a type that the catalogue lacks certainly adds no alarm, policy or failure queue."""
    return type_name.startswith(_HARMLESS)


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
        for scope, node in handed if isinstance(handed, list) else []:
            stack.exposed.extend(handed_to(scope, node))
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


def handed_to(scope: Scope, node: Node) -> Iterator[Value]:
    """The attributes of our resources that stand in a node."""
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, Sequence):
            stack.extend(at.items)
        elif isinstance(at, Mapping):
            entries = at.entries
            if len(entries) == 1:
                ((name, argument),) = entries.items()
                if name in ("Ref", "Fn::GetAtt", "Fn::ImportValue"):
                    yield from _refs(scope.lower(at))
                    continue
                if name == "Fn::Sub":
                    yield from _refs(scope.lower(at))
                    stack.append(argument)
                    continue
            stack.extend(entries.values())


def _refs(value: Value) -> Iterator[Value]:
    from hoplint.model.value import branches

    for one, _ in branches(value):
        if isinstance(one, Ref):
            yield one
        elif isinstance(one, Text):
            for part in one.parts:
                if isinstance(part, Ref):
                    yield part if part.site is not None else part.moved(one.site, part.through)
        elif isinstance(one, Known) and isinstance(one.data, list):
            for item in one.data:
                yield from _refs(item)
