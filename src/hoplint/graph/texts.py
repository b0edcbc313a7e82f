"""Comparing texts of which only pieces are known.

Equal pieces at both ends are taken off. What is left is the same for certain, cannot be the same whatever fills the
unknown pieces, or may be the same.
"""

from __future__ import annotations

from hoplint.model.identity import ACCOUNT, PARTITION, REGION
from hoplint.model.number import NO, YES, Symbol, Test, maybe
from hoplint.model.resource import Resource
from hoplint.model.value import Ref, Unknown, Value, join_text, reason, text_parts

ANY, NAME, WORD, DIGIT = "any", "name", "word", "digit"
"""What an unknown piece can be made of: anything, a name without `:` and `/`, lower case with `-`, digits."""

PATIENCE = 60_000
"""States looked at before a comparison is given up; the answer is then that both may be the same."""


_SLASHED = ("logs.group", "events.bus", "kms.alias", "cloudwatch.alarm")
"""Kinds whose names may hold a slash."""


_NAMED_BY_STACK = (
    "sqs.queue", "sns.topic", "lambda.function", "events.rule", "dynamodb.table", "s3.bucket", "kinesis.stream",
    "iam.role",
)  # fmt: skip
"""Kinds to which CloudFormation gives a name that holds their logical id."""

KEPT = 5
"""Letters of a logical id that stay in a name, however much it is shortened."""


class NameSymbol(Symbol):
    """Something of a resource that only the deployment knows: its name, its id, its version."""

    __slots__ = ("kind", "resource", "what")

    def __init__(self, resource: Resource, what: str) -> None:
        name = f"the {what} of {resource.address}"
        super().__init__(name, f"{name} is known only at deployment")
        self.resource = resource
        self.what = what
        self.kind = resource.kind.name


class Star:
    """A wildcard `*` of a pattern."""

    __slots__ = ()


class Single:
    """A wildcard `?` of a pattern."""

    __slots__ = ()


STAR, SINGLE = Star(), Single()


class Hole:
    """An unknown piece: equal to itself, and otherwise any text of its class."""

    __slots__ = ("identity", "made_of", "value")

    def __init__(self, value: Value) -> None:
        self.value = value
        self.identity: object = value
        self.made_of = ANY
        if isinstance(value, Unknown):
            self.identity = value.symbol
            self.made_of = made_of_symbol(value.symbol)
        elif isinstance(value, Ref):
            self.identity = (value.target, value.attribute)


Token = str | Star | Single | Hole


def made_of_symbol(symbol: Symbol) -> str:
    """The class of the texts that a symbol can stand for."""
    if isinstance(symbol, NameSymbol):
        return ANY if symbol.what == "bus segment" or symbol.kind in _SLASHED else NAME
    if symbol.why == f"the {symbol.name} is known only at deployment":
        return {ACCOUNT: DIGIT, REGION: WORD, PARTITION: WORD}.get(symbol.name, ANY)
    return ANY


def is_partition(part: str | Value) -> bool:
    """Whether a piece is a stack's partition."""
    return isinstance(part, Unknown) and part.symbol.name == PARTITION and made_of_symbol(part.symbol) == WORD


def tokens(value: Value, wildcards: bool = False, fold: bool = False) -> list[Token]:
    """The characters and unknown pieces of an expanded value; `fold` for comparing without case."""
    found: list[Token] = []
    for part in parts_of(value):
        if not isinstance(part, str):
            found.append(Hole(part))
            continue
        for letter in part.lower() if fold else part:
            found.append(STAR if wildcards and letter == "*" else SINGLE if wildcards and letter == "?" else letter)
    return found


def compare_arns(pattern: list[Token], value: list[Token]) -> Test:
    """Compare an ARN, or a pattern of ARNs, with an ARN: each of the six parts by itself."""
    mine, theirs = six_parts(pattern), six_parts(value)
    if mine is None or theirs is None:
        if _loose(pattern) or _loose(value) or STAR in pattern:
            # What fills a hole may bring the missing colons; what AWS makes of `*` for an ARN is not documented.
            return _at_most_maybe(compare(pattern, value))
        return NO
    answer = YES
    for left, right in zip(mine, theirs, strict=True):
        answer = answer & compare(left, right)
        if not answer.possible:
            break
    if not answer.possible and (_loose(_head(mine)) or _loose(_head(theirs))):
        return _at_most_maybe(compare(pattern, value))
    return answer


