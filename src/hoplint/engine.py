"""One run: `read` the input into stacks, `lint` the stacks into a report. Only `read` touches files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Protocol

from hoplint import suppress
from hoplint.graph.graph import Look
from hoplint.graph.hops import HOPS, Hop
from hoplint.graph.link import link
from hoplint.model.condition import Atom
from hoplint.model.finding import Finding, InputProblem, Severity, Tier
from hoplint.model.place import Source, Spot
from hoplint.model.report import Report, Reported, Undecided
from hoplint.model.resource import Note, Resource, Stack
from hoplint.model.value import Value
from hoplint.readers.discover import Found, discover
from hoplint.readers.tree import Tree
from hoplint.rulebook import Rule, Rulebook, RuleError

CRASHED = 6
UNUSED = 3


class Read:
    """What was read: stacks, the texts they stand in, and what to say about the input and the request."""

    __slots__ = ("stacks", "sources", "notes", "wrong", "options_used", "options_declared")

    def __init__(self) -> None:
        self.stacks: list[Stack] = []
        self.sources: list[Source] = []
        self.notes: list[Note] = []
        self.wrong: list[tuple[str, str]] = []
        self.options_used: set[str] = set()
        self.options_declared: set[str] = set()


class Inputs(Protocol):
    """What the user gave besides the paths."""

    var: dict[str, str]
    var_files: tuple[str, ...]
    parameter: dict[str, str]
    parameter_files: tuple[str, ...]
    working: str
    changed: bool
    exclude: list[str]
    progress: Callable[[str], None]


def read(tree: Tree, paths: list[str], inputs: Inputs, *, named: bool = True) -> Read:
    """Find and read what the PATHs (relative to the tree) hold."""
    result = Read()
    found = discover(tree, [""] if inputs.changed else paths, inputs.exclude)
    if inputs.changed:
        found.changed = set(paths)
    for message, path in found.notes:
        result.notes.append(Note(message, path))
    _read_terraform(tree, found, inputs, result)
    _read_templates(tree, found, inputs, result)
    for path in found.empty:
        why = tree.refused.get(path)
        if inputs.changed:
            continue
        if named:
            result.wrong.append((path or ".", why or "nothing in it that hoplint reads"))
        else:
            result.notes.append(Note("nothing here that hoplint reads: no Terraform, template, assembly or plan"))
    for path, data in tree.given():
        if b"hoplint:" in data:
            result.sources.append(Source(path, data))
    return result


def _read_terraform(tree: Tree, found: Found, inputs: Inputs, result: Read) -> None:
    if not found.roots and not found.plans:
        return
    from hoplint.readers import terraform

    options = terraform.Options(
        variables=inputs.var,
        var_files=tuple(_in_tree(tree, inputs, path) for path in inputs.var_files),
        environment={name[7:]: text for name, text in os.environ.items() if name.startswith("TF_VAR_")},
        workspace=os.environ.get("TF_WORKSPACE"),
    )
    modules = terraform.Modules(tree)
    calls = {root: terraform.called_modules(tree, root) - {root} for root in found.roots}
    for root in _linted(calls, found.changed):
        inputs.progress(f"reading {root or '.'}")
        stack = terraform.read_root(tree, root, options, modules)
        declared = stack.sources.get("variables")
        names = {str(name) for name in declared} if isinstance(declared, frozenset) else set()
        result.options_declared |= names
        result.options_used |= names & set(inputs.var)
        result.stacks.append(stack)
    for path in found.plans:
        from hoplint.readers import plan

        if found.changed is not None and path not in found.changed:
            continue
        inputs.progress(f"reading {path}")

        result.stacks.append(plan.read_plan(tree, path))


def _linted(calls: dict[str, set[str]], changed: set[str] | None) -> list[str]:
    """The folders that are linted on their own: those that no other one calls, and one of each circle of calls.

    With changed files, only those that one of the files belongs to, by itself or through a module.
    """
    called = {folder for folders in calls.values() for folder in folders}
    kept = [root for root in calls if root not in called]
    reached: dict[str, set[str]] = {root: _closure(root, calls) for root in kept}
    for root in sorted(calls, key=lambda folder: (folder.count("/"), folder)):
        if not any(root in folders for folders in reached.values()):
            kept.append(root)
            reached[root] = _closure(root, calls)
    if changed is None:
        return kept
    homes = {home for path in changed if (home := _home(path, calls)) is not None}
    return [root for root in kept if reached[root] & homes]


def _closure(root: str, calls: dict[str, set[str]]) -> set[str]:
    found, waiting = {root}, [root]
    while waiting:
        for folder in calls.get(waiting.pop(), ()):
            if folder not in found:
                found.add(folder)
                waiting.append(folder)
    return found


def _home(path: str, calls: dict[str, set[str]]) -> str | None:
    """The nearest folder above a file that holds Terraform."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in calls:
            return folder
    return None


