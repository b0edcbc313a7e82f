"""Ask the SAM translator what it makes of templates, and record the answers.

It needs `aws-sam-translator`. `python tests/readers/record_sam.py` records what becomes of the templates in `sam/`.
With a folder as its argument (the translator's own `tests/translator/input`) it compares our graph of each template in
it with the graph of what the translator makes of it, prints where they differ, and records how many resources and hops
there are and a digest of them; the templates themselves are not ours to keep.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sam_graph import differences, facts, graph, read

HERE = Path(__file__).parent
RECORDING = HERE / "sam.json"
GRAPHS = HERE / "sam_graphs.json"

# What makes no hop, and what a linter does better than the translator.
UNLIKE = {
    "capacity_provider": "operator roles of capacity providers run no event",
    "graphqlapi": "roles and connectors of GraphQL APIs answer at once",
    "function_with_event_dest_conditional": "the translator nests a condition in a condition",
    "implicit_api_with_serverless_rest_api_resource": "the implicit API overwrites a function of its name",
    "state_machine_with_events_and_alias": "an alias of a state machine leads to its machine",
}


def translate(text: str) -> dict[str, Any]:
    """What the SAM translator makes of a template."""
    from samtranslator.translator.transform import transform
    from samtranslator.yaml_helper import yaml_parse

    with patch("boto3.session.Session.region_name", "eu-west-1"):
        made: dict[str, Any] = json.loads(json.dumps(transform(yaml_parse(text), {}, dict), default=str))
    return made


def compare(inputs: Path) -> int:
    """Compare and record the templates of a folder; return how many are unlike without a reason."""
    equal: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    unlike = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path in sorted(inputs.glob("*.yaml")):
            try:
                made = translate(path.read_text(encoding="utf-8"))
            except Exception as error:
                left_out[path.stem] = f"the translator refuses it ({type(error).__name__})"
                continue
            (folder / f"{path.stem}.json").write_text(json.dumps(made), encoding="utf-8")
            theirs = read(folder, f"{path.stem}.json")
            if not graph(theirs):
                left_out[path.stem] = "it holds nothing of ours"
                continue
            found = differences(read(inputs, path.name), theirs)
            reason = next((why for name, why in UNLIKE.items() if path.stem.startswith(name)), "")
            if not found:
                equal[path.stem] = facts(theirs)
            else:
                left_out[path.stem] = reason
                unlike += not reason
                print(*(f"{path.stem}: {line}" for line in found if not reason), sep="\n", end="\n" * (not reason))
    lines = (f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in equal.items())
    others = (f"  {json.dumps(name)}: {json.dumps(why)}" for name, why in left_out.items())
    text = '{\n "equal": {\n' + ",\n".join(lines) + '\n },\n "left out": {\n' + ",\n".join(others) + "\n }\n}\n"
    GRAPHS.write_text(text, encoding="utf-8")
    print(f"{len(equal)} templates are equal, {unlike} are not, {len(left_out) - unlike} are left out with a reason")
    return unlike


def main() -> int:
    """Record."""
    if len(sys.argv) > 1:
        return compare(Path(sys.argv[1]))
    answers = {path.stem: translate(path.read_text(encoding="utf-8")) for path in sorted((HERE / "sam").glob("*.yaml"))}
    RECORDING.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
