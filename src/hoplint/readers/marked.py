"""YAML and JSON as trees whose nodes know where they stand.

Trees are read lazily: the parsers' own trees are kept, and a node of ours is made when it is asked for.
"""

from __future__ import annotations

from hoplint.model.place import Source
from hoplint.readers.marked_json import load_json
from hoplint.readers.marked_yaml import load_yaml
from hoplint.readers.nodes import Document

BOM = b"\xef\xbb\xbf"


def load(path: str, data: bytes) -> Document:
    """Parse a file: JSON if it starts with a brace, else YAML."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            return _refused(path, b"", "the file says that it is UTF-16 and is not")
    elif data.startswith(BOM):
        data = data[3:]
    document = Document(Source(path, data))
    if b"\0" in data[:8192]:
        return _refused(path, data, "the file is binary")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = document.source.position(error.start)
        document.fault("the file is not UTF-8", line, column)
        return document
    if data[:256].lstrip()[:1] in (b"{", b"["):
        load_json(document)
        if document.root is None and path.endswith((".yaml", ".yml")):
            again = Document(document.source)
            load_yaml(again)
            return again if again.root is not None else document
        return document
    load_yaml(document)
    return document


def _refused(path: str, data: bytes, message: str) -> Document:
    document = Document(Source(path, data))
    document.fault(message, 1, 1)
    return document
