"""Checking a file of measured hardness: everything that follows from its shots is derived again."""

from __future__ import annotations

from pathlib import Path

from robust.app.checks import Attempt
from robust.app.examined import Examined
from robust.app.hashed_lines import HashedLines
from robust.app.verify_files import examined_file
from robust.records.hardness import read_hardness


def examine_hardness(path: Path) -> Examined:
    """Check a file of measured hardness."""
    attempt, lines = Attempt(), HashedLines(path)

    def content() -> str:
        header, cases = read_hardness(lines.lines(), str(path))
        for _ in cases:
            pass
        counts = header["counts"]
        return f"hardness digest {header['digest']}; {counts['cases']} cases, {counts['in_band']} in the band"

    check = attempt.step("root and derivation", content)
    return examined_file(path, "hardness", (check,), lines.digest())
