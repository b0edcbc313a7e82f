"""Identity and matching: which resource a name, an ARN or a URL means, when only parts of it are known.

A reference is *expanded* into the text that it will be: `arn:` · partition · `:sqs:` · region · `:` · account · `:` ·
name. The unknown pieces keep their symbols, so that two texts of one stack can be compared piece by piece: equal
pieces at the ends are taken off, and what is left either cannot be the same, or may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hoplint.graph.texts import (
    Hole,
    NameSymbol,
    compare,
    compare_arns,
    equal,
    level,
    parts_of,
    tokens,
)
from hoplint.model.identity import ACCOUNT, PARTITION, REGION, shared
from hoplint.model.inquiry import settle
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import (
    Known,
    Ref,
    Text,
    Unknown,
    Value,
    is_null,
    join_text,
    reason,
    text_parts,
)

ARNS = {
    "scheduler.schedule": "arn:{partition}:scheduler:{region}:{account}:schedule/{group}/{name}",
    "pipes.pipe": "arn:{partition}:pipes:{region}:{account}:pipe/{name}",
    "kms.key": "arn:{partition}:kms:{region}:{account}:key/{id}",
    "kms.alias": "arn:{partition}:kms:{region}:{account}:{name}",
    "lambda.event_source_mapping": "arn:{partition}:lambda:{region}:{account}:event-source-mapping:{id}",
}
"""Shapes of ARNs that the catalogue does not hold."""

_UNIQUE = frozenset(("arn", "url", "stream_arn", "qualified_arn", "invoke_arn", "qualified_invoke_arn"))
_busy: set[Resource] = set()
"""Resources whose name is being looked up: two that are named after each other have no known name."""

_PATHS = {
    "iam.role": ("path", "Path"),
    "iam.policy": ("path", "Path"),
    "scheduler.schedule": ("group_name", "GroupName"),
}


def own(resource: Resource, what: str) -> Unknown:
    """Something of a resource that only the deployment knows: the same symbol at each call."""
    key = f"{what} of {resource.kind.name} {resource.address}"
    found = resource.stack.sources.get(key)
    if not isinstance(found, NameSymbol):
        found = resource.stack.sources[key] = NameSymbol(resource, what)
    return Unknown(found.why, resource.head, found)


# --- what a reference will be ---------------------------------------------------------------------------------------


def name_of(resource: Resource) -> Value:
    """The name of a resource as far as it is known: configured, a known prefix with an unknown rest, or a symbol."""
    if resource in _busy:
        return own(resource, "name")
    _busy.add(resource)
    try:
        return _configured_name(resource)
    finally:
        _busy.discard(resource)


def _configured_name(resource: Resource) -> Value:
    properties = resource.kind.properties
    if resource.kind.named_by in properties:
        value = settle(resource.raw(resource.kind.named_by))
        if not is_null(value) and not (isinstance(value, Known) and value.data == ""):
            return expand(value)
    if "name_prefix" in properties and not resource.elsewhere:
        prefix = settle(resource.raw("name_prefix"))
        if not is_null(prefix):
            return join_text([*parts_of(expand(prefix)), own(resource, "name")], prefix.site, prefix.through)
    return own(resource, "name")


def arn_of(resource: Resource) -> Value | None:
    """The ARN of a resource as far as it is known; None where its shape is not known at all."""
    kind = resource.kind.name
    stack = resource.stack
    if kind in ("lambda.alias", "lambda.version"):
        qualifier = name_of(resource) if kind == "lambda.alias" else own(resource, "version")
        return join_text([*parts_of(_function_arn(resource)), ":", *parts_of(qualifier)], resource.head)
    if kind == "events.rule":
        before: list[str | Value] = ["rule/", *_bus_segment(resource), *parts_of(name_of(resource))]
        return _arn(stack, "events", before, resource)
    shape = resource.kind.arn or ARNS.get(kind, "")
    if not shape:
        return None
    head, _, tail = shape.rpartition(":")
    pieces = _fill(head + ":", resource)
    if kind in ("iam.role", "iam.policy"):
        pieces += [tail.partition("/")[0], *_path(resource), *parts_of(name_of(resource))]
    else:
        pieces += _fill(tail, resource)
    if kind == "logs.group" and stack.family == "cloudformation":
        pieces.append(":*")
    return join_text(pieces, resource.head)


def expand(value: Value) -> Value:
    """What a value will be: references become the texts that they stand for, as far as those are known.

    A choice is settled by the scenario. A reference whose text has no known shape stays a reference.
    """
    value = settle(value)
    if isinstance(value, Ref):
        found = _attribute(value.target, value.attribute)
        return value if found is None else found.moved(value.site, value.through)
    if isinstance(value, Text) and not all(isinstance(part, str | Unknown) for part in value.parts):
        pieces: list[str | Value] = []
        for part in value.parts:
            if isinstance(part, str):
                pieces.append(part)
            else:
                pieces.extend(parts_of(expand(part)))
        return join_text(pieces, value.site, value.through)
    return value


def _attribute(resource: Resource, attribute: str) -> Value | None:
    kind = resource.kind.name
    if attribute == "arn":
        return arn_of(resource)
    if attribute == "name":
        return name_of(resource)
    if attribute == "url" and kind == "sqs.queue":
        region, account = shared(resource.stack, REGION), shared(resource.stack, ACCOUNT)
        return join_text(["https://sqs.", region, ".amazonaws.com/", account, "/", *parts_of(name_of(resource))])
    if attribute in ("qualified_arn", "stream_arn", "qualified_invoke_arn", "invoke_arn"):
        arn = arn_of(resource)
        if arn is None:
            return None
        if attribute == "stream_arn":
            return join_text([*parts_of(arn), "/stream/", own(resource, "stream label")])
        if attribute.startswith("qualified"):
            arn = join_text([*parts_of(arn), ":", own(resource, "version")])
        if attribute.endswith("invoke_arn"):
            stack = resource.stack
            front: list[str | Value] = ["arn:", shared(stack, PARTITION), ":apigateway:", shared(stack, REGION)]
            return join_text([*front, ":lambda:path/2015-03-31/functions/", *parts_of(arn), "/invocations"])
        return arn
    if attribute in ("function", "target") and kind in ("lambda.alias", "kms.alias"):
        return expand(resource.raw("function" if kind == "lambda.alias" else "key"))
    return own(resource, attribute) if kind == "kms.key" and attribute == "id" else None


def _arn(stack: Stack, service: str, rest: list[str | Value], resource: Resource) -> Value:
    front: list[str | Value] = ["arn:", shared(stack, PARTITION), f":{service}:", shared(stack, REGION), ":"]
    return join_text([*front, shared(stack, ACCOUNT), ":", *rest], resource.head)


def _fill(shape: str, resource: Resource) -> list[str | Value]:
    pieces: list[str | Value] = []
    for number, piece in enumerate(shape.replace("}", "{").split("{")):
        if number % 2 == 0:
            pieces.append(piece)
        elif piece == "name":
            pieces.extend(parts_of(name_of(resource)))
        elif piece in (PARTITION, REGION, ACCOUNT):
            pieces.append(shared(resource.stack, piece))
        elif piece == "group":
            pieces.extend(_written(resource, "default"))
        else:
            pieces.append(own(resource, piece))
    return pieces


def _written(resource: Resource, default: str) -> tuple[str | Value, ...]:
    """A setting that is part of an ARN and stands in no table."""
    setting = _PATHS[resource.kind.name][resource.stack.family != "terraform"]
    value = None if resource.elsewhere else resource.fetch(setting)
    if value is None or is_null(value := expand(value)):
        return (default,)
    return parts_of(value)


def _path(resource: Resource) -> list[str | Value]:
    pieces = list(_written(resource, "/"))
    return pieces if pieces and not (isinstance(pieces[0], str) and pieces[0] == "") else ["/"]


def _bus_segment(rule: Resource) -> list[str | Value]:
    """`BUS/` in the ARN of a rule on a custom bus, nothing for the default bus; a symbol where it may be either."""
    value = settle(rule.raw("bus"))
    if isinstance(value, Ref) and value.target.kind.name == "events.bus" and not value.target.elsewhere:
        # A declared bus is never the default one.
        return [*_bus_name(name_of(value.target)), "/"]
    value = expand(value)
    if is_null(value):
        return []
    pieces = _bus_name(value)
    name = join_text(list(pieces))
    if isinstance(name, Known):
        return [] if name.data == "default" else [*pieces, "/"]
    if not same(name, Known("default")).possible:
        return [*pieces, "/"]
    # Whether the segment is there depends on what the bus turns out to be.
    return [own(rule, "bus segment")]


def _bus_name(value: Value) -> list[str | Value]:
    """The name in a bus's name or ARN."""
    pieces = list(parts_of(value))
    for number, piece in enumerate(pieces):
        if isinstance(piece, str) and "event-bus/" in piece:
            return [piece.partition("event-bus/")[2], *pieces[number + 1 :]]
    return pieces


