"""Is this a pattern that its consumer takes? Only what is certain is said; holes make no problem."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph.patterns.consumers import (
    EVERY,
    IGNORE_CASE,
    OPERATORS,
    RULE,
    SUBSCRIPTION,
    Consumer,
    Path,
)
from hoplint.graph.patterns.pattern import Hole, Numeral, Pattern
from hoplint.model.place import Site

ERROR, WARNING = "error", "warning"

SYNTAX, OPERATOR, VALUE, NODE, SIZE, LIMIT, REPEATED, SCOPE, TYPED, SUPPORT = (
    "syntax", "operator", "value", "node", "size", "limit", "repeated", "scope", "typed", "support",
)  # fmt: skip

# What an operator of this name means can be nothing else, even where it stands as a key.
_UNMISTAKABLE = frozenset(("anything-but", IGNORE_CASE))
_RELATIONS = frozenset(("=", "<", "<=", ">", ">="))
# The engine refuses these as keys inside `$or`.
_RESERVED = OPERATORS | _RELATIONS | {
    "exactly", "regex", "not-wildcard", "not-equals-ignore-case", "date-after", "date-on-or-after", "date-before",
    "date-on-or-before", "in-date-range", "ip-address-in-range", "ip-address-not-in-range",
}  # fmt: skip
_MANY = 100_000


class Problem:
    """Something that is certainly wrong with a pattern.

    `path` leads to it; `message` is one clause. `kind` says which sort it is: syntax (the shape of the pattern),
    operator (unknown, or not for this consumer), value (an operator's operand), node (`exists` on what is no leaf),
    typed (numbers of DynamoDB are strings), size, limit (too many combinations or keys), repeated, scope (nested keys
    in a filter on attributes), support (the source takes no filters). `severity` is a hint.
    """

    __slots__ = ("path", "message", "fact", "severity", "kind", "site", "certain")

    def __init__(
        self, path: Path, message: str, fact: str, kind: str = SYNTAX, severity: str = ERROR, site: Site | None = None
    ) -> None:
        self.path = path
        self.message = message
        self.fact = fact
        self.kind = kind
        self.severity = severity
        self.site = site
        self.certain = True

    def __repr__(self) -> str:
        return f"Problem({'.'.join(map(str, self.path))}: {self.message})"


def validate(pattern: Pattern, consumer: Consumer) -> list[Problem]:
    """What its consumer refuses, or takes and never matches, in the order in which it stands."""
    checker = _Checker(pattern, consumer)
    checker.check()
    return checker.problems


def root_problems(pattern: Pattern, consumer: Consumer) -> list[Problem]:
    """Root keys that the consumer's records never have, and real ones that AWS documents no filtering on."""
    known, problems = consumer.roots, list[Problem]()
    if not known:
        return problems
    for key, _ in root_items(pattern.data):
        first = key.partition(".")[0]
        if key in consumer.filterable | consumer.silent or first in consumer.filterable | consumer.silent:
            continue
        if first in consumer.present:
            message = f'AWS documents no filtering on "{key}" for {consumer.label}, only on {_listed(consumer)}'
            problems.append(Problem((key,), message, consumer.roots_fact, OPERATOR, WARNING, pattern.site((key,))))
            continue
        near = _nearest(key, known)
        if consumer.kind == RULE:
            message = f'no event on a bus has the root key "{key}"'
            if near:
                message += f' (it is "{near}")'
            elif not _tests_absence(dict(root_items(pattern.data))[key]):
                message += ': what its sender puts in stands under "detail"'
        else:
            message = f'no record of {consumer.label.rpartition(" of ")[2]} has the key "{key}"'
            message += f' (it is "{near}")' if near else f": filters look at {_listed(consumer)}"
        problems.append(Problem((key,), message, consumer.roots_fact, OPERATOR, ERROR, pattern.site((key,))))
    return problems


def root_items(data: object) -> Iterator[tuple[str, object]]:
    """The root keys of a pattern with what stands under them, those inside `$or` too."""
    if not isinstance(data, dict):
        return
    for key, node in data.items():
        if is_or(key, node):
            for branch in node:
                yield from root_items(branch)
        else:
            yield key, node


def is_or(key: str, node: object) -> bool:
    """Whether a key is the operator `$or`, not a field of that name."""
    return key == "$or" and isinstance(node, list) and any(isinstance(item, dict) for item in node)


def branches(data: object) -> int:
    """How many combinations the `$or`s of a pattern make."""
    count = 1
    if isinstance(data, dict):
        for key, node in data.items():
            count *= sum(map(branches, node)) if is_or(key, node) else branches(node)
            if count > _MANY:
                return _MANY
    return count


class _Checker:
    __slots__ = ("pattern", "consumer", "problems")

    def __init__(self, pattern: Pattern, consumer: Consumer) -> None:
        self.pattern = pattern
        self.consumer = consumer
        self.problems: list[Problem] = []

    def add(
        self, path: Path, message: str, fact: str = "F-182", kind: str = SYNTAX, severity: str = ERROR, hint: bool = False
    ) -> None:
        """Report a problem. A `hint` rests on types that a template's scalars may lose on their way to AWS."""
        if not (hint and self.pattern.loose):
            self.problems.append(Problem(path, message, fact, kind, severity, self.pattern.site(path)))

    def check(self) -> None:
        pattern, consumer = self.pattern, self.consumer
        if consumer.filters == 0:
            self.add((), "Lambda does not filter what a DocumentDB stream sends", consumer.operators_fact, SUPPORT)
            return
        if pattern.problem:
            self.add((), f"the pattern is no JSON: {pattern.problem}", "F-180")
            return
        if isinstance(pattern.data, Hole):
            return
        if not isinstance(pattern.data, dict):
            self.add((), "the pattern is no JSON object", "F-180")
            return
        if not pattern.data and consumer.kind == RULE:
            self.add((), "the pattern is empty, which EventBridge refuses", "F-180")
        for path in pattern.repeated:
            self._repeated(path)
        self._fields(pattern.data, (), False)
        self._limits(pattern.data)

    def _repeated(self, path: Path) -> None:
        node = _at(self.pattern.data, path)
        if isinstance(node, dict):
            message = f'the key "{path[-1]}" is repeated: AWS documents for some that both count, for others only the last'
        else:
            message = f'the key "{path[-1]}" is repeated: only the last one counts, the first condition is lost'
        self.add(path, message, "F-187" if self.consumer.kind == RULE else "F-067", REPEATED, WARNING)

    def _limits(self, data: dict[str, object]) -> None:
        consumer = self.consumer
        # A rule's pattern reaches AWS without its white space; a filter as it is written.
        size = self.pattern.compact if consumer.kind == RULE else self.pattern.size
        if size > consumer.longest:
            self.add(
                (), f"the pattern has {size:,} characters, {consumer.longest:,} is the limit", consumer.longest_fact, SIZE
            )
        if consumer.kind == SUBSCRIPTION:
            keys, combinations = _costs(data, consumer.name == "sns-body")
            if consumer.keys is not None and keys > consumer.keys:
                self.add((), f"the policy has {keys} keys, {consumer.keys} is the limit", "F-261", LIMIT)
            if combinations > consumer.combinations:
                self.add(
                    (), f"the policy makes {combinations} combinations of values, {consumer.combinations} is the limit",
                    consumer.combinations_fact, LIMIT,
                )  # fmt: skip
        elif (count := branches(data)) > consumer.combinations:
            number = "far more than 1,000" if count >= _MANY else f"{count:,}"
            self.add((), f'its "$or" makes {number} combinations, 1,000 is the limit', consumer.combinations_fact, LIMIT)

    def _fields(self, fields: dict[str, object], path: Path, within_or: bool) -> None:
        for key, node in fields.items():
            here = (*path, key)
            if isinstance(node, list) and (is_or(key, node) or key == "$or" and self.consumer.engine):
                self._alternatives(node, here)
            elif key == "$or" and isinstance(node, dict) and self.consumer.engine:
                self.add(here, '"$or" takes an array of at least two objects', "F-182")
            elif within_or and key in _RESERVED and self.consumer.engine:
                self.add(here, f'"{key}" is an operator and cannot stand as a key inside "$or"', "F-182")
            else:
                self._field(key, node, here, within_or)

    def _alternatives(self, items: list[object], path: Path) -> None:
        objects = [item for item in items if isinstance(item, dict)]
        odd = [item for item in items if not isinstance(item, dict | Hole)]
        if odd and self.consumer.engine:
            self.add(path, '"$or" takes objects only', "F-182")
        elif len(items) < 2 and len(objects) == len(items):
            self.add(path, '"$or" needs at least two objects', "F-182")
        for number, item in enumerate(items):
            if item == {} and self.consumer.engine:
                self.add((*path, number), 'an empty object stands in "$or"', "F-182")
            elif item in objects and isinstance(item, dict):
                self._fields(item, (*path, number), True)

    def _field(self, key: str, node: object, path: Path, within_or: bool) -> None:
        if isinstance(node, dict):
            if not node and self.consumer.engine:
                self.add(path, f'"{key}" is an empty object', "F-180")
            if self.consumer.name == "sns-attributes":
                message = f'"{key}" is nested, and a filter on message attributes knows no nested keys'
                self.add(path, f'{message}: it needs the scope "MessageBody"', "F-261", SCOPE)
            elif key in _UNMISTAKABLE:
                self._outside(key, path)
            else:
                self._fields(node, path, within_or)
        elif isinstance(node, list):
            if key in _UNMISTAKABLE or key == "numeric" and node and node[0] in _RELATIONS:
                self._outside(key, path)
            else:
                self._values(key, node, path)
        elif isinstance(node, Hole):
            if node.text:
                self.add(path, f'the value of "{key}" is not in an array', "F-180")
        elif key in OPERATORS and len(path) > 1:
            self._outside(key, path)
        else:
            self.add(path, f'the value of "{key}" is not in an array', "F-180")

    def _outside(self, operator: str, path: Path) -> None:
        owner = path[-2] if len(path) > 1 else "its key"
        self.add(path, f'the operator "{operator}" of "{owner}" stands outside of an array', "F-180")

    def _values(self, key: str, items: list[object], path: Path) -> None:
        if not items and self.consumer.engine:
            self.add(path, f'the array of "{key}" is empty', "F-180")
        payload = self.consumer.payload
        if path == (key,) and key in payload and self.consumer.mismatch_fact == "F-097" and items:
            self.add(path, f'"{key}" of {self.consumer.label} takes an object, not an array', "F-097")
            return
        for number, item in enumerate(items):
            here = (*path, number)
            if isinstance(item, list):
                self.add(here, f'the array of "{key}" holds another array', "F-180")
            elif isinstance(item, dict):
                self._test(key, item, here)

    def _test(self, key: str, test: dict[str, object], path: Path) -> None:
        if not test:
            self.add(path, f'an empty object stands among the values of "{key}"', "F-182")
            return
        if len(test) > 1 and all(name in OPERATORS for name in test):
            names = " and ".join(f'"{name}"' for name in test)
            if self.consumer.engine:
                self.add(path, f"{names} of \"{key}\" stand in one object, which takes one operator", "F-182", OPERATOR)
            return
        operator, operand = next(iter(test.items()))
        if operator == "exactly":
            return
        if operator not in OPERATORS:
            self._no_operator(key, operator, operand, path)
            return
        here = (*path, operator)
        if not self._listed(operator, here):
            return
        if operator == "numeric":
            self._numeric(key, operand, here)
        elif operator == "exists":
            self._exists(key, operand, here)
        elif operator == "anything-but":
            self._anything_but(key, operand, here)
        elif operator in ("prefix", "suffix") and isinstance(operand, dict):
            self._caseless(operator, key, operand, here)
        elif not isinstance(operand, Hole) or operator in ("cidr", "wildcard"):
            self._string(operator, key, operand, here)

    def _no_operator(self, key: str, name: str, operand: object, path: Path) -> None:
        near = _nearest(name, OPERATORS)
        if near:
            message = f'"{name}" is no operator (it is "{near}")'
        elif isinstance(operand, dict | list):
            message = f'"{key}" holds the object of "{name}" in an array, which takes values and operators only'
        else:
            message = f'"{name}" of "{key}" is no operator'
        self.add(path, message, self.consumer.operators_fact, OPERATOR)

    def _listed(self, operator: str, path: Path) -> bool:
        consumer = self.consumer
        if operator in consumer.operators or operator not in EVERY:
            return True
        name = operator.replace("/", '" with "')
        verb = "does not support" if consumer.unlisted == ERROR else "lists no support for"
        message = f'AWS {verb} the operator "{name}" for {consumer.label}'
        if consumer.unlisted == ERROR:
            message = f'the operator "{name}" is not supported for {consumer.label}'
        self.add(path, message, consumer.operators_fact, OPERATOR, consumer.unlisted)
        return False

    def _string(self, operator: str, key: str, operand: object, path: Path) -> None:
        if isinstance(operand, Hole):
            return
        if not isinstance(operand, str):
            self.add(path, f'"{operator}" of "{key}" takes a string, not {_kind(operand)}', "F-182", VALUE,
                     hint=not isinstance(operand, dict | list))  # fmt: skip
        elif operator == "wildcard":
            self._wildcard(key, operand, path)
        elif operator == "cidr" and self.consumer.engine:
            from hoplint.graph.patterns.match import cidr_problem

            if problem := cidr_problem(operand):
                self.add(path, f'"cidr" of "{key}": {problem}', "F-182", VALUE)

    def _wildcard(self, key: str, text: str, path: Path) -> None:
        at, stars = 0, 0
        while at < len(text):
            if text[at] == "\\":
                if text[at + 1 : at + 2] not in ("*", "\\") or at + 1 == len(text):
                    self.add(path, f'a backslash in the wildcard of "{key}" stands before neither "*" nor "\\"', "F-182",
                             VALUE)  # fmt: skip
                    return
                at += 1
            elif text[at] == "*":
                stars += 1
                if text[at + 1 : at + 2] == "*":
                    self.add(path, f'the wildcard of "{key}" has two "*" in a row', "F-182", VALUE)
                    return
            at += 1
        if self.consumer.kind == SUBSCRIPTION and stars > 3:
            self.add(path, f'the wildcard of "{key}" has {stars} "*", 3 is the limit', "F-261", LIMIT)

    def _exists(self, key: str, operand: object, path: Path) -> None:
        if isinstance(operand, Hole):
            return
        if not isinstance(operand, bool):
            self.add(path, f'"exists" of "{key}" takes true or false, not {_kind(operand)}', "F-182", VALUE,
                     hint=isinstance(operand, str))  # fmt: skip
            return
        field = path[:-2]
        if operand and self._is_node(field):
            whole = _at(self.pattern.data, field)
            if isinstance(whole, list) and len(whole) == 1:
                self.add(path, f'"exists" of "{key}" never holds: "{key}" is an object, and "exists" looks at leaves only',
                         "F-095" if self.consumer.name.endswith("dynamodb") else "F-185", NODE)  # fmt: skip

    def _is_node(self, field: Path) -> bool:
        """Whether an event can have nothing but an object there."""
        if self.consumer.kind == RULE:
            return field == ("detail",)
        if not self.consumer.name.endswith("dynamodb") or field[:1] != ("dynamodb",):
            return False
        return field[1:] in ((), ("Keys",), ("NewImage",), ("OldImage",)) or (
            len(field) == 3 and field[1] in ("Keys", "NewImage", "OldImage")
        )

    def _caseless(self, operator: str, key: str, operand: dict[str, object], path: Path) -> None:
        inner = next(iter(operand), "")
        if len(operand) != 1 or inner != IGNORE_CASE:
            self.add(path, f'"{operator}" of "{key}" takes a string, or an object with "{IGNORE_CASE}"', "F-182", VALUE)
        elif self._listed(f"{operator}/{IGNORE_CASE}", path):
            self._string(IGNORE_CASE, key, operand[inner], (*path, inner))

    def _anything_but(self, key: str, operand: object, path: Path) -> None:
        self._comparable(key, "anything-but", operand if isinstance(operand, list) else [operand], path)
        if isinstance(operand, Hole | str | Numeral):
            return
        if isinstance(operand, list):
            kinds = {_kind(item) for item in operand if not isinstance(item, Hole)}
            if not operand and self.consumer.engine:
                self.add(path, f'"anything-but" of "{key}" has an empty list', "F-182", VALUE)
            elif kinds - {"a string", "a number"}:
                odd = sorted(kinds - {"a string", "a number"})[0]
                self.add(path, f'"anything-but" of "{key}" takes strings or numbers, not {odd}', "F-182", VALUE)
            elif len(kinds) > 1:
                self.add(path, f'"anything-but" of "{key}" mixes strings and numbers', "F-182", VALUE, hint=True)
        elif isinstance(operand, dict):
            self._anything_but_of(key, operand, path)
        else:
            self.add(path, f'"anything-but" of "{key}" takes strings or numbers, not {_kind(operand)}', "F-182", VALUE)

    def _anything_but_of(self, key: str, operand: dict[str, object], path: Path) -> None:
        inner = next(iter(operand), "")
        if len(operand) != 1 or f"anything-but/{inner}" not in EVERY:
            name = f'"{inner}"' if len(operand) == 1 else "that"
            self.add(path, f'"anything-but" of "{key}" does not take {name}', "F-182", OPERATOR)
            return
        if not self._listed(f"anything-but/{inner}", path):
            return
        values = operand[inner]
        for value in values if isinstance(values, list) else [values]:
            self._string(inner, key, value, (*path, inner))
            if value == "" and inner in ("prefix", "suffix") and self.consumer.engine:
                self.add((*path, inner), f'"anything-but" of "{key}" has an empty {inner}', "F-182", VALUE)

    def _numeric(self, key: str, operand: object, path: Path) -> None:
        if isinstance(operand, Hole):
            return
        if self.consumer.name.endswith("dynamodb") and path[:1] == ("dynamodb",):
            self.add(path, f'"numeric" of "{key}" never holds: DynamoDB sends numbers as strings', "F-094", TYPED)
            return
        if not isinstance(operand, list):
            message = f'"numeric" of "{key}" takes an array of comparisons and numbers, not {_kind(operand)}'
            self.add(path, message, "F-182", VALUE)
            return
        if any(isinstance(item, Hole) for item in operand):
            return
        if problem := self._comparison(operand):
            message, hint = problem
            self.add(path, f'"numeric" of "{key}" {message}', "F-182", VALUE, hint=hint)
            return
        self._comparable(key, "numeric", operand, path)
        low, high = self.consumer.numbers
        for item in operand[1::2]:
            if isinstance(item, Numeral) and item.exact is not None and not low <= item.exact <= high:
                message = f'"numeric" of "{key}" compares with {item}, numbers go from {low:,} to {high:,}'
                self.add(path, message, self.consumer.numbers_fact, VALUE, WARNING)

    def _comparable(self, key: str, operator: str, operands: list[object], path: Path) -> None:
        for item in operands if self.consumer.engine else ():
            if isinstance(item, Numeral) and item.exact is None:
                message = f'"{operator}" of "{key}" has a number with more digits than are compared ({item})'
                self.add(path, message, self.consumer.numbers_fact, VALUE)

    def _comparison(self, items: list[object]) -> tuple[str, bool] | None:
        """What is wrong with the operands of `numeric`, and whether only a type is."""
        relations, numbers = items[::2], items[1::2]
        for relation in relations:
            if relation not in _RELATIONS:
                return f"takes =, <, <=, > or >= before a number, not {relation if isinstance(relation, str) else _kind(relation)}", False
        for number in numbers:
            if not isinstance(number, Numeral):
                return f"takes numbers, not {_kind(number)}", isinstance(number, str)
        if len(numbers) < len(relations) or not items:
            return "ends without a number", False
        if not self.consumer.engine:
            return None
        if len(relations) > 2 or len(relations) == 2 and not (
            relations[0] in (">", ">=") and relations[1] in ("<", "<=")
        ):
            return "takes one comparison, or a lower bound before an upper one", False
        first, last = numbers[0], numbers[-1]
        assert isinstance(first, Numeral) and isinstance(last, Numeral)
        if first is not last and first.exact is not None and last.exact is not None and first.exact >= last.exact:
            return f"has a lower bound ({first}) that is not below the upper one ({last})", False
        return None


def _listed(consumer: Consumer) -> str:
    return " and ".join(f'"{key}"' for key in sorted(consumer.filterable))


def _at(data: object, path: Path) -> object:
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int | str) and str(step).isdigit() and int(step) < len(data):
            data = data[int(step)]
        else:
            return None
    return data


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, Numeral):
        return "a number"
    return "an array" if isinstance(value, list) else "an object"


def _tests_absence(node: object) -> bool:
    return isinstance(node, list) and any(isinstance(item, dict) and item.get("exists") is False for item in node)


def _folded(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _nearest(name: str, names: frozenset[str]) -> str:
    """The name that was meant: the same but for case and dashes, or close to it."""
    folded = _folded(name)
    for one in sorted(names):
        if _folded(one) == folded:
            return one
    from difflib import get_close_matches

    close = get_close_matches(folded, {_folded(one): one for one in sorted(names)}, 1, 0.85)
    return next((one for one in sorted(names) if close and _folded(one) == close[0]), "")


def _costs(data: dict[str, object], nested: bool) -> tuple[int, int]:
    """Keys and combinations of values of a filter policy as SNS counts them, at least."""
    from hoplint.graph.patterns.match import conditions

    keys, combinations = 0, 0
    for branch in conditions(data):
        keys = max(keys, len(branch))
        product = 1
        for path, tests in branch:
            product *= max(1, len(tests)) * (len(path) if nested else 1)
        combinations += product
    return keys, combinations
