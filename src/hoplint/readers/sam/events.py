"""The events of SAM's functions and state machines."""

from __future__ import annotations

from typing import Any

from hoplint.model.place import Site
from hoplint.readers.nodes import Mapping, Node, Scalar, Sequence, changed, make, plain_of, text_of
from hoplint.readers.sam.base import Event, Owner, Sam, arn_of, condition_of, ref, trust
from hoplint.readers.sam.policies import Role

_MAPPING_PROPERTIES = (
    "StartingPosition", "StartingPositionTimestamp", "BatchSize", "Enabled", "MaximumBatchingWindowInSeconds",
    "MaximumRetryAttempts", "BisectBatchOnFunctionError", "MaximumRecordAgeInSeconds", "ParallelizationFactor",
    "Topics", "Queues", "SourceAccessConfigurations", "TumblingWindowInSeconds", "FunctionResponseTypes",
    "FilterCriteria", "KmsKeyArn", "ScalingConfig", "ProvisionedPollerConfig", "MetricsConfig", "LoggingConfig",
)  # fmt: skip
_SOURCES = {
    "SQS": "Queue", "Kinesis": "Stream", "DynamoDB": "Stream", "MSK": "Stream", "MQ": "Broker",
    "DocumentDB": "Cluster", "SelfManagedKafka": "",
}  # fmt: skip
_MANAGED = {
    "SQS": "service-role/AWSLambdaSQSQueueExecutionRole",
    "Kinesis": "service-role/AWSLambdaKinesisExecutionRole",
    "DynamoDB": "service-role/AWSLambdaDynamoDBExecutionRole",
    "MSK": "service-role/AWSLambdaMSKExecutionRole",
}
_NETWORK = [
    "ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DeleteNetworkInterface", "ec2:DescribeVpcs",
    "ec2:DescribeSubnets", "ec2:DescribeSecurityGroups",
]  # fmt: skip
_SECRETS = (
    "BASIC_AUTH", "SASL_SCRAM_256_AUTH", "SASL_SCRAM_512_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH",
    "SERVER_ROOT_CA_CERTIFICATE",
)  # fmt: skip


def function_event(sam: Sam, event: Event, role: Role | None) -> None:
    """Lower one event of a function. Calls that wait for their answer (APIs, user pools) make no hop."""
    if event.type in _SOURCES:
        _mapping(sam, event, role)
    elif event.type in ("CloudWatchEvent", "EventBridgeRule", "Schedule"):
        _rule(sam, event, None)
        _permission(sam, event, "events.amazonaws.com", arn_of(event.id, event.head))
    elif event.type == "ScheduleV2":
        _schedule(sam, event)
    elif event.type == "SNS":
        _topic(sam, event, role)
    elif event.type == "S3":
        _bucket(sam, event)
    elif event.type == "IoTRule":
        _iot(sam, event)
    elif event.type == "CloudWatchLogs":
        _logs(sam, event)


def machine_event(sam: Sam, event: Event) -> None:
    """Lower one event of a state machine."""
    if event.type == "ScheduleV2":
        _schedule(sam, event)
    elif event.type == "Api":
        _start_role(sam, event, "apigateway.amazonaws.com")
    elif event.type in ("CloudWatchEvent", "EventBridgeRule", "Schedule"):
        given = event.get("RoleArn") if event.type == "Schedule" else None
        _rule(sam, event, given or _start_role(sam, event, "events.amazonaws.com"))


def _start_role(sam: Sam, event: Event, service: str) -> Node:
    """The role with which a service starts a state machine; its ARN."""
    at = event.head
    role = Role(f"{event.id}Role")
    role.grant(f"{role.name}StartExecutionPolicy", "states:StartExecution", event.target.arn(at), at)
    sam.add(event.owner, role.name, role.name, "AWS::IAM::Role",
            {"AssumeRolePolicyDocument": trust(service, at), "Policies": role.policies,
             "PermissionsBoundary": event.owner.get("PermissionsBoundary")}, at)  # fmt: skip
    return arn_of(role.name, at)


# Mappings ------------------------------------------------------------------------------------------------------------


