"""Names and bytes of what is linted: the disk, within a boundary that nothing leaves.

Readers never open a file themselves. Paths are relative to the boundary, with `/`; the boundary itself is the empty
string.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path

LARGEST = 10 * 1024 * 1024
MARKS = (b"\xff\xfe", b"\xfe\xff")


class Tree:
    """The files below a boundary."""

    def __init__(self, root: str | Path) -> None:
        self.root = os.path.realpath(root)
        self.refused: dict[str, str] = {}
        """Paths that were asked for and not given, with the reason."""
        self._read: dict[str, bytes | None] = {}
        self._names: dict[str, list[str]] = {}
        self._folders: set[str] = set()

    def relative(self, path: str | Path) -> str | None:
        """Name a path of the disk from the boundary, or None if it is outside."""
        real = os.path.realpath(path)
        if real == self.root:
            return ""
        prefix = self.root if self.root.endswith(os.sep) else self.root + os.sep
        return real[len(prefix) :].replace(os.sep, "/") if real.startswith(prefix) else None

    def _locate(self, path: str) -> str | None:
        """The path on disk, or None if it leaves the boundary, through `..` or through a link."""
        plain = posixpath.normpath(path) if path else "."
        if plain.startswith("../") or plain == ".." or posixpath.isabs(plain) or "\0" in plain:
            self.refused[path] = "outside the boundary"
            return None
        full = os.path.join(self.root, plain)
        if self.relative(full) is None:
            self.refused[path] = "a link leads outside the boundary"
            return None
        return full

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None if it is missing, outside, no regular file, or over 10 MB."""
        if path in self._read:
            return self._read[path]
        data: bytes | None = None
        full = self._locate(path)
        if full is not None:
            try:
                if not os.path.isfile(full):
                    self.refused[path] = "no such file" if not os.path.exists(full) else "not a regular file"
                elif os.path.getsize(full) > LARGEST:
                    self.refused[path] = "over 10 MB"
                else:
                    with open(full, "rb") as file:
                        data = file.read()
            except OSError as error:
                self.refused[path] = error.strerror or "cannot be read"
        self._read[path] = data
        return data

    def given(self) -> Iterator[tuple[str, bytes]]:
        """Every file that was read so far."""
        for path, data in self._read.items():
            if data is not None:
                yield path, data

    def list(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; folders end in `/`. A folder that cannot be read is empty."""
        known = self._names.get(folder)
        if known is not None:
            return known
        names: list[str] = []
        full = self._locate(folder)
        if full is not None:
            try:
                with os.scandir(full) as entries:
                    names = sorted(entry.name + ("/" if _is_folder(entry) else "") for entry in entries)
            except OSError as error:
                self.refused[folder] = error.strerror or "cannot be read"
        self._names[folder] = names
        return names

    def real(self, path: str) -> str:
        """The one name of a file or folder, however many links lead to it."""
        full = self._locate(path)
        found = self.relative(full) if full is not None else None
        return path if found is None else found

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there, within the boundary."""
        full = self._locate(path)
        return full is not None and os.path.exists(full)

    def is_dir(self, path: str) -> bool:
        """Whether a folder is there, within the boundary."""
        full = self._locate(path)
        return full is not None and os.path.isdir(full)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link that leads into itself is neither.
        return False


def packaged() -> Tree:
    """What comes with hoplint: the modules that stand in for well-known ones which are not on disk."""
    return Tree(Path(__file__).resolve().parents[1] / "module_models")


def refusal(data: bytes, *, wide: bool = False) -> str | None:
    """Why bytes are not taken for text, or None. `wide` admits UTF-16 with a byte order mark."""
    if data.startswith(MARKS):
        return None if wide else "it is UTF-16; save it as UTF-8"
    if b"\0" in data[:8192]:
        return "it is a binary file"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} is not UTF-8; save it as UTF-8"
    return None


def join(folder: str, name: str) -> str:
    """Join and normalise a path within the tree; it may begin with `..` when it leaves."""
    joined = posixpath.normpath(posixpath.join(folder, name)) if folder or name else ""
    return "" if joined == "." else joined


def boundary_of(path: str | Path, working: str | Path) -> str:
    """The nearest parent that holds `.git`, else the working folder if it holds the path, else the path itself."""
    real = Path(os.path.realpath(path))
    start = real if real.is_dir() else real.parent
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return str(folder)
    here = Path(os.path.realpath(working))
    return str(here if here == start or here in start.parents else start)
