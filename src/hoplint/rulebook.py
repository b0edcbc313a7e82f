"""The rules: what is known of each without importing it, and how one is found and imported when it is needed."""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from hoplint.model.finding import Category, Finding, Severity, Tier

GROUPS = (
    "input", "queues", "dead_letter_queues", "alarms", "access", "filters", "functions", "delivery", "workflows",
    "streams",
)  # fmt: skip
"""The folders of `rules/`, in the order of the first digit of a code."""

CODE = re.compile(r"HOP\d{3}$")


class RuleError(Exception):
    """A rule, a selection or an option that is wrong; its text is for the user."""


class Option:
    """A setting of a rule: its default and what it means."""

    __slots__ = ("default", "text")

    def __init__(self, default: int | float | str | bool | list[str], text: str) -> None:
        self.default = default
        self.text = text


class Rule:
    """What is known of a rule; `check` is None until it is imported, and for what readers and engine raise."""

    __slots__ = (
        "id", "code", "group", "category", "severity", "tier", "since", "asks", "yields_to", "options", "title",
        "fixable", "path", "check", "doc",
    )  # fmt: skip

    def __init__(self, **facts: Any) -> None:
        self.path: Path | None = None
        self.check: Callable[..., Iterator[Finding]] | None = None
        self.doc = ""
        for name, value in facts.items():
            setattr(self, name, value)

    id: str
    code: str
    group: str
    category: Category
    severity: Severity
    tier: Tier
    since: str
    asks: tuple[str, ...]
    yields_to: tuple[str, ...]
    options: dict[str, Option]
    title: str
    fixable: bool

    def facts(self) -> dict[str, Any]:
        """The entry in index.json."""
        return {
            "code": self.code,
            "id": self.id,
            "group": self.group,
            "category": str(self.category),
            "severity": str(self.severity),
            "tier": str(self.tier),
            "title": self.title,
            "since": self.since,
            "fixable": self.fixable,
            "options": {name: {"default": o.default, "text": o.text} for name, o in sorted(self.options.items())},
            "asks": list(self.asks),
            "yields_to": list(self.yields_to),
        }

    def load(self) -> Callable[..., Iterator[Finding]] | None:
        """Import the rule's file, unless that was done, and return its check."""
        if self.check is None and self.path is not None and not self.doc:
            loaded = _import(self.path)
            self.check, self.doc = loaded.check, loaded.doc
        return self.check

    def page(self) -> str:
        """The rule's text: its module's docstring."""
        self.load()
        return self.doc

    def __repr__(self) -> str:
        return f"<{self.code} {self.id}>"