def _mapping(sam: Sam, event: Event, role: Role | None) -> None:
    at = event.head
    properties: dict[str, Any] = {name: event.get(name) for name in _MAPPING_PROPERTIES}
    source = _SOURCES[event.type]
    properties["FunctionName"] = event.target.name(at)
    properties["EventSourceArn"] = event.get(source) if source else None
    servers = event.get("KafkaBootstrapServers")
    if servers is not None:
        properties["SelfManagedEventSource"] = {"Endpoints": {"KafkaBootstrapServers": servers}}
    group = event.get("ConsumerGroupId")
    if group is not None:
        name = "AmazonManagedKafkaEventSourceConfig" if event.type == "MSK" else "SelfManagedKafkaEventSourceConfig"
        properties[name] = {"ConsumerGroupId": group}
    if event.type == "DocumentDB":
        properties["DocumentDBEventSourceConfig"] = {
            name: found
            for name in ("DatabaseName", "CollectionName", "FullDocument")
            if (found := event.get(name)) is not None
        }
    properties["DestinationConfig"] = destination(event.get("DestinationConfig"), event.id, role)
    sam.add(event.owner, event.id, event.address, "AWS::Lambda::EventSourceMapping", properties, at)
    if role is not None:
        _allow_source(event, role)


def destination(config: Node | None, name: str, role: Role | None) -> Node | None:
    """A failure destination without SAM's type hint, which only says what the role may do."""
    on_failure = config.get("OnFailure") if isinstance(config, Mapping) else None
    if not isinstance(config, Mapping) or not isinstance(on_failure, Mapping):
        return config
    kind, where = text_of(on_failure.get("Type")), on_failure.get("Destination")
    if kind is None:
        return config
    if role is not None and where is not None:
        allow_destination(role, kind, where, name)
    return changed(config, {"OnFailure": changed(on_failure, {"Type": None})})


def allow_destination(role: Role, kind: str, where: Node, name: str) -> None:
    """Let a role send to a destination."""
    actions = {
        "SQS": "sqs:SendMessage",
        "SNS": "sns:publish",
        "EventBridge": "events:PutEvents",
        "Lambda": "lambda:InvokeFunction",
    }
    if kind in ("S3", "S3Bucket"):
        role.grant(f"{name}S3Policy", "s3:PutObject", make({"Fn::Join": ["/", [where, "*"]]}, where), where)
        role.grant(f"{name}S3ListPolicy", "s3:ListBucket", where, where)
    elif kind in actions:
        role.grant(f"{name}{kind}Policy", actions[kind], where, where)


def _allow_source(event: Event, role: Role) -> None:
    at = event.head
    managed = _MANAGED.get(event.type)
    if managed is not None:
        role.attach(managed, at)
    access = event.get("SourceAccessConfigurations")
    network = event.type == "DocumentDB"
    for entry in access.items if isinstance(access, Sequence) else []:
        kind = text_of(entry.get("Type")) if isinstance(entry, Mapping) else None
        uri = entry.get("URI") if isinstance(entry, Mapping) else None
        if kind in _SECRETS and uri is not None:
            role.grant(f"{event.id}SecretPolicy", "secretsmanager:GetSecretValue", uri, at)
        network = network or (kind == "VPC_SUBNET" and event.type == "SelfManagedKafka")
    if network:
        role.grant(f"{event.id}NetworkPolicy", list(_NETWORK), "*", at)
    key = text_of(event.get("SecretsManagerKmsKeyId"))
    if key is not None:
        arn = "arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/" + key
        role.grant(f"{event.id}KeyPolicy", "kms:Decrypt", make({"Fn::Sub": arn}, at), at)
    broker, cluster = event.get("Broker"), event.get("Cluster")
    if event.type == "MQ" and broker is not None:
        role.grant(f"{event.id}BrokerPolicy", "mq:DescribeBroker", broker, at)
    if event.type == "DocumentDB" and cluster is not None:
        role.grant(f"{event.id}ClusterPolicy", "rds:DescribeDBClusters", cluster, at)
        for action, kind in (("DescribeDBClusterParameters", "cluster-pg"), ("DescribeDBSubnetGroups", "subgrp")):
            arn = "arn:${AWS::Partition}:rds:${AWS::Region}:${AWS::AccountId}:" + kind + ":*"
            role.grant(f"{event.id}{action}Policy", f"rds:{action}", make({"Fn::Sub": arn}, at), at)
    registry = event.get("SchemaRegistryConfig")
    if isinstance(registry, Mapping):
        role.grant(f"{event.id}RegistryPolicy", ["glue:GetRegistry", "glue:GetSchemaVersion"], "*", at)
        secrets = registry.get("AccessConfigs")
        for entry in secrets.items if isinstance(secrets, Sequence) else []:
            uri = entry.get("URI") if isinstance(entry, Mapping) else None
            if uri is not None:
                role.grant(f"{event.id}RegistrySecretPolicy", "secretsmanager:GetSecretValue", uri, at)