def _at_most_maybe(answer: Test) -> Test:
    return maybe(answer.why or "a pattern for an ARN that has not six parts") if answer.possible else NO


def _head(parts: list[list[Token]]) -> list[Token]:
    return [token for part in parts[:5] for token in part]


def _loose(items: list[Token]) -> bool:
    return any(isinstance(token, Hole) and token.made_of == ANY for token in items)


def six_parts(items: list[Token]) -> list[list[Token]] | None:
    """The six parts of an ARN, or None where it has not so many."""
    parts: list[list[Token]] = [[]]
    for token in items:
        if token == ":" and len(parts) < 6:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if len(parts) == 6 else None


def level(a: Value, b: Value) -> tuple[Value, Value]:
    """Where one ARN spells the partition out and the other leaves it open, take the spelt one for both.

    Nobody writes `arn:aws:` into what is deployed to another partition: it would never work there.
    """
    left, right = parts_of(a), parts_of(b)
    if _open(left):
        spelt = _partition(right)
        if spelt:
            a = join_text([f"arn:{spelt}", *left[2:]], a.site, a.through)
    elif _open(right):
        spelt = _partition(left)
        if spelt:
            b = join_text([f"arn:{spelt}", *right[2:]], b.site, b.through)
    return a, b


def _open(parts: tuple[str | Value, ...]) -> bool:
    return len(parts) > 1 and isinstance(parts[0], str) and parts[0] == "arn:" and is_partition(parts[1])


def _partition(parts: tuple[str | Value, ...]) -> str:
    if not parts or not isinstance(parts[0], str) or not parts[0].startswith("arn:aws"):
        return ""
    word, colon, _ = parts[0][4:].partition(":")
    return word if colon and word in ("aws", "aws-cn", "aws-us-gov") else ""


def compare(a: list[Token], b: list[Token]) -> Test:
    """Compare a text, or a pattern, with a text."""
    start, end_a, end_b = 0, len(a), len(b)
    while start < end_a and start < end_b and equal(a[start], b[start]):
        start += 1
    while end_a > start and end_b > start and equal(a[end_a - 1], b[end_b - 1]):
        end_a -= 1
        end_b -= 1
    left, right = a[start:end_a], b[start:end_b]
    if not left and not right:
        return YES
    # What is left differs at both ends: two plain characters there can never be one.
    if left and right and (_both_plain(left[0], right[0]) or _both_plain(left[-1], right[-1])):
        return NO
    if _matches(left, right):
        return YES
    if len(left) == 1 and len(right) == 1 and _distinct(left[0], right[0]):
        return NO
    if _apart(left, right, 0) or _apart(left, right, -1) or not _meet(_shapes(left), _shapes(right)):
        return NO
    return maybe(next((reason(token.value) for token in (*left, *right) if isinstance(token, Hole)), ""))


def _both_plain(a: Token, b: Token) -> bool:
    return isinstance(a, str) and isinstance(b, str)


def _apart(left: list[Token], right: list[Token], end: int) -> bool:
    """Whether two texts begin, or end, with different letters: what most of them are told apart by."""
    return bool(left and right) and isinstance(left[end], str) and isinstance(right[end], str)


def equal(a: Token, b: Token) -> bool:
    """Whether two pieces are certainly the same text."""
    if isinstance(a, str):
        return isinstance(b, str) and a == b
    return isinstance(a, Hole) and isinstance(b, Hole) and (a.identity is b.identity or _alike(a.identity, b.identity))


def _alike(one: object, other: object) -> bool:
    """Whether two identities that are no values (a pair, say) are equal; values are themselves only."""
    return not isinstance(one, Value) and not isinstance(other, Value) and one == other


