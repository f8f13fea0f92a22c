"""Population tests that were edited and hashed again: each value is derived again, and named with both values."""

from __future__ import annotations

from typing import Any

import pytest

from robust.app.check_runs import save_check
from robust.app.population import column_edits, increasing, invariance
from robust.canon import JsonObject
from tests.unit.app.check_forging import StoredCheck, problems_of
from tests.unit.app.forging import at, leaves, other, paths_of, put, shown

ROWS = [{"x": float(number), "name": f"text {number}", "of": f"g{number % 5}"} for number in range(20)]
SECTIONS = [
    "schema", "kind", "status", "exit_code", "plan", "counts", "population", "checks", "failures", "notes", "records",
    "evidence_digest",
]  # fmt: skip
# What nobody can tell again: how many rows were not looked at, how groups are called.
KEPT = ("rows", "group")


def _half(rows: list[dict[str, Any]]) -> list[float]:
    return [row["x"] / 2 if row["x"] != 3 else 40.0 for row in rows]


@pytest.fixture(scope="module", params=["proportion", "equivalence", "t_test", "grouped"])
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StoredCheck:
    """A population test of each kind of method, and one over groups."""
    edit = column_edits.scaled("x", 1.05)
    results = {
        "proportion": lambda: invariance(_half, ROWS, edit),
        "equivalence": lambda: invariance(_half, ROWS, edit, method="equivalence", window=2.0),
        "t_test": lambda: increasing(_half, ROWS, edit, method="t_test"),
        "grouped": lambda: increasing(_half, ROWS, edit, method="wilcoxon", groups="of"),
    }
    folder = tmp_path_factory.mktemp("population") / "run"
    save_check(results[request.param](), folder)
    return StoredCheck(folder)


def test_the_forger_changes_nothing_when_nothing_is_edited(stored: StoredCheck) -> None:
    """Its digests are the digests of the package."""
    forged = stored.copy()
    forged.fit()
    assert forged.report == stored.report
    assert forged.save().holds
    assert sorted([*SECTIONS, "observed", "digest"]) == sorted(stored.report)


@pytest.mark.parametrize("section", SECTIONS)
def test_no_value_of_a_report_can_be_edited(stored: StoredCheck, section: str) -> None:
    """Every leaf of the section, one by one, with the digest over it computed again."""
    for path in leaves(stored.report[section], (section,)):
        forged = stored.copy()
        put(forged.report, path, other(at(forged.report, path)))
        forged.fit_report()
        verified = forged.save()
        assert verified.exit_code == 3, path
        assert {shown(path), shown((*path, "x"))} & paths_of(verified), path
        for problem in problems_of(verified):
            assert problem.file == str(stored.folder / "report.json")
    assert stored.save().holds


def test_a_value_that_was_added_or_removed_is_named(stored: StoredCheck) -> None:
    """At the top, and inside."""
    for path in (("luck",), ("population", "luck"), ("counts", "luck"), ("notes", "luck")):
        forged = stored.copy()
        put(forged.report, path, 1)
        forged.fit_report()
        assert shown(path) in paths_of(forged.save())
    for path in (("checks",), ("failures", "first"), ("population", "p_value"), ("counts", "rows")):
        forged = stored.copy()
        del at(forged.report, path[:-1])[path[-1]]
        forged.fit_report()
        assert shown(path) in paths_of(forged.save())
    assert stored.save().holds


def test_no_value_of_the_records_can_be_edited_but_what_nobody_can_tell(stored: StoredCheck) -> None:
    """With every digest computed again: what follows from it differs then, or it is no record."""
    for number, record in enumerate(stored.records[:6]):
        for path in leaves(record):
            if path[0] in KEPT:
                continue
            forged = stored.copy()
            put(forged.records[number], path, other(at(record, path)))
            forged.fit()
            verified = forged.save()
            assert verified.exit_code == 3, (number, path)
    assert stored.save().holds


def _swap(check: StoredCheck) -> None:
    check.records[1], check.records[2] = check.records[2], check.records[1]


def _twice(check: StoredCheck) -> None:
    check.records.insert(2, check.records[1])


def _one_less(check: StoredCheck) -> None:
    del check.records[3]


def _no_data(check: StoredCheck) -> None:
    del check.records[0]


