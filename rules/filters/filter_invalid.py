"""A filter is written in a way that its consumer does not take.

## Why it matters
The mapping or pipe is refused, or it is accepted and the filter matches nothing: then every message is deleted.

## How to fix
Put every value into an array (`["INSERT"]`, not `"INSERT"`), use only the operators that the consumer knows, and put
`exists` on leaves only.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
- https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-event-filtering.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Poll, Severity, at, feeds, rule

# The other kinds of problems belong to rules of their own: unknown root keys, numbers of DynamoDB, repeated keys …
KINDS = {"syntax", "operator", "value", "node", "size"}


@rule(
    id="filter-invalid",
    code=504,
    category=Category.LOSS,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Check each filter against the grammar of its consumer."""
    for poll in graph.each(graph.hops(Poll)):
        for problem in feeds.filter_problems(poll):
            if problem.kind in KINDS:
                yield Finding(
                    f"the filter is refused or never matches: {problem.message}",
                    primary=At(poll.via, problem.message, "filters", problem.site),
                    trail=(at(poll.source, "is filtered"),),
                    severity=Severity(problem.severity),
                )
