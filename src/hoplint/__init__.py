"""A linter for event-driven AWS: where does a failed message end up."""

__version__ = "0.1.0"
