"""A comparison of two runs: what it counts is what is there, and neither order nor names leave a trace."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust.canon import canonical_bytes
from robust.run.diff_rows import BASELINE, CANDIDATE, answer_line, compared_cases
from tests.compared import LABELS, Drawn, compared, contract_for, naive

weights = st.tuples(*[st.floats(0.01, 1)] * 3)
shares = weights.map(lambda drawn: tuple(each / sum(drawn) for each in drawn))
answers = st.one_of(st.none(), shares, st.sampled_from([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.5, 0.0)]))
cases = st.lists(
    st.builds(
        Drawn,
        st.sampled_from([*LABELS, None]),
        st.integers(0, 5),
        answers,
        answers,
        st.sampled_from(["a", "b", None]),
    ),
    min_size=1,
    max_size=25,
)
CONTRACT = contract_for(
    evaluation={"confidence_threshold": 0.5, "probability_tolerance": 0.1},
    regression={
        "max_answer_flip_rate": 0.2,
        "max_accuracy_drop": 0.1,
        "max_macro_f1_drop": 0.1,
        "max_brier_increase": 0.1,
        "max_nll_increase": 0.1,
        "max_mean_tv_distance": 0.2,
        "max_segment_accuracy_drop": 0.1,
        "segment_by": ["kind"],
        "min_segment_size": 1,
        "warnings": {"max_ece_increase": 0.1, "max_latency_p95_increase_ms": 5},
    },
    statistics={"judge": "bound"},
)


def _near(value: Any) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-12)


@settings(deadline=None)
@given(cases)
def test_every_figure_follows_from_its_definition(drawn: list[Drawn]) -> None:
    """Against plain Python that shares nothing with it."""
    found, due = compared(drawn).derived(), naive(drawn)
    answered, confidence = found["answers"], found["confidence"]
    assert found["counts"]["compared"] == due["compared"]
    assert [answered[name] for name in ("flips", "newly_wrong", "newly_right")] == [
        due[name] for name in ("flips", "newly_wrong", "newly_right")
    ]
    assert found["distributions"]["mean_tv_distance"]["value"] == _near(due["mean_tv"])
    assert found["distributions"]["max_tv_distance"] == _near(due["max_tv"])
    assert confidence["mean_shift"]["value"] == _near(due["mean_shift"])
    assert confidence["mean_abs_shift"]["value"] == _near(due["mean_abs_shift"])
    assert [found["errors"][name] for name in ("new", "recovered", "still")] == [
        due[name] for name in ("new", "recovered", "still")
    ]
    accuracy = found["metrics"]["accuracy"]
    assert [accuracy[side]["value"] for side in ("baseline", "candidate")] == [_near(each) for each in due["accuracy"]]
    bins = found["distributions"]["tv_bins"]
    assert found["distributions"]["tv_zero"] + sum(bins) == due["compared"]


@settings(deadline=None)
@given(cases)
def test_parts_make_the_whole(drawn: list[Drawn]) -> None:
    """Right and wrong in both runs, kinds of changes, and segments."""
    comparison = compared(drawn)
    found = comparison.derived()
    answered, kinds = found["answers"], comparison.changes.by_kind()
    moves = [answered[name] for name in ("both_right", "newly_wrong", "newly_right", "both_wrong")]
    assert sum(moves) == answered["mcnemar"]["cases"]
    assert sum(kinds.values()) == comparison.changes.count == len(comparison.changes.first())
    assert answered["flips"] == sum(kinds[kind] for kind in ("newly_wrong", "newly_right", "other_label"))
    assert answered["flips"] == sum(pair["count"] for pair in answered["label_pairs"])
    assert (kinds["new_error"], kinds["recovered"]) == (found["errors"]["new"], found["errors"]["recovered"])
    listed = found["segments"]["listed"]
    assert sum(each["matched"] for each in listed) == found["counts"]["matched"]
    assert sum(each["compared"] for each in listed) == found["counts"]["compared"]


@settings(deadline=None)
@given(cases, st.data())
def test_the_order_of_cases_leaves_no_trace(drawn: list[Drawn], data: st.DataObject) -> None:
    """The same bytes, to the last digit of every interval."""
    first, second = (compared(each, CONTRACT) for each in (drawn, data.draw(st.permutations(drawn))))
    assert canonical_bytes(first.derived()) == canonical_bytes(second.derived())
    assert [check.to_json() for check in first.checks() if not check.observed] == [
        check.to_json() for check in second.checks() if not check.observed
    ]


@settings(deadline=None)
@given(cases)
def test_the_other_way_round_every_difference_has_the_other_sign(drawn: list[Drawn]) -> None:
    """Ends of intervals are exchanged, and what was newly wrong is newly right."""
    turned = [case._replace(baseline=case.candidate, candidate=case.baseline) for case in drawn]
    there, back = compared(drawn, CONTRACT).derived(), compared(turned, CONTRACT).derived()
    assert there["answers"]["newly_wrong"] == back["answers"]["newly_right"]
    assert there["answers"]["mcnemar"]["p_value"] == back["answers"]["mcnemar"]["p_value"]
    assert there["distributions"] == back["distributions"]
    for name, metric in there["metrics"].items():
        other = back["metrics"][name]
        assert metric["baseline"] == other["candidate"]
        assert metric["delta"] == (None if other["delta"] is None else pytest.approx(-other["delta"], abs=1e-15))
        ends = other["interval"] and [-end for end in reversed(other["interval"])]
        assert metric["interval"] == (ends and pytest.approx(ends, abs=1e-9))


@settings(deadline=None)
@given(cases)
def test_a_run_beside_itself_has_no_difference(drawn: list[Drawn]) -> None:
    """Nothing moved, whatever it answered."""
    comparison = compared([case._replace(candidate=case.baseline) for case in drawn])
    found = comparison.derived()
    assert comparison.changes.count == found["answers"]["flips"] == 0
    assert {metric["delta"] for metric in found["metrics"].values()} <= {0, None}
    assert found["distributions"]["max_tv_distance"] in (0, None)
    assert found["answers"]["mcnemar"]["p_value"] in (1, None)


ids = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=8)
records = st.dictionaries(ids, st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12)


def _record(case_id: str, side: int) -> dict[str, Any]:
    result = {"probabilities": {"low": 0.25, "middle": 0.5, "high": 0.25}}
    fields: dict[str, Any] = {"expected": None, "input": "text", "media": [], "metadata": {}, "observed": {}}
    return {"kind": "decision", "case_id": case_id, "source_id": f"s{side}", "result": result, **fields}


@given(records)
def test_sorted_lines_match_by_id_whatever_it_holds(drawn: dict[str, tuple[bool, bool]]) -> None:
    """Quotation marks, brackets and letters that sort before them included."""
    lines = [
        answer_line(side, number, _record(case_id, side), LABELS, ())
        for number, (case_id, present) in enumerate(drawn.items(), start=1)
        for side in (CANDIDATE, BASELINE)
        if present[side]
    ]
    found = {
        case.case_id: (case.baseline is not None, case.candidate is not None) for case in compared_cases(sorted(lines))
    }
    assert found == {case_id: present for case_id, present in drawn.items() if any(present)}