def _function_arn(resource: Resource) -> Value:
    """The ARN of the function that an alias or version belongs to."""
    value = settle(resource.raw("function"))
    if isinstance(value, Ref) and value.target.kind.name == "lambda.function":
        arn = arn_of(value.target)
        return value if arn is None else arn
    value = expand(value)
    pieces = parts_of(value)
    if pieces and isinstance(pieces[0], str) and pieces[0].startswith("arn:"):
        return value
    if pieces and isinstance(pieces[0], Unknown) and not isinstance(pieces[0].symbol, NameSymbol):
        return Unknown(reason(value), value.site)
    return _arn(resource.stack, "lambda", ["function:", *pieces], resource)


# --- comparing -----------------------------------------------------------------------------------------------------


def same(a: Value, b: Value, fold: bool = False) -> Test:
    """Whether two values are the same text, or name the same resource; with `fold` case does not count."""
    a, b = settle(a), settle(b)
    if isinstance(a, Ref) and isinstance(b, Ref):
        known = _same_refs(a, b)
        if known is not None:
            return known
    a, b = level(expand(a), expand(b))
    left, right = text_parts(a), text_parts(b)
    if left is None or right is None:
        return _same_otherwise(a, b)
    if isinstance(a, Known) and isinstance(b, Known):
        one, other = str(left[0]), str(right[0])
        return YES if one == other or (fold and one.lower() == other.lower()) else NO
    return compare(tokens(a, fold=fold), tokens(b, fold=fold))


