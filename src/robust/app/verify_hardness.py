"""Checking a file of measured hardness: everything that follows from its shots is derived again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from robust.app.checks import Attempt, Check
from robust.records.hardness import read_hardness
from robust.store.files import file_digest
from robust.store.validations import read_own_lines


def check_hardness(path: Path) -> Iterator[Check]:
    """Check a file of measured hardness."""
    attempt = Attempt()
    yield Check(name="file digest", holds=True, detail=file_digest(path))

    def content() -> str:
        header, cases = read_hardness((line for _, line in read_own_lines(path)), str(path))
        for _ in cases:
            pass
        counts = header["counts"]
        return f"hardness digest {header['digest']}; {counts['cases']} cases, {counts['in_band']} in the band"

    yield attempt.step("root and derivation", content)
