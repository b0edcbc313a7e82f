"""Run cloudformation-validate over a folder in one process, as its own command line does.

Its Python package holds the Rust library without a command, so this is the smallest one: the engine that proved
fastest, made once, and reports without the enrichment of each diagnostic. Run by ``benchmarks/run`` in the peer's
environment: ``python validate_templates.py FOLDER``.
"""

import sys
from pathlib import Path

from cloudformation_validate import CelEngine, DetailLevel, ValidateConfig


def main() -> None:
    """Validate every template below the folder that the command line names and print a line per diagnostic."""
    engine = CelEngine()
    config = ValidateConfig(detail_level=DetailLevel.STANDARD)
    for path in sorted(Path(sys.argv[1]).rglob("*")):
        if path.suffix in (".yaml", ".json"):
            for found in engine.validate_template(path, config).diagnostics:
                print(f"{path}:{found.start_line}: {found.severity.name} {found.rule_id} {found.message}")


if __name__ == "__main__":
    main()
