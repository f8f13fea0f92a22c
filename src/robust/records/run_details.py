"""What a page about a run shows beyond its report: counts over all records, and the first failures with their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from robust.canon import JsonObject
from robust.records.failing_group import ANY_VIOLATION, WEIGHTS, weight_of

Interval: TypeAlias = tuple[float, float]
# Of distances from 0 to 1: bin i holds (i/50, (i+1)/50]; those that are 0 are counted apart.
DISTANCE_BINS: Final = 50


class GroupedRate(NamedTuple):
    """A share with its interval over source groups.

    Attributes:
        hits: how many count.
        of: how many there are.
        groups: of how many source groups.
        interval: of the share; None of fewer than two groups.
    """

    hits: int
    of: int
    groups: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.hits / self.of if self.of else None


class Distances(NamedTuple):
    """Total variation distances of pairs whose answers should be the same.

    Attributes:
        zero: how many are 0.
        bins: of the others, how many are in which of :data:`DISTANCE_BINS` bins.
    """

    zero: int
    bins: Sequence[int]

    @property
    def pairs(self) -> int:
        """How many there are."""
        return self.zero + sum(self.bins)


class Segment(NamedTuple):
    """The base cases that have a value under a key of their metadata.

    Attributes:
        key: the key.
        value: the value, as text; None of the cases without that key.
        cases: how many there are.
        accuracy: among those that were decided and have a known answer.
    """

    key: str
    value: str | None
    cases: int
    accuracy: GroupedRate


class ChangedText(NamedTuple):
    """Two texts cut to where they differ.

    Attributes:
        before: the end of what they begin with alike.
        old: what the first has between.
        new: what the second has between.
        after: the start of what they end with alike.
        left: how many characters of each of these four are left out.
    """

    before: str
    old: str
    new: str
    after: str
    left: tuple[int, int, int, int]


class FailedRecord(NamedTuple):
    """A record that failed, with its texts.

    Attributes:
        line: where it stands in the records, from 1.
        case_id: of its base case.
        source_id: of its source group.
        expected: the label of the right answer, where it is known.
        entry: the record as it would stand under ``failures.first`` of a report.
        changed: from the input of the base to that of the pair; None of a base case.
        smallest: from the input of the base to the smallest form that still fails; None where there is no smaller one.
        text: the start of the input, of what has no other.
        left: how many characters of it are left out.
    """

    line: int
    case_id: str
    source_id: str
    expected: str | None
    entry: JsonObject
    changed: ChangedText | None
    smallest: ChangedText | None
    text: str
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails:
    """What a page shows of a run beyond its report.

    Attributes:
        violations: by property, the share of its pairs that break a limit.
        flips: by property, the share of its pairs whose label changed and should not have, or the other way round.
        distances: by property, the distances of its pairs; those that should have another answer are left out.
        label_pairs: of pairs whose label should have stayed, how many went from which label to which other one.
        segments: in the order of their keys; the values of one with the most cases first.
        segment_keys_left: the keys with too many values, or with values that are no plain ones.
        failed: the first records that failed, those that weigh most first.
    """

    violations: Mapping[str, GroupedRate]
    flips: Mapping[str, GroupedRate]
    distances: Mapping[str, Distances]
    label_pairs: Mapping[tuple[str, str], int]
    segments: Sequence[Segment]
    segment_keys_left: Sequence[str]
    failed: Sequence[FailedRecord]


def failure_shares(report: JsonObject, most: int) -> dict[str, int]:
    """How many failing records of each kind (``decision``, or a property) are listed, of ``most`` in all.

    What weighs most comes first; among equals none gets more while another one wants it. Base cases that were not
    decided weigh as a requirement does.
    """
    by_kind: dict[str, Any] = report["failures"]["by_kind"]
    weights = {
        kind: "error" if kind == "decision" else weight_of(report, kind, ANY_VIOLATION)
        for kind in by_kind
        if kind == "decision" or kind in report["properties"]
    }
    left, shares = most, dict[str, int]()
    for weight in WEIGHTS:
        kinds = sorted((kind for kind in weights if weights[kind] == weight), key=by_kind.__getitem__)
        for place, kind in enumerate(kinds):
            shares[kind] = min(by_kind[kind], left // (len(kinds) - place))
            left -= shares[kind]
    return shares
