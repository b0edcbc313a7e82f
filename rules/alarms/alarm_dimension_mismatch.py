"""The dimensions of an alarm name nothing that AWS publishes the metric for.

## Why it matters
CloudWatch takes any dimension, and an alarm on a metric that nobody publishes never sees a figure: it stays in
insufficient data for ever, while everybody believes that it watches.

## How to fix
Use the dimension and the value that the service publishes: `QueueName` with the queue's name (not its URL or ARN),
`FunctionName` with the function's name, `StateMachineArn` with the ARN, in the namespace `AWS/SQS`, `AWS/Lambda`,
`AWS/States`.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
- https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
- https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Known,
    Ref,
    Resource,
    Severity,
    Text,
    Unknown,
    Value,
    alarms,
    at,
    doubt,
    holds,
    metrics,
    names,
    reason,
    rule,
    settle,
)

METRICS = {
    "AWS/SQS": alarms.BLIND | alarms.DEPTH,
    "AWS/Lambda": {"Errors", "Throttles", "Invocations", "Duration", "IteratorAge", "DeadLetterErrors",
                   "ConcurrentExecutions", "DestinationDeliveryFailures", "AsyncEventsDropped"},
    "AWS/SNS": {"NumberOfMessagesPublished", "NumberOfNotificationsFailed", "NumberOfNotificationsDelivered",
                "NumberOfNotificationsFailedToRedriveToDlq", "NumberOfNotificationsRedrivenToDlq"},
    "AWS/Events": {"FailedInvocations", "Invocations", "ThrottledRules", "TriggeredRules", "InvocationsSentToDlq",
                   "InvocationsFailedToBeSentToDlq", "DeadLetterInvocations", "MatchedEvents"},
    "AWS/States": {"ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted", "ExecutionThrottled",
                   "ExecutionsStarted", "ExecutionsSucceeded"},
}  # fmt: skip
"""What these services publish; a namespace that only looks like theirs is a mistake where it holds such a metric."""

MEANT = {
    "AWS/SQS": {"QueueName": ("queue", "queuename", "queuearn", "queueurl")},
    "AWS/Lambda": {"FunctionName": ("function", "functionname", "functionarn", "lambdafunction", "lambdafunctionname")},
    "AWS/SNS": {"TopicName": ("topic", "topicname", "topicarn")},
    "AWS/Events": {"RuleName": ("rule", "rulename", "rulearn"), "EventBusName": ("bus", "eventbus", "eventbusname")},
    "AWS/States": {"StateMachineArn": ("statemachine", "statemachinename", "statemachinearn")},
    "AWS/Kinesis": {"StreamName": ("stream", "streamname", "streamarn")},
    "AWS/DynamoDB": {"TableName": ("table", "tablename", "tablearn")},
}
"""What people write where AWS has a name of its own, without regard to case and signs."""

Problem = tuple[str, str, Value, list[Resource]]
"""What is wrong in a clause, in a few words, where, and for whom it is meant."""


@rule(
    id="alarm-dimension-mismatch",
    code=309,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(alarms.ALARM,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Compare namespace and dimensions of each alarm with what AWS publishes."""
    for alarm in graph.each(graph.of(alarms.ALARM)):
        for metric in metrics.metrics_of(alarm):
            if isinstance(metric, str) or not holds(metric.exists):
                continue
            for what, label, value, meant in problems(graph, metric):
                yield Finding(
                    f"{what}: it never sees a figure",
                    primary=At(alarm, label, "dimensions", value.place_of_change or alarm.head),
                    trail=tuple(at(resource, "is what it is meant to watch") for resource in meant),
                    about=meant,
                )