def _same_otherwise(a: Value, b: Value) -> Test:
    """Compare values of which one is null, a list or a mapping."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return maybe(reason(a) if isinstance(a, Unknown) else reason(b))
    if is_null(a) and is_null(b):
        return YES
    together = isinstance(a, Known) and isinstance(b, Known) and type(a.data) is type(b.data)
    return maybe("lists and mappings are not compared") if together else NO


def glob_match(pattern: Value, value: Value, *, arn: bool = False, fold: bool = False) -> Test:
    """Whether a text matches a pattern with `*` and `?`.

    With `arn` both are compared in six parts, as the ARN operators do: a wildcard does not reach past a colon there.
    """
    pattern, value = settle(pattern), settle(value)
    if isinstance(pattern, Ref) and isinstance(value, Ref):
        known = _same_refs(pattern, value)
        if known is not None:
            return known
    pattern, value = level(expand(pattern), expand(value))
    if text_parts(pattern) is None or text_parts(value) is None:
        return _same_otherwise(pattern, value)
    left, right = tokens(pattern, wildcards=True, fold=fold), tokens(value, fold=fold)
    return compare_arns(left, right) if arn else compare(left, right)


def _same_refs(a: Ref, b: Ref) -> Test | None:
    one, other = a.target, b.target
    if a.attribute != b.attribute:
        return None
    if one is other:
        return YES
    if one.elsewhere or other.elsewhere or one.stack is not other.stack:
        return None
    if a.attribute in _UNIQUE or one.kind is other.kind:
        return NO
    return None


# --- which resource is meant ----------------------------------------------------------------------------------------


class Resolution:
    """Which resource a value means: `certain`, or those that are `possible` with the reason why none is certain.

    Neither means that it certainly names none of the candidates. `qualifier` is the alias or version behind a
    function's or state machine's ARN.
    """

    __slots__ = ("certain", "possible", "qualifier", "why")

    def __init__(
        self,
        certain: Resource | None = None,
        possible: list[Resource] | None = None,
        why: str = "",
        qualifier: Value | None = None,
    ) -> None:
        self.certain = certain
        self.possible = possible if possible is not None else ([certain] if certain else [])
        self.why = why
        self.qualifier = qualifier

    def __repr__(self) -> str:
        return f"Resolution({self.certain or self.possible})"


def resolve(value: Value, candidates: Iterable[Resource]) -> Resolution:
    """Which of the candidates a value names: by reference, ARN, URL or name."""
    value = settle(value)
    pool = list(candidates)
    if is_null(value):
        return Resolution()
    if isinstance(value, Ref):
        found = _by_reference(value, pool)
        if found is not None:
            return found
    possible: list[Resource] = []
    why = ""
    certain: list[tuple[Resource, Value | None]] = []
    text = expand(value)
    if isinstance(text, Unknown) and not isinstance(text.symbol, NameSymbol):
        return Resolution(None, pool, text.why if pool else "")
    for candidate in pool:
        answer, qualifier = _names(text, candidate)
        if answer.certain:
            certain.append((candidate, qualifier))
        elif answer.possible:
            possible.append(candidate)
            why = why or answer.why
    # An alias that is declared is what its ARN means, before the function that it belongs to.
    exact = [(resource, qualifier) for resource, qualifier in certain if qualifier is None] or certain
    if len(exact) == 1:
        return Resolution(exact[0][0], None, "", exact[0][1])
    possible = [resource for resource, _ in certain] + possible
    why = "several resources have the name that it holds" if certain else reason(text) or why
    return Resolution(None, possible, why if possible else "")


_ONWARD = {"lambda.alias": "function", "lambda.version": "function", "kms.alias": "key", "kinesis.consumer": "stream"}


def _by_reference(value: Ref, pool: list[Resource]) -> Resolution | None:
    """Follow a reference; None where its text has to be compared."""
    target = value.target
    kind = target.kind.name
    onward = value.attribute in ("function", "target")
    if not onward and any(target is candidate for candidate in pool):
        return Resolution(target, None, "", own(target, "version") if value.attribute.startswith("qualified") else None)
    if kind in _ONWARD and target not in _busy:
        _busy.add(target)
        try:
            following = resolve(target.raw(_ONWARD[kind]), pool)
        finally:
            _busy.discard(target)
        if not onward and kind == "lambda.alias":
            following.qualifier = name_of(target)
        elif kind == "lambda.version":
            following.qualifier = own(target, "version")
        return following
    if not target.elsewhere and all(other.stack is target.stack and not other.elsewhere for other in pool):
        return Resolution()
    return None


def _names(text: Value, candidate: Resource) -> tuple[Test, Value | None]:
    """Whether an expanded text names a candidate, and the qualifier that it adds."""
    parts = parts_of(text)
    kind = candidate.kind
    shape = kind.arn or ARNS.get(kind.name, "")
    if _cannot_hold(parts, parts_of(name_of(candidate)), kind.name not in _LONGER, shape):
        return NO, None
    first = parts[0] if parts else ""
    lead = first if isinstance(first, str) else ""
    answer = NO
    for form in _forms(candidate, lead):
        found = same(text, form)
        if found.certain:
            return YES, None
        answer = answer | found
        qualifier = _qualified(text, form, candidate)
        if qualifier is not None:
            return YES, qualifier
    return answer, None


_LONGER = frozenset(("lambda.function", "logs.group", "kms.key", "dynamodb.table", "states.machine"))
"""Kinds some of whose forms go on behind the name: a qualifier, a stream's label."""


