"""The evaluator of Terraform's expressions: a syntax tree and a scope give a value, certain, partly known or unknown.

Nothing raises: what Terraform would refuse is `Invalid`, what cannot be known is `Unknown` with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from hoplint.model.condition import FALSE, TRUE
from hoplint.model.place import Site, Source
from hoplint.model.value import (
    COMPUTED,
    Choice,
    Known,
    Text,
    Through,
    Unknown,
    Value,
    choose,
    join_text,
    reason,
)
from hoplint.readers import hcl, operations, syntax
from hoplint.readers.choices import Invalid, lift, possible, steps_of, truth_value, under
from hoplint.readers.functions import call as call_function
from hoplint.readers.functions import typesystem as types
from hoplint.readers.functions.base import Stop
from hoplint.readers.operations import Whole, scalar_text
from hoplint.readers.scope import Scope
from hoplint.readers.tree import refusal

NESTED = "the expression is nested too deeply"
LONG = "it is too long to be computed"
LONGEST_TEXT = 2_000_000
LONGEST_LIST = 50_000


def evaluate(node: syntax.Node, scope: Scope) -> Value:
    """The value of an expression."""
    try:
        return _evaluate(node, scope)
    except RecursionError:
        return Unknown(NESTED, scope.span(node))


def settled(node: syntax.Node, scope: Scope) -> Value:
    """The value of a whole setting: without the branches in which Terraform would refuse it."""
    return possible(evaluate(node, scope))


def _evaluate(node: syntax.Node, scope: Scope) -> Value:
    return _EVALUATORS[type(node)](node, scope)


def _literal(node: syntax.Literal, scope: Scope) -> Value:
    site = scope.span(node)
    return Known(node.data, site, source=scope.own(site))  # type: ignore[arg-type]


def _moved(value: Value, site: Site) -> Value:
    return value.moved(site, value.through)


# ----------------------------------------------------------------------------------------------------------- templates


def _template(node: syntax.Template, scope: Scope) -> Value:
    site = scope.span(node)
    if node.lone and len(node.parts) == 1 and isinstance(node.parts[0], syntax.Node):
        return _moved(_evaluate(node.parts[0], scope), site)
    return _text(node.parts, scope, site)


def _text(parts: list[str | syntax.Node], scope: Scope, site: Site) -> Value:
    values = [part if isinstance(part, str) else _evaluate(part, scope) for part in parts]
    return lift(
        [Known(value, site) if isinstance(value, str) else value for value in values],
        lambda pieces: _join(pieces, site),
        site,
    )


def _join(values: list[Value], site: Site) -> Value:
    pieces: list[str | Value] = []
    length = 0
    for value in values:
        length += _size(value)
        if isinstance(value, Invalid):
            return value
        if isinstance(value, Known):
            if value.data is None or isinstance(value.data, list | dict):
                return Invalid("this cannot stand in a string", value.site)
            pieces.append(scalar_text(value.data))
        elif isinstance(value, Text):
            pieces.extend(value.parts)
        else:
            pieces.append(value)
    if length > LONGEST_TEXT or len(pieces) > LONGEST_LIST:
        return Unknown(LONG, site)
    return join_text(pieces, site, _unprinted(values))


def _size(value: Value) -> int:
    if isinstance(value, Text):
        return sum(len(part) if isinstance(part, str) else 1 for part in value.parts)
    return len(value.data) if isinstance(value, Known) and isinstance(value.data, str) else 1


def _template_if(node: syntax.TemplateIf, scope: Scope) -> Value:
    site = scope.span(node)
    test = _evaluate(node.test, scope)
    if isinstance(test, Invalid):
        return test
    condition = operations.condition_of(test, scope, node.test)
    if condition is None:
        return Invalid("this is neither true nor false", scope.span(node.test))
    if condition is TRUE:
        return _text(node.then, scope, site)
    if condition is FALSE:
        return _text(node.otherwise, scope, site)
    return choose(condition, _text(node.then, scope, site), _text(node.otherwise, scope, site), site)


def _template_for(node: syntax.TemplateFor, scope: Scope) -> Value:
    site = scope.span(node)
    collection = _evaluate(node.collection, scope)

    def over(values: list[Value]) -> Value:
        pairs = pairs_of(values[0])
        if isinstance(pairs, Value):
            return pairs
        if not scope.world.loop(len(pairs)):
            return Unknown(LONG, site)
        pieces = []
        for number, (key, item) in enumerate(pairs):
            inner = scope.inside(_bound(node.key, node.item, key, item), str(number))
            pieces.append(_text(node.body, inner, site))
        return lift(pieces, lambda texts: _join(texts, site), site)

    return lift([collection], over, site)


# --------------------------------------------------------------------------------------------------------- collections


def _tuple(node: syntax.Tuple, scope: Scope) -> Value:
    items = []
    for item in node.items:
        value = possible(_evaluate(item, scope))
        if isinstance(value, Invalid):
            return value
        items.append(value)
    site = scope.span(node)
    return Known(items, site, source=scope.own(site))


def _object(node: syntax.Object, scope: Scope) -> Value:
    site = scope.span(node)
    members: dict[str, Value] = {}
    open_keys: list[tuple[Value, Value]] = []
    for key_node, item_node in node.items:
        key = possible(_evaluate(key_node, scope))
        item = possible(_evaluate(item_node, scope))
        for part in (key, item):
            if isinstance(part, Invalid):
                return part
        if isinstance(key, Known) and key.data is not None and not isinstance(key.data, list | dict):
            members[scalar_text(key.data)] = item
        elif isinstance(key, Known):
            return Invalid("this is no key", key.site)
        else:
            open_keys.append((key, item))
    if not open_keys:
        return Known(members, site, source=scope.own(site))

    def with_keys(keys: list[Value]) -> Value:
        found = dict(members)
        for key, (_, item) in zip(keys, open_keys, strict=True):
            if not isinstance(key, Known) or not isinstance(key.data, str):
                return Unknown(f"a key is not known: {reason(key)}", site)
            found[key.data] = item
        return Known(found, site)

    return lift([key for key, _ in open_keys], with_keys, site)


def pairs_of(collection: Value) -> list[tuple[Value, Value]] | Value:
    """The keys and items that an iteration goes through, in Terraform's order; a value where it cannot be known."""
    if isinstance(collection, Known):
        site = collection.site
        if isinstance(collection.data, list):
            items = [operations.inherit(collection, item, f"[{number}]") for number, item in enumerate(collection.data)]
            if collection.unordered:
                return [(item, item) for item in sorted(items, key=_set_order)]
            return [(Known(number, site, COMPUTED), item) for number, item in enumerate(items)]
        if isinstance(collection.data, dict):
            return [
                (Known(key, site, COMPUTED), operations.inherit(collection, collection.data[key], f".{key}"))
                for key in sorted(collection.data)
            ]
        return Invalid("this cannot be iterated over", site)
    if isinstance(collection, Invalid):
        return collection
    return Unknown(reason(collection), collection.site, through=collection.through)


