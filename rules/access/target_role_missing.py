"""A rule's target is of a kind that needs a role, and has none.

## Why it matters
The target is refused, or gets nothing: EventBridge has no other way to be let in by a state machine or a stream.

## How to fix
Give the target a role (`role_arn`, `RoleArn`) that trusts `events.amazonaws.com` and may `states:StartExecution` or
`kinesis:PutRecord` on the target. The role on the rule itself is another one and does not count.

Functions, queues and topics have policies of their own that can admit EventBridge; log groups must not have a role.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-identity-based.html
- https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Target.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, at, is_null, names, needs, rule, settle

WANTS = {
    "states": "states:StartExecution",
    "kinesis": "kinesis:PutRecord",
    "firehose": "firehose:PutRecord",
    "ecs": "ecs:RunTask",
    "batch": "batch:SubmitJob",
    "codepipeline": "codepipeline:StartPipelineExecution",
    "codebuild": "codebuild:StartBuild",
}


@rule(
    id="target-role-missing",
    code=410,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("events.target",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for the role of each target whose service has no policies that could admit EventBridge."""
    for target in graph.each(graph.of("events.target")):
        if target.elsewhere:
            continue
        action = WANTS.get(needs.service_in(names.expand(settle(target.raw("arn")))))
        if action is None or not is_null(target.get("role")):
            continue
        ends = graph.ends(target, "arn", "states.machine", "kinesis.stream")
        rules = graph.ends(target, "rule", "events.rule")
        yield Finding(
            f"the target needs a role that may {action}, and has none",
            primary=at(target, "has no role", "role"),
            trail=(*(at(one, "sends") for one in rules[:1]), *(at(end, "admits roles only") for end in ends[:1])),
        )
