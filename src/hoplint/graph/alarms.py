"""What alarms look at, when they fire, and whom they tell.

An alarm reads metrics: one, or several in an expression. Each metric that AWS publishes for a resource of the graph
gives a `Watch`; what cannot be read to the end is loose, for the kind of resource that it might concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoplint.graph import names
from hoplint.graph.consumers import there
from hoplint.graph.fold import elements
from hoplint.graph.graph import Graph, Loose
from hoplint.graph.hops import UNKNOWN_METRIC, Grant, Hop, Notify, Push, Watch
from hoplint.graph.metrics import COMPUTED, DIMENSIONS, Dimension, Metric, dimension_pairs, metrics_of
from hoplint.graph.patterns.match import matches
from hoplint.graph.patterns.pattern import Hole, parse
from hoplint.graph.policy import CannotTell, Denied, Request, Service, decide, service_context
from hoplint.graph.statements import Policy
from hoplint.model.condition import Condition, both
from hoplint.model.inquiry import current, doubt, holds
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Unknown, Value, branches, is_null, join_text, reason, text_parts

ALARM, COMPOSITE = "cloudwatch.alarm", "cloudwatch.composite_alarm"

DEPTH = frozenset(("ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"))
"""What moves when a message is moved to a dead-letter queue, and stays until it is gone."""

SENT = DEPTH | {"NumberOfMessagesSent"}
"""What moves when something sends its failures to a queue by itself."""

VISIBLE = frozenset(("ApproximateNumberOfMessagesVisible",))

BLIND = frozenset(
    (
        "NumberOfMessagesSent", "NumberOfMessagesReceived", "NumberOfMessagesDeleted", "NumberOfEmptyReceives",
        "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed", "SentMessageSize",
        "ApproximateNumberOfGroupsWithInflightMessages",
    )
)  # fmt: skip
"""What a move to a dead-letter queue does not move."""


# --- what they look at ----------------------------------------------------------------------------------------------


def link(graph: Graph) -> None:
    """Enter a Watch for every alarm and every resource that it looks at, and a Notify for whoever a topic tells."""
    for alarm in graph.of(ALARM):
        for metric in metrics_of(alarm):
            if isinstance(metric, str):
                _loosen(graph, alarm, metric)
            else:
                _link_metric(graph, alarm, metric)
    _link_subscribers(graph)


def _link_metric(graph: Graph, alarm: Resource, metric: Metric) -> None:
    pairs = list(dimension_pairs(metric.dimensions))
    for name, value, exists in pairs:
        if name is None:
            _loosen(graph, alarm, reason(value) or f"a dimension of {alarm.address} is not known")
        elif name in DIMENSIONS:
            for space, here in branches(metric.namespace):
                for read, there in branches(metric.name):
                    watch = _Watching(alarm, metric, both(metric.exists, exists, here, there))
                    watch.enter(graph, DIMENSIONS[name], space, read, value)
    if not pairs:
        # Some services publish a sum over all their resources: such an alarm may watch any of a kind.
        for dimension in DIMENSIONS.values():
            if dimension.summed and names.same(metric.namespace, Known(dimension.namespace)).possible:
                _loosen(graph, alarm, f"{alarm.address} watches a sum over all", kinds=dimension.kinds)


class _Watching:
    """One metric of an alarm, on its way to the resources that one of its dimensions names."""

    __slots__ = ("alarm", "metric", "exists")

    def __init__(self, alarm: Resource, metric: Metric, exists: Condition) -> None:
        self.alarm = alarm
        self.metric = metric
        self.exists = exists

    def enter(self, graph: Graph, dimension: Dimension, space: Value, read: Value, value: Value) -> None:
        published = names.same(space, Known(dimension.namespace))
        name = read.data if isinstance(read, Known) and isinstance(read.data, str) else UNKNOWN_METRIC
        if not published.certain and not published.possible and _meant(space, dimension.namespace):
            return
        for subject in self._subjects(graph, dimension, value):
            if published.certain:
                watch = Watch(self.alarm, subject, name)
                watch.reading = self.metric
                watch.exists = self.exists
                graph.add(watch)
            else:
                # A namespace of one's own may hold anything, this resource's depth as well.
                why = published.why or f"{self.alarm.address} watches a metric of its author's own"
                _loosen(graph, self.alarm, why, subject)

    def _subjects(self, graph: Graph, dimension: Dimension, value: Value) -> Iterator[Resource]:
        if isinstance(value, Unknown):
            _loosen(graph, self.alarm, value.why, kinds=dimension.kinds)
            return
        if isinstance(value, Ref) and value.target.kind.name in dimension.kinds:
            # An ARN where a name belongs watches nothing: that is a finding of its own, on the alarm.
            if value.attribute == dimension.attribute:
                if value.target.stack is not self.alarm.stack:
                    graph.join(self.alarm.stack, value.target.stack)
                yield value.target
            return
        candidates = graph.of(*dimension.kinds)
        here = [resource for resource in candidates if resource.stack is self.alarm.stack]
        found = False
        for group in (here, [resource for resource in candidates if resource.stack is not self.alarm.stack]):
            for resource in group:
                test = names.same(value, Ref(resource, dimension.attribute))
                if test.certain:
                    found = True
                    yield resource
                elif test.possible and not found:
                    _loosen(graph, self.alarm, test.why or f"{self.alarm.address} may watch it", resource)
            if found:
                return


def _meant(space: Value, namespace: str) -> bool:
    """Whether a namespace is AWS's own, written wrongly: such an alarm has a finding of its own."""
    text = space.data if isinstance(space, Known) and isinstance(space.data, str) else ""
    return text.lower().removeprefix("aws/") == namespace.lower().removeprefix("aws/")


