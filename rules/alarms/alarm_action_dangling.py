"""An alarm action that can never exist.

## Why it matters
CloudWatch refuses what is no ARN, and takes without complaint what leads nowhere: the alarm goes off, and the action
fails where nobody looks.

## How to fix
Name the ARN of a topic or function, by reference where it is declared here. Where the action is optional, leave the
list empty instead of filling it with a placeholder.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
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
    doubt,
    names,
    rule,
    settle,
)

SETTINGS = ("alarm_actions", "ok_actions", "insufficient_data_actions")

ACTIONS = {
    "sns.topic": ("arn",),
    "lambda.function": ("arn", "qualified_arn"),
    "lambda.alias": ("arn",),
    "lambda.version": ("arn", "qualified_arn"),
}
"""What an alarm can call, of the kinds that are read here, by which attribute."""

NEVER = frozenset(
    (
        "sqs", "s3", "events", "states", "dynamodb", "kinesis", "firehose", "logs", "iam", "kms", "cloudwatch",
        "scheduler", "pipes", "secretsmanager", "execute-api", "ses",
    )
)  # fmt: skip
"""Services of which nothing is an alarm action."""


@rule(
    id="alarm-action-dangling",
    code=319,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(alarms.ALARM, alarms.COMPOSITE),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at each action of each alarm."""
    for alarm in graph.each(graph.of(alarms.ALARM, alarms.COMPOSITE)):
        said: set[tuple[str, object]] = set()
        for setting in SETTINGS:
            if setting not in alarm.kind.properties:
                continue
            for value in alarm.items(setting) or ():
                what = dangling(graph, alarm, value)
                if not what:
                    continue
                if alarms.contradicted(value):
                    doubt(f"{alarm.address} exists where another value is given than the default", alarm)
                    continue
                site = value.place_of_change or alarm.site(setting)
                # The same variable is often given for every state.
                key = (what, site.place().key())
                if key not in said:
                    said.add(key)
                    yield Finding(
                        f"{what}: no alarm can call it",
                        primary=At(alarm, what, setting, site),
                        # Whoever deploys it may give another value than the default.
                        confidence="medium" if alarms.by_default(value) else "high",
                    )


def dangling(graph: Graph, alarm: Resource, value: Value) -> str:
    """Why a value can never be an action; empty where it may be one."""
    value = settle(value)
    if isinstance(value, Unknown):
        doubt(value.why, alarm, value.place_of_change)
        return ""
    if isinstance(value, Ref):
        kind = value.target.kind.name
        if value.attribute in ACTIONS.get(kind, ()):
            return ""
        return f"the action is the {value.attribute.replace('_', ' ')} of {value.target.address}"
    if isinstance(value, Known):
        return of_text(value)
    if isinstance(value, Text):
        first = value.parts[0]
        if isinstance(first, str) and not first.startswith("arn:"):
            return "the action is no ARN"
        return of_topic(graph, value)
    return ""


def of_text(value: Known) -> str:
    """Why a known text is no action."""
    if not isinstance(value.data, str):
        return "" if value.data is None else "the action is no text"
    if value.data.startswith("arn:"):
        service = value.data.split(":")[2] if value.data.count(":") > 2 else ""
        return f"the action is an ARN of {service}" if service in NEVER else ""
    by = next((step.name for step in value.through if step.how == "default"), "")
    of = f", the default of {by}" if by else ""
    return f'the action is "{value.data}"{of}, which is no ARN' if value.data else f"the action is empty{of}"


def of_topic(graph: Graph, value: Text) -> str:
    """Whether an ARN that is put together from a topic of the run leads to none."""
    made_of = [part.target for part in value.parts if isinstance(part, Ref) and part.target.kind.name == "sns.topic"]
    if not made_of or any(topic.elsewhere for topic in made_of):
        return ""
    if any(names.same(value, Ref(topic, "arn")).possible for topic in graph.of("sns.topic")):
        return ""
    return f"the action is made of {made_of[0].address}, and is no topic's ARN"
