"""Make the plans and the state that the tests read, with the real Terraform and the real AWS provider, offline.

`HOPLINT_TERRAFORM_PLUGINS=<plugin folder> python tests/readers/record_plans.py`. Nothing is applied: the state of the
second plan is written here, from the values of the first and with invented ARNs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

PLANS = Path(__file__).with_name("plans")
PROVIDER = 'provider["registry.terraform.io/hashicorp/aws"]'
ARNS = {
    "aws_sqs_queue": "arn:aws:sqs:eu-west-1:111122223333:{name}",
    "aws_sns_topic": "arn:aws:sns:eu-west-1:111122223333:{name}",
    "aws_iam_role": "arn:aws:iam::111122223333:role/{name}",
    "aws_lambda_function": "arn:aws:lambda:eu-west-1:111122223333:function:{function_name}",
}


def run(folder: Path, *arguments: str) -> str:
    """Run Terraform in a folder."""
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": "/dev/null", "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}
    done = subprocess.run(["terraform", *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def plan(folder: Path) -> dict[str, Any]:
    """The plan of a folder as JSON."""
    run(folder, "plan", "-refresh=false", "-input=false", "-lock=false", "-out=plan.bin")
    return dict(json.loads(run(folder, "show", "-json", "plan.bin")))


def attributes(type_name: str, change: dict[str, Any], arns: dict[str, str]) -> dict[str, Any]:
    """What a resource would have after apply."""
    values = dict(change["after"])
    pattern = ARNS.get(type_name)
    if pattern:
        values["arn"] = pattern.format(**values)
    if type_name == "aws_sqs_queue":
        values["id"] = values["url"] = f"https://sqs.eu-west-1.amazonaws.com/111122223333/{values['name']}"
        dead = arns.get(f"{values['name']}-dlq")
        if dead:
            values["redrive_policy"] = json.dumps({"deadLetterTargetArn": dead, "maxReceiveCount": 5})
    elif type_name == "aws_sns_topic":
        values["id"] = values["arn"]
    else:
        values["id"] = values.get("function_name") or values["name"]
    if type_name == "aws_lambda_function":
        values["role"] = ARNS["aws_iam_role"].format(name="worker")
    return values


def state(made: dict[str, Any]) -> dict[str, Any]:
    """A state in which everything that can be told from the plan exists."""
    changes = [change for change in made.get("resource_changes", ()) if change["type"] in ARNS]
    arns = {
        change["change"]["after"]["name"]: ARNS["aws_sqs_queue"].format(**change["change"]["after"])
        for change in changes
        if change["type"] == "aws_sqs_queue"
    }
    resources: dict[tuple[str, str, str], dict[str, Any]] = {}
    for change in changes:
        key = (change.get("module_address", ""), change["type"], change["name"])
        entry = resources.setdefault(
            key,
            {
                **({"module": key[0]} if key[0] else {}),
                "mode": "managed",
                "type": change["type"],
                "name": change["name"],
                "provider": PROVIDER,
                "instances": [],
            },
        )
        values = attributes(change["type"], change["change"], arns)
        entry["instances"].append({"schema_version": 0, "attributes": values, "sensitive_attributes": []})
    return {
        "version": 4,
        "terraform_version": made["terraform_version"],
        "serial": 1,
        "lineage": "00000000-0000-0000-0000-000000000000",
        "outputs": {},
        "resources": list(resources.values()),
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a plan as small as it is still real."""
    content.pop("timestamp", None)
    content.pop("relevant_attributes", None)
    path.write_text(json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(path.relative_to(PLANS), path.stat().st_size)


def main() -> None:
    plugins = os.environ.get("HOPLINT_TERRAFORM_PLUGINS")
    if plugins is None or shutil.which("terraform") is None:
        raise SystemExit("set HOPLINT_TERRAFORM_PLUGINS to a plugin folder that holds the AWS provider")
    for project in sorted(path.parent for path in PLANS.glob("*/main.tf")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "project"
            shutil.copytree(project, folder, ignore=shutil.ignore_patterns("*.json"))
            run(folder, "init", f"-plugin-dir={plugins}", "-input=false")
            made = plan(folder)
            after = state(made)
            write(project / "plan.json", made)
            if not after["resources"]:
                continue
            (folder / "terraform.tfstate").write_text(json.dumps(after))
            write(project / "update.json", plan(folder))
            write(project / "state.json", json.loads(run(folder, "show", "-json")))


if __name__ == "__main__":
    main()
