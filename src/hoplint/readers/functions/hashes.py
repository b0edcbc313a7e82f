"""Hashes and identifiers; those that differ from run to run are unknown."""

from __future__ import annotations

from collections.abc import Callable

from hoplint.model.value import Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, refuse, text


def digest(name: str, data: bytes) -> bytes:
    """The hash of bytes."""
    import hashlib

    return hashlib.new(name, data, usedforsecurity=False).digest()


def hexadecimal(data: bytes) -> str:
    """Bytes in hexadecimal."""
    return data.hex()


def base64_of(data: bytes) -> str:
    """Bytes in base64."""
    import base64

    return base64.b64encode(data).decode()


def _hashed(name: str, shown: Callable[[bytes], str]) -> Function:
    def apply(args: list[Value], context: Context) -> Value:
        return computed(shown(digest(name, text(args[0]).encode())))

    return apply


def _uuidv5(args: list[Value], context: Context) -> Value:
    import uuid

    spaces = {"dns": uuid.NAMESPACE_DNS, "url": uuid.NAMESPACE_URL, "oid": uuid.NAMESPACE_OID,
              "x500": uuid.NAMESPACE_X500}  # fmt: skip
    written = text(args[0])
    space = spaces.get(written)
    if space is None:
        try:
            space = uuid.UUID(written)
        except ValueError:
            raise refuse(f"uuidv5() doesn't support namespace {written[:60]}") from None
    return computed(str(uuid.uuid5(space, text(args[1]))))


def _differs(what: str) -> Function:
    def apply(args: list[Value], context: Context) -> Value:
        raise Stop(Unknown(what))

    return apply


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "base64sha256": (_hashed("sha256", base64_of), 1, 1),
    "base64sha512": (_hashed("sha512", base64_of), 1, 1),
    "bcrypt": (_differs("bcrypt() gives another result in each run"), 1, 2),
    "md5": (_hashed("md5", hexadecimal), 1, 1),
    "rsadecrypt": (_differs("rsadecrypt() is not computed: its result is a secret"), 2, 2),
    "sha1": (_hashed("sha1", hexadecimal), 1, 1),
    "sha256": (_hashed("sha256", hexadecimal), 1, 1),
    "sha512": (_hashed("sha512", hexadecimal), 1, 1),
    "uuid": (_differs("uuid() gives another result in each run"), 0, 0),
    "uuidv5": (_uuidv5, 2, 2),
}
