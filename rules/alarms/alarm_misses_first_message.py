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
    YES,
    Category,
    Edit,
    Finding,
    Fix,
    Graph,
    Hop,
    Iterator,
    Known,
    Option,
    Quantity,
    Resource,
    Safety,
    Severity,
    Test,
    Watch,
    alarms,
    at,
    certainly,
    failures,
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
    hops = (hop for queue in failures.queues(graph) for hop in alarms.depth_watches(graph, queue))
    for watch in graph.each(hops):
        queue, alarm = watch.source, watch.via
        failing = next(iter(failures.into(graph, queue)), None)
        others = [tells(other) for other in prompt(graph, watch, late)]
        if failing is None or any(other.certain for other in others):
            # A second alarm for a larger number is one more step, as long as another one tells of the first.
            continue
        found = problem(watch, late)
        if found is None or any(possibly(other) for other in others):
            continue
        what, label, setting, severity = found
        yield Finding(
            f"{what}: failures of {failing.source.address} end in {queue.address}",
            primary=at(alarm, label, setting),
            trail=(at(failing.via, "sends its failures there"), at(queue, "takes them")),
            severity=severity,
            hop=watch,
            fix=mend(alarm, setting),
        )


def problem(watch: Hop, late: int) -> tuple[str, str, str, Severity] | None:
    """What is wrong with an alarm: in a clause, in a few words, where, and how bad it is."""
    alarm = watch.via
    seen = alarms.reaction(watch)
    if certainly(seen.inverted):
        what = f"goes off below {alarm.number('threshold')}, not when a message arrives"
        return what, "compares the wrong way round", "operator", Severity.ERROR
    if certainly(~seen.fires):
        return f"{allowed(alarm)} pass unnoticed", "lets the first message pass", "threshold", Severity.WARNING
    if certainly(seen.always):
        return "is in alarm with an empty queue too", "always holds", "threshold", Severity.WARNING
    slow = delay(watch)
    if seen.fires.certain and slow is not None and certainly(slow >= late):
        what = f"goes off {timing.words(slow)} after the first message"
        return what, "waits for a row of periods", "evaluation_periods", Severity.WARNING
    return None


def prompt(graph: Graph, watch: Hop, late: int) -> list[Hop]:
    """The other alarms on the same queue that are not late themselves."""
    found: list[Hop] = []
    for other in graph.watches(watch.source, set(alarms.DEPTH)):
        if other.via is watch.via or not graph.together(watch, other):
            continue
        slow = delay(other)
        if slow is None or not (slow >= late).certain:
            found.append(other)
    return found


def tells(other: Hop) -> Test:
    """Whether another alarm tells of the first message: by the depth, or by the age of what waits."""
    if isinstance(other, Watch) and other.metric not in alarms.VISIBLE:
        return YES
    return alarms.reaction(other).fires


def delay(watch: Hop) -> Quantity | None:
    """The seconds of breaching periods after which an alarm goes off, if it wants more than one."""
    alarm = watch.via
    wanted = alarm.number("datapoints" if alarm.written("datapoints") else "evaluation_periods")
    period = quantity(settle(alarms.reading(watch).period))
    if period is None or not (wanted > 1).certain:
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
