"""What hoplint reports: findings, the places they point at, and the fixes they carry."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from hoplint.model.place import Place, Site

if TYPE_CHECKING:
    from hoplint.model.resource import Resource


class Severity(StrEnum):
    """How bad it is; the order is by weight."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Category(StrEnum):
    """What the mistake costs."""

    LOSS = "loss"
    REJECTED = "rejected"
    DUPLICATES = "duplicates"
    STALL = "stall"
    BLINDSPOT = "blindspot"
    EXPOSURE = "exposure"
    HYGIENE = "hygiene"


class Tier(StrEnum):
    """Whether a rule speaks by default, or only with `--pedantic` or when selected."""

    DEFAULT = "default"
    PEDANTIC = "pedantic"


class Safety(StrEnum):
    """Whether a fix is applied with `--fix`, only with `--unsafe-fixes`, or only shown."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    SHOWN = "shown"


class At:
    """A place with what there is to say about it: a resource, or one of its settings."""

    __slots__ = ("resource", "label", "setting", "site")

    def __init__(
        self, resource: Resource | None, label: str = "", setting: str | None = None, site: Site | None = None
    ) -> None:
        self.resource = resource
        self.label = label
        self.setting = setting
        if site is None:
            assert resource is not None
            site = resource.site(setting)
        self.site = site

    @property
    def address(self) -> str:
        """The address of the resource, or nothing for a file."""
        return self.resource.address if self.resource else ""

    def place(self) -> Place:
        """Compute lines and columns."""
        return self.site.place()


class Edit:
    """Replace a range of a file by a text."""

    __slots__ = ("site", "text")

    def __init__(self, site: Site, text: str) -> None:
        self.site = site
        self.text = text


class Fix:
    """How to mend it: a title, how safe it is, and the edits that do it.

    A `shown` fix has no edits that are applied; its `text` is what to write.
    """

    __slots__ = ("title", "safety", "edits", "text")

    def __init__(
        self, title: str, safety: Safety = Safety.SHOWN, edits: Iterable[Edit] = (), text: str | None = None
    ) -> None:
        self.title = title
        self.safety = safety
        self.edits = tuple(edits)
        self.text = text


class Finding:
    """Something that is proven wrong.

    `primary` is where it is reported, `trail` the further places in the order in which the event meets them.
    `severity`, `tier` and `confidence` override the rule's. `about` lists what else it is about, so that a weaker
    rule gives way there: the queue that a broken alarm is meant for.
    """

    __slots__ = ("message", "primary", "trail", "fix", "severity", "tier", "confidence", "hop", "about")

    def __init__(
        self,
        message: str,
        primary: At,
        trail: Iterable[At] = (),
        *,
        fix: Fix | None = None,
        severity: Severity | None = None,
        tier: Tier | None = None,
        confidence: str = "high",
        hop: object | None = None,
        about: Iterable[Resource] = (),
    ) -> None:
        self.message = message
        self.primary = primary
        self.trail = tuple(trail)
        self.fix = fix
        self.severity = severity
        self.tier = tier
        self.confidence = confidence
        self.hop = hop
        self.about = tuple(about)


class Missing(Finding):
    """Something that is proven absent. It takes only the graph's `Absent` as its proof."""

    __slots__ = ("answer",)

    def __init__(
        self,
        message: str,
        primary: At,
        answer: object,
        trail: Iterable[At] = (),
        *,
        fix: Fix | None = None,
        severity: Severity | None = None,
        tier: Tier | None = None,
        hop: object | None = None,
        about: Iterable[Resource] = (),
    ) -> None:
        confidence = getattr(answer, "confidence", None)
        if confidence is None:
            raise TypeError("Missing() takes the graph's Absent answer")
        super().__init__(
            message, primary, trail, fix=fix, severity=severity, tier=tier, confidence=confidence, hop=hop, about=about
        )
        self.answer = answer


class InputProblem(Finding):
    """A finding of the readers: `code` is one of group 0."""

    __slots__ = ("code",)

    def __init__(self, code: int, message: str, site: Site, resource: Resource | None = None,
                 severity: Severity | None = None) -> None:  # fmt: skip
        super().__init__(message, At(resource, "", None, site), severity=severity)
        self.code = code
