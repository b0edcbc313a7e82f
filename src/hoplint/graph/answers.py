"""The three answers to "is there one?"."""

from __future__ import annotations


class Found:
    """There is one, or one that can exist together with the subject."""

    __slots__ = ("candidate",)

    def __init__(self, candidate: object) -> None:
        self.candidate = candidate


class Absent:
    """Every candidate was read to the end and none fits.

    `confidence` is medium where the subject is handed out of its stack, so that another one may supply it.
    """

    __slots__ = ("confidence",)

    def __init__(self, confidence: str = "high") -> None:
        self.confidence = confidence


class CannotTell:
    """Something that could not be read might be it; `blockers` say what, for the user."""

    __slots__ = ("blockers",)

    def __init__(self, blockers: list[str]) -> None:
        self.blockers = blockers


Answer = Found | Absent | CannotTell
