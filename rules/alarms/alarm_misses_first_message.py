"""The alarm on a failure queue stays quiet when the first message arrives there, or is late.

## Why it matters
One message in a dead-letter queue is one piece of work that failed for good. An alarm that waits for more of them,
for less than some number, or for a long row of periods lets it lie.

## How to fix
Compare with `GreaterThanThreshold` and 0 (or `GreaterThanOrEqualToThreshold` and 1), in one period of 60 s.

## References
- https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
"""

from hoplint.api import (
    Category,
    Edit,
    FailTo,
    Finding,
    Fix,
    Graph,
    Hop,
    Iterator,
    Known,
    Option,
    Quantity,
    Redrive,
    Resource,
    Safety,
    Severity,
    Watch,
    alarms,
    at,
    certainly,
    consumers,
    possibly,
    quantity,
    rule,
    set_number,
    set_text,
    settle,
    timing,
)


@rule(
    id="alarm-misses-first-message",
    code=307,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Watch,),
    fixable=True,
    late=Option(900, "seconds of a full queue after which an alarm is late"),
)
def check(graph: Graph, late: int) -> Iterator[Finding]:
    """Think one message into each failure queue, and look whether an alarm on its depth goes off."""
    hops = (hop for queue in failure_queues(graph) for hop in alarms.depth_watches(graph, queue))
    for watch in graph.each(hops):
        queue, alarm = watch.source, watch.via
        failing = next((hop for hop in graph.into(queue, Redrive, FailTo) if consumers.there(hop)), None)
        if failing is None or any(tells(other) for other in prompt(graph, watch, late)):
            # A second alarm for a larger number is one more step, as long as another one tells of the first.
            continue
        seen = alarms.reaction(watch)
        if certainly(seen.inverted):
            threshold = alarm.number("threshold")
            what, label, setting = f"goes off below {threshold}", "compares the wrong way round", "operator"
            severity = Severity.ERROR
        elif certainly(~seen.fires):
            what, label, setting = f"{allowed(alarm)} pass unnoticed", "lets the first message pass", "threshold"
            severity = Severity.WARNING
        elif certainly(seen.always):
            what, label, setting = "is in alarm with an empty queue too", "always holds", "threshold"
            severity = Severity.WARNING
        elif certainly(seen.fires):
            slow = delay(watch)
            if slow is None or not certainly(slow >= late):
                continue
            what = f"goes off {timing.words(slow)} after the first message"
            label, setting, severity = "waits for a row of periods", "evaluation_periods", Severity.WARNING
        else:
            continue
        yield Finding(
            f"{what}: failures of {failing.source.address} end in {queue.address}",
            primary=at(alarm, label, setting),
            trail=(at(failing.via, "sends its failures there"), at(queue, "takes them")),
            severity=severity,
            hop=watch,
            fix=mend(alarm, setting),
        )


def failure_queues(graph: Graph) -> list[Resource]:
    """The queues that take failures."""
    found = (hop.to for hop in graph.hops(Redrive, FailTo) if hop.to.kind.name == "sqs.queue")
    return list(dict.fromkeys(found))


def prompt(graph: Graph, watch: Hop, late: int) -> list[Hop]:
    """The other alarms on the same queue that are not late themselves."""
    found: list[Hop] = []
    for other in graph.watches(watch.source, set(alarms.DEPTH)):
        if other.via is watch.via or not graph.together(watch, other):
            continue
        slow = delay(other)
        if slow is None or not certainly(slow >= late):
            found.append(other)
    return found


def tells(other: Hop) -> bool:
    """Whether another alarm may tell of the first message: by the depth, or by the age of what waits."""
    by_age = isinstance(other, Watch) and other.metric not in alarms.VISIBLE
    return by_age or possibly(alarms.reaction(other).fires)


def delay(watch: Hop) -> Quantity | None:
    """The seconds of breaching periods after which an alarm goes off, if it wants more than one."""
    alarm = watch.via
    wanted = alarm.number("datapoints" if alarm.written("datapoints") else "evaluation_periods")
    period = quantity(settle(alarms.reading(watch).period))
    if period is None or not certainly(wanted > 1):
        return None
    return wanted * period


def allowed(alarm: Resource) -> str:
    """How many messages an alarm lets pass."""
    threshold = alarm.number("threshold")
    operator = settle(alarm.raw("operator"))
    least = threshold if isinstance(operator, Known) and operator.data == alarms.AT_LEAST else threshold + 1
    count = (least - 1).exact
    return "one message may" if count == 1 else f"up to {least - 1} messages"


def mend(alarm: Resource, setting: str) -> Fix | None:
    """Let the alarm go off above 0."""
    if setting == "evaluation_periods":
        return Fix("set evaluation periods and datapoints to 1")
    number = set_number(alarm, "threshold", Quantity(0))
    operator = settle(alarm.raw("operator"))
    if isinstance(operator, Known) and operator.data == alarms.GREATER:
        return number
    word = set_text(alarm, "operator", alarms.GREATER)
    title = f"{word.title}, threshold to 0"
    if word.safety is not Safety.SAFE or number.safety is not Safety.SAFE:
        return Fix(title)
    edits: tuple[Edit, ...] = (*word.edits, *number.edits)
    return Fix(title, Safety.SAFE, edits)
