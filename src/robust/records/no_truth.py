"""Results are neither true nor false: ``if result`` would be taken for a check that passed."""

from __future__ import annotations

from typing import NoReturn


class NoTruth:
    """What has ``passed``, and refuses to be taken for it."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("a result is neither true nor false: look at .passed or .exit_code")
