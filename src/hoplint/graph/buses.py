"""Rules and their patterns: on which bus they listen, what they ask for, and whether anything brings it there."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import feeds, names, patterns, strangers
from hoplint.graph.answers import Answer
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Hop, Push
from hoplint.graph.patterns.consumers import IGNORE_CASE
from hoplint.graph.patterns.grammar import root_items
from hoplint.graph.patterns.pattern import Hole, accepts_absence
from hoplint.graph.patterns.producers import S3_TYPES
from hoplint.model.finding import At
from hoplint.model.inquiry import certainly, doubt, possibly, settle
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.place import Site
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Text, Value, is_null, reason

PARTNER = "aws.partner/"
ALWAYS = frozenset(("version", "id", "detail-type", "source", "account", "time", "region"))
"""The fields that every event has."""


class Listener:
    """A rule with an event pattern, in one scenario."""

    __slots__ = ("rule", "pattern")

    def __init__(self, rule: Resource) -> None:
        self.rule = rule
        self.pattern = patterns.parse(rule.get("pattern"))

    def place(self, label: str, path: tuple[str | int, ...] = (), site: Site | None = None) -> At:
        """The place of the pattern, or of a part of it."""
        return At(self.rule, label, "pattern", site or self.pattern.site(path) or self.rule.site("pattern"))

    def problems(self) -> list[patterns.Problem]:
        """What is certainly wrong with the pattern; one that is no JSON is another rule's."""
        if self.pattern.problem:
            return []
        feeds.unsure(self.pattern, self.rule, "pattern")
        return patterns.validate(self.pattern, patterns.EVENTBRIDGE)

    def root_problems(self) -> list[patterns.Problem]:
        """The root keys that no event on a bus has."""
        if self.pattern.problem:
            return []
        feeds.unsure(self.pattern, self.rule, "pattern")
        return patterns.root_problems(self.pattern, patterns.EVENTBRIDGE)

    def node(self, key: str) -> object:
        """What stands under a root key; None where there is nothing, or the pattern is no object."""
        return self.pattern.data.get(key) if isinstance(self.pattern.data, dict) else None

    def texts(self, *path: str) -> list[str] | None:
        """The strings that a path asks for, where it asks for nothing but these; else None."""
        node: object = self.pattern.data
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, list) and node and all(isinstance(item, str) for item in node):
            return [str(item) for item in node]
        return None


def listeners(graph: Graph) -> Iterator[Listener]:
    """Every rule with an event pattern, in each scenario that matters."""
    for rule in graph.each(rule for rule in graph.of("events.rule") if not rule.elsewhere and rule.written("pattern")):
        if not is_null(rule.get("pattern")):
            yield Listener(rule)


def active(graph: Graph) -> Iterator[Listener]:
    """Every rule with an event pattern that is certainly switched on."""
    return (listener for listener in listeners(graph) if certainly(listening(listener.rule)))


def listening(rule: Resource) -> Test:
    """Whether a rule is switched on."""
    for setting in ("state", "enabled"):
        value = rule.get(setting)
        if is_null(value):
            continue
        if not isinstance(value, Known):
            return maybe(reason(value))
        return NO if str(value.data).upper() in ("DISABLED", "FALSE") else YES
    return YES


def plainly_enabled(rule: Resource) -> Test:
    """Whether a rule is on without the state that lets read-only management events in."""
    state = rule.get("state")
    if isinstance(state, Known) and state.data is not None:
        return YES if state.data == "ENABLED" else NO
    return listening(rule) if is_null(state) else maybe(reason(state))


class Bus:
    """The bus that a rule listens on: `custom` whether it is another than the default one, and the bus if declared."""

    __slots__ = ("custom", "resource", "name")

    def __init__(self, custom: Test, resource: Resource | None, name: Value) -> None:
        self.custom = custom
        self.resource = resource
        self.name = name

    @property
    def partner(self) -> Test:
        """Whether it is the bus of a partner."""
        source = self.resource.get("event_source") if self.resource is not None else self.name
        for value in (source, self.name):
            if isinstance(value, Known) and isinstance(value.data, str):
                if PARTNER in value.data:
                    return YES
            elif not is_null(value):
                return maybe(reason(value))
        return NO


def bus_of(graph: Graph, rule: Resource) -> Bus:
    """The bus of a rule."""
    value = settle(rule.raw("bus"))
    declared = graph.ends(rule, "bus", "events.bus")
    if len(declared) == 1 and not declared[0].elsewhere:
        # A declared bus is never the default one.
        return Bus(YES, declared[0], names.name_of(declared[0]))
    name = names.expand(value)
    if is_null(name):
        return Bus(NO, None, Known("default"))
    if isinstance(name, Known) and isinstance(name.data, str):
        last = name.data.rpartition("event-bus/")[2]
        return Bus(NO if last == "default" else YES, None, Known(last, name.site))
    return Bus(maybe(reason(name) or "its bus is not known"), None, name)


