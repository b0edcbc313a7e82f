"""SAM's policy templates, and the other ways in which `Policies` says what a function may do."""

from __future__ import annotations

import re

from hoplint.model.place import Site
from hoplint.readers.nodes import MadeMapping, Mapping, Mystery, Node, Scalar, Sequence, make, text_of

# Name, service and actions, resources. A resource that starts with a colon is one of that service in this region and
# account; a name stands once for each of its statements.
_TABLE = """
AMIDescribePolicy | ec2 DescribeImages | *
AWSSecretsManagerGetSecretValuePolicy | secretsmanager GetSecretValue | ${SecretArn}
AWSSecretsManagerRotationPolicy | secretsmanager DescribeSecret GetSecretValue PutSecretValue
    UpdateSecretVersionStage | :secret:* | condition
AWSSecretsManagerRotationPolicy | secretsmanager GetRandomPassword | *
AcmGetCertificatePolicy | acm GetCertificate | ${CertificateArn}
AthenaQueryPolicy | athena * | *
AthenaQueryPolicy | athena * | :workgroup/${WorkGroupName}
CloudFormationDescribeStacksPolicy | cloudformation DescribeStacks | :stack/*
CloudWatchDashboardPolicy | cloudwatch GetDashboard ListDashboards PutDashboard ListMetrics | *
CloudWatchDescribeAlarmHistoryPolicy | cloudwatch DescribeAlarmHistory | *
CloudWatchPutMetricPolicy | cloudwatch PutMetricData | *
CodeCommitCrudPolicy | codecommit * | :${RepositoryName}
CodeCommitReadPolicy | codecommit Get* BatchGet* Describe* List* GitPull | :${RepositoryName}
CodePipelineLambdaExecutionPolicy | codepipeline PutJobSuccessResult PutJobFailureResult | *
CodePipelineReadOnlyPolicy | codepipeline ListPipelineExecutions | :${PipelineName}
ComprehendBasicAccessPolicy | comprehend BatchDetectKeyPhrases DetectDominantLanguage DetectEntities
    BatchDetectEntities DetectKeyPhrases DetectSentiment BatchDetectDominantLanguage BatchDetectSentiment | *
CostExplorerReadOnlyPolicy | ce GetCostAndUsage GetDimensionValues GetReservationCoverage
    GetReservationPurchaseRecommendation GetReservationUtilization GetTags | *
DynamoDBBackupFullAccessPolicy | dynamodb CreateBackup DescribeContinuousBackups | :table/${TableName}
DynamoDBBackupFullAccessPolicy | dynamodb DeleteBackup DescribeBackup ListBackups | :table/${TableName}/backup/*
DynamoDBCrudPolicy | dynamodb GetItem DeleteItem PutItem Scan Query UpdateItem BatchWriteItem BatchGetItem
    DescribeTable ConditionCheckItem | :table/${TableName} :table/${TableName}/index/*
DynamoDBReadPolicy | dynamodb GetItem Scan Query BatchGetItem DescribeTable | :table/${TableName}
    :table/${TableName}/index/*
DynamoDBReconfigurePolicy | dynamodb UpdateTable | :table/${TableName}
DynamoDBRestoreFromBackupPolicy | dynamodb RestoreTableFromBackup | :table/${TableName}/backup/*
DynamoDBRestoreFromBackupPolicy | dynamodb PutItem UpdateItem DeleteItem GetItem Query Scan BatchWriteItem |
    :table/${TableName}
DynamoDBStreamReadPolicy | dynamodb DescribeStream GetRecords GetShardIterator |
    :table/${TableName}/stream/${StreamName}
DynamoDBStreamReadPolicy | dynamodb ListStreams | :table/${TableName}/stream/*
DynamoDBWritePolicy | dynamodb PutItem UpdateItem BatchWriteItem | :table/${TableName}
    :table/${TableName}/index/*
EC2CopyImagePolicy | ec2 CopyImage | :image/${ImageId}
EC2DescribePolicy | ec2 DescribeRegions DescribeInstances | *
EFSWriteAccessPolicy | elasticfilesystem ClientMount ClientWrite | :file-system/${FileSystem} | condition
EKSDescribePolicy | eks DescribeCluster ListClusters | *
EcsRunTaskPolicy | ecs RunTask | :task-definition/${TaskDefinition}
ElasticMapReduceAddJobFlowStepsPolicy | elasticmapreduce AddJobFlowSteps | :cluster/${ClusterId}
ElasticMapReduceCancelStepsPolicy | elasticmapreduce CancelSteps | :cluster/${ClusterId}
ElasticMapReduceModifyInstanceFleetPolicy | elasticmapreduce ModifyInstanceFleet ListInstanceFleets |
    :cluster/${ClusterId}
ElasticMapReduceModifyInstanceGroupsPolicy | elasticmapreduce ModifyInstanceGroups ListInstanceGroups |
    :cluster/${ClusterId}
ElasticMapReduceSetTerminationProtectionPolicy | elasticmapreduce SetTerminationProtection |
    :cluster/${ClusterId}
ElasticMapReduceTerminateJobFlowsPolicy | elasticmapreduce TerminateJobFlows | :cluster/${ClusterId}
ElasticsearchHttpPostPolicy | es ESHttpPost ESHttpPut | :domain/${DomainName}/*
EventBridgePutEventsPolicy | events PutEvents | :event-bus/${EventBusName}
FilterLogEventsPolicy | logs FilterLogEvents | :log-group:${LogGroupName}:log-stream:*
FirehoseCrudPolicy | firehose CreateDeliveryStream DeleteDeliveryStream DescribeDeliveryStream PutRecord
    PutRecordBatch UpdateDestination | :deliverystream/${DeliveryStreamName}
FirehoseWritePolicy | firehose PutRecord PutRecordBatch | :deliverystream/${DeliveryStreamName}
KMSDecryptPolicy | kms Decrypt | :key/${KeyId}
KMSEncryptPolicy | kms Encrypt | :key/${KeyId}
KMSEncryptPolicy_v2 | kms Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext GenerateDataKeyPair
    GenerateDataKeyPairWithoutPlaintext | :key/${KeyId}
KinesisCrudPolicy | kinesis AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteStream
    DescribeStream DescribeStreamSummary GetShardIterator IncreaseStreamRetentionPeriod ListTagsForStream
    MergeShards PutRecord PutRecords SplitShard RemoveTagsFromStream | :stream/${StreamName}
KinesisStreamReadPolicy | kinesis ListStreams DescribeLimits | :stream/*
KinesisStreamReadPolicy | kinesis DescribeStream DescribeStreamSummary GetRecords GetShardIterator |
    :stream/${StreamName}
LambdaInvokePolicy | lambda InvokeFunction | :function:${FunctionName}*
MobileAnalyticsWriteOnlyAccessPolicy | mobileanalytics PutEvents | *
OrganizationsListAccountsPolicy | organizations ListAccounts | *
PinpointEndpointAccessPolicy | mobiletargeting GetEndpoint UpdateEndpoint UpdateEndpointsBatch |
    :apps/${PinpointApplicationId}/endpoints/*
PollyFullAccessPolicy | polly GetLexicon DeleteLexicon | :lexicon/${LexiconName}
PollyFullAccessPolicy | polly DescribeVoices ListLexicons PutLexicon SynthesizeSpeech | :lexicon/*
RekognitionDetectOnlyPolicy | rekognition DetectFaces DetectLabels DetectModerationLabels DetectText | *
RekognitionFacesManagementPolicy | rekognition IndexFaces DeleteFaces SearchFaces SearchFacesByImage ListFaces |
    :collection/${CollectionId}
RekognitionFacesPolicy | rekognition CompareFaces DetectFaces | *
RekognitionLabelsPolicy | rekognition DetectLabels DetectModerationLabels | *
RekognitionNoDataAccessPolicy | rekognition CompareFaces DetectFaces DetectLabels DetectModerationLabels |
    :collection/${CollectionId}
RekognitionReadPolicy | rekognition ListCollections ListFaces SearchFaces SearchFacesByImage |
    :collection/${CollectionId}
RekognitionWriteOnlyAccessPolicy | rekognition CreateCollection IndexFaces | :collection/${CollectionId}
Route53ChangeResourceRecordSetsPolicy | route53 ChangeResourceRecordSets |
    arn:route53:::hostedzone/${HostedZoneId}
S3CrudPolicy | s3 GetObject ListBucket GetBucketLocation GetObjectVersion PutObject PutObjectAcl
    GetLifecycleConfiguration PutLifecycleConfiguration DeleteObject | arn:s3:::${BucketName}
    arn:s3:::${BucketName}/*
S3FullAccessPolicy | s3 GetObject GetObjectAcl GetObjectVersion PutObject PutObjectAcl DeleteObject
    DeleteObjectTagging DeleteObjectVersionTagging GetObjectTagging GetObjectVersionTagging PutObjectTagging
    PutObjectVersionTagging | arn:s3:::${BucketName}/*
S3FullAccessPolicy | s3 ListBucket GetBucketLocation GetLifecycleConfiguration PutLifecycleConfiguration |
    arn:s3:::${BucketName}
S3ReadPolicy | s3 GetObject ListBucket GetBucketLocation GetObjectVersion GetLifecycleConfiguration |
    arn:s3:::${BucketName} arn:s3:::${BucketName}/*
S3WritePolicy | s3 PutObject PutObjectAcl PutLifecycleConfiguration | arn:s3:::${BucketName}
    arn:s3:::${BucketName}/*
SESBulkTemplatedCrudPolicy | ses GetIdentityVerificationAttributes SendEmail SendRawEmail SendTemplatedEmail
    SendBulkTemplatedEmail VerifyEmailIdentity | :identity/${IdentityName}
SESBulkTemplatedCrudPolicy_v2 | ses SendEmail SendRawEmail SendTemplatedEmail SendBulkTemplatedEmail |
    :identity/${IdentityName} :template/${TemplateName}
SESBulkTemplatedCrudPolicy_v2 | ses GetIdentityVerificationAttributes VerifyEmailIdentity | *
SESCrudPolicy | ses GetIdentityVerificationAttributes SendEmail SendRawEmail VerifyEmailIdentity |
    :identity/${IdentityName}
SESEmailTemplateCrudPolicy | ses CreateTemplate GetTemplate ListTemplates UpdateTemplate DeleteTemplate
    TestRenderTemplate | *
SESSendBouncePolicy | ses SendBounce | :identity/${IdentityName}
SNSCrudPolicy | sns ListSubscriptionsByTopic CreateTopic SetTopicAttributes Subscribe Publish | :${TopicName}*
SNSPublishMessagePolicy | sns Publish | :${TopicName}
SQSPollerPolicy | sqs ChangeMessageVisibility ChangeMessageVisibilityBatch DeleteMessage DeleteMessageBatch
    GetQueueAttributes ReceiveMessage | :${QueueName}
SQSSendMessagePolicy | sqs SendMessage* | :${QueueName}
SSMParameterReadPolicy | ssm DescribeParameters | *
SSMParameterReadPolicy | ssm GetParameters GetParameter GetParametersByPath | :parameter/${ParameterName}
SSMParameterWithSlashPrefixReadPolicy | ssm DescribeParameters | *
SSMParameterWithSlashPrefixReadPolicy | ssm GetParameters GetParameter GetParametersByPath |
    :parameter${ParameterName}
SageMakerCreateEndpointConfigPolicy | sagemaker CreateEndpointConfig | :endpoint-config/${EndpointConfigName}
SageMakerCreateEndpointPolicy | sagemaker CreateEndpoint | :endpoint/${EndpointName}
ServerlessRepoReadWriteAccessPolicy | serverlessrepo CreateApplication CreateApplicationVersion
    UpdateApplication GetApplication ListApplications ListApplicationVersions ListApplicationDependencies |
    :applications/*
StepFunctionsCallbackPolicy | states SendTaskFailure SendTaskHeartbeat SendTaskSuccess |
    :stateMachine:${StateMachineName}
StepFunctionsExecutionPolicy | states StartExecution | :stateMachine:${StateMachineName}
StepFunctionsExecutionPolicy_v2 | states StartExecution StartSyncExecution | :stateMachine:${StateMachineName}
TextractDetectAnalyzePolicy | textract DetectDocumentText StartDocumentTextDetection StartDocumentAnalysis
    AnalyzeDocument | *
TextractGetResultPolicy | textract GetDocumentTextDetection GetDocumentAnalysis | *
TextractPolicy | textract * | *
VPCAccessPolicy | ec2 CreateNetworkInterface DeleteNetworkInterface DescribeNetworkInterfaces
    DetachNetworkInterface | *
"""
Statement = tuple[list[str], list[str], bool]
_statements: dict[str, list[Statement]] = {}


