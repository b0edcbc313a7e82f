"""The files of a new rule: the rule with its docstring, and a fixture folder with a small stack in each dialect."""

from __future__ import annotations

import re
from pathlib import Path

from hoplint.rulebook import GROUPS, rule_files

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
CODE = re.compile(r"\bcode=(\d{1,3})\b")
GROUP_SIZE = 100


class ScaffoldError(Exception):
    """The files cannot be written; its text is for the user."""


def scaffold(name: str, into: str | Path) -> list[str]:
    """Write the files of a rule `group/id` below a project's root, and return their paths as they were written.

    Raises ScaffoldError where the name is none, or a file is there already.
    """
    group, _, rule_id = name.strip().partition("/")
    if group not in GROUPS:
        raise ScaffoldError(f"no group is called {group!r}; write GROUP/ID, with a group of {', '.join(GROUPS)}")
    if not NAME.fullmatch(rule_id):
        raise ScaffoldError(f"{rule_id!r} is no id of a rule: small letters and digits, with - between words")
    root = Path(into)
    rules = root / "rules"
    if not rules.is_dir():
        raise ScaffoldError(f"{root} holds no folder `rules`: call it in the project's root, or pass --into")
    if any(path.stem == rule_id.replace("-", "_") for path in rule_files(rules)):
        raise ScaffoldError(f"there is a rule {rule_id} already")
    code = next_code(rules, group)
    words = {"id": rule_id, "code": str(code), "group": group}
    made: list[str] = []
    files = {root / path: text for path, text in _files(rule_id, group).items()}
    for target in files:
        if target.exists():
            raise ScaffoldError(f"{target} is there already")
    for target, text in files.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_filled(text, words), "utf-8")
        made.append(target.as_posix())
    return made


def next_code(rules: Path, group: str) -> int:
    """The first number of a group that no rule has: codes are for ever, so a gap may have had one."""
    first = GROUPS.index(group) * GROUP_SIZE
    taken = {int(found) for path in rule_files(rules) for found in CODE.findall(path.read_text("utf-8"))}
    used = [code for code in taken if first <= code < first + GROUP_SIZE]
    following = max(used, default=first) + 1
    if following >= first + GROUP_SIZE:
        raise ScaffoldError(f"group {group} has no number left")
    return following


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@(id|code|group)@", lambda match: words[match[1]], text)


def _files(rule_id: str, group: str) -> dict[str, str]:
    fixtures = f"fixtures/{rule_id}"
    found = {f"rules/{group}/{rule_id.replace('-', '_')}.py": RULE, f"{fixtures}/cases.yaml": CASES}
    found[f"{fixtures}/cdk.js"] = CDK
    for case, (about, terraform, template) in STACKS.items():
        found[f"{fixtures}/{case}/main.tf"] = f"# {about}\n\n{terraform}"
        found[f"{fixtures}/{case}/template.yaml"] = f"# {about}\n\n{template}"
    return found


RULE = '''"""One line: what is wrong, in words that anybody understands.

## Why it matters
What happens to a message, and who notices.

## How to fix
What to write, and where.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Poll, Severity, at, certainly, rule


@rule(
    id="@id@",
    code=@code@,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Say what is compared with what."""
    for poll in graph.polls("sqs.queue", "lambda.function"):
        hidden = poll.source.number("visibility_timeout")
        if certainly(hidden < 1) and certainly(graph.active(poll)):
            yield Finding(
                f"hidden for {hidden} s",
                primary=at(poll.source, f"hidden for {hidden} s", "visibility_timeout"),
                trail=(at(poll.via, "hands the messages to the function"),),
            )
'''

CASES = """# Which dialects cannot express a case, and why; see rules/README.md.
{}
"""

CDK = """const { number, orders, poll, worker } = require("../_lib/parts");

const simple = (hidden) => (stack) => poll(stack, worker(stack), orders(stack, hidden));

module.exports = {
  "bad": simple(0),
  "good": simple(30),
  "unknown": (stack) => simple(number(stack, "Hidden"))(stack),
};
"""

_TERRAFORM = """resource "aws_sqs_queue" "orders" {
  name                       = "orders"
  visibility_timeout_seconds = %s

  redrive_policy = jsonencode({
    deadLetterTargetArn = "arn:aws:sqs:eu-west-1:123456789012:failed-orders"
    maxReceiveCount     = 5
  })
}

resource "aws_lambda_function" "worker" {
  function_name = "order-worker"
  role          = "arn:aws:iam::123456789012:role/order-worker"
  runtime       = "nodejs22.x"
  handler       = "index.handler"
  filename      = "worker.zip"
}

resource "aws_lambda_event_source_mapping" "orders" {
  event_source_arn        = aws_sqs_queue.orders.arn
  function_name           = aws_lambda_function.worker.arn
  function_response_types = ["ReportBatchItemFailures"]
}
"""

_TEMPLATE = """Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: %s
      RedrivePolicy:
        deadLetterTargetArn: arn:aws:sqs:eu-west-1:123456789012:failed-orders
        maxReceiveCount: 5

  Worker:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: nodejs22.x
      Handler: index.handler
      Role: arn:aws:iam::123456789012:role/order-worker
      Code:
        ZipFile: exports.handler = async () => {}

  OrdersMapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !GetAtt Orders.Arn
      FunctionName: !Ref Worker
      FunctionResponseTypes: [ReportBatchItemFailures]
"""

STACKS = {
    "bad": (
        "Say here what is wrong in this stack.",
        _TERRAFORM % "0 # expect: @id@",
        _TEMPLATE % "0 # expect: @id@",
    ),
    "good": (
        "Say here how it is right.",
        _TERRAFORM % "30",
        _TEMPLATE % "30",
    ),
    "unknown": (
        "Say here what is told only at deployment.",
        'variable "hidden" {\n  type = number\n}\n\n' + _TERRAFORM % "var.hidden",
        "Parameters:\n  Hidden:\n    Type: Number\n\n" + _TEMPLATE % "!Ref Hidden",
    ),
}
"""What each case shows, and its stack in Terraform and CloudFormation."""
