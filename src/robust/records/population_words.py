"""The result of a population test in words, made of its codes and numbers when it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from robust.canon import JsonObject, canonical_text

if TYPE_CHECKING:
    from robust.records.population import PopulationOutcome

_SHOWN_FAILING: Final = 10
_LONGEST_VALUE: Final = 100
_CLAIMS: Final = {"invariance": "stay", "increasing": "increase", "decreasing": "decrease"}
_METHODS: Final = {
    "proportion": "share of rows",
    "t_test": "one-sided paired t-test",
    "wilcoxon": "one-sided signed-rank test",
    "mcnemar": "one-sided exact test of moves (McNemar)",
}
_STATISTICS: Final = {"t": "of the mean (t)", "wilcoxon": "of the pseudo-median (signed ranks)"}


def message_of(outcome: PopulationOutcome) -> str:
    """The verdict and its reason in a sentence."""
    return f"{outcome.settings.test} {outcome.verdict}: {_SENTENCES[outcome.reason](outcome)}"


def changed_words(plan: JsonObject, looked_at: int, rows: int | None) -> str:
    """What was changed: the transformation with its columns and settings, the slice, and whether rows are grouped.

    Args:
        plan: of the test.
        looked_at: how many rows were looked at.
        rows: how many rows the data has; None where that is not known.
    """
    made = plan["transformation"]
    settings = ", ".join(f"{name} {_value_text(value)}" for name, value in made["settings"].items())
    told = f"{made['name']} ({settings})" if settings else str(made["name"])
    of = "" if rows is None else f" of {rows}"
    told += f"; all {looked_at} rows" if plan["slicing"] is None else f"; slice {plan['slicing']}, {looked_at}{of} rows"
    return told + ("; by groups" if plan["settings"]["grouped"] else "")


def _value_text(value: object) -> str:
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def summary_of(outcome: PopulationOutcome) -> str:
    """The result in a few lines."""
    settings = outcome.settings
    method = _METHODS.get(settings.method) or f"two one-sided tests {_STATISTICS[settings.statistic or 't']}"
    lines = [outcome.message, f"  method       {method}"]
    refused = f", {outcome.n_invalid} invalid and {outcome.n_unknown} unknown left out" if settings.oracle else ""
    lines.append(f"  rows         {outcome.n} looked at, {outcome.n_changed} changed and counted{refused}")
    if outcome.groups is not None:
        lines.append(f"  groups       {outcome.groups}")
    if outcome.metric is not None:
        interval = ""
        if outcome.interval is not None:
            low, high = outcome.interval
            interval = f", {settings.confidence:.0%} interval {low:.6g} to {high:.6g}"
        lines.append(f"  {outcome.metric_name:12} {outcome.metric:.6g}{interval}")
    if outcome.p_value is not None:
        lines.append(f"  p            {outcome.p_value:.4g} (needed: below {settings.alpha:g})")
    if outcome.window is not None:
        lines.append(f"  window       ±{outcome.window / 2:.6g} (full width {outcome.window:.6g})")
    if outcome.row_share is not None:
        lines.append(
            f"  row level    {outcome.row_verdict}: {outcome.rows} of {outcome.n_changed} rows {_claim(outcome)}"
            f" ({outcome.row_share:.2%})"
        )
    if outcome.largest_change is not None and outcome.percentile_95_change is not None:
        largest, percentile = outcome.largest_change, outcome.percentile_95_change
        lines.append(f"  change       largest {largest:.6g}, 95th percentile {percentile:.6g}")
    if outcome.failing:
        shown = ", ".join(map(str, outcome.failing[:_SHOWN_FAILING]))
        more = len(outcome.failing) - _SHOWN_FAILING
        lines.append(f"  failing      rows {shown}" + (f" and {more} more" if more > 0 else ""))
    return "\n".join(lines)


def _claim(outcome: PopulationOutcome) -> str:
    return _CLAIMS[outcome.settings.test]


def _units(outcome: PopulationOutcome) -> str:
    if outcome.groups is not None:
        return f"{outcome.groups} group{'' if outcome.groups == 1 else 's'}"
    return f"{outcome.n_changed} row{'' if outcome.n_changed == 1 else 's'}"


def _shown(outcome: PopulationOutcome) -> str:
    if outcome.settings.method == "proportion":
        return f"{_share(outcome)}, of which {outcome.settings.threshold:g} is enough"
    if outcome.settings.method == "equivalence":
        return f"the change lies within the window (p = {outcome.p_value:.3g}), and so do enough rows by themselves"
    return f"p = {outcome.p_value:.3g} is below {outcome.settings.alpha:g}"


def _share(outcome: PopulationOutcome) -> str:
    whole = "groups" if outcome.groups is not None else "changed rows"
    return f"a share of {outcome.metric:.4g} of {whole} {_claim(outcome)}"


def _too_small(outcome: PopulationOutcome) -> str:
    return f"{_share(outcome)}, less than {outcome.settings.threshold:g}"


def _not_shown(outcome: PopulationOutcome) -> str:
    if outcome.settings.method != "equivalence":
        return f"p = {outcome.p_value:.3g} is not below {outcome.settings.alpha:g}"
    half = (outcome.window or 0) / 2
    where = "beyond all rows' common change" if outcome.interval is None else "not within the window"
    if outcome.interval is not None and (outcome.interval[0] > half or outcome.interval[1] < -half):
        where = "outside of the window"
    return f"the interval of the change is {where} ±{half:.4g} (p = {outcome.p_value:.3g})"


def _rows_change(outcome: PopulationOutcome) -> str:
    share, threshold = outcome.row_share, outcome.settings.threshold
    return (
        f"on the whole the change lies within the window, but only a share of {share:.4g} of rows stays by itself,"
        f" less than {threshold:g}: opposite changes cancel"
    )


def _too_few(outcome: PopulationOutcome) -> str:
    return f"{_units(outcome)} can never be enough for this test, which takes at least {outcome.least_units}"


def _no_p_value(outcome: PopulationOutcome) -> str:
    return f"the test gives no p-value for {_units(outcome)}: no output moved, or a change is not a finite number"


def _constant(outcome: PopulationOutcome) -> str:
    half = (outcome.window or 0) / 2
    return (
        f"every output changed by the same {outcome.effect:.6g}, which is at the edge of the window ±{half:.6g} or"
        f" outside of it by at most its half: without any spread there is no p-value, and equivalence is not shown"
    )


def _no_window(_: PopulationOutcome) -> str:
    return "the relative window has no width, since all outputs before the change are 0; give an absolute one"


def _missing(outcome: PopulationOutcome) -> str:
    return (
        f"{outcome.missing_before} predictions before the change and {outcome.missing_after} after it are missing or"
        f" not a number"
    )


def _raised(outcome: PopulationOutcome) -> str:
    where, what = outcome.error or ("something", "an unknown error")
    return f"the {where} raised {what}"


_SENTENCES: Final[dict[str, Callable[[PopulationOutcome], str]]] = {
    "shown": _shown,
    "share_too_small": _too_small,
    "not_shown": _not_shown,
    "rows_change": _rows_change,
    "too_few": _too_few,
    "no_p_value": _no_p_value,
    "constant_at_window": _constant,
    "no_window": _no_window,
    "missing_predictions": _missing,
    "no_rows": lambda _: "the data has no rows",
    "empty_slice": lambda _: "the slice holds no row",
    "nothing_changed": lambda outcome: f"the transformation changed none of {outcome.n} rows",
    "none_valid": lambda outcome: (
        f"of the changed rows the oracle called {outcome.n_invalid} invalid and {outcome.n_unknown} unknown, and none"
        f" valid"
    ),
    "raised": _raised,
}
