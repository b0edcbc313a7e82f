"""Who evaluates patterns, and what each of them understands: one row per consumer, with the facts that it rests on."""

from __future__ import annotations

Path = tuple[str | int, ...]

RULE, PIPE_FILTER, MAPPING_FILTER, SUBSCRIPTION = "rule", "pipe", "mapping", "subscription"
DROP, SKIP, NEVER = "drop", "skip", "never"
"""What becomes of a record whose payload and pattern are of different formats (JSON and plain text).

drop: it fails the filter; skip: the payload is not looked at; never: the source has no plain text.
"""

IGNORE_CASE = "equals-ignore-case"
PLAIN = frozenset(("prefix", "suffix", IGNORE_CASE, "anything-but", "numeric", "exists", "$or"))
CASELESS_ENDS = frozenset(("prefix/equals-ignore-case", "suffix/equals-ignore-case"))
BUT = frozenset(f"anything-but/{sub}" for sub in ("prefix", "suffix", IGNORE_CASE, "wildcard"))
EVERY = PLAIN | CASELESS_ENDS | BUT | {"cidr", "wildcard"}
"""Every operator of AWS's pattern language; `anything-but/prefix` is prefix inside anything-but."""

OPERATORS = frozenset(name.partition("/")[0] for name in EVERY) - {"$or"}

ENVELOPE = ("version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail")
"""The root keys of an event on a bus."""


class Consumer:
    """One kind of place where a pattern is evaluated.

    `label` reads well after "for". `operators` are those that AWS lists for it; one that AWS has elsewhere but does
    not list here is `unlisted` (error where AWS says so in as many words, else warning). `engine` marks the consumers
    that take EventBridge's syntax as it is. `payload` are the keys whose strings are read as JSON. `numbers` is the
    range of `numeric`. `textual` consumers compare plain number literals by their text. `filterable` are the root
    keys that AWS documents for filters, `present` those that records have besides, `silent` those of them that are
    used in AWS's own examples. `lost` says what happens to what no filter lets through.
    """

    __slots__ = (
        "name", "kind", "label", "operators", "unlisted", "operators_fact", "engine", "longest", "longest_fact",
        "combinations", "combinations_fact", "keys", "numbers", "numbers_fact", "textual", "payload", "mismatch",
        "mismatch_fact", "filterable", "present", "silent", "roots_fact", "filters", "lost",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        kind: str,
        label: str,
        *,
        operators: frozenset[str],
        unlisted: str = "warning",
        operators_fact: str = "F-064",
        engine: bool = True,
        longest: int = 4_096,
        longest_fact: str = "F-063",
        combinations: int = 1_000,
        combinations_fact: str = "F-186",
        keys: int | None = None,
        numbers: tuple[int, int] = (-5_000_000_000, 5_000_000_000),
        numbers_fact: str = "F-184",
        textual: bool = False,
        payload: tuple[str, ...] = (),
        mismatch: str = NEVER,
        mismatch_fact: str = "",
        filterable: tuple[str, ...] = (),
        present: tuple[str, ...] = (),
        silent: tuple[str, ...] = (),
        roots_fact: str = "",
        filters: int | None = None,
        lost: str = "passed over",
    ) -> None:
        self.name = name
        self.kind = kind
        self.label = label
        self.operators = operators
        self.unlisted = unlisted
        self.operators_fact = operators_fact
        self.engine = engine
        self.longest = longest
        self.longest_fact = longest_fact
        self.combinations = combinations
        self.combinations_fact = combinations_fact
        self.keys = keys
        self.numbers = numbers
        self.numbers_fact = numbers_fact
        self.textual = textual
        self.payload = payload
        self.mismatch = mismatch
        self.mismatch_fact = mismatch_fact
        self.filterable = frozenset(filterable)
        self.present = frozenset(present)
        self.silent = frozenset(silent)
        self.roots_fact = roots_fact
        self.filters = filters
        self.lost = lost

    @property
    def roots(self) -> frozenset[str]:
        """Every root key that its records have; empty where that is not known."""
        return self.filterable | self.present | self.silent

    def __repr__(self) -> str:
        return f"Consumer({self.name})"


class Source:
    """What a pipe or a mapping polls: the keys of its records."""

    __slots__ = (
        "name",
        "label",
        "payload",
        "mismatch",
        "mismatch_fact",
        "filterable",
        "present",
        "silent",
        "fact",
        "lost",
    )

    def __init__(
        self, name: str, label: str, payload: tuple[str, ...], mismatch: str, mismatch_fact: str,
        filterable: tuple[str, ...], present: tuple[str, ...], silent: tuple[str, ...], fact: str, lost: str,
    ) -> None:  # fmt: skip
        self.name = name
        self.label = label
        self.payload = payload
        self.mismatch = mismatch
        self.mismatch_fact = mismatch_fact
        self.filterable = filterable
        self.present = present
        self.silent = silent
        self.fact = fact
        self.lost = lost


POLLED = ("awsRegion", "eventSource", "eventSourceARN", "eventVersion", "eventID", "eventName", "invokeIdentityArn",
          "eventSourceKey")  # fmt: skip
"""Fields that polling adds; a pipe cannot filter on them (F-245)."""

