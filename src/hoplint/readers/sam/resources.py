"""SAM's functions, state machines and tables as the plain resources that SAM makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoplint.readers.nodes import Mapping, Node, Scalar, Sequence, make, renamed, text_of
from hoplint.readers.sam.base import Event, Owner, Sam, Target, arn_of, is_no_value_node, ref, trust
from hoplint.readers.sam.events import allow_destination, events_of, function_event, machine_event
from hoplint.readers.sam.policies import Role

if TYPE_CHECKING:
    from hoplint.readers.cloudformation import Item

_NOT_OF_FUNCTIONS = (
    "AssumeRolePolicyDocument", "AutoPublishAlias", "AutoPublishAliasAllProperties", "AutoPublishCodeSha256",
    "DeadLetterQueue", "DeploymentPreference", "EventInvokeConfig", "Events", "FunctionUrlConfig",
    "PermissionsBoundary", "Policies", "PropagateTags", "ProvisionedConcurrencyConfig", "Role", "RolePath", "Tags",
    "VersionDeletionPolicy", "VersionDescription",
)  # fmt: skip


def function(sam: Sam, item: Item) -> None:
    """`AWS::Serverless::Function`."""
    owner = sam.owner(item, "Function")
    properties: dict[str, Any] = {
        name: node for name, node in owner.properties.items() if name not in _NOT_OF_FUNCTIONS
    }
    letters = owner.get("DeadLetterQueue")
    if isinstance(letters, Mapping):
        properties["DeadLetterConfig"] = (
            make({"TargetArn": letters.get("TargetArn")}, letters) if letters.get("TargetArn") is not None else letters
        )
    capacity = owner.get("CapacityProviderConfig")
    if isinstance(capacity, Mapping):
        named = renamed(capacity, {"Arn": "CapacityProviderArn"})
        properties["CapacityProviderConfig"] = {"LambdaManagedInstancesCapacityProviderConfig": named}
    role = _function_role(sam, owner)
    alias = _alias(sam, owner, properties)
    invoke = owner.get("EventInvokeConfig")
    if isinstance(invoke, Mapping):
        _invoke_config(sam, owner, invoke, owner.get("AutoPublishAlias") if alias else None, role)
    properties["Role"] = _role(sam, owner, "Role", role)
    sam.add(owner, owner.id, item.address, "AWS::Lambda::Function", properties, owner.head)
    target = Target(alias, "alias") if alias else Target(owner.id, "function")
    for name, node, head in events_of(owner):
        function_event(sam, Event(owner, name, node, head, target), role)
    _finish_role(sam, owner, role, "lambda.amazonaws.com")


def _function_role(sam: Sam, owner: Owner) -> Role:
    role = Role(f"{owner.id}Role")
    durable = owner.get("DurableConfig") is not None
    basic = "AWSLambdaBasicDurableExecutionRolePolicy" if durable else "AWSLambdaBasicExecutionRole"
    role.attach(f"service-role/{basic}", owner.head)
    tracing = owner.get("Tracing")
    if tracing is not None and sam.text(tracing) != "Disabled":
        role.attach("AWSXrayWriteOnlyAccess", tracing)
    network = owner.get("VpcConfig")
    if network is not None:
        role.attach("service-role/AWSLambdaVPCAccessExecutionRole", network)
    role.add(owner.get("Policies"))
    letters = owner.get("DeadLetterQueue")
    if isinstance(letters, Mapping):
        kind, where = text_of(letters.get("Type")), letters.get("TargetArn")
        action = {"SQS": "sqs:SendMessage", "SNS": "sns:Publish"}.get(kind or "")
        if action and where is not None:
            role.grant("DeadLetterQueuePolicy", action, where, letters)
    return role


def _role(sam: Sam, owner: Owner, name: str, role: Role) -> Node:
    """The role of a resource: given, made by SAM, or made where a condition leaves it open."""
    given = owner.get(name)
    if given is None:
        return arn_of(role.name, owner.head)
    argument = given.get("Fn::If") if isinstance(given, Mapping) else None
    if isinstance(argument, Sequence) and len(argument.items) == 3:
        condition, then, otherwise = argument.items
        made = arn_of(role.name, given)
        sides = [made if is_no_value_node(side) else side for side in (then, otherwise)]
        if made in sides:
            return make({"Fn::If": [condition, *sides]}, given)
    return given


def _finish_role(sam: Sam, owner: Owner, role: Role, service: str) -> None:
    given = owner.get("Role")
    condition: Node | None = None
    if given is not None:
        argument = given.get("Fn::If") if isinstance(given, Mapping) else None
        if not isinstance(argument, Sequence) or len(argument.items) != 3:
            return
        named, then, otherwise = argument.items
        open_sides = [is_no_value_node(then), is_no_value_node(otherwise)]
        name = text_of(named)
        if not any(open_sides) or name is None:
            return
        if not all(open_sides):
            condition = _open_side(sam, owner, role.name, name, open_sides[0])
    properties: dict[str, Any] = {
        "AssumeRolePolicyDocument": owner.get("AssumeRolePolicyDocument") or trust(service, owner.head),
        "ManagedPolicyArns": role.managed or None,
        "Policies": role.policies or None,
        "PermissionsBoundary": owner.get("PermissionsBoundary"),
        "Path": owner.get("RolePath"),
    }
    sam.add(owner, role.name, role.name, "AWS::IAM::Role", properties, owner.head, condition)


def _open_side(sam: Sam, owner: Owner, made: str, name: str, wanted: bool) -> Node:
    """A condition for what is made only where the user gives nothing, and only where its function is."""
    test: dict[str, Any] = {"Condition": name} if wanted else {"Fn::Not": [{"Condition": name}]}
    own = owner.node.get("Condition")
    if own is not None:
        test = {"Fn::And": [test, {"Condition": own}]}
    key = f"whether {made} is made"
    nodes = dict(sam.scope.conditions.nodes)
    nodes[key] = make(test, owner.head)
    sam.scope.conditions.nodes = nodes
    return make(key, owner.head)


def _alias(sam: Sam, owner: Owner, properties: dict[str, Any]) -> str | None:
    """Publish a version and point an alias at it; the logical id of the alias."""
    node = owner.get("AutoPublishAlias")
    provisioned = owner.get("ProvisionedConcurrencyConfig")
    if node is None:
        if provisioned is not None:
            properties["ProvisionedConcurrencyConfig"] = provisioned
        return None
    at = owner.site("AutoPublishAlias")
    version = f"{owner.id}Version"
    name = sam.text(node) or ""
    alias = f"{owner.id}Alias{name.replace('-', 'D').replace('_', 'U')}"
    sam.add(owner, version, version, "AWS::Lambda::Version", {"FunctionName": ref(owner.id, at)}, at)
    sam.add(owner, alias, alias, "AWS::Lambda::Alias",
            {"Name": node, "FunctionName": ref(owner.id, at),
             "FunctionVersion": {"Fn::GetAtt": [version, "Version"]},
             "ProvisionedConcurrencyConfig": provisioned}, at)  # fmt: skip
    sam.scope.aliases[f"{owner.id}.Alias"] = (alias, "Ref")
    sam.scope.aliases[f"{owner.id}.Version"] = (version, "Ref")
    return alias


def _invoke_config(sam: Sam, owner: Owner, config: Mapping, alias: Node | None, role: Role) -> None:
    at = owner.site("EventInvokeConfig")
    name = f"{owner.id}EventInvokeConfig"
    wanted = config.get("DestinationConfig")
    destinations: dict[str, Any] = {}
    for side in ("OnSuccess", "OnFailure"):
        one = wanted.get(side) if isinstance(wanted, Mapping) else None
        if isinstance(one, Mapping):
            where = _invoke_destination(sam, owner, one, f"{name}{side}", role)
            if where is not None:
                destinations[side] = make({"Destination": where}, one)
    properties: dict[str, Any] = {
        "FunctionName": ref(owner.id, at),
        "Qualifier": alias or "$LATEST",
        "MaximumEventAgeInSeconds": config.get("MaximumEventAgeInSeconds"),
        "MaximumRetryAttempts": config.get("MaximumRetryAttempts"),
    }
    if destinations:
        properties["DestinationConfig"] = destinations
    sam.add(owner, name, name, "AWS::Lambda::EventInvokeConfig", properties, at)


def _invoke_destination(sam: Sam, owner: Owner, one: Mapping, name: str, role: Role) -> Node | None:
    """A destination: the one that is given; where none is, a queue or topic that SAM makes."""
    kind, where = text_of(one.get("Type")), one.get("Destination")
    suffix = {"SQS": "Queue", "SNS": "Topic"}.get(kind or "")
    argument = where.get("Fn::If") if isinstance(where, Mapping) else None
    sides = argument.items if isinstance(argument, Sequence) and len(argument.items) == 3 else []
    left_open = [is_no_value_node(side) for side in sides[1:]]
    if suffix and (where is None or (any(left_open) and not all(left_open)) or is_no_value_node(where)):
        made = f"{name}{suffix}"
        condition: Node | None = None
        if sides:
            wanted = text_of(sides[0])
            condition = _open_side(sam, owner, made, wanted, left_open[0]) if wanted else None
        sam.add(owner, made, made, f"AWS::{kind}::{suffix}", {}, one, condition)
        sam.scope.aliases[f"{owner.id}.Destination{suffix}"] = (made, "Ref")
        own = arn_of(made, one) if kind == "SQS" else ref(made, one)
        if sides:
            given = [own if is_no_value_node(side) else side for side in sides[1:]]
            where = make({"Fn::If": [sides[0], *given]}, where or one)
        else:
            where = own
    if where is not None and kind is not None:
        allow_destination(role, kind, where, name)
    return where


# State machines ------------------------------------------------------------------------------------------------------

_MACHINE_NAMES = {
    "Name": "StateMachineName", "Type": "StateMachineType", "Logging": "LoggingConfiguration",
    "Tracing": "TracingConfiguration", "DefinitionSubstitutions": "DefinitionSubstitutions",
    "Definition": "Definition",
}  # fmt: skip


def machine(sam: Sam, item: Item) -> None:
    """`AWS::Serverless::StateMachine`."""
    owner = sam.owner(item, "StateMachine")
    properties: dict[str, Any] = {new: owner.get(old) for old, new in _MACHINE_NAMES.items()}
    where = owner.get("DefinitionUri")
    if properties["Definition"] is None and where is not None:
        properties["Definition"] = sam.reader.definition(sam.scope, where)
    role = Role(f"{owner.id}Role")
    role.add(owner.get("Policies"))
    tracing = owner.get("Tracing")
    enabled = tracing.get("Enabled") if isinstance(tracing, Mapping) else None
    if isinstance(enabled, Scalar) and enabled.data is True:
        role.attach("AWSXrayWriteOnlyAccess", enabled)
    properties["RoleArn"] = _role(sam, owner, "Role", role)
    sam.add(owner, owner.id, item.address, "AWS::StepFunctions::StateMachine", properties, owner.head)
    _finish_role(sam, owner, role, "states.amazonaws.com")
    alias = text_of(owner.get("AutoPublishAlias"))
    if alias is not None:
        sam.scope.aliases[f"{owner.id}Alias{alias}"] = (owner.id, "Arn")
    for name, node, head in events_of(owner):
        machine_event(sam, Event(owner, name, node, head, Target(owner.id, "machine")))


# Tables --------------------------------------------------------------------------------------------------------------


def table(sam: Sam, item: Item) -> None:
    """`AWS::Serverless::SimpleTable`."""
    owner = sam.owner(item, "SimpleTable")
    key = owner.get("PrimaryKey")
    name: Any = key.get("Name") if isinstance(key, Mapping) else None
    kind: Any = text_of(key.get("Type")) if isinstance(key, Mapping) else None
    at = key or owner.head
    attribute = {"AttributeName": name or "id", "AttributeType": {"String": "S", "Number": "N", "Binary": "B"}.get(
        kind or "String", "S")}  # fmt: skip
    throughput = owner.get("ProvisionedThroughput")
    properties: dict[str, Any] = {
        "AttributeDefinitions": make([attribute], at),
        "KeySchema": make([{"AttributeName": attribute["AttributeName"], "KeyType": "HASH"}], at),
        "BillingMode": None if throughput is not None else "PAY_PER_REQUEST",
    }
    for same in ("ProvisionedThroughput", "TableName", "SSESpecification", "PointInTimeRecoverySpecification"):
        properties[same] = owner.get(same)
    sam.add(owner, owner.id, item.address, "AWS::DynamoDB::Table", properties, owner.head)
