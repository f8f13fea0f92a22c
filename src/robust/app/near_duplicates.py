"""Near-equal inputs in different splits of a manifest file, looked for on request."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from robust.app.manifest_reading import open_manifest
from robust.canon import canonical_text, fold
from robust.errors import UsageError
from robust.manifest.near_duplicates import (
    DEFAULT_THRESHOLD,
    DEFAULT_WORDS,
    MAX_COMPARISONS,
    TooManyComparisons,
    check_settings,
    near_duplicates,
)
from robust.records.manifest import CaseEntry
from robust.records.near_duplicates import NearDuplicate, NearDuplicates, NearGroups

MAX_FINDINGS: Final = 10_000
_MAX_TEXT: Final = 200


def find_near_duplicates(
    path: str | os.PathLike[str],
    *,
    threshold: float = DEFAULT_THRESHOLD,
    words: int = DEFAULT_WORDS,
    limit: int = MAX_FINDINGS,
    max_comparisons: int = MAX_COMPARISONS,
) -> NearDuplicates:
    """Check a manifest, and find every pair of cases in different splits whose inputs are nearly equal.

    Args:
        path: the manifest.
        threshold: the least similarity, above 0 and at most 1: the share of shingles that both have.
        words: how many words that follow each other make a shingle, 1-20.
        limit: the most findings that are looked for.
        max_comparisons: the most pairs, or groups of pairs, that are looked at. What was found by then is given as not
            complete.

    Raises:
        UsageError: a setting makes no sense, the file cannot be read, or there is nothing to compare: fewer than two
            splits have cases.
        TooManyComparisons: a UsageError: the search was given up before it found anything.
        IntegrityError: the manifest is damaged.
    """
    check_settings(threshold, words, max_comparisons)
    if type(limit) is not int or limit < 1:
        raise UsageError.of("bad_limit", f"must be an integer from 1 on, not {limit!r}", path="limit")
    reader, records = open_manifest(path)
    used = [split for split, size in reader.header.splits.items() if size.cases]
    if len(used) < 2:
        message = f"all cases are in the split {used[0]!r}, so that none can be near one of another split"
        hint = "split the manifest first: robust manifest split"
        raise UsageError.of("one_split", message, file=os.fspath(path), hint=hint)
    pairs = near_duplicates(
        (record for record in records if isinstance(record, CaseEntry)),
        threshold=threshold,
        words=words,
        max_comparisons=max_comparisons,
    )
    found: list[NearDuplicate] = []
    complete = True
    try:
        found.extend(islice(pairs, limit + 1))
    except TooManyComparisons as error:
        if not found:
            raise error.located(file=os.fspath(path)) from None
        complete = False
    listed = sorted(found[:limit], key=lambda item: (-item.similarity, item.first, item.second))
    return NearDuplicates(
        digest=reader.digest,
        threshold=threshold,
        words=words,
        cases=reader.header.counts.cases,
        findings=tuple(listed),
        groups=_grouped(listed, _cases_of(path, reader.digest, listed)),
        complete=complete and len(found) <= limit,
    )


class _Shown(NamedTuple):
    """What is told of a case besides its id."""

    source_id: str
    text: str


def _cases_of(path: str | os.PathLike[str], digest: str, found: Iterable[NearDuplicate]) -> dict[str, _Shown]:
    """Sources and texts of the cases that were found, read again so that the search need not keep those of all.

    Raises:
        UsageError: the file is another one by now.
    """
    wanted = {case_id for pair in found for case_id in (pair.first, pair.second)}
    shown: dict[str, _Shown] = {}
    if not wanted:
        return shown
    reader, records = open_manifest(path)
    for record in records:
        if isinstance(record, CaseEntry) and record.case.case_id in wanted:
            text = record.case.input if isinstance(record.case.input, str) else canonical_text(record.case.input)
            shown[record.case.case_id] = _Shown(record.case.source_id, text[:_MAX_TEXT])
    if reader.digest != digest:
        message = "the file was replaced while it was read"
        raise UsageError.of("changed", message, file=os.fspath(path), hint="run the command again")
    return shown


def _grouped(listed: Iterable[NearDuplicate], shown: dict[str, _Shown]) -> tuple[NearGroups, ...]:
    """Pairs, the most similar first, by their two source groups."""
    groups: dict[frozenset[str], list[NearDuplicate]] = {}
    for pair in listed:
        key = frozenset(fold(shown[case_id].source_id) for case_id in (pair.first, pair.second))
        groups.setdefault(key, []).append(pair)
    return tuple(
        NearGroups(
            best=pairs[0],
            sources=(shown[pairs[0].first].source_id, shown[pairs[0].second].source_id),
            texts=(shown[pairs[0].first].text, shown[pairs[0].second].text),
            pairs=len(pairs),
        )
        for pairs in groups.values()
    )