def _set_order(item: Value) -> tuple[int, object]:
    if isinstance(item, Known):
        if isinstance(item.data, str):
            return 0, item.data
        if isinstance(item.data, int | Fraction):
            return 1, item.data
    return 2, 0


def _bound(key_name: str | None, item_name: str, key: Value, item: Value) -> dict[str, Value]:
    return {item_name: item} if key_name is None else {key_name: key, item_name: item}


def _for(node: syntax.For, scope: Scope) -> Value:
    site = scope.span(node)
    return lift([_evaluate(node.collection, scope)], lambda values: _loop(node, scope, values[0], site), site)


def _loop(node: syntax.For, scope: Scope, collection: Value, site: Site) -> Value:
    pairs = pairs_of(collection)
    if isinstance(pairs, Value):
        return pairs
    if not scope.world.loop(len(pairs)):
        return Unknown(LONG, site)
    tests: list[Value] = []
    results: list[tuple[Value, Value]] = []
    certain = True
    for number, (key, item) in enumerate(pairs):
        inner = scope.inside(_bound(node.key, node.item, key, item), str(number))
        if node.test is not None:
            test = _evaluate(node.test, inner)
            if isinstance(test, Invalid):
                return test
            condition = operations.condition_of(test, inner, node.test)
            if condition is None:
                return Invalid("this is neither true nor false", site)
            if condition is FALSE:
                continue
            certain = condition is TRUE
            tests.append(truth_value(condition, site))
        result_key = _evaluate(node.key_result, inner) if node.key_result is not None else Known(None, site)
        result = _evaluate(node.result, inner)
        for part in (result_key, result):
            if isinstance(part, Invalid) and certain:
                return part
        results.append((possible(result_key), possible(result)))
    if not tests:
        tests = [Known(True, site)] * len(results)
    if node.key_result is None:
        return lift(tests, lambda kept: _kept_list(kept, results, site), site)
    switches = [*tests, *(key for key, _ in results)]
    return lift(switches, lambda kept: _kept_map(kept, results, node.group, site), site)


