"""The metrics that an alarm reads, and what AWS publishes them for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoplint.model.condition import Condition, both
from hoplint.model.resource import Resource, dig, field
from hoplint.model.value import Known, Value, branches, is_null, reason

PLAIN, SUMMED, COMPUTED = "plain", "summed", "computed"
"""How a metric counts: by itself, as one of several that only ever add up, or in some other expression."""


class Dimension:
    """What a dimension holds: an attribute of a resource of a kind, in the namespace that AWS publishes it in.

    `summed` says that the namespace may also hold sums over all resources, without the dimension.
    """

    __slots__ = ("attribute", "kinds", "namespace", "summed")

    def __init__(self, attribute: str, kind: str, namespace: str, summed: bool = True) -> None:
        self.attribute = attribute
        self.kinds = (kind,)
        self.namespace = namespace
        self.summed = summed


DIMENSIONS: dict[str, Dimension] = {
    "QueueName": Dimension("name", "sqs.queue", "AWS/SQS", summed=False),
    "FunctionName": Dimension("name", "lambda.function", "AWS/Lambda"),
    "TopicName": Dimension("name", "sns.topic", "AWS/SNS"),
    "RuleName": Dimension("name", "events.rule", "AWS/Events"),
    "EventBusName": Dimension("name", "events.bus", "AWS/Events"),
    "StateMachineArn": Dimension("arn", "states.machine", "AWS/States"),
    "TableName": Dimension("name", "dynamodb.table", "AWS/DynamoDB"),
    "StreamName": Dimension("name", "kinesis.stream", "AWS/Kinesis"),
    "PipeName": Dimension("name", "pipes.pipe", "AWS/EventBridge/Pipes"),
}


class Metric:
    """A metric that an alarm reads, and the condition under which it does.

    `shape` tells how it counts in what the alarm compares; `filled` that missing data is replaced by a number.
    """

    __slots__ = ("namespace", "name", "dimensions", "exists", "statistic", "period", "shape", "filled")

    def __init__(
        self,
        namespace: Value,
        name: Value,
        dimensions: Value,
        exists: Condition,
        statistic: Value,
        period: Value,
        shape: str = PLAIN,
        filled: bool = False,
    ) -> None:
        self.namespace = namespace
        self.name = name
        self.dimensions = dimensions
        self.exists = exists
        self.statistic = statistic
        self.period = period
        self.shape = shape
        self.filled = filled


def metrics_of(alarm: Resource) -> Iterator[Metric | str]:
    """The metrics that an alarm reads; a text says why one cannot be known."""
    name = alarm.raw("metric")
    if not is_null(name):
        statistic = alarm.raw("statistic" if alarm.written("statistic") else "extended_statistic")
        yield Metric(
            alarm.raw("namespace"), name, alarm.raw("dimensions"), alarm.exists, statistic, alarm.raw("period")
        )
    listed = False
    for whole, condition in branches(alarm.raw("metrics")):
        if is_null(whole):
            continue
        listed = True
        if isinstance(whole, Known) and isinstance(whole.data, list):
            yield from _queries(alarm, whole.data, both(alarm.exists, condition))
        else:
            yield reason(whole) or f"the metrics of {alarm.address} cannot be read"
    if is_null(name) and not listed:
        # A PromQL query, or another way of reading metrics that came later.
        yield f"{alarm.address} does not say in a way that is read here which metric it watches"


def _queries(alarm: Resource, listed: list[Value], exists: Condition) -> Iterator[Metric | str]:
    queries = [(query, condition) for item in listed for query, condition in branches(item)]
    expressions = [text for query, _ in queries if (text := _expression(query)) is not None]
    shape, filled = PLAIN, False
    if expressions or len(queries) > 1:
        # With several expressions, each feeds the next: those that only add up give something that only adds up.
        shape = SUMMED if expressions and all(_adds_up(text) for text in expressions) else COMPUTED
        filled = any("FILL(" in text.upper().replace(" ", "") for text in expressions)
    for query, condition in queries:
        yield from _query(alarm, query, both(exists, condition), shape, filled)


def _expression(query: Value) -> str | None:
    """The text of an expression; empty where it is not known."""
    for name in ("expression", "Expression"):
        found = field(query, name)
        if not is_null(found):
            return found.data if isinstance(found, Known) and isinstance(found.data, str) else ""
    return None


_FILL = re.compile(r"FILL\(([^(),]*),[\w.]+\)", re.IGNORECASE)
_ADDING = re.compile(r"(?:(?:SUM|MAX|METRICS)\(|[A-Za-z_]\w*|[+()\[\],])*", re.IGNORECASE)
_CALL = re.compile(r"(\w+)\(")


def _adds_up(text: str) -> bool:
    """Whether an expression is a sum or maximum of metrics: one message anywhere makes it at least one."""
    bare = _FILL.sub(r"\1", re.sub(r"\s", "", text))
    calls = {name.upper() for name in _CALL.findall(bare)}
    return bool(bare) and calls <= {"SUM", "MAX", "METRICS"} and _ADDING.fullmatch(bare) is not None


def _query(alarm: Resource, query: Value, exists: Condition, shape: str, filled: bool) -> Iterator[Metric | str]:
    if not (isinstance(query, Known) and isinstance(query.data, dict)):
        if not is_null(query):
            yield reason(query) or f"a metric of {alarm.address} cannot be read"
        return
    terraform = field(query, "metric")
    cloudformation = field(query, "MetricStat")
    if not is_null(terraform):
        read = [field(terraform, key) for key in ("namespace", "metric_name", "dimensions", "stat", "period")]
        yield Metric(read[0], read[1], read[2], exists, read[3], read[4], shape, filled)
    elif not is_null(cloudformation):
        read = [field(cloudformation, "Metric", key) for key in ("Namespace", "MetricName", "Dimensions[]")]
        stat, period = field(cloudformation, "Stat"), field(cloudformation, "Period")
        yield Metric(read[0], read[1], read[2], exists, stat, period, shape, filled)
    else:
        text = _expression(query)
        if text is not None and (not text or _searches(text)):
            # A search or a query over metrics may take in any queue.
            yield f"{alarm.address} searches metrics by an expression"


def _searches(text: str) -> bool:
    return "SEARCH(" in text.upper().replace(" ", "") or text.upper().lstrip().startswith("SELECT")


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
                    name, held = dig(entry, ["Name"]), dig(entry, ["Value"])
                    if isinstance(name, Known) and isinstance(name.data, str) and held is not None:
                        for branch, deeper in branches(held):
                            yield name.data, branch, both(condition, inner, deeper)
                    elif not is_null(entry):
                        yield None, entry, both(condition, inner)
        elif not is_null(whole):
            yield None, whole, condition


def periods(alarm: Resource) -> Iterator[Value]:
    """Every period that an alarm names, those of expressions included."""
    yield alarm.raw("period")
    for whole, _ in branches(alarm.raw("metrics")):
        for item in whole.data if isinstance(whole, Known) and isinstance(whole.data, list) else ():
            for query, _ in branches(item):
                for path in (("period",), ("Period",), ("metric", "period"), ("MetricStat", "Period")):
                    yield field(query, *path)
