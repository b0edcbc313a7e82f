"""What is being asked at the moment: the scenario that decides choices, and the doubts met on the way.

Rules ask `certainly(...)` and `possibly(...)`; an answer that is neither certain nor impossible is recorded as a doubt,
and the engine reports the doubts of a subject on which a rule says nothing as *undecided*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplint.model.condition import Condition, Scenario
from hoplint.model.number import Test
from hoplint.model.place import Site
from hoplint.model.value import Choice, Value

if TYPE_CHECKING:
    from hoplint.model.resource import Resource


class Doubt:
    """Something that could not be decided: why, and where."""

    __slots__ = ("why", "resource", "site")

    def __init__(self, why: str, resource: Resource | None = None, site: Site | None = None) -> None:
        self.why = why
        self.resource = resource
        self.site = site

    def __repr__(self) -> str:
        return f"Doubt({self.why})"


class Inquiry:
    """One look at one subject: its scenario and the doubts it met."""

    __slots__ = ("scenario", "doubts", "readings")

    def __init__(self, scenario: Scenario | None = None) -> None:
        self.scenario = scenario or Scenario()
        self.doubts: list[Doubt] = []
        self.readings: dict[str, Doubt] = {}
        """Unknown numbers that were read, by their reason: where a doubt about them belongs."""


_current = Inquiry()


def begin(scenario: Scenario | None = None) -> Inquiry:
    """Start a new look; what follows is asked in this scenario."""
    global _current
    _current = Inquiry(scenario)
    return _current


def current() -> Inquiry:
    """The look that is under way."""
    return _current


def doubt(why: str, resource: Resource | None = None, site: Site | None = None) -> None:
    """Record that something could not be decided."""
    _current.doubts.append(Doubt(why, resource, site))


def noted(why: str, resource: Resource, site: Site | None) -> None:
    """Note that an unknown number was read: no doubt yet, but if one comes of it, it belongs there."""
    _current.readings.setdefault(why, Doubt(why, resource, site))


def _doubt(test: Test) -> None:
    _current.doubts.append(_current.readings.get(test.why) or Doubt(test.why))


def settle(value: Value) -> Value:
    """Pick the branch of a choice that the scenario decides."""
    while isinstance(value, Choice):
        branch = value.then if value.condition.holds(_current.scenario) else value.otherwise
        value = branch.moved(branch.site, value.through + branch.through) if value.through else branch
    return value


def holds(condition: Condition) -> bool:
    """Whether a condition holds in the scenario."""
    return condition.holds(_current.scenario)


def certainly(test: Test) -> bool:
    """Whether the test holds for every value that the unknowns can take; what is merely possible is recorded."""
    if test.possible and not test.certain:
        _doubt(test)
    return test.certain


def possibly(test: Test) -> bool:
    """Whether the test holds for some value that the unknowns can take; what is merely possible is recorded."""
    if test.possible and not test.certain:
        _doubt(test)
    return test.possible
