"""The pieces stay where the design puts them: who imports whom, who opens files, what a rule file is called."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ROOT, rulebook, rules

from hoplint import pages
from hoplint.graph.hops import HOPS
from hoplint.rulebook import GROUPS, Rule, rule_files, write_index

SOURCES = ROOT / "src" / "hoplint"
RULE_FILES = rule_files(ROOT / "rules")
SECTIONS = ("## Why it matters", "## How to fix", "## References")
OPENERS = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "listdir", "scandir", "glob", "rglob", "iterdir",
    "walk",
}  # fmt: skip


def _imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def test_the_layers_hold() -> None:
    """The import contracts of pyproject.toml are kept."""
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_readers_open_no_file() -> None:
    """Only the tree touches the disk: a revision or an editor's buffers can stand in for it."""
    for path in (SOURCES / "readers").rglob("*.py"):
        if path.name == "tree.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
                assert name not in OPENERS or owner in ("re", "self", "ast"), (
                    f"{path}:{node.lineno}: {ast.unparse(node)}"
                )
        assert not _imports(path) & {"pathlib", "io", "glob", "shutil", "subprocess", "urllib.request", "socket"}, path


def test_the_graph_and_the_model_open_no_file() -> None:
    """What is linted is in the model; nothing behind the readers looks at the disk."""
    for folder in ("model", "catalog", "graph"):
        for path in (SOURCES / folder).rglob("*.py"):
            assert not _imports(path) & {"pathlib", "io", "glob", "shutil", "subprocess", "yaml", "tree_sitter"}, path


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_a_rule_imports_only_the_api(path: Path) -> None:
    """A rule imports `hoplint.api` and the standard library, never another rule."""
    foreign = {name for name in _imports(path) if name.split(".")[0] not in sys.stdlib_module_names}
    assert foreign <= {"hoplint.api"}, foreign


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_a_rule_is_where_its_code_says(path: Path) -> None:
    """A rule's file is named like its id and stands in the folder of its group, which the code begins with."""
    rule = rulebook().rules[path.stem.replace("_", "-")]
    assert rule.path == path
    assert path.parent.name == rule.group == GROUPS[int(rule.code[3:]) // 100]
    assert path.parent.parent == ROOT / "rules"
    assert re.fullmatch(r"HOP\d{3}", rule.code)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_has_its_page(rule: Rule) -> None:
    """A docstring has a title of one line and the three sections in their order, with AWS's or a tool's own pages."""
    page = rule.page()
    title = page.splitlines()[0]
    assert title.endswith(".") and len(title) < 120 and title == rule.title
    assert [page.index(section) for section in SECTIONS] == sorted(page.index(section) for section in SECTIONS)
    references = re.findall(r"^- (https://\S+)$", page.partition("## References")[2], re.MULTILINE)
    assert references
    for section, following in zip(SECTIONS[:2], SECTIONS[1:], strict=True):
        assert len(page.partition(section)[2].partition(following)[0].strip()) > 10


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rule_asks_and_yields_to_what_there_is(rule: Rule) -> None:
    """`asks` names hops and kinds of the catalogue; `yields_to` never names the rule itself."""
    from hoplint.catalog import KINDS

    assert set(rule.asks) <= set(KINDS) | set(HOPS)
    assert rule.id not in rule.yields_to
    assert rule.load() is not None or rule.group == "input"


def test_codes_and_ids_are_unique() -> None:
    """No two rules share a code or an id."""
    book = rules()
    assert len({rule.code for rule in book}) == len(book) == len({rule.id for rule in book}) == len(RULE_FILES)


def test_the_index_is_current() -> None:
    """index.json holds what the rule files declare: `python -m hoplint.pages` writes it."""
    written = (ROOT / "rules" / "index.json").read_text("utf-8")
    assert json.loads(written) == json.loads(write_index(ROOT / "rules"))
    assert written == write_index(ROOT / "rules")


def test_the_pages_are_current(update: bool) -> None:
    """Pages, golden output and the table of rules are what rules and fixtures make of them."""
    if update:
        pages.write(ROOT)
    assert [path.relative_to(ROOT).as_posix() for path in pages.stale(ROOT)] == []
