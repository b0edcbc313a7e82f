"""Record which arguments, blocks and attributes the AWS provider has for the types of the catalogue.

`HOPLINT_TERRAFORM_PLUGINS=<plugin folder> python tests/readers/record_provider_schema.py`. Of each type only its names
are kept: true for an attribute, a table for a nested block, and what can be written apart from what is only given.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from record_plans import run

from hoplint.catalog import KINDS

SCHEMA = Path(__file__).with_name("provider_schema.json")
REQUIRED = 'terraform {\n  required_providers {\n    aws = {\n      source = "hashicorp/aws"\n    }\n  }\n}\n'
PROVIDER = "registry.terraform.io/hashicorp/aws"


def names(block: dict[str, Any]) -> dict[str, Any]:
    """The names in a block: `"w"` can be written, `"r"` is only given, a table is a nested block."""
    found: dict[str, Any] = {}
    for name, attribute in block.get("attributes", {}).items():
        nested = attribute.get("nested_type")
        written = attribute.get("required") or attribute.get("optional")
        found[name] = names(nested) if nested else "w" if written else "r"
    for name, inner in block.get("block_types", {}).items():
        if name != "timeouts":
            found[name] = names(inner["block"])
    return dict(sorted(found.items()))


def main() -> None:
    """Write the extract."""
    plugins = os.environ.get("HOPLINT_TERRAFORM_PLUGINS")
    if plugins is None or shutil.which("terraform") is None:
        raise SystemExit("set HOPLINT_TERRAFORM_PLUGINS to a plugin folder that holds the AWS provider")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.tf").write_text(REQUIRED)
        run(folder, "init", f"-plugin-dir={plugins}", "-input=false")
        schema = json.loads(run(folder, "providers", "schema", "-json"))["provider_schemas"][PROVIDER]
        version = json.loads(run(folder, "version", "-json"))["provider_selections"][PROVIDER]
    wanted = {type_name for kind in KINDS.values() for type_name in kind.terraform}
    types = {
        type_name: names(described["block"])
        for type_name, described in sorted(schema["resource_schemas"].items())
        if type_name in wanted
    }
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(held, separators=(',', ':'))}" for name, held in types.items())
    SCHEMA.write_text(f'{{"version": "{version}", "types": {{\n{rows}\n}}}}\n')
    print(SCHEMA.name, SCHEMA.stat().st_size, len(types), "of", len(wanted))


if __name__ == "__main__":
    main()