def _read_templates(tree: Tree, found: Found, inputs: Inputs, result: Read) -> None:
    if not found.templates and not found.assemblies:
        return
    from hoplint.readers import cloudformation

    options = cloudformation.Options(
        parameters=inputs.parameter,
        files=tuple(_in_tree(tree, inputs, path) for path in inputs.parameter_files),
        templates=list(found.templates),
    )
    stacks: list[Stack] = []
    if found.changed is not None:
        found.keep_changed_templates(tree)
    for path in found.templates:
        inputs.progress(f"reading {path}")
        stacks.extend(cloudformation.read_template(tree, path, options))
    if found.assemblies:
        from hoplint.readers import cdk

        for folder in found.assemblies:
            if found.changed is not None and not any(path.startswith(f"{folder}/") for path in found.changed):
                continue
            inputs.progress(f"reading {folder}")
            stacks.extend(cdk.read_assembly(tree, folder, options))
    cloudformation.join_exports(stacks)
    for stack in stacks:
        scopes = stack.sources.get("scopes")
        for scope in scopes if isinstance(scopes, list) else []:
            names = {str(name) for name in scope.parameters}
            result.options_declared |= names
            result.options_used |= names & set(inputs.parameter)
    nested = {path for stack in stacks for path in stack.files if path != stack.path}
    result.stacks.extend(stack for stack in stacks if stack.path not in nested)


def _in_tree(tree: Tree, inputs: Inputs, path: str) -> str:
    relative = tree.relative(os.path.join(inputs.working, path))
    return path if relative is None else relative


class Selection:
    """Which rules speak: the default tier, or those selected, less those ignored."""

    __slots__ = ("speaking", "severities", "options")

    def __init__(
        self,
        rulebook: Rulebook,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        *,
        pedantic: bool = False,
        severities: dict[str, Severity] | None = None,
        options: dict[str, dict[str, object]] | None = None,
    ) -> None:
        """Raises RuleError for a name that no rule has."""
        chosen = {rule.id for name in select for rule in rulebook.named(name)}
        dropped = {rule.id for name in ignore for rule in rulebook.named(name)}
        always = {rulebook.by_code(CRASHED).id}
        tiers = {Tier.DEFAULT, Tier.PEDANTIC} if pedantic else {Tier.DEFAULT}
        self.speaking: dict[str, set[Tier]] = {}
        for rule in rulebook:
            if rule.id in dropped - always:
                continue
            if chosen and rule.id not in chosen | always:
                continue
            self.speaking[rule.id] = {Tier.DEFAULT, Tier.PEDANTIC} if rule.id in chosen else tiers
        self.severities = severities or {}
        self.options = options or {}

    def speaks(self, rule: Rule, tier: Tier) -> bool:
        """Whether findings of a rule in a tier are wanted."""
        return tier in self.speaking.get(rule.id, ())


class _Heard:
    """A finding with the looks in which it was yielded."""

    __slots__ = ("rule", "finding", "item", "looks")

    def __init__(self, rule: Rule, finding: Finding, item: Resource | Hop | None) -> None:
        self.rule = rule
        self.finding = finding
        self.item = item
        self.looks: list[Look] = []


