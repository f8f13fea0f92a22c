"""What a comparison of two runs says in words."""

from __future__ import annotations

from typing import Any

import pytest

from robust.canon import JsonObject
from robust.render.diff_facts import delta_text, segment_rows, unknown_notes
from robust.render.diff_text import _changes
from robust.render.plain import columns
from robust.render.screen import WIDTH, Screen


def _report(*, left: JsonObject, **fields: Any) -> JsonObject:
    segment = {"key": "a key of many words", "value": "v" * 90, "matched": 1, "gated": False, "interval": None}
    segment |= {"baseline_accuracy": 1, "candidate_accuracy": 0, "accuracy_drop": 1, "answer_flip_rate": 1}
    return {
        "counts": {"matched": 1, "compared": 1, "labelled": 1},
        "settings": {"min_segment_size": 5},
        "segments": {"listed": [segment], "left": left},
        **fields,
    }


@pytest.mark.parametrize("width", [24, 100])
def test_a_long_name_does_not_hide_that_a_segment_is_too_small(width: int) -> None:
    """Otherwise it looks like one that was judged."""
    _, row = segment_rows(_report(left={}), Screen(), width)
    assert row[0].endswith("… (small)")
    assert columns(row[0]) <= width


def test_what_is_not_listed_is_not_said_to_have_dropped_less() -> None:
    """A small segment is left out behind the judged ones, however much it dropped, and is not counted."""
    small, left = unknown_notes(_report(left={"k": 7}))
    assert small == "1 listed segment has fewer than 5 cases: not judged."
    assert left == "7 segments of 'k' are not listed: judged ones come first, then what dropped most."
    assert [*unknown_notes(_report(left={}))] == ["1 segment has fewer than 5 cases: not judged."]


def test_many_kinds_of_changes_fit_the_columns() -> None:
    """Each of them in thousands."""
    kinds = dict.fromkeys(("newly_wrong", "new_error", "other_label", "newly_right", "recovered"), 12_345)
    report = {"changes": {"count": 5 * 12_345, "by_kind": kinds, "first": []}}
    lines = [*_changes(report, Screen())]
    assert "12345 recovered" in " ".join(" ".join(lines).split())
    assert max(map(columns, lines)) <= WIDTH


@pytest.mark.parametrize(("value", "shown"), [(-0.0, "0"), (-1e-12, "0"), (1e-12, "0"), (0.25, "+0.25"), (-2, "-2")])
def test_a_difference_of_nothing_has_no_sign(value: float, shown: str) -> None:
    """As of latencies that are rounded."""
    assert delta_text(value) == shown
