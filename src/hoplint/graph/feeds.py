"""What is known of the messages in a queue and on a topic, and of the filters that stand before their consumers."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import patterns, strangers
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Hop, Notify, Push
from hoplint.graph.patterns.consumers import OPERATORS, Path
from hoplint.graph.patterns.grammar import root_items
from hoplint.graph.patterns.match import conditions
from hoplint.graph.patterns.operands import ERROR
from hoplint.graph.patterns.pattern import MANY, Hole, branches, has_hole
from hoplint.graph.patterns.shapes import Fields, Plain
from hoplint.model.finding import At
from hoplint.model.inquiry import doubt, settle
from hoplint.model.place import Site
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Unknown, Value, is_null, reason

WORDS = {
    "events.rule": "rule", "sns.topic": "topic", "s3.bucket": "bucket", "scheduler.schedule": "schedule",
    "cloudwatch.alarm": "alarm", "cloudwatch.composite_alarm": "alarm",
}  # fmt: skip

FILTERING = ("lambda.event_source_mapping", "pipes.pipe")
"""What takes filters on the records that it polls."""

GRAMMAR = frozenset(("syntax", "operator", "value", "node", "size"))
"""The kinds of problems that make a pattern one that is refused or never matches, whatever it is for."""


def producers_of(graph: Graph, queue: Resource, beside: Hop | None = None) -> list[patterns.Producer]:
    """Who sends to a queue by itself, with the shape of what arrives; only those that can exist beside a hop."""
    found: list[patterns.Producer] = []
    for push in graph.into(queue, Push):
        if beside is not None and not graph.together(beside, push):
            continue
        found.append(patterns.Producer(_label(push), shape_of(graph, push), push))
    return found


def _label(hop: Hop) -> str:
    return f"{WORDS.get(hop.source.kind.name, '')} {hop.source.address}".strip()


def shape_of(graph: Graph, push: Hop) -> patterns.Shape:
    """The body of the messages that a push puts into a queue or hands to a topic."""
    kind = push.source.kind.name
    via = push.via
    if kind == "events.rule":
        pattern = push.source.get("pattern")
        transformer = via.get("input_transformer")
        paths = field(transformer, "input_paths") if via.stack.family == "terraform" else field(
            transformer, "InputPathsMap"
        )
        return patterns.eventbridge(
            None if is_null(pattern) else patterns.parse(pattern),
            scheduled=push.source.written("schedule") and is_null(pattern),
            constant=via.get("input"),
            path=via.get("input_path"),
            template=via.get("input_template"),
            paths=paths,
        )
    if kind == "sns.topic":
        raw = via.flag("raw")
        alarms = graph.into(push.source, Notify)
        inner = patterns.alarm_message() if alarms and not graph.into(push.source, Push) else patterns.unknown_sender()
        # Programs may publish to any topic, so that only the envelope around it is certain.
        known = True if raw.certain else False if not raw.possible else None
        return patterns.sns(known, patterns.unknown_sender() if known else inner)
    if kind == "s3.bucket":
        return patterns.s3_notifications()
    if kind == "scheduler.schedule":
        return patterns.scheduler(via.get("input"))
    return patterns.unknown_sender()


def losses(graph: Graph, poll: Hop) -> list[patterns.Loss]:
    """Whose messages the filters of a mapping or pipe certainly let none through of."""
    filters = poll.via.get("filters")
    if poll.source.kind.name != "sqs.queue" or (isinstance(filters, Known) and not filters.data):
        return []
    producers = producers_of(graph, poll.source, poll)
    if not producers:
        return []
    for one in patterns.filters_of(filters).patterns:
        unsure(one, poll.via, "filters")
    consumer = patterns.consumer_of(poll.source.kind.name, poll.via.kind.name == "pipes.pipe")
    found = patterns.mapping_filter_verdicts(filters, producers, consumer)
    return [loss for loss in found if loss.producer is not None]


# Filters on what is polled -------------------------------------------------------------------------------------------


class Filters:
    """The filters of a mapping or pipe, in one scenario: one is enough to let a record through.

    `source` is the queue or stream where it is known, `consumer` what the filters have to obey, `sure` whether the
    kind of the source is known, `patterns` the filters that were read, `complete` whether these are all.
    """

    __slots__ = ("via", "source", "consumer", "sure", "patterns", "complete")

    def __init__(self, graph: Graph, via: Resource) -> None:
        self.via = via
        self.source = _polled(graph, via)
        name = _kind_of_source(via, self.source)
        pipe = via.kind.name == "pipes.pipe"
        self.sure = bool(name)
        self.consumer = patterns.consumer_of(None, pipe)
        if name:
            self.consumer = patterns.consumer(f"pipe-{name}" if pipe else name)
        read = patterns.filters_of(via.get("filters"))
        self.patterns = read.patterns
        self.complete = not any(one.problem for one in read.patterns)
        if read.unknown and not any(one.unknown == read.unknown for one in read.patterns):
            self.complete = False
            doubt(read.unknown, via, via.site("filters"))

    def place(self, label: str, number: int, site: Site | None) -> At:
        """The place of one filter, or of a part of it."""
        return At(self.via, label, f"filters[{number}]", site or self.via.site("filters"))

    def whole(self, label: str, pattern: patterns.Pattern) -> At:
        """The place of a whole filter."""
        return self.place(label, self.patterns.index(pattern), pattern.site())

    def steps(self, problems: list[patterns.Problem], number: int) -> tuple[At, ...]:
        """The further problems of a filter, and what is filtered."""
        places = [self.place(problem.message, number, problem.site) for problem in problems]
        return (*places, At(self.source, "is filtered")) if self.source is not None else tuple(places)

    def problems(self) -> Iterator[tuple[int, list[patterns.Problem]]]:
        """What is certainly wrong with each filter, whatever is sent; one that is no JSON is another rule's."""
        for number, pattern in enumerate(self.patterns):
            if not pattern.problem:
                unsure(pattern, self.via, "filters")
                yield number, patterns.validate(pattern, self.consumer)


