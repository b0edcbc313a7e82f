"""What the operators of a pattern take: the tests that stand in its arrays."""

from __future__ import annotations

from hoplint.graph.patterns.consumers import EVERY, IGNORE_CASE, OPERATORS, RULE, SUBSCRIPTION, Consumer, Path
from hoplint.graph.patterns.pattern import Hole, Numeral, Pattern
from hoplint.model.place import Site

ERROR, WARNING = "error", "warning"

SYNTAX, OPERATOR, VALUE, NODE, SIZE, LIMIT, REPEATED, SCOPE, TYPED, SUPPORT, ROOT = (
    "syntax", "operator", "value", "node", "size", "limit", "repeated", "scope", "typed", "support", "root",
)  # fmt: skip

RELATIONS = frozenset(("=", "<", "<=", ">", ">="))


class Problem:
    """Something that is certainly wrong with a pattern.

    `path` leads to it; `message` is one clause. `kind` says which sort it is: syntax (the shape of the pattern),
    operator (unknown, or not for this consumer), value (an operator's operand), node (taken, but never matching:
    `exists` on what is no leaf), typed (numbers of DynamoDB are strings), size, limit (too many combinations or keys),
    repeated, scope (nested keys in a filter on attributes), support (the source takes no filters), root (a root key
    that records do not have, or that is not documented for filters). `severity` is a hint.
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


class Operands:
    """Checks the tests that stand in the arrays of a pattern: operators and what they take."""

    __slots__ = ("pattern", "consumer", "problems")

    def __init__(self, pattern: Pattern, consumer: Consumer) -> None:
        self.pattern = pattern
        self.consumer = consumer
        self.problems: list[Problem] = []

    def add(
        self,
        path: Path,
        message: str,
        fact: str = "F-182",
        kind: str = SYNTAX,
        severity: str = ERROR,
        hint: bool = False,
    ) -> None:
        """Report a problem. A `hint` rests on types that a template's scalars may lose on their way to AWS."""
        if not (hint and self.pattern.loose):
            self.problems.append(Problem(path, message, fact, kind, severity, self.pattern.site(path)))

    def test(self, key: str, test: dict[str, object], path: Path) -> None:
        """Check one object of an array."""
        if not test:
            self.add(path, f'an empty object stands among the values of "{key}"', "F-182")
            return
        if len(test) > 1 and all(name in OPERATORS for name in test):
            names = " and ".join(f'"{name}"' for name in test)
            if self.consumer.engine:
                self.add(path, f'{names} of "{key}" stand in one object, which takes one operator', "F-182", OPERATOR)
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
        near = nearest(name, OPERATORS)
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
                    self.add(path, f'a backslash in the wildcard of "{key}" stands before neither "*" nor "\\"',
                        "F-182",
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
            whole = at_path(self.pattern.data, field)
            if isinstance(whole, list) and len(whole) == 1:
                self.add(path, f'"exists" of "{key}" never holds: "{key}" is an object, no leaf',
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
            if relation not in RELATIONS:
                shown = relation if isinstance(relation, str) else _kind(relation)
                return f"takes =, <, <=, > or >= before a number, not {shown}", False
        for number in numbers:
            if not isinstance(number, Numeral):
                return f"takes numbers, not {_kind(number)}", isinstance(number, str)
        if len(numbers) < len(relations) or not items:
            return "ends without a number", False
        if not self.consumer.engine:
            return None
        if (
            len(relations) > 2
            or len(relations) == 2
            and not (relations[0] in (">", ">=") and relations[1] in ("<", "<="))
        ):
            return "takes one comparison, or a lower bound before an upper one", False
        first, last = numbers[0], numbers[-1]
        assert isinstance(first, Numeral) and isinstance(last, Numeral)
        if first is not last and first.exact is not None and last.exact is not None and first.exact >= last.exact:
            return f"has a lower bound ({first}) that is not below the upper one ({last})", False
        return None


def at_path(data: object, path: Path) -> object:
    """What stands at a path; None where there is nothing."""
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


def _folded(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def nearest(name: str, names: frozenset[str]) -> str:
    """The name that was meant: the same but for case and dashes, or close to it."""
    folded = _folded(name)
    for one in sorted(names):
        if _folded(one) == folded:
            return one
    from difflib import get_close_matches

    close = get_close_matches(folded, {_folded(one): one for one in sorted(names)}, 1, 0.85)
    return next((one for one in sorted(names) if close and _folded(one) == close[0]), "")
