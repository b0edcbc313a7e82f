"""What the variables of a root are given: environment, tfvars files, files and values of the command line."""

from __future__ import annotations

from hoplint.model.place import Source, Span
from hoplint.model.value import Known, Step, Through, Unknown, Value
from hoplint.readers import hcl, terraform_json
from hoplint.readers.choices import stepped
from hoplint.readers.constraints import ANY, Constraint
from hoplint.readers.expressions import evaluate
from hoplint.readers.scope import Scope, World
from hoplint.readers.tree import Tree, join, refusal


class Options:
    """What a run knows of the values of variables.

    `variables` are given on the command line, `var_files` are paths in the tree, `environment` holds the values of
    `TF_VAR_…` by the variable's name, `workspace` is the selected workspace where it is known.
    """

    __slots__ = ("variables", "var_files", "environment", "workspace")

    def __init__(
        self,
        variables: dict[str, str] | None = None,
        var_files: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
        workspace: str | None = None,
    ) -> None:
        self.variables = variables or {}
        self.var_files = var_files
        self.environment = environment or {}
        self.workspace = workspace


class Given:
    """One value that a variable was given, before its type is applied.

    Text from the command line or the environment is read once the variable's type is known.
    """

    __slots__ = ("value", "text", "step")

    def __init__(self, value: Value | None, text: str | None, step: Step) -> None:
        self.value = value
        self.text = text
        self.step = step

    def read(self, wanted: Constraint, world: World) -> Value:
        """The value for a variable of this type."""
        if self.value is not None:
            return stepped(self.value, self.step)
        assert self.text is not None
        if wanted is ANY or wanted.name in ("string", "number", "bool"):
            return Known(self.text, None, through=(self.step,))
        source = Source("", b"x = " + self.text.encode("utf-8") + b"\n")
        parsed = hcl.parse(source)
        attribute = parsed.attributes.get("x")
        if parsed.problems or attribute is None:
            return Unknown(f"{self.step.name} was given what is no expression", through=(self.step,))
        value = evaluate(attribute.expression, Scope(world, None, source))
        return _unplaced(value, (self.step,))


def _unplaced(value: Value, through: Through) -> Value:
    """A value from the command line stands in no file."""
    if isinstance(value, Known):
        data = value.data
        if isinstance(data, list):
            data = [_unplaced(item, ()) for item in data]
        elif isinstance(data, dict):
            data = {key: _unplaced(item, ()) for key, item in data.items()}
        return Known(data, None, value.origin, through, None, value.unordered)
    return value.moved(None, through)


def var_files(tree: Tree, folder: str) -> list[str]:
    """The files that Terraform reads by itself, in the order of its precedence."""
    names = tree.list(folder)
    found: list[str] = [name for name in ("terraform.tfvars", "terraform.tfvars.json") if name in names]
    found += sorted(name for name in names if name.endswith((".auto.tfvars", ".auto.tfvars.json")))
    return [join(folder, name) for name in found]


def given_values(world: World, options: Options) -> dict[str, Given]:
    """What each variable is given, by its name; what Terraform reads later replaces what it read before."""
    found: dict[str, Given] = {}
    for name, text in options.environment.items():
        found[name] = Given(None, text, Step(f"var.{name}", None, "environment"))
    for path in (*var_files(world.tree, world.folder), *options.var_files):
        found.update(_file_values(world, path))
    for name, text in options.variables.items():
        found[name] = Given(None, text, Step(f"var.{name}", None, "option"))
    return found


def _file_values(world: World, path: str) -> dict[str, Given]:
    data = world.tree.read(path)
    if data is None or refusal(data):
        world.note(f"{path} was not read: {world.tree.refused.get(path, 'it is no text')}")
        return {}
    world.stack.files.add(path)
    source = Source(path, data)
    if path.endswith(".json"):
        attributes = terraform_json.attributes(source)
        problems = attributes is None
    else:
        parsed = hcl.parse(source)
        attributes, problems = parsed.attributes, bool(parsed.problems)
    if problems or attributes is None:
        world.note(f"{path} cannot be read as a file of values")
        attributes = attributes or {}
    scope = Scope(world, None, source)
    found = {}
    for name, attribute in attributes.items():
        value = evaluate(attribute.expression, scope)
        found[name] = Given(value, None, Step(f"var.{name}", Span(source, attribute.start, attribute.end), "file"))
    return found