def declared_bus(graph: Graph, rule: Resource) -> Resource | None:
    """The bus that a rule listens on, if it is declared; of another one nothing says who forwards to it."""
    bus = bus_of(graph, rule)
    if bus.resource is None and possibly(bus.custom):
        doubt("who forwards to its bus is not known here", rule, rule.site("bus"))
    return bus.resource


def of_partner(graph: Graph, rule: Resource) -> Test:
    """Whether a rule listens on the bus of a partner."""
    return bus_of(graph, rule).partner


def forwarded(graph: Graph, bus: Resource) -> Answer:
    """Whether something hands events of other buses to a bus."""
    candidates: list[Hop | Resource] = [hop for hop in graph.into(bus, Push) if hop.source.kind.name == "events.rule"]
    blockers = graph.loose_parts(bus, "target arn", "events.target")
    for policy in graph.of("events.bus_policy"):
        meant = names.resolve(policy.raw("bus"), [bus])
        if meant.certain is bus:
            # Whoever is let in may forward what AWS put on a bus of theirs.
            blockers.append(f"{policy.address} lets others send to {bus.address}")
        elif meant.possible:
            blockers.append(meant.why)
    if not is_null(bus.raw("policy")):
        blockers.append(f"the policy of {bus.address} may let others send to it")
    return graph.answer(bus, candidates, blockers)


def sources(listener: Listener) -> list[str] | None:
    """The prefixes or names of the only sources that a pattern asks for; None where that cannot be said."""
    node = listener.node("source")
    if not isinstance(node, list) or not node:
        return None
    found: list[str] = []
    for test in node:
        if isinstance(test, str):
            found.append(test)
        elif isinstance(test, dict) and isinstance(prefix := test.get("prefix"), str):
            found.append(prefix)
        elif isinstance(test, dict) and isinstance(wild := test.get("wildcard"), str) and "*" in wild:
            found.append(wild.partition("*")[0])
        else:
            return None
    return found


# Buckets -------------------------------------------------------------------------------------------------------------


def buckets(graph: Graph, listener: Listener) -> list[Resource]:
    """The buckets of this run whose object events a rule asks for, by name or by ARN."""
    if listener.texts("source") != ["aws.s3"]:
        return []
    types = listener.texts("detail-type")
    if listener.node("detail-type") is not None and (types is None or not S3_TYPES.issuperset(types)):
        return []
    document = listener.pattern.tree
    if document is None:
        return []
    pool = [bucket for bucket in graph.of("s3.bucket") if graph.joined(bucket.stack, listener.rule.stack)]
    found: dict[Resource, None] = {}
    for value in map(settle, (field(document, "detail", "bucket", "name"), field(document, "resources"))):
        for item in value.data if isinstance(value, Known) and isinstance(value.data, list) else ():
            item = settle(item)
            if isinstance(item, Known) and not isinstance(item.data, str):
                continue
            meant = names.resolve(item, pool)
            if meant.certain is not None:
                found[meant.certain] = None
            elif meant.possible:
                doubt(meant.why, listener.rule, listener.rule.site("pattern"))
    return list(found)


def delivers(graph: Graph, bucket: Resource) -> tuple[Answer, At]:
    """Whether a bucket's events go to EventBridge, and the place of what says that they do not."""
    candidates: list[Hop | Resource] = []
    blockers = graph.loose_parts(bucket, "s3.notification")
    off: Resource | None = None
    for notification in graph.of("s3.notification"):
        named = settle(notification.raw("bucket"))
        meant = names.resolve(named, [bucket])
        if meant.certain is not bucket and not (isinstance(named, Ref) and named.target is bucket):
            if meant.possible and graph.joined(notification.stack, bucket.stack):
                blockers.append(meant.why)
            continue
        on = _switched_on(notification)
        if on.certain:
            candidates.append(notification)
        elif on.possible:
            blockers.append(on.why)
        elif graph.together(bucket, notification):
            off = notification
    label = "delivery to EventBridge is off"
    place = At(bucket, label) if off is None else At(off, label, "eventbridge")
    return graph.answer(bucket, candidates, blockers), place


def _switched_on(notification: Resource) -> Test:
    value = settle(notification.raw("eventbridge"))
    if notification.stack.family != "terraform" and not is_null(value):
        # An empty configuration leaves it off; CDK's custom resource, where it switches it on, is read as such.
        value = settle(field(value, "EventBridgeEnabled"))
    if isinstance(value, Known):
        return YES if str(value.data).lower() == "true" else NO
    return maybe(reason(value))


# Guards --------------------------------------------------------------------------------------------------------------


def guards(listener: Listener) -> list[tuple[str | int, ...]]:
    """The fields that a pattern only wants to be there. What AWS itself sends is never malformed."""
    named = sources(listener)
    if named and all(source.startswith("aws.") for source in named):
        return []
    found = feeds.leaves(listener.pattern) or set()
    return sorted(
        (
            path
            for path in found
            if path[0] not in ALWAYS and _only_exists(feeds.tests_at(listener.pattern, path))
        ),
        key=patterns.dotted,
    )


