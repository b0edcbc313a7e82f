"""What to write so that a service is let in: policies of queues and topics, permissions of functions.

The text is in the dialect of the stack that it belongs to. It is shown, never applied: where it goes, and what else the
policy has to hold, is for its author to say.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hoplint.model.finding import Fix, Safety
from hoplint.model.resource import Resource
from hoplint.model.value import Known, Ref, Value

_ACTIONS = {"sqs.queue": "sqs:SendMessage", "sns.topic": "sns:Publish"}
_WORDS = {"sqs.queue": "queue", "sns.topic": "topic"}
_KINDS = {
    "sqs.queue": ("aws_sqs_queue_policy", "queue_url", "url", "AWS::SQS::QueuePolicy", "Queues"),
    "sns.topic": ("aws_sns_topic_policy", "arn", "arn", "AWS::SNS::TopicPolicy", "Topics"),
}
_REF_IS_ARN = ("sns.topic", "states.machine", "lambda.alias", "lambda.version")


class _Code:
    """An expression that is written without quotes."""

    __slots__ = ("text", "data")

    def __init__(self, text: str, data: Any = None) -> None:
        self.text = text
        self.data = data


def admit(to: Resource, service: str, source: Resource, sender: Value | None, *, more: bool = False) -> Fix:
    """Let a service send to a queue or topic for one source; with `more` as a statement beside those there are."""
    kind = to.kind.name
    statement = _statement(to, service, source, sender)
    terraform, argument, attribute, cloudformation, listed = _KINDS[kind]
    word = _WORDS[kind]
    if more:
        title = f"add a statement to the {word}'s policy that lets {service} send for this source"
        text = _hcl(statement) if _is_terraform(to) else _template(to, [statement])
        return Fix(title, Safety.SHOWN, (), text)
    title = f"add a {word} policy that lets {service} send, confined to this source"
    if _is_terraform(to):
        document = _hcl({"Version": "2012-10-17", "Statement": [statement]}, 2)
        owner = f"{_local(to)}.{attribute}"
        text = (
            f'resource "{terraform}" "{_label(to)}" {{\n'
            f"  {argument} = {owner}\n"
            f"  {'policy':<{len(argument)}} = jsonencode({document})\n"
            "}"
        )
        return Fix(title, Safety.SHOWN, (), text)
    policy = {
        "Type": cloudformation,
        "Properties": {
            listed: [_Code(f"!Ref {_id(to)}", {"Ref": _id(to)})],
            "PolicyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        },
    }
    return Fix(title, Safety.SHOWN, (), _template(to, {f"{_id(to)}Policy": policy}))


def permit(
    function: Resource, service: str, source: Resource, sender: Value | None, entry: Resource | None = None
) -> Fix:
    """Let a service invoke a function (or its alias or version) for one source."""
    title = f"add a permission that lets {service} invoke the function for this source"
    arn = _arn(source, function, sender)
    bucket = source.kind.name == "s3.bucket"
    if _is_terraform(function):
        alias = entry if entry is not None and entry.kind.name == "lambda.alias" else None
        rows = {
            "action": '"lambda:InvokeFunction"',
            "function_name": f"{_local(function)}.function_name",
            **({"qualifier": f"{_local(alias)}.name"} if alias is not None else {}),
            "principal": f'"{service}"',
            "source_arn": _star(source, arn.text),
            **({"source_account": _account(function).text} if bucket else {}),
        }
        width = max(map(len, rows))
        body = "\n".join(f"  {name:<{width}} = {value}" for name, value in rows.items())
        text = f'resource "aws_lambda_permission" "{_label(source)}" {{\n{body}\n}}'
        return Fix(title, Safety.SHOWN, (), text)
    named = entry if entry is not None else function
    permission = {
        "Type": "AWS::Lambda::Permission",
        "Properties": {
            "Action": "lambda:InvokeFunction",
            "FunctionName": _Code(f"!Ref {_id(named)}", {"Ref": _id(named)}),
            "Principal": service,
            "SourceArn": arn,
            **({"SourceAccount": _account(function)} if bucket else {}),
        },
    }
    return Fix(title, Safety.SHOWN, (), _template(function, {f"{_id(source)}Permission": permission}))


def _statement(to: Resource, service: str, source: Resource, sender: Value | None) -> dict[str, Any]:
    condition: dict[str, Any] = {"ArnEquals": {"aws:SourceArn": _arn(source, to, sender)}}
    if source.kind.name == "s3.bucket":
        # The ARN of a bucket holds no account.
        condition["StringEquals"] = {"aws:SourceAccount": _account(to)}
    return {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": _ACTIONS[to.kind.name],
        "Resource": _arn(to, to),
        "Condition": condition,
    }


# --- naming ---------------------------------------------------------------------------------------------------------


def _is_terraform(resource: Resource) -> bool:
    return resource.stack.family == "terraform"


_MODULE = re.compile(r'^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*')


def _local(resource: Resource) -> str:
    return resource.address[len(_module(resource)) :].replace("[*]", "[each.key]")


def _module(resource: Resource) -> str:
    found = _MODULE.match(resource.address)
    return found.group() if found else ""


def _label(resource: Resource) -> str:
    return re.sub(r"\[.*", "", resource.address).rpartition(".")[2]


def _id(resource: Resource) -> str:
    return resource.address.rpartition("/")[2] if resource.parent is None else resource.address.partition("/")[0]


def _arn(resource: Resource, beside: Resource, value: Value | None = None) -> _Code:
    """The ARN of a resource as it is written beside another one."""
    if isinstance(value, Known) and isinstance(value.data, str):
        return _Code(f'"{value.data}"' if _is_terraform(beside) else value.data, value.data)
    near = resource.stack is beside.stack and _module(resource) == _module(beside)
    if resource.elsewhere or not near or (value is not None and not isinstance(value, Ref)):
        text = f"the ARN of {resource.address}"
        return _Code(f'"{text}"' if _is_terraform(beside) else text, text)
    if _is_terraform(beside):
        return _Code(f"{_local(resource)}.arn")
    name = _id(resource)
    if resource.kind.name in _REF_IS_ARN:
        return _Code(f"!Ref {name}", {"Ref": name})
    return _Code(f"!GetAtt {name}.Arn", {"Fn::GetAtt": [name, "Arn"]})


def _star(source: Resource, text: str) -> str:
    """CloudWatch Logs sends as the group's ARN with `:*` behind it, which Terraform's attribute lacks."""
    if source.kind.name != "logs.group" or text.startswith('"'):
        return text
    return f'"${{{text}}}:*"'


def _account(beside: Resource) -> _Code:
    if _is_terraform(beside):
        return _Code("data.aws_caller_identity.current.account_id")
    return _Code("!Ref AWS::AccountId", {"Ref": "AWS::AccountId"})


# --- writing --------------------------------------------------------------------------------------------------------


def _hcl(data: Any, indent: int = 0) -> str:
    if isinstance(data, _Code):
        return data.text
    if isinstance(data, dict):
        pad = " " * (indent + 2)
        names = {name: name if name.isidentifier() else f'"{name}"' for name in data}
        runs = all(not isinstance(item, dict | list) for item in data.values())
        width = max(map(len, names.values())) if runs else 0
        rows = [f"{pad}{names[name]:<{width}} = {_hcl(item, indent + 2)}" for name, item in data.items()]
        return "{\n" + "\n".join(rows) + "\n" + " " * indent + "}"
    if isinstance(data, list):
        return "[" + ", ".join(_hcl(item, indent) for item in data) + "]"
    return json.dumps(data)


def _template(beside: Resource, data: Any) -> str:
    """YAML, or JSON where the file of a resource is JSON."""
    if beside.head.source.path.endswith(".json"):
        text = json.dumps(data, indent=1, default=lambda code: code.data)
        return text[1:-1].strip("\n") if isinstance(data, dict) else text
    return "\n".join(_yaml(data, 0))


def _yaml(data: Any, indent: int) -> list[str]:
    pad = " " * indent
    lines: list[str] = []
    if isinstance(data, dict):
        for name, item in data.items():
            if isinstance(item, dict | list):
                lines.append(f"{pad}{name}:")
                lines.extend(_yaml(item, indent + 2))
            else:
                lines.append(f"{pad}{name}: {_scalar(name, item)}")
        return lines
    for item in data:
        inner = _yaml(item, indent + 2) if isinstance(item, dict | list) else [f"{pad}  {_scalar('', item)}"]
        inner[0] = f"{pad}- {inner[0].lstrip()}"
        lines.extend(inner)
    return lines


def _scalar(name: str, item: Any) -> str:
    text = item.text if isinstance(item, _Code) else str(item)
    return f'"{text}"' if name == "Version" else text
