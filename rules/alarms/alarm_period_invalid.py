"""The period of an alarm is none that CloudWatch takes.

## Why it matters
CloudWatch refuses the alarm: the deployment fails.

## How to fix
Use 10, 20 or 30 seconds, or a multiple of 60. The metrics of SQS, Lambda and EventBridge come once a minute.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
"""

from hoplint.api import (
    At,
    Category,
    Finding,
    Graph,
    Iterator,
    Severity,
    alarms,
    doubt,
    is_null,
    metrics,
    quantity,
    rule,
    settle,
)


@rule(
    id="alarm-period-invalid",
    code=316,
    category=Category.BLINDSPOT,
    severity=Severity.ERROR,
    since="0.1",
    asks=(alarms.ALARM,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look at each period of each alarm."""
    for alarm in graph.each(graph.of(alarms.ALARM)):
        for raw in metrics.periods(alarm):
            value = settle(raw)
            period = None if is_null(value) else quantity(value)
            if period is None:
                continue
            if period.exact is None:
                doubt(period.why, alarm, value.place_of_change)
            elif period.exact not in (10, 20, 30) and (period.exact <= 0 or period.exact % 60):
                yield Finding(
                    f"a period of {period} s is refused: it must be 10, 20, 30 or a multiple of 60",
                    primary=At(alarm, f"is {period} s", "period", value.place_of_change or alarm.head),
                )
