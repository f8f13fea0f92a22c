"""What is kept of many production records: the counts and sums from which every number of a report follows."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, ValidationError

from robust.canon import JsonObject
from robust.errors import IntegrityError
from robust.records.base import Record, problems_of
from robust.records.decision import tidy_number

T = TypeVar("T")
Count: TypeAlias = Annotated[int, Field(ge=0)]
Amount: TypeAlias = Annotated[float, Field(ge=0)]
# With the bins that are kept there are never more; see :mod:`robust.stats.distinct_counts`.
_LATEST_SHIFT: Final = 53


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Listed: TypeAlias = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]


class _Part(Record):
    """A part of a cell, written in the form in which canonical JSON reads its numbers back."""

    def to_json(self) -> JsonObject:
        """The part as plain JSON data, integral numbers as integers."""
        data: JsonObject = _tidied(self.model_dump())
        return data


def _tidied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tidied(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_tidied(item) for item in value]
    return tidy_number(value) if isinstance(value, float) else value


class Moments(_Part):
    """The sum of some numbers, and the sum of their squared distances from their mean.

    Attributes:
        total: the sum, rounded once.
        deviations: the sum of squared distances, rounded once.
    """

    total: float
    deviations: Amount


class Distribution(_Part):
    """How some numbers of at least 0 are distributed.

    Attributes:
        count: how many there are.
        total: their sum, rounded once.
        least: the least of them; None of none.
        most: the largest; None of none.
        shift: how many of the last bits of each are left off; 0 where all are told exactly.
        values: the least number that each bin can hold, ascending.
        counts: how many are in each bin.
    """

    count: Count
    total: Amount
    least: Amount | None
    most: Amount | None
    shift: Annotated[int, Field(ge=0, le=_LATEST_SHIFT)]
    values: Listed[Amount]
    counts: Listed[Annotated[int, Field(ge=1)]]


class Bins(_Part):
    """Records by bins of their confidence, equally wide, of which bin *i* holds (i/n, (i+1)/n]; the first also 0.

    Attributes:
        records: how many records are in each bin.
        known: of how many of them it is known whether they were right.
        right: how many of those were.
        confidence: the sum of the confidence of those of which it is known.
    """

    records: Listed[Count]
    known: Listed[Count]
    right: Listed[Count]
    confidence: Listed[Amount]


class Actions(_Part):
    """How many records were routed where; of the others no action is known."""

    accept: Count
    abstain: Count
    fallback: Count
    human_review: Count

    @property
    def known(self) -> int:
        """How many records have an action."""
        return self.accept + self.abstain + self.fallback + self.human_review


class Cell(_Part):
    """What is kept of some records: all of them, or those of a segment.

    Attributes:
        records: how many there are.
        known: of how many it is known whether the selected label was right.
        right: how many of those were.
        outcomes: of how many the right label itself is known.
        brier: the Brier scores of these.
        nll: their negative log likelihoods, in nats.
        covered: how many have a confidence that reaches the threshold; None without one.
        actions: how many were routed where.
        fallback_known: of how many it is known whether a fallback was taken.
        fallbacks: of how many of them one was.
        confidence: the confidence of all records.
        bins: records by their confidence.
        latency_ms: in milliseconds, where it is known.
        cost: in the application's own unit, where it is known.
    """

    records: Count
    known: Count
    right: Count
    outcomes: Count
    brier: Moments
    nll: Moments
    covered: Count | None
    actions: Actions
    fallback_known: Count
    fallbacks: Count
    confidence: Distribution
    bins: Bins
    latency_ms: Distribution
    cost: Distribution


class Sample(_Part):
    """Where records came from.

    Attributes:
        name: the file's name, without its folder.
        sha256: the digest of its bytes.
        bytes: how many bytes it has.
        records: how many records are in it.
        ids: how many of them have an id; all ids differ.
        timestamps: how many have a timestamp.
        first: the earliest of these, in UTC.
        last: the latest.
    """

    name: str
    sha256: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    bytes: Count
    records: Count
    ids: Count
    timestamps: Count
    first: str | None
    last: str | None


class Baseline(_Part):
    """What records are compared with.

    Attributes:
        source: ``records``, or the earlier ``report`` that they were taken from.
        report: the digest of that report; None for records.
        sample: the records.
    """

    source: Annotated[str, Field(pattern=r"^(records|report)$")]
    report: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")] | None
    sample: Sample


Part = TypeVar("Part", bound=_Part)


def read_part(kind: type[Part], data: Any, path: str) -> Part:
    """Read a part of a stored record.

    Raises:
        IntegrityError: it is not one; names everything that is wrong.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, path=path)) from None
