"""Results of population tests as run directories: written, read, verified and shown like every other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import OracleVerdict, PopulationResult, UsageError, column_edits, increasing, invariance, verify
from robust.app.check_runs import load_check
from tests.run_fixtures import robust

ROWS = [{"x": float(place), "text": f"né {place}", "team": "ab"[place % 2]} for place in range(24)]


def half(rows: Any) -> list[float]:
    """A model of records."""
    return [row["x"] / 2 for row in rows]


def labelled(rows: Any) -> list[str]:
    """A classifier of texts."""
    return ["accent" if "é" in row["text"] else "none" for row in rows]


def undecided(base: Any, candidate: Any) -> OracleVerdict:
    """An oracle that accepts every third row."""
    number = int(base.case_id.rpartition("-")[2])
    return OracleVerdict([True, False, None][number % 3], "by its number", evidence={"number": number})


def boom(rows: Any) -> Any:
    """A model that raises."""
    raise ValueError("no such weights: \ud800")


SHIFTED = column_edits.shifted("x", 1)
RESULTS: dict[str, tuple[Callable[[], PopulationResult], str, int]] = {
    "holds": (lambda: increasing(half, ROWS, SHIFTED, method="t_test"), "pass", 0),
    "violated": (lambda: invariance(labelled, ROWS, column_edits.accents("text")), "fail", 1),
    "moves": (
        lambda: increasing(labelled, ROWS, column_edits.accents("text"), label="none", method="mcnemar"),
        "pass",
        0,
    ),
    "equivalence": (lambda: invariance(half, ROWS, SHIFTED, method="equivalence", window=3, abs_tol=1), "pass", 0),
    "grouped": (lambda: increasing(half, ROWS, SHIFTED, method="wilcoxon", groups="team"), "fail", 1),
    "oracle": (lambda: increasing(half, ROWS, SHIFTED, oracle=undecided), "error", 2),
    "invariant oracle": (lambda: invariance(half, ROWS, SHIFTED, oracle=undecided), "pass", 0),
    "missing": (lambda: invariance(lambda rows: [float("nan")] * len(rows), ROWS, SHIFTED), "fail", 1),
    "vacuous": (lambda: invariance(half, ROWS, lambda rows: rows), "error", 2),
    "empty": (lambda: invariance(half, ROWS, SHIFTED, slicing=[False] * 24), "error", 2),
    "errored": (lambda: invariance(boom, ROWS, SHIFTED), "error", 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_written_verified_and_read_again(name: str, tmp_path: Path) -> None:
    """With its status, and every number as the result has it."""
    make, status, exit_code = RESULTS[name]
    result, folder = make(), tmp_path / "run"
    assert (result.status, result.exit_code) == (status, exit_code), result.message
    saved = result.save(folder)
    assert verify(folder).holds
    loaded = load_check(folder)
    assert (loaded.status, loaded.exit_code, saved.status) == (status, exit_code, status)
    assert loaded.report["population"] == result.found()
    assert list(loaded.records()) == list(result.records())
    with pytest.raises(UsageError):
        result.save(folder)
    assert result.save(folder, overwrite=True).report["evidence_digest"] == saved.report["evidence_digest"]


@pytest.mark.parametrize("name", ["violated", "vacuous", "errored", "invariant oracle"])
def test_the_command_shows_what_was_written(name: str, tmp_path: Path) -> None:
    """And exits as the result says."""
    make, _, exit_code = RESULTS[name]
    result = make()
    result.save(tmp_path / "run")
    done = robust("report", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == exit_code
    assert "Traceback" not in done.stderr
    assert result.verdict.upper() in done.stdout or result.verdict in done.stdout
    assert robust("verify", tmp_path / "run", cwd=tmp_path).returncode == 0


def test_two_runs_of_one_test_have_one_evidence_digest(tmp_path: Path) -> None:
    """But for when they ran everything is the same."""
    make, _, _ = RESULTS["violated"]
    digests = {make().save(tmp_path / str(number)).report["evidence_digest"] for number in range(2)}
    assert len(digests) == 1
    other = invariance(labelled, ROWS, column_edits.accents("text"), threshold=0.4).save(tmp_path / "other")
    assert other.report["evidence_digest"] not in digests
