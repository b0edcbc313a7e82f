"""`hoplint new-rule` writes a rule that works: its fixtures hold at once, in every dialect that needs no tool."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import Memory

from hoplint import engine
from hoplint.pages import EXPECT
from hoplint.rulebook import Rulebook
from hoplint.run import Request
from hoplint.scaffold import ScaffoldError, next_code, scaffold


def _project(root: Path) -> Path:
    (root / "rules" / "queues").mkdir(parents=True)
    (root / "rules" / "queues" / "other_rule.py").write_text("rule(id='other-rule', code=197)\n", "utf-8")
    return root


def test_the_files_are_written(tmp_path: Path) -> None:
    """The rule, its cases in each dialect, `cases.yaml` and `cdk.js` are written, and named as they were written."""
    written = scaffold("queues/my-rule", _project(tmp_path))
    names = {Path(path).relative_to(tmp_path).as_posix() for path in written}
    assert names == {
        "rules/queues/my_rule.py", "fixtures/my-rule/cases.yaml", "fixtures/my-rule/cdk.js",
        *(f"fixtures/my-rule/{case}/main.tf" for case in ("bad", "good", "unknown")),
        *(f"fixtures/my-rule/{case}/template.yaml" for case in ("bad", "good", "unknown")),
    }  # fmt: skip
    assert all(Path(path).is_file() for path in written)


def test_the_code_is_the_next_of_the_group(tmp_path: Path) -> None:
    """The code follows the highest of its group, and begins at 1 in an empty one."""
    rules = _project(tmp_path) / "rules"
    assert next_code(rules, "queues") == 198
    assert next_code(rules, "alarms") == 301
    scaffold("queues/my-rule", tmp_path)
    assert "code=198" in (rules / "queues" / "my_rule.py").read_text("utf-8")


@pytest.mark.parametrize("file", ["main.tf", "template.yaml"])
@pytest.mark.parametrize("case", ["bad", "good", "unknown"])
def test_what_is_written_holds(tmp_path: Path, case: str, file: str) -> None:
    """The rule speaks where its bad case expects it, is silent in the good one, and undecided in the unknown one."""
    scaffold("queues/my-rule", _project(tmp_path))
    (tmp_path / "rules" / "queues" / "other_rule.py").unlink()
    book = Rulebook.load([tmp_path / "rules"])
    source = (tmp_path / "fixtures" / "my-rule" / case / file).read_bytes()
    read = engine.read(Memory({file: source}), [file], Request([file]))
    found = engine.lint(read.stacks, book, engine.Selection(book, ["my-rule"]), read.sources)
    lines = [n for n, line in enumerate(source.decode().splitlines(), 1) if EXPECT.search(line)]
    assert [(entry.rule.id, entry.place.line) for entry in found.findings] == [("my-rule", line) for line in lines]
    assert bool(lines) is (case == "bad")
    assert ("my-rule" in {entry.rule.id for entry in found.undecided}) is (case == "unknown")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere/my-rule", "no group is called"),
        ("my-rule", "no group is called"),
        ("queues/My_Rule", "is no id"),
        ("queues/", "is no id"),
        ("queues/../../evil", "is no id"),
        ("queues/other-rule", "already"),
    ],
)
def test_wrong_names_are_refused(tmp_path: Path, name: str, says: str) -> None:
    """A name that is no rule's, or a rule's that is there, is refused in one line, and nothing is written."""
    _project(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ScaffoldError, match=says):
        scaffold(name, tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_outside_of_a_project_nothing_is_written(tmp_path: Path) -> None:
    """Without a folder `rules` it is no project."""
    with pytest.raises(ScaffoldError, match="holds no folder"):
        scaffold("queues/my-rule", tmp_path)