def rule(
    *,
    id: str,
    code: int,
    category: Category,
    severity: Severity,
    since: str,
    asks: tuple[type | str, ...] = (),
    tier: Tier = Tier.DEFAULT,
    yields_to: tuple[str, ...] = (),
    fixable: bool = False,
    **options: Option,
) -> Callable[[Callable[..., Iterator[Finding]] | None], Callable[..., Iterator[Finding]] | None]:
    """Declare the function below as the check of a rule.

    `asks` names the hop types or resource kinds without which the rule has nothing to say; `yields_to` the rules that
    say more about the same hop or resource.
    """

    def declare(
        check: Callable[..., Iterator[Finding]] | None, module: ModuleType | None = None
    ) -> Callable[..., Iterator[Finding]] | None:
        frame = inspect.currentframe()
        assert frame is not None and frame.f_back is not None
        space = frame.f_back.f_globals
        space["RULE"] = Rule(
            id=id,
            code=f"HOP{code:03}",
            group=GROUPS[code // 100],
            category=category,
            severity=severity,
            tier=tier,
            since=since,
            asks=tuple(ask if isinstance(ask, str) else ask.__name__ for ask in asks),
            yields_to=yields_to,
            options=options,
            title=(space.get("__doc__") or "").strip().split("\n")[0],
            fixable=fixable,
        )
        space["RULE"].check = check
        return check

    return declare


def _import(path: Path) -> Rule:
    name = "hoplint_rule_" + re.sub(r"\W", "_", str(path.with_suffix("")))
    module = sys.modules.get(name)
    if module is None:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise RuleError(f"{path}: not a Python file")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise RuleError(f"{path}: the rule cannot be imported: {type(error).__name__}: {error}") from error
        sys.modules[name] = module
    found = getattr(module, "RULE", None)
    if not isinstance(found, Rule):
        raise RuleError(f"{path}: no function in it is declared with @rule(…)")
    if found.id != path.stem.replace("_", "-"):
        raise RuleError(f"{path}: the file's name and the rule's id {found.id} differ")
    found.path = path
    found.doc = (module.__doc__ or "").strip()
    return found


def rules_folder() -> Path:
    """Where the built-in rules are: inside the installed package, or beside the sources of a checkout."""
    packaged = Path(__file__).with_name("_rules")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "rules"


def rule_files(folder: Path) -> list[Path]:
    """The rule files of a folder, with or without folders for groups."""
    found: list[Path] = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found.extend(Path(where, name) for name in sorted(names) if name.endswith(".py") and not name.startswith("_"))
    return found


class Rulebook:
    """All rules of a run."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules: dict[str, Rule] = {}
        for entry in sorted(rules, key=lambda entry: entry.code):
            if entry.id in self.rules or any(entry.code == other.code for other in self.rules.values()):
                raise RuleError(f"two rules are called {entry.id} or {entry.code}: {entry.path}")
            self.rules[entry.id] = entry

    @classmethod
    def load(cls, folders: Iterable[str | Path] = ()) -> Rulebook:
        """Read the index of the built-in rules; import only what the index lacks, and the folders of the user."""
        base = rules_folder()
        try:
            index = {entry["id"]: entry for entry in json.loads((base / "index.json").read_text("utf-8"))}
        except (OSError, ValueError):
            index = {}
        rules = [_from_index(path, index) for path in rule_files(base)]
        for folder in folders:
            if not Path(folder).is_dir():
                raise RuleError(f"--rules {folder}: no such folder")
            rules.extend(_import(path.resolve()) for path in rule_files(Path(folder)))
        return cls(rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def by_code(self, code: int) -> Rule:
        """The rule with a number."""
        wanted = f"HOP{code:03}"
        return next(entry for entry in self if entry.code == wanted)

    def named(self, name: str) -> list[Rule]:
        """The rules that an id, a code or a group's code (`HOP1`) names.

        Raises RuleError, with the nearest names, if there is none.
        """
        plain = name.strip()
        if plain in self.rules:
            return [self.rules[plain]]
        upper = plain.upper()
        if re.fullmatch(r"HOP\d{1,3}", upper):
            found = [entry for entry in self if entry.code.startswith(upper)]
            if found and len(upper) in (4, 6):
                return found
        known = [text for entry in self for text in (entry.id, entry.code)]
        near = difflib.get_close_matches(plain, known, 1, 0.5) or difflib.get_close_matches(upper, known, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "; `hoplint rules` lists them"
        raise RuleError(f"no rule is called {plain!r}{hint}")


def _from_index(path: Path, index: dict[str, Any]) -> Rule:
    entry = index.get(path.stem.replace("_", "-"))
    if entry is None:
        return _import(path)
    found = Rule(
        **{
            **entry,
            "category": Category(entry["category"]),
            "severity": Severity(entry["severity"]),
            "tier": Tier(entry["tier"]),
            "asks": tuple(entry["asks"]),
            "yields_to": tuple(entry["yields_to"]),
            "options": {name: Option(o["default"], o["text"]) for name, o in entry["options"].items()},
        }
    )
    found.path = path
    return found


def write_index(folder: Path) -> str:
    """The text of index.json for a folder of rules."""
    rules = sorted((_import(path) for path in rule_files(folder)), key=lambda entry: entry.code)
    return json.dumps([entry.facts() for entry in rules], indent=1, ensure_ascii=False) + "\n"
