from __future__ import annotations

from hoplint.graph.patterns.consumers import EVENTBRIDGE
from hoplint.graph.patterns.grammar import validate
from hoplint.graph.patterns.operands import ERROR, NODE
from hoplint.graph.patterns.match import matches
from hoplint.graph.patterns.pattern import parse_text


def our_answer(pattern: str, event: str) -> bool | str:
    read = parse_text(pattern)
    if any(one.severity == ERROR and one.kind != NODE for one in validate(read, EVENTBRIDGE)):
        return "refused"
    return matches(read, event)[0]
