"""Regular expressions: Go's, turned into Python's where both mean the same, refused or left unknown elsewhere."""

from __future__ import annotations

import re

from hoplint.model.value import Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, refuse, text
from hoplint.readers.functions.typesystem import listed

LONGEST_PATTERN = 2000
MOST_STEPS = 20_000_000

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_SPACE = r"\t\n\f\r "
_REPEAT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_NAMED = re.compile(r"\(\?P?<([A-Za-z_0-9]+)>")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_CODE = re.compile(r"\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"\\([1-7][0-7]{1,2}|0[0-7]{0,2})")
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
_REFERENCE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))")


class _Translator:
    """Reads a pattern once, left to right, and writes what Python understands."""

    __slots__ = ("pattern", "at", "out", "flags", "groups", "unbounded", "nested")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.flags = {"i": False, "m": False, "s": False}
        self.groups = 0
        self.unbounded = 0
        self.nested = False

    def refuse(self, what: str) -> Stop:
        return refuse(f"invalid regexp pattern: {what}")

    def unknown(self, what: str) -> Stop:
        return Stop(Unknown(f"{what} in regular expressions is not computed"))

    def translate(self) -> str:
        self.alternatives(0)
        if self.at < len(self.pattern):
            raise self.refuse("unexpected )")
        return "".join(self.out)

    def alternatives(self, depth: int) -> bool:
        """Read up to a closing parenthesis; says whether something in it repeats without end, or has alternatives."""
        if depth > 40:
            raise self.unknown("deep nesting")
        repeats = False
        outer = dict(self.flags)
        while self.at < len(self.pattern) and self.pattern[self.at] != ")":
            char = self.pattern[self.at]
            if char == "|":
                self.out.append("|")
                self.at += 1
                repeats = True
                continue
            flags = _FLAGS.match(self.pattern, self.at)
            if flags and flags.group(3) == ")":
                self.set_flags(flags)
                self.at = flags.end()
                continue
            start = len(self.out)
            inner = self.atom(depth)
            if self.quantifiers(start, inner) or inner:
                repeats = True
        self.flags = outer
        return repeats

    def set_flags(self, found: re.Match[str]) -> None:
        if "U" in found.group(1) + (found.group(2) or ""):
            raise self.unknown("the flag U")
        if not found.group(1) and not found.group(2) and found.group(3) == ")":
            raise self.refuse("missing argument to repetition operator")
        for flag in found.group(1):
            self.flags[flag] = True
        for flag in found.group(2) or "":
            self.flags[flag] = False

    def emit(self, piece: str) -> None:
        """Write a piece that letter case may matter to."""
        self.out.append(f"(?i:{piece})" if self.flags["i"] else piece)

    def atom(self, depth: int) -> bool:
        char = self.pattern[self.at]
        if char == "(":
            return self.group(depth)
        if char == "[":
            self.emit(self.char_class())
        elif char == "\\":
            self.escape()
        elif char == ".":
            self.out.append(r"(?s:.)" if self.flags["s"] else r"[^\n]")
            self.at += 1
        elif char == "^":
            self.out.append("(?m:^)" if self.flags["m"] else r"\A")
            self.at += 1
        elif char == "$":
            self.out.append("(?m:$)" if self.flags["m"] else r"\Z")
            self.at += 1
        elif char in "*+?":
            raise self.refuse("missing argument to repetition operator")
        elif char == "{":
            if _REPEAT.match(self.pattern, self.at):
                raise self.refuse("missing argument to repetition operator")
            self.out.append(r"\{")
            self.at += 1
        else:
            self.emit(re.escape(char))
            self.at += 1
        return False

    def group(self, depth: int) -> bool:
        pattern = self.pattern
        named = _NAMED.match(pattern, self.at)
        flags = _FLAGS.match(pattern, self.at)
        outer = dict(self.flags)
        if named:
            if named.group(1)[0].isdigit():
                raise self.unknown("a group whose name starts with a digit")
            self.out.append(f"(?P<{named.group(1)}>")
            self.at = named.end()
            self.groups += 1
        elif flags:
            self.set_flags(flags)
            self.out.append("(?:")
            self.at = flags.end()
        elif pattern.startswith("(?", self.at):
            raise self.refuse("invalid or unsupported Perl syntax")
        else:
            self.out.append("(")
            self.at += 1
            self.groups += 1
        repeats = self.alternatives(depth + 1)
        if self.at >= len(pattern):
            raise self.refuse("missing closing )")
        self.at += 1
        self.out.append(")")
        self.flags = outer
        return repeats

    def quantifiers(self, start: int, inner: bool) -> bool:
        """Read what repeats the last atom, if anything does."""
        pattern = self.pattern
        char = pattern[self.at : self.at + 1]
        repeat = _REPEAT.match(pattern, self.at) if char == "{" else None
        if char in ("*", "+", "?") and char:
            written = char
            self.at += 1
            often = char != "?"
        elif repeat:
            low, comma, high = repeat.groups()
            if int(low) > 1000 or (high and (int(high) > 1000 or int(high) < int(low))):
                raise self.refuse("invalid repeat count")
            written = repeat.group()
            self.at = repeat.end()
            often = bool(comma and not high) or int(high or low) > 1
        else:
            return False
        if pattern[self.at : self.at + 1] == "?":
            written += "?"
            self.at += 1
        following = pattern[self.at : self.at + 1]
        if (following and following in "*+?") or (following == "{" and _REPEAT.match(pattern, self.at)):
            raise self.refuse("invalid nested repetition operator")
        piece = "".join(self.out[start:])
        if piece in (r"\A", r"\Z", "(?m:^)", "(?m:$)", r"\b", r"\B", ""):
            piece = f"(?:{piece})"
        self.out[start:] = [piece, written]
        if often:
            self.unbounded += 1
            self.nested = self.nested or inner
        return True

    def escape(self) -> None:
        pattern = self.pattern
        following = pattern[self.at + 1 : self.at + 2]
        code = _CODE.match(pattern, self.at)
        octal = _OCTAL.match(pattern, self.at)
        if code:
            number = int(code.group(1) or code.group(2), 16)
            if number > 0x10FFFF:
                raise self.refuse("invalid escape sequence")
            self.emit(re.escape(chr(number)))
            self.at = code.end()
            return
        if octal:
            self.emit(re.escape(chr(int(octal.group(1), 8))))
            self.at = octal.end()
            return
        if following == "Q":
            end = pattern.find(r"\E", self.at)
            literal = pattern[self.at + 2 : end if end >= 0 else len(pattern)]
            for char in literal:
                self.emit(re.escape(char))
            self.at = end + 2 if end >= 0 else len(pattern)
            return
        self.at += 2
        if following in ("A", "b", "B"):
            self.out.append("\\" + following)
        elif following == "z":
            self.out.append(r"\Z")
        elif following in ("d", "D", "w", "W"):
            self.out.append("\\" + following)
        elif following in ("s", "S"):
            self.out.append(f"[{'^' if following == 'S' else ''}{_SPACE}]")
        elif following in ("p", "P", "C"):
            raise self.unknown(f"\\{following}")
        elif following and following in "afnrtv":
            self.out.append("\\" + following)
        elif following and following.isascii() and not following.isalnum():
            self.out.append(re.escape(following))
        else:
            raise self.refuse("invalid escape sequence" if following else "trailing backslash at end of expression")

    def char_class(self) -> str:
        pattern = self.pattern
        at = self.at + 1
        out = "["
        if pattern[at : at + 1] == "^":
            out += "^"
            at += 1
        first = True
        while True:
            char = pattern[at : at + 1]
            if not char:
                raise self.refuse("missing closing ]")
            if char == "]" and not first:
                break
            first = False
            posix = _POSIX.match(pattern, at)
            if posix:
                if posix.group(2) not in _CLASSES:
                    raise self.refuse("invalid character class range")
                if posix.group(1):
                    raise self.unknown("a negated class of characters")
                out += _CLASSES[posix.group(2)]
                at = posix.end()
                continue
            low, at, single = self.class_char(at)
            if single and pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
                high, at, single = self.class_char(at + 1)
                if not single or ord(high) < ord(low):
                    raise self.refuse("invalid character class range")
                out += f"{_in_class(low)}-{_in_class(high)}"
            else:
                out += _in_class(low) if single else low
        self.at = at + 1
        return out + "]"

    def class_char(self, at: int) -> tuple[str, int, bool]:
        """A member of a class: its text, where it ends, and whether it is one character."""
        pattern = self.pattern
        char = pattern[at]
        if char != "\\":
            return char, at + 1, True
        code = _CODE.match(pattern, at)
        if code:
            return chr(int(code.group(1) or code.group(2), 16)), code.end(), True
        octal = _OCTAL.match(pattern, at)
        if octal:
            return chr(int(octal.group(1), 8)), octal.end(), True
        following = pattern[at + 1 : at + 2]
        if following and following in "dDwW":
            return "\\" + following, at + 2, False
        if following == "s":
            return _SPACE, at + 2, False
        if following and following in "SpPC":
            raise self.unknown(f"\\{following} in a class")
        plain = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}.get(following)
        if plain:
            return plain, at + 2, True
        if following and following.isascii() and not following.isalnum():
            return following, at + 2, True
        raise self.refuse("invalid escape sequence")