def _nothing(check: StoredCheck) -> None:
    check.records.clear()


def _nan(check: StoredCheck) -> None:
    check.records[1]["after"] = "NaN"


def _huge(check: StoredCheck) -> None:
    check.records[1]["after"] = 1.7976931348623157e308


def _unknown_kind(check: StoredCheck) -> None:
    check.records[1]["kind"] = "trial"


def _list_row(check: StoredCheck) -> None:
    check.records[1]["row"] = [1]


def _more_rows(check: StoredCheck) -> None:
    check.records[0]["rows"] = 2**53 - 1


FORGERIES = [_swap, _twice, _one_less, _no_data, _nothing, _nan, _huge, _unknown_kind, _list_row, _more_rows]


@pytest.mark.parametrize("forge", FORGERIES)
def test_rows_stay_in_their_order_and_none_is_left_out(stored: StoredCheck, forge: Any) -> None:
    """Where something follows from them; the line is named where one is wrong."""
    forged = stored.copy()
    forge(forged)
    forged.fit()
    verified = forged.save()
    assert verified.exit_code == 3
    assert problems_of(verified)
    assert stored.save().holds


PLANS: list[tuple[tuple[str, ...], Any]] = [
    (("schema",), "robust.plan/2"),
    (("kind",), "relations"),
    (("kind",), ["population"]),
    (("name",), 5),
    (("test",), "anything"),
    (("method",), "mcnemar"),
    (("method",), {}),
    (("settings",), []),
    (("settings", "threshold"), 0),
    (("settings", "threshold"), 1e308),
    (("settings", "alpha"), "0.05"),
    (("settings", "alpha"), 0.5),
    (("settings", "grouped"), 1),
    (("settings", "luck"), 1),
    (("settings", "seed"), 0.5),
    (("settings", "oracle"), 5),
    (("settings", "relative"), None),
    (("settings", "abs_tol"), -1),
    (("transformation",), None),
    (("transformation", "name"), ""),
    (("slicing",), 5),
    (("model",), None),
    (("luck",), 1),
]


@pytest.mark.parametrize(("path", "value"), PLANS)
def test_a_plan_that_is_none_is_refused(stored: StoredCheck, path: tuple[str, ...], value: Any) -> None:
    """With its path, never a crash."""
    forged = stored.copy()
    put(forged.plan, path, value)
    forged.fit()
    verified = forged.save()
    assert verified.exit_code == 3
    assert any((problem.path or "").startswith(("$.", "$")) for problem in problems_of(verified))
    assert stored.save().holds


def test_another_setting_of_the_plan_does_not_fit_the_report(stored: StoredCheck) -> None:
    """What was asked decides what came of it."""
    for name, value in (("threshold", 0.123), ("alpha", 0.0123)):
        forged = stored.copy()
        forged.plan["settings"][name] = value
        forged.fit()
        assert {"$.population.threshold", "$.population.alpha"} & paths_of(forged.save())
    assert stored.save().holds


def test_verdicts_that_were_turned_together_are_still_refused(stored: StoredCheck) -> None:
    """Status, exit code, verdict and checks."""
    forged = stored.copy()
    turned = {"pass": ("fail", "violated", 1), "fail": ("pass", "holds", 0)}[forged.report["status"]]
    forged.report["status"], forged.report["population"]["verdict"], forged.report["exit_code"] = turned
    for check in forged.report["checks"]:
        check["status"] = turned[0]
    forged.fit_report()
    verified = forged.save()
    assert {"$.status", "$.population.verdict", "$.exit_code"} <= paths_of(verified)
    message = next(problem.message for problem in problems_of(verified) if problem.path == "$.status")
    assert message == f'"{turned[0]}" is stored, "{stored.report["status"]}" follows'
    assert stored.save().holds


def test_what_is_observed_may_be_anything(stored: StoredCheck) -> None:
    """But not missing, and it is in no digest."""
    forged = stored.copy()
    forged.report["observed"] = {"calls": "many", "started_at": [1], "x": {}}
    assert forged.save().holds
    broken: list[JsonObject | list[int] | None] = [None, []]
    for value in broken:
        forged.report["observed"] = value
        assert "$.observed" in paths_of(forged.save())
    assert stored.save().holds
