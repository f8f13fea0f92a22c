"""Systems that give the answers of an earlier check again."""

from __future__ import annotations


class Rewinding:
    """What begins at the first trial again with every check: that of :func:`robust.cached_system`."""

    def rewind(self) -> None:
        """Begin at the first trial of every input again."""
        raise NotImplementedError


def rewound(system: object) -> None:
    """Begin at the first trial again, where a system does that."""
    if isinstance(system, Rewinding):
        system.rewind()