# Rules and schedules -------------------------------------------------------------------------------------------------


def _rule(sam: Sam, event: Event, role: Node | None) -> None:
    at = event.head
    scheduled = event.type == "Schedule"
    properties: dict[str, Any] = {"State": _state(sam, event)}
    if scheduled:
        properties["ScheduleExpression"] = event.get("Schedule")
        properties["Name"] = event.get("Name")
    else:
        properties["EventPattern"] = event.get("Pattern")
        properties["EventBusName"] = event.get("EventBusName")
        properties["Name"] = event.get("RuleName")
    own = event.get("Target")
    target: dict[str, Any] = {"Arn": event.target.arn(at), "RoleArn": role}
    target["Id"] = own.get("Id") if isinstance(own, Mapping) and own.get("Id") is not None else f"{event.id}Target"
    for name in ("Input", "RetryPolicy") if scheduled else ("Input", "InputPath", "RetryPolicy", "InputTransformer"):
        target[name] = event.get(name)
    target["DeadLetterConfig"] = _dead_letters(sam, event, policy=True)
    made = {name: value for name, value in target.items() if value is not None}
    properties["Targets"] = make([made], at)
    sam.add(event.owner, event.id, event.address, "AWS::Events::Rule", properties, at)


def _state(sam: Sam, event: Event) -> Node | None:
    state, enabled = event.get("State"), event.get("Enabled")
    if state is not None or enabled is None:
        return state
    if isinstance(enabled, Mapping):
        argument = enabled.get("Fn::If")
        if isinstance(argument, Sequence) and len(argument.items) == 3:
            condition, *sides = argument.items
            return make({"Fn::If": [condition, *(_enabled(sam, side) for side in sides)]}, enabled)
    return _enabled(sam, enabled)


def _enabled(sam: Sam, node: Node) -> Node:
    off = (sam.text(node) or "").lower() == "false"
    return make("DISABLED" if off else "ENABLED", node)


def _dead_letters(sam: Sam, event: Event, policy: bool) -> Node | None:
    """The failure queue of a rule or schedule: the one that is named, else one that SAM makes."""
    config = event.get("DeadLetterConfig")
    if not isinstance(config, Mapping) or config.get("Type") is None:
        return config
    at = config
    queue = text_of(config.get("QueueLogicalId")) or f"{event.id}Queue"
    sam.add(event.owner, queue, queue, "AWS::SQS::Queue", {}, at)
    if policy:
        statement = _send_statement({"Service": "events.amazonaws.com"}, arn_of(queue, at), arn_of(event.id, at))
        sam.add(event.owner, f"{event.id}QueuePolicy", f"{event.id}QueuePolicy", "AWS::SQS::QueuePolicy",
                {"PolicyDocument": statement, "Queues": [ref(queue, at)]}, at)  # fmt: skip
    return make({"Arn": arn_of(queue, at)}, at)


def _send_statement(principal: Any, queue: Node, source: Node) -> dict[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Action": "sqs:SendMessage",
                "Effect": "Allow",
                "Principal": principal,
                "Resource": queue,
                "Condition": {"ArnEquals": {"aws:SourceArn": source}},
            }
        ],
    }


