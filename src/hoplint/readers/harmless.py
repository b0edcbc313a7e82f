"""Which resource types that the catalogue lacks certainly add nothing to a queue, topic or function that they name.

Whoever says that an alarm, a policy, a subscription or a failure queue is missing must have read everything that could
supply it. A resource of a type outside the catalogue is not read; one that names the subject stands in the way unless
the type certainly supplies none of these *by being deployed*. That holds for most of AWS's types: a type describes what
its own service makes, and of the more than a thousand only those below make something in CloudWatch, SNS, SQS, Lambda,
EventBridge, IAM or KMS, or deploy what somebody else wrote. What a program does later, when it runs (a task, a build, a
function), is not what the stack holds, for any linter.

A type that is not AWS's (a custom resource, a third party's type, a module, a hook) may do anything.
"""

from __future__ import annotations

# Whole services: new types of theirs count as active until they are looked at.
_ACTIVE_SERVICES = (
    # They hold the alarms, policies, subscriptions and failure queues themselves.
    "CloudWatch", "Events", "EventsV2", "IAM", "KMS", "Lambda", "Notifications", "Pipes", "SNS", "SQS", "Scheduler",
    # They put up alarms for what they are pointed at, or hold alarm rules in a text.
    "APS", "ApplicationInsights", "ApplicationSignals", "DevOpsGuru", "Grafana", "ResilienceHub", "SSMIncidents",
    # They subscribe to the topics that they name.
    "Chatbot",
    # They deploy what a template, a product or a document of somebody else's says, with the parameters given here.
    "CloudFormation", "CodePipeline", "CodeStar", "LaunchWizard", "Proton", "ServiceCatalog",
)  # fmt: skip
_ACTIVE_TYPES = (
    # A policy that tracks a metric makes two alarms on it, also on the depth of a queue.
    "ApplicationAutoScaling::ScalableTarget", "ApplicationAutoScaling::ScalingPolicy", "AutoScaling::ScalingPolicy",
    "Config::ConformancePack", "Config::OrganizationConformancePack", "Config::RemediationConfiguration",
    "SSM::Association", "SSM::MaintenanceWindowTask",
)  # fmt: skip
# Types of these services that make nothing beyond themselves.
_PASSIVE_TYPES = (
    "CloudFormation::Macro", "CloudFormation::WaitCondition", "CloudFormation::WaitConditionHandle",
    "CloudWatch::AnomalyDetector", "CloudWatch::Dashboard", "CloudWatch::InsightRule", "CloudWatch::MetricStream",
    "Events::ApiDestination", "Events::Archive", "Events::Connection", "IAM::Group", "IAM::InstanceProfile",
    "IAM::OIDCProvider", "IAM::User", "Lambda::CodeSigningConfig", "Lambda::LayerVersion", "Lambda::Url",
    "Scheduler::ScheduleGroup",
)  # fmt: skip
_ACTIVE = tuple(f"AWS::{name}::" for name in _ACTIVE_SERVICES)
_ACTIVE_EXACT = frozenset(f"AWS::{name}" for name in _ACTIVE_TYPES)
_PASSIVE = frozenset(f"AWS::{name}" for name in _PASSIVE_TYPES)


def is_harmless(type_name: str) -> bool:
    """Whether a resource of a type that the catalogue lacks certainly adds no policy, alarm or failure queue."""
    if not type_name.startswith("AWS::"):
        return False
    return type_name in _PASSIVE or not (type_name.startswith(_ACTIVE) or type_name in _ACTIVE_EXACT)
