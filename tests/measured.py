"""What the processes of tests measured of the code that they ran."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path


def take_away_broken(folder: Path) -> Iterator[str]:
    """Remove the coverage data of processes that were killed while they wrote it, and tell their names.

    One such file among many would end the combining of all, after every test has passed.
    """
    for file in sorted(folder.glob(".coverage.*")):
        if _is_broken(file):
            file.unlink(missing_ok=True)
            yield file.name


def _is_broken(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as data:
            (page,) = data.execute("PRAGMA page_size").fetchone()
            data.execute("SELECT version FROM coverage_schema")
            return bool(file.stat().st_size % page or data.execute("PRAGMA quick_check").fetchone() != ("ok",))
    except sqlite3.Error:
        return True
