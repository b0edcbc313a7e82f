"""What is found does not hang on how a stack is written down.

Each fixture is rewritten: names of resources, order, files, comments, literals moved into variables or parameters, the
whole moved into a module. The findings stay; where a literal moved into a variable, the place moves with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from harness import Loaded, Memory, Sample, fixtures, loaded, normalised, report, rulebook, samples, spoken

from hoplint.model.report import Report
from hoplint.pages import selection
from hoplint.readers.tree import Tree

Files = dict[str, bytes]

# Its findings are about the text itself.
TEXTUAL = {"syntax-error", "unused-suppression"}
SAMPLES = [sample for sample in samples() if sample.rule_id not in TEXTUAL]
TERRAFORM = [sample for sample in SAMPLES if sample.dialect == "terraform"]
YAML = [sample for sample in SAMPLES if sample.dialect == "cloudformation"]
JSON = [sample for sample in SAMPLES if sample.dialect == "cdk"]


def lint(sample: Sample, files: Files, path: str | None = None) -> tuple[Loaded, Report]:
    """Lint changed files as the sample itself is linted."""
    tree: Tree = Memory(files)
    read = Loaded(tree, path or sample.path)
    rule = rulebook().rules[sample.rule_id]
    return read, read.lint(selection(rulebook(), rule, fixtures(sample.rule_id).options(sample.case)))


def told(read: Loaded, found: Report, messages: bool = True) -> list[tuple[object, ...]]:
    """What was found, names and places apart."""
    return sorted(
        (
            entry.rule.id, str(entry.severity), entry.finding.confidence, entry.when is None,
            entry.finding.primary.resource.kind.name if entry.finding.primary.resource else "",
            _without_names(normalised(entry.finding.message, read.stacks)) if messages else "",
        )
        for entry in spoken(found)
    )  # fmt: skip


def _without_names(message: str) -> str:
    return re.sub(r"module\.\w+\.", "", message).replace("_renamed", "").replace("Renamed", "").lower()


def same(sample: Sample, files: Files, path: str | None = None, messages: bool = True) -> None:
    """Changed files are told the same as the sample."""
    read, found = lint(sample, files, path)
    assert told(read, found, messages) == told(loaded(sample), report(sample), messages)
    undecided, before = (
        sample.rule_id in {entry.rule.id for entry in each.undecided} for each in (found, report(sample))
    )
    assert undecided is before


# Terraform


def blocks(text: str) -> list[str]:
    """The top-level blocks of a file, comments before them included."""
    found, current = [], ""
    for line in text.splitlines(keepends=True):
        current += line
        if line.rstrip() == "}" or re.match(r"[a-z]+ .*\{\s*\}\s*(#.*)?$", line):
            found.append(current)
            current = ""
    return [*found, current] if current.strip() else found


def each_tf(sample: Sample, change: Callable[[str], str]) -> Files:
    """A sample's files with a change of every Terraform file."""
    return {
        path: change(data.decode()).encode() if path.endswith(".tf") else data for path, data in sample.files().items()
    }


def rename_tf(text: str) -> str:
    for data, kind, name in re.findall(r'^(data|resource) "(\w+)" "(\w+)"', text, re.MULTILINE):
        text = text.replace(f'{data} "{kind}" "{name}"', f'{data} "{kind}" "{name}_renamed"')
        reference = f"data.{kind}.{name}" if data == "data" else f"{kind}.{name}"
        before = r"(?<![\w.])" if data == "resource" else r"(?<!\w)"
        text = re.sub(rf"{before}{re.escape(reference)}\b", f"{reference}_renamed", text)
    return text


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_names_of_resources_do_not_matter(sample: Sample) -> None:
    """Other names of resources, the same findings."""
    if fixtures(sample.rule_id).options(sample.case):
        pytest.skip("its options name resources")
    same(sample, each_tf(sample, rename_tf))


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_the_order_of_blocks_does_not_matter(sample: Sample) -> None:
    """The last block first, the same findings."""
    # Which of two sources of a queue is named as the first is a matter of order.
    same(sample, each_tf(sample, lambda text: "\n".join(reversed(blocks(text)))), messages=sample.case != "bad-shared")


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_files_do_not_matter(sample: Sample) -> None:
    """Every block in a file of its own, the same findings."""
    files = {path: data for path, data in sample.files().items() if path != sample.path}
    for number, block in enumerate(blocks(sample.files()[sample.path].decode())):
        files[f"{sample.case}/part{number}.tf"] = block.encode()
    same(sample, files, f"{sample.case}/part0.tf")


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_comments_do_not_matter(sample: Sample) -> None:
    """Comments of every kind at every place, the same findings."""
    if any(b"hoplint:" in data for data in sample.files().values()):
        pytest.skip("its comments mean something")

    def comment(text: str) -> str:
        text = re.sub(r"^(\s+)(?=[\w\"]+\s*=)", r"\1// a remark\n\1", text, flags=re.MULTILINE)
        remark = "/* a remark\n   { on two lines */\n"
        text = re.sub(r"^(?=(resource|data|variable|module|output) )", remark, text, flags=re.MULTILINE)
        return text + "# the end"

    same(sample, each_tf(sample, comment))


