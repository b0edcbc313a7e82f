"""Is this a pattern that its consumer takes? Only what is certain is said; holes make no problem."""

from __future__ import annotations

from collections.abc import Iterator

from hoplint.graph.patterns.consumers import IGNORE_CASE, OPERATORS, RULE, SUBSCRIPTION, Consumer, Path
from hoplint.graph.patterns.operands import (
    ERROR,
    LIMIT,
    NODE,
    RELATIONS,
    REPEATED,
    ROOT,
    SCOPE,
    SIZE,
    SUPPORT,
    WARNING,
    Operands,
    Problem,
    at_path,
    nearest,
)
from hoplint.graph.patterns.pattern import MANY, Hole, Pattern, accepts_absence, branches, is_or

# What an operator of this name means can be nothing else, even where it stands as a key.
_UNMISTAKABLE = frozenset(("anything-but", IGNORE_CASE))
# The engine refuses these as keys inside `$or`.
_RESERVED = OPERATORS | RELATIONS | {
    "exactly", "regex", "not-wildcard", "not-equals-ignore-case", "date-after", "date-on-or-after", "date-before",
    "date-on-or-before", "in-date-range", "ip-address-in-range", "ip-address-not-in-range",
}  # fmt: skip


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
    for key, node in root_items(pattern.data):
        first = key.partition(".")[0]
        if first in consumer.filterable | consumer.silent or accepts_absence(node):
            continue
        if first in consumer.present:
            message = f'AWS documents no filtering on "{key}" for {consumer.label}, only on {_listed(consumer)}'
            problems.append(Problem((key,), message, consumer.roots_fact, ROOT, WARNING, pattern.site((key,))))
            continue
        near = nearest(key, known)
        if consumer.kind == RULE:
            message = f'no event on a bus has the root key "{key}"'
            message += f' (it is "{near}")' if near else ' (what its sender puts in stands under "detail")'
        else:
            message = f'no record of {consumer.label.rpartition(" of ")[2]} has the key "{key}"'
            message += f' (it is "{near}")' if near else f" (filters look at {_listed(consumer)})"
        problems.append(Problem((key,), message, consumer.roots_fact, ROOT, ERROR, pattern.site((key,))))
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


class _Checker(Operands):
    __slots__ = ()

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
        node = at_path(self.pattern.data, path)
        if isinstance(node, dict):
            message = (
                f'the key "{path[-1]}" is repeated: AWS joins both objects, tools that rewrite the JSON keep the last'
            )
        else:
            message = f'the key "{path[-1]}" is repeated: only the last one counts, the first condition is lost'
        self.add(path, message, "F-187" if self.consumer.kind == RULE else "F-067", REPEATED, WARNING)

    def _limits(self, data: dict[str, object]) -> None:
        consumer = self.consumer
        # A rule's pattern reaches AWS without its white space; a filter as it is written.
        size = self.pattern.compact if consumer.kind == RULE else self.pattern.size
        if size > consumer.longest:
            self.add(
                (),
                f"the pattern has {size:,} characters, {consumer.longest:,} is the limit",
                consumer.longest_fact,
                SIZE,
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
            number = "far more than 1,000" if count >= MANY else f"{count:,}"
            self.add(
                (), f'its "$or" makes {number} combinations, 1,000 is the limit', consumer.combinations_fact, LIMIT
            )

    def _fields(self, fields: dict[str, object], path: Path, within_or: bool) -> None:
        for key, node in fields.items():
            here = (*path, key)
            if isinstance(node, list) and is_or(key, node):
                self._alternatives(node, here)
            elif key == "$or" and isinstance(node, dict | list) and node:
                message = '"$or" is taken for a key here: as an operator it takes an array of at least two objects'
                self.add(here, message, "F-182", NODE)
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
            if key in _UNMISTAKABLE or key == "numeric" and node and node[0] in RELATIONS:
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
                self.test(key, item, here)


def _listed(consumer: Consumer) -> str:
    return " and ".join(f'"{key}"' for key in sorted(consumer.filterable))


def _costs(data: dict[str, object], nested: bool) -> tuple[int, int]:
    """Keys and combinations of values of a filter policy as SNS counts them, at least."""
    from hoplint.graph.patterns.match import conditions

    keys, combinations = 0, 0
    if branches(data) > 1_000:
        return 0, MANY
    for branch in conditions(data):
        # What is not known at all may be no key of its own, but the place of others.
        known = [(path, tests) for path, tests in branch if not (len(tests) == 1 and isinstance(tests[0], Hole))]
        keys = max(keys, len(known))
        product = 1
        for path, tests in known:
            product *= max(1, len(tests)) * (len(path) if nested else 1)
        combinations += product
    return keys, combinations
