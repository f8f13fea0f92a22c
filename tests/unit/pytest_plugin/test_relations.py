"""The fixture with checks of relations: options of markers, what fails and how, batches, and what is never a pass."""

from __future__ import annotations

import json

import pytest

from robust.app import check_many, check_runs, checking, failed_checks, pytest_checks  # noqa: F401 - sessions within this process must not be the first to load them
from robust.render import pytest_summary, relation_check  # noqa: F401 - sessions within this process must not be the first to load them
from robust.stats.exact_tests import fisher_two_sided

pytest_plugins = ["pytester"]
# What cannot be loaded twice must be here before the first session within this process.
fisher_two_sided((1, 2), (3, 4))

SYSTEMS = """
import pytest
from robust import Relation, UsageError, unchanged

RECEIPT = ["Apples 2.50", "Pears 3.00", "TOTAL 5.50"]


def moved(lines, random):
    random.shuffle(lines)
    return lines


def last(lines):
    return float(lines[-1].split()[-1])


def largest(lines):
    return max(float(line.split()[-1]) for line in lines)


ORDER = Relation("order of lines", moved, unchanged())
"""


def _run(pytester: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(systems=SYSTEMS, test_it=f"from systems import *\n{code}")
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_a_relation_that_holds_passes_and_gives_its_report(pytester: pytest.Pytester) -> None:
    """With the name of the test as its subject."""
    code = """
def test_it(robust_check):
    report = robust_check(largest, RECEIPT, [ORDER], samples=7)
    assert report.verdicts == {"order of lines": "holds"}
    assert report.subject == "test_it.py::test_it"
    assert report.plan()["settings"]["samples"] == 7
"""
    _run(pytester, code).assert_outcomes(passed=1)


def test_a_violation_fails_with_the_difference_and_the_line_that_replays_it(pytester: pytest.Pytester) -> None:
    """That line does what it says."""
    code = "def test_it(robust_check):\n    robust_check(last, RECEIPT, [ORDER], deterministic_system=True)"
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        [
            ">   *robust_check(last, RECEIPT, [[]ORDER], deterministic_system=True)",
            "E   *AssertionError: order of lines: VIOLATED: 1 of *contradict",
            "E   * 1. order of lines: input 0, sample *",
            "E   * input     *Apples 2.50*, *Pears 3.00*, *TOTAL 5.50*",
            "E   * change    *",
            "E   * before    5.5",
            "E   * after     *",
            "E   *robust.replay_trial(system, *Apples 2.50*, relation, sample=*",
            "E   *robust report */out/test_it.py-test_it",
        ]
    )
    found.stdout.no_fnmatch_line("*pytest_checks.py*")
    found.stdout.no_fnmatch_line("*checking.py*")
    told = next(line for line in found.outlines if "robust.replay_trial(" in line)
    command = told.removeprefix("E").strip().partition("  #")[0]
    names: dict[str, object] = {}
    exec(SYSTEMS + f"\nimport robust\nsystem, relation = last, ORDER\nagain = {command}", names)  # noqa: S102
    assert names["again"] is not None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("largest, RECEIPT, []", "there are no relations, so that nothing was tested"),
        ("largest, RECEIPT, [ORDER], samples=0", "order of lines: VACUOUS: 0 of 0 trials"),
        ("lambda _: 1 / 0, RECEIPT, [ORDER]", "order of lines: ERRORED: 0 of 0 trials"),
        ("lambda _: 1 / 0, RECEIPT, [ORDER]", "raised    ZeroDivisionError: division by zero"),
    ],
)
def test_what_was_never_tried_or_raised_is_no_pass(pytester: pytest.Pytester, call: str, words: str) -> None:
    """Whatever is allowed."""
    code = f"def test_it(robust_check):\n    robust_check({call}, allow_inconclusive=True)"
    found = _run(pytester, code)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([f"E  *{words}*"])


UNDECIDED = """
import itertools

def test_it(robust_check):
    outputs = itertools.cycle([1.5, 2.5])
    robust_check(lambda _: next(outputs), RECEIPT, [ORDER], baseline_runs=2, samples=1{more})
"""


def test_what_could_not_be_decided_passes_only_where_that_is_allowed(pytester: pytest.Pytester) -> None:
    """By the call, or by a marker."""
    found = _run(pytester, UNDECIDED.format(more=""))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["E  *INCONCLUSIVE: *", "E  *raise*baseline_runs or*samples*"])
    _run(pytester, UNDECIDED.format(more=", allow_inconclusive=True")).assert_outcomes(passed=1)
    marked = UNDECIDED.format(more="").replace("def test", "@pytest.mark.robust(allow_inconclusive=True)\ndef test")
    _run(pytester, marked).assert_outcomes(passed=1)


