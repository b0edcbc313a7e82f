"""SAM's connectors: the policies and permissions that they make between two resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoplint.model.place import Site
from hoplint.readers.nodes import Mapping, Node, Sequence, make, plain_of, text_of
from hoplint.readers.sam.base import Owner, Sam

if TYPE_CHECKING:
    from hoplint.readers.cloudformation import Item

FUNCTION, MACHINE = "AWS::Lambda::Function", "AWS::StepFunctions::StateMachine"
QUEUE, TOPIC, BUCKET = "AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::S3::Bucket"
TABLE, RULE, BUS = "AWS::DynamoDB::Table", "AWS::Events::Rule", "AWS::Events::EventBus"
DATA_SOURCE, GRAPH = "AWS::AppSync::DataSource", "AWS::AppSync::GraphQLApi"
REST, HTTP, PLACES = "AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api", "AWS::Location::PlaceIndex"

_PLAIN = {
    "AWS::Serverless::Function": FUNCTION,
    "AWS::Serverless::StateMachine": MACHINE,
    "AWS::Serverless::Api": REST,
    "AWS::Serverless::HttpApi": HTTP,
    "AWS::Serverless::SimpleTable": TABLE,
}

_EXECUTIONS = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}:execution:${Name}:*"
_SYNC_RULE = (
    "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:rule/"
    "StepFunctionsGetEventsForStepFunctionsExecutionRule"
)
# Actions, then the resources that they are for: a suffix of the other end's ARN, or an ARN of its own.
Statements = list[tuple[str, tuple[str, ...]]]
_READ_OBJECTS: Statements = [
    ("s3:GetObject s3:GetObjectAcl s3:GetObjectLegalHold s3:GetObjectRetention s3:GetObjectTorrent s3:GetObjectVersion "
     "s3:GetObjectVersionAcl s3:GetObjectVersionForReplication s3:GetObjectVersionTorrent s3:ListBucket "
     "s3:ListBucketMultipartUploads s3:ListBucketVersions s3:ListMultipartUploadParts", ("", "/*")),
]  # fmt: skip
_WRITE_OBJECTS: Statements = [
    ("s3:AbortMultipartUpload s3:DeleteObject s3:DeleteObjectVersion s3:PutObject s3:PutObjectLegalHold "
     "s3:PutObjectRetention s3:RestoreObject", ("", "/*")),
]  # fmt: skip
_READ_ITEMS: Statements = [
    ("dynamodb:GetItem dynamodb:Query dynamodb:Scan dynamodb:BatchGetItem dynamodb:ConditionCheckItem "
     "dynamodb:PartiQLSelect", ("", "/index/*")),
]  # fmt: skip
_WRITE_ITEMS: Statements = [
    ("dynamodb:PutItem dynamodb:UpdateItem dynamodb:DeleteItem dynamodb:BatchWriteItem dynamodb:PartiQLDelete "
     "dynamodb:PartiQLInsert dynamodb:PartiQLUpdate", ("", "/index/*")),
]  # fmt: skip
_INVOKE: Statements = [("lambda:InvokeAsync lambda:InvokeFunction", ("",))]
_PUT_EVENTS: Statements = [("events:PutEvents", ("",))]
_PUBLISH: Statements = [("sns:Publish", ("",))]

# What a role is allowed: whose role (source or destination), and the statements per permission.
_ROLE: dict[tuple[str, str], tuple[str, dict[str, Statements]]] = {
    (TABLE, FUNCTION): ("destination", {"Read": [
        ("dynamodb:DescribeStream dynamodb:GetRecords dynamodb:GetShardIterator dynamodb:ListStreams", ("/stream/*",)),
    ]}),
    (QUEUE, FUNCTION): ("destination", {
        "Read": [("sqs:ReceiveMessage sqs:GetQueueAttributes", ("",))], "Write": [("sqs:DeleteMessage", ("",))],
    }),
    (RULE, BUS): ("source", {"Write": _PUT_EVENTS}),
    (RULE, MACHINE): ("source", {"Write": [("states:StartExecution", ("",))]}),
    (FUNCTION, FUNCTION): ("source", {"Write": _INVOKE}),
    (FUNCTION, BUCKET): ("source", {"Read": _READ_OBJECTS, "Write": _WRITE_OBJECTS}),
    (FUNCTION, TABLE): ("source", {"Read": _READ_ITEMS, "Write": _WRITE_ITEMS}),
    (FUNCTION, QUEUE): ("source", {
        "Read": [("sqs:ReceiveMessage sqs:GetQueueAttributes", ("",))],
        "Write": [("sqs:DeleteMessage sqs:SendMessage sqs:ChangeMessageVisibility sqs:PurgeQueue", ("",))],
    }),
    (FUNCTION, TOPIC): ("source", {"Write": _PUBLISH}),
    (FUNCTION, MACHINE): ("source", {
        "Read": [
            ("states:DescribeStateMachine states:ListExecutions", ("",)),
            ("states:DescribeExecution states:DescribeStateMachineForExecution states:GetExecutionHistory",
             (_EXECUTIONS,)),
        ],
        "Write": [
            ("states:StartExecution states:StartSyncExecution", ("",)), ("states:StopExecution", (_EXECUTIONS,)),
        ],
    }),
    (FUNCTION, BUS): ("source", {"Write": _PUT_EVENTS}),
    (FUNCTION, PLACES): ("source", {"Read": [
        ("geo:DescribePlaceIndex geo:GetPlace geo:SearchPlaceIndexForPosition geo:SearchPlaceIndexForSuggestions "
         "geo:SearchPlaceIndexForText", ("",)),
    ]}),
    (MACHINE, FUNCTION): ("source", {"Write": _INVOKE}),
    (MACHINE, TOPIC): ("source", {"Write": _PUBLISH}),
    (MACHINE, QUEUE): ("source", {"Write": [("sqs:SendMessage", ("",))]}),
    (MACHINE, BUCKET): ("source", {"Read": _READ_OBJECTS, "Write": _WRITE_OBJECTS}),
    (MACHINE, TABLE): ("source", {"Read": _READ_ITEMS, "Write": _WRITE_ITEMS}),
    (MACHINE, MACHINE): ("source", {
        "Read": [("states:DescribeExecution", (_EXECUTIONS,)), ("events:DescribeRule", (_SYNC_RULE,))],
        "Write": [
            ("states:StartExecution", ("",)), ("states:StopExecution", (_EXECUTIONS,)),
            ("events:PutTargets events:PutRule", (_SYNC_RULE,)),
        ],
    }),
    (MACHINE, BUS): ("source", {"Write": _PUT_EVENTS}),
    (DATA_SOURCE, TABLE): ("source", {"Read": _READ_ITEMS, "Write": _WRITE_ITEMS}),
    (DATA_SOURCE, FUNCTION): ("source", {"Write": [
        ("lambda:InvokeAsync lambda:InvokeFunction", ("", ":*")),
    ]}),
    (DATA_SOURCE, BUS): ("source", {"Write": _PUT_EVENTS}),
}  # fmt: skip

# Queue and topic policies: the service that writes.
_RESOURCE = {
    (RULE, TOPIC): "events.amazonaws.com",
    (RULE, QUEUE): "events.amazonaws.com",
    (TOPIC, QUEUE): "sns.amazonaws.com",
}
# Permissions to invoke a function.
_PERMISSION = {
    RULE: "events.amazonaws.com",
    TOPIC: "sns.amazonaws.com",
    BUCKET: "s3.amazonaws.com",
    REST: "apigateway.amazonaws.com",
    HTTP: "apigateway.amazonaws.com",
    GRAPH: "appsync.amazonaws.com",
}
_ROLE_PROPERTY = {FUNCTION: "Role", MACHINE: "RoleArn", DATA_SOURCE: "ServiceRoleArn"}
_REF_ARN = (MACHINE, TOPIC, DATA_SOURCE, GRAPH)


class _End:
    """One end of a connector."""

    __slots__ = ("type", "id", "entries", "at")

    def __init__(self, sam: Sam, node: Node, own: str | None = None) -> None:
        self.entries = node.entries if isinstance(node, Mapping) else {}
        self.at: Site = node
        self.id = own or text_of(self.entries.get("Id"))
        item = sam.made.get(self.id) if self.id is not None else None
        written = text_of(item.node.get("Type")) if item is not None else text_of(self.entries.get("Type"))
        self.type = _PLAIN.get(written or "", written or "")

    def _made(self, attribute: str) -> Node:
        if attribute == "Ref":
            return make({"Ref": self.id}, self.at)
        return make({"Fn::GetAtt": [self.id, attribute]}, self.at)

    def arn(self) -> Node | None:
        if self.id is None:
            return self.entries.get("Arn")
        return self._made("Ref" if self.type in _REF_ARN else "Arn")

    def url(self) -> Node | None:
        return self.entries.get("QueueUrl") if self.id is None else self._made("Ref")

    def name(self) -> Node | None:
        return self.entries.get("Name") if self.id is None else self._made("Name")

    def resource_id(self) -> Node | None:
        if self.id is None:
            return self.entries.get("ResourceId")
        return self._made("ApiId" if self.type == GRAPH else "Ref")

    def role(self, sam: Sam, other: _End) -> Node | None:
        """The name of its role."""
        if self.id is None:
            return self.entries.get("RoleName")
        item = sam.made.get(self.id)
        properties = item.node.get("Properties") if item is not None else None
        if not isinstance(properties, Mapping):
            return None
        role: Node | None = None
        if self.type == RULE:
            targets = properties.get("Targets")
            for target in targets.items if isinstance(targets, Sequence) else []:
                arn = target.get("Arn") if isinstance(target, Mapping) else None
                named = other.id is not None and _id_in(arn) == other.id
                if named or (other.id is None and arn is not None and plain_of(arn) == plain_of(other.arn())):
                    role = target.get("RoleArn") if isinstance(target, Mapping) else None
        else:
            role = properties.get(_ROLE_PROPERTY.get(self.type, "Role"))
        name = _id_in(role)
        return make({"Ref": name}, self.at) if name is not None else None


def _id_in(node: Node | None) -> str | None:
    """The logical id that a reference names."""
    if not isinstance(node, Mapping):
        return None
    argument = node.get("Fn::GetAtt") or node.get("Ref")
    if isinstance(argument, Sequence) and argument.items:
        return text_of(argument.items[0])
    text = text_of(argument)
    return text.partition(".")[0] if text is not None else None


def connector(sam: Sam, item: Item) -> None:
    """`AWS::Serverless::Connector`."""
    owner = sam.owner(item, "Connector")
    source = owner.get("Source")
    if source is not None:
        _connect(sam, owner, owner.id, item.address, owner, source, None, item.head)


def embedded(sam: Sam, item: Item) -> None:
    """The connectors that a resource carries itself."""
    connectors = item.node.get("Connectors")
    if not isinstance(connectors, Mapping):
        return
    for name, node in connectors.entries.items():
        if not isinstance(node, Mapping):
            continue
        properties = node.get("Properties")
        inner = sam.Item(f"{item.logical_id}{name}", f"{item.address}/{name}", node, connectors.key(name))
        owner = Owner(inner, dict(properties.entries) if isinstance(properties, Mapping) else {})
        source = owner.get("SourceReference") or node.get("SourceReference") or node
        _connect(sam, owner, inner.logical_id, inner.address, owner, source, item.logical_id, inner.head)


def _connect(
    sam: Sam, owner: Owner, name: str, address: str, settings: Owner, source: Node, source_id: str | None, head: Site
) -> None:
    destinations = settings.get("Destination")
    listed = settings.get("Permissions")
    wanted = [text_of(one) for one in listed.items] if isinstance(listed, Sequence) else []
    several = isinstance(destinations, Sequence)
    for index, node in enumerate(destinations.items if isinstance(destinations, Sequence) else [destinations]):
        if node is None:
            continue
        ends = _End(sam, source, source_id), _End(sam, node)
        suffix = f"Destination{index}" if several else ""
        _one(sam, owner, (name, suffix, address), ends, [one for one in wanted if one], head)


def _one(
    sam: Sam, owner: Owner, names: tuple[str, str, str], ends: tuple[_End, _End], wanted: list[str], head: Site
) -> None:
    source, destination = ends
    name, suffix, address = names
    pair = (source.type, destination.type)
    if pair in _ROLE:
        whose, categories = _ROLE[pair]
        own, other = (source, destination) if whose == "source" else (destination, source)
        role = own.role(sam, other)
        if role is not None:
            statements = [
                {"Effect": "Allow", "Action": actions.split(), "Resource": [_resource(other, one) for one in resources]}
                for category, entries in categories.items()
                if category in wanted
                for actions, resources in entries
            ]
            sam.add(owner, f"{name}Policy{suffix}", address, "AWS::IAM::ManagedPolicy",
                    {"PolicyDocument": {"Version": "2012-10-17", "Statement": statements}, "Roles": [role]},
                    head)  # fmt: skip
    elif pair in _RESOURCE and "Write" in wanted:
        topic = destination.type == TOPIC
        where = destination.arn() if topic else destination.url()
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": _RESOURCE[pair]},
            "Resource": destination.arn(),
            "Action": "sns:Publish" if topic else "sqs:SendMessage",
            "Condition": {"ArnEquals": {"aws:SourceArn": source.arn()}},
        }
        kind = "Topic" if topic else "Queue"
        if where is not None and source.arn() is not None and destination.arn() is not None:
            sam.add(owner, f"{name}{kind}Policy{suffix}", address,
                    "AWS::SNS::TopicPolicy" if topic else "AWS::SQS::QueuePolicy",
                    {"PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]}, f"{kind}s": [where]},
                    head)  # fmt: skip
    elif destination.type == FUNCTION and source.type in _PERMISSION and "Write" in wanted:
        sam.add(owner, f"{name}WriteLambdaPermission{suffix}", address, "AWS::Lambda::Permission",
                {"Action": "lambda:InvokeFunction", "FunctionName": destination.arn(),
                 "Principal": _PERMISSION[source.type], "SourceArn": _caller(source, head),
                 "SourceAccount": {"Ref": "AWS::AccountId"} if source.type == BUCKET else None}, head)  # fmt: skip


def _caller(source: _End, at: Site) -> Node | None:
    if source.type not in (REST, HTTP, GRAPH):
        return source.arn()
    text = "arn:${AWS::Partition}:appsync:${AWS::Region}:${AWS::AccountId}:apis/${Id}"
    if source.type != GRAPH:
        text = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Id}/${Qualifier}"
    values: dict[str, Any] = {"Id": source.resource_id(), "Qualifier": source.entries.get("Qualifier") or "*"}
    return make({"Fn::Sub": [text, {key: value for key, value in values.items() if value is not None}]}, at)


def _resource(other: _End, text: str) -> Node | None:
    if text.startswith("arn:"):
        name = other.name()
        return make({"Fn::Sub": [text, {"Name": name}] if name is not None and "${Name}" in text else text}, other.at)
    arn = other.arn()
    if arn is None or not text:
        return arn
    return make({"Fn::Sub": ["${Arn}" + text, {"Arn": arn}]}, other.at)
