"""Event patterns and filters: their grammar, what they match, and what a producer's messages can match at all."""

from __future__ import annotations

from hoplint.graph.patterns.consumers import (
    EVENTBRIDGE,
    SNS_ATTRIBUTES,
    SNS_BODY,
    Consumer,
    consumer,
    consumer_of,
)
from hoplint.graph.patterns.grammar import root_problems, validate
from hoplint.graph.patterns.match import Mismatch, explain_mismatch, matches
from hoplint.graph.patterns.operands import Problem
from hoplint.graph.patterns.pattern import Pattern, dotted, parse, parse_text
from hoplint.graph.patterns.producers import (
    NO_ATTRIBUTES,
    alarm_message,
    dynamodb_stream,
    eventbridge,
    producer_shape,
    s3_notifications,
    scheduler,
    sns,
    target_input,
    unknown_sender,
)
from hoplint.graph.patterns.reach import Verdict, can_match
from hoplint.graph.patterns.shapes import Shape
from hoplint.graph.patterns.verdicts import Filters, Loss, Producer, filters_of, mapping_filter_verdicts

__all__ = [
    "EVENTBRIDGE", "NO_ATTRIBUTES", "SNS_ATTRIBUTES", "SNS_BODY", "Consumer", "Filters", "Loss", "Mismatch", "Pattern",
    "Problem", "Producer", "Shape", "Verdict", "alarm_message", "can_match", "consumer", "consumer_of", "dotted",
    "dynamodb_stream", "eventbridge", "explain_mismatch", "filters_of", "mapping_filter_verdicts", "matches", "parse",
    "parse_text", "producer_shape", "root_problems", "s3_notifications", "scheduler", "sns", "target_input",
    "unknown_sender", "validate",
]  # fmt: skip
