"""The graph of hops over all stacks of a run, and the questions that rules ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from hoplint.graph.answers import Absent, Answer, CannotTell, Found
from hoplint.graph.hops import UNKNOWN_METRIC, Hop, Poll, Push, Redrive, Watch
from hoplint.model.condition import Atom, Condition, Scenario, can_hold
from hoplint.model.inquiry import Inquiry, begin, doubt
from hoplint.model.number import NO, YES, Test, maybe
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import Known, Ref, Text, Value, branches, is_null, reason

MANY_SCENARIOS = 16

Item = TypeVar("Item", bound=Resource | Hop)
Assignment = dict[Atom, str]


class Loose:
    """A part of some kind that exists, but whose place or content cannot be known.

    `subject` is the one resource that it may belong to, or None where that may be any.
    """

    __slots__ = ("kind", "declared_by", "why", "subject")

    def __init__(self, kind: str, declared_by: Resource, why: str, subject: Resource | None = None) -> None:
        self.kind = kind
        self.declared_by = declared_by
        self.why = why
        self.subject = subject


class Look:
    """One look at one subject: the scenario, whether the subject is there in it, and the doubts met."""

    __slots__ = ("item", "inquiry", "applies")

    def __init__(self, item: Resource | Hop, inquiry: Inquiry, applies: bool) -> None:
        self.item = item
        self.inquiry = inquiry
        self.applies = applies


class Graph:
    """Resources and hops of every stack of the run."""

    def __init__(self, stacks: list[Stack]) -> None:
        self.stacks = stacks
        self.by_kind: dict[str, list[Resource]] = {}
        self.by_hop: dict[type[Hop], list[Hop]] = {}
        self.loose: dict[str, list[Loose]] = {}
        self.groups: dict[Stack, Stack] = {}
        self.exposures: dict[Resource, list[str]] = {}
        self.exported: set[Resource] = set()
        self.looks: list[Look] = []
        self.resolver: Callable[[Resource, str, tuple[str, ...]], list[Resource]] = lambda by, name, kinds: []
        self._leaving: dict[Resource, list[Hop]] | None = None
        self._arriving: dict[Resource, list[Hop]] | None = None

    # What is there

    def of(self, *kinds: str) -> list[Resource]:
        """Every resource of the kinds, in the order of reading."""
        if len(kinds) == 1:
            return self.by_kind.get(kinds[0], [])
        return [resource for kind in kinds for resource in self.by_kind.get(kind, ())]

    def hops(self, *types: type[Hop]) -> list[Hop]:
        """Every hop of the types, without regard to conditions."""
        return [hop for kind in types for hop in self.by_hop.get(kind, ())]

    def out_of(self, resource: Resource, *types: type[Hop]) -> list[Hop]:
        """The hops that leave a resource."""
        if self._leaving is None:
            self._leaving = {}
            for hops in self.by_hop.values():
                for hop in hops:
                    self._leaving.setdefault(hop.source, []).append(hop)
        found = self._leaving.get(resource, [])
        return [hop for hop in found if isinstance(hop, types)] if types else found

    def into(self, resource: Resource, *types: type[Hop]) -> list[Hop]:
        """The hops that arrive at a resource."""
        if self._arriving is None:
            self._arriving = {}
            for hops in self.by_hop.values():
                for hop in hops:
                    self._arriving.setdefault(hop.to, []).append(hop)
        found = self._arriving.get(resource, [])
        return [hop for hop in found if isinstance(hop, types)] if types else found

    def add(self, hop: Hop) -> None:
        """Enter a hop."""
        self.by_hop.setdefault(type(hop), []).append(hop)

    def join(self, one: Stack, other: Stack) -> None:
        """Note that two stacks are deployed side by side and see each other."""
        first, second = self.group(one), self.group(other)
        if first is not second:
            self.groups[second] = first

    def group(self, stack: Stack) -> Stack:
        """The stack that stands for all that are joined with this one."""
        while stack in self.groups:
            stack = self.groups[stack]
        return stack

    def joined(self, one: Stack, other: Stack) -> bool:
        """Whether two stacks are the same or joined."""
        return one is other or self.group(one) is self.group(other)

    # Looking at one subject after the other

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """Go through subjects, each in every scenario that matters to what is asked of it.

        A rule's body runs once per scenario; values that hang on a condition are settled accordingly. Which atoms
        matter is found out by what the body asks. Up to 16 scenarios are looked at; beyond that, the default one and
        those in which one atom is changed alone.
        """
        for item in items:
            waiting: list[Assignment] = [{}]
            done, most = 0, MANY_SCENARIOS
            while waiting and done < most:
                assigned = waiting.pop(0)
                inquiry = begin(Scenario(assigned))
                # What only a default switches off is not there; it still counts where something is looked for.
                exists = all(part.exists.holds(inquiry.scenario) and not part.off_by_default for part in _parts(item))
                if exists and isinstance(item, Hop):
                    exists = item.exists.holds(inquiry.scenario)
                self.looks.append(Look(item, inquiry, exists))
                if exists:
                    yield item
                begin()
                changes = _changes(inquiry.scenario, assigned)
                if not done:
                    most = max(most, 1 + len(changes))
                waiting.extend(changes)
                done += 1

    def polls(self, source: str, consumer: str | tuple[str, ...]) -> Iterator[Poll]:
        """The polls from a kind of source to a kind of consumer, in each scenario that matters."""
        consumers = (consumer,) if isinstance(consumer, str) else consumer
        return self.each(
            hop
            for hop in self.by_hop.get(Poll, ())
            if isinstance(hop, Poll) and hop.source.kind.name == source and hop.to.kind.name in consumers
        )

    def pushes(self, target: str) -> Iterator[Push]:
        """The pushes to a kind of receiver, in each scenario that matters."""
        return self.each(
            hop for hop in self.by_hop.get(Push, ()) if isinstance(hop, Push) and hop.to.kind.name == target
        )

    # Is there one?

    def answer(self, subject: Resource, candidates: Iterable[Resource | Hop], blockers: Iterable[str] = ()) -> Answer:
        """Whether any candidate can exist together with the subject.

        `candidates` certainly fit; `blockers` say what might fit but cannot be read. What the subject's stack hides,
        who else was handed the subject, and where it is exported to is taken into account.
        """
        for candidate in candidates:
            if self.together(subject, candidate):
                return Found(candidate)
        found = [
            *blockers,
            *subject.stack.blind,
            *self.exposures.get(subject, ()),
        ]
        for stack in self.stacks:
            if stack is not subject.stack and stack.blind and self.joined(stack, subject.stack):
                found.extend(stack.blind)
        found.extend(self._imported(subject))
        if subject.elsewhere:
            found.append(f"{subject.address} belongs to another stack")
        if subject in self.exported and not subject.stack.deployed:
            found.append(f"{subject.address} is handed out of a reusable module, its caller may add it")
        if found:
            for why in found[:1]:
                doubt(why, subject, subject.head)
            return CannotTell(found)
        return Absent("medium" if subject in self.exported else "high")

    def _imported(self, subject: Resource) -> Iterator[str]:
        """Why another stack of the run may hold it: that imports a name that may be the subject's export."""
        names = [name for name, value in subject.stack.exports.items() if subject in set(named_in(value))]
        for stack in self.stacks if names else ():
            for known in stack.open_imports if stack is not subject.stack else ():
                if known and any(known in name for name in names):
                    yield f"{stack.name} imports a name that may be {subject.address}'s export"
                    return

    def together(self, *things: Resource | Hop) -> bool:
        """Whether all of them can exist at once."""
        return can_hold(*(condition for thing in things for condition in _conditions(thing)))

    def cannot_tell(self, why: str, resource: Resource) -> CannotTell:
        """Record that a question stays open."""
        doubt(why, resource, resource.head)
        return CannotTell([why])

    def loose_parts(self, subject: Resource, *kinds: str) -> list[str]:
        """Why parts of these kinds, in a stack that the subject's is joined with, might belong to the subject."""
        return [part.why for kind in kinds for part in self.loose.get(kind, ()) if self.may_belong(part, subject)]

    def may_belong(self, part: Loose, subject: Resource) -> bool:
        """Whether a part whose place is not known may belong to a resource."""
        if part.subject is not None:
            return part.subject is subject
        return self.joined(part.declared_by.stack, subject.stack)

    # What rules ask of hops

    def active(self, poll: Hop) -> Test:
        """Whether a mapping or pipe takes events at all: it may be disabled or stopped."""
        if poll.via.kind.name == "pipes.pipe":
            state = poll.via.get("desired_state")
            if isinstance(state, Known):
                return NO if str(state.data).upper() == "STOPPED" else YES
            return maybe(reason(state))
        return poll.via.flag("enabled")

    def waited_for(self, poll: Hop) -> list[Resource] | None:
        """The functions that a mapping or a pipe waits for, in order; None if it does not wait, or one is not known."""
        if poll.via.kind.name != "pipes.pipe":
            return [poll.to]
        invocation = poll.via.get("function_invocation")
        if not isinstance(invocation, Known):
            doubt(reason(invocation), poll.via, invocation.site)
            return None
        if invocation.data != "REQUEST_RESPONSE":
            return None
        enrichment = poll.via.get("enrichment")
        if is_null(enrichment):
            return [poll.to]
        functions = self.ends(poll.via, "enrichment", "lambda.function")
        if not functions:
            doubt(f"how long the enrichment of {poll.via.address} runs is not known", poll.via, poll.via.head)
            return None
        return [functions[0], poll.to]

    def consumers(self, queue: Resource) -> list[Hop]:
        """The mappings and pipes that take messages from a queue and can exist together with it."""
        return [poll for poll in self.out_of(queue, Poll) if self.together(queue, poll)]

    def loose_consumers(self, queue: Resource) -> list[str]:
        """Why mappings and pipes whose source is not known might consume a queue."""
        return self.loose_parts(queue, "lambda.event_source_mapping", "pipes.pipe")

    def watches(self, subject: Resource, metrics: set[str]) -> list[Hop]:
        """The alarms on any of the metrics of a resource."""
        return [watch for watch in self.out_of(subject, Watch) if isinstance(watch, Watch) and watch.metric in metrics]

    def uncertain_watches(self, subject: Resource) -> list[str]:
        """Why alarms that cannot be read to the end might watch a resource."""
        found = self.loose_parts(subject, "cloudwatch.alarm", f"cloudwatch.alarm {subject.kind.name}")
        for watch in self.out_of(subject, Watch):
            if isinstance(watch, Watch) and watch.metric == UNKNOWN_METRIC:
                found.append(f"the metric of {watch.alarm.address} is not known")
        return found

    def ends(self, by: Resource, name: str, *kinds: str) -> list[Resource]:
        """The resources that a property certainly leads to, aliases and versions followed to their function."""
        return self.resolver(by, name, kinds)

    # Failure

    def feeds_redrive(self, queue: Resource) -> list[Hop]:
        """The redrives that end in a queue."""
        return self.into(queue, Redrive)


