"""What is made of rules and fixtures: each rule's page and terminal output, and the two indexes of all rules.

`python -m hoplint.pages` writes them in a checkout; with `--check` it writes nothing and exits 1 if one is not current.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from hoplint import engine
from hoplint.model.finding import Tier
from hoplint.model.report import Report
from hoplint.readers.tree import Tree
from hoplint.report import text
from hoplint.rulebook import GROUPS, Rule, Rulebook, rules_folder, write_index
from hoplint.run import Request

EXPECT = re.compile(
    r"[ \t]*(?:#|//)[ \t]*expect:[ \t]*(?P<rule>[\w-]+)(?:[ \t]+\((?P<facts>[^)]*)\))?"
    r"(?:[ \t]+when[ \t]+(?P<when>.*\S))?[ \t]*$",
    re.MULTILINE,
)
"""A comment that says which rule speaks on its line."""

VERDICTS = ("bad", "good", "unknown")
SOURCES = {"terraform": "main.tf", "cloudformation": "template.yaml", "cdk": "cdk.template.json"}
"""The file of each dialect in a case's folder."""

BEGIN, END = "<!-- index: begin -->", "<!-- index: end -->"
GROUP_TITLES = {
    "input": "Input",
    "queues": "Queue consumers",
    "dead_letter_queues": "Dead-letter queues",
    "alarms": "Alarms",
    "access": "Permissions, roles and keys",
    "filters": "Filters and patterns",
    "functions": "Versions and concurrency",
    "delivery": "Push delivery",
    "workflows": "Step Functions and Pipes",
    "streams": "Streams, brokers and idempotency",
}


def without_expectations(source: str) -> str:
    """A fixture as its author would have written it: without the comments that tell the tests what to expect."""
    return EXPECT.sub("", source)


class Clean(Tree):
    """The files of a fixture folder, without what they tell the tests."""

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes."""
        data = super().read(path)
        if data is None or b"expect:" not in data:
            return data
        return without_expectations(data.decode("utf-8")).encode("utf-8")


class Fixtures:
    """The fixture folder of a rule, and what its `cases.yaml` says about it.

    `without` tells for a case (or `*`) which dialects it does not have, and why; `no_fixtures` and `no_unknown` why
    there is no fixture at all, or no unknown one; `options` gives a case's options of the rule; `golden` is the file
    whose output is shown, `compare` the pair of files whose difference is shown.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rule_id = folder.name
        facts = folder / "cases.yaml"
        loaded: Any = yaml.safe_load(facts.read_text("utf-8")) if facts.is_file() else None
        self.facts: dict[str, Any] = loaded or {}
        self.no_fixtures: str | None = self.facts.get("no_fixtures")
        self.no_unknown: str | None = self.facts.get("no_unknown")
        self.golden: str = self.facts.get("golden", "bad/main.tf")
        pair: list[str] = self.facts.get("compare", [self.golden, self.golden.replace("bad", "good", 1)])
        self.compare = (pair[0], pair[1])

    def cases(self) -> list[str]:
        """The names of the cases, each a folder."""
        if not self.folder.is_dir():
            return []
        names = (entry.name for entry in self.folder.iterdir() if entry.is_dir())
        found = [name for name in names if name.split("-")[0] in VERDICTS]
        return sorted(found, key=lambda name: (VERDICTS.index(name.split("-")[0]), name))

    def without(self, case: str) -> dict[str, str]:
        """The dialects that a case does not have, with the reason."""
        table: dict[str, dict[str, str]] = self.facts.get("without", {})
        return {**table.get("*", {}), **table.get(case, {})}

    def options(self, case: str) -> dict[str, object]:
        """The options of the rule that a case is linted with."""
        table: dict[str, dict[str, object]] = self.facts.get("options", {})
        return table.get(case, {})

    def about(self, case: str) -> str:
        """What a case shows: the comment that its first source begins with."""
        for name in SOURCES.values():
            path = self.folder / case / name
            if path.suffix != ".json" and path.is_file():
                lines: list[str] = []
                for line in path.read_text("utf-8", "replace").splitlines():
                    if not line.startswith("#"):
                        break
                    lines.append(line.lstrip("# ").rstrip())
                if lines:
                    return " ".join(lines)
        return ""


def lint(tree: Tree, path: str, rulebook: Rulebook, rule: Rule, options: dict[str, object] | None = None) -> Report:
    """Lint one file as fixtures are linted: with the default tier and with the rule, whatever its tier."""
    read = engine.read(tree, [path], Request([path]))
    return engine.lint(read.stacks, rulebook, selection(rulebook, rule, options), read.sources)


def selection(rulebook: Rulebook, rule: Rule, options: dict[str, object] | None = None) -> engine.Selection:
    """The default tier and one rule in full."""
    chosen = engine.Selection(rulebook, options={rule.id: options or {}})
    chosen.speaking[rule.id] = {Tier.DEFAULT, Tier.PEDANTIC}
    return chosen


def output(fixtures: Fixtures, rulebook: Rulebook, rule: Rule) -> str:
    """What the terminal shows for the rule's main example, without the summary, which tells of other rules as well."""
    case = fixtures.golden.partition("/")[0]
    report = lint(Clean(fixtures.folder), fixtures.golden, rulebook, rule, fixtures.options(case))
    return text.render(report, quiet=True)