LITERAL = re.compile(r'^(  \w+\s*= )(\d+|true|false|"[^"$%\\]*")(\s*#.*)?$')


def into_variables(text: str) -> str:
    """A file with the literals of its resources moved into defaults of variables."""
    lines, variables, inside = text.splitlines(), "", False
    for number, line in enumerate(lines):
        if re.match(r"[a-z]+ ", line):
            inside = line.startswith("resource ")
        match = LITERAL.match(line) if inside else None
        if match:
            kind = "number" if match[2].isdigit() else "bool" if match[2] in ("true", "false") else "string"
            lines[number] = f"{match[1]}var.literal_{number}"
            variables += f'variable "literal_{number}" {{\n  type    = {kind}\n  default = {match[2]}\n}}\n'
    return "\n".join(lines) + "\n" + variables


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_a_literal_may_stand_in_a_variable(sample: Sample) -> None:
    """Every literal of a resource as the default of a variable: the same findings, at the default."""
    files = sample.files()
    changed = into_variables(files[sample.path].decode())
    files[sample.path] = changed.encode()
    same(sample, files, messages=False)
    _, found = lint(sample, files)
    _moved(sample, found, changed, "default = ")


def _moved(sample: Sample, found: Report, changed: str, before: str) -> None:
    """A finding that stood at a literal which was moved stands at the default that holds it now."""
    old, new = sample.files()[sample.path].decode().splitlines(), changed.splitlines()
    literals: dict[tuple[str, str | None], str] = {}
    for entry in spoken(report(sample)):
        place = entry.place
        literal = old[place.line - 1][place.column - 1 : place.end_column - 1]
        moved = place.path == sample.path and place.line == place.end_line and old[place.line - 1] not in new
        if moved and literal.strip('"'):
            literals[entry.address, entry.finding.primary.setting] = literal
    for entry in spoken(found):
        literal = literals.get((entry.address, entry.finding.primary.setting))
        if literal is not None and LITERAL.match(f"  x = {literal}"):
            line = new[entry.place.line - 1]
            assert line.split("#")[0].strip() == f"{before}{literal}", f"{entry.address} stands at {line!r}"


@pytest.mark.parametrize("sample", TERRAFORM, ids=repr)
def test_a_stack_may_stand_in_a_module(sample: Sample) -> None:
    """The whole stack in a module that the root calls: the same findings."""
    text = sample.files()[sample.path].decode()
    if re.search(r"^(provider|output) ", text, re.MULTILINE):
        pytest.skip("what it hands out, or its provider, would be another thing in a module")
    if fixtures(sample.rule_id).options(sample.case):
        pytest.skip("its options name resources")
    variables = [block for block in blocks(text) if re.search(r'^variable "', block, re.MULTILINE)]
    names = re.findall(r'^variable "(\w+)"', text, re.MULTILINE)
    passed = "".join(f"  {name} = var.{name}\n" for name in names)
    files = {
        path.replace(f"{sample.case}/", f"{sample.case}/inner/", 1): data
        for path, data in sample.files().items()
        if not path.endswith((".yaml", "cdk.template.json"))
    }
    files[sample.path] = ("\n".join(variables) + f'\nmodule "inner" {{\n  source = "./inner"\n{passed}}}\n').encode()
    same(sample, files)


