"""Counting the judgements of an audit, by edit and by source group; memory grows with the groups and not the pairs."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, repeat
from operator import mul
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, MerkleTree, canonical_bytes, canonical_part, fold
from robust.records.oracle_audit import MAX_LISTED, MISTAKES, PAIR_SCHEMA, STATUSES, TRUTHS, Truth
from robust.records.status import NO_VERDICT
from robust.records.validation import ValidationRecord
from robust.stats.agreement import Cell, agreement_of

_CONTEXT: Final = 16
_MAX_SHOWN: Final = 80


class Asked(NamedTuple):
    """What is known of a pair before anybody judges it."""

    domain: str
    edit: str
    truth: Truth


class AuditTally:
    """Counts over pairs as they are judged.

    Args:
        second: whether a second oracle judges them, too.
    """

    def __init__(self, *, second: bool) -> None:
        self._cells: dict[Asked, Counter[str]] = {}
        # The number of each source group, and by domain, truth and status how many pairs each group has.
        self._numbers: dict[str, int] = {}
        self._groups: dict[tuple[str, Truth], dict[str, _Column]] = {}
        self._codes: dict[Truth, Counter[str]] = {truth: Counter() for truth in TRUTHS}
        self._mistakes: dict[str, list[JsonObject]] = {kind: [] for kind in MISTAKES}
        self._both: dict[Cell, _Column] | None = {} if second else None
        self._tree = MerkleTree()
        self.unanswered = 0

    @property
    def pairs(self) -> int:
        """How many pairs were judged so far."""
        return self._tree.size

    def add(self, asked: Asked, record: ValidationRecord, second: ValidationRecord | None) -> bytes:
        """Count a judgement.

        Returns:
            the canonical line of it for the file of records.
        """
        line = pair_line(asked, record, second)
        self._tree.add(line)
        data = record.data
        group = self._numbers.setdefault(fold(data["base"]["source_id"]), len(self._numbers))
        self._cells.setdefault(asked, Counter())[record.status] += 1
        columns = self._groups.setdefault((asked.domain, asked.truth), {status: _Column() for status in STATUSES})
        columns[record.status].count(group)
        self.unanswered += not NO_VERDICT.isdisjoint(record.issues)
        self._codes[asked.truth].update(record.issues)
        for kind, wrong in MISTAKES.items():
            if (asked.truth, record.status) == wrong and len(self._mistakes[kind]) < MAX_LISTED:
                self._mistakes[kind].append(_mistake(asked, record.digest, data))
        if self._both is not None and second is not None:
            self._both.setdefault((record.status, second.status), _Column()).count(group)
        return line

    def to_json(self) -> JsonObject:
        """The counts as they stand in an audit."""
        domains = sorted({asked.domain for asked in self._cells})
        return {
            "unanswered": self.unanswered,
            "cells": [
                {**asked._asdict(), **{status: counts[status] for status in STATUSES}}
                for asked, counts in sorted(self._cells.items())
            ],
            "spreads": [self._spread(domain, truth) for domain in (None, *domains) for truth in (None, *TRUTHS)],
            "codes": {truth: dict(sorted(codes.items())) for truth, codes in self._codes.items()},
            "mistakes": self._mistakes,
            "records": {"count": self._tree.size, "root": self._tree.root()},
        }

    def _spread(self, domain: str | None, truth: Truth | None) -> JsonObject:
        chosen = [
            columns
            for (about, known), columns in self._groups.items()
            if domain in (None, about) and truth in (None, known)
        ]
        size = len(self._numbers)
        by_status = {status: _summed([columns[status] for columns in chosen], size) for status in STATUSES}
        cases = list(map(sum, zip(*by_status.values(), strict=True)))
        return {
            "domain": domain,
            "truth": truth,
            "groups": sum(map(bool, cases)),
            "cases_squared": sum(count * count for count in cases),
            "squared": {status: sum(count * count for count in counts) for status, counts in by_status.items()},
            "by_cases": {status: sum(map(mul, counts, cases)) for status, counts in by_status.items()},
        }

    def agreement_json(self) -> JsonObject:
        """What is kept of how far both oracles agree."""
        both = self._both or {}
        size = len(self._numbers)
        agreement = agreement_of({cell: column.at(group) for cell, column in both.items()} for group in range(size))
        cells = [(one, other) for one in STATUSES for other in STATUSES]
        return {
            "table": {one: {other: agreement.table.get((one, other), 0) for other in STATUSES} for one in STATUSES},
            "groups": agreement.groups,
            "products": [
                [list(one), list(other), agreement.products[one, other]]
                for one, other in combinations_with_replacement(cells, 2)
                if (one, other) in agreement.products
            ],
        }


class _Column:
    """A count for each source group; those behind its end are 0."""

    def __init__(self) -> None:
        self._counts = array("Q")

    def count(self, group: int) -> None:
        """Count one more."""
        missing = group + 1 - len(self._counts)
        if missing > 0:
            self._counts.extend(repeat(0, missing))
        self._counts[group] += 1

    def at(self, group: int) -> int:
        """How many there are of a group."""
        return self._counts[group] if group < len(self._counts) else 0

    def __iter__(self) -> Iterator[int]:
        return iter(self._counts)


def _summed(columns: Iterable[_Column], size: int) -> list[int]:
    """The sums of several columns, over so many groups."""
    total = [0] * size
    for column in columns:
        for group, count in enumerate(column):
            total[group] += count
    return total


def pair_line(asked: Asked, record: ValidationRecord, second: ValidationRecord | None) -> bytes:
    """One line of the records of an audit: what was known of a pair, and what one or two oracles made of it."""
    return b'{"domain":%s,"edit":%s,"schema":"%s","second":%s,"truth":"%s","validation":%s}' % (
        canonical_part(asked.domain),
        canonical_part(asked.edit),
        PAIR_SCHEMA.encode(),
        b"null" if second is None else second.stored_line(),
        asked.truth.encode(),
        record.stored_line(),
    )


def _mistake(asked: Asked, digest: str, data: JsonObject) -> JsonObject:
    base, candidate = data["base"], data["candidate"]
    at, before, after = _difference(_shown(base["input"]), _shown(candidate["input"]))
    return {
        "record": digest,
        "base_id": base["case_id"],
        "candidate_id": candidate["case_id"],
        "domain": asked.domain,
        "edit": asked.edit,
        "at": at,
        "before": before,
        "after": after,
    }


def _shown(shown: Any) -> str:
    return shown if isinstance(shown, str) else canonical_bytes(shown).decode()


def _difference(before: str, after: str) -> tuple[int, str, str]:
    """Where two texts differ, and what stands there in each, with a few characters around it."""
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    behind = 0
    while behind < shorter - start and before[-1 - behind] == after[-1 - behind]:
        behind += 1
    first = _word_start(before, start)
    ends = (_word_end(text, len(text) - behind) for text in (before, after))
    shown = [_cut(text[first:end]) for text, end in zip((before, after), ends, strict=True)]
    return start, shown[0], shown[1]


def _word_start(text: str, place: int) -> int:
    """Where what is shown before a place begins: at a word, if there is one to begin with."""
    first = max(0, place - _CONTEXT)
    blank = text.find(" ", first, place - 1) if first else -1
    return first if blank < 0 else blank + 1


def _word_end(text: str, place: int) -> int:
    """Where what is shown behind a place ends: at a word, likewise."""
    last = min(len(text), place + _CONTEXT)
    blank = text.rfind(" ", place + 1, last) if last < len(text) else -1
    return last if blank < 0 else blank


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
