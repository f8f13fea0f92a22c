"""Accuracy by the values of metadata keys."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust.run.segments import MAX_KEYS, MAX_VALUES, SegmentCounts


def decision(
    number: int, metadata: dict[str, Any], *, right: bool | None = True, source: str | None = None
) -> dict[str, Any]:
    """The record of a base case that was answered right, wrong, or has no known answer."""
    return {
        "source_id": source or f"s{number}",
        "expected": None if right is None else "yes",
        "metadata": metadata,
        "result": {"selected": "no" if right is False else "yes"},
    }


def counted(*records: dict[str, Any]) -> SegmentCounts:
    """What is counted of some records."""
    counts = SegmentCounts()
    for record in records:
        counts.add(record)
    return counts


def test_cases_are_counted_by_their_values_and_those_without_one_too() -> None:
    """Also those that came before the key was first seen."""
    counts = counted(
        decision(1, {}),
        decision(2, {"region": "north"}),
        decision(3, {"region": "north"}, right=False),
        decision(4, {"region": "south"}, right=None),
        decision(5, {}, right=False, source="s1"),
    )
    found = [*counts.segments(0.95)]
    assert [(each.key, each.value, each.cases, each.accuracy[:3]) for each in found] == [
        ("region", "north", 2, (1, 2, 2)),
        ("region", "south", 1, (0, 0, 0)),
        ("region", None, 2, (1, 2, 1)),
    ]
    assert found[0].accuracy.interval is not None
    assert found[2].accuracy.interval is None


def test_plain_values_are_segments_and_others_are_none() -> None:
    """Numbers, truth values and null are what they are in JSON; an object or a list is no name."""
    counts = counted(
        decision(1, {"a": 1, "b": True, "c": None, "d": {"x": 1}, "e": ["x"], "f": "z" * 201}),
        decision(2, {"a": 1.5, "b": False, "c": "null", "d": "x", "e": "x", "f": "z"}),
    )
    assert {each.key: [] for each in counts.segments(0.95)}.keys() == {"a", "b", "c"}
    assert [each.value for each in counts.segments(0.95)] == ["1", "1.5", "false", "true", "null"]
    assert counts.left_out() == ["d", "e", "f"]


def test_a_key_that_tells_cases_apart_is_no_segment() -> None:
    """However many cases there are, no more of it is kept."""
    rows = [decision(number, {"id": str(number), "kind": str(number % MAX_VALUES)}) for number in range(1000)]
    counts = counted(*rows)
    assert {each.key for each in counts.segments(0.95)} == {"kind"}
    assert counts.left_out() == ["id"]


def test_only_so_many_keys_are_shown() -> None:
    """The first by their names."""
    counts = counted(decision(1, {f"k{number:02}": "v" for number in range(MAX_KEYS + 3)}))
    assert len({each.key for each in counts.segments(0.95)}) == MAX_KEYS
    assert counts.left_out() == ["k08", "k09", "k10"]


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([True, False, None]), st.integers(0, 4))))
def test_the_segments_of_a_key_are_all_cases(rows: list[tuple[str | None, bool | None, int]]) -> None:
    """Each case is in one of them."""
    records = [
        decision(number, {} if value is None else {"k": value}, right=right, source=f"s{source}")
        for number, (value, right, source) in enumerate(rows)
    ]
    found = [*counted(*records).segments(0.95)]
    if any(value is not None for value, _, _ in rows):
        assert sum(each.cases for each in found) == len(rows)
        assert sum(each.accuracy.of for each in found) == sum(right is not None for _, right, _ in rows)
        assert sum(each.accuracy.hits for each in found) == sum(right is True for _, right, _ in rows)
    else:
        assert found == []