class _Run:
    """The rules at work on one graph."""

    def __init__(
        self,
        stacks: list[Stack],
        rulebook: Rulebook,
        selection: Selection,
        overlay: dict[tuple[Resource, str], Value] | None,
    ) -> None:
        self.stacks = stacks
        self.rulebook = rulebook
        self.selection = selection
        self.graph = link(stacks, overlay)
        self.heard: list[tuple[_Heard, str | None]] = []
        self.undecided: list[Undecided] = []

    def ask(self, rule: Rule) -> None:
        """Run one rule over the whole graph."""
        graph = self.graph
        graph.looks = []
        if rule.id not in self.selection.speaking or not self._has(rule.asks):
            return
        heard: dict[tuple[object, ...], _Heard] = {}
        try:
            check = rule.load()
            if check is None:
                return
            given = self.selection.options.get(rule.id, {})
            options = {name: given.get(name, option.default) for name, option in rule.options.items()}
            for finding in check(graph, **options):
                look = graph.looks[-1] if graph.looks else None
                item = look.item if look else None
                key = (id(item), *_identity(finding))
                entry = heard.get(key)
                if entry is None:
                    entry = heard[key] = _Heard(rule, finding, item)
                if look is not None:
                    entry.looks.append(look)
        except RuleError as error:
            self._crash(rule, str(error))
        except Exception as error:
            self._crash(rule, f"{type(error).__name__}: {error}")
        by_item: dict[int, list[Look]] = {}
        for look in graph.looks:
            by_item.setdefault(id(look.item), []).append(look)
        for entry in heard.values():
            looks = [look for look in by_item.get(id(entry.item), ()) if look.applies]
            self.heard.append((entry, _when(entry.looks, looks)))
        spoken = {id(entry.item) for entry in heard.values()}
        for item_id, looks in by_item.items():
            if item_id not in spoken:
                self._doubts(rule, looks)

    def _has(self, asks: tuple[str, ...]) -> bool:
        return not asks or any(
            self.graph.by_hop.get(HOPS[ask]) if ask in HOPS else self.graph.by_kind.get(ask) for ask in asks
        )

    def _doubts(self, rule: Rule, looks: list[Look]) -> None:
        for look in looks:
            if look.applies and look.inquiry.doubts:
                first = look.inquiry.doubts[0]
                subject = look.item.subject if isinstance(look.item, Hop) else look.item
                resource = first.resource or subject
                site = first.site or resource.head
                self.undecided.append(Undecided(rule, resource.address, first.why, site.place()))
                return

    def _crash(self, rule: Rule, what: str) -> None:
        look = self.graph.looks[-1] if self.graph.looks else None
        subject: Resource | None = None
        if look is not None:
            subject = look.item.subject if isinstance(look.item, Hop) else look.item
        on = f" on {subject.address}" if subject else ""
        source = subject.head.source if subject else Source(str(rule.path or ""), b"")
        message = f"the rule {rule.id} ({rule.code}) crashed{on}: {what}; please report it"
        finding = InputProblem(CRASHED, message, subject.head if subject else Spot(source), subject)
        self.heard.append((_Heard(self.rulebook.by_code(CRASHED), finding, None), None))

    def weaker(self) -> set[int]:
        """The findings that give way to a stronger rule on the same hop or resource."""
        spoken: dict[str, set[int]] = {}
        for entry, _ in self.heard:
            spoken.setdefault(entry.rule.id, set()).update(_subjects(entry))
        return {
            id(entry)
            for entry, _ in self.heard
            for name in entry.rule.yields_to
            if spoken.get(name, set()) & _subjects(entry)
        }


def _identity(finding: Finding) -> tuple[object, ...]:
    """Findings of several scenarios that agree in this are one."""
    primary = finding.primary
    return (
        id(primary.resource), primary.address, primary.setting,
        tuple((at.address, at.setting) for at in finding.trail),
        None if primary.resource else finding.message,
    )  # fmt: skip


def _subjects(entry: _Heard) -> set[int]:
    found = {id(entry.item)} if isinstance(entry.item, Hop) else set()
    if entry.finding.hop is not None:
        found.add(id(entry.finding.hop))
    if entry.finding.primary.resource is not None:
        found.add(id(entry.finding.primary.resource))
    found.update(id(resource) for resource in entry.finding.about)
    return found


def _when(spoken: list[Look], looks: list[Look]) -> str | None:
    """The atoms of the first scenario with the finding whose change would mend it; None if it holds in all."""
    if not spoken or len(spoken) >= len(looks):
        return None
    silent = [look.inquiry.scenario.assigned for look in looks if look not in spoken]
    here: dict[Atom, str] = spoken[0].inquiry.scenario.assigned
    mending = [
        atom
        for atom, value in here.items()
        if any(
            other.get(atom, value) != value
            and all(other.get(same, kept) == kept for same, kept in here.items() if same is not atom)
            for other in silent
        )
    ]
    return " and ".join(atom.describe(here[atom]) for atom in mending or here)