def _distinct(a: Token, b: Token) -> bool:
    """Names of two declared resources of one kind in one stack are never the same."""
    if not (isinstance(a, Hole) and isinstance(b, Hole)):
        return False
    one, other = a.identity, b.identity
    return (
        isinstance(one, NameSymbol)
        and isinstance(other, NameSymbol)
        and one.kind == other.kind
        and one.what == other.what == "name"
        and one.resource is not other.resource
        and one.resource.stack is other.resource.stack
        and not one.resource.elsewhere
        and not other.resource.elsewhere
        and a.made_of == b.made_of == NAME
    )


def _matches(pattern: list[Token], value: list[Token]) -> bool:
    """Whether the pattern takes the value whatever its unknown pieces are: only `*` takes an unknown piece."""
    if STAR not in pattern and SINGLE not in pattern:
        return False
    at = back = 0
    star = -1
    size = len(pattern)
    i = 0
    while at < len(value):
        token = pattern[i] if i < size else None
        if token is STAR:
            star, back = i, at
            i += 1
        elif token is not None and (
            (token is SINGLE and isinstance(value[at], str)) or (token is not SINGLE and equal(token, value[at]))
        ):
            i += 1
            at += 1
        elif star >= 0:
            back += 1
            i, at = star + 1, back
        else:
            return False
    return all(token is STAR for token in pattern[i:])


Shape = str | tuple[str, bool]
"""A character, or a class with whether it repeats."""


def _shapes(items: list[Token]) -> list[Shape]:
    shapes: list[Shape] = []
    for token in items:
        if isinstance(token, str):
            shapes.append(token)
        elif token is STAR:
            shapes.append((ANY, True))
        elif token is SINGLE:
            shapes.append((ANY, False))
        elif isinstance(token, Hole):
            if token.made_of == DIGIT:
                shapes.extend([(DIGIT, False)] * 12)
                continue
            if token.made_of != ANY:
                shapes.append((token.made_of, False))
            shapes.append((token.made_of, True))
            within = _generated(token)
            if within:
                shapes.extend([*within, (token.made_of, True)])
    return shapes


def _generated(hole: Hole) -> str:
    """What certainly stands in a name that CloudFormation makes: `stack-LogicalId-suffix`, shortened if it must be."""
    symbol = hole.identity
    if not isinstance(symbol, NameSymbol) or symbol.what != "name" or symbol.kind not in _NAMED_BY_STACK:
        return ""
    resource = symbol.resource
    if resource.elsewhere or resource.stack.family != "cloudformation":
        return ""
    begin = resource.address.rpartition("/")[2][:KEPT]
    return begin.lower() if symbol.kind == "s3.bucket" else begin


def _meet(a: list[Shape], b: list[Shape]) -> bool:
    """Whether some text has both shapes."""
    seen = {(0, 0)}
    todo = [(0, 0)]
    while todo:
        i, j = todo.pop()
        if i == len(a) and j == len(b):
            return True
        if len(seen) > PATIENCE:
            return True
        left = a[i] if i < len(a) else None
        right = b[j] if j < len(b) else None
        left_star = isinstance(left, tuple) and left[1]
        right_star = isinstance(right, tuple) and right[1]
        steps: list[tuple[int, int]] = []
        if left_star:
            steps.append((i + 1, j))
        if right_star:
            steps.append((i, j + 1))
        if left is not None and right is not None and _overlap(left, right):
            steps.append((i + (not left_star), j + (not right_star)))
        for step in steps:
            if step not in seen:
                seen.add(step)
                todo.append(step)
    return False


def _overlap(a: Shape, b: Shape) -> bool:
    if isinstance(a, str):
        return a == b if isinstance(b, str) else _takes(b[0], a)
    # Every two classes share the digits.
    return True if not isinstance(b, str) else _takes(a[0], b)


def _takes(made_of: str, letter: str) -> bool:
    if made_of == ANY:
        return True
    if made_of == DIGIT:
        return letter in "0123456789"
    if made_of == WORD:
        return letter in "abcdefghijklmnopqrstuvwxyz0123456789-"
    return letter not in ":/ \n"


def parts_of(value: Value) -> tuple[str | Value, ...]:
    """The pieces of a value; one that is no text is a piece of its own."""
    found = text_parts(value)
    return (value,) if found is None else found