def _templates() -> dict[str, list[Statement]]:
    if not _statements:
        for line in re.sub(r"\n +", " ", _TABLE.strip()).splitlines():
            name, actions, resources, *conditional = line.split(" | ")
            service, *names = actions.split()
            _statements.setdefault(name, []).append(
                ([f"{service}:{action}" for action in names], [_arn(service, one) for one in resources.split()],
                 bool(conditional))
            )  # fmt: skip
    return _statements


def _arn(service: str, resource: str) -> str:
    if resource.startswith(":"):
        return f"arn:${{AWS::Partition}}:{service}:${{AWS::Region}}:${{AWS::AccountId}}{resource}"
    return "arn:${AWS::Partition}:" + resource[4:] if resource.startswith("arn:") else resource


def template_statements(name: str, values: Node, at: Site) -> Node | None:
    """The policy document of a policy template; None if there is no such template."""
    statements = _templates().get(name)
    if statements is None:
        return None
    given = dict(values.entries) if isinstance(values, Mapping) else {}
    made: list[Node] = []
    for actions, resources, conditional in statements:
        entries = {
            "Effect": make("Allow", at),
            "Action": make(actions, at),
            "Resource": make([_resource(one, given, at) for one in resources], at),
        }
        if conditional:
            entries["Condition"] = Mystery("the policy template adds a condition of its own", at)
        made.append(MadeMapping(entries, at))
    return make({"Statement": made}, at)


