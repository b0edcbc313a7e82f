"""From a request of the command line to a report: boundaries, options, reading, linting."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from fnmatch import fnmatchcase

from hoplint import config, engine
from hoplint.config import Settings, SettingsError
from hoplint.model.finding import InputProblem
from hoplint.model.place import Source, Span
from hoplint.model.report import Report
from hoplint.readers.tree import Tree, boundary_of
from hoplint.rulebook import Rulebook, RuleError


class RequestError(Exception):
    """Wrong use or configuration; its text is for the user."""


class Request:
    """What the user asked for."""

    refusals = (RequestError, RuleError, SettingsError)

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
        config: str | None = None,
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
        self.config = config
        self.exclude: list[str] = []
        self.working = working or os.getcwd()
        self.progress = progress


class Outcome:
    """The report, and what was wrong with the request although the rest was linted."""

    def __init__(self) -> None:
        self.report = Report()
        self.wrong: list[str] = []
        self.settings = Settings()


def run(request: Request) -> Outcome:
    """Lint what is asked for.

    Raises RequestError and RuleError for wrong use. Whatever else the input holds ends in the report.
    """
    outcome = Outcome()
    rulebook = Rulebook.load(request.rule_folders)
    for flag, files in (("--var-file", request.var_files), ("--parameters", request.parameter_files)):
        for name in files:
            if not os.path.isfile(os.path.join(request.working, name)):
                raise RequestError(f"{flag} {name}: no such file")
    settings = outcome.settings = _settings(request, rulebook)
    request.exclude = settings.exclude
    request.var_files = (*settings.var_files, *request.var_files)
    selection = engine.Selection(
        rulebook,
        request.select or settings.select,
        [*settings.ignore, *request.ignore],
        pedantic=request.pedantic,
        severities=settings.severities,
        options=settings.options,
    )
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
        _accept(report, settings, tree)
        report.show_from(tree.root, request.working)
        outcome.report.add(report)
    _unused(outcome.report, settings, rulebook, selection, request.working)
    for flag, given in (("--var", request.var), ("--parameter", request.parameter)):
        for name in given:
            if name not in used:
                near = difflib.get_close_matches(name, sorted(declared), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                outcome.wrong.append(f"{flag} {name}: nothing that was linted declares it{hint}")
    return outcome


def _settings(request: Request, rulebook: Rulebook) -> Settings:
    path = request.config
    if path is not None:
        path = os.path.join(request.working, path)
        if not os.path.isfile(path):
            raise RequestError(f"--config {request.config}: no such file")
    else:
        path = config.find(request.working, boundary_of(request.working, request.working))
    return config.load(path, rulebook) if path else Settings()


def _accept(report: Report, settings: Settings, tree: Tree) -> None:
    """Mark what the settings ignore: by rule and address, or by rule and file."""
    if not settings.accepted and not settings.per_file:
        return
    base = tree.relative(os.path.dirname(settings.path)) or ""
    for found in report.findings:
        if found.rule.code == "HOP006" or found.suppressed is not None:
            continue
        for entry in settings.accepted:
            if entry.covers(found.rule.id, found.address) and not entry.expired():
                entry.used = True
                found.suppressed = entry.reason
        path = (
            found.place.path[len(base) + 1 :] if base and found.place.path.startswith(f"{base}/") else found.place.path
        )
        for pattern, rules in settings.per_file:
            if found.rule.id in rules and fnmatchcase(path, pattern):
                found.suppressed = found.suppressed or f"per-file-ignores: {pattern}"


def _unused(report: Report, settings: Settings, rulebook: Rulebook, selection: engine.Selection, working: str) -> None:
    """Report the entries of the settings that ignore nothing, where their rules were asked (HOP003)."""
    for entry in settings.accepted:
        asked = any(rule_id in selection.speaking for rule_id in entry.rules)
        if entry.used or not asked or entry.expired():
            continue
        with open(settings.path, "rb") as file:
            source = Source(os.path.relpath(settings.path, working).replace(os.sep, "/"), file.read())
        at = max(source.data.find(entry.reason.encode()), 0)
        names = ", ".join(sorted(entry.rules))
        message = f"nothing is ignored by the settings' entry for {names} on {entry.address}: remove it"
        site = Span(source, at, at + len(entry.reason.encode()))
        engine.enter(report, selection, rulebook.by_code(engine.UNUSED), InputProblem(engine.UNUSED, message, site))


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
