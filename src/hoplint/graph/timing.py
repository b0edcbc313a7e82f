"""How long a message that always fails takes to its failure queue, and how long it lives there."""

from __future__ import annotations

from hoplint.graph import consumers, failures
from hoplint.graph.graph import Graph
from hoplint.graph.hops import Hop
from hoplint.model.inquiry import certainly, possibly
from hoplint.model.number import Quantity


def on_the_way(graph: Graph, redrive: Hop) -> Quantity | None:
    """The seconds from the first receive to the move into the dead-letter queue, at least: receives × visibility.

    Where several consumers take from the queue, or none is known, the queue's own visibility counts.
    """
    count = consumers.receives(redrive.source)
    if count is None:
        return None
    polls = consumers.polls_of(graph, redrive.source)
    if len(polls) == 1:
        return consumers.time_to_failure_queue(polls[0])
    return count.count * redrive.source.number("visibility_timeout")


def left(graph: Graph, redrive: Hop) -> Quantity | None:
    """The seconds that a message has in a dead-letter queue, at most; None where that cannot be told.

    A move into a standard queue keeps the time of the first send, one into a FIFO queue starts anew.
    """
    kept = redrive.to.number("retention")
    fifo = failures.is_fifo(redrive.to)
    if certainly(fifo):
        return kept
    if possibly(fifo):
        return None
    spent = on_the_way(graph, redrive)
    return None if spent is None else kept - spent


def words(time: Quantity) -> str:
    """A time in the largest unit that gives a whole number."""
    exact = time.exact
    if exact is None or time.shown:
        return f"{time} s"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if exact >= size and exact % size == 0:
            return f"{exact // size} {unit}"
    return f"{exact} s"
