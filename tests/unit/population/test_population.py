"""Population tests: slices, groups, ids, oracles, methods and their terms, and what ends as a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from robust import (
    CaseError,
    DataError,
    OracleVerdict,
    PopulationResult,
    UsageError,
    column_edits,
    decreasing,
    increasing,
    invariance,
    verify,
)
from robust.records.population import REASONS

X = np.arange(40.0).reshape(20, 2)
RAISED = column_edits.shifted(0, 1.0)


def first(rows: Any) -> Any:
    """A model that gives the first column."""
    return rows[:, 0] * 1.0


def moved(*change: float) -> Any:
    """A transformation that moves rows by these numbers, in turn."""
    return lambda rows: np.column_stack([rows[:, 0] + np.resize(change, len(rows)), rows[:, 1]])


@pytest.mark.parametrize(
    "slicing",
    [
        lambda rows: rows[:, 0] > 20,
        X[:, 0] > 20,
        (X[:, 0] > 20).tolist(),
        pd.Series(X[:, 0] > 20, index=[1] * 20),
        pl.Series(X[:, 0] > 20),
        np.array((X[:, 0] > 20).tolist(), dtype=object),
    ],
)
def test_a_slice_is_a_mask_or_a_function_that_gives_one(slicing: Any) -> None:
    """Row numbers stay those of the data."""
    result = invariance(first, X, moved(100), slicing=slicing)
    assert (result.n, result.n_changed) == (9, 9)
    assert result.failing == tuple(range(11, 20))


@pytest.mark.parametrize(
    ("slicing", "words"),
    [
        ([True] * 19, "19 values for 20 rows"),
        ([1] * 20, "is no mask"),
        (np.arange(20), "is no mask"),
        ([None] + [True] * 19, "whether it is in"),
        (lambda rows: rows, "is no mask"),
        ("x > 5", "is no list of values"),
        (np.ones((20, 1), dtype=bool), "is no mask"),
        (lambda rows: None, "is no list of values"),
    ],
)
def test_what_is_no_mask_is_refused(slicing: Any, words: str) -> None:
    """Positions could be taken for zeros and ones."""
    with pytest.raises((DataError, UsageError), match=words):
        invariance(first, X, RAISED, slicing=slicing)


def test_groups_are_the_units() -> None:
    """A group stays if all of its rows do, and its change is their mean."""
    groups = [place // 4 for place in range(20)]
    result = invariance(first, X + 100, moved(0.5, 0.5, 0.5, 90), groups=groups)
    assert (result.groups, result.metric, result.row_share) == (5, 0, 0.75)
    assert (result.verdict, result.row_verdict, result.population_verdict) == ("violated", "holds", "violated")
    assert result.metric_name == "share_of_unchanged_groups"
    mean = increasing(first, X, moved(1, 1, 1, 5), method="t_test", groups=groups)
    assert (mean.groups, mean.effect, mean.p_value) == (5, 2, 0)
    assert mean.row_interval is not None


@pytest.mark.parametrize(
    "groups",
    [
        1,
        X[:, 1] // 10,
        (X[:, 1] // 10).astype(int).tolist(),
        [str(value // 10) for value in X[:, 1]],
        pl.Series(X[:, 1] // 10),
    ],
)
def test_groups_are_a_column_or_a_value_for_each_row(groups: Any) -> None:
    """Text, whole numbers, or floats that are whole."""
    data = np.column_stack([X[:, 0], X[:, 1] // 10])
    assert increasing(first, data, RAISED, groups=groups).groups == 4


def test_only_groups_with_changed_rows_count() -> None:
    """A group that the transformation leaves alone has nothing to say."""
    rows = [{"x": 1.0, "team": team} for team in ("a", "a", "b", "c")]
    change = lambda rows: [{**row, "x": 2.0} if row["team"] != "b" else row for row in rows]  # noqa: E731
    result = increasing(lambda rows: [row["x"] for row in rows], rows, change, groups="team")
    assert (result.n, result.n_changed, result.groups, result.verdict) == (4, 3, 2, "holds")


def test_one_group_shows_nothing() -> None:
    """However many rows it has."""
    for options in ({}, {"method": "t_test"}, {"method": "wilcoxon"}):
        result = increasing(first, X, moved(1, 2), groups=["a"] * 20, **options)  # type: ignore[arg-type]
        assert (result.verdict, result.reason, result.groups) == ("inconclusive", "too_few", 1)
        assert "1 group can never be enough" in result.message


def test_a_group_in_which_rows_move_both_ways_counts_against_the_claim() -> None:
    """In the test of moves, where a mean would not be a label."""
    rows = [{"label": "no" if place % 3 else "yes"} for place in range(30)]
    change = lambda rows: [{"label": "yes" if row["label"] == "no" else "no"} for row in rows]  # noqa: E731
    model = lambda rows: [row["label"] for row in rows]  # noqa: E731
    alone = increasing(model, rows, change, label="yes", method="mcnemar")
    assert alone.metric == pytest.approx(20 / 30)
    assert alone.effect == pytest.approx(10 / 30)
    grouped = increasing(model, rows, change, label="yes", method="mcnemar", groups=[place // 3 for place in range(30)])
    assert (grouped.metric, grouped.verdict) == (0, "violated")


@pytest.mark.parametrize("groups", [[None] * 20, [1.5] * 20, [["a"]] * 20, ["a"] * 19, "nn", [float("nan")] * 20, 7])
def test_groups_that_are_none_are_refused(groups: Any) -> None:
    """A row without a group would be in all of them, or in none."""
    with pytest.raises((DataError, UsageError)):
        invariance(first, X, RAISED, groups=groups)


def test_ids_decide_the_random_part_of_an_edit() -> None:
    """Wherever the row stands."""
    edit = column_edits.noise("x")
    rows = [{"id": f"row {place}", "x": float(place)} for place in range(30)]
    cells = [record["cells"] for record in list(increasing(first_of, rows, edit, ids="id").records())[1:]]
    back = [record["cells"] for record in list(increasing(first_of, rows[::-1], edit, ids="id").records())[1:]]
    assert back[::-1] == cells
    by_place = [record["cells"] for record in list(increasing(first_of, rows, edit).records())[1:]]
    assert by_place != cells
    again = [record["cells"] for record in list(increasing(first_of, rows, edit, ids="id", seed=1).records())[1:]]
    assert again != cells


def first_of(rows: Any) -> list[float]:
    """A model of records."""
    return [row["x"] for row in rows]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([1] * 20, "rows 0 and 1 have one id, 1"),
        ([*range(18), 5, 19], "rows 5 and 18 have one id, 5"),
        (["a", *map(str, range(18)), "a"], "rows 0 and 19 have one id"),
        ([1.5] * 20, "row 0 has the id"),
        ([None] * 20, "row 0 has the id"),
        ([True] * 20, "row 0 has the id"),
        ([1, "1", *range(2, 20)], "have one id"),
        (range(19), "19 values for 20 rows"),
    ],
)
def test_ids_that_are_none_or_not_distinct_are_refused(ids: Any, words: str) -> None:
    """Both rows are named."""
    with pytest.raises(DataError, match=words):
        invariance(first, X, RAISED, ids=ids)


def even(base: Any, candidate: Any) -> OracleVerdict:
    """An oracle that accepts every second row and cannot decide on every fourth."""
    number = int(base.case_id.rpartition("-")[2])
    valid = None if number % 4 == 3 else number % 2 == 0
    reason = f"{base.input['x']} became {candidate.input['x']}"
    return OracleVerdict(valid, reason, evidence={"relation": candidate.origin.relation})


ROWS = [{"x": float(place), "team": "ab"[place % 2]} for place in range(20)]


def test_only_rows_that_an_oracle_calls_valid_count() -> None:
    """The others are counted, and stand in the records with what it said; the model is asked about none of them."""
    seen: list[float] = []

    def model(rows: Any) -> list[float]:
        seen.extend(row["x"] for row in rows)
        return [1.0] * len(rows)

    result = invariance(model, ROWS, column_edits.shifted("x", 100), oracle=even)
    assert (result.n, result.n_changed, result.n_invalid, result.n_unknown) == (20, 10, 5, 5)
    assert seen == [float(place) for place in range(0, 20, 2)] + [100.0 + place for place in range(0, 20, 2)]
    assert (result.settings.oracle or "").endswith("even")
    records = list(result.records())
    assert [record["kind"] for record in records] == ["data", *["row", "skip"] * 10]
    assert [record["reason"] for record in records[2:6:2]] == ["invalid", "unknown"]
    assert [record["validation"]["issues"] for record in records[2:6:2]] == [["rejected"], ["unreviewed"]]
    assert records[1]["validation"]["verdict"]["evidence"] == {"relation": "invariant"}


def test_an_oracle_that_raises_makes_a_population_test_errored(tmp_path: Path) -> None:
    """It is no doubt about a row; the row is named, the model is not asked, and the stored run holds."""

    def oracle(base: Any, candidate: Any) -> OracleVerdict:
        if base.case_id == "row-3":
            raise ValueError("broken")
        return OracleVerdict(True, "fine", evidence={"seen": True})

    asked: list[Any] = []
    result = invariance(asked.append, ROWS, column_edits.shifted("x", 100), oracle=oracle)
    assert (result.verdict, result.error, asked) == ("errored", ("oracle", "row 3: ValueError: broken"), [])
    result.save(tmp_path / "run")
    assert verify(tmp_path / "run").holds


def test_an_oracle_sees_rows_as_cases_of_their_group() -> None:
    """Texts as text, rows of numbers as objects; the transformation is told."""
    seen: list[Any] = []

    def oracle(base: Any, candidate: Any) -> OracleVerdict:
        seen.append((base.input, candidate.input, base.source_id, candidate.origin.transform))
        return OracleVerdict(True, "fine", evidence={"seen": True})

    constant = lambda rows: [1.0] * len(rows)  # noqa: E731
    assert invariance(constant, ["a", "b"], column_edits.case(), oracle=oracle).passed
    assert invariance(constant, np.array([1.0, 2.5]), lambda rows: rows * 2, oracle=oracle).passed
    assert invariance(constant, ROWS[:2], column_edits.shifted("x", 1), oracle=oracle, groups="team").n_changed == 2
    assert seen[0] == ("a", "A", "row-0", "case")
    assert seen[3][:3] == ({"value": 2.5}, {"value": 5}, "row-1")
    assert seen[4][:3] == ({"x": 0, "team": "a"}, {"x": 1, "team": "a"}, "a")


def test_an_oracle_that_cannot_tell_makes_rows_unknown() -> None:
    """None of them counts, which is vacuous."""

    def oracle(base: Any, candidate: Any) -> OracleVerdict:
        return OracleVerdict(None, "no idea")

    result = invariance(first_of, ROWS, column_edits.shifted("x", 1), oracle=oracle)
    assert (result.verdict, result.reason, result.n_unknown) == ("vacuous", "none_valid", 20)
    with pytest.raises(CaseError):
        invariance(first_of, ROWS, column_edits.shifted("x", 1), oracle=5)  # type: ignore[arg-type]


def boom(rows: Any) -> Any:
    """A function that raises."""
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("where", "arguments"),
    [
        ("model", {"model": boom, "transformation": RAISED}),
        ("transformation", {"model": first, "transformation": boom}),
        ("slicing", {"model": first, "transformation": RAISED, "slicing": boom}),
    ],
)
def test_what_raises_ends_as_errored(where: str, arguments: dict[str, Any]) -> None:
    """With where and what; it is never a pass, and its records say so."""
    result = invariance(data=X, **arguments)
    assert (result.verdict, result.status, result.exit_code) == ("errored", "error", 2)
    assert result.message == f"invariance errored: the {where} raised RuntimeError: out of memory"
    (record,) = result.records()
    assert record["error"] == {"where": where, "what": "RuntimeError: out of memory"}


def test_a_keyboard_interrupt_passes_through() -> None:
    """It is no failure of the model."""

    def model(rows: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        invariance(model, X, RAISED)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1.01}, "threshold"),
        ({"threshold": "0.5"}, "threshold"),
        ({"threshold": True}, "threshold"),
        ({"alpha": 0}, "alpha"),
        ({"alpha": 0.5}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"output_sensitivity": -0.1}, "output_sensitivity"),
        ({"abs_tol": float("inf")}, "abs_tol"),
        ({"seed": 1.0}, "seed"),
        ({"seed": 2**60}, "seed"),
        ({"window": 0.1}, "window"),
        ({"test": "t"}, "test"),
        ({"relative": True}, "relative"),
        ({"relative": 1}, "relative"),
        ({"method": "equivalence"}, "window"),
        ({"method": "equivalence", "window": 0}, "window"),
        ({"method": "equivalence", "window": -1}, "window"),
        ({"method": "equivalence", "window": 1, "test": "z"}, "test"),
        ({"method": None}, "method"),
        ({"label": ["a"]}, "label"),
        ({"transformation": 5}, "transformation"),
        ({"transformation": dict}, "transformation"),
    ],
)
def test_wrong_terms_are_refused_by_name(options: dict[str, Any], path: str) -> None:
    """Before anything runs."""
    with pytest.raises(UsageError) as caught:
        invariance(boom, X, **{"transformation": RAISED, **options})
    assert caught.value.problems[0].path == path


def test_mcnemar_takes_a_label() -> None:
    """Without one there is no direction."""
    with pytest.raises(UsageError, match="must be named"):
        increasing(first, X, RAISED, method="mcnemar")


def test_a_relative_window_is_a_share_of_the_mean_absolute_output_before() -> None:
    """So that outputs of both signs have one; where all are 0 there is none."""
    data = np.column_stack([np.resize([10.0, -10.0], 40), np.zeros(40)])
    options: dict[str, Any] = {"method": "equivalence", "window": 0.1, "relative": True}
    result = invariance(first, data, moved(0.3, 0.2), **options)
    assert (result.window, result.verdict) == (1, "holds")
    assert invariance(first, data, moved(0.7, 0.8), **options).verdict == "violated"
    nothing = invariance(first, data * 0, moved(0.3, 0.2), **options)
    assert (nothing.verdict, nothing.reason) == ("inconclusive", "no_window")


def test_infinite_outputs_are_farther_than_any_change() -> None:
    """One that stays infinite has not changed; one that becomes so has, and no mean is taken of it."""
    infinite = lambda rows: np.where(rows[:, 0] >= 100, np.inf, 1.0)  # noqa: E731
    result = invariance(infinite, X, moved(1000))
    assert (result.verdict, result.row_share, result.largest_change) == ("violated", 0, np.inf)
    assert result.to_dict()["largest_change"] is None
    both = invariance(lambda rows: np.full(len(rows), -np.inf), X, moved(1000))
    assert (both.verdict, both.largest_change) == ("holds", 0)
    mean = invariance(infinite, X, moved(*[1.0] * 19, 1000), method="equivalence", window=1)
    assert (mean.verdict, mean.p_value) == ("inconclusive", None)


def test_increasing_and_decreasing_are_mirror_images() -> None:
    """Of the same rows."""
    for method in ("proportion", "t_test", "wilcoxon"):
        up: PopulationResult = increasing(first, X, moved(1, 2, -1), method=method)
        down: PopulationResult = decreasing(first, X, moved(-1, -2, 1), method=method)
        assert up.p_value == down.p_value
        assert (up.verdict, up.row_share) == (down.verdict, down.row_share)


def test_a_move_must_be_more_than_abs_tol() -> None:
    """And more than rounding."""
    assert increasing(first, X, moved(0.5)).metric == 1
    assert increasing(first, X, moved(0.5), abs_tol=0.5).metric == 0
    assert increasing(lambda rows: np.where(rows[:, 0] >= 100, 0.1 + 0.2, 0.3), X, moved(100)).metric == 0


def test_the_result_tells_everything() -> None:
    """In a sentence, in lines, and as JSON; and it is neither true nor false."""
    result = increasing(first, X, moved(1, 1, 1, -1), method="wilcoxon")
    assert result.message.startswith("increasing holds: p = ")
    assert "15 of 20 rows increase (75.00%)" in result.summary()
    assert "failing      rows 3, 7, 11, 15, 19" in result.summary()
    shown = result.to_dict()
    assert shown["failing"] == list(result.failing) == [3, 7, 11, 15, 19]
    assert shown["verdict"] == "holds"
    assert result.plan()["kind"] == "population"
    assert repr(result) == f"<PopulationResult {result.message}>"
    with pytest.raises(TypeError, match="passed"):
        bool(result)
    assert result == increasing(first, X, moved(1, 1, 1, -1), method="wilcoxon")


def test_every_reason_leads_to_a_sentence() -> None:
    """None is left without words."""
    from robust.records.population_words import _SENTENCES

    assert set(_SENTENCES) == set(REASONS)
