"""The floor: what only parsing the same bytes costs, with the parsers that hoplint uses.

Run by ``benchmarks/run`` in hoplint's environment: ``python floor.py FOLDER`` parses all Terraform files, YAML and JSON
templates below the folder and prints the CPU seconds. Start, imports and reading the files are not counted.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def _hcl_parser() -> Callable[[bytes], object]:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language())).parse


def _yaml_parser() -> Callable[[bytes], object]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return lambda content: yaml.compose(content, Loader=loader)


_PARSERS: dict[str, Callable[[], Callable[[bytes], object]]] = {
    ".tf": _hcl_parser,
    ".yaml": _yaml_parser,
    ".json": lambda: json.loads,
}


def main() -> None:
    """Parse everything below the folder that the command line names; print the CPU seconds as JSON."""
    files = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.suffix in _PARSERS]
    parsers = {suffix: _PARSERS[suffix]() for suffix in {path.suffix for path in files}}
    contents = [(parsers[path.suffix], path.read_bytes()) for path in files]
    began = time.process_time()
    for parse, content in contents:
        parse(content)
    spent = time.process_time() - began
    print(json.dumps({"cpu": spent, "files": len(files), "bytes": sum(len(content) for _, content in contents)}))


if __name__ == "__main__":
    main()