def _loosen(
    graph: Graph, alarm: Resource, why: str, subject: Resource | None = None, kinds: tuple[str, ...] = ("",)
) -> None:
    for kind in kinds:
        entry = f"{ALARM} {kind}".strip()
        graph.loose.setdefault(entry, []).append(Loose(entry, alarm, why, subject))


def _link_subscribers(graph: Graph) -> None:
    """A subscription that is no push to a queue or function of the run tells somebody else."""
    pushing = {(hop.source, hop.via) for hop in graph.hops(Push)}
    topics = graph.of("sns.topic")
    for subscription in graph.of("sns.subscription"):
        for value, condition in branches(subscription.raw("topic")):
            topic = names.resolve(value, topics).certain
            if topic is not None and (topic, subscription) not in pushing:
                graph.add(Notify(topic, subscription, subscription, condition, value))


def reading(watch: Hop) -> Metric:
    """The metric that a watch reads."""
    assert isinstance(watch, Watch) and isinstance(watch.reading, Metric)
    return watch.reading


def depth_watches(graph: Graph, queue: Resource) -> list[Watch]:
    """The alarms on how many messages wait in a queue."""
    return [watch for watch in graph.watches(queue, set(VISIBLE)) if isinstance(watch, Watch)]


def unsure_of(graph: Graph, queue: Resource) -> list[str]:
    """Why alarms might watch a queue's depth although none certainly does; so might a metric that is not known here."""
    found = graph.uncertain_watches(queue)
    for watch in graph.out_of(queue, Watch):
        if isinstance(watch, Watch) and watch.metric not in BLIND | DEPTH | {UNKNOWN_METRIC}:
            found.append(f"what {watch.metric} tells of a queue is not known")
    return found


# --- when they fire -------------------------------------------------------------------------------------------------


class Reaction:
    """How an alarm takes the first message in a queue, by its operator and threshold alone.

    `fires` tells whether one message puts it into alarm, `always` whether no message does so too, `inverted` whether
    it waits for the queue to become empty.
    """

    __slots__ = ("fires", "always", "inverted")

    def __init__(self, fires: Test, always: Test = NO, inverted: Test = NO) -> None:
        self.fires = fires
        self.always = always
        self.inverted = inverted


GREATER, AT_LEAST = "GreaterThanThreshold", "GreaterThanOrEqualToThreshold"
INVERTED = ("LessThanThreshold", "LessThanOrEqualToThreshold")


def reaction(watch: Hop) -> Reaction:
    """How an alarm takes the first message, in the scenario that is looked at."""
    alarm = watch.via
    if reading(watch).shape == COMPUTED:
        why = maybe(f"{alarm.address} compares what an expression makes of the metric")
        return Reaction(why, why, why)
    operator = alarm.get("operator")
    name = operator.data if isinstance(operator, Known) else None
    if name in (GREATER, AT_LEAST):
        threshold = alarm.number("threshold")
        if name == GREATER:
            return Reaction(threshold < 1, threshold < 0)
        return Reaction(threshold <= 1, threshold <= 0)
    if name in INVERTED:
        return Reaction(NO, NO, YES)
    # A band of what is usual, or an operator that is not known.
    why = maybe(reason(operator) or f"{alarm.address} compares with a band, not with a number")
    return Reaction(why, why, why)


# --- whom they tell -------------------------------------------------------------------------------------------------


def by_default(value: Value) -> bool:
    """Whether a value is only the default of a root's variable or a template's parameter, which a caller may change."""
    step = next(iter(value.through), None)
    return step is not None and step.how == "default" and not step.name.startswith("module.") and "/" not in step.name


