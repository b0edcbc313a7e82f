"""Make the plan of a whole pipeline from its sources, with the real Terraform and the real AWS provider, offline.

`HOPLINT_TERRAFORM_PLUGINS=<plugin folder> python tests/readers/record_pipeline.py`. What needs a second provider or an
answer of AWS is replaced in the copy that is planned: archives by names and sums, and the account by a number.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from record_plans import PLANS, plan, run, write

STACK = Path(__file__).resolve().parents[2] / "fixtures" / "_stacks" / "order-pipeline-broken" / "terraform"
ACCOUNT = "111122223333"
PROVIDER = """
provider "aws" {
  access_key                  = "none"
  secret_key                  = "none"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  skip_requesting_account_id  = true
}
"""
REPLACED = (
    (r'(?m)^data "aws_caller_identity" .*\{}\n', ""),
    (r'(?ms)^data "archive_file" .*?^}\n', ""),
    (r"(?ms)^    archive = \{.*?^    \}\n", ""),
    (r"data\.archive_file\.(\w+)\.output_path", r'"\1.zip"'),
    (r"data\.archive_file\.(\w+)\.output_base64sha256", '"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="'),
    (r"data\.aws_caller_identity\.\w+\.account_id", f'"{ACCOUNT}"'),
)


def main() -> None:
    """Write the plan."""
    plugins = os.environ.get("HOPLINT_TERRAFORM_PLUGINS")
    if plugins is None or shutil.which("terraform") is None:
        raise SystemExit("set HOPLINT_TERRAFORM_PLUGINS to a plugin folder that holds the AWS provider")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        shutil.copytree(STACK, folder)
        for path in folder.glob("*.tf"):
            text = path.read_text("utf-8")
            for pattern, instead in REPLACED:
                text = re.sub(pattern, instead, text)
            path.write_text(text, "utf-8")
        (folder / "offline_override.tf").write_text(PROVIDER, "utf-8")
        run(folder, "init", f"-plugin-dir={plugins}", "-input=false")
        made = PLANS / "pipeline"
        made.mkdir(exist_ok=True)
        write(made / "plan.json", plan(folder))


if __name__ == "__main__":
    main()