def _is_true(value: Value) -> bool:
    return isinstance(value, Known) and value.data is True


def _kept_list(kept: list[Value], results: list[tuple[Value, Value]], site: Site) -> Value:
    items = [item for test, (_, item) in zip(kept, results, strict=True) if _is_true(test)]
    wrong = next((item for item in items if isinstance(item, Invalid)), None)
    return Known(items, site, COMPUTED) if wrong is None else wrong


def _kept_map(switches: list[Value], results: list[tuple[Value, Value]], group: bool, site: Site) -> Value:
    members: dict[str, Value] = {}
    groups: dict[str, list[Value]] = {}
    for test, key, (_, item) in zip(switches[: len(results)], switches[len(results) :], results, strict=True):
        if not _is_true(test):
            continue
        if isinstance(key, Invalid):
            return key
        if isinstance(item, Invalid):
            return item
        if not isinstance(key, Known):
            return Unknown(f"a key is not known: {reason(key)}", site)
        if key.data is None or isinstance(key.data, list | dict):
            return Invalid("this is no key", key.site)
        name = scalar_text(key.data)
        if group:
            groups.setdefault(name, []).append(item)
        elif name in members:
            return Invalid(f'two elements have the key "{name}"', key.site)
        else:
            members[name] = item
    if group:
        members = {name: Known(items, site, COMPUTED) for name, items in groups.items()}
    return Known(members, site, COMPUTED)


# ---------------------------------------------------------------------------------------------------------- traversals


def _name(node: syntax.Name, scope: Scope) -> Value:
    site = scope.span(node)
    name = node.name
    found = scope.locals.get(name)
    if found is not None:
        return _moved(found, site)
    if name == "each" and scope.each is not None:
        return Known({"key": scope.each[0], "value": scope.each[1]}, site, COMPUTED)
    if name == "count" and scope.count is not None:
        return Known({"index": scope.count}, site, COMPUTED)
    if name == "self" and scope.self_value is not None:
        return scope.self_value
    if scope.names is None:
        return Invalid(f'there is no variable "{name}"', site)
    return scope.names.root_name(name, scope, site)


def _get_attribute(node: syntax.GetAttr, scope: Scope) -> Value:
    site = scope.span(node)
    return _moved(operations.member(_evaluate(node.base, scope), node.name, scope, site), site)


def _index(node: syntax.Index, scope: Scope) -> Value:
    site = scope.span(node)
    base = _evaluate(node.base, scope)
    key = _evaluate(node.key, scope)
    return _moved(operations.element(base, key, scope, site, node.key), site)


