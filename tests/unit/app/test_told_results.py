"""What results of checks tell and refuse: truth values, counterexamples of many inputs, errors, what was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import (
    DataError,
    NotApplicable,
    Relation,
    UsageError,
    audit_relation,
    check,
    check_many,
    column_edits,
    invariance,
    judge_bias,
    unchanged,
)
from tests.run_fixtures import robust

LONGER = Relation("longer", lambda text: text + "x", unchanged(), deterministic=True)
SAME_CASE = Relation("upper", lambda text: text.upper(), unchanged(), deterministic=True)


def first(case: Any) -> int:
    return 0


RESULTS: list[Any] = [
    check(len, "text", [LONGER], deterministic_system=True),
    check_many(len, ["text"], [SAME_CASE]),
    audit_relation(SAME_CASE, [len], [], ["text"]),
    judge_bias(first, [{"options": ["a", "b"]}]),
    invariance(lambda rows: [1.0] * len(rows), [{"x": 1.0}], column_edits.shifted("x", 1)),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_is_neither_true_nor_false_and_says_whether_it_passed(result: Any) -> None:
    """An ``assert check(…)`` would pass whatever came of it."""
    with pytest.raises(TypeError, match=r"look at \.passed"):
        bool(result)
    assert result.passed is (result.exit_code == 0)


def test_flagged_inputs_of_a_declared_system_are_counted_in_the_report(tmp_path: Path) -> None:
    """Where there is no p value, what is violated is flagged."""
    report = check_many(len, ["a", "b", "c"], [LONGER, SAME_CASE], deterministic_system=True, output=tmp_path / "run")
    assert report.flagged == ["0", "1", "2"]
    assert "longer: 3 of 3 trials contradict, on 3 of 3 inputs" in report.summary()
    assert "by chance alone" not in report.summary()
    rows = [line.split() for line in robust("report", str(tmp_path / "run")).stdout.splitlines()]
    assert ["longer", "VIOLATED", "3", "3", "3", "3", "-"] in rows
    assert ["upper", "holds", "3", "0", "3", "0", "-"] in rows


def test_the_summary_of_many_inputs_shows_the_first_counterexamples_and_errors() -> None:
    """With the input and the relation of each."""

    def system(text: str) -> int:
        if text == "cX":
            raise ValueError("no c")
        return len(text)

    broken = Relation("broken", lambda text: text + "X", lambda before, after: True, deterministic=True)
    report = check_many(system, list("abcdef"), [LONGER, broken], deterministic_system=True)
    summary = report.summary()
    assert summary.count("counterexample of longer, input ") == 3
    assert "  counterexample of longer, input 0, sample 0: " in summary
    assert "  raised in system of broken, input 2, sample 0: ValueError: no c" in summary
    single = check(system, "c", [broken], deterministic_system=True).summary()
    assert "  raised in system of broken, sample 0: ValueError: no c" in single


def test_no_inputs_are_said() -> None:
    """And are no pass."""
    report = check_many(len, [], [LONGER])
    assert "there are no inputs, so that nothing was tested" in report.summary()
    assert not report.passed


def test_a_population_test_tells_what_was_changed(tmp_path: Path) -> None:
    """In its summary and in its report: the edit, its settings, the slice of how many rows, and groups."""
    rows = [{"x": float(place), "team": "ab"[place % 2]} for place in range(20)]
    mask = [place < 15 for place in range(20)]
    result = invariance(
        lambda given: [1.0] * len(given), rows, column_edits.shifted("x", 100), slicing=mask, groups="team"
    )
    words = "; slice mask, 15 of 20 rows; by groups"
    assert words in result.summary()
    (line,) = [line for line in result.summary().splitlines() if line.startswith("  changed ")]
    assert "shift" in line
    assert "x" in line
    result.save(tmp_path / "run")
    for form in ("text", "markdown"):
        assert words in " ".join(robust("report", str(tmp_path / "run"), "--format", form).stdout.split()), form


def test_a_relation_audit_without_broken_systems_does_not_say_fair() -> None:
    """Nothing shows that it finds anything."""
    assert audit_relation(SAME_CASE, [len], [], ["text"]).summary().startswith("NO FALSE ALARM, and no broken system")
    assert audit_relation(LONGER, [bool], [len], ["text"]).summary().startswith("FAIR  ")


def test_an_assertion_that_was_not_called_is_refused() -> None:
    """It would take every output for a tolerance."""
    maker: Any = unchanged
    with pytest.raises(UsageError) as caught:
        Relation("r", str, maker)
    assert caught.value.problems[0].message == "unchanged was not called"
    assert "write unchanged()" in str(caught.value.problems[0].hint)


def test_text_that_names_no_oracle_is_refused_and_a_relation_is_short_to_read() -> None:
    """When it is made, not when it is used; without addresses of functions."""
    with pytest.raises(UsageError, match="names no oracle"):
        Relation("r", str, unchanged(), oracle="preserves")
    assert repr(LONGER) == "Relation('longer', assertion='unchanged', deterministic=True)"
    judged = Relation("r", str, unchanged(), oracle="module:name", seed=3)
    assert repr(judged) == "Relation('r', assertion='unchanged', oracle=…, seed=3)"


def test_the_reason_of_a_transform_is_told_for_many_inputs() -> None:
    """With the first of them."""

    def never(text: str) -> str:
        raise NotApplicable("too short")

    report = check_many(len, ["a", "b"], [Relation("never", never, unchanged(), deterministic=True)])
    assert "not applicable: too short (2 of 2, first input 0, sample 0)" in report.summary()


def test_a_folder_that_holds_run_directories_is_told_from_one(tmp_path: Path) -> None:
    """With one of them, by every command that reads a run."""
    check(len, "a", [SAME_CASE]).save(tmp_path / "out" / "test_it")
    (tmp_path / "none").mkdir()
    for command in ("report", "verify"):
        told = " ".join(robust(command, "out", cwd=tmp_path).stderr.split())
        assert "it holds run directories: give one of them, such as out/test_it" in told.replace("\\", "/")
        assert "it holds" not in robust(command, "none", cwd=tmp_path).stderr


def test_a_group_that_is_no_whole_number_is_shown() -> None:
    """With its row."""
    with pytest.raises(DataError, match=r"the group of row 1 is 1\.5"):
        invariance(len, [{"x": 1.0}, {"x": 2.0}], column_edits.shifted("x", 1), groups=[1, 1.5])
