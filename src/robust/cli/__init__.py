"""The command: parse, call, render, exit."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of ``robust``."""
    try:
        if sys.argv[1:] == ["--version"]:
            # Asked by scripts and by people who wait; nothing heavy is loaded for it.
            _show_version()
            return
        from robust.cli.commands import run_command

        run_command()
    except KeyboardInterrupt:
        # Before a command has begun, while its parts are still loaded, nothing has been done that could be lost.
        sys.stderr.write("error[interrupted]: stopped before anything was done\n")
        sys.exit(130)


def _show_version() -> None:
    from robust.version import __version__

    try:
        sys.stdout.write(f"robust {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # a full disk, or no standard output at all
        sys.exit(2)
