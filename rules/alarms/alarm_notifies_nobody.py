"""An alarm goes off, and nobody is told.

## Why it matters
An alarm without an alarm action changes its colour in the console, and that is all. The failure is noticed by whoever
misses the result.

## How to fix
Give it an action that reaches a person: a topic with a subscriber, or a composite alarm or an EventBridge rule that
has one. Actions for OK and for insufficient data do not count.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Graph,
    Iterator,
    Missing,
    Severity,
    alarms,
    at,
    certainly,
    rule,
)


@rule(
    id="alarm-notifies-nobody",
    code=303,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(alarms.ALARM,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for whoever is told of each alarm."""
    for alarm in graph.each(graph.of(alarms.ALARM)):
        if not alarms.of_events(graph, alarm) or not certainly(~alarms.voice(alarm)):
            continue
        found, unsure = alarms.carriers(graph, alarm)
        answer = graph.answer(alarm, found, unsure)
        if not isinstance(answer, Absent):
            continue
        watched = alarms.subjects(graph, alarm)
        off = bool(alarms.actions(alarm))
        label = "its actions are switched off" if off else "has no alarm action"
        yield Missing(
            f"{label}, and no composite alarm or rule speaks for it",
            at(alarm, label, "actions_enabled" if off else "alarm_actions"),
            answer,
            trail=tuple(at(subject, "is what it watches") for subject in watched),
            about=watched,
        )