# CloudFormation


def sections(text: str) -> tuple[str, list[str], str]:
    """What comes before the resources of a template, the resources, and what comes after."""
    head, _, rest = text.partition("Resources:\n")
    match = re.search(r"^\w", rest, re.MULTILINE)
    body, tail = (rest[: match.start()], rest[match.start() :]) if match else (rest, "")
    return f"{head}Resources:\n", re.split(r"(?m)^(?=  \w+:)", body)[1:], tail


def rename_yaml(text: str) -> str:
    names = [resource.split(":")[0].strip() for resource in sections(text)[1]]
    for name in names:
        text = re.sub(rf"(?m)^  {name}:", f"  {name}Renamed:", text)
        text = re.sub(rf"(!Ref |!GetAtt |DependsOn: |\$\{{){name}\b", rf"\1{name}Renamed", text)
    return text


@pytest.mark.parametrize("sample", YAML, ids=repr)
def test_logical_ids_do_not_matter(sample: Sample) -> None:
    """Other logical ids, the same findings."""
    if fixtures(sample.rule_id).options(sample.case):
        pytest.skip("its options name resources")
    files = sample.files()
    files[sample.path] = rename_yaml(files[sample.path].decode()).encode()
    same(sample, files)


@pytest.mark.parametrize("sample", YAML, ids=repr)
def test_order_and_comments_of_templates_do_not_matter(sample: Sample) -> None:
    """The last resource first, with comments between the lines: the same findings."""
    files = sample.files()
    head, resources, tail = sections(files[sample.path].decode())
    turned = "".join(f"  # a remark: {{ }}\n{resource.rstrip()}\n" for resource in reversed(resources))
    files[sample.path] = (head + turned + tail).encode()
    same(sample, files, messages=sample.case != "bad-shared")


@pytest.mark.parametrize("sample", YAML, ids=repr)
def test_a_number_may_stand_in_a_parameter(sample: Sample) -> None:
    """Every number of a resource as the default of a parameter: the same findings, at the default."""
    files = sample.files()
    head, resources, tail = sections(files[sample.path].decode())
    given: list[str] = []

    def pull(match: re.Match[str]) -> str:
        given.append(match[2])
        return f"{match[1]}!Ref Number{len(given)}"

    body = "".join(re.sub(r"(?m)^(\s+\w+: )(\d+)\b(?!:)(\s*#.*)?$", pull, resource) for resource in resources)
    parameters = "".join(f"  Number{n}:\n    Type: Number\n    Default: {text}\n" for n, text in enumerate(given, 1))
    if "Parameters:\n" not in head:
        head = "Parameters:\n  Unused:\n    Type: String\n\n" + head
    head = head.replace("Parameters:\n", f"Parameters:\n{parameters}", 1)
    files[sample.path] = (head + body + tail).encode()
    same(sample, files, messages=False)
    _moved(sample, lint(sample, files)[1], head + body + tail, "Default: ")


# CDK


def renamed_json(node: Any, names: set[str]) -> Any:
    """A template with other logical ids."""
    if isinstance(node, list):
        return [renamed_json(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for key, value in node.items():
        if key == "Ref" and value in names:
            value = f"{value}Renamed"
        elif key == "Fn::GetAtt" and isinstance(value, list) and value[0] in names:
            value = [f"{value[0]}Renamed", *value[1:]]
        elif key == "DependsOn":
            value = [f"{name}Renamed" for name in ([value] if isinstance(value, str) else value)]
        else:
            value = renamed_json(value, names)
        found[key] = value
    return found


@pytest.mark.parametrize("sample", JSON, ids=repr)
def test_json_may_be_written_in_any_way(sample: Sample) -> None:
    """Other logical ids, the other way round, on one line: the same findings."""
    if fixtures(sample.rule_id).options(sample.case):
        pytest.skip("its options name resources")
    files = sample.files()
    template = json.loads(files[sample.path])
    names = set(template["Resources"])
    changed = renamed_json(template, names)
    changed["Resources"] = {
        f"{name}Renamed": renamed_json(template["Resources"][name], names) for name in reversed(template["Resources"])
    }
    files[sample.path] = json.dumps(changed).encode()
    same(sample, files, messages=sample.case != "bad-shared")