def _schedule(sam: Sam, event: Event) -> None:
    at = event.head
    names = (
        "ScheduleExpression", "FlexibleTimeWindow", "State", "Description", "StartDate", "EndDate",
        "ScheduleExpressionTimezone", "GroupName", "KmsKeyArn",
    )  # fmt: skip
    properties: dict[str, Any] = {name: event.get(name) for name in names}
    if properties["FlexibleTimeWindow"] is None:
        properties["FlexibleTimeWindow"] = {"Mode": "OFF"}
    omit = event.get("OmitName")
    if not (isinstance(omit, Scalar) and omit.data is True):
        properties["Name"] = event.get("Name") or event.id
    letters = _dead_letters(sam, event, policy=False)
    role_arn = event.get("RoleArn")
    if role_arn is None:
        role = Role(f"{event.id}Role")
        machine = event.target.kind == "machine"
        role.grant(f"{event.id}{'StartExecution' if machine else 'Lambda'}Policy",
                   "states:StartExecution" if machine else "lambda:InvokeFunction",
                   event.target.arn(at), at)  # fmt: skip
        queue = letters.get("Arn") if isinstance(letters, Mapping) else None
        if queue is not None:
            role.grant(f"{event.id}SQSPolicy", "sqs:SendMessage", queue, at)
        sam.add(event.owner, role.name, role.name, "AWS::IAM::Role",
                {"AssumeRolePolicyDocument": trust("scheduler.amazonaws.com", at), "Policies": role.policies,
                 "PermissionsBoundary": event.get("PermissionsBoundary")}, at)  # fmt: skip
        role_arn = arn_of(role.name, at)
    target = {
        "Arn": event.target.arn(at),
        "RoleArn": role_arn,
        "Input": event.get("Input"),
        "DeadLetterConfig": letters,
        "RetryPolicy": event.get("RetryPolicy"),
    }
    properties["Target"] = {name: value for name, value in target.items() if value is not None}
    sam.add(event.owner, event.id, event.address, "AWS::Scheduler::Schedule", properties, at)


# Topics, buckets and the rest ----------------------------------------------------------------------------------------


def _permission(sam: Sam, event: Event, principal: str, source: Node | None, account: Node | None = None) -> None:
    at = event.head
    sam.add(event.owner, f"{event.id}Permission", event.address, "AWS::Lambda::Permission",
            {"Action": "lambda:InvokeFunction", "FunctionName": event.target.name(at), "Principal": principal,
             "SourceArn": source, "SourceAccount": account}, at)  # fmt: skip


def _subscription(sam: Sam, event: Event, protocol: str, endpoint: Node) -> None:
    properties: dict[str, Any] = {"Protocol": protocol, "Endpoint": endpoint, "TopicArn": event.get("Topic")}
    for name in ("Region", "FilterPolicy", "FilterPolicyScope", "RedrivePolicy"):
        properties[name] = event.get(name)
    sam.add(event.owner, event.id, event.address, "AWS::SNS::Subscription", properties, event.head)


def _topic(sam: Sam, event: Event, role: Role | None) -> None:
    at = event.head
    through = event.get("SqsSubscription")
    topic = event.get("Topic")
    if through is None or (isinstance(through, Scalar) and through.data is False) or topic is None:
        _permission(sam, event, "sns.amazonaws.com", topic)
        _subscription(sam, event, "lambda", event.target.arn(at))
        return
    batch: Any = 10
    policy_id = f"{event.id}QueuePolicy"
    if isinstance(through, Mapping):
        queue_arn, queue_url = through.get("QueueArn"), through.get("QueueUrl")
        policy_id = text_of(through.get("QueuePolicyLogicalId")) or policy_id
        batch = through.get("BatchSize") or batch
    else:
        queue_id = f"{event.id}Queue"
        properties: dict[str, Any] = {"FifoQueue": True} if _is_fifo(sam, topic) else {}
        sam.add(event.owner, queue_id, queue_id, "AWS::SQS::Queue", properties, event.head)
        queue_arn, queue_url = arn_of(queue_id, at), ref(queue_id, at)
    if queue_arn is not None and queue_url is not None:
        sam.add(event.owner, policy_id, policy_id, "AWS::SQS::QueuePolicy",
                {"PolicyDocument": _send_statement("*", queue_arn, topic), "Queues": [queue_url]}, at)  # fmt: skip
        _subscription(sam, event, "sqs", queue_arn)
    sam.add(event.owner, f"{event.id}EventSourceMapping", event.address, "AWS::Lambda::EventSourceMapping",
            {"FunctionName": event.target.name(at), "EventSourceArn": queue_arn, "BatchSize": batch,
             "Enabled": True}, at)  # fmt: skip
    if role is not None:
        role.attach(_MANAGED["SQS"], at)