def contradicted(value: Value) -> bool:
    """Whether a default cannot be what counts: the scenario that is looked at gives its parameter another value.

    `Condition: !Not [!Equals [!Ref Topic, ""]]` keeps a resource from ever seeing the default `""`.
    """
    if not isinstance(value, Known):
        return False
    names_ = {step.name for step in value.through if step.how == "default"}
    assigned = current().scenario.assigned
    return any(atom.name in names_ and given != str(value.data) for atom, given in assigned.items())


def actions(alarm: Resource) -> list[Value]:
    """What an alarm does when it goes off, whatever the conditions; an entry that is not known stands for itself."""
    return [value for value, _ in elements(alarm.raw("alarm_actions"))]


def voice(alarm: Resource) -> Test:
    """Whether an alarm itself tells anybody when it goes off, in any outcome of its conditions."""
    flags = [value for value, _ in branches(alarm.raw("actions_enabled"))]
    if all(isinstance(flag, Known) and str(flag.data).lower() == "false" for flag in flags):
        if any(by_default(flag) for flag in flags):
            return maybe(f"a default switches the actions of {alarm.address} off")
        return NO
    found = actions(alarm)
    if found:
        unsure = next((value for value in found if isinstance(value, Unknown)), None)
        return YES if unsure is None or len(found) > 1 else maybe(unsure.why)
    whole = alarm.raw("alarm_actions")
    if any(by_default(value) for value, _ in branches(whole)):
        return maybe(f"a default leaves the actions of {alarm.address} empty")
    return NO


_CALL = re.compile(r"""\b(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(?:"([^"]*)"|'([^']*)'|([^\s()"']*))\s*\)""")
_HOLE = re.compile("\0(\\d+)\0")


def children(composite: Resource) -> tuple[list[Value], str]:
    """The alarms that a composite alarm's rule names, and why it may name others as well."""
    found: list[Value] = []
    open_ = ""
    for rule, _ in branches(composite.raw("rule")):
        parts = text_parts(rule) or ()
        holes = [part for part in parts if not isinstance(part, str)]
        numbers = iter(range(len(holes)))
        text = "".join(part if isinstance(part, str) else f"\0{next(numbers)}\0" for part in parts)
        for match in _CALL.finditer(text):
            pieces = _HOLE.split(next(group for group in match.groups() if group is not None))
            found.append(join_text([holes[int(p)] if n % 2 else p for n, p in enumerate(pieces)], rule.site))
        if _HOLE.search(_CALL.sub("", text)):
            open_ = open_ or reason(rule) or f"the rule of {composite.address} is only partly known"
    return found, open_


def carriers(
    graph: Graph, alarm: Resource, within: tuple[Resource, ...] = ()
) -> tuple[list[Resource], list[str]]:
    """What tells people of an alarm that has no action itself: composite alarms, rules; and why there may be others."""
    found: list[Resource] = []
    unsure: list[str] = []
    for composite in graph.of(COMPOSITE):
        if composite is not alarm and composite not in within:
            answer = _carried(graph, alarm, composite, (*within, alarm))
            if answer.certain:
                found.append(composite)
            elif answer.possible:
                unsure.append(answer.why or f"{composite.address} may include {alarm.address}")
    for rule in graph.of("events.rule"):
        told = hears(rule)
        if told.certain:
            found.append(rule)
        elif told.possible:
            unsure.append(told.why)
    for rule in graph.of("notifications.event_rule"):
        told = names.same(rule.raw("source"), Known(_STATE_CHANGE["source"]))
        if told.possible:
            found.append(rule)
    return found, unsure


def _carried(graph: Graph, alarm: Resource, composite: Resource, within: tuple[Resource, ...]) -> Test:
    named, open_ = children(composite)
    answer = NO
    for value in named:
        answer = answer | _is(value, alarm)
    if not answer.certain and open_ and graph.joined(composite.stack, alarm.stack):
        answer = answer | maybe(open_)
    if answer.possible:
        answer = answer & (voice(composite) | _told_of(graph, composite, within))
    for value, _ in branches(composite.raw("suppressor")):
        # An alarm that only holds others back needs no action.
        answer = answer | _is(value, alarm)
    return answer


def _is(value: Value, alarm: Resource) -> Test:
    if is_null(value):
        return NO
    resolution = names.resolve(value, [alarm])
    if resolution.certain is alarm:
        return YES
    return maybe(resolution.why) if resolution.possible else NO


def _told_of(graph: Graph, composite: Resource, within: tuple[Resource, ...]) -> Test:
    """Whether a composite alarm without actions is part of another one that has some."""
    found, unsure = carriers(graph, composite, within)
    return YES if found else maybe(unsure[0]) if unsure else NO