SOURCES = (
    Source(
        "sqs", "a queue", ("body",), DROP, "F-061", ("body",),
        ("messageId", "receiptHandle", "attributes", "messageAttributes", "md5OfBody", "md5OfMessageAttributes",
         "eventSource", "eventSourceARN", "awsRegion"),
        (), "F-062", "deleted from the queue",
    ),
    Source(
        "kinesis", "a Kinesis stream", ("data",), DROP, "F-097", ("data",),
        ("kinesis", "kinesisSchemaVersion", "partitionKey", "sequenceNumber", "approximateArrivalTimestamp",
         *POLLED[:-1]),
        (), "F-097", "passed over",
    ),
    Source(
        "dynamodb", "a DynamoDB stream", (), NEVER, "F-097", ("dynamodb",), POLLED[:-1],
        ("eventName", "eventID", "eventSource", "userIdentity"), "F-093", "passed over",
    ),
    Source(
        "kafka", "a Kafka topic", ("value", "key"), SKIP, "F-098", ("value", "key"),
        ("topic", "partition", "offset", "timestamp", "timestampType", "headers", *POLLED),
        ("topic",), "F-098", "passed over",
    ),
    Source(
        "mq", "a message broker", ("data",), SKIP, "F-098", ("data",),
        ("messageID", "messageId", "messageType", "connectionId", "redelivered", "persistent", "destination",
         "timestamp", "brokerInTime", "brokerOutTime", "properties", "replyTo", "type", "expiration", "priority",
         "correlationId", "correlationID", "deliveryMode", "deliveryTime", "deliveryCount", "basicProperties", *POLLED),
        ("basicProperties",), "F-098", "acknowledged and dropped",
    ),
)  # fmt: skip


# AWS's list for mappings lacks `cidr`, and AWS's own samples filter with it: not a mistake that can be proven.
MAPPED = PLAIN | {"cidr"}


def _mapping(source: Source) -> Consumer:
    return Consumer(
        source.name, MAPPING_FILTER, f"a Lambda mapping of {source.label}", operators=MAPPED, textual=True,
        payload=source.payload, mismatch=source.mismatch, mismatch_fact=source.mismatch_fact,
        filterable=source.filterable, present=source.present, silent=source.silent, roots_fact=source.fact,
        filters=5, lost=source.lost,
    )  # fmt: skip


def _pipe(source: Source) -> Consumer:
    return Consumer(
        f"pipe-{source.name}", PIPE_FILTER, f"a pipe of {source.label}", operators=PLAIN | CASELESS_ENDS | {"cidr"},
        unlisted="error", operators_fact="F-183", payload=source.payload, mismatch=source.mismatch,
        mismatch_fact="F-245" if source.name == "sqs" else source.mismatch_fact,
        # AWS documents a pipe's filters on the fields that the source itself sends.
        filterable=tuple(sorted({*source.filterable, *source.present, *source.silent} - set(POLLED))),
        # F-245 rules `eventName` out, AWS's own samples of pipes filter on it (F-093).
        present=POLLED, silent=source.silent, roots_fact="F-245", filters=5, lost=source.lost,
    )  # fmt: skip


EVENTBRIDGE = Consumer(
    "eventbridge", RULE, "an EventBridge rule", operators=EVERY, operators_fact="F-182", longest_fact="F-188",
    filterable=(*ENVELOPE, "replay-name"), roots_fact="F-181", lost="ignored by this rule",
)  # fmt: skip
PIPE = Consumer(
    "pipe", PIPE_FILTER, "a pipe", operators=PLAIN | CASELESS_ENDS | {"cidr"}, unlisted="error",
    operators_fact="F-183", mismatch_fact="F-245", filters=5,
)  # fmt: skip
MAPPING = Consumer("mapping", MAPPING_FILTER, "a Lambda mapping", operators=MAPPED, textual=True, filters=5)
DOCUMENTDB = Consumer(
    "documentdb", MAPPING_FILTER, "a Lambda mapping of DocumentDB", operators=frozenset(), operators_fact="F-099",
    filters=0,
)  # fmt: skip
SNS_BODY = Consumer(
    "sns-body", SUBSCRIPTION, "a subscription filter",
    operators=EVERY, operators_fact="F-261", engine=False,
    longest=262_144, longest_fact="F-261", combinations=150, combinations_fact="F-261", keys=5,
    numbers=(-1_000_000_000, 1_000_000_000), numbers_fact="F-261", lost="not delivered",
)  # fmt: skip
SNS_ATTRIBUTES = Consumer(
    "sns-attributes", SUBSCRIPTION, "a subscription filter on message attributes", operators=EVERY,
    operators_fact="F-261", engine=False, longest=262_144, longest_fact="F-261", combinations=150,
    combinations_fact="F-261", keys=5, numbers=(-1_000_000_000, 1_000_000_000), numbers_fact="F-261",
    lost="not delivered",
)  # fmt: skip

CONSUMERS = {
    one.name: one
    for one in (
        EVENTBRIDGE, PIPE, MAPPING, DOCUMENTDB, SNS_BODY, SNS_ATTRIBUTES,
        *(_mapping(source) for source in SOURCES), *(_pipe(source) for source in SOURCES),
    )
}  # fmt: skip

_KINDS = {
    "sqs.queue": "sqs", "kinesis.stream": "kinesis", "kinesis.consumer": "kinesis", "dynamodb.table": "dynamodb",
    "documentdb": "documentdb", "kafka": "kafka", "msk.cluster": "kafka", "mq.broker": "mq", "mq": "mq",
}  # fmt: skip


def consumer(name: str) -> Consumer:
    """The consumer of this name (`eventbridge`, `pipe`, `sqs`, `pipe-sqs`, `sns-body` …); KeyError where none is."""
    return CONSUMERS[name]


def consumer_of(kind: str | None, pipe: bool = False) -> Consumer:
    """The consumer that polls a resource of this kind: of an unknown kind, what holds for every source."""
    name = _KINDS.get(kind or "")
    if name is None or pipe and name == "documentdb":
        return PIPE if pipe else MAPPING
    return CONSUMERS[f"pipe-{name}" if pipe else name]
