"""A pattern has a key twice in one object.

## Why it matters
Of two values the last one counts: the first condition is lost without a word, and more gets through than was meant.

## How to fix
Write each key once. Two conditions on fields below it go into one object; alternatives go into one array, or into
`$or`.

## References
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
"""

from hoplint.api import Category, Finding, Graph, Iterator, Severity, buses, feeds, rule


@rule(
    id="duplicate-pattern-key",
    code=516,
    category=Category.LOSS,
    severity=Severity.WARNING,
    since="0.1",
    asks=(*feeds.FILTERING, "events.rule", "sns.subscription"),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for repeated keys in filters, event patterns and filter policies."""
    for filters in feeds.filtered(graph):
        for number, problems in filters.problems():
            for problem in feeds.repeated(problems):
                yield Finding(problem.message, primary=filters.place("stands twice", number, problem.site))
    for listener in buses.listeners(graph):
        for problem in feeds.repeated(listener.problems()):
            yield Finding(problem.message, primary=listener.place("stands twice", problem.path, problem.site))
    for subscription in feeds.subscriptions(graph):
        for problem in feeds.repeated(subscription.problems()):
            yield Finding(problem.message, primary=subscription.place("stands twice", problem.site))
