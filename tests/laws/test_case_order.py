"""Laws of the order of cases: however ids are kept, it answers as a plain set of them would."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from robust.run.case_order import CaseOrder

# Few, so that ids come again; and many in order, so that they are kept together.
IDS = st.lists(st.sampled_from(["a", "b", "b c", "é", "z", "\U00010000"]), min_size=1, max_size=4)
MANY = st.integers(0, 700).map(lambda count: [f"n{number:04}" for number in range(count, count + 300)])


@given(st.booleans(), st.lists(IDS | IDS.map(sorted) | MANY, max_size=6))
@example(False, [["a"], ["b"], ["a"]])
@example(False, [["b"], ["a"], ["b"]])
@example(True, [["a", "b"], ["b"]])
def test_ids_are_told_apart_as_by_a_set(ordered: bool, parts: list[list[str]]) -> None:
    """Which of them passed by, and which may come next."""
    cases, met = CaseOrder(ordered=ordered), list[str]()
    for part in parts:
        again = len({*met, *part}) < len(met) + len(part)
        follows = not ordered or (sorted(part) == part and (not met or part[0] > met[-1]))
        assert cases.may_follow(part) == (follows and not again)
        for case_id in (*part, "other"):
            assert (case_id in cases) == (case_id in met)
        if follows and not again:
            cases.add(part)
            met += part
            assert cases.last == part[-1]
    assert all(case_id in cases for case_id in met)


def test_variants_begin_an_order_of_their_own() -> None:
    """Behind the last base case stands the first variant, whatever its id, and the base cases are still known."""
    cases = CaseOrder(ordered=True)
    cases.add(["b", "c"])
    assert not cases.is_behind("a")
    cases.last = None
    assert cases.is_behind("a")
    cases.last = "a"
    assert not cases.is_behind("a")
    assert "b" in cases
    assert "a" not in cases
