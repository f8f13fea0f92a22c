"""What is in a manifest: counts by split, source group, relation, oracle and label source."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from statistics import median_low
from typing import Final

from robust.app.manifest_reading import open_manifest
from robust.canon import JsonObject, fold
from robust.records.manifest import CaseEntry
from robust.records.validation import ValidationRecord

_LARGEST_GROUPS: Final = 5


def summarise_manifest(path: str | os.PathLike[str]) -> JsonObject:
    """Check a manifest and count what is in it, in memory that grows only by ids and digests.

    Returns:
        ``digest``, the header's fields, and ``summary``: ``splits`` (cases, bases, variants and label sources of each),
        ``groups`` (how many, the sizes, the largest), ``relations`` (variants by relation), ``oracles`` (validations by
        oracle and contract), ``label_sources``, ``media`` (files named).

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: it is damaged.
    """
    reader, records = open_manifest(path)
    counted = _Counted(reader.header.splits)
    for record in records:
        if isinstance(record, CaseEntry):
            counted.add_case(record)
        else:
            counted.add_validation(record)
    return {"digest": reader.digest, **reader.header.to_json(), "summary": counted.to_json()}


class _Counted:
    def __init__(self, splits: Iterable[str]) -> None:
        self._splits: dict[str, Counter[str]] = {split: Counter() for split in sorted(splits)}
        self._labels: Counter[str] = Counter()
        self._groups: Counter[str] = Counter()
        # Variants by the validation that they rest on, until it comes.
        self._resting: Counter[str] = Counter()
        self._relations: Counter[str] = Counter()
        self._oracles: Counter[tuple[str, str, str]] = Counter()
        self._media = 0

    def add_case(self, entry: CaseEntry) -> None:
        case, label = entry.case, entry.label_source or "none"
        counts = self._splits[entry.split]
        counts["cases"] += 1
        counts["bases" if case.origin is None else "variants"] += 1
        counts[f"label {label}"] += 1
        self._labels[label] += 1
        self._groups[fold(case.source_id)] += 1
        self._media += len(case.media)
        if case.origin is not None and entry.validation is not None:
            self._resting[entry.validation] += 1

    def add_validation(self, record: ValidationRecord) -> None:
        data = record.data
        oracle = data["oracle"]
        self._oracles[oracle["name"], oracle["version"] or "", data["contract"]] += 1
        self._relations[data["relation"]] += self._resting.pop(record.digest, 0)

    def to_json(self) -> JsonObject:
        sizes = sorted(self._groups.values())
        largest = sorted(self._groups.items(), key=lambda item: (-item[1], item[0]))[:_LARGEST_GROUPS]
        return {
            "splits": {
                split: {
                    "cases": counts["cases"],
                    "bases": counts["bases"],
                    "variants": counts["variants"],
                    "label_sources": {name: counts[f"label {name}"] for name in ("given", "oracle", "none")},
                }
                for split, counts in self._splits.items()
            },
            "groups": {
                "count": len(sizes),
                "smallest": sizes[0],
                "median": median_low(sizes),
                "largest": [{"source": source, "cases": cases} for source, cases in largest],
            },
            "relations": {name: count for name, count in sorted(self._relations.items()) if count},
            "oracles": [
                {"name": name, "version": version or None, "contract": contract, "validations": count}
                for (name, version, contract), count in sorted(self._oracles.items())
            ],
            "label_sources": {name: self._labels[name] for name in ("given", "oracle", "none")},
            "media": self._media,
        }