def _only_exists(tests: list[object]) -> bool:
    return bool(tests) and all(isinstance(test, dict) and test.get("exists") is True for test in tests)


def caught(graph: Graph, listener: Listener, path: tuple[str | int, ...]) -> Answer:
    """Whether another rule on the same bus takes the events in which a field is missing."""
    candidates: list[Hop | Resource] = []
    blockers: list[str] = []
    for other in graph.of("events.rule"):
        if other is listener.rule or not graph.joined(other.stack, listener.rule.stack):
            continue
        pattern = patterns.parse(other.raw("pattern"))
        same = names.same(other.raw("bus"), listener.rule.raw("bus"))
        if pattern.problem or not same.possible:
            continue
        node = _at(pattern.data, path)
        if isinstance(node, Hole) or not same.certain:
            blockers.append(pattern.unknown or same.why)
        elif node is not None and accepts_absence(node):
            candidates.append(other)
    return graph.answer(listener.rule, candidates, blockers)


def _at(data: object, path: tuple[str | int, ...]) -> object:
    for key in path:
        if isinstance(data, Hole):
            return data
        data = data.get(str(key)) if isinstance(data, dict) else None
    return data


# How much a pattern takes --------------------------------------------------------------------------------------------


def takes_everything(node: object) -> bool:
    """Whether what stands under a field of the envelope holds for every event: it is always there."""
    return isinstance(node, list) and any(
        isinstance(test, dict)
        and (
            test.get("exists") is True
            or test.get("prefix") == ""
            or test.get("suffix") == ""
            or isinstance(prefix := test.get("prefix"), dict) and prefix.get(IGNORE_CASE) == ""
            or test.get("wildcard") == "*"
            or test.get("anything-but") == []
        )
        for test in node
    )  # fmt: skip


def unbounded(listener: Listener) -> str:
    """How a pattern bounds neither source nor detail-type, in a clause; empty where it does.

    A test that every event passes bounds nothing.
    """
    data = listener.pattern.data
    if not isinstance(data, dict) or not data:
        feeds.unsure(listener.pattern, listener.rule, "pattern")
        return ""
    bounds = [
        key
        for key, node in root_items(data)
        if (key not in ALWAYS or not takes_everything(node)) and (key != "version" or "0" not in literals(node))
    ]
    # An event of the named resources cannot be a stranger's.
    if {"source", "detail-type", "resources"} & {key.partition(".")[0] for key in bounds}:
        return ""
    if not bounds:
        return "the pattern matches every event on the bus"
    named = " and ".join(f'"{key}"' for key in dict.fromkeys(bounds))
    return f"the pattern bounds neither source nor detail-type, only {named}"


def meant_for_all(graph: Graph, rule: Resource) -> Test:
    """Whether a rule only keeps or forwards what it takes: a log group, a stream or another bus is meant for all."""
    answer: Test | None = None
    for target in graph.of("events.target"):
        if rule in graph.ends(target, "rule", "events.rule"):
            keeps = _keeps(graph, target)
            answer = keeps if answer is None else answer & keeps
    for why in graph.loose_parts(rule, "events.target"):
        # It may be this rule's, and the only one.
        answer = maybe(why) if answer is None else answer & maybe(why)
    return NO if answer is None else answer


def _keeps(graph: Graph, target: Resource) -> Test:
    if graph.ends(target, "arn", "logs.group", "events.bus", "kinesis.stream"):
        return YES
    value = settle(target.raw("arn"))
    if isinstance(value, Ref):
        return NO
    value = names.expand(value)
    service = strangers.service_in(value)
    if service is None:
        return maybe(reason(value) or f"where {target.address} sends is not known")
    return YES if service in ("logs", "firehose", "kinesis") or "event-bus/" in _written(value) else NO


def _written(value: Value) -> str:
    if isinstance(value, Text):
        return "".join(part for part in value.parts if isinstance(part, str))
    return str(value.data) if isinstance(value, Known) else ""


# CloudTrail ----------------------------------------------------------------------------------------------------------

_DATA = frozenset(("s3", "dynamodb", "lambda", "kinesis", "sqs", "sns", "cognito-idp", "bedrock", "sagemaker"))
"""Services whose calls may be data events, which are not left out."""
_READING = ("Describe", "List", "Get", "Lookup", "BatchGet")


def read_only_calls(listener: Listener) -> list[str]:
    """The calls of a pattern on CloudTrail's events that only read, and are certainly management events."""
    if listener.texts("detail-type") != ["AWS API Call via CloudTrail"]:
        return []
    named = [*(listener.texts("source") or ()), *(listener.texts("detail", "eventSource") or ())]
    services = {name.removeprefix("aws.").partition(".")[0] for name in named}
    calls = listener.texts("detail", "eventName") or []
    if not services or services & _DATA:
        return []
    return [call for call in calls if call.startswith(_READING)]


def shortened(names: list[str]) -> str:
    """The first few of some names."""
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def literals(tests: object) -> list[str]:
    """The plain strings in an array of tests."""
    return [test for test in tests if isinstance(test, str)] if isinstance(tests, list) else []
