"""Who reviewed: names that are one person's whatever their case, and names that only look alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from robust.canon import fold, nfc
from robust.errors import DataError, Problem
from robust.records.lookalikes import lookalike_key

_MAX_LISTED: Final = 20


def tidy_name(name: str) -> str:
    """A reviewer's name in NFC, with single spaces between its words and none around it."""
    return " ".join(nfc(name).split())


def one_spelling(names: Iterable[str]) -> dict[str, str]:
    """The spelling that stands for each reviewer, by the name as it was written.

    Names that differ only in case or white space are one person's; the first in the order of code points stands for
    all, so that the order of rows has no part in it.

    Raises:
        DataError: names of different reviewers look alike; two who agree must not be one person spelled twice.
    """
    written = sorted(set(names))
    spellings: dict[str, str] = {}
    for name in written:
        spellings.setdefault(fold(name), name)
    alike: dict[str, list[str]] = {}
    for spelling in spellings.values():
        alike.setdefault(lookalike_key(spelling), []).append(spelling)
    problems = [
        Problem(
            code="lookalike_reviewers",
            message=f"the reviewers {', '.join(ascii(name) for name in group[:_MAX_LISTED])} look alike",
            path="reviewer",
            hint="if it is one person, write the name the same way everywhere; if not, add what tells them apart",
        )
        for group in alike.values()
        if len(group) > 1
    ]
    if problems:
        raise DataError(*problems)
    return {name: spellings[fold(name)] for name in written}
