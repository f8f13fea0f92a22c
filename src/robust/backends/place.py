"""Where in a contract the settings of a backend stand."""

from __future__ import annotations


def path_of(name: str) -> str:
    """The dotted path of a backend's settings, for errors."""
    return "backend" if name == "default" else f"backends.{name}"