def page(fixtures: Fixtures, rulebook: Rulebook, rule: Rule) -> str:
    """The public page of a rule."""
    title, _, sections = rule.page().partition("\n")
    facts = [f"`{rule.code}`", f"`{rule.id}`", f"**{rule.severity}**", str(rule.category)]
    if rule.tier is Tier.PEDANTIC:
        facts.append("only with `--pedantic` or when selected")
    if rule.fixable:
        facts.append("can be fixed")
    facts.append(f"since {rule.since}")
    source = f"../../rules/{rule.group}/{rule.id.replace('-', '_')}.py"
    parts = [
        f"<!-- Made of [the rule]({source}) and the examples beside this file by `python -m hoplint.pages`. -->",
        f"# {title.rstrip('.')}",
        " · ".join(facts),
        sections.partition("## References")[0].strip(),
    ]
    parts.extend(_example(fixtures, rulebook, rule))
    if rule.options:
        lines = [f"- `{name}` (default `{option.default}`): {option.text}" for name, option in rule.options.items()]
        parts.append("## Options\n" + "\n".join(lines))
    parts.extend(_cases(fixtures))
    parts.append("## References" + sections.partition("## References")[2].rstrip())
    return "\n\n".join(part for part in parts if part) + "\n"


def _example(fixtures: Fixtures, rulebook: Rulebook, rule: Rule) -> Iterator[str]:
    if fixtures.no_fixtures is not None:
        return
    wrong, right = fixtures.compare
    tree = Clean(fixtures.folder)
    before, after = (tree.read(path) for path in (wrong, right))
    if before is not None and after is not None:
        old, new = (_body(data.decode("utf-8", "replace")) for data in (before, after))
        lines = list(difflib.unified_diff(old, new, wrong, right, lineterm="", n=4))
        yield "## Wrong, and right\n```diff\n" + "\n".join(lines) + "\n```"
    command = f"hoplint check --quiet {'--pedantic ' if rule.tier is Tier.PEDANTIC else ''}{fixtures.golden}"
    yield f"## What hoplint says\n```text\n$ {command}\n{output(fixtures, rulebook, rule).rstrip()}\n```"


def _body(source: str) -> list[str]:
    """The lines of a fixture without the comment that it begins with."""
    lines = source.splitlines()
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        lines.pop(0)
    return lines


def _cases(fixtures: Fixtures) -> Iterator[str]:
    titles = {"bad": "Reported", "good": "Rightly silent", "unknown": "Left undecided"}
    lines: list[str] = []
    for verdict in VERDICTS:
        names = [name for name in fixtures.cases() if name.split("-")[0] == verdict]
        if names:
            lines.append(f"\n{titles[verdict]}:\n")
            lines.extend(f"- [{name}]({name}): {fixtures.about(name)}" for name in names)
    if lines:
        yield "## Examples\n" + "\n".join(lines).lstrip("\n")


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules, for the rules' README."""
    rules = list(rules)
    lines: list[str] = []
    for number, group in enumerate(GROUPS):
        inside = [rule for rule in rules if rule.group == group]
        if not inside:
            continue
        lines += [f"### {number} {GROUP_TITLES[group]}", ""]
        lines += ["| code | rule | severity | reported when |", "|---|---|---|---|"]
        for rule in inside:
            tier = " (pedantic)" if rule.tier is Tier.PEDANTIC else ""
            lines.append(
                f"| {rule.code} | [{rule.id}](../fixtures/{rule.id}/README.md) | {rule.severity}{tier} | {rule.title} |"
            )
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def generate(root: Path) -> dict[Path, str]:
    """Every generated file of a checkout but index.json, with what it should hold."""
    rules = root / "rules"
    rulebook = Rulebook.load()
    made: dict[Path, str] = {}
    readme = rules / "README.md"
    if readme.is_file():
        before, _, rest = readme.read_text("utf-8").partition(BEGIN)
        made[readme] = f"{before}{BEGIN}\n{index(rulebook)}{END}{rest.partition(END)[2]}"
    for rule in rulebook:
        fixtures = Fixtures(root / "fixtures" / rule.id)
        if not fixtures.folder.is_dir():
            continue
        if fixtures.no_fixtures is None:
            made[fixtures.folder / "output.txt"] = output(fixtures, rulebook, rule)
        made[fixtures.folder / "README.md"] = page(fixtures, rulebook, rule)
    return made


def _differing(made: dict[Path, str]) -> dict[Path, str]:
    return {path: made for path, made in made.items() if not path.is_file() or path.read_text("utf-8") != made}


def _index_json(root: Path) -> dict[Path, str]:
    return {root / "rules" / "index.json": write_index(root / "rules")}


def stale(root: Path) -> list[Path]:
    """The generated files that are not what they should be."""
    return [*_differing(_index_json(root)), *_differing(generate(root))]


def write(root: Path) -> list[Path]:
    """Write the generated files that are not current, and return them."""
    changed: list[Path] = []
    # Pages are made from the index.
    for make in (_index_json, generate):
        for path, made in _differing(make(root)).items():
            path.write_text(made, "utf-8")
            changed.append(path)
    return changed


def main(arguments: list[str]) -> int:
    """Write, or with `--check` only name, what is not current."""
    root = rules_folder().parent
    found = stale(root) if "--check" in arguments else write(root)
    for path in found:
        print(path.relative_to(root).as_posix())
    return 1 if "--check" in arguments and found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
