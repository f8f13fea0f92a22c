"""Why samples were no trials: in summaries, reports and failing tests, the most frequent reason with an example."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from robust import Case, NotApplicable, OracleVerdict, Relation, assert_robust, check, check_many, unchanged
from tests.run_fixtures import robust


def numbered(text: str, source: random.Random) -> str:
    return f"{text} {source.randrange(10**9)}"


def without_number(_: str) -> str:
    raise NotApplicable("there is no number in it, but text")


def no_evidence(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(True, "same letters")


def swapped(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(True, "the answer swaps", "yes", "no", {"answers": ["yes", "no"]})


def mostly_undecided(base: Case, candidate: Case) -> OracleVerdict:
    odd = int(str(candidate.input)[-1]) > 7
    return OracleVerdict(None, "odd" if odd else "even", evidence={}) if not odd else OracleVerdict(True, "odd")


CASES: list[tuple[str, dict[str, Any], str]] = [
    (
        "unknown",
        {"oracle": no_evidence},
        'the verdict gives no evidence (evidence_missing) (20 of 20, first sample 0): "same letters"',
    ),
    (
        "invalid",
        {"oracle": swapped},
        "the oracle's answers contradict the claimed kind 'invariant' (relation_contradicted)",
    ),
]


@pytest.mark.parametrize(("reason", "options", "words"), CASES)
def test_what_an_oracle_did_not_take_is_told_with_its_issue_and_its_words(
    reason: str, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    """In the summary, in a failing test, and in every format of the stored run."""
    relation = Relation("numbered", numbered, unchanged(), **options)
    report = check(len, "text", [relation])
    assert f"    {reason}: {words}" in report.summary()
    with pytest.raises(AssertionError) as failed:
        assert_robust(len, "text", [relation])
    assert words in " ".join(str(failed.value).split())
    report.save(tmp_path / "run")
    for form in ("text", "markdown", "junit"):
        shown = robust("report", str(tmp_path / "run"), "--format", form).stdout
        plain = " ".join(shown.replace("&quot;", '"').replace("&apos;", "'").replace("&#x27;", "'").split())
        assert words in plain, form


def test_the_words_of_a_transform_that_has_nothing_to_change_are_shown() -> None:
    """Also where nothing was tried."""
    report = check(len, "text", [Relation("scaled", without_number, unchanged())], samples=3)
    assert report.verdicts == {"scaled": "vacuous"}
    assert "    not applicable: there is no number in it, but text (3 of 3, first sample 0)" in report.summary()


def test_the_most_frequent_reason_is_the_one_that_is_shown() -> None:
    """Not the first one; over many inputs the first input that has it is named."""
    relation = Relation("numbered", numbered, unchanged(), oracle=mostly_undecided)
    report = check_many(len, ["a", "b", "c"], [relation])
    (line,) = [line for line in report.summary().splitlines() if line.startswith("    unknown: ")]
    assert "the oracle could not decide (unreviewed)" in line
    assert "first input 0, sample " in line


def test_a_check_without_skipped_samples_says_nothing_of_them() -> None:
    """And repetitions explain themselves."""
    report = check(len, "text", [Relation("same", lambda text: text, unchanged())], samples=3)
    assert [line for line in report.summary().splitlines() if line.startswith("    ")] == []
