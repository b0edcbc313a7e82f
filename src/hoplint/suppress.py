"""Findings that their authors have seen and accepted: comments and metadata, each with a reason."""

from __future__ import annotations

import re

from hoplint.model.place import Place, Site, Source, Spot

COMMENT = re.compile(r"(?:#|//|/\*|<!--)[ \t]*hoplint:[ \t]*(?P<text>.*?)[ \t]*(?:\*/)?[ \t]*$")
IGNORE = re.compile(r"ignore\[(?P<names>[^\]]*)\](?P<reason>.*)$")


class Ignore:
    """One place where rules are ignored, and why.

    A comment covers findings with a place on its own line or the line below; metadata covers its resource.
    """

    __slots__ = ("names", "reason", "site", "path", "line", "address", "used", "problem")

    def __init__(
        self,
        names: list[str],
        reason: str,
        site: Site,
        *,
        path: str = "",
        line: int = 0,
        address: str | None = None,
        problem: str | None = None,
    ) -> None:
        self.names = names
        self.reason = reason
        self.site = site
        self.path = path
        self.line = line
        self.address = address
        self.used: set[str] = set()
        self.problem = problem

    def covers(self, place: Place) -> bool:
        """Whether a comment stands on a line of the place, or on the line above it."""
        return place.path == self.path and place.line - 1 <= self.line <= max(place.end_line, place.line)


def comments(source: Source) -> list[Ignore]:
    """The ignore comments of a file."""
    found: list[Ignore] = []
    if b"hoplint:" not in source.data:
        return found
    for number in range(1, len(source.starts) + 1):
        line = source.line_text(number)
        if "hoplint:" not in line:
            continue
        match = COMMENT.search(line)
        if match is None:
            continue
        column = match.start() + 1
        spot = Spot(source, Place(source.path, number, column, number, len(line) + 1))
        ignore = IGNORE.match(match["text"])
        if ignore is None:
            found.append(
                Ignore([], "", spot, path=source.path, line=number, problem="write `hoplint: ignore[rule-id] reason`")
            )
            continue
        names = [name.strip() for name in ignore["names"].split(",") if name.strip()]
        problem = None if names else "it names no rule"
        found.append(Ignore(names, ignore["reason"].strip(), spot, path=source.path, line=number, problem=problem))
    return found
