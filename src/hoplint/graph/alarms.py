"""What alarms look at: plain metrics, metric math, and the resources that their dimensions name."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph import names
from hoplint.graph.graph import Graph, Loose
from hoplint.graph.hops import UNKNOWN_METRIC, Watch
from hoplint.model.condition import Condition, both
from hoplint.model.resource import Resource, dig, field
from hoplint.model.value import Known, Ref, Unknown, Value, branches, is_null, reason

DIMENSIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "QueueName": ("name", ("sqs.queue",)),
    "FunctionName": ("name", ("lambda.function",)),
    "TopicName": ("name", ("sns.topic",)),
    "RuleName": ("name", ("events.rule",)),
    "EventBusName": ("name", ("events.bus",)),
    "StateMachineArn": ("arn", ("states.machine",)),
    "TableName": ("name", ("dynamodb.table",)),
    "StreamName": ("name", ("kinesis.stream",)),
    "PipeName": ("name", ("pipes.pipe",)),
}
"""Which attribute of which kind a dimension holds."""

class Metric:
    """A metric that an alarm reads, and the condition under which it does."""

    __slots__ = ("namespace", "name", "dimensions", "exists", "statistic")

    def __init__(
        self, namespace: Value, name: Value, dimensions: Value, exists: Condition, statistic: Value | None = None
    ) -> None:
        self.namespace = namespace
        self.name = name
        self.dimensions = dimensions
        self.exists = exists
        self.statistic = statistic


def metrics_of(alarm: Resource) -> Iterator[Metric | str]:
    """The metrics that an alarm reads; a text says why one cannot be known."""
    plain = Metric(
        alarm.raw("namespace"), alarm.raw("metric"), alarm.raw("dimensions"), alarm.exists, alarm.raw("statistic")
    )
    if not is_null(plain.name):
        yield plain
    for whole, condition in branches(alarm.raw("metrics")):
        if is_null(whole):
            continue
        if not (isinstance(whole, Known) and isinstance(whole.data, list)):
            yield reason(whole) or f"the metrics of {alarm.address} cannot be read"
            continue
        for item in whole.data:
            for query, inner in branches(item):
                yield from _query(query, both(alarm.exists, condition, inner), alarm)


def _query(query: Value, exists: Condition, alarm: Resource) -> Iterator[Metric | str]:
    if not (isinstance(query, Known) and isinstance(query.data, dict)):
        yield reason(query) or f"a metric of {alarm.address} cannot be read"
        return
    terraform = field(query, "metric")
    cloudformation = field(query, "MetricStat", "Metric")
    if not is_null(terraform):
        read = [field(terraform, key) for key in ("namespace", "metric_name", "dimensions", "stat")]
        yield Metric(read[0], read[1], read[2], exists, read[3])
    elif not is_null(cloudformation):
        read = [field(cloudformation, key) for key in ("Namespace", "MetricName", "Dimensions[]")]
        yield Metric(read[0], read[1], read[2], exists, field(query, "MetricStat", "Stat"))
    else:
        for expression in (field(query, "expression"), field(query, "Expression")):
            if not is_null(expression) and (not isinstance(expression, Known) or _searches(expression.data)):
                # A search or a query over metrics may take in any queue.
                yield f"{alarm.address} searches metrics by an expression"


def _searches(data: object) -> bool:
    text = data.upper() if isinstance(data, str) else ""
    return "SEARCH(" in text.replace(" ", "") or text.lstrip().startswith("SELECT")


def dimension_pairs(dimensions: Value) -> Iterator[tuple[str | None, Value, Condition]]:
    """Name and value of each dimension; the name is None where it is not known."""
    for whole, condition in branches(dimensions):
        if isinstance(whole, Known) and isinstance(whole.data, dict):
            for key, value in whole.data.items():
                for branch, inner in branches(value):
                    yield key, branch, both(condition, inner)
        elif isinstance(whole, Known) and isinstance(whole.data, list):
            for item in whole.data:
                for entry, inner in branches(item):
                    name, value = dig(entry, ["Name"]), dig(entry, ["Value"])
                    if isinstance(name, Known) and isinstance(name.data, str) and value is not None:
                        for branch, deeper in branches(value):
                            yield name.data, branch, both(condition, inner, deeper)
                    elif not is_null(entry):
                        yield None, entry, both(condition, inner)
        elif not is_null(whole):
            yield None, whole, condition


def link(graph: Graph) -> None:
    """Enter a Watch for every alarm and every resource that it looks at."""
    for alarm in graph.of("cloudwatch.alarm"):
        for metric in metrics_of(alarm):
            if isinstance(metric, str):
                _loosen(graph, alarm, metric)
                continue
            for name, value, exists in dimension_pairs(metric.dimensions):
                if name is None:
                    _loosen(graph, alarm, reason(value) or f"a dimension of {alarm.address} is not known")
                elif name in DIMENSIONS:
                    _watch(graph, alarm, metric, name, value, both(metric.exists, exists))


def _watch(graph: Graph, alarm: Resource, metric: Metric, name: str, value: Value, exists: Condition) -> None:
    attribute, kinds = DIMENSIONS[name]
    for read, condition in branches(metric.name):
        known = read.data if isinstance(read, Known) and isinstance(read.data, str) else UNKNOWN_METRIC
        for subject in _subjects(graph, alarm, attribute, kinds, value):
            watch = Watch(alarm, subject, known)
            watch.exists = both(exists, condition)
            graph.add(watch)


def _subjects(
    graph: Graph, alarm: Resource, attribute: str, kinds: tuple[str, ...], value: Value
) -> Iterator[Resource]:
    if isinstance(value, Unknown):
        _loosen(graph, alarm, value.why)
        return
    if isinstance(value, Ref):
        # An ARN where a name belongs watches nothing: that is a finding of its own, on the alarm.
        if value.target.kind.name in kinds and value.attribute == attribute:
            if value.target.stack is not alarm.stack:
                graph.join(alarm.stack, value.target.stack)
            yield value.target
        return
    candidates = graph.of(*kinds)
    here = [resource for resource in candidates if resource.stack is alarm.stack]
    found = False
    for group in (here, [resource for resource in candidates if resource.stack is not alarm.stack]):
        for resource in group:
            test = names.same(value, Ref(resource, attribute))
            if test.certain:
                found = True
                yield resource
            elif test.possible and not found:
                _loosen(graph, alarm, test.why or f"{alarm.address} may watch it", resource)
        if found:
            return


def _loosen(graph: Graph, alarm: Resource, why: str, subject: Resource | None = None) -> None:
    graph.loose.setdefault("cloudwatch.alarm", []).append(Loose("cloudwatch.alarm", alarm, why, subject))
