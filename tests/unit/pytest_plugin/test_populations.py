"""The fixture with results of population tests: what passes, what fails and how, and where it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust import verify
from robust.app import check_runs, failed_checks, population, pytest_checks  # noqa: F401 - sessions within this process must not be the first to load them
from robust.render import pytest_summary  # noqa: F401 - sessions within this process must not be the first to load them
from robust.stats.exact_tests import fisher_two_sided

pytest_plugins = ["pytester"]
# What cannot be loaded twice must be here before the first session within this process.
fisher_two_sided((1, 2), (3, 4))

RESULTS = """
from robust import column_edits, invariance

ROWS = [{"x": float(number)} for number in range(30)]


def steady(rows):
    return [1.0 for row in rows]


def double(rows):
    return [row["x"] * 2 for row in rows]


def changed(model):
    return invariance(model, ROWS, column_edits.scaled("x", 1.5))
"""


def _run(pytester: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    """A session of its own, with the plugin as its entry point loads it; in this process, which is quick."""
    pytester.makepyfile(results=RESULTS, test_it=f"from results import *\n{code}")
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_a_result_that_holds_passes(pytester: pytest.Pytester) -> None:
    """And is given back."""
    found = _run(
        pytester, "def test_it(robust_check):\n    result = changed(steady)\n    assert robust_check(result) is result"
    )
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*robust checks*", "1 check: 1 passed, 0 failed; 2 calls"])


def test_a_result_that_does_not_hold_fails_with_the_rows(pytester: pytest.Pytester) -> None:
    """The line of the test, and nothing of what is behind the fixture."""
    found = _run(pytester, "def test_it(robust_check):\n    robust_check(changed(double))")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            ">   *robust_check(changed(double))",
            "E   *AssertionError: invariance violated: a share of 0 of changed rows stay, less*",
            "E   * 1. row 1",
            "E   * changed   x: 1 became 1.5",
            "E   * before    2",
            "E   * after     3",
            "E   *and 27 more rows fail",
        ]
    )
    found.stdout.no_fnmatch_line("*pytest_checks.py*")


def test_every_result_has_a_run_directory_that_holds(pytester: pytest.Pytester) -> None:
    """Of the ones that fail too; several of one test are numbered."""
    code = """
def test_two(robust_check):
    robust_check(changed(steady))
    robust_check(changed(double))

def test_one(robust_check):
    robust_check(changed(steady))
"""
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(passed=1, failed=1)
    folders = sorted(folder.name for folder in (pytester.path / "out").iterdir())
    assert folders == ["test_it.py-test_one", "test_it.py-test_two", "test_it.py-test_two-2"]
    for name in folders:
        assert verify(pytester.path / "out" / name).holds
    report = json.loads((pytester.path / "out" / "test_it.py-test_two-2" / "report.json").read_bytes())
    assert report["status"] == "fail"
    found.stdout.fnmatch_lines(["E   *robust report */out/test_it.py-test_two-2"])


def test_a_second_session_replaces_what_the_first_one_wrote(pytester: pytest.Pytester) -> None:
    """Under the names that it uses itself."""
    code = "def test_it(robust_check):\n    robust_check(changed(steady))"
    for _ in range(2):
        _run(pytester, code, "--robust-output", "out").assert_outcomes(passed=1)
    assert [folder.name for folder in (pytester.path / "out").iterdir()] == ["test_it.py-test_it"]


def test_a_folder_that_cannot_be_written_fails_the_test(pytester: pytest.Pytester) -> None:
    """With what is wrong; a result that is not written where it should be is no pass."""
    (pytester.path / "out").write_text("a file", encoding="utf-8")
    found = _run(pytester, "def test_it(robust_check):\n    robust_check(changed(steady))", "--robust-output", "out")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["E  *UsageError: *out*cannot be written*"])


def test_the_folder_is_that_of_the_command(pytester: pytest.Pytester) -> None:
    """Also for a test that changes the current folder."""
    code = """
