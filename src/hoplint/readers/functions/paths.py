"""Functions that read files, and those on their paths. A file that is not there is unknown: builds make files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from hoplint.model.value import COMPUTED, Known, Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, refuse, text
from hoplint.readers.functions.hashes import base64_of, digest, hexadecimal
from hoplint.readers.hcl_scanner import normal

# What builds make lies in no checkout.
MADE = (".zip", ".jar", ".whl", ".tar", ".gz", ".tgz")
MOST_PATTERNS, MOST_FILES, DEEPEST = 200, 20_000, 40
_BRACES = re.compile(r"\{([^{}]*)\}")
_PIECES = re.compile(r"\*+|\?|\[[^\]]+\]|\\.|.", re.DOTALL)


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
    path = text(args[0])
    if context.read_file(path) is not None:
        return computed(True)
    folder, _, name = path.rpartition("/")
    names = context.list_folder(folder or ("/" if path.startswith("/") else "."))
    if names is None or name in names or f"{name}/" in names or name.endswith(MADE):
        raise Stop(Unknown(f"whether there is a file {path} is known only where Terraform runs"))
    return computed(False)


def _fileset(args: list[Value], context: Context) -> Value:
    folder, pattern = text(args[0]), text(args[1])
    if context.list_folder(folder) is None:
        raise Stop(Unknown(f"the folder {folder} cannot be read"))
    found: set[str] = set()
    for one in _alternatives(pattern):
        _match(folder, "", _segments(one), found, context)
    return Known([computed(path) for path in sorted(found)], None, COMPUTED, unordered=True)


def _alternatives(pattern: str) -> list[str]:
    """The patterns that one with `{a,b}` stands for."""
    found, left = [], [pattern]
    while left:
        one = left.pop()
        braces = _BRACES.search(one)
        if braces is None:
            found.append(one)
        else:
            left += [one[: braces.start()] + part + one[braces.end() :] for part in braces[1].split(",")]
        if len(found) + len(left) > MOST_PATTERNS:
            raise Stop(Unknown("the pattern has too many alternatives"))
    return found


def _segments(pattern: str) -> list[re.Pattern[str] | None]:
    """One expression for each folder of a pattern; None for `**`, which is any number of folders."""
    segments: list[re.Pattern[str] | None] = []
    for part in posixpath.normpath(pattern).split("/"):
        if part == "..":
            raise Stop(Unknown("the pattern leaves its folder"))
        if part == "**":
            if segments[-1:] != [None]:
                segments.append(None)
            continue
        try:
            segments.append(re.compile("".join(_piece(piece) for piece in _PIECES.findall(part)), re.DOTALL))
        except re.error:
            raise refuse(f"{pattern} is no valid pattern") from None
    if segments[-1] is None:
        segments.append(re.compile(".*", re.DOTALL))
    return segments


def _piece(piece: str) -> str:
    if piece[0] == "*":
        return ".*"
    if piece == "?":
        return "."
    if piece[0] == "[" and len(piece) > 1:
        return piece
    return re.escape(piece[-1])


def _match(
    folder: str, below: str, segments: list[re.Pattern[str] | None], found: set[str], context: Context
) -> None:
    names = context.list_folder(f"{folder}/{below}" if below else folder) or []
    first, rest = segments[0], segments[1:]
    if len(found) > MOST_FILES or below.count("/") > DEEPEST:
        raise Stop(Unknown(f"the folder {folder} holds too much"))
    if first is None:
        _match(folder, below, rest, found, context)
    for name in names:
        if name.endswith("/"):
            if first is None:
                _match(folder, below + name, segments, found, context)
            elif rest and first.fullmatch(name[:-1]):
                _match(folder, below + name, rest, found, context)
        elif first is not None and not rest and first.fullmatch(name):
            found.add(below + name)


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
