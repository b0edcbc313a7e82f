"""An event pattern is written in a way that EventBridge refuses, or that no event can match.

## Why it matters
The rule is refused when it is deployed, or it is created and never fires.

## How to fix
Put every value into an array (`["aws.s3"]`, not `"aws.s3"`), give every operator what it takes, and write what may be
anything as an operator: `{"prefix": …}`, `{"wildcard": …}`, `{"exists": true}`.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, buses, feeds, rule


@rule(
    id="event-pattern-invalid",
    code=508,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("events.rule",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Check each event pattern against EventBridge's grammar."""
    for listener in buses.listeners(graph):
        problems = [one for one in listener.problems() if one.kind in feeds.GRAMMAR or one.kind == "limit"]
        found = feeds.worst(problems)
        if found is not None:
            first, others = found
            yield Finding(
                f"the pattern is refused or never matches: {first.message}",
                primary=listener.place(first.message, first.path, first.site),
                trail=tuple(listener.place(problem.message, problem.path, problem.site) for problem in others),
                severity=Severity(first.severity),
            )
        elif "*" in buses.literals(listener.node("account")):
            yield Finding(
                'the pattern never matches: "*" in "account" is taken to the letter, and no account has that number',
                primary=listener.place("is no wildcard", ("account",)),
            )