def test_it(robust_check, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robust_check(changed(steady))
"""
    _run(pytester, code, "--robust-output", "out").assert_outcomes(passed=1)
    assert (pytester.path / "out" / "test_it.py-test_it" / "report.json").is_file()


def test_workers_of_xdist_write_and_tell_all_of_it(pytester: pytest.Pytester) -> None:
    """Each test its own folder, and one summary."""
    code = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_it(robust_check, number):
    robust_check(changed(double if number == 3 else steady))
"""
    pytester.makepyfile(results=RESULTS, test_it=f"from results import *\n{code}")
    found = pytester.runpytest_subprocess("-n", "2", "--robust-output", "out")
    found.assert_outcomes(passed=5, failed=1)
    assert len(list((pytester.path / "out").iterdir())) == 6
    found.stdout.fnmatch_lines(
        ["6 checks: 5 passed, 1 failed; 12 calls", "relations and tests: 5 holds, 1 violated", "test_it.py::test_it*3*"]
    )


def test_hostile_ids_of_parameters_are_folders_of_their_own(pytester: pytest.Pytester) -> None:
    """Whatever stands in them."""
    code = r"""
import pytest

@pytest.mark.parametrize("text", ["../../up", "a/b", "a_b", "a:b*?", "\x00\n", "日本", "x" * 400, "-rf", "\x1b[31m"])
def test_it(robust_check, text):
    robust_check(changed(steady))
"""
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(passed=9)
    folders = list((pytester.path / "out").iterdir())
    assert len(folders) == 9
    assert all((folder / "report.json").is_file() for folder in folders)
    assert [path for path in pytester.path.parent.iterdir() if path.name == "up"] == []


def test_attempts_of_one_test_are_kept_apart(pytester: pytest.Pytester) -> None:
    """A plugin that runs a test again, as those for flaky tests do."""
    pytester.makeconftest(
        """
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for attempt in range(3):
                reports = runtestprotocol(item, nextitem=nextitem, log=False)
                if any(report.failed for report in reports) and attempt < 2:
                    for report in reports:
                        if report.failed:
                            report.outcome = "rerun"
                            item.ihook.pytest_runtest_logreport(report=report)
                    item._initrequest()
                    continue
                for report in reports:
                    item.ihook.pytest_runtest_logreport(report=report)
                break
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            return True

        def pytest_report_teststatus(report):
            if report.outcome == "rerun":
                return "rerun", "R", "RERUN"
        """
    )
    code = """
tries = []

def test_it(robust_check):
    tries.append(1)
    robust_check(changed(double if len(tries) < 3 else steady))
"""
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(passed=1)
    names = sorted(folder.name for folder in (pytester.path / "out").iterdir())
    assert names == ["test_it.py-test_it", "test_it.py-test_it-2", "test_it.py-test_it-3"]
    found.stdout.fnmatch_lines(["3 checks: 1 passed, 2 failed; 6 calls"])


def test_a_session_without_checks_says_nothing(pytester: pytest.Pytester) -> None:
    """And loads nothing of ours but the plugin itself."""
    code = """
import sys

def test_it():
    ours = sorted(name for name in sys.modules if name.partition(".")[0] == "robust")
    assert ours == ["robust", "robust.homes", "robust.pytest_plugin"]
"""
    pytester.makepyfile(code)
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    found.assert_outcomes(passed=1)
    found.stdout.no_fnmatch_line("*robust checks*")


def test_the_marker_and_the_option_are_documented(pytester: pytest.Pytester) -> None:
    """Where pytest shows such things."""
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.robust(samples=*"])
    pytester.runpytest_inprocess("--help").stdout.fnmatch_lines(["*--robust-output=DIR*"])
    pytester.runpytest_inprocess("--fixtures", "-q").stdout.fnmatch_lines(["robust_check*"])


def test_a_summary_is_short_where_pytest_is_quiet(pytester: pytest.Pytester) -> None:
    """Counts alone."""
    found = _run(pytester, "def test_it(robust_check):\n    robust_check(changed(double))", "-q")
    found.stdout.fnmatch_lines(["1 check: 0 passed, 1 failed; 2 calls", "relations and tests: 1 violated"])
    found.stdout.no_fnmatch_line("test_it.py::test_it: invariance violated")


def test_the_summary_can_be_shown_whatever_it_holds(pytester: pytest.Pytester, tmp_path: Path) -> None:
    """A name that steers terminals is escaped."""
    code = r"""
import pytest

@pytest.mark.parametrize("text", ["\x1b]0;x\x07"])
def test_it(robust_check, text):
    robust_check(changed(double))
"""
    found = _run(pytester, code, "--robust-output", str(tmp_path / "a\x1b[31mb"))
    found.assert_outcomes(failed=1)
    assert "\x1b]0;" not in found.stdout.str()
