"""Functions that read files, and those on their paths. A file that is not there is unknown: builds make files."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from hoplint.model.value import Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, refuse, text
from hoplint.readers.functions.hashes import base64_of, digest, hexadecimal
from hoplint.readers.hcl_scanner import normal


def _read(path: str, context: Context) -> bytes:
    data = context.read_file(path)
    if data is None:
        raise Stop(Unknown(f"the file {path} cannot be read"))
    return data


def _file(args: list[Value], context: Context) -> Value:
    path = text(args[0])
    try:
        return computed(normal(_read(path, context).decode("utf-8")))
    except UnicodeDecodeError:
        raise refuse(f"contents of {path} are not valid UTF-8") from None


def _filebase64(args: list[Value], context: Context) -> Value:
    return computed(base64_of(_read(text(args[0]), context)))


def _hashed(name: str, shown: Callable[[bytes], str]) -> Function:
    def apply(args: list[Value], context: Context) -> Value:
        return computed(shown(digest(name, _read(text(args[0]), context))))

    return apply


def _fileexists(args: list[Value], context: Context) -> Value:
    _read(text(args[0]), context)
    return computed(True)


def _fileset(args: list[Value], context: Context) -> Value:
    raise Stop(Unknown("fileset() is not computed: name the files in a list"))


def _abspath(args: list[Value], context: Context) -> Value:
    path = text(args[0])
    if path.startswith("/"):
        return computed(posixpath.normpath(path) if not path.startswith("//") else posixpath.normpath(path[1:]))
    raise Stop(Unknown("abspath() depends on where Terraform runs"))


def _pathexpand(args: list[Value], context: Context) -> Value:
    path = text(args[0])
    if path.startswith("~"):
        raise Stop(Unknown("pathexpand() depends on who runs Terraform"))
    return computed(path)


def _basename(args: list[Value], context: Context) -> Value:
    path = text(args[0])
    if not path:
        return computed(".")
    stripped = path.rstrip("/")
    return computed(stripped.rpartition("/")[2] if stripped else "/")


def _dirname(args: list[Value], context: Context) -> Value:
    folder, slash, _ = text(args[0]).rpartition("/")
    cleaned = posixpath.normpath(folder + slash) if folder + slash else "."
    return computed(cleaned[1:] if cleaned.startswith("//") else cleaned)


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "abspath": (_abspath, 1, 1),
    "basename": (_basename, 1, 1),
    "dirname": (_dirname, 1, 1),
    "file": (_file, 1, 1),
    "filebase64": (_filebase64, 1, 1),
    "filebase64sha256": (_hashed("sha256", base64_of), 1, 1),
    "filebase64sha512": (_hashed("sha512", base64_of), 1, 1),
    "fileexists": (_fileexists, 1, 1),
    "filemd5": (_hashed("md5", hexadecimal), 1, 1),
    "fileset": (_fileset, 2, 2),
    "filesha1": (_hashed("sha1", hexadecimal), 1, 1),
    "filesha256": (_hashed("sha256", hexadecimal), 1, 1),
    "filesha512": (_hashed("sha512", hexadecimal), 1, 1),
    "pathexpand": (_pathexpand, 1, 1),
}
