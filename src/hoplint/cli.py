"""The command line. A command imports what it needs when it runs, so that starting stays cheap."""

from __future__ import annotations

import sys

from hoplint import __version__


def main() -> None:
    """The entry point of the `hoplint` command."""
    if sys.argv[1:] == ["--version"]:
        # Asked for by every editor and hook at start: not worth importing a parser of options.
        print(f"hoplint {__version__}")
        return
    import gc

    # The run is short and its values live to the end of it: collecting cycles only costs.
    gc.disable()
    from hoplint.commands import cli

    cli(prog_name="hoplint")
