"""The command: parse, call, render, exit."""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of ``robust``."""
    if sys.argv[1:] == ["--version"]:
        # Asked by scripts and by people who wait; nothing heavy is loaded for it.
        from robust.version import __version__

        sys.stdout.write(f"robust {__version__}\n")
        return
    from robust.cli.commands import run_command

    run_command()
