"""The hops that an event takes, each typed by what drives it."""

from __future__ import annotations

from hoplint.model.condition import TRUE, Condition
from hoplint.model.resource import Resource
from hoplint.model.value import Value

UNKNOWN_METRIC = "?"


class Hop:
    """A step from one resource to another.

    `source` and `to` are its ends (None where an end is no resource of this run), `via` is the resource that declares
    it and carries its settings, `exists` the condition under which it is there (its ends apart). `value` is what names
    the far end, `entry` the alias or version through which a function is reached, and `sender` the ARN of a source that
    no resource of this run declares.
    """

    __slots__ = ("source", "to", "via", "exists", "value", "entry", "sender")

    def __init__(
        self,
        source: Resource,
        to: Resource,
        via: Resource,
        exists: Condition = TRUE,
        value: Value | None = None,
        entry: Resource | None = None,
    ) -> None:
        self.source = source
        self.to = to
        self.via = via
        self.exists = exists
        self.value = value
        self.entry = entry
        self.sender: Value | None = None

    @property
    def subject(self) -> Resource:
        """The resource that an answer about this hop is listed under."""
        return self.via

    def parts(self) -> tuple[Resource, ...]:
        """The resources that must exist for the hop to exist."""
        return (self.source, self.to, self.via) if self.entry is None else (self.source, self.to, self.via, self.entry)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.source.address} → {self.to.address} via {self.via.address}>"


class Poll(Hop):
    """A mapping or pipe that takes events from a queue or stream; `entry` is the alias or version it calls, if any."""

    __slots__ = ()

    @property
    def consumer(self) -> Resource:
        """The function, state machine or other target that works on the events."""
        return self.to


class Push(Hop):
    """A rule, topic, bucket, schedule or log group that sends an event on its own."""

    __slots__ = ()

    @property
    def target(self) -> Resource:
        """What receives the event."""
        return self.to


class Invoke(Hop):
    """A state machine or function that starts another."""

    __slots__ = ()


class Redrive(Hop):
    """A queue that hands messages received too often to its dead-letter queue."""

    __slots__ = ()


class FailTo(Hop):
    """A target, subscription, schedule, mapping, pipe, bus or function that hands failures to a queue or topic.

    `source` is what fails; `via` declares the failure destination.
    """

    __slots__ = ()


class Watch(Hop):
    """An alarm that looks at a metric of a resource; `metric` is its name, `reading` how the alarm reads it."""

    __slots__ = ("metric", "reading")

    def __init__(self, alarm: Resource, subject: Resource, metric: str) -> None:
        super().__init__(subject, alarm, alarm)
        self.metric = metric
        self.reading: object = None

    @property
    def alarm(self) -> Resource:
        """The alarm."""
        return self.to


class Notify(Hop):
    """An alarm or topic that tells somebody."""

    __slots__ = ()


class Grant(Hop):
    """A resource policy or permission attached to a resource."""

    __slots__ = ()


_TYPES = (Poll, Push, Invoke, Redrive, FailTo, Watch, Notify, Grant)
HOPS: dict[str, type[Hop]] = {kind.__name__: kind for kind in _TYPES}