def _cannot_hold(text: Sequence[str | Value], name: Sequence[str | Value], ends: bool, arn: str) -> bool:
    """Whether a text lacks what is known of a name. Every form holds the name, most end in it, and an ARN its service.

    Most candidates are dismissed by this alone, which is cheaper by far than comparing their forms.
    """
    if len(text) == 1 and isinstance(text[0], str) and any(
        isinstance(piece, str) and piece not in text[0] for piece in name
    ):
        return True
    service = text[0].split(":")[2:4] if text and isinstance(text[0], str) and text[0].startswith("arn:") else []
    if len(service) == 2 and service[0] and arn and f":{service[0]}:" not in arn:
        return True
    last, tail = (text[-1] if text else ""), (name[-1] if name else "")
    if not ends or not isinstance(last, str) or not isinstance(tail, str):
        return False
    last = last[max(last.rfind(":"), last.rfind("/")) + 1 :]
    return not (tail.endswith(last) or last.endswith(tail))


def _forms(candidate: Resource, lead: str) -> Iterator[Value]:
    """The texts that name a resource, in the form that the text at hand can have."""
    opened = not lead
    if opened or lead.startswith("arn:") or "arn:".startswith(lead):
        arn = arn_of(candidate)
        if arn is not None:
            yield arn
        if candidate.kind.name == "dynamodb.table":
            yield expand(Ref(candidate, "stream_arn"))
        if candidate.kind.name == "logs.group" and arn is not None:
            pieces = parts_of(arn)
            last = pieces[-1]
            ends = isinstance(last, str) and last.endswith(":*")
            yield join_text([*pieces[:-1], str(last)[:-2]] if ends else [*pieces, ":*"])
    if (opened or lead.startswith("http")) and candidate.kind.name == "sqs.queue":
        yield expand(Ref(candidate, "url"))
    if not lead.startswith(("arn:", "http")) or opened:
        yield name_of(candidate)
        if candidate.kind.name == "kms.key":
            yield own(candidate, "id")
        if candidate.kind.name == "lambda.function":
            name = parts_of(name_of(candidate))
            yield join_text([shared(candidate.stack, ACCOUNT), ":function:", *name])


def _qualified(text: Value, form: Value, candidate: Resource) -> Value | None:
    """The alias or version in `…:function:name:alias`, where the rest certainly names the candidate."""
    if candidate.kind.name not in ("lambda.function", "states.machine"):
        return None
    mine, whole = level(form, text)
    ahead, items = tokens(mine), tokens(whole)
    if len(items) <= len(ahead) + 1 or items[len(ahead)] != ":":
        return None
    if not all(equal(a, b) for a, b in zip(ahead, items, strict=False)):
        return None
    behind = items[len(ahead) + 1 :]
    rest: list[str | Value] = [token.value if isinstance(token, Hole) else str(token) for token in behind]
    return join_text(rest, text.site, text.through)
