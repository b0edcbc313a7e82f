"""hoplint: where does a failed message end up?"""

__version__ = "0.1.0"
