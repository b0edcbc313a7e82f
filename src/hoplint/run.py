"""From a request of the command line to a report: boundaries, options, reading, linting."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable

from hoplint import engine
from hoplint.model.report import Report
from hoplint.readers.tree import Tree, boundary_of
from hoplint.rulebook import Rulebook, RuleError


class RequestError(Exception):
    """Wrong use or configuration; its text is for the user."""


class Request:
    """What the user asked for."""

    refusals = (RequestError, RuleError)

    def __init__(
        self,
        paths: list[str],
        *,
        select: list[str] | None = None,
        ignore: list[str] | None = None,
        pedantic: bool = False,
        var: dict[str, str] | None = None,
        var_files: tuple[str, ...] = (),
        parameter: dict[str, str] | None = None,
        parameter_files: tuple[str, ...] = (),
        rule_folders: tuple[str, ...] = (),
        changed: bool = False,
        working: str | None = None,
        progress: Callable[[str], None] = lambda what: None,
    ) -> None:
        self.paths = paths
        self.select = select or []
        self.ignore = ignore or []
        self.pedantic = pedantic
        self.var = var or {}
        self.var_files = var_files
        self.parameter = parameter or {}
        self.parameter_files = parameter_files
        self.rule_folders = rule_folders
        self.changed = changed
        self.working = working or os.getcwd()
        self.progress = progress


class Outcome:
    """The report, and what was wrong with the request although the rest was linted."""

    def __init__(self) -> None:
        self.report = Report()
        self.wrong: list[str] = []


def run(request: Request) -> Outcome:
    """Lint what is asked for.

    Raises RequestError and RuleError for wrong use. Whatever else the input holds ends in the report.
    """
    outcome = Outcome()
    rulebook = Rulebook.load(request.rule_folders)
    selection = engine.Selection(rulebook, request.select, request.ignore, pedantic=request.pedantic)
    used: set[str] = set()
    declared: set[str] = set()
    for root, paths in _by_boundary(request, outcome).items():
        tree = Tree(root)
        read = engine.read(tree, paths, request, named=bool(request.paths))
        used |= read.options_used
        declared |= read.options_declared
        outcome.wrong.extend(f"{_shown(request, tree, path)}: {why}" for path, why in read.wrong)
        report = engine.lint(read.stacks, rulebook, selection, read.sources)
        report.notes[:0] = read.notes
        report.show_from(tree.root, request.working)
        outcome.report.add(report)
    for flag, given in (("--var", request.var), ("--parameter", request.parameter)):
        for name in given:
            if name not in used:
                near = difflib.get_close_matches(name, sorted(declared), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                outcome.wrong.append(f"{flag} {name}: nothing that was linted declares it{hint}")
    return outcome


def _by_boundary(request: Request, outcome: Outcome) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path in request.paths or ["."]:
        full = os.path.join(request.working, path)
        if not os.path.exists(full):
            if request.changed:
                # A deleted file: the stacks that remain are linted through their other files.
                continue
            outcome.wrong.append(f"{path}: no such file or folder")
            continue
        root = boundary_of(full, request.working)
        relative = Tree(root).relative(full)
        if relative is None:
            outcome.wrong.append(f"{path}: a link leads out of the repository")
            continue
        groups.setdefault(root, []).append(relative)
    return groups


def _shown(request: Request, tree: Tree, path: str) -> str:
    return os.path.relpath(os.path.join(tree.root, path), request.working)
