"""What a population test was to show, and what it showed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from robust.canon import MAX_SAFE_INTEGER, JsonObject
from robust.records.check_report import PLAN_SCHEMA
from robust.records.decision import tidy_number
from robust.records.population_words import message_of, summary_of
from robust.records.report import EXIT_CODES, Interval

TestName: TypeAlias = Literal["invariance", "increasing", "decreasing"]
Method: TypeAlias = Literal["proportion", "equivalence", "t_test", "wilcoxon", "mcnemar"]
Statistic: TypeAlias = Literal["t", "wilcoxon"]
PopulationVerdict: TypeAlias = Literal["holds", "violated", "inconclusive", "vacuous", "errored"]
OutputKind: TypeAlias = Literal["numbers", "labels"]
Task: TypeAlias = Literal["regression", "classification"]
# Why a verdict is as it is. Each leads to one verdict, and prose is made of it when it is shown.
REASONS: Final[dict[str, PopulationVerdict]] = {
    "shown": "holds",
    "share_too_small": "violated",
    "not_shown": "violated",
    "rows_change": "violated",
    "too_few": "inconclusive",
    "no_p_value": "inconclusive",
    "constant_at_window": "inconclusive",
    "no_window": "inconclusive",
    "missing_predictions": "inconclusive",
    "no_rows": "vacuous",
    "empty_slice": "vacuous",
    "nothing_changed": "vacuous",
    "none_valid": "vacuous",
    "raised": "errored",
}
_STATUS: Final[dict[PopulationVerdict, str]] = {
    "holds": "pass",
    "violated": "fail",
    "inconclusive": "fail",
    "vacuous": "error",
    "errored": "error",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PopulationSettings:
    """What a population test was asked.

    Attributes:
        test: the claim.
        method: how it is tested.
        statistic: of ``equivalence``: t or wilcoxon; else None.
        threshold: the least share of rows (with groups: of groups) that must keep the row rule.
        window: of ``equivalence``: the full width of the window; else None.
        relative: whether the window is a share of the mean absolute output before the change.
        output_sensitivity: of the row rule |p′−p| ≤ max(abs_tol, output_sensitivity · |p|); a move in a direction must
            be more than that.
        abs_tol: likewise.
        label: the class whose probability, or for ``mcnemar`` whose label, is looked at; None for none.
        alpha: the level of each one-sided test; intervals are at 1 − 2·alpha.
        grouped: whether groups are the units instead of rows.
        seed: of the transformation.
        oracle: the name of the oracle that judged each changed row; None without one.
    """

    test: TestName
    method: Method
    statistic: Statistic | None
    threshold: float
    window: float | None
    relative: bool
    output_sensitivity: float
    abs_tol: float
    label: str | int | float | bool | None
    alpha: float
    grouped: bool
    seed: int
    oracle: str | None

    @property
    def confidence(self) -> float:
        """Of every interval: what lies on one side of it has been rejected at ``alpha``."""
        return 1 - 2 * self.alpha

    def to_json(self) -> JsonObject:
        """Everything but the test and its method, which stand beside them in a plan."""
        settings = {name: _number(value) for name, value in asdict(self).items()}
        del settings["test"], settings["method"]
        return settings


def population_plan(
    settings: PopulationSettings, *, name: str, transformation: JsonObject, slicing: str | None, model: str
) -> JsonObject:
    """The plan of a population test, ``robust.plan/1``."""
    return {
        "schema": PLAN_SCHEMA,
        "kind": "population",
        "name": name,
        "test": settings.test,
        "method": settings.method,
        "settings": settings.to_json(),
        "transformation": transformation,
        "slicing": slicing,
        "model": model,
    }


@dataclass(frozen=True, kw_only=True)
class PopulationOutcome:
    """What a population test showed; a pure function of its settings and of the outputs.

    Attributes:
        settings: what was asked.
        verdict: ``holds``, ``violated``, ``inconclusive``, ``vacuous`` (nothing was tested) or ``errored``.
        reason: a code of :data:`REASONS`.
        row_verdict: whether the share of rows that keep the row rule, or move that way, reaches the threshold.
        population_verdict: what the method says of the population, by itself.
        metric: what the method measures; None where there is nothing to measure.
        metric_name: its name.
        p_value: of the test; of equivalence the larger of two; None where the method has none.
        effect: the mean (or pseudo-median) change of the output; of labels the change in share of the label, or the
            share of changed labels where none is named.
        interval: of the metric, at :attr:`PopulationSettings.confidence`; exact of shares.
        n: rows of the slice.
        n_changed: rows that the transformation changed and that count: with an oracle only valid ones.
        n_invalid: changed rows that the oracle rejected.
        n_unknown: changed rows of which it could not be told.
        groups: how many groups were tested; None without groups.
        rows: how many counted rows keep the row rule, or move that way.
        row_share: their share.
        row_interval: of that share; with groups by the bounds of :class:`~robust.stats.group_counts.GroupedShare`.
        largest_change: the largest absolute change of an output; None of labels.
        percentile_95_change: the 95th percentile of absolute changes; None of labels.
        window: the full width of the window in the unit of the output; None without one.
        missing_before: predictions that are missing or not a number, before the change.
        missing_after: likewise, after it.
        failing: the numbers of counted rows that do not keep the row rule, or do not move that way, from 0.
        least_units: of a test that could never pass: how many rows or groups it takes at least.
        error: of ``errored``: where it was raised, and what.
    """

    settings: PopulationSettings
    verdict: PopulationVerdict
    reason: str
    row_verdict: PopulationVerdict
    population_verdict: PopulationVerdict
    metric: float | None = None
    metric_name: str
    p_value: float | None = None
    effect: float | None = None
    interval: Interval | None = None
    n: int
    n_changed: int
    n_invalid: int = 0
    n_unknown: int = 0
    groups: int | None = None
    rows: int = 0
    row_share: float | None = None
    row_interval: Interval | None = None
    largest_change: float | None = None
    percentile_95_change: float | None = None
    window: float | None = None
    missing_before: int = 0
    missing_after: int = 0
    failing: tuple[int, ...] = ()
    least_units: int | None = None
    error: tuple[str, str] | None = None

    @property
    def passed(self) -> bool:
        """Whether the claim was shown; no other verdict than ``holds`` passes."""
        return self.verdict == "holds"

    @property
    def status(self) -> str:
        """``pass``; ``fail`` if violated or inconclusive; ``error`` if nothing was tested."""
        return _STATUS[self.verdict]

    @property
    def exit_code(self) -> int:
        """What a command exits with: 0, 1 or 2."""
        return EXIT_CODES[self.status]

    @property
    def message(self) -> str:
        """The verdict and its reason in a sentence."""
        return message_of(self)

    def summary(self) -> str:
        """The result in a few lines."""
        return summary_of(self)

    def found(self) -> JsonObject:
        """What stands of it in a report: all but ``failing``, which the records show."""
        error = None if self.error is None else {"where": self.error[0], "what": self.error[1]}
        return {
            "verdict": self.verdict,
            "passed": self.passed,
            "reason": self.reason,
            "test": self.settings.test,
            "method": self.settings.method,
            "metric_name": self.metric_name,
            "row_verdict": self.row_verdict,
            "population_verdict": self.population_verdict,
            **{name: _number(getattr(self, name)) for name in _NUMBERS},
            "threshold": _number(self.settings.threshold),
            "alpha": _number(self.settings.alpha),
            "confidence": _number(self.settings.confidence),
            "interval": _ends(self.interval),
            "row_interval": _ends(self.row_interval),
            "n_failing": len(self.failing),
            "error": error,
        }

    def to_dict(self) -> JsonObject:
        """Everything as plain JSON data; numbers that there are not are null."""
        return {
            **self.found(),
            "status": self.status,
            "message": self.message,
            "settings": self.settings.to_json(),
            "failing": list(self.failing),
        }


_NUMBERS: Final = (
    *("metric", "p_value", "effect", "n", "n_changed", "n_invalid", "n_unknown", "groups", "rows", "row_share"),
    *("largest_change", "percentile_95_change", "window", "missing_before", "missing_after", "least_units"),
)


def tidy_double(value: float) -> float | int:
    """The same finite number as canonical JSON reads it back: a whole one as an integer where all of them are exact."""
    return tidy_number(value) if abs(value) <= MAX_SAFE_INTEGER else float(value)


def _number(value: Any) -> Any:
    """A number as canonical JSON reads it back; null for one that JSON cannot hold; anything else as it is."""
    if type(value) is not float:
        return value
    return tidy_double(value) if math.isfinite(value) else None


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_number(end) for end in interval]