def test_options_of_markers_are_defaults(pytester: pytest.Pytester) -> None:
    """Those of the test before those of its class and module; a call says otherwise."""
    code = """
pytestmark = pytest.mark.robust(samples=3, alpha=0.01, baseline_runs=2)


@pytest.mark.robust(samples=4)
class TestIt:
    @pytest.mark.robust(subject="mine")
    def test_it(self, robust_check):
        settings = robust_check(largest, RECEIPT, [ORDER]).plan()["settings"]
        assert (settings["samples"], settings["alpha"], settings["baseline_runs"]) == (4, 0.01, 2)
        report = robust_check(largest, RECEIPT, [ORDER], samples=5)
        assert (report.plan()["settings"]["samples"], report.subject) == (5, "mine")

    def test_many(self, robust_check):
        report = robust_check.many(largest, [RECEIPT], [ORDER])
        assert report.plan()["settings"]["samples"] == 4
"""
    _run(pytester, code).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("marker", "words"),
    [
        ("sample=3", "the marker robust has no option 'sample'; did you mean samples?"),
        ("3", "options of the marker robust have names; write @pytest.mark.robust(samples=…)"),
        ("samples='many'", "samples: must be an integer, 0 or more, not 'many'"),
    ],
)
def test_a_wrong_option_is_a_clear_error(pytester: pytest.Pytester, marker: str, words: str) -> None:
    """Of the test that has it, and of no other."""
    code = f"""
@pytest.mark.robust({marker})
def test_it(robust_check):
    robust_check(largest, RECEIPT, [ORDER])

def test_other(robust_check):
    robust_check(largest, RECEIPT, [ORDER])
"""
    found = _run(pytester, code)
    outcomes = found.parseoutcomes()
    assert outcomes["passed"] == 1
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 1
    assert any(words in line for line in found.outlines)


def test_a_batch_fails_with_its_inputs(pytester: pytest.Pytester) -> None:
    """And has one run directory."""
    code = """
def test_it(robust_check):
    robust_check.many(last, [RECEIPT, RECEIPT[1:]], [ORDER], ids=["first", "second"], deterministic_system=True)
"""
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["E  *order of lines: VIOLATED:*", "E  *on 2 inputs", "E  *order of lines: input *, sample *"]
    )
    report = json.loads((pytester.path / "out" / "test_it.py-test_it" / "report.json").read_bytes())
    assert (report["status"], report["counts"]["inputs"]) == ("fail", 2)


def test_the_summary_counts_relations_and_names_what_failed(pytester: pytest.Pytester) -> None:
    """Over all tests, with calls that were made and saved."""
    code = """
def test_one(robust_check):
    robust_check(largest, RECEIPT, [ORDER], deterministic_system=True)

def test_two(robust_check):
    robust_check(last, RECEIPT, [ORDER], deterministic_system=True)

def test_three(robust_check):
    with pytest.raises(AssertionError):
        robust_check(last, RECEIPT, [ORDER], deterministic_system=True)
"""
    found = _run(pytester, code)
    found.assert_outcomes(passed=2, failed=1)
    found.stdout.fnmatch_lines(
        [
            "*robust checks*",
            "3 checks: 1 passed, 2 failed; * calls, * saved",
            "relations and tests: 1 holds, 2 violated",
            "test_it.py::test_two: order of lines violated",
        ]
    )


def test_a_check_in_another_fixture_is_counted_too(pytester: pytest.Pytester) -> None:
    """It fails the set-up."""
    code = """
@pytest.fixture
def checked(robust_check):
    return robust_check(last, RECEIPT, [ORDER], deterministic_system=True)

def test_it(checked):
    pass
"""
    found = _run(pytester, code)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["1 check: 0 passed, 1 failed; *"])


def test_an_error_of_the_caller_is_no_failure_of_the_system(pytester: pytest.Pytester) -> None:
    """It is raised as it is."""
    code = (
        "def test_it(robust_check):\n    with pytest.raises(UsageError):\n        robust_check(largest, RECEIPT, [5])"
    )
    _run(pytester, code).assert_outcomes(passed=1)


def test_lines_of_a_failure_fit_a_terminal(pytester: pytest.Pytester) -> None:
    """Whatever the outputs hold."""
    code = r"""
def test_it(robust_check):
    robust_check(lambda lines: lines[0] * 400 + "\x1b[31m", ["a " * 200, "b"], [ORDER], deterministic_system=True)
"""
    found = _run(pytester, code)
    found.assert_outcomes(failed=1)
    told = [line.removeprefix("E").strip() for line in found.outlines if line.startswith("E  ")]
    assert max(len(line) for line in told if "replay_trial" not in line) <= 80 + len("AssertionError: ")
    assert "\x1b[31m" not in "".join(told)


def test_a_run_that_was_signed_is_not_replaced(pytester: pytest.Pytester) -> None:
    """By a later session, which names it; one that was not is."""
    code = "def test_it(robust_check):\n    robust_check(largest, RECEIPT, [ORDER])"
    for _ in range(2):
        _run(pytester, code, "--robust-output", "out").assert_outcomes(passed=1)
    (folder,) = (pytester.path / "out").iterdir()
    signature = folder / "attestation.dsse.json"
    signature.write_text("{}", encoding="utf-8")
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(failed=1)
    assert "is signed or has claims, and is not replaced" in found.stdout.str()
    assert signature.exists()
