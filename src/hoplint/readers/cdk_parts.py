"""What CDK itself puts into templates: its machinery, which is left out, and its custom resources, which are read."""

from __future__ import annotations

from hoplint.readers.nodes import MadeMapping, Mapping, Node, Sequence, make, text_of

_NOISE_TYPES = (
    "AWS::CDK::Metadata", "Custom::LogRetention", "Custom::S3AutoDeleteObjects", "Custom::CrossRegionExportReader",
    "Custom::CrossRegionExportWriter", "Custom::CDKBucketDeployment",
)  # fmt: skip
_NOISE_NAMES = (
    "BucketNotificationsHandler050a0587b7544547bf325f094a3db834",
    "CustomS3AutoDeleteObjectsCustomResourceProvider",
    "CustomCrossRegionExport",
    "CustomVpcRestrictDefaultSG",
    "LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8a",
    "AWS679f53fac002430cb0da5b7982bd2287",
    "CustomCDKBucketDeployment",
    "SingletonLambda",
    "AWSCDKOpenIdConnectProvider",
    "CustomAWSCDK",
    "awscdkawsdynamodbReplicaProvider",
)


def is_noise(logical_id: str, type_name: str, node: Mapping) -> bool:
    """Whether a resource of an assembly is CDK's own machinery: it handles no event of the user's."""
    if type_name in _NOISE_TYPES or logical_id.startswith(_NOISE_NAMES):
        return True
    properties = node.get("Properties") if type_name == "AWS::IAM::Policy" else None
    roles = properties.get("Roles") if isinstance(properties, Mapping) else None
    if not isinstance(roles, Sequence) or not roles.items:
        return False
    names = [text_of(role.get("Ref")) if isinstance(role, Mapping) else None for role in roles.items]
    return all(name is not None and name.startswith(_NOISE_NAMES) for name in names)


def bucket_notification(node: Mapping) -> Mapping:
    """CDK's custom resource, with the names that a bucket's own notification has."""
    properties = node.get("Properties")
    inner = properties.get("NotificationConfiguration") if isinstance(properties, Mapping) else None
    entries: dict[str, Node] = {}
    if isinstance(inner, Mapping):
        names = {"LambdaFunctionConfigurations": "LambdaConfigurations"}
        for key, value in inner.entries.items():
            entries[names.get(key, key)] = value
        bridge = inner.get("EventBridgeConfiguration")
        if bridge is not None:
            # An empty configuration switches delivery on here, and leaves it off on a bucket.
            entries["EventBridgeConfiguration"] = make({"EventBridgeEnabled": True}, bridge)
    elif inner is not None:
        entries["Fn::Transform"] = inner
    if isinstance(properties, Mapping):
        for key in ("BucketName", "SkipDestinationValidation", "Managed"):
            found = properties.get(key)
            if found is not None:
                entries[key] = found
    made = {key: value for key, value in node.entries.items() if key != "Properties"}
    return MadeMapping({**made, "Properties": MadeMapping(entries, properties or node)}, node)
