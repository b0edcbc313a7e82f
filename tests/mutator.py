"""Small faults put into the source of a rule, one at a time, to see whether its fixtures notice.

The operators are those that change a verdict without breaking the code: comparisons (turned round, and moved by one),
arithmetic, `and` and `or`, `not` and `~`, guards that are always or never taken, numbers and truths, members of sets
and tuples of constants, `certainly` and `possibly`, `any` and `all`, yields that are dropped.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from hoplint.rulebook import Rule

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
CALLS = {"certainly": "possibly", "possibly": "certainly", "any": "all", "all": "any"}


class Mutant:
    """A rule with one fault. `key` names it without its line: the function, what was there, and what is there now."""

    def __init__(self, key: str, line: int, code: CodeType) -> None:
        self.key = key
        self.line = line
        self.code = code

    def rule(self, original: Rule) -> Rule:
        """The rule as the faulty source declares it."""
        space: dict[str, Any] = {"__name__": "mutant", "__doc__": original.page(), "__file__": str(original.path)}
        exec(self.code, space)
        made: Rule = space["RULE"]
        made.path, made.doc = original.path, original.page()
        return made

    def __repr__(self) -> str:
        return f"line {self.line}: {self.key}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a rule's file."""
    tree = ast.parse(path.read_text("utf-8"))
    homes = _homes(tree)
    seen: dict[str, int] = {}
    for place, node in list(_spots(tree)):
        for change in _changes(node):
            changed = change(node)
            key = f"{place}: {_short(ast.unparse(node))} -> {_short(ast.unparse(changed))}"
            seen[key] = seen.get(key, 0) + 1
            homes[node](ast.fix_missing_locations(ast.copy_location(changed, node)))
            code = compile(tree, str(path), "exec")
            homes[node](node)
            yield Mutant(key if seen[key] == 1 else f"{key} ({seen[key]})", getattr(node, "lineno", 0), code)


def _homes(tree: ast.Module) -> dict[ast.AST, Callable[[ast.AST], None]]:
    """For each node, a function that puts another in its place."""
    found: dict[ast.AST, Callable[[ast.AST], None]] = {}
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                found[value] = lambda new, p=parent, n=name: setattr(p, n, new)
            elif isinstance(value, list):
                for number, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        found[item] = lambda new, v=value, n=number: v.__setitem__(n, new)
    return found


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 100 else f"{line[:60]} … {line[-37:]}"


def _spots(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every node that may be changed, with the function or name that it belongs to, always in the same order."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                # Of what is declared, only the defaults of options have a say in the verdict.
                for node in ast.walk(decorator):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Option":
                        yield from (("option", inner) for inner in _walk(node.args[0]))
            for inner_statement in statement.body:
                yield from ((statement.name, node) for node in _walk(inner_statement))
        elif isinstance(statement, ast.Assign):
            name = ast.unparse(statement.targets[0])
            yield from ((name, node) for node in _walk(statement.value))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below a node; texts, annotations and docstrings have none that count."""
    yield node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.FormattedValue):
                child = child.value
            if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context | ast.operator | ast.cmpop):
                yield from _walk(child)


def _changes(node: ast.AST) -> Iterator[Callable[[Any], ast.AST]]:
    """The changes of one node, each as a function from its copy to what stands in its place."""
    if isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            for other in COMPARISONS.get(type(operator), ()):
                yield lambda copied, n=number, o=other: _with(copied, ops=[*copied.ops[:n], o(), *copied.ops[n + 1 :]])
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield lambda copied: _with(copied, op=ARITHMETIC[type(copied.op)]())
    elif isinstance(node, ast.BoolOp):
        yield lambda copied: _with(copied, op=ast.Or() if isinstance(copied.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield lambda copied: copied.operand
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        for truth in (True, False):
            yield lambda copied, t=truth: _with(copied, test=ast.Constant(t))
    elif isinstance(node, ast.comprehension):
        for number in range(len(node.ifs)):
            yield lambda copied, n=number: _with(copied, ifs=[*copied.ifs[:n], *copied.ifs[n + 1 :]])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield lambda copied: _with(copied, func=ast.Name(CALLS[copied.func.id], ast.Load()))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda copied: ast.Constant(not copied.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield lambda copied: ast.Constant(copied.value + 1)
    elif isinstance(node, ast.Set | ast.Tuple | ast.List) and len(node.elts) > 1:
        if all(isinstance(element, ast.Constant) for element in node.elts):
            for number in range(len(node.elts)):
                yield lambda copied, n=number: _with(copied, elts=[*copied.elts[:n], *copied.elts[n + 1 :]])
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield lambda copied: ast.Pass()


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    """A copy of a node with some fields replaced."""
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made