def _is_fifo(sam: Sam, topic: Node) -> bool:
    name = text_of(topic.get("Ref")) if isinstance(topic, Mapping) else None
    item = sam.made.get(name) if name is not None else None
    properties = item.node.get("Properties") if item is not None else None
    return isinstance(properties, Mapping) and (sam.text(properties.get("FifoTopic")) or "").lower() == "true"


def _bucket(sam: Sam, event: Event) -> None:
    at = event.head
    _permission(sam, event, "s3.amazonaws.com", None, make({"Ref": "AWS::AccountId"}, at))
    bucket = event.get("Bucket")
    name = text_of(bucket.get("Ref")) if isinstance(bucket, Mapping) else None
    item = sam.made.get(name) if name is not None else None
    if name is None or item is None:
        return
    properties = item.node.get("Properties")
    current = properties.get("NotificationConfiguration") if isinstance(properties, Mapping) else None
    old = current.get("LambdaConfigurations") if isinstance(current, Mapping) else None
    entries: list[Any] = list(old.items) if isinstance(old, Sequence) else []
    events = event.get("Events")
    for kind in events.items if isinstance(events, Sequence) else [events]:
        entry: Any = {"Function": event.target.arn(at), "Event": kind, "Filter": event.get("Filter")}
        entry = make({key: value for key, value in entry.items() if value is not None}, at)
        condition = condition_of(event.owner)
        if condition is not None:
            entry = make({"Fn::If": [condition, entry, {"Ref": "AWS::NoValue"}]}, at)
        if all(plain_of(other) != plain_of(entry) for other in entries):
            entries.append(entry)
    listed = make(entries, at)
    notification: Node = (
        changed(current, {"LambdaConfigurations": listed})
        if isinstance(current, Mapping)
        else make({"LambdaConfigurations": listed}, at)
    )
    new_properties = (
        changed(properties, {"NotificationConfiguration": notification})
        if isinstance(properties, Mapping)
        else make({"NotificationConfiguration": notification}, at)
    )
    before = item.node.get("DependsOn")
    depends = list(before.items) if isinstance(before, Sequence) else [before] if before is not None else []
    node = changed(
        item.node, {"Properties": new_properties, "DependsOn": make([*depends, f"{event.id}Permission"], item.head)}
    )
    sam.made[name] = sam.Item(name, item.address, node, item.head)


def _iot(sam: Sam, event: Event) -> None:
    at = event.head
    arn = "arn:${AWS::Partition}:iot:${AWS::Region}:${AWS::AccountId}:rule/${RuleName}"
    source = make({"Fn::Sub": [arn, {"RuleName": {"Ref": event.id}}]}, at)
    _permission(sam, event, "iot.amazonaws.com", source, make({"Ref": "AWS::AccountId"}, at))
    sam.add(event.owner, event.id, event.address, "AWS::IoT::TopicRule",
            {"TopicRulePayload": {"Sql": event.get("Sql"),
                                  "Actions": [{"Lambda": {"FunctionArn": event.target.arn(at)}}]}}, at)  # fmt: skip


def _logs(sam: Sam, event: Event) -> None:
    at = event.head
    group = event.get("LogGroupName")
    arn = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:${Name}:*"
    source = make({"Fn::Sub": [arn, {"Name": group}]}, at) if group is not None else None
    _permission(sam, event, "logs.amazonaws.com", source)
    sam.add(event.owner, event.id, event.address, "AWS::Logs::SubscriptionFilter",
            {"LogGroupName": group, "FilterPattern": event.get("FilterPattern"),
             "DestinationArn": event.target.arn(at)}, at)  # fmt: skip


def events_of(owner: Owner) -> list[tuple[str, Mapping, Site]]:
    """The events of a resource: name, node, and where the name stands."""
    events = owner.get("Events")
    if not isinstance(events, Mapping):
        return []
    return [
        (name, node, events.key(name)) for name, node in events.entries.items() if isinstance(node, Mapping)
    ]
