"""Finding out whether a file could be written, before work is done that would be lost."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from robust.store.files import atomic_output


class _Discarded(Exception):
    """Nothing is to be written yet."""


def check_output(path: str | os.PathLike[str] | None, *, overwrite: bool) -> None:
    """Refuse a file that could not be written; nothing is left behind, and nothing is promised for later.

    Raises:
        UsageError: it exists and ``overwrite`` is false, or its folder cannot be written to.
    """
    if path is not None:
        with contextlib.suppress(_Discarded), atomic_output(Path(path), overwrite=overwrite):
            raise _Discarded
