"""The fixtures are sound apart from their fault: the tools of each dialect accept them.

Needs `cfn-lint` (from the extra `dev`), `terraform`, and Node with aws-cdk-lib; what is absent is skipped by its name.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import FIXTURES, ROOT, Sample, fixtures, samples

pytestmark = pytest.mark.slow

# Their fault is that no tool can read them.
UNREADABLE = {"syntax-error"}
TERRAFORM = shutil.which("terraform")
FALSE_ALARMS = {
    # What it says of every dead-letter queue that is not in the template.
    ("E3502", "Validate SQS DLQ queues are the same type"),
}
# Names that mean something inside of a module call.
RESERVED = {"source", "version", "providers", "count", "for_each", "depends_on", "lifecycle"}
PROVIDERS = os.environ.get("HOPLINT_TERRAFORM_PLUGINS", "/opt/tf-plugins")
MODULES = os.environ.get("HOPLINT_NODE_MODULES", str(ROOT / "node_modules"))


def _sound(dialect: str) -> Iterator[Sample]:
    for sample in samples():
        if sample.dialect == dialect and not (sample.rule_id in UNREADABLE and sample.verdict != "good"):
            yield sample


def _cfn_lint() -> str | None:
    beside = Path(sys.executable).with_name("cfn-lint")
    return str(beside) if beside.is_file() else shutil.which("cfn-lint")


@pytest.mark.skipif(_cfn_lint() is None, reason="cfn-lint is not installed")
@pytest.mark.parametrize("dialect", ["cloudformation", "cdk"])
def test_cfn_lint_accepts_the_templates(dialect: str) -> None:
    """cfn-lint finds nothing in a template but what `cases.yaml` of its rule says that it finds, with the reason."""
    paths = [str(FIXTURES / sample.rule_id / sample.path) for sample in _sound(dialect)]
    # CDK writes a DependsOn that the reference beside it makes superfluous.
    ignored = ["--ignore-checks", "W3005"] if dialect == "cdk" else []
    command = [_cfn_lint() or "", "--format", "json", "--non-zero-exit-code", "none", *ignored, "--", *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    found = json.loads(done.stdout or "[]")
    unexpected = []
    for entry in found:
        path = Path(entry["Filename"]).relative_to(FIXTURES)
        accepted: dict[str, str] = fixtures(path.parts[0]).facts.get("cfn_lint", {})
        told = (entry["Rule"]["Id"], entry["Message"])
        if told[0] not in accepted and told not in FALSE_ALARMS:
            unexpected.append(f"{path}:{entry['Location']['Start']['LineNumber']}: {' '.join(told)}")
    assert not unexpected, "\n".join(unexpected)


@pytest.mark.skipif(TERRAFORM is None, reason="terraform is not installed")
def test_terraform_formats_the_sources_as_they_are() -> None:
    """`terraform fmt` changes no fixture."""
    paths = [
        path for path in FIXTURES.rglob("*.tf")
        if path.relative_to(FIXTURES).parts[0] not in UNREADABLE or "good" in path.parts
    ]  # fmt: skip
    for start in range(0, len(paths), 50):
        command = [TERRAFORM or "", "fmt", "-check", "-list=true", *map(str, paths[start : start + 50])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(TERRAFORM is None, reason="terraform is not installed")
@pytest.mark.skipif(not Path(PROVIDERS).is_dir(), reason=f"no Terraform providers in {PROVIDERS}")
def test_terraform_accepts_the_sources(tmp_path: Path) -> None:
    """`terraform validate` accepts every fixture, unless `cases.yaml` says why it cannot."""
    settings = tmp_path / "terraformrc"
    settings.write_text(
        f'provider_installation {{\n  filesystem_mirror {{\n    path = "{PROVIDERS}"\n  }}\n}}\n'
        f'plugin_cache_dir = "{tmp_path}"\n',
        "utf-8",
    )
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": str(settings), "CHECKPOINT_DISABLE": "1"}
    wrong: list[str] = []
    # One root calls many fixtures as modules: to start the provider once for each would take an hour.
    for number, (root, names) in enumerate(_roots(tmp_path)):
        for arguments in (("init", "-backend=false", "-input=false", "-no-color"), ("validate", "-no-color")):
            done = subprocess.run(
                [TERRAFORM or "", *arguments], cwd=root, env=environment, capture_output=True, text=True, timeout=900
            )
            if done.returncode:
                said = "Error" + (done.stdout + done.stderr).partition("Error")[2]
                called = (f"  m{n} is {name}" for n, name in enumerate(names))
                wrong.append("\n".join([f"root {number}", *called, said]))
                break
    assert not wrong, "\n".join(wrong)


def _roots(tmp_path: Path, size: int = 60) -> Iterator[tuple[Path, list[str]]]:
    """Folders, each of which calls a number of fixtures; one that brings its own provider stands alone."""
    found: list[Sample] = []
    for sample in _sound("terraform"):
        reasons = fixtures(sample.rule_id).facts.get("terraform", {})
        if isinstance(reasons, str) or sample.case in reasons:
            continue
        source = (FIXTURES / sample.rule_id / sample.path).read_text("utf-8")
        missing = _providers(source) - {entry.name for entry in Path(PROVIDERS).glob("*/hashicorp/*")}
        if "git::" in source or missing:
            continue
        if "\nprovider " in source or RESERVED & set(_required(source)):
            folder = tmp_path / "alone" / sample.rule_id / sample.case
            shutil.copytree(FIXTURES / sample.rule_id / sample.case, folder)
            yield folder, [sample.name]
        else:
            found.append(sample)
    for start in range(0, len(found), size):
        folder = tmp_path / f"root{start}"
        folder.mkdir()
        # A variable without value or type stands for anything.
        calls = 'variable "any" {}\n\nprovider "aws" {\n  region = "eu-west-1"\n}\n'
        for number, sample in enumerate(found[start : start + size]):
            copied = folder / f"m{number}"
            shutil.copytree(FIXTURES / sample.rule_id / sample.case, copied)
            text = "".join(path.read_text("utf-8") for path in copied.glob("*.tf"))
            names = _required(text)
            given = "".join(f"  {name} = var.any\n" for name in names)
            calls += f'module "m{number}" {{\n  source = "./m{number}"\n{given}}}\n'
        (folder / "main.tf").write_text(calls, "utf-8")
        yield folder, [sample.name for sample in found[start : start + size]]


def _providers(source: str) -> set[str]:
    """The providers whose resources and data sources a file has."""
    return set(re.findall(r'^(?:resource|data) "([a-z0-9]+)_', source, re.MULTILINE))


def _required(text: str) -> list[str]:
    """The variables that have no default."""
    found = []
    for block in text.split('\nvariable "')[1:]:
        name, _, rest = block.partition('"')
        if "default" not in rest.partition("\n}")[0]:
            found.append(name)
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.skipif(not (Path(MODULES) / "aws-cdk-lib").is_dir(), reason=f"no aws-cdk-lib in {MODULES}")
def test_cdk_makes_the_templates_that_are_there() -> None:
    """Synthesising every app again gives the files that are committed."""
    command = ["node", str(FIXTURES / "synth.js"), "--modules", MODULES, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
