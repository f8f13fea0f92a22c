"""Laws of audits: what is saved is loaded, and is counted again from its records, whatever an oracle says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case, HardnessReport, LabelledPair, OracleAudit, OracleVerdict, audit_oracle, measure_hardness
from robust.app.verifying import verify_all
from robust.canon import hash_bytes
from robust.errors import RobustError
from robust.records.hardness import Shot, hardness_case

PAIRS = st.lists(
    st.tuples(
        st.text(max_size=5),
        st.sampled_from(["valid", "invalid"]),
        st.integers(0, 3),
        st.sampled_from(["given", "amounts", "ü"]),
    ),
    min_size=1,
    max_size=25,
)


def moody(mood: int) -> Any:
    """An oracle that says something else of each candidate, and always the same of one."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        drawn = hash_bytes(f"{mood} {candidate.input}".encode("utf-8", "surrogatepass"))[0] % 4
        if drawn == 3:
            raise ValueError("in a mood")
        return OracleVerdict((True, False, None)[drawn], "by mood", evidence={"drawn": drawn})

    return oracle


@settings(deadline=None, max_examples=40)
@given(PAIRS, st.integers(0, 9), st.booleans(), st.sampled_from([None, 0.0, 0.3]))
def test_an_audit_is_loaded_as_it_was_saved_and_counted_again(
    drawn: list[tuple[str, str, int, str]], mood: int, second: bool, limit: float | None
) -> None:
    """With its records beside it; bytes do not depend on the order of the groups."""
    pairs = [
        LabelledPair(
            base=Case(f"{index} {text}", case_id=f"b{index}", source_id=f"s{group}"),
            candidate=Case(f"{index} {text}!", case_id=f"c{index}", source_id=f"s{group}"),
            truth="valid" if truth == "valid" else "invalid",
            domain=domain,
        )
        for index, (text, truth, group, domain) in enumerate(drawn)
    ]
    with tempfile.TemporaryDirectory() as name:
        audit, records = Path(name, "audit.json"), Path(name, "records.jsonl")
        found = audit_oracle(
            moody(mood),
            contract="x/v1",
            pairs=pairs,
            second=moody(mood + 1) if second else None,
            records=records,
            max_accepted_invalid=limit,
        )
        found.save(audit)
        again = OracleAudit.load(audit)
        assert (again, again.data, again.digest) == (found, found.data, found.digest)
        results = list(verify_all([audit, records]))
    assert all(not isinstance(result, RobustError) and result.holds for result in results)
    counted = found.data["counts"]
    assert counted["valid"] + counted["invalid"] == counted["pairs"] == len(pairs)
    for share in found.shares.values():
        assert 0 <= share["pairs"] <= share["of"]


STATUSES = st.sampled_from(["passed", "failed", "unmeasured", "model_error", "judge_error", "not_run"])


@given(st.lists(STATUSES, max_size=8), st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
def test_a_rate_is_given_only_where_every_shot_was_measured(statuses: list[Any], band: list[float]) -> None:
    """And a case without one is in no band."""
    shots = [Shot(status=status) for status in statuses]
    case = hardness_case(case_id="c", source_id="s", content="x", shots=shots, band=(band[0], band[1]))
    measured = [status for status in statuses if status in ("passed", "failed")]
    assert case.measured_shots == len(measured)
    assert (case.failure_rate is None) == (len(measured) < len(statuses) or not statuses)
    if case.failure_rate is None:
        assert not case.in_band
    else:
        assert case.failure_rate == measured.count("failed") / len(statuses)
        assert case.in_band == (band[0] - 1e-9 <= case.failure_rate <= band[1] + 1e-9)


ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1, max_size=6))
def test_hardness_is_loaded_as_it_was_saved(answers: list[tuple[Any, Any]]) -> None:
    """Whatever a model answers, and whatever is expected."""
    cases = []
    for index, (expected, _) in enumerate(answers):
        case = Case("?", case_id=f"c{index}", source_id="s")
        try:
            made = case.with_expected(expected)
            measure_hardness([made], lambda case: None, 1, (0, 1))
        except RobustError:
            made = case
        cases.append(made)
    said = {f"c{index}": answer for index, (_, answer) in enumerate(answers)}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "h.jsonl")
        report = measure_hardness(cases, lambda case: said[case.case_id], 2, (0, 1), output=path)
        again = HardnessReport.load(path)
        assert (list(again), again.header) == (list(report), report.header)