def filtered(graph: Graph) -> Iterator[Filters]:
    """Every mapping and pipe that has filters, in each scenario that matters."""
    for via in graph.each(via for via in graph.of(*FILTERING) if not via.elsewhere and via.written("filters")):
        yield Filters(graph, via)


def unsure(pattern: patterns.Pattern, resource: Resource, setting: str) -> None:
    """Record that the fields of a pattern are not all known; of the values in an array that is not wanted."""
    if _open(pattern.data):
        doubt(pattern.unknown, resource, pattern.site() or resource.site(setting))


def _open(node: object) -> bool:
    if isinstance(node, dict):
        return any(_open(item) for item in node.values())
    if isinstance(node, list):
        return any(_open(item) for item in node if isinstance(item, dict) and not OPERATORS & item.keys())
    return isinstance(node, Hole) and not node.text


def worst(problems: list[patterns.Problem]) -> tuple[patterns.Problem, list[patterns.Problem]] | None:
    """The problem that is spoken of, and the others; None where there is none."""
    ordered = sorted(problems, key=lambda problem: problem.severity != ERROR)
    return (ordered[0], ordered[1:]) if ordered else None


def _polled(graph: Graph, via: Resource) -> Resource | None:
    value = settle(via.raw("source"))
    if isinstance(value, Ref):
        return value.target
    found = graph.ends(via, "source", "sqs.queue", "dynamodb.table", "kinesis.stream", "kinesis.consumer")
    return found[0] if len(found) == 1 else None


_BY_KIND = {
    "sqs.queue": "sqs", "kinesis.stream": "kinesis", "kinesis.consumer": "kinesis", "dynamodb.table": "dynamodb",
}  # fmt: skip
_BY_SERVICE = {
    "sqs": "sqs", "kinesis": "kinesis", "dynamodb": "dynamodb", "kafka": "kafka", "mq": "mq", "rds": "documentdb",
}  # fmt: skip
_BY_SETTING = (("documentdb", "documentdb"), ("kafka_bootstrap", "kafka"), ("mq_queues", "mq"), ("topics", "kafka"))
_BY_PARAMETERS = {
    "sqs_queue_parameters": "sqs", "kinesis_stream_parameters": "kinesis", "dynamodb_stream_parameters": "dynamodb",
    "managed_streaming_kafka_parameters": "kafka", "self_managed_kafka_parameters": "kafka",
    "activemq_broker_parameters": "mq", "rabbitmq_broker_parameters": "mq",
    "SqsQueueParameters": "sqs", "KinesisStreamParameters": "kinesis", "DynamoDBStreamParameters": "dynamodb",
    "ManagedStreamingKafkaParameters": "kafka", "SelfManagedKafkaParameters": "kafka",
    "ActiveMQBrokerParameters": "mq", "RabbitMQBrokerParameters": "mq",
}  # fmt: skip