def problems(graph: Graph, metric: metrics.Metric) -> Iterator[Problem]:
    """What is wrong with the namespace and the dimensions of one metric."""
    space, name = settle(metric.namespace), settle(metric.name)
    if not (isinstance(space, Known) and isinstance(space.data, str)):
        return
    dimensions = alarms.dimensions(metric)

    def meant() -> list[Resource]:
        return [subject for _, value in dimensions for subject in resources(graph, value)]

    for namespace, published in METRICS.items():
        if space.data != namespace and space.data.lower() == namespace.lower().removeprefix("aws/"):
            if isinstance(name, Known) and name.data in published:
                yield f"the namespace {space.data} is not {namespace}", f"is not {namespace}", space, meant()
            return
    for key, value in dimensions:
        if key is None:
            doubt(f"a dimension is not known: {reason(value)}")
        elif key in metrics.DIMENSIONS and metrics.DIMENSIONS[key].namespace == space.data:
            wrong = held(graph, metrics.DIMENSIONS[key], value)
            if wrong:
                yield f"{key} {wrong}", wrong, value, meant()
        else:
            right = named(space.data, key)
            if right:
                what = f"{space.data} has no dimension {key}, it is {right}"
                yield what, f"{key} is no dimension of {space.data}", value, meant()
    if not dimensions and space.data == "AWS/SQS" and isinstance(name, Known) and name.data in METRICS["AWS/SQS"]:
        yield "AWS/SQS publishes each metric for one queue, and no QueueName is given", "has no QueueName", name, []


def named(namespace: str, key: str) -> str:
    """The dimension that is meant by a key that AWS does not publish; empty where it may be one."""
    plain = key.lower().replace("_", "").replace("-", "").replace(" ", "")
    for right, meant in MEANT.get(namespace, {}).items():
        if key != right and plain in meant:
            return right
    return "QueueName" if namespace == "AWS/SQS" and key != "QueueName" else ""


def held(graph: Graph, dimension: metrics.Dimension, value: Value) -> str:
    """What is wrong with the value of a dimension; empty where it may be right."""
    value = settle(value)
    wants = "the ARN" if dimension.attribute == "arn" else "the name"
    if isinstance(value, Unknown):
        doubt(value.why)
        return ""
    if isinstance(value, Ref):
        return of_reference(graph, dimension, value, wants)
    parts = value.parts if isinstance(value, Text) else (value.data,) if isinstance(value, Known) else ()
    first = parts[0] if parts else ""
    lead = first if isinstance(first, str) else ""
    if dimension.attribute == "arn":
        plain = isinstance(value, Known) and not lead.startswith("arn:")
        return f"is no ARN, where AWS publishes {wants}" if plain else ""
    if lead.startswith("arn:"):
        return f"is an ARN, where AWS publishes {wants}"
    if lead.startswith(("https://", "http://")):
        return f"is a URL, where AWS publishes {wants}"
    last = parts[-1] if parts else ""
    if len(parts) > 1 and isinstance(last, str) and (":" in last or "/" in last):
        # No name of what is watched here holds these signs.
        return f"is a name with {last} behind it, which nothing has"
    return ""


def of_reference(graph: Graph, dimension: metrics.Dimension, value: Ref, wants: str) -> str:
    """What is wrong with a reference as the value of a dimension."""
    target = value.target
    if target.kind.name in dimension.kinds:
        if value.attribute == dimension.attribute:
            return ""
        if target.kind.name == "events.rule" and value.attribute == "id" and not custom(target):
            # On the default bus the id of a rule is its name.
            return ""
        return f"is the {value.attribute.replace('_', ' ')} of {target.address}, where AWS publishes {wants}"
    if value.attribute in ("function", "target") or target.elsewhere or dimension.attribute == "arn":
        return ""
    if not target.written(target.kind.named_by) if target.kind.named_by in target.kind.properties else False:
        # A name that AWS makes up for something else is never that of a queue or function.
        return f"is the {value.attribute} of {target.address}, which is another kind of thing"
    return ""


def custom(rule_: Resource) -> bool:
    """Whether a rule names a bus, which may be a custom one."""
    bus = settle(rule_.raw("bus"))
    return not (isinstance(bus, Known) and bus.data in (None, "default"))


def resources(graph: Graph, value: Value) -> list[Resource]:
    """What a dimension's value certainly means, in whatever form."""
    value = settle(value)
    kinds = tuple({kind for dimension in metrics.DIMENSIONS.values() for kind in dimension.kinds})
    found = names.resolve(value, graph.of(*kinds)).certain
    return [found] if found is not None else []
