"""Ask the SAM translator what it makes of the templates in `sam/`, and record the answers.

It needs `aws-sam-translator`: `python tests/readers/record_sam.py`. With a folder as its argument it translates the
templates of that folder instead, and writes `<name>.json` into the folder that the second argument names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).parent
RECORDING = HERE / "sam.json"


def translate(text: str) -> dict[str, Any]:
    """What the SAM translator makes of a template."""
    from samtranslator.translator.transform import transform
    from samtranslator.yaml_helper import yaml_parse

    with patch("boto3.session.Session.region_name", "eu-west-1"):
        made: dict[str, Any] = json.loads(json.dumps(transform(yaml_parse(text), {}, dict), default=str))
    return made


def main() -> None:
    """Record."""
    if len(sys.argv) == 3:
        source, target = map(Path, sys.argv[1:])
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.glob("*.yaml")):
            try:
                made = translate(path.read_text(encoding="utf-8"))
            except Exception as error:
                print(f"{path.name}: {type(error).__name__}")
            else:
                (target / f"{path.stem}.json").write_text(json.dumps(made), encoding="utf-8")
        return
    answers = {path.stem: translate(path.read_text(encoding="utf-8")) for path in sorted((HERE / "sam").glob("*.yaml"))}
    RECORDING.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
