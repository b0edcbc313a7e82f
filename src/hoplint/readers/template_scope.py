"""A template in a deployment: its parameters, names and conditions, and the values of its nodes.

A `Scope` is one template in one deployment: a nested stack that is used twice has two. Values are made when a rule
asks for them, so an import may name an export of a stack that was read later.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from hoplint.model.condition import TRUE, Atom, Condition
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.number import Bound, Symbol
from hoplint.model.place import Site
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import (
    COMPUTED,
    Choice,
    Known,
    Ref,
    Step,
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
from hoplint.readers.loops import unroll
from hoplint.readers.nodes import Mapping, Mystery, Node, Scalar, Sequence, text_of

if TYPE_CHECKING:
    from hoplint.readers.exports import Workspace

MAX_LOWERING = 150
MANY_CHOICES = 4

_PSEUDO = {"AWS::Region": REGION, "AWS::AccountId": ACCOUNT, "AWS::Partition": PARTITION}
_DYNAMIC = re.compile(r"\{\{resolve:([^{}]*)\}\}")
_LONE = re.compile(r"\$\{([A-Za-z0-9:]+)\}")


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


def _resolved(pieces: list[str | Value], node: Node) -> list[str | Value]:
    """Pieces of text in which a dynamic reference, which may have unknown pieces of its own, is one unknown."""
    done: list[str | Value] = []
    left = list(pieces)
    while left:
        piece = left.pop(0)
        start = piece.find("{{resolve:") if isinstance(piece, str) else -1
        if start < 0 or not isinstance(piece, str):
            done.append(piece)
            continue
        done.append(piece[:start])
        rest = piece[start:]
        while "}}" not in rest and left:
            following = left.pop(0)
            rest = following if isinstance(following, str) else ""
        done.append(Unknown("a dynamic reference is known only at deployment", node))
        left.insert(0, rest.partition("}}")[2])
    return done


class Scope:
    """One template in one deployment. `functions` are CloudFormation's, by the key that stands for them."""

    functions: ClassVar[dict[str, Callable[[Scope, Node, Mapping], Value]]] = {}

    __slots__ = (
        "stack", "prefix", "parent", "parameters", "given", "given_whole", "mappings", "outputs", "resources",
        "aliases", "conditions", "workspace", "stack_name", "values", "symbols", "depth", "copies", "path", "root",
        "exists",
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
        self.given_whole = False
        self.resources: dict[str, Target] = {}
        self.aliases: dict[str, tuple[str, str]] = {}
        self.workspace: Workspace | None = None
        self.stack_name: str | None = None
        self.values: dict[str, Value] = {}
        self.symbols: dict[str, Symbol] = {}
        self.depth = 0
        self.copies = 0
        self.conditions = Conditions(self, _section(root, "Conditions"))
        self.outputs = _section(root, "Outputs")

    def begin(self) -> None:
        """Write out the loops, once the parameters are given."""
        self.conditions.nodes = unroll(self, self.conditions.nodes)
        self.outputs = unroll(self, self.outputs)

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
        functions = self.functions
        if len(entries) == 1:
            ((name, argument),) = entries.items()
            function = functions.get(name)
            if function is not None:
                return function(self, argument, node)
            if name.startswith("Fn::") and not name.startswith("Fn::ForEach"):
                return Unknown(f"the function {name} is not known", node)
        data: dict[str, Value] = {}
        for key, item in unroll(self, entries).items():
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
        return join_text(_resolved(flat, node), node, tuple(dict.fromkeys(secret)))

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
            return self._or_given(name, plain, _listed(value) if "List" in type_name else value)
        why = f"the parameter {shown} has no value"
        symbol = Symbol(shown, why, *_bounds(entries))
        through = (Step(shown, None, "default", True),) if secret else ()
        return Unknown(why, node, symbol, through)

    def _or_given(self, name: str, plain: object, value: Value) -> Value:
        """A default that stands for "none": where a condition says that it is not the value, one was given."""
        if not isinstance(plain, str) or plain.strip().lower() not in _NOTHING or self.left_to_default(name):
            return value
        if not any(_asks(node, name, plain) for node in self.conditions.nodes.values()):
            return value
        atom = self.conditions.atoms.get(name)
        if atom is None:
            atom = self.conditions.atoms[name] = self._atom(name)
        shown = self.prefix + name
        why = f"the parameter {shown} is given at deployment"
        return choose(atom.compare(plain), value, Unknown(why, value.site, Symbol(shown, why)), value.site)

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
                if name in _PSEUDO and not isinstance(shared(self.stack, _PSEUDO[name]), Unknown):
                    return None
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
        if self.left_to_default(name):
            return None
        atom = self.conditions.atoms.get(name)
        if atom is None:
            atom = self.conditions.atoms[name] = self._atom(name)
        return atom

    def left_to_default(self, name: str) -> bool:
        """Whether a parameter of a nested stack has its default: what nests it is read, and gives it nothing."""
        if self.parent is None or name in self.given or name not in self.parameters or not self.given_whole:
            return False
        node = self.parameters[name]
        entries = node.entries if isinstance(node, Mapping) else {}
        stored = (text_of(entries.get("Type")) or "").startswith("AWS::SSM::Parameter::Value")
        return "Default" in entries and not stored

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


_NOTHING = ("", "-", "none", "null", "n/a", "na", "undefined", "unset")
"""Defaults that stand for no value at all."""


def _asks(node: Node, name: str, constant: str) -> bool:
    """Whether a condition compares a parameter with a constant."""
    if isinstance(node, Sequence):
        return any(_asks(item, name, constant) for item in node.items)
    if not isinstance(node, Mapping):
        return False
    sides = node.get("Fn::Equals")
    if isinstance(sides, Sequence) and len(sides.items) == 2:
        names = [text_of(side.get("Ref")) if isinstance(side, Mapping) else None for side in sides.items]
        return name in names and constant in [text_of(side) for side in sides.items]
    return any(_asks(item, name, constant) for item in node.entries.values())


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
