"""What functions may see of the disk: files below the root, through the tree."""

from __future__ import annotations

from hoplint.readers.tree import Tree, join


class FileAccess:
    __slots__ = ("tree", "folder")

    def __init__(self, tree: Tree, folder: str) -> None:
        self.tree = tree
        self.folder = folder

    def locate(self, path: str) -> str | None:
        return join(self.folder, path)
