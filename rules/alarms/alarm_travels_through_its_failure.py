"""The alarm on a failure reaches people only through what has failed.

## Why it matters
The alarm's topic feeds the very queue or function that the alarm watches. When that breaks, the alarm goes off and is
handed to what is broken: it joins the failures, and nobody is told.

## How to fix
Give alarms on the way that notifications take another way out: a second subscription (e-mail, a pager) on the topic,
or a topic of their own.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
- https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
"""

from hoplint.api import (
    Category,
    Finding,
    Graph,
    Hop,
    Iterator,
    Notify,
    Push,
    Resource,
    Severity,
    Watch,
    alarms,
    at,
    consumers,
    doubt,
    failures,
    rule,
)


@rule(
    id="alarm-travels-through-its-failure",
    code=318,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Notify,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Follow each alarm to people, and look whether every way passes what it watches."""
    for watch in graph.each(graph.hops(Watch)):
        alarm, subject = watch.via, watch.source
        broken = failing(graph, subject)
        if not broken:
            continue
        ways, open_ = ways_out(graph, alarm)
        if not ways or not all(passes(graph, way[-1].to, broken) for way in ways):
            continue
        carried, unsure = alarms.carriers(graph, alarm)
        unknown = [*open_, *unsure]
        if carried or unknown:
            if unknown:
                doubt(unknown[0], alarm, alarm.head)
            continue
        way = ways[0]
        yield Finding(
            f"tells people through {way[-1].to.address} alone, which is what fails when it goes off",
            primary=at(alarm, "is handed to what is broken", "alarm_actions"),
            trail=(
                at(subject, "is what it watches"),
                *(at(hop.to, "hands it on") for hop in way[:-1]),
                *((at(way[-1].via, "leads back"),) if way[-1].via is not alarm else ()),
                at(way[-1].to, "is what has failed"),
            ),
            hop=watch,
            about=(subject,),
        )


def failing(graph: Graph, subject: Resource) -> set[Resource]:
    """What is broken when an alarm on this resource goes off."""
    if subject.kind.name == "lambda.function":
        return {subject}
    if subject.kind.name != "sqs.queue":
        return set()
    fed = failures.feeders(graph, subject)
    return fed or {subject, *(poll.to for poll in consumers.polls_of(graph, subject))}


def ways_out(graph: Graph, alarm: Resource) -> tuple[list[list[Hop]], list[str]]:
    """Every way from an alarm to queues and functions, and why there may be others; none where one leads to people."""
    told = [hop for hop in graph.out_of(alarm, Notify) if consumers.there(hop)]
    ways: list[list[Hop]] = []
    unknown: list[str] = []
    if len(told) < len(alarm.items("alarm_actions") or [None]):
        unknown.append(f"whom {alarm.address} tells besides is not known")
    for first in told:
        topic = first.to
        if topic.kind.name != "sns.topic":
            ways.append([first])
            continue
        onward = [hop for hop in alarms.subscriptions(graph, topic) if consumers.there(hop)]
        if not all(isinstance(hop, Push) for hop in onward):
            return [], []
        ways.extend([first, hop] for hop in onward)
        unknown.extend(graph.loose_parts(topic, "sns.subscription"))
        if topic.elsewhere or topic in graph.exported or topic in graph.exposures:
            unknown.append(f"who else hears {topic.address} is not known")
    return ways, unknown


def passes(graph: Graph, end: Resource, broken: set[Resource]) -> bool:
    """Whether what arrives at a queue or function comes no further than what is broken."""
    if end in broken:
        return True
    onward = [poll.to for poll in consumers.polls_of(graph, end)]
    return bool(onward) and all(target in broken for target in onward)
