"""Laws of population tests, whatever the outputs are."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import PopulationResult, column_edits, decreasing, increasing, invariance
from robust.canon import canonical_bytes
from robust.population.derived import outcome_of

Pair = tuple[Any, Any]
finite = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
anything = st.one_of(finite, st.sampled_from([0.0, -0.0, 1e300, -1e300, float("nan"), float("inf"), float("-inf")]))
texts = st.sampled_from(["a", "b", "", "ä"])
INVARIANCE: list[dict[str, Any]] = [
    {},
    {"method": "equivalence", "window": 1.5},
    {"method": "equivalence", "window": 0.2, "test": "wilcoxon", "relative": True},
]
DIRECTED: list[dict[str, Any]] = [{}, {"method": "t_test"}, {"method": "wilcoxon"}]
WAYS = [(invariance, each) for each in INVARIANCE] + [
    (test, each) for test in (increasing, decreasing) for each in DIRECTED
]


def outcome(way: tuple[Any, dict[str, Any]], pairs: list[Pair], **options: Any) -> PopulationResult:
    """A population test over rows that have both outputs written in them."""
    test, own = way
    rows = [{"before": before, "after": after, "changed": 0} for before, after in pairs]
    model = lambda rows: [row["after" if row["changed"] else "before"] for row in rows]  # noqa: E731
    result = test(model, rows, column_edits.shifted("changed", 1), **own, **options)
    assert isinstance(result, PopulationResult)
    return result


def as_numbers(result: PopulationResult) -> dict[str, Any]:
    """Everything but which rows failed."""
    return {key: value for key, value in result.to_dict().items() if key != "failing"}


@given(
    way=st.sampled_from(WAYS),
    pairs=st.lists(st.tuples(anything, anything), min_size=1, max_size=70),
    groups=st.none() | st.integers(1, 9),
)
def test_the_records_alone_give_the_result_again(
    way: tuple[Any, dict[str, Any]], pairs: list[Pair], groups: int | None
) -> None:
    """Member by member, through bytes; whatever the outputs are."""
    grouping = None if groups is None else [place % groups for place in range(len(pairs))]
    result = outcome(way, pairs, groups=grouping, task="regression")
    plan = json.loads(canonical_bytes(result.plan()))
    records = [json.loads(canonical_bytes(record)) for record in result.records()]
    again, lines = outcome_of(plan, list(enumerate(records, 1)))
    assert {each.name: getattr(again, each.name) for each in fields(again)} == {
        each.name: getattr(result, each.name) for each in fields(again)
    }
    assert lines == {place: place + 2 for place in range(len(pairs))}


@given(pairs=st.lists(st.tuples(texts | st.none(), texts), min_size=1, max_size=40), mcnemar=st.booleans())
def test_the_records_of_labels_give_the_result_again(pairs: list[Pair], mcnemar: bool) -> None:
    """Missing ones included."""
    way = (increasing, {"method": "mcnemar", "label": "a", "classes": ["a", "b", "", "ä"]})
    result = outcome(way if mcnemar else (invariance, {}), pairs, task="classification")
    records = [json.loads(canonical_bytes(record)) for record in result.records()]
    again, _ = outcome_of(json.loads(canonical_bytes(result.plan())), list(enumerate(records, 1)))
    assert again.to_dict() == result.to_dict()
    if any(before is None for before, _ in pairs):
        assert result.verdict == "inconclusive"


@given(
    way=st.sampled_from(WAYS),
    pairs=st.lists(st.tuples(finite, finite), min_size=1, max_size=60),
    order=st.randoms(use_true_random=False),
    grouped=st.booleans(),
)
def test_the_order_of_rows_makes_no_difference(
    way: tuple[Any, dict[str, Any]], pairs: list[Pair], order: Any, grouped: bool
) -> None:
    """To no number, not in its last digit."""
    groups = [place % 7 for place in range(len(pairs))]
    places = list(range(len(pairs)))
    order.shuffle(places)
    one = outcome(way, pairs, groups=groups if grouped else None)
    other = outcome(
        way, [pairs[place] for place in places], groups=[groups[place] for place in places] if grouped else None
    )
    assert as_numbers(one) == as_numbers(other)
    assert sorted(places[place] for place in other.failing) == list(one.failing)


@given(way=st.sampled_from(WAYS[3:6]), pairs=st.lists(st.tuples(finite, finite), min_size=1, max_size=60))
def test_what_increases_decreases_when_its_sign_is_turned(way: tuple[Any, dict[str, Any]], pairs: list[Pair]) -> None:
    """With the same p-value and the mirrored effect."""
    up = outcome(way, pairs)
    down = outcome((decreasing, way[1]), [(-before, -after) for before, after in pairs])
    assert (up.verdict, up.p_value, up.failing) == (down.verdict, down.p_value, down.failing)
    assert up.effect == (None if down.effect is None else -down.effect)


@given(
    way=st.sampled_from(WAYS),
    pairs=st.lists(st.tuples(anything, anything), min_size=1, max_size=60),
    threshold=st.floats(0.01, 1),
)
def test_nothing_passes_that_must_not(way: tuple[Any, dict[str, Any]], pairs: list[Pair], threshold: float) -> None:
    """Not with a missing prediction, not one row, not above its p-value, not below its share."""
    result = outcome(way, pairs, threshold=threshold)
    if any(value != value for pair in pairs for value in pair):
        assert result.verdict == "inconclusive"
        return
    if len(pairs) < 2:
        assert not result.passed
    if result.passed and result.p_value is not None:
        assert result.p_value < 0.05
    if result.passed and result.settings.method in ("proportion", "equivalence"):
        assert result.row_share is not None
        assert result.row_share >= threshold
    for share, interval in ((result.row_share, result.row_interval),):
        assert share is not None
        assert interval is not None
        assert 0 <= interval[0] <= share <= interval[1] <= 1
    kept = len(pairs) - len(result.failing)
    assert (result.rows, result.row_share) == (kept, kept / len(pairs))


@given(labels=st.lists(st.booleans(), min_size=1, max_size=80), way=st.sampled_from(INVARIANCE))
def test_no_invariance_passes_when_every_label_flips(labels: list[bool], way: dict[str, Any]) -> None:
    """However the labels are balanced (L9)."""
    pairs = [(0.9, 0.1) if label else (0.1, 0.9) for label in labels]
    assert not outcome((invariance, way), pairs).passed
    assert not outcome((invariance, {}), [(label, not label) for label in labels], task="classification").passed


@given(
    values=st.lists(st.floats(-1e6, 1e6) | st.integers(-1000, 1000), min_size=2, max_size=40),
    mask=st.lists(st.booleans(), min_size=40, max_size=40),
    seed=st.integers(0, 5),
    name=st.sampled_from(["noise", "scaled", "shifted"]),
)
@settings(max_examples=60)
def test_a_slice_is_edited_as_the_whole_is(values: list[Any], mask: list[bool], seed: int, name: str) -> None:
    """Row by row: each edit depends on the row, and on the spread of all of them."""
    edit = {
        "noise": column_edits.noise("x", 0.3),
        "scaled": column_edits.scaled("x", 1.37),
        "shifted": column_edits.shifted("x", -2.25),
    }[name]
    rows = [{"x": value} for value in values]
    model = lambda rows: [float(row["x"]) for row in rows]  # noqa: E731
    whole = {record["row"]: record["cells"] for record in list(invariance(model, rows, edit, seed=seed).records())[1:]}
    chosen = mask[: len(rows)]
    part = list(invariance(model, rows, edit, seed=seed, slicing=chosen).records())[1:]
    assert [record["row"] for record in part] == [place for place in whole if chosen[place]]
    assert all(record["cells"] == whole[record["row"]] for record in part)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.sampled_from([np.float64, np.float32, np.int32]))
def test_arrays_records_and_frames_give_one_result(values: list[float], kind: Any) -> None:
    """Of the same numbers."""
    import pandas as pd  # type: ignore[import-untyped]

    numbers = np.array(values).astype(kind)
    by_place, by_name = column_edits.shifted(0, 1), column_edits.shifted("x", 1)
    results = [
        invariance(lambda rows: np.asarray(rows, dtype=float)[:, 0], numbers[:, np.newaxis], by_place),
        invariance(lambda rows: rows["x"].to_numpy(dtype=float), pd.DataFrame({"x": numbers}), by_name),
        invariance(lambda rows: [float(row["x"]) for row in rows], [{"x": each} for each in numbers], by_name),
    ]
    if kind is np.float32:
        # A number of numpy's in a record becomes one of Python's, with more digits.
        results.pop()
    assert len({canonical_bytes(as_numbers(result)) for result in results}) == 1
