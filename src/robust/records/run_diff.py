"""The comparison of two runs, ``robust.diff/1``: its bounds, the kinds of its changes, and what two answers are."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject, digest_value

SCHEMA: Final = "robust.diff/1"
# What came of a case, those first that are to be looked at first.
ChangeKind: TypeAlias = Literal["newly_wrong", "new_error", "other_label", "newly_right", "recovered"]
CHANGE_KINDS: Final[tuple[ChangeKind, ...]] = (
    "newly_wrong",
    "new_error",
    "other_label",
    "newly_right",
    "recovered",
)
# Of changed cases, with both answers; all of them are counted.
MOST_CHANGES: Final = 1000
# Of the ids of cases that only one of the runs has, of each run.
MOST_UNMATCHED: Final = 20
# Of pairs of labels, from one to another.
MOST_LABEL_PAIRS: Final = 50
# Of the segments of one key, those whose accuracy dropped most.
MOST_SEGMENTS: Final = 200
# A longer text tells cases apart rather than kinds of cases.
LONGEST_SEGMENT: Final = 200


class ComparedAnswer(NamedTuple):
    """What a run answered to a case.

    Attributes:
        line: where its record stands in ``records.jsonl``, from 1.
        source: its folded source group.
        expected: the label of the right answer, where it is known.
        probabilities: in contract order; None where it was not decided.
        error: the kind of the error that it ended in.
        content: of the input, so that two can be told apart.
        latency: of the call in milliseconds, where it is known.
        segments: by key of the comparison the value in its metadata; None of a key that it does not have.
    """

    line: int
    source: str
    expected: str | None
    probabilities: tuple[float, ...] | None
    error: str | None
    content: str
    latency: float | None
    segments: tuple[str | None, ...] = ()


class ComparedCase(NamedTuple):
    """A case with what both runs answered; None of a run that does not have it."""

    case_id: str
    baseline: ComparedAnswer | None
    candidate: ComparedAnswer | None


def diff_digest(report: JsonObject) -> str:
    """The digest of a comparison, over everything but ``digest`` and ``observed``."""
    return digest_value({key: value for key, value in report.items() if key not in ("digest", "observed")})