def _kind_of_source(via: Resource, source: Resource | None) -> str:
    """sqs, kinesis, dynamodb, kafka, mq or documentdb; nothing where it is not known."""
    pipe = via.kind.name == "pipes.pipe"
    if source is not None and source.kind.name in _BY_KIND:
        return _BY_KIND[source.kind.name]
    found = _BY_SERVICE.get(strangers.service_in(settle(via.raw("source"))) or "", "")
    if not found and pipe:
        parameters = settle(via.raw("source_parameters"))
        keys = parameters.data if isinstance(parameters, Known) and isinstance(parameters.data, dict | list) else {}
        if isinstance(keys, list):
            first = settle(keys[0]) if keys else None
            keys = first.data if isinstance(first, Known) and isinstance(first.data, dict) else {}
        named = {_BY_PARAMETERS[key] for key, item in keys.items() if key in _BY_PARAMETERS and not _unset(item)}
        found = named.pop() if len(named) == 1 else ""
    elif not found:
        found = next((name for setting, name in _BY_SETTING if not _unset(settle(via.raw(setting)))), "")
    return "" if pipe and found == "documentdb" else found


def _unset(value: Value) -> bool:
    return not isinstance(value, Known) or value.data is None or value.data == []


def mistyped(filters: Filters) -> Iterator[tuple[int, str, Site | None]]:
    """The filters on a table's stream whose conditions never hold for values with their types: which, why and where.

    One that is refused before anything is compared is another rule's.
    """
    shape = patterns.dynamodb_stream()
    for number, problems in filters.problems():
        if not filters.consumer.name.endswith("dynamodb"):
            continue
        typed = [problem for problem in problems if about_types(problem)]
        if any(problem.kind in GRAMMAR for problem in problems if problem not in typed):
            continue
        if typed:
            yield number, typed[0].message, typed[0].site
            continue
        verdict = patterns.can_match(filters.patterns[number], shape, filters.consumer)
        if not verdict.possible and verdict.path[:1] == ("dynamodb",):
            yield number, verdict.why, filters.patterns[number].site(verdict.path)


def starved_by_view(filters: Filters) -> Iterator[tuple[int, patterns.Pattern, patterns.Verdict, str]]:
    """The filters that look for an image which the table's stream does not carry, with the stream's view type."""
    table = filters.source
    if table is None or table.kind.name != "dynamodb.table" or not filters.consumer.name.endswith("dynamodb"):
        return
    view = table.string("stream_view")
    if view not in ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        return
    for number, pattern in enumerate(filters.patterns):
        if not patterns.can_match(pattern, patterns.dynamodb_stream(), filters.consumer).possible:
            continue
        verdict = patterns.can_match(pattern, patterns.dynamodb_stream(view), filters.consumer)
        if not verdict.possible:
            yield number, pattern, verdict, view


def leaves(pattern: patterns.Pattern) -> set[Path] | None:
    """The paths that a pattern tests, in any of its alternatives; None where a part is not known."""
    data = pattern.data
    if pattern.problem or not isinstance(data, dict) or has_hole(data) or branches(data) >= MANY:
        return None
    return {path for branch in conditions(data) for path, _ in branch}


def tests_at(pattern: patterns.Pattern, path: Path) -> list[object]:
    """The tests of one path of a pattern, in all its alternatives."""
    if not isinstance(pattern.data, dict) or branches(pattern.data) >= MANY:
        return []
    dotted = patterns.dotted(path)
    return [
        test
        for branch in conditions(pattern.data)
        for one, tests in branch
        if patterns.dotted(one) == dotted
        for test in tests
    ]


# Filters on subscriptions --------------------------------------------------------------------------------------------


