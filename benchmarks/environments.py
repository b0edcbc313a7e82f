"""Virtual environments for hoplint and for each peer, kept in a cache folder."""

import subprocess
import sys
import venv
from pathlib import Path

PARSERS = ("PyYAML", "tree-sitter", "tree-sitter-hcl")


class InstallError(Exception):
    """pip could not install what a measurement needs."""


class Environments:
    """Makes each environment once; one whose requirements have changed is made anew."""

    def __init__(self, cache: Path) -> None:
        """Keep the environments below ``cache``."""
        self._cache = cache

    def of(self, name: str, *requirements: str) -> Path:
        """The ``bin`` folder of an environment that holds exactly these requirements."""
        folder = self._folder(name)
        marker = folder / "requirements.txt"
        wanted = "\n".join(requirements)
        if not marker.exists() or marker.read_text(encoding="utf-8") != wanted:
            venv.create(folder, with_pip=True, clear=True)
            _pip(folder, *requirements)
            marker.write_text(wanted, encoding="utf-8")
        return folder / "bin"

    def of_checkout(self, name: str, root: Path) -> Path:
        """The ``bin`` folder of an environment with the checkout as it is now, installed as a user would."""
        folder = self._folder(name)
        if not (folder / "bin" / "python").exists():
            venv.create(folder, with_pip=True, clear=True)
        _pip(folder, str(root))
        return folder / "bin"

    def _folder(self, name: str) -> Path:
        return self._cache / f"{name}-py{sys.version_info.major}.{sys.version_info.minor}"


def version(bin_folder: Path, package: str) -> str:
    """The version of a package in an environment."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([bin_folder / "python", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def has_parsers(python: Path) -> bool:
    """Whether an interpreter can import the parsers that the floor is measured with."""
    code = "import yaml, tree_sitter, tree_sitter_hcl"
    return python.exists() and subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def _pip(folder: Path, *requirements: str) -> None:
    python = folder / "bin" / "python"
    argv = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallError(f"pip install {' '.join(requirements)}\n{done.stderr.strip()[-2000:]}")
