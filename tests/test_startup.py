"""A command loads what it needs, as a fact and not as a timing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from harness import FIXTURES

SCRIPT = """
import sys
sys.argv = ["hoplint", *{arguments!r}]
before = set(sys.modules)
try:
    from hoplint.cli import main
    main()
except SystemExit:
    pass
print("\\0", *sorted(set(sys.modules) - before), sep="\\n")
"""
CASES = FIXTURES / "visibility-below-six-timeouts" / "bad"
PARSERS = {"click", "yaml", "tree_sitter", "tree_sitter_hcl"}


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(arguments=list(arguments))], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "\0" in done.stdout, done.stderr
    return set(done.stdout.partition("\0")[2].split())


def test_the_version_needs_nothing() -> None:
    """`--version` loads the package and its command line, no parser, no rule, no metadata of installed packages."""
    found = loaded("--version")
    assert {name for name in found if name.startswith("hoplint")} == {"hoplint", "hoplint.cli"}
    assert not found & (PARSERS | {"importlib.metadata", "json", "pathlib", "re", "inspect"})


def test_a_template_needs_no_parser_of_terraform() -> None:
    """Checking a YAML template loads neither tree-sitter nor the reader of Terraform."""
    found = loaded("check", str(CASES / "template.yaml"))
    assert "yaml" in found
    assert not found & {"tree_sitter", "tree_sitter_hcl", "hoplint.readers.terraform", "hoplint.readers.cdk"}


def test_json_needs_no_parser_of_yaml() -> None:
    """Checking a JSON template loads no YAML and no tree-sitter."""
    found = loaded("check", str(CASES / "cdk.template.json"))
    assert not found & {"tree_sitter", "yaml"}


def test_terraform_needs_no_parser_of_templates() -> None:
    """Checking Terraform loads neither YAML nor the reader of templates."""
    found = loaded("check", str(CASES / "main.tf"))
    assert "hoplint.readers.terraform" in found
    assert not found & {"yaml", "hoplint.readers.cloudformation", "hoplint.readers.sam"}


@pytest.mark.parametrize(("form", "unwanted"), [("text", "hoplint.report.json"), ("json", "hoplint.report.text")])
def test_one_reporter_is_loaded(form: str, unwanted: str) -> None:
    """A format's reporter is loaded, and no other."""
    found = loaded("check", "--format", form, str(CASES / "main.tf"))
    assert f"hoplint.report.{form}" in found
    assert unwanted not in found


def test_a_rule_without_its_subject_is_not_imported() -> None:
    """A rule is imported only where a hop or resource is that it asks for."""
    found = {name for name in loaded("check", str(CASES / "template.yaml")) if name.startswith("hoplint_rule_")}
    assert any(name.endswith("visibility_below_six_timeouts") for name in found)
    absent = ("provisioned_concurrency_on_latest", "queue_policy_missing", "dlq_without_alarm")
    assert not [name for name in found if name.endswith(absent)]


def test_listing_rules_imports_none() -> None:
    """`rules` answers from the index."""
    assert not [name for name in loaded("rules") if name.startswith("hoplint_rule_")]


def test_development_tools_stay_out() -> None:
    """Checking loads neither what makes pages nor what scaffolds, and no second parser."""
    found = loaded("check", str(CASES / "main.tf"))
    assert not found & {"hoplint.pages", "hoplint.scaffold", "hcl2", "pygohcl", "cfnlint", "jsonschema"}