def _resource(text: str, given: dict[str, Node], at: Site) -> Node:
    used = {name: given[name] for name in re.findall(r"\$\{(\w+)\}", text) if name in given}
    if text == "*":
        return make(text, at)
    return make({"Fn::Sub": [text, used] if used else text}, at)


class Role:
    """The role that SAM makes, while its policies are gathered."""

    __slots__ = ("name", "managed", "policies")

    def __init__(self, name: str) -> None:
        self.name = name
        self.managed: list[Node] = []
        self.policies: list[Node] = []

    def attach(self, policy: str, at: Site) -> None:
        """Attach one of AWS's managed policies, once."""
        text = "arn:${AWS::Partition}:iam::aws:policy/" + policy
        for node in self.managed:
            if isinstance(node, Mapping) and text_of(node.get("Fn::Sub")) == text:
                return
        self.managed.append(make({"Fn::Sub": text}, at))

    def grant(self, name: str, actions: str | list[str], resource: Node | list[Node] | str, at: Site) -> None:
        """Add a policy of one statement."""
        self.policies.append(
            make(
                {
                    "PolicyName": name,
                    "PolicyDocument": {"Statement": [{"Effect": "Allow", "Action": actions, "Resource": resource}]},
                },
                at,
            )
        )

    def add(self, policies: Node | None) -> None:
        """Take over what the user wrote under `Policies`."""
        if policies is None:
            return
        for index, entry in enumerate(policies.items if isinstance(policies, Sequence) else [policies]):
            self._entry(entry, index)

    def _entry(self, entry: Node, index: int) -> None:
        kind, node = self._read(entry, index)
        if kind == "managed":
            self.managed.append(node)
        elif kind == "inline":
            self.policies.append(node)

    def _read(self, entry: Node, index: int) -> tuple[str, Node]:
        """What an entry is (managed, inline or nothing), and its node."""
        if isinstance(entry, Scalar):
            text = text_of(entry)
            if text is None:
                return "", entry
            return "managed", entry if text.startswith("arn:") else make(
                {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/" + text}, entry
            )
        if not isinstance(entry, Mapping):
            return "inline", self._inline(Mystery("a policy cannot be read", entry), index, entry)
        entries = entry.entries
        if "Statement" in entries:
            return "inline", self._inline(entry, index, entry)
        if len(entries) == 1:
            ((name, argument),) = entries.items()
            if name == "Fn::If" and isinstance(argument, Sequence) and len(argument.items) == 3:
                return self._if(entry, argument, index)
            if name == "Ref" and text_of(argument) == "AWS::NoValue":
                return "", entry
            if name == "Ref" or name.startswith("Fn::"):
                return "managed", entry
            document = template_statements(name, argument, entry)
            if document is not None:
                return "inline", self._inline(document, index, entry)
            return "inline", self._inline(Mystery(f"{name} is no policy template that is known", entry), index, entry)
        return "inline", self._inline(Mystery("a policy cannot be read", entry), index, entry)

    def _if(self, entry: Mapping, argument: Sequence, index: int) -> tuple[str, Node]:
        condition, then, otherwise = argument.items
        kind, first = self._read(then, index)
        other, second = self._read(otherwise, index)
        none = make({"Ref": "AWS::NoValue"}, entry)
        made = make({"Fn::If": [condition, first if kind else none, second if other else none]}, entry)
        return kind or other, made

    def _inline(self, document: Node, index: int, at: Site) -> Node:
        return make({"PolicyName": f"{self.name}Policy{index}", "PolicyDocument": document}, at)
