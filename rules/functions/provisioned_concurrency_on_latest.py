"""Provisioned concurrency is attached to `$LATEST`.

## Why it matters
Lambda keeps environments warm only for a published version or an alias of one: the deployment is refused.

## How to fix
Publish a version (`publish = true` in Terraform, `AWS::Lambda::Version`, `AutoPublishAlias` in SAM), let an alias point
at it, attach the provisioned concurrency to the alias, and let consumers invoke the alias.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
"""

from hoplint.api import At, Category, Finding, Graph, Iterator, Known, Ref, Resource, Severity, at, rule

LATEST = "$LATEST"


@rule(
    id="provisioned-concurrency-on-latest",
    code=601,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=("lambda.provisioned_concurrency",),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Follow the qualifier of each provisioned concurrency to the version that it names."""
    for warm in graph.each(graph.of("lambda.provisioned_concurrency")):
        functions = graph.ends(warm, "function", "lambda.function")
        function = functions[0] if functions else None
        trail: tuple[At, ...] = ()
        qualifier = warm.get("qualifier")
        setting = "qualifier"
        alias = _alias(graph, warm, qualifier, function)
        if alias is not None:
            trail = (at(alias, "points at $LATEST", "version"),)
            qualifier, setting = alias.get("version"), ""
        absent = isinstance(qualifier, Known) and qualifier.data is None
        if not absent and not (isinstance(qualifier, Known) and qualifier.data == LATEST):
            continue
        if function is not None and not function.elsewhere and function.stack.family == "terraform":
            publishes = function.flag("publish")
            if not publishes.possible:
                trail = (*trail, at(function, "publishes no version", "publish"))
        what = f"through the alias {alias.address}" if alias is not None else "by its qualifier"
        yield Finding(
            f"provisioned concurrency is attached to $LATEST {what}: only a published version or its alias can have it",
            primary=at(warm, "keeps environments warm for $LATEST", setting or None),
            trail=trail,
        )


def _alias(graph: Graph, warm: Resource, qualifier: object, function: Resource | None) -> Resource | None:
    """The alias that a qualifier names, by reference or by its name on the same function."""
    if isinstance(qualifier, Ref):
        return qualifier.target if qualifier.target.kind.name == "lambda.alias" else None
    if isinstance(qualifier, Known) and isinstance(qualifier.data, str) and function is not None:
        for alias in graph.of("lambda.alias"):
            name = alias.raw("name")
            named = isinstance(name, Known) and name.data == qualifier.data
            if named and function in graph.ends(alias, "function", "lambda.function"):
                return alias
    return None
