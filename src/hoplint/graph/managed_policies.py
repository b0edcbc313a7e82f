"""The policies that AWS manages and that roles of event-driven stacks carry: what they allow, and in which version.

Each entry is complete for the services in `KNOWN`; of other services an entry may allow more than stands here. A
managed policy that is not in the table is undecided, never empty.
"""

from __future__ import annotations

from hoplint.graph.names import expand, name_of
from hoplint.graph.statements import IDENTITY, Policy
from hoplint.graph.texts import parts_of
from hoplint.model.inquiry import settle
from hoplint.model.value import Known, Ref, Unknown, Value

KNOWN = (
    "dynamodb", "events", "kafka", "kinesis", "kms", "lambda", "logs", "pipes", "s3", "scheduler", "sns", "sqs",
    "states", "xray",
)  # fmt: skip

_LOGS = ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents")
_XRAY = (
    "xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets",
    "xray:GetSamplingStatisticSummaries",
)  # fmt: skip
_LAMBDA_LOGS = ("logs:DescribeLogStreams", "logs:GetLogEvents", "logs:FilterLogEvents", "logs:StartLiveTail",
                "logs:StopLiveTail")  # fmt: skip

Grant = tuple[tuple[str, ...], str]
"""Actions, and the resource that they are allowed on."""

# By name: the version that was read, and what it allows.
POLICIES: dict[str, tuple[str, tuple[Grant, ...]]] = {
    "AdministratorAccess": ("v1", ((("*",), "*"),)),
    "AWSLambdaBasicExecutionRole": ("v1", ((_LOGS, "*"),)),
    "AWSLambdaDynamoDBExecutionRole": ("v1", (((
        "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams", *_LOGS,
    ), "*"),)),
    "AWSLambdaENIManagementAccess": ("v2", ()),
    "AWSLambdaKinesisExecutionRole": ("v2", (((
        "kinesis:DescribeStream", "kinesis:DescribeStreamSummary", "kinesis:GetRecords", "kinesis:GetShardIterator",
        "kinesis:ListShards", "kinesis:ListStreams", "kinesis:SubscribeToShard", *_LOGS,
    ), "*"),)),
    "AWSLambdaMSKExecutionRole": ("v2", (((
        "kafka:DescribeCluster", "kafka:DescribeClusterV2", "kafka:GetBootstrapBrokers", *_LOGS,
    ), "*"),)),
    "AWSLambdaRole": ("v1", ((("lambda:InvokeFunction",), "*"),)),
    "AWSLambdaSQSQueueExecutionRole": ("v1", (((
        "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", *_LOGS,
    ), "*"),)),
    "AWSLambdaVPCAccessExecutionRole": ("v3", ((_LOGS, "*"),)),
    "AWSLambda_FullAccess": ("v7", ((
        ("lambda:*", "kms:DescribeKey", "kms:ListAliases", "logs:DescribeLogGroups", "states:DescribeStateMachine",
         "states:ListStateMachines", "xray:GetTraceSummaries", "xray:BatchGetTraces"), "*",
    ), (_LAMBDA_LOGS, "arn:aws:logs:*:*:log-group:/aws/lambda/*"))),
    "AWSStepFunctionsFullAccess": ("v1", ((("states:*",), "*"),)),
    "AWSXRayDaemonWriteAccess": ("v2", ((_XRAY, "*"),)),
    "AWSXrayWriteOnlyAccess": ("v2", ((_XRAY, "*"),)),
    "AmazonAPIGatewayPushToCloudWatchLogs": ("v1", (((
        *_LOGS, "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:GetLogEvents", "logs:FilterLogEvents",
    ), "*"),)),
    "AmazonDynamoDBFullAccess": ("v15", (((
        "dynamodb:*", "kms:DescribeKey", "kms:ListAliases", "sns:CreateTopic", "sns:DeleteTopic",
        "sns:ListSubscriptions", "sns:ListSubscriptionsByTopic", "sns:ListTopics", "sns:Subscribe", "sns:Unsubscribe",
        "sns:SetTopicAttributes", "lambda:CreateFunction", "lambda:ListFunctions", "lambda:ListEventSourceMappings",
        "lambda:CreateEventSourceMapping", "lambda:DeleteEventSourceMapping", "lambda:GetFunctionConfiguration",
        "lambda:DeleteFunction", "kinesis:ListStreams", "kinesis:DescribeStream", "kinesis:DescribeStreamSummary",
    ), "*"),)),
    "AmazonDynamoDBReadOnlyAccess": ("v15", (((
        "dynamodb:BatchGetItem", "dynamodb:Describe*", "dynamodb:List*", "dynamodb:GetAbacStatus", "dynamodb:GetItem",
        "dynamodb:GetResourcePolicy", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQLSelect", "kms:DescribeKey",
        "kms:ListAliases", "sns:ListSubscriptionsByTopic", "sns:ListTopics", "lambda:ListFunctions",
        "lambda:ListEventSourceMappings", "lambda:GetFunctionConfiguration", "kinesis:ListStreams",
        "kinesis:DescribeStream", "kinesis:DescribeStreamSummary",
    ), "*"),)),
    "AmazonEventBridgeFullAccess": ("v7", ((("events:*", "schemas:*", "scheduler:*", "pipes:*"), "*"),)),
    "AmazonKinesisFullAccess": ("v1", ((("kinesis:*",), "*"),)),
    "AmazonS3FullAccess": ("v2", ((("s3:*", "s3-object-lambda:*"), "*"),)),
    "AmazonS3ReadOnlyAccess": ("v3", ((("s3:Get*", "s3:List*", "s3:Describe*"), "*"),)),
    "AmazonSNSFullAccess": ("v2", ((("sns:*",), "*"),)),
    "AmazonSQSFullAccess": ("v1", ((("sqs:*",), "*"),)),
    "AmazonSQSReadOnlyAccess": ("v4", (((
        "sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ListDeadLetterSourceQueues", "sqs:ListQueues",
        "sqs:ListMessageMoveTasks", "sqs:ListQueueTags",
    ), "*"),)),
    "AmazonSSMReadOnlyAccess": ("v1", ((("ssm:Describe*", "ssm:Get*", "ssm:List*"), "*"),)),
    "CloudWatchLambdaInsightsExecutionRolePolicy": ("v1", (
        (("logs:CreateLogGroup",), "*"),
        (("logs:CreateLogStream", "logs:PutLogEvents"), "arn:aws:logs:*:*:log-group:/aws/lambda-insights:*"),
    )),
    "CloudWatchLogsFullAccess": ("v8", ((("logs:*",), "*"),)),
}  # fmt: skip

