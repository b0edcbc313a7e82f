"""The actions of the services that carry events, as IAM knows them: what a policy can name.

Actions that are added later would be missing here, so that only what closely resembles one of these is called wrong.
"""

from __future__ import annotations

import difflib

from hoplint.graph.names import glob_match
from hoplint.model.value import Known

_ACTIONS = {
    "sqs": """
        AddPermission CancelMessageMoveTask ChangeMessageVisibility ChangeMessageVisibilityBatch CreateQueue
        DeleteMessage DeleteMessageBatch DeleteQueue GetQueueAttributes GetQueueUrl ListDeadLetterSourceQueues
        ListMessageMoveTasks ListQueues ListQueueTags PurgeQueue ReceiveMessage RemovePermission SendMessage
        SendMessageBatch SetQueueAttributes StartMessageMoveTask TagQueue UntagQueue
    """,
    "sns": """
        AddPermission CheckIfPhoneNumberIsOptedOut ConfirmSubscription CreatePlatformApplication
        CreatePlatformEndpoint CreateSMSSandboxPhoneNumber CreateTopic DeleteEndpoint DeletePlatformApplication
        DeleteSMSSandboxPhoneNumber DeleteTopic GetDataProtectionPolicy GetEndpointAttributes
        GetPlatformApplicationAttributes GetSMSAttributes GetSMSSandboxAccountStatus GetSubscriptionAttributes
        GetTopicAttributes ListEndpointsByPlatformApplication ListOriginationNumbers ListPhoneNumbersOptedOut
        ListPlatformApplications ListSMSSandboxPhoneNumbers ListSubscriptions ListSubscriptionsByTopic
        ListTagsForResource ListTopics OptInPhoneNumber Publish PublishBatch PutDataProtectionPolicy Receive
        RemovePermission SetEndpointAttributes SetPlatformApplicationAttributes SetSMSAttributes
        SetSubscriptionAttributes SetTopicAttributes Subscribe TagResource Unsubscribe UntagResource
        VerifySMSSandboxPhoneNumber
    """,
    "events": """
        ActivateEventSource AllowVendedLogDeliveryForResource CancelReplay CreateApiDestination CreateArchive
        CreateConnection CreateEndpoint CreateEventBus CreatePartnerEventSource DeactivateEventSource
        DeauthorizeConnection DeleteApiDestination DeleteArchive DeleteConnection DeleteEndpoint DeleteEventBus
        DeletePartnerEventSource DeleteRule DescribeApiDestination DescribeArchive DescribeConnection
        DescribeEndpoint DescribeEventBus DescribeEventSource DescribePartnerEventSource DescribeReplay
        DescribeRule DisableRule EnableRule InvokeApiDestination ListApiDestinations ListArchives ListConnections
        ListEndpoints ListEventBuses ListEventSources ListPartnerEventSourceAccounts ListPartnerEventSources
        ListReplays ListRuleNamesByTarget ListRules ListTagsForResource ListTargetsByRule PutEvents
        PutPartnerEvents PutPermission PutRule PutTargets RemovePermission RemoveTargets
        retrieveconnectioncredentials StartReplay TagResource TestEventPattern UntagResource UpdateApiDestination
        UpdateArchive UpdateConnection UpdateEndpoint UpdateEventBus
    """,
    "kinesis": """
        AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteResourcePolicy DeleteStream
        DeregisterStreamConsumer DescribeAccountSettings DescribeLimits DescribeStream DescribeStreamConsumer
        DescribeStreamSummary DisableEnhancedMonitoring EnableEnhancedMonitoring GetRecords GetResourcePolicy
        GetShardIterator IncreaseStreamRetentionPeriod injectapierror ListShards ListStreamConsumers ListStreams
        ListTagsForResource ListTagsForStream MergeShards PutRecord PutRecords PutResourcePolicy
        RegisterStreamConsumer RemoveTagsFromStream SplitShard StartStreamEncryption StopStreamEncryption
        SubscribeToShard TagResource UntagResource UpdateAccountSettings UpdateMaxRecordSize UpdateShardCount
        UpdateStreamMode UpdateStreamWarmThroughput
    """,
    "states": """
        CreateActivity CreateStateMachine CreateStateMachineAlias DeleteActivity DeleteStateMachine
        DeleteStateMachineAlias DeleteStateMachineVersion DescribeActivity DescribeExecution DescribeMapRun
        DescribeStateMachine DescribeStateMachineAlias DescribeStateMachineForExecution GetActivityTask
        GetExecutionHistory invokehttpendpoint ListActivities ListExecutions ListMapRuns ListStateMachineAliases
        ListStateMachines ListStateMachineVersions ListTagsForResource PublishStateMachineVersion
        RedriveExecution revealsecrets SendTaskFailure SendTaskHeartbeat SendTaskSuccess StartExecution
        StartSyncExecution StopExecution TagResource TestState UntagResource UpdateMapRun UpdateStateMachine
        UpdateStateMachineAlias ValidateStateMachineDefinition
    """,
}
"""Some of these are none any more, or never were, and are written so often that they prove nothing."""

CLOSE = 0.85


def resembled(action: str) -> str:
    """The action that one without a meaning resembles; empty where it has a meaning, or that cannot be told."""
    service, _, name = action.partition(":")
    known = _ACTIONS.get(service.lower())
    if known is None or not name:
        return ""
    names = {one.lower(): one for one in known.split()}
    if "*" in name or "?" in name:
        if any(glob_match(Known(name), Known(one), fold=True).possible for one in names.values()):
            return ""
    elif name.lower() in names:
        return ""
    near = difflib.get_close_matches(name.lower().strip("*"), list(names), 1, CLOSE)
    return f"{service}:{names[near[0]]}" if near else ""
