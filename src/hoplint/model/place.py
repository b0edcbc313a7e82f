"""Where something stands: source texts, spans in them, and the lines and columns that people read.

Lines and columns count from 1, columns in Unicode code points, ends exclusive. Values keep a *site* (a span or a
node), and a place is computed only for what is printed.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol


class Place:
    """A range of a file as people read it."""

    __slots__ = ("path", "line", "column", "end_line", "end_column")

    def __init__(self, path: str, line: int = 1, column: int = 1, end_line: int = 1, end_column: int = 1) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column

    def key(self) -> tuple[str, int, int, int, int]:
        """Order and identity of the place."""
        return (self.path, self.line, self.column, self.end_line, self.end_column)

    def __repr__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}-{self.end_line}:{self.end_column}"


class Source:
    """The text of one file, as bytes, with its lines found when first asked for.

    `path` is the path as the tree names it: relative to the boundary, with `/`.
    """

    __slots__ = ("path", "data", "_starts")

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Byte offsets at which the lines start."""
        if self._starts is None:
            starts = [0]
            find = self.data.find
            at = find(b"\n")
            while at >= 0:
                starts.append(at + 1)
                at = find(b"\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Turn a byte offset into line and column."""
        line = bisect_right(self.starts, offset)
        begin = self.starts[line - 1]
        return line, len(self.data[begin:offset].decode("utf-8", "replace")) + 1

    def place(self, start: int, end: int) -> Place:
        """Turn a range of byte offsets into a place."""
        return Place(self.path, *self.position(start), *self.position(max(start, end)))

    def line_text(self, line: int) -> str:
        """Return one line without its end, or an empty string past the last."""
        if not 1 <= line <= len(self.starts):
            return ""
        begin = self.starts[line - 1]
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.data)
        return self.data[begin:end].decode("utf-8", "replace").rstrip("\r")


class Site(Protocol):
    """Something that can say where it stands."""

    @property
    def source(self) -> Source:
        """The text that it stands in."""

    def place(self) -> Place:
        """Compute lines and columns."""


class Span:
    """A range of bytes of a source."""

    __slots__ = ("source", "start", "end")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    def place(self) -> Place:
        """Compute lines and columns."""
        return self.source.place(self.start, self.end)


class Spot:
    """A place that is already known: a parser's error, or a whole file."""

    __slots__ = ("source", "_place")

    def __init__(self, source: Source, place: Place | None = None) -> None:
        self.source = source
        self._place = place or Place(source.path)

    def place(self) -> Place:
        """Return the place."""
        return self._place