_POWER_USER = ("iam:*", "organizations:*", "account:*")

_read: dict[str, Policy] = {}


def lookup(value: Value) -> Policy | None:
    """The managed policy that an ARN (or, as SAM writes it, a bare name) means; None where it is none of AWS's.

    One that is not in the table is a policy of which nothing is known.
    """
    value = settle(value)
    if isinstance(value, Ref):
        # A data source finds the policy by its name; an own policy is declared.
        if not value.target.elsewhere or value.target.kind.name != "iam.policy":
            return None
        name = name_of(value.target)
        return by_name(name.data) if isinstance(name, Known) and name.data in _names() else None
    parts = parts_of(expand(value))
    text = "".join(part if isinstance(part, str) else "\0" for part in parts)
    before, marker, path = text.partition(":iam::aws:policy/")
    if marker:
        name_text = path.rpartition("/")[2]
        if not before.startswith("arn:") or not name_text or "\0" in path:
            return Policy(Unknown("which policy of AWS is meant is not known", value.site), IDENTITY)
        return by_name(name_text)
    return by_name(text) if text in _names() else None


def _names() -> set[str]:
    return {*POLICIES, "PowerUserAccess"}


def by_name(name: object) -> Policy:
    """A managed policy by its name."""
    key = str(name)
    found = _read.get(key)
    if found is None:
        found = _read[key] = Policy(_document(key), IDENTITY, None, key)
    return found


def _document(name: str) -> Value:
    if name == "PowerUserAccess":
        return Known([_statement("NotAction", _POWER_USER, "*")])
    if name not in POLICIES:
        return Unknown(f"what AWS's policy {name} allows is not known here")
    _, grants = POLICIES[name]
    statements: list[Value] = [_statement("Action", actions, resource) for actions, resource in grants]
    others = tuple(f"{service}:*" for service in KNOWN)
    statements.append(_statement("NotAction", others, "*", f"{name} is read in part"))
    return Known(statements)


def _statement(element: str, actions: tuple[str, ...], resource: str, unsure: str = "") -> Value:
    made: dict[str, Value] = {
        "Effect": Known("Allow"),
        element: Known([Known(action) for action in actions]),
        "Resource": Known(resource),
    }
    if unsure:
        made["Condition"] = Unknown(unsure)
    return Known(made)
