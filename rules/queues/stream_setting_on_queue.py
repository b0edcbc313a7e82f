"""A mapping on a queue has settings that only streams know.

## Why it matters
Starting position, splitting of failed batches, retries, record age, parallelization and tumbling windows do not exist
for queues: the mapping is refused, or the setting has no effect.

## How to fix
Remove them. The queue's redrive policy says how often a message is tried; its retention says how long it lives.

## References
- https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
"""

from hoplint.api import (
    Category,
    Finding,
    Fix,
    Graph,
    Iterator,
    Known,
    Poll,
    Resource,
    Severity,
    at,
    certainly,
    consumers,
    rule,
)

SETTINGS = {
    "starting_position": "a starting position",
    "bisect": "splitting of failed batches",
    "retries": "a limit of retries",
    "record_age": "a limit of record age",
    "parallelization": "a parallelization factor",
    "tumbling_window": "a tumbling window",
}
# Written out or not, these say that nothing is asked for.
NEUTRAL = {"bisect": False, "retries": -1, "record_age": -1, "parallelization": 1, "tumbling_window": 0}


@rule(
    id="stream-setting-on-queue",
    code=114,
    category=Category.REJECTED,
    severity=Severity.ERROR,
    since="0.1",
    asks=(Poll,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for settings of streams on each mapping on a queue."""
    for poll in consumers.of_queues(graph, mappings=True):
        mapping = poll.via
        found = [name for name in SETTINGS if _asked_for(mapping, name)]
        if found:
            first, *rest = found
            what = " and ".join(SETTINGS[name] for name in found)
            yield Finding(
                f"{what} on a mapping on a queue: only streams know it",
                primary=at(mapping, f"sets {SETTINGS[first]}", first),
                trail=(
                    at(poll.source, "is a queue"),
                    *(at(mapping, f"sets {SETTINGS[name]}", name) for name in rest),
                ),
                fix=Fix("remove what only streams know"),
            )


def _asked_for(mapping: Resource, name: str) -> bool:
    if not certainly(mapping.has(name)):
        return False
    value = mapping.get(name)
    neutral = NEUTRAL.get(name)
    return not isinstance(value, Known) or str(value.data).lower() != str(neutral).lower()
