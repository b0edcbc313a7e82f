"""CloudFormation's functions."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.value import (
    COMPUTED,
    Encoded,
    Known,
    Ref,
    Step,
    Text,
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
from hoplint.readers.nodes import MadeMapping, Mapping, Node, Scalar, Sequence, text_of
from hoplint.readers.template_scope import Scope, printed

MANY_KEYS = 16

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
            if piece == "{function}":
                function = part.target.raw("function")
                named = isinstance(function, Ref) and function.attribute == "name"
                spread.append(function if named else Ref(part.target, "function", part.site))
            elif piece == "{name}":
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
    scope.stack.imports.append((_shape(name), node))
    found = scope.workspace.find(name, scope) if scope.workspace is not None else None
    if found is not None:
        return found.moved(node, found.through)
    shown = name.data if isinstance(name, Known) else "that it names"
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

Scope.functions.update(FUNCTIONS)