def _splat(node: syntax.Splat, scope: Scope) -> Value:
    site = scope.span(node)

    def over(values: list[Value]) -> Value:
        value = values[0]
        if isinstance(value, Known) and isinstance(value.data, list):
            items = [item for _, item in pairs_of(value)]  # type: ignore[union-attr]
        elif isinstance(value, Known):
            items = [] if value.data is None else [value]
        elif isinstance(value, Unknown) and not (isinstance(value, Whole) and value.single):
            return value if isinstance(value, Invalid) else Unknown(value.why, site, through=value.through)
        else:
            items = [value]
        results = []
        for item in items:
            result = possible(_evaluate(node.each, scope.splatting(item)))
            if isinstance(result, Invalid):
                return result
            results.append(result)
        return Known(results, site, COMPUTED)

    return lift([_evaluate(node.base, scope)], over, site)


def _splat_item(node: syntax.SplatItem, scope: Scope) -> Value:
    return scope.splat if scope.splat is not None else Invalid("there is no element here", scope.span(node))


# ----------------------------------------------------------------------------------------------------------- operators


def _unary(node: syntax.Unary, scope: Scope) -> Value:
    site = scope.span(node)
    operand = _evaluate(node.operand, scope)
    if node.operator == "!":
        return operations.opposite(operand, scope, node.operand, site)
    return operations.arithmetic("-", Known(0, site), operand, site)


def _binary(node: syntax.Binary, scope: Scope) -> Value:
    site = scope.span(node)
    left = _evaluate(node.left, scope)
    right = _evaluate(node.right, scope)
    operator = node.operator
    sides = (node.left, node.right)
    if operator in ("&&", "||"):
        return operations.logic(operator, left, right, scope, sides, site)
    if operator == "==":
        return operations.equality(left, right, scope, node, sides, site)
    if operator == "!=":
        equal = syntax.Binary("==", node.left, node.right, node.start, node.end)
        return operations.opposite(operations.equality(left, right, scope, equal, sides, site), scope, node, site)
    if operator in ("<", "<=", ">", ">="):
        return operations.compare(operator, left, right, scope, node, site)
    return operations.arithmetic(operator, left, right, site)


def _conditional(node: syntax.Conditional, scope: Scope) -> Value:
    site = scope.span(node)
    test = _evaluate(node.test, scope)
    if isinstance(test, Invalid):
        return test
    condition = operations.condition_of(test, scope, node.test)
    if condition is None:
        return Invalid("this is neither true nor false", scope.span(node.test))
    if condition is TRUE:
        return _branch(node.then, node.otherwise, scope)
    if condition is FALSE:
        return _branch(node.otherwise, node.then, scope)
    then = under(_evaluate(node.then, scope), condition, True)
    otherwise = under(_evaluate(node.otherwise, scope), condition, False)
    return choose(condition, _unified(then, otherwise), _unified(otherwise, then), site)


_STRINGS = frozenset(
    ("jsonencode", "yamlencode", "templatefile", "file", "join", "format", "replace", "lower", "upper")
)


def _branch(chosen: syntax.Node, other: syntax.Node, scope: Scope) -> Value:
    value = _evaluate(chosen, scope)
    if isinstance(value, Known) and value.data is not None:
        # A string stays what it is: the other branch, which may be long, matters only if it can be no string.
        if isinstance(value.data, str) and _gives_string(other):
            return value
        alternative = _evaluate(other, scope)
        if isinstance(alternative, Invalid) and _gives_string(other):
            alternative = Known("", alternative.site)
        return _unified(value, alternative)
    return value


def _gives_string(node: syntax.Node) -> bool:
    if isinstance(node, syntax.Literal):
        return isinstance(node.data, str)
    if isinstance(node, syntax.Template):
        return not node.lone
    return isinstance(node, syntax.Call) and node.name in _STRINGS


