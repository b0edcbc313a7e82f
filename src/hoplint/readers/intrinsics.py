"""CloudFormation's functions: from nodes of a template to values.

A `Scope` is one template in one deployment: a nested stack that is used twice has two. Values are made when a rule
asks for them, so an import may name an export of a stack that was read later.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hoplint.model.condition import TRUE, Atom, Condition
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.number import Bound, Symbol
from hoplint.model.place import Site
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import (
    COMPUTED,
    Choice,
    Encoded,
    Known,
    Ref,
    Step,
    Text,
    Through,
    Unknown,
    Value,
    choose,
    exact_number,
    join_text,
    map_choices,
    print_scalar,
    reason,
    text_parts,
)
from hoplint.readers.conditions import Conditions
from hoplint.readers.marked import (
    MadeMapping,
    MadeScalar,
    Mapping,
    Mystery,
    Node,
    Scalar,
    Sequence,
    rewrite,
    text_of,
)

if TYPE_CHECKING:
    from hoplint.readers.exports import Workspace

MAX_LOWERING = 150
MANY_CHOICES = 4
MANY_KEYS = 16
MANY_COPIES = 2_000


class Foreign:
    """A resource of a type that the catalogue does not hold, or one that is left out on purpose (`noise`)."""

    __slots__ = ("type", "address", "node", "noise")

    def __init__(self, type_name: str, address: str, node: Mapping, noise: bool = False) -> None:
        self.type = type_name
        self.address = address
        self.node = node
        self.noise = noise


class Nested:
    """A stack in a stack; `scope` is None when its template is not here, and `why` says so."""

    __slots__ = ("address", "node", "scope", "why")

    def __init__(self, address: str, node: Mapping, scope: Scope | None, why: str = "") -> None:
        self.address = address
        self.node = node
        self.scope = scope
        self.why = why


Target = Resource | Foreign | Nested


class Given:
    """A value that a parameter is given: text from outside, or a node (of the parent's template, or of a file)."""

    __slots__ = ("how", "text", "node", "scope")

    def __init__(self, how: str, text: str = "", node: Node | None = None, scope: Scope | None = None) -> None:
        self.how = how
        self.text = text
        self.node = node
        self.scope = scope


class Scope:
    """One template in one deployment."""

    __slots__ = (
        "stack", "prefix", "parent", "parameters", "given", "mappings", "outputs", "resources", "aliases",
        "conditions", "workspace", "stack_name", "values", "symbols", "depth", "path", "root", "exists",
    )  # fmt: skip

    def __init__(
        self, stack: Stack, path: str, root: Mapping, prefix: str, parent: Scope | None, exists: Condition = TRUE
    ) -> None:
        self.stack = stack
        self.path = path
        self.root = root
        self.exists = exists
        self.prefix = prefix
        self.parent = parent
        self.parameters = _section(root, "Parameters")
        self.mappings = _section(root, "Mappings")
        self.given: dict[str, Given] = {}
        self.resources: dict[str, Target] = {}
        self.aliases: dict[str, tuple[str, str]] = {}
        self.workspace: Workspace | None = None
        self.stack_name: str | None = None
        self.values: dict[str, Value] = {}
        self.symbols: dict[str, Symbol] = {}
        self.depth = 0
        self.conditions = Conditions(self, _section(root, "Conditions"))
        self.outputs = _section(root, "Outputs")

    def begin(self) -> None:
        """Write out the loops, once the parameters are given."""
        self.conditions.nodes = self.unroll(self.conditions.nodes)
        self.outputs = self.unroll(self.outputs)

    # Values ----------------------------------------------------------------------------------------------------------

    def lower(self, node: Node) -> Value:
        """The value of a node."""
        if isinstance(node, Scalar):
            data = node.data
            if isinstance(data, str) and "{{resolve:" in data:
                return self._dynamic(data, node)
            return Known(data, node, source=node)
        if self.depth > MAX_LOWERING:
            return Unknown("it is nested too deeply", node)
        self.depth += 1
        try:
            if isinstance(node, Sequence):
                items = [self.lower(item) for item in node.items]
                return Known([item for item in items if not is_no_value(item)], node)
            if isinstance(node, Mapping):
                return self._mapping(node)
            return Unknown(node.why if isinstance(node, Mystery) else "it cannot be read", node)
        finally:
            self.depth -= 1

    def _mapping(self, node: Mapping) -> Value:
        entries = node.entries
        if len(entries) == 1:
            ((name, argument),) = entries.items()
            function = FUNCTIONS.get(name)
            if function is not None:
                return function(self, argument, node)
            if name.startswith("Fn::") and not name.startswith("Fn::ForEach"):
                return Unknown(f"the function {name} is not known", node)
        data: dict[str, Value] = {}
        for key, item in self.unroll(entries).items():
            if key == "Fn::Transform":
                return Unknown("a transform puts more into it", node)
            value = self.lower(item)
            if not is_no_value(value):
                data[key] = value
        return Known(data, node)

    def symbol(self, key: str, why: str, name: str = "") -> Symbol:
        """The unknown of a name: the same at each call."""
        found = self.symbols.get(key)
        if found is None:
            found = self.symbols[key] = Symbol(name or key, why)
        return found

    def unknown(self, key: str, why: str, site: Site | None) -> Unknown:
        """An unknown value that is the same unknown wherever this key is asked for."""
        return Unknown(why, site, self.symbol(key, why))

    def _dynamic(self, text: str, node: Node) -> Value:
        pieces: list[str | Value] = []
        at = 0
        for found in _DYNAMIC.finditer(text):
            pieces.append(text[at : found.start()])
            service = found.group(1).partition(":")[0]
            pieces.append(self.unknown(found.group(), f"it is read from {service} at deployment", node))
            at = found.end()
        pieces.append(text[at:])
        return join_text(pieces, node)

    def join(self, pieces: list[str | Value], node: Node) -> Value:
        """Put pieces of text together, each branch of a choice for itself."""
        kept = [piece for piece in pieces if not isinstance(piece, str) or piece]
        if len(kept) == 1 and isinstance(kept[0], Value) and not isinstance(kept[0], Choice):
            only = kept[0]
            if isinstance(only, Known) and not isinstance(only.data, str | list | dict | None):
                return Known(print_scalar(only.data), node, COMPUTED, only.through, only.source)
            if isinstance(only, Known) and not isinstance(only.data, str):
                return Known("", node, COMPUTED) if only.data is None else _no_text(only, node)
            return only.moved(node, only.through)
        choices = sum(isinstance(piece, Choice) for piece in kept)
        if choices > MANY_CHOICES:
            kept = [Unknown(reason(piece), node) if isinstance(piece, Choice) else piece for piece in kept]
        for index, piece in enumerate(kept):
            if isinstance(piece, Choice):
                return map_choices(piece, self._with_branch(kept, index, node)).moved(node, piece.through)
        flat: list[str | Value] = []
        secret: list[Step] = []
        for piece in kept:
            if isinstance(piece, str):
                flat.append(piece)
                continue
            parts = text_parts(piece)
            if parts is None:
                parts = () if isinstance(piece, Known) and piece.data is None else (_no_text(piece, node),)
            secret.extend(step for step in piece.through if step.secret)
            flat.extend(parts)
        return join_text(flat, node, tuple(dict.fromkeys(secret)))

    def _with_branch(self, pieces: list[str | Value], index: int, node: Node) -> Callable[[Value], Value]:
        return lambda branch: self.join([*pieces[:index], branch, *pieces[index + 1 :]], node)

    # Names -----------------------------------------------------------------------------------------------------------

    def reference(self, name: str, node: Node) -> Value:
        """What `Ref` of a name gives."""
        if name in self.parameters:
            value = self.parameter(name)
            return value.moved(node, value.through)
        if name.startswith("AWS::"):
            return self._pseudo(name, node)
        if name in self.aliases:
            target, attribute = self.aliases[name]
            return self.attribute(target, attribute, node)
        if name in self.resources:
            return self.attribute(name, "Ref", node)
        return self.unknown(name, f"{name} is neither a parameter nor a resource of this template", node)

    def _pseudo(self, name: str, node: Node) -> Value:
        if name == "AWS::NoValue":
            return Known(None, node, COMPUTED)
        what = _PSEUDO.get(name)
        if what is not None:
            return shared(self.stack, what, node)
        if name == "AWS::StackName" and self.stack_name is not None:
            return Known(self.stack_name, node, COMPUTED)
        return shared(self.stack, self.prefix + name, node)

    def attribute(self, name: str, attribute: str, node: Node) -> Value:
        """What `GetAtt` gives (`Ref`, where the attribute is called so)."""
        target = self.resources.get(name)
        if isinstance(target, Resource):
            neutral = target.kind.attributes.get("cloudformation", {}).get(attribute)
            if neutral is not None:
                return Ref(target, neutral, node)
            return self.unknown(f"{name}.{attribute}", f"{attribute} of {target.address} is not known", node)
        if isinstance(target, Nested):
            if attribute.startswith("Outputs."):
                return self._nested_output(target, attribute[8:], node)
            return self.unknown(f"{name}.{attribute}", f"{attribute} of {target.address} is not known", node)
        if target is None:
            alias = self.aliases.get(name) or self.aliases.get(f"{name}.{attribute}")
            if alias is not None:
                return self.attribute(alias[0], attribute if name in self.aliases else alias[1], node)
            return self.unknown(f"{name}.{attribute}", f"{name} is no resource of this template", node)
        if self.workspace is not None and target.type.startswith("Custom::CrossRegion"):
            found = self.workspace.crossed(attribute)
            if found is not None:
                return found.moved(node, found.through)
        why = f"{target.address} is a {target.type or 'resource without a type'}, whose attributes are not known"
        return self.unknown(f"{name}.{attribute}", why, node)

    def _nested_output(self, nested: Nested, name: str, node: Node) -> Value:
        if nested.scope is None:
            return self.unknown(f"{nested.address}.{name}", nested.why, node)
        value = nested.scope.output(name)
        if value is None:
            return self.unknown(f"{nested.address}.{name}", f"{nested.address} has no output {name}", node)
        through: Through = value.through
        if isinstance(value, Known) and value.site is not None:
            through = (Step(f"{nested.address}.Outputs.{name}", value.site, "argument"), *through)
        return value.moved(node, through)

    def output(self, name: str) -> Value | None:
        """An output of the template."""
        node = self.outputs.get(name)
        if not isinstance(node, Mapping):
            return None
        value = node.get("Value")
        key = f"output {name}"
        if key not in self.values:
            self.values[key] = Unknown(f"the output {name} depends on itself", node)
            self.values[key] = self.lower(value) if value is not None else Known(None, node)
        return self.values[key]

    # Parameters ------------------------------------------------------------------------------------------------------

    def parameter(self, name: str) -> Value:
        """The value of a parameter: given, else its default, else unknown within its bounds."""
        found = self.values.get(name)
        if found is None:
            self.values[name] = Unknown(f"the parameter {name} depends on itself")
            found = self.values[name] = self._parameter(name)
        return found

    def _parameter(self, name: str) -> Value:
        node = self.parameters[name]
        entries = node.entries if isinstance(node, Mapping) else {}
        type_name = text_of(entries.get("Type")) or "String"
        secret = truth(entries.get("NoEcho"))
        shown = self.prefix + name
        given = self.given.get(name)
        stored = type_name.startswith("AWS::SSM::Parameter::Value")
        if given is not None:
            value = self._given(given, shown, secret)
            if not is_no_value(value):
                if stored:
                    return self._stored(name, value.site, shown, secret)
                return _listed(value) if "List" in type_name else value
        default = entries.get("Default")
        if stored:
            return self._stored(name, default or node, shown, secret)
        if default is not None:
            step = Step(shown, default, "default", secret)
            if isinstance(default, Scalar) and isinstance(default.data, str) and "{{resolve:" in default.data:
                return self.lower(default).via(step)
            plain = default.data if isinstance(default, Scalar) else None
            value = Known(plain, default, through=(step,), source=default)
            return _listed(value) if "List" in type_name else value
        why = f"the parameter {shown} has no value"
        symbol = Symbol(shown, why, *_bounds(entries))
        through = (Step(shown, None, "default", True),) if secret else ()
        return Unknown(why, node, symbol, through)

    def _given(self, given: Given, shown: str, secret: bool) -> Value:
        if given.node is None:
            return Known(given.text, None, through=(Step(shown, None, given.how, secret),))
        scope = given.scope
        value = self.lower(given.node) if scope is None else scope.lower(given.node)
        if is_no_value(value):
            return value
        return value.via(Step(shown, given.node, given.how, secret))

    def _stored(self, name: str, site: Site | None, shown: str, secret: bool) -> Value:
        why = f"the parameter {shown} is read from the parameter store at deployment"
        through = (Step(shown, None, "default", True),) if secret else ()
        return Unknown(why, site, self.symbol(name, why, shown), through)

    def atom_of(self, node: Node) -> Atom | None:
        """The atom of a reference to a parameter whose value nothing decides, or to the region and its like."""
        if not isinstance(node, Mapping) or len(node.entries) != 1:
            return None
        ((function, argument),) = node.entries.items()
        name = text_of(argument)
        if name is not None and function == "Fn::Sub":
            lone = _LONE.fullmatch(name)
            name = lone.group(1) if lone else None
        elif function != "Ref":
            return None
        if name is None:
            return None
        if name not in self.parameters:
            if name in _PSEUDO or name in ("AWS::StackName", "AWS::URLSuffix"):
                top = self.top() if name in _PSEUDO else self
                return top.conditions.atoms.setdefault(name, Atom(name))
            return None
        given = self.given.get(name)
        if given is not None:
            if given.how in ("option", "file"):
                return None
            above = given.scope
            if above is not None and given.node is not None and not is_no_value(above.lower(given.node)):
                return above.atom_of(given.node)
        atom = self.conditions.atoms.get(name)
        if atom is None:
            atom = self.conditions.atoms[name] = self._atom(name)
        return atom

    def _atom(self, name: str) -> Atom:
        node = self.parameters[name]
        entries = node.entries if isinstance(node, Mapping) else {}
        allowed = entries.get("AllowedValues")
        values = None
        if isinstance(allowed, Sequence):
            values = [printed(item) for item in allowed.items]
        default = entries.get("Default")
        shown = printed(default) if default is not None else None
        if (text_of(entries.get("Type")) or "").startswith("AWS::SSM::Parameter::Value"):
            values = shown = None
        if values and set(values) == {"true", "false"}:
            return Atom(self.prefix + name, default=shown, boolean=True)
        if values and shown is not None and shown not in values:
            values.append(shown)
        return Atom(self.prefix + name, list(dict.fromkeys(values)) if values else None, shown)

    def top(self) -> Scope:
        """The scope of the template that nests all others."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    # Loops -----------------------------------------------------------------------------------------------------------

    def unroll(self, entries: dict[str, Node]) -> dict[str, Node]:
        """Entries with their `Fn::ForEach` loops written out."""
        if not any(key.startswith("Fn::ForEach::") for key in entries):
            return entries
        made: dict[str, Node] = {}
        for key, node in entries.items():
            if key.startswith("Fn::ForEach::"):
                self._loop(node, made)
            else:
                made[key] = node
        return made

    def _loop(self, node: Node, made: dict[str, Node]) -> None:
        parts = node.items if isinstance(node, Sequence) else []
        name = text_of(parts[0]) if parts else None
        if name is None or len(parts) != 3 or not isinstance(parts[2], Mapping):
            return self._blind(node, "a Fn::ForEach loop cannot be read")
        for item in self._collection(parts[1]) or [None]:
            if item is None or len(made) > MANY_COPIES:
                return self._blind(node, "what a Fn::ForEach loop runs over is not known")
            body = _replace(parts[2], name, item)
            assert isinstance(body, Mapping)
            for key, copy in self.unroll(body.entries).items():
                made[key] = copy
        return None

    def _collection(self, node: Node) -> list[str | None] | None:
        value = self.lower(node)
        if isinstance(value, Known) and isinstance(value.data, list):
            items: list[str | None] = []
            for item in value.data:
                known = isinstance(item, Known) and isinstance(item.data, str | int)
                if known and isinstance(item, Known) and isinstance(item.data, list):
                    return None
                items.append(str(item.data) if known and isinstance(item, Known) else None)
            return items
        return None

    def _blind(self, node: Node, why: str) -> None:
        if why not in self.stack.blind:
            self.stack.blind.append(why)


def _replace(body: Node, name: str, item: str) -> Node:
    """The body of a loop for one element."""
    bare = re.sub(r"[^A-Za-z0-9]", "", item)

    def text(data: str) -> str:
        return data.replace("${" + name + "}", item).replace("&{" + name + "}", bare)

    def change(node: Node) -> Node | None:
        if isinstance(node, Scalar) and isinstance(node.data, str):
            new = text(node.data)
            return node if new == node.data else MadeScalar(new, node)
        if isinstance(node, Mapping) and len(node.entries) == 1 and text_of(node.get("Ref")) == name:
            return MadeScalar(item, node)
        return None

    changed = rewrite(body, change, text)
    # The same body twice would give both copies one site for their keys: they are told apart by name only.
    return changed if isinstance(changed, Mapping) else MadeMapping({}, body)


def _section(root: Mapping, name: str) -> dict[str, Node]:
    found = root.get(name)
    return found.entries if isinstance(found, Mapping) else {}


def truth(node: Node | None) -> bool:
    """Whether a scalar is true, or the text of it."""
    return isinstance(node, Scalar) and (node.data is True or str(node.data).lower() == "true")


def printed(node: Node | None) -> str:
    """A scalar as the text that it becomes."""
    return print_scalar(node.data) if isinstance(node, Scalar) and node.data is not None else ""


def is_no_value(value: Value) -> bool:
    """Whether a value is `AWS::NoValue`; a written null is data."""
    return isinstance(value, Known) and value.data is None and value.origin == COMPUTED


def _no_text(value: Value, node: Node) -> Value:
    return Unknown("a list or an object stands where text is meant", node)


def _bounds(entries: dict[str, Node]) -> tuple[Bound, Bound]:
    allowed = entries.get("AllowedValues")
    if isinstance(allowed, Sequence):
        numbers = [exact_number(item.data) if isinstance(item, Scalar) else None for item in allowed.items]
        exact = [number for number in numbers if number is not None]
        if exact and len(exact) == len(numbers):
            return min(exact), max(exact)
    low, high = entries.get("MinValue"), entries.get("MaxValue")
    least = exact_number(low.data) if isinstance(low, Scalar) else None
    most = exact_number(high.data) if isinstance(high, Scalar) else None
    return (float("-inf") if least is None else least), (float("inf") if most is None else most)


def _listed(value: Value) -> Value:
    """A comma-delimited parameter as the list that it is."""

    def split(one: Value) -> Value:
        if not isinstance(one, Known) or isinstance(one.data, list | dict):
            return one
        text = "" if one.data is None else print_scalar(one.data)
        items: list[Value] = [Known(item.strip(), one.site, COMPUTED) for item in text.split(",")]
        return Known(items, one.site, one.origin, one.through)

    return map_choices(value, split)


# The functions -------------------------------------------------------------------------------------------------------

_PSEUDO = {"AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::Partition": PARTITION}
_DYNAMIC = re.compile(r"\{\{resolve:([^{}]*)\}\}")
_LONE = re.compile(r"\$\{([A-Za-z0-9:]+)\}")
_HOLE = re.compile(r"\$\{([^}]*)\}")

Function = Callable[[Scope, Node, Mapping], Value]


def _ref(scope: Scope, argument: Node, node: Mapping) -> Value:
    name = text_of(argument)
    if name is None:
        found = scope.lower(argument) if isinstance(argument, Mapping) else None
        name = found.data if isinstance(found, Known) and isinstance(found.data, str) else printed(argument)
    return scope.reference(name, node)


def _get_att(scope: Scope, argument: Node, node: Mapping) -> Value:
    text = text_of(argument)
    if text is not None:
        name, _, attribute = text.partition(".")
        return scope.attribute(name, attribute, node)
    if not isinstance(argument, Sequence) or len(argument.items) < 2:
        return Unknown("a Fn::GetAtt cannot be read", node)
    parts: list[str] = []
    for item in argument.items:
        value = scope.lower(item)
        if not isinstance(value, Known) or not isinstance(value.data, str | int):
            return Unknown(reason(value) or "a Fn::GetAtt cannot be read", node)
        parts.append(str(value.data))
    return scope.attribute(parts[0], ".".join(parts[1:]), node)


def _sub(scope: Scope, argument: Node, node: Mapping) -> Value:
    own: dict[str, Node] = {}
    if isinstance(argument, Sequence) and argument.items:
        if len(argument.items) > 1 and isinstance(argument.items[1], Mapping):
            own = argument.items[1].entries
        argument = argument.items[0]
    if not isinstance(argument, Scalar):
        return Unknown("a Fn::Sub cannot be read", node)
    text = printed(argument)
    if "${" not in text:
        if "{{resolve:" in text:
            return scope.lower(argument)
        return Known(text, node, source=argument)
    pieces: list[str | Value] = []
    at = 0
    for hole in _HOLE.finditer(text):
        pieces.append(text[at : hole.start()])
        at = hole.end()
        name = hole.group(1).strip()
        if name.startswith("!"):
            pieces.append("${" + name[1:] + "}")
        elif name in own:
            pieces.append(scope.lower(own[name]))
        else:
            pieces.append(substituted(scope, name, node))
    pieces.append(text[at:])
    return scope.join(pieces, node)


def substituted(scope: Scope, name: str, node: Node) -> Value:
    """What `${name}` in a `Fn::Sub` gives."""
    if "." in name and name not in scope.parameters and name not in scope.aliases:
        target, _, attribute = name.partition(".")
        return scope.attribute(target, attribute, node)
    return scope.reference(name, node)


def _join(scope: Scope, argument: Node, node: Mapping) -> Value:
    parts = argument.items if isinstance(argument, Sequence) else []
    if len(parts) != 2:
        return Unknown("a Fn::Join cannot be read", node)
    delimiter = printed(parts[0])

    def joined(found: Value) -> Value:
        if not isinstance(found, Known) or not isinstance(found.data, list):
            return Unknown(reason(found) or "a Fn::Join cannot be read", node)
        pieces: list[str | Value] = []
        for index, item in enumerate(found.data):
            if index and delimiter:
                pieces.append(delimiter)
            pieces.append(item)
        return scope.join(pieces, node) if pieces else Known("", node, COMPUTED)

    return map_choices(scope.lower(parts[1]), joined)


def split_value(scope: Scope, value: Value, delimiter: str, node: Node) -> tuple[list[Value], bool] | None:
    """The pieces of a text between delimiters, and whether they are all: behind an unknown piece nothing is certain."""
    parts = text_parts(value)
    if parts is None or not delimiter:
        return None
    done: list[Value] = []
    current: list[str | Value] = []
    for part in _spread(scope, parts):
        if isinstance(part, str):
            first, *rest = part.split(delimiter)
            current.append(first)
            for piece in rest:
                done.append(join_text(current, node))
                current = [piece]
        elif isinstance(part, Unknown) and part.symbol not in _undivided(scope):
            return done, False
        else:
            current.append(part)
    done.append(join_text(current, node))
    return done, True


def _undivided(scope: Scope) -> list[object]:
    """The unknowns that hold no delimiter of ARNs."""
    return [scope.stack.sources.get(what) for what in (PARTITION, REGION, ACCOUNT)]


def _spread(scope: Scope, parts: tuple[str | Value, ...]) -> list[str | Value]:
    """Pieces of text in which an ARN is what it consists of."""
    spread: list[str | Value] = []
    for part in parts:
        if not isinstance(part, Ref) or part.attribute != "arn" or "{name}" not in part.target.kind.arn:
            spread.append(part)
            continue
        for piece in re.split(r"(\{[a-z]+\})", part.target.kind.arn):
            if piece == "{name}":
                spread.append(Ref(part.target, part.target.kind.named_by, part.site))
            elif piece.startswith("{"):
                spread.append(shared(part.target.stack, piece[1:-1], part.site))
            elif piece:
                spread.append(piece)
    return spread


def _split_argument(scope: Scope, argument: Node) -> tuple[str, Value] | None:
    parts = argument.items if isinstance(argument, Sequence) else []
    return (printed(parts[0]), scope.lower(parts[1])) if len(parts) == 2 else None


def _split(scope: Scope, argument: Node, node: Mapping) -> Value:
    found = _split_argument(scope, argument)
    if found is None:
        return Unknown("a Fn::Split cannot be read", node)
    delimiter, value = found

    def split(one: Value) -> Value:
        pieces = split_value(scope, one, delimiter, node)
        if pieces is None or not pieces[1]:
            return Unknown(reason(one) or "a Fn::Split cannot be read", node, through=one.through)
        return Known(pieces[0], node, COMPUTED, one.through)

    return map_choices(value, split)


def _select(scope: Scope, argument: Node, node: Mapping) -> Value:
    parts = argument.items if isinstance(argument, Sequence) else []
    if len(parts) != 2:
        return Unknown("a Fn::Select cannot be read", node)
    index = scope.lower(parts[0])
    exact = exact_number(index.data) if isinstance(index, Known) else None
    if not isinstance(exact, int):
        return Unknown(reason(index) or "a Fn::Select cannot be read", node)
    at = exact

    def pick(items: list[Value], whole: bool, why: str) -> Value:
        if 0 <= at < len(items):
            return items[at].moved(node, items[at].through)
        return Unknown(f"there is no element {at} to select" if whole else why, node)

    inner = parts[1]
    if isinstance(inner, Mapping) and list(inner.entries) == ["Fn::Split"]:
        found = _split_argument(scope, inner.entries["Fn::Split"])
        if found is None:
            return Unknown("a Fn::Split cannot be read", node)
        delimiter, value = found

        def picked(one: Value) -> Value:
            pieces = split_value(scope, one, delimiter, node)
            return Unknown(reason(one), node) if pieces is None else pick(pieces[0], pieces[1], reason(one))

        return map_choices(value, picked)

    def selected(one: Value) -> Value:
        if isinstance(one, Known) and isinstance(one.data, list):
            return pick(one.data, True, "")
        return Unknown(reason(one) or "a Fn::Select cannot be read", node)

    return map_choices(scope.lower(inner), selected)


def _if(scope: Scope, argument: Node, node: Mapping) -> Value:
    parts = argument.items if isinstance(argument, Sequence) else []
    name = text_of(parts[0]) if parts else None
    if name is None or len(parts) != 3:
        return Unknown("a Fn::If cannot be read", node)
    return choose(scope.conditions.named(name), scope.lower(parts[1]), scope.lower(parts[2]), node)


def _find_in_map(scope: Scope, argument: Node, node: Mapping) -> Value:
    parts = argument.items if isinstance(argument, Sequence) else []
    if len(parts) < 3:
        return Unknown("a Fn::FindInMap cannot be read", node)
    options = parts[3] if len(parts) > 3 else None
    fallback = options.get("DefaultValue") if isinstance(options, Mapping) else None
    table: Node = MadeMapping(scope.mappings, node)
    return _look_up(scope, table, parts[:3], fallback, node)


def _look_up(scope: Scope, table: Node, keys: list[Node], fallback: Node | None, node: Mapping) -> Value:
    if not keys:
        value = scope.lower(table)
        return value.moved(node, (Step("Mappings", value.site, "argument"), *value.through))
    if not isinstance(table, Mapping):
        return scope.lower(fallback) if fallback else Unknown("a Fn::FindInMap finds nothing", node)

    def under(key: str) -> Value:
        found = table.get(key)
        if found is None:
            return scope.lower(fallback) if fallback else Unknown(f"no mapping holds {key}", node)
        return _look_up(scope, found, keys[1:], fallback, node)

    atom = scope.atom_of(keys[0])
    if atom is not None:
        names = [name for name in table.entries if atom.domain is None or name in atom.domain]
        if not names or len(names) > MANY_KEYS:
            return Unknown(f"it depends on {atom.name}", node)
        found = [under(name) for name in names]
        if all(_same(value, found[0]) for value in found[1:]) and fallback is None:
            return found[0]
        value = scope.lower(fallback) if fallback else found.pop()
        for name, one in reversed(list(zip(names, found, strict=False))):
            value = choose(atom.compare(name), one, value, node)
        return value

    def looked(key: Value) -> Value:
        if isinstance(key, Known) and isinstance(key.data, str | int):
            return under(print_scalar(key.data))
        return Unknown(reason(key) or "a Fn::FindInMap cannot be read", node)

    return map_choices(scope.lower(keys[0]), looked)


def _same(one: Value, other: Value) -> bool:
    if not isinstance(one, Known) or not isinstance(other, Known):
        return False
    return not isinstance(one.data, list | dict) and type(one.data) is type(other.data) and one.data == other.data


def _base64(scope: Scope, argument: Node, node: Mapping) -> Value:
    value = scope.lower(argument)
    if isinstance(value, Known) and isinstance(value.data, str):
        return Known(base64.b64encode(value.data.encode()).decode(), node, COMPUTED, value.through)
    return Unknown(reason(value) or "a Fn::Base64 cannot be read", node)


def _length(scope: Scope, argument: Node, node: Mapping) -> Value:
    value = scope.lower(argument)
    if isinstance(value, Known) and isinstance(value.data, list):
        return Known(len(value.data), node, COMPUTED, value.through)
    return Unknown(reason(value) or "a Fn::Length cannot be read", node)


def _to_json(scope: Scope, argument: Node, node: Mapping) -> Value:
    return Encoded(scope.lower(argument), node)


def _import(scope: Scope, argument: Node, node: Mapping) -> Value:
    name = scope.lower(argument)
    found = scope.workspace.find(name, scope) if scope.workspace is not None else None
    if found is not None:
        return found.moved(node, found.through)
    shown = name.data if isinstance(name, Known) else "it names"
    return scope.unknown(f"import {_shape(name)}", f"the export {shown} is of no template here", node)


def _shape(name: Value) -> str:
    if isinstance(name, Known):
        return str(name.data)
    if isinstance(name, Text):
        return "".join(part if isinstance(part, str) else f"<{reason(part)}>" for part in name.parts)
    return f"<{reason(name)}>"


def _stack_output(scope: Scope, argument: Node, node: Mapping) -> Value:
    entries = argument.entries if isinstance(argument, Mapping) else {}
    parts = argument.items if isinstance(argument, Sequence) else []
    stack_node = entries.get("StackName") or (parts[0] if parts else None)
    name_node = entries.get("OutputName") or (parts[1] if len(parts) > 1 else None)
    if stack_node is None or name_node is None:
        return Unknown("a Fn::GetStackOutput cannot be read", node)
    stack_name, name = scope.lower(stack_node), scope.lower(name_node)
    if scope.workspace is not None and isinstance(stack_name, Known) and isinstance(name, Known):
        found = scope.workspace.output(str(stack_name.data), str(name.data))
        if found is not None:
            return found.moved(node, found.through)
    return Unknown("the stack whose output it reads is not here", node)


def _opaque(why: str) -> Function:
    return lambda scope, argument, node: Unknown(why, node)


def _truth(scope: Scope, argument: Node, node: Mapping) -> Value:
    condition = scope.conditions.read(node, "a condition")
    return choose(condition, Known(True, node, COMPUTED), Known(False, node, COMPUTED), node)


FUNCTIONS: dict[str, Function] = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::Sub": _sub,
    "Fn::Join": _join,
    "Fn::Split": _split,
    "Fn::Select": _select,
    "Fn::If": _if,
    "Fn::FindInMap": _find_in_map,
    "Fn::Base64": _base64,
    "Fn::Length": _length,
    "Fn::ToJsonString": _to_json,
    "Fn::ImportValue": _import,
    "Fn::GetStackOutput": _stack_output,
    "Fn::GetAZs": _opaque("the availability zones are known only at deployment"),
    "Fn::Cidr": _opaque("address ranges are computed at deployment"),
    "Fn::Transform": _opaque("a transform writes it at deployment"),
    "Fn::Equals": _truth,
    "Fn::And": _truth,
    "Fn::Or": _truth,
    "Fn::Not": _truth,
}