class Subscription:
    """A subscription with a filter policy, in one scenario. `body` is None where its scope is not known."""

    __slots__ = ("via", "pattern", "body")

    def __init__(self, via: Resource) -> None:
        self.via = via
        policy = via.get("filter_policy")
        self.pattern = patterns.parse(policy)
        scope = via.get("filter_scope")
        self.body: bool | None = None
        if isinstance(scope, Known) and scope.data in ("MessageBody", "MessageAttributes"):
            self.body = scope.data == "MessageBody"
        elif isinstance(scope, Known):
            doubt(f"{scope.data} is no scope of a filter policy", via, via.site("filter_scope"))
        elif not isinstance(scope, Unknown):
            doubt(reason(scope), via, via.site("filter_scope"))

    def place(self, label: str, site: Site | None = None) -> At:
        """The place of the policy, or of a part of it."""
        return At(self.via, label, "filter_policy", site or self.pattern.site() or self.via.site("filter_policy"))

    def problems(self) -> list[patterns.Problem]:
        """What is certainly wrong with the policy; where the scope is not known, what is wrong in either."""
        if self.pattern.problem:
            return []
        unsure(self.pattern, self.via, "filter_policy")
        body = patterns.validate(self.pattern, patterns.SNS_BODY)
        if self.body:
            return body
        attributes = patterns.validate(self.pattern, patterns.SNS_ATTRIBUTES)
        if self.body is False:
            return attributes
        shared = {(problem.path, problem.kind) for problem in body}
        return [problem for problem in attributes if (problem.path, problem.kind) in shared]

    def losses(self, graph: Graph) -> list[patterns.Loss]:
        """Which services' messages the policy certainly lets none through of.

        Only where it does so for every sender that is declared: a policy on a topic with several senders may well be
        there to keep one of them out. For the same reason a policy on attributes counts only where its keys are those
        of a message: attributes of its own are what another program publishes with.
        """
        if self.pattern.problem or self.body is None:
            return []
        producers = publishers(graph, self.via)
        if self.body is False and not any(self._of_message(producer.shape) for producer in producers):
            return []
        consumer = patterns.SNS_BODY if self.body else patterns.SNS_ATTRIBUTES
        verdicts: list[tuple[patterns.Producer, patterns.Verdict]] = []
        for producer in producers:
            shape = producer.shape if self.body else patterns.NO_ATTRIBUTES
            if isinstance(shape, Plain):
                verdict = patterns.Verdict(False, (), "it is plain text, and the policy is one on JSON", "format")
            else:
                verdict = patterns.can_match(self.pattern, shape, consumer)
            if verdict.possible:
                return []
            verdicts.append((producer, verdict))
        return [
            patterns.Loss(
                producer, [0], verdict,
                f"no message that {producer.label} sends is delivered: {verdict.why}", self.pattern.site(verdict.path),
            )
            for producer, verdict in verdicts
        ]  # fmt: skip


    def misread(self, graph: Graph) -> Iterator[tuple[patterns.Loss, Hop]]:
        """What is lost since the policy is written for the other scope."""
        for loss in self.losses(graph):
            owner = loss.producer.owner if loss.producer is not None else None
            if isinstance(owner, Hop) and (loss.kind == "format" or not self.body):
                yield loss, owner

    def misplaced(self, graph: Graph) -> Iterator[tuple[patterns.Loss, Hop]]:
        """What is lost since the policy looks where the message has nothing."""
        for loss in self.losses(graph):
            owner = loss.producer.owner if loss.producer is not None else None
            if isinstance(owner, Hop) and loss.kind == "key" and self.body:
                yield loss, owner

    @property
    def scope(self) -> At:
        """The place of the scope."""
        looks = {True: "looks at the body", False: "looks at attributes", None: "is not known"}
        return At(self.via, looks[self.body], "filter_scope")

    @property
    def nested(self) -> patterns.Problem | None:
        """A nested key, where the policy is certainly one on attributes."""
        problems = self.problems() if self.body is False else []
        return next((problem for problem in problems if problem.kind == "scope"), None)

    def _of_message(self, shape: patterns.Shape) -> bool:
        keys = [key.partition(".")[0] for key, _ in root_items(self.pattern.data)]
        return isinstance(shape, Fields) and bool(keys) and all(key in shape.fields for key in keys)