def _unified(chosen: Value, other: Value) -> Value:
    """The chosen branch, converted to the type that both branches share."""
    if not isinstance(chosen, Known) or chosen.data is None or isinstance(other, Unknown | Choice):
        return chosen
    own, others = types.type_of(chosen), types.type_of(other)
    if own.same(others) or others.name == types.ANY:
        return chosen
    shared = types.unify([own, others])
    if shared is None:
        return Invalid("the branches have different types", chosen.site)
    try:
        converted = types.convert(chosen, shared)
    except Stop as stop:
        return stop.value
    if isinstance(converted, Known):
        return Known(converted.data, chosen.site, chosen.origin, chosen.through, chosen.source, converted.unordered)
    return converted


# ----------------------------------------------------------------------------------------------------------- functions


def _call(node: syntax.Call, scope: Scope) -> Value:
    site = scope.span(node)
    name = node.name.removeprefix("core::")
    if name == "try":
        return _try(node, scope, site)
    if name == "can":
        return lift([_evaluate(node.args[0], scope)] if node.args else [], lambda v: _can(v, site), site)
    args = [possible(_evaluate(arg, scope)) if name != "one" else _evaluate(arg, scope) for arg in node.args]
    if node.expand and args:
        return lift([args[-1]], lambda last: _expanded(name, args[:-1], last[0], scope, site), site)
    return apply(name, args, scope, site)


def _expanded(name: str, args: list[Value], last: Value, scope: Scope, site: Site) -> Value:
    pairs = pairs_of(last)
    if isinstance(pairs, Value):
        return pairs
    return apply(name, [*args, *(item for _, item in pairs)], scope, site)


def apply(name: str, args: list[Value], scope: Scope, site: Site) -> Value:
    """Call a function with values."""
    wrong = next((arg for arg in args if isinstance(arg, Invalid)), None)
    if wrong is not None:
        return wrong
    if name == "templatefile":
        return lift(args, lambda values: _template_file(values, scope, site), site)
    if name == "templatestring":
        return lift(args, lambda values: _template_string(values, scope, site), site)
    spread = [_spread(arg) for arg in args]
    result = lift(spread, lambda values: call_function(name, values, scope.world), site)
    return _finished(result, args, site)


def _spread(value: Value) -> Value:
    """Hand the way of a collection down to its elements, since functions take collections apart."""
    if not value.through or not isinstance(value, Known):
        return value
    if isinstance(value.data, list):
        items = [operations.inherit(value, item, f"[{number}]") for number, item in enumerate(value.data)]
        return Known(items, value.site, value.origin, value.through, value.source, value.unordered)
    if isinstance(value.data, dict):
        members = {key: operations.inherit(value, item, f".{key}") for key, item in value.data.items()}
        return Known(members, value.site, value.origin, value.through, value.source)
    return value


def _finished(result: Value, args: list[Value], site: Site) -> Value:
    if isinstance(result, Choice):
        return Choice(
            result.condition,
            _finished(result.then, args, site),
            _finished(result.otherwise, args, site),
            site,
            result.through,
        )
    if isinstance(result, Whole) or result.through:
        return _moved(result, site)
    if isinstance(result, Known) and isinstance(result.data, list | dict):
        return Unknown(LONG, site) if len(result.data) > LONGEST_LIST else _moved(result, site)
    if _size(result) > LONGEST_TEXT:
        return Unknown(LONG, site)
    if len(args) > 1 and (isinstance(result, Text) or (isinstance(result, Known) and isinstance(result.data, str))):
        return result.moved(site, _unprinted(args))
    return result.moved(site, steps_of(args))


def _unprinted(values: list[Value]) -> Through:
    """The way of a text that is put together: it is changed where that is done, not where a piece of it comes from.

    What must not be printed stays marked.
    """
    return tuple(step for step in steps_of(values) if step.secret or step.how == "environment")