def lint(
    stacks: list[Stack],
    rulebook: Rulebook,
    selection: Selection,
    sources: Iterable[Source] = (),
    overlay: dict[tuple[Resource, str], Value] | None = None,
    *,
    heard: bool = False,
) -> Report:
    """Link the stacks, ask every rule, and settle what is reported. Touches no file.

    With `heard` the report holds what the rules said, before stronger ones silence weaker ones and before suppression.
    """
    run = _Run(stacks, rulebook, selection, overlay)
    for rule in rulebook:
        run.ask(rule)
    report = Report()
    report.stacks = len(stacks)
    report.resources = sum(1 for stack in stacks for resource in stack.resources if not resource.elsewhere)
    report.hops = sum(len(hops) for hops in run.graph.by_hop.values())
    weaker = set() if heard else run.weaker()
    by_code = {rule.code: rule for rule in rulebook}
    told: set[tuple[object, ...]] = set()
    for stack in stacks:
        report.notes.extend(stack.notes)
        for problem in stack.problems:
            code = problem.code if isinstance(problem, InputProblem) else 1
            raised = by_code.get(f"HOP{code:03}")
            # A file that several stacks share is told of once.
            key = (code, problem.primary.place().key(), problem.message)
            if raised is not None and key not in told:
                told.add(key)
                enter(report, selection, raised, problem, None, stack)
    for entry, when in run.heard:
        if id(entry) not in weaker:
            enter(report, selection, entry.rule, entry.finding, when)
    report.undecided = [entry for entry in run.undecided if entry.rule.id in selection.speaking]
    if not heard:
        _suppress(report, rulebook, selection, stacks, sources)
    report.findings.sort(key=Reported.order)
    return report


def enter(
    report: Report,
    selection: Selection,
    rule: Rule,
    finding: Finding,
    when: str | None = None,
    stack: Stack | None = None,
) -> None:
    """Add a finding to a report, if its rule and tier are wanted."""
    tier = finding.tier or rule.tier
    if not selection.speaks(rule, tier):
        return
    severity = selection.severities.get(rule.id) or finding.severity or rule.severity
    owner = finding.primary.resource.stack if finding.primary.resource else stack
    report.findings.append(Reported(rule, finding, severity, tier, when, owner))


def _suppress(
    report: Report, rulebook: Rulebook, selection: Selection, stacks: list[Stack], sources: Iterable[Source]
) -> None:
    """Mark what comments and metadata ignore, and report those that ignore nothing (HOP003)."""
    ignores = [ignore for source in sources for ignore in suppress.comments(source)]
    for stack in stacks:
        for resource in stack.resources:
            for name, why, site in resource.ignores:
                ignores.append(suppress.Ignore([name], why, site, address=resource.address))
    unused = rulebook.by_code(UNUSED)
    crashed = rulebook.by_code(CRASHED)
    for ignore in ignores:
        named: dict[str, set[str]] = {}
        for name in ignore.names:
            try:
                named[name] = {rule.id for rule in rulebook.named(name)}
            except RuleError as error:
                ignore.problem = str(error)
        for found in report.findings:
            if found.rule is not crashed and _covered(ignore, found):
                for name, ids in named.items():
                    if found.rule.id in ids:
                        ignore.used.add(name)
                        found.suppressed = found.suppressed or ignore.reason or "no reason given"
        for entry in report.undecided:
            for name, ids in named.items():
                if entry.rule.id in ids and (ignore.covers(entry.place) or ignore.address == entry.address):
                    ignore.used.add(name)
        idle = [
            name
            for name, ids in named.items()
            if name not in ignore.used and any(rule_id in selection.speaking for rule_id in ids)
            and any(rulebook.rules[i].tier in selection.speaking.get(i, ()) for i in ids)
        ]  # fmt: skip
        if ignore.problem:
            message = f"this ignore is not understood: {ignore.problem}"
        elif idle:
            message = f"nothing here is ignored by {', '.join(idle)}: remove it"
        else:
            continue
        enter(report, selection, unused, InputProblem(UNUSED, message, ignore.site), None)


def _covered(ignore: suppress.Ignore, found: Reported) -> bool:
    if ignore.address is not None:
        return found.address == ignore.address or any(step.address == ignore.address for step in found.trail)
    if found.set_at is not None and ignore.covers(found.set_at):
        return True
    return ignore.covers(found.place) or any(ignore.covers(step.place) for step in found.trail)