def _parts(item: Resource | Hop) -> tuple[Resource, ...]:
    return item.parts() if isinstance(item, Hop) else (item,)


def _conditions(item: Resource | Hop) -> Iterator[Condition]:
    for part in _parts(item):
        yield part.exists
    if isinstance(item, Hop):
        yield item.exists


def _changes(scenario: Scenario, given: Assignment) -> list[Assignment]:
    """The scenarios that differ from this one first in an atom that it was not given."""
    found: list[Assignment] = []
    before: Assignment = {}
    for atom, value in scenario.assigned.items():
        if atom not in given:
            found.extend({**before, atom: other} for other in atom.values() if other != value)
        before[atom] = value
    return found


def named_in(value: Value, depth: int = 0) -> Iterator[Resource]:
    """The resources that a value names, at any depth."""
    if depth > 12:
        return
    if isinstance(value, Ref):
        yield value.target
    elif isinstance(value, Text):
        for piece in value.parts:
            if isinstance(piece, Value):
                yield from named_in(piece, depth + 1)
    elif isinstance(value, Known) and isinstance(value.data, list):
        for item in value.data:
            yield from named_in(item, depth + 1)
    elif isinstance(value, Known) and isinstance(value.data, dict):
        for item in value.data.values():
            yield from named_in(item, depth + 1)
    else:
        for branch, _ in branches(value):
            if branch is not value:
                yield from named_in(branch, depth + 1)