def _try(node: syntax.Call, scope: Scope, site: Site) -> Value:
    def attempt(at: int) -> Value:
        if at >= len(node.args):
            return Invalid("no argument of try() can be computed", site)
        value = _evaluate(node.args[at], scope)
        return lift([value], lambda found: attempt(at + 1) if isinstance(found[0], Invalid) else found[0], site)

    return attempt(0)


def _can(values: list[Value], site: Site) -> Value:
    value = values[0] if values else Invalid("can() has no argument", site)
    if isinstance(value, Invalid):
        return Known(False, site, COMPUTED)
    if isinstance(value, Unknown) and not isinstance(value, Whole):
        return Unknown(value.why, site)
    return Known(True, site, COMPUTED)


def _template_file(args: list[Value], scope: Scope, site: Site) -> Value:
    if len(args) != 2:
        return Invalid("templatefile() takes a path and variables", site)
    path, variables = args
    for part in args:
        if not isinstance(part, Known):
            return Unknown(reason(part), site)
    assert isinstance(path, Known) and isinstance(variables, Known)
    if not isinstance(path.data, str) or not isinstance(variables.data, dict):
        return Invalid("templatefile() takes a path and variables", site)
    data = scope.world.read_file(path.data)
    if data is None:
        return Unknown(f"the file {path.data} cannot be read", site)
    if refusal(data):
        return Unknown(f"the file {path.data} is no text", site)
    bound = {key: operations.inherit(variables, item, f".{key}") for key, item in variables.data.items()}
    return render(Source(scope.world.locate(path.data), data), bound, scope, site)


def _template_string(args: list[Value], scope: Scope, site: Site) -> Value:
    if len(args) != 2:
        return Invalid("templatestring() takes a template and variables", site)
    for part in args:
        if not isinstance(part, Known):
            return Unknown(reason(part), site)
    template, variables = args
    assert isinstance(template, Known) and isinstance(variables, Known)
    if not isinstance(template.data, str) or not isinstance(variables.data, dict):
        return Invalid("templatestring() takes a template and variables", site)
    bound = {key: operations.inherit(variables, item, f".{key}") for key, item in variables.data.items()}
    return render(Source(scope.source.path, template.data.encode("utf-8")), bound, scope, site)


def render(source: Source, bound: dict[str, Value], scope: Scope, site: Site) -> Value:
    """Fill a template that stands in a file, or in a string, of its own."""
    if scope.distinct.count("|") > 8:
        return Unknown("templates call each other", site)
    inner = Scope(scope.world, None, source, bound=bound, distinct=f"{scope.distinct}|{source.path}")
    try:
        template = hcl.parse_template(source.data.decode("utf-8"))
    except (hcl.ParseError, UnicodeDecodeError):
        return Unknown(f"{source.path} cannot be read as a template", site)
    return _moved(evaluate(template, inner), site)


_EVALUATORS: dict[type[syntax.Node], Callable[..., Value]] = {
    syntax.Literal: _literal,
    syntax.Template: _template,
    syntax.TemplateIf: _template_if,
    syntax.TemplateFor: _template_for,
    syntax.Tuple: _tuple,
    syntax.Object: _object,
    syntax.Name: _name,
    syntax.GetAttr: _get_attribute,
    syntax.Index: _index,
    syntax.Splat: _splat,
    syntax.SplatItem: _splat_item,
    syntax.Call: _call,
    syntax.Unary: _unary,
    syntax.Binary: _binary,
    syntax.Conditional: _conditional,
    syntax.For: _for,
}


def names_in(node: syntax.Node) -> Iterator[syntax.Node]:
    """The first words of all traversals in an expression."""
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, syntax.Name):
            yield item
        elif isinstance(item, syntax.Node):
            for owner in type(item).__mro__:
                for slot in getattr(owner, "__slots__", ()):
                    stack.append(getattr(item, slot))
        elif isinstance(item, list | tuple):
            stack.extend(item)
