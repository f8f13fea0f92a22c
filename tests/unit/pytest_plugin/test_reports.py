"""The fixture with reports on judges and relations, with what is no result, and markers of tests without it."""

from __future__ import annotations

import pytest

from robust.app import check_many, checking, failed_checks, pytest_checks, relation_auditing  # noqa: F401 - sessions within this process must not be the first to load them
from robust.relations import judges  # noqa: F401 - sessions within this process must not be the first to load them
from robust.render import pytest_summary, relation_check  # noqa: F401 - sessions within this process must not be the first to load them
from robust.stats.exact_tests import fisher_two_sided

pytest_plugins = ["pytester"]
# What cannot be loaded twice must be here before the first session within this process.
fisher_two_sided((1, 2), (3, 4))

CODE = """
import pytest
from robust import Relation, UsageError, audit_relation, check, judge_bias, unchanged

CASES = [{"answers": [f"{place} good", f"{place} poor"]} for place in range(9)]
MORE = Relation("more", lambda number: number + 1, unchanged(), deterministic=True)


def fair(case):
    return next(answer for answer in case["answers"] if "good" in answer)


def first(case):
    return case["answers"][0]
"""


def _run(pytester: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_it=CODE + code)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_reports_on_judges_and_relations_are_judged(pytester: pytest.Pytester) -> None:
    """By what they say themselves; they are counted like checks."""
    code = """
def test_fair(robust_check):
    report = judge_bias(fair, CASES)
    assert robust_check(report) is report


def test_first(robust_check):
    robust_check(judge_bias(first, CASES))


def test_audit(robust_check):
    robust_check(audit_relation(MORE, [lambda _: 1], [abs], range(1, 60), deterministic_system=True))


def test_unfair(robust_check):
    robust_check(audit_relation(MORE, [abs], [], range(1, 60), deterministic_system=True))
"""
    found = _run(pytester, code, "--robust-output", "out")
    found.assert_outcomes(passed=2, failed=2)
    found.stdout.fnmatch_lines(["E  *VIOLATED*", "E  *UNFAIR*", "4 checks: 2 passed, 2 failed*"])
    found.stdout.fnmatch_lines(["*test_first: position bias violated"])
    assert not (pytester.path / "out").exists()


def test_what_is_no_result_is_refused_in_plain_words(pytester: pytest.Pytester) -> None:
    """It says what it takes."""
    code = """
@pytest.mark.parametrize("given", [None, True, 5, "text", {}])
def test_none(robust_check, given):
    with pytest.raises(UsageError, match="must be a result, or a system with an input and relations"):
        robust_check(given)


def test_system(robust_check):
    with pytest.raises(UsageError, match="a system is checked on an input"):
        robust_check(fair)
"""
    _run(pytester, code).assert_outcomes(passed=6)


def test_a_marker_with_an_unknown_option_is_an_error_of_tests_without_the_fixture(pytester: pytest.Pytester) -> None:
    """Of these alone; a test that is skipped is skipped."""
    code = """
@pytest.mark.robust(bogus=1)
def test_bogus():
    pass


@pytest.mark.skip
@pytest.mark.robust(bogus=1)
def test_skipped():
    pass


@pytest.mark.robust(samples=3)
def test_known():
    pass


def test_other():
    pass
"""
    found = _run(pytester, code)
    found.assert_outcomes(passed=2, errors=1, skipped=1)
    found.stdout.fnmatch_lines(["E  *the marker robust has no option 'bogus'*"])


def test_a_test_whose_name_holds_control_characters_is_checked_all_the_same(pytester: pytest.Pytester) -> None:
    """They are written out in the subject."""
    code = r"""
@pytest.mark.parametrize("given", [1], ids=["a\u2028b"])
def test_it(robust_check, given, request):
    report = robust_check(lambda _: 1, given, [MORE], deterministic_system=True)
    assert report.subject.isprintable()
"""
    _run(pytester, code).assert_outcomes(passed=1)
