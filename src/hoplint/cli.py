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
    import os

    if sys.stdout is None:
        # Started with its output closed: what is said goes nowhere, the exit code still tells.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        from hoplint.commands import cli

        cli(prog_name="hoplint")
    except OSError as error:
        # A full disk, an output that went away, a working folder that is gone.
        what = f"{error.filename}: " if error.filename else ""
        if sys.stderr is not None:
            sys.stderr.write(f"hoplint: {what}{error.strerror or error}\n")
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        raise SystemExit(2) from None
