"""The second generation of EventBridge: buses that keep events, and subscribers that read them with a role.

A subscriber gives up far sooner than a classic rule: after 5 retries or 300 s, where a rule's target has 185 and a day.
"""

from __future__ import annotations

from hoplint.model.schema import Kind
from hoplint.model.schema import Property as P

DAY = 86_400

KINDS = (
    Kind(
        "events2.bus",
        (),
        ("AWS::EventsV2::EventBus",),
        (P("name", (), "Name"), P("kms_key", (), "EncryptionConfiguration.KmsKeyIdentifier")),
        {"cloudformation": {"Ref": "arn", "EventBusArn": "arn"}},
    ),
    Kind(
        "events2.subscriber",
        (),
        ("AWS::EventsV2::Subscriber",),
        (
            P("name", (), "Name"),
            P("bus", (), "EventBusArn"),
            P("target", (), "InvokeConfiguration.TargetArn"),
            P("role", (), "InvokeConfiguration.RoleArn"),
            P("invocation_type", (), "InvokeConfiguration.LambdaParameters.InvocationType"),
            P("qualifier", (), "InvokeConfiguration.LambdaParameters.Qualifier"),
            P("message_group_id", (), "InvokeConfiguration.SqsParameters.MessageGroupId"),
            P("filters", (), "FilterConfiguration.Filters[].Pattern"),
            P("batch_size", (), "BatchConfiguration.MaxBatchSize"),
            P("window", (), "BatchConfiguration.MaxBatchWindowInSeconds"),
            P("retries", (), "RetryPolicy.MaxRetryAttempts", 5, 0, 185),
            P("event_age", (), "RetryPolicy.MaxEventAgeInSeconds", 300, 60, DAY),
            P("on_failure", (), "OnFailureConfiguration.Arn"),
            P("state", (), "State"),
        ),
        {"cloudformation": {"Ref": "arn", "SubscriberArn": "arn"}},
    ),
    Kind(
        "events2.source",
        (),
        ("AWS::EventsV2::EventSource",),
        (
            P("name", (), "Name"),
            P("bus", (), "EventBusArn"),
            P("on_failure", (), (
                "Configuration.AwsServiceEventsConfiguration.OnFailureConfiguration.Arn",
                "Configuration.PartnerEventsConfiguration.OnFailureConfiguration.Arn",
            )),
        ),
        {"cloudformation": {"Ref": "arn", "EventSourceArn": "arn"}},
    ),
)  # fmt: skip