_STATE_CHANGE = {"source": "aws.cloudwatch", "detail-type": "CloudWatch Alarm State Change"}


def hears(rule: Resource) -> Test:
    """Whether a rule passes on the state changes of alarms, of all or of some."""
    answer = NO
    for state, _ in branches(rule.raw("state")):
        if isinstance(state, Known) and str(state.data).startswith("DISABLED"):
            return NO
    for value, _ in branches(rule.raw("pattern")):
        answer = answer | (NO if is_null(value) else _hears(rule, value))
    return answer


def _hears(rule: Resource, value: Value) -> Test:
    pattern = parse(value)
    if pattern.problem:
        return NO
    if not isinstance(pattern.data, dict):
        return maybe(pattern.unknown or f"the pattern of {rule.address} is not known")
    head = {key: pattern.data[key] for key in _STATE_CHANGE if key in pattern.data}
    if not head:
        return maybe(f"{rule.address} takes events of any kind")
    known = {key: part for key, part in head.items() if not _has_hole(part)}
    if known and not matches(known, _STATE_CHANGE)[0]:
        return NO
    if len(known) < len(pattern.data):
        # It may be confined to other alarms or other states.
        return maybe(f"{rule.address} passes on the state changes of some alarms")
    return YES


def _has_hole(part: object) -> bool:
    if isinstance(part, list):
        return any(map(_has_hole, part))
    if isinstance(part, dict):
        return any(map(_has_hole, part.values()))
    return isinstance(part, Hole)


def topics(graph: Graph) -> list[Resource]:
    """The topics that alarms send to, in order."""
    told = (hop.to for hop in graph.hops(Notify) if hop.source.kind.name in (ALARM, COMPOSITE))
    return list(dict.fromkeys(topic for topic in told if topic.kind.name == "sns.topic"))


def senders(graph: Graph, topic: Resource) -> list[Hop]:
    """How alarms reach a topic, in the scenario that is looked at."""
    found = (hop for hop in graph.into(topic, Notify) if hop.source.kind.name in (ALARM, COMPOSITE))
    return [hop for hop in found if there(hop)]


def subscriptions(graph: Graph, topic: Resource) -> list[Hop]:
    """How a topic hands on what it gets: to queues and functions of the run, and to everybody else."""
    return graph.out_of(topic, Notify, Push)


def dimensions(metric: Metric) -> list[tuple[str | None, Value]]:
    """The dimensions of a metric in the scenario that is looked at; the name of one that is not known is None."""
    return [(name, value) for name, value, condition in dimension_pairs(metric.dimensions) if holds(condition)]


def subjects(graph: Graph, alarm: Resource) -> list[Resource]:
    """What an alarm watches."""
    return list(dict.fromkeys(hop.source for hop in graph.into(alarm, Watch)))


WATCHED = frozenset(dimension.namespace for dimension in DIMENSIONS.values()) | {"AWS/Scheduler", "AWS/Firehose"}
"""The namespaces of what an event passes."""


def of_events(graph: Graph, alarm: Resource) -> bool:
    """Whether an alarm watches something that an event passes; machines and databases are others' business."""
    if subjects(graph, alarm):
        return True
    spaces = (metric.namespace for metric in metrics_of(alarm) if isinstance(metric, Metric))
    return any(isinstance(space, Known) and space.data in WATCHED for space in spaces)


CLOUDWATCH = "cloudwatch.amazonaws.com"


def refused_by(graph: Graph, notify: Hop) -> list[Resource]:
    """The policies of a topic that do not let an alarm publish; none where one does, or where that cannot be told.

    A topic without a policy of its own has AWS's default one, which admits the alarms of its account.
    """
    topic, alarm = notify.to, notify.source
    grants = [hop.via for hop in graph.into(topic, Grant) if hop.via.kind.name == "sns.topic_policy" and there(hop)]
    if not grants or topic.elsewhere:
        return []
    loose = graph.loose_parts(topic, "sns.topic_policy")
    if loose:
        doubt(loose[0], topic, topic.head)
        return []
    context = service_context(CLOUDWATCH, names.expand(Ref(alarm, "arn")), alarm.stack)
    policies = [Policy(grant.raw("policy"), owner=grant) for grant in grants]
    decision = decide(policies, Request(Service(CLOUDWATCH), "sns:Publish", Ref(topic, "arn"), context))
    if isinstance(decision, CannotTell):
        doubt(next(iter(decision.blockers), "the policy of the topic is not known"), topic, topic.head)
    # An explicit denial is written on purpose.
    return grants if isinstance(decision, Denied) and decision.by is None else []