def subscriptions(graph: Graph) -> Iterator[Subscription]:
    """Every subscription with a filter policy, in each scenario that matters."""
    for via in graph.each(graph.of("sns.subscription")):
        if not via.elsewhere and via.written("filter_policy") and not is_null(via.get("filter_policy")):
            yield Subscription(via)


def publishers(graph: Graph, subscription: Resource) -> list[patterns.Producer]:
    """The services that publish to the topic of a subscription, with the message that each publishes."""
    found: list[patterns.Producer] = []
    topics = graph.ends(subscription, "topic", "sns.topic")
    for topic in topics[:1] if len(topics) == 1 else ():
        for push in graph.into(topic, Push):
            if graph.together(subscription, push):
                found.append(patterns.Producer(_label(push), shape_of(graph, push), push))
        for notify in graph.into(topic, Notify):
            if graph.together(subscription, notify):
                found.append(patterns.Producer(_label(notify), patterns.alarm_message(), notify))
    return found


# What problems are about ---------------------------------------------------------------------------------------------


def root_problems(pattern: patterns.Pattern, filters: Filters) -> list[patterns.Problem]:
    """Root keys that the records of a filter's source do not have, or that AWS documents no filtering on."""
    return [] if pattern.problem else patterns.root_problems(pattern, filters.consumer)


def about_types(problem: patterns.Problem) -> bool:
    """Whether a problem is about the typed values of a table's stream: of its attributes, not of what holds these."""
    attribute = len(problem.path) > 4 and problem.path[:1] == ("dynamodb",)
    return problem.kind == "typed" or (problem.kind == "node" and attribute)


def repeated(problems: list[patterns.Problem]) -> list[patterns.Problem]:
    """The first repeated key, if there is one."""
    return [problem for problem in problems if problem.kind == "repeated"][:1]


# Alternatives --------------------------------------------------------------------------------------------------------


def disjoint(filters: Filters) -> bool:
    """Whether a mapping or pipe has two filters that test no common field, as if both of them had to hold.

    Three and more that have nothing in common are a list of what is wanted. So are two that no record could pass
    together, and two that only ask which of two fields is there.
    """
    if not filters.complete or len(filters.patterns) != 2:
        return False
    fields: list[set[Path]] = []
    for pattern in filters.patterns:
        found = leaves(pattern)
        if not found:
            unsure(pattern, filters.via, "filters")
            return False
        fields.append({_field(path) for path in found})
    if any(_overlap(left, right) for left in fields[0] for right in fields[1]):
        return False
    return not (all(map(_only_presence, filters.patterns)) or _exclusive(filters))


def _field(path: Path) -> Path:
    """A path without the image that it stands in: before and after a change are the same field."""
    steps = tuple(step for key in path for step in (key.split(".") if isinstance(key, str) else [key]))
    if steps[:1] == ("dynamodb",) and steps[1:2] in (("NewImage",), ("OldImage",), ("Keys",)):
        return ("dynamodb", *steps[2:])
    return steps


def _overlap(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _only_presence(pattern: patterns.Pattern) -> bool:
    return all(
        isinstance(test, dict) and "exists" in test
        for path in leaves(pattern) or ()
        for test in tests_at(pattern, path)
    )


def _exclusive(filters: Filters) -> bool:
    """Whether two of the filters want kinds of changes that are not one: a removed item has no new image."""
    images: set[str] = set()
    kinds: set[str] = set()
    for pattern in filters.patterns:
        for path in leaves(pattern) or ():
            if path[:1] == ("dynamodb",) and path[1:2] in (("NewImage",), ("OldImage",)):
                images.add(str(path[1]))
            elif path[:1] == ("userIdentity",):
                # Of a record, only the expiry of an item has it.
                kinds.add("REMOVE")
            elif path == ("eventName",):
                tests = tests_at(pattern, path)
                kinds.update(str(test) for test in tests if len(tests) == 1)
    return "REMOVE" in kinds and "NewImage" in images or "INSERT" in kinds and "OldImage" in images


def listed(pattern: patterns.Pattern) -> str:
    """What a filter tests, in a few words."""
    found = sorted(patterns.dotted(path) for path in leaves(pattern) or ())
    return " and ".join(f'"{name}"' for name in found[:2]) + (" …" if len(found) > 2 else "")