def _in_class(char: str) -> str:
    return "\\" + char if char in "\\]^-[&~|" else char


def compiled(pattern: str, subject: str) -> re.Pattern[str]:
    """The pattern in Python's form, unless trying it could take too long."""
    if len(pattern) > LONGEST_PATTERN:
        raise Stop(Unknown("the regular expression is too long to be computed"))
    translator = _Translator(pattern)
    written = translator.translate()
    length = len(subject) + 1
    loops = translator.unbounded + (0 if written.startswith("\\A") else 1)
    steps = 2 ** min(length, 60) if translator.nested else length ** min(loops, 12)
    if steps > MOST_STEPS:
        raise Stop(Unknown("the regular expression could take too long to be computed"))
    try:
        return re.compile(written, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        raise Stop(Unknown("the regular expression is not understood")) from None


def _captured(pattern: re.Pattern[str], found: re.Match[str]) -> Value:
    if not pattern.groups:
        return computed(found.group())
    if pattern.groupindex:
        return computed({name: computed(found.group(name)) for name in pattern.groupindex})
    return listed([computed(group) for group in found.groups()])


def _prepared(args: list[Value]) -> tuple[re.Pattern[str], str]:
    pattern, subject = text(args[0]), text(args[1])
    made = compiled(pattern, subject)
    if made.groupindex and len(made.groupindex) < made.groups:
        raise refuse("invalid regexp pattern: cannot mix both named and unnamed capture groups")
    return made, subject


def _regex(args: list[Value], context: Context) -> Value:
    pattern, subject = _prepared(args)
    found = pattern.search(subject)
    if found is None:
        raise refuse("pattern did not match any part of the given string")
    return _captured(pattern, found)


def _matches(pattern: re.Pattern[str], subject: str) -> list[re.Match[str]]:
    """All matches; as in Go, an empty one does not follow directly on another, and a search starts past it."""
    found: list[re.Match[str]] = []
    at, before = 0, -1
    while at <= len(subject):
        match = pattern.search(subject, at)
        if match is None:
            break
        if match.end() == at:
            if match.start() != before:
                found.append(match)
            at += 1
        else:
            found.append(match)
            at = match.end()
        before = match.end()
    return found


def _regexall(args: list[Value], context: Context) -> Value:
    pattern, subject = _prepared(args)
    return listed([_captured(pattern, found) for found in _matches(pattern, subject)])


def replace_pattern(pattern: str, subject: str, replacement: str) -> str:
    """Replace all matches; `$1`, `${name}` and `$$` stand for groups and a dollar."""
    made = compiled(pattern, subject)
    done: list[str] = []
    at = copied = 0
    while at <= len(subject):
        found = made.search(subject, at)
        if found is None:
            break
        done.append(subject[copied : found.start()])
        if found.end() > copied or found.start() == 0:
            done.append(_expanded(replacement, found))
        copied = found.end()
        at = max(at + 1, copied)
    return "".join(done) + subject[copied:]


def _expanded(replacement: str, found: re.Match[str]) -> str:
    return _REFERENCE.sub(lambda reference: _group(reference, found), replacement)


def _group(reference: re.Match[str], found: re.Match[str]) -> str:
    if reference.group(1):
        return "$"
    name = reference.group(2) or reference.group(3)
    if name.isdigit() and name[0] == "0" and name != "0":
        return ""
    try:
        return found.group(int(name) if name.isdigit() else name) or ""
    except (IndexError, ValueError):
        return ""


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "regex": (_regex, 2, 2),
    "regexall": (_regexall, 2, 2),
}
