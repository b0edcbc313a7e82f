"""Alarms."""

from __future__ import annotations

from hoplint.model.schema import Kind
from hoplint.model.schema import Property as P

KINDS = (
    Kind(
        "cloudwatch.alarm",
        ("aws_cloudwatch_metric_alarm",),
        ("AWS::CloudWatch::Alarm",),
        (
            P("name", "alarm_name", "AlarmName"),
            P("namespace", "namespace", "Namespace"),
            P("metric", "metric_name", "MetricName"),
            P("dimensions", "dimensions", "Dimensions[]"),
            P("metrics", "metric_query[]", "Metrics[]"),
            P("statistic", "statistic", "Statistic"),
            P("extended_statistic", "extended_statistic", "ExtendedStatistic"),
            P("operator", "comparison_operator", "ComparisonOperator"),
            P("threshold", "threshold", "Threshold"),
            P("period", "period", "Period"),
            P("evaluation_periods", "evaluation_periods", "EvaluationPeriods"),
            P("datapoints", "datapoints_to_alarm", "DatapointsToAlarm"),
            P("missing_data", "treat_missing_data", "TreatMissingData", "missing"),
            P("actions_enabled", "actions_enabled", "ActionsEnabled", True),
            P("alarm_actions", "alarm_actions", "AlarmActions"),
            P("ok_actions", "ok_actions", "OKActions"),
            P("insufficient_data_actions", "insufficient_data_actions", "InsufficientDataActions"),
        ),
        {
            "terraform": {"arn": "arn", "id": "name", "alarm_name": "name"},
            "cloudformation": {"Ref": "name", "Arn": "arn"},
        },
        "arn:{partition}:cloudwatch:{region}:{account}:alarm:{name}",
    ),
    Kind(
        "cloudwatch.composite_alarm",
        ("aws_cloudwatch_composite_alarm",),
        ("AWS::CloudWatch::CompositeAlarm",),
        (
            P("name", "alarm_name", "AlarmName"),
            P("rule", "alarm_rule", "AlarmRule"),
            P("suppressor", "actions_suppressor.alarm", "ActionsSuppressor"),
            P("actions_enabled", "actions_enabled", "ActionsEnabled", True),
            P("alarm_actions", "alarm_actions", "AlarmActions"),
        ),
        {
            "terraform": {"arn": "arn", "id": "name", "alarm_name": "name"},
            "cloudformation": {"Ref": "name", "Arn": "arn"},
        },
        "arn:{partition}:cloudwatch:{region}:{account}:alarm:{name}",
    ),
    Kind(
        "notifications.event_rule",
        ("aws_notifications_event_rule",),
        ("AWS::Notifications::EventRule",),
        (P("source", "source", "Source"), P("event_type", "event_type", "EventType")),
    ),
)
