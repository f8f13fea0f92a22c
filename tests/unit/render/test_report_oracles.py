"""What became of candidates: who judged them, which were refused or skipped, and what went wrong."""

from __future__ import annotations

import pytest

from robust.records.status import ISSUE_LEADS_TO
from robust.render.report_words import FLIPPED, REFUSED, SKIPPED
from robust.transforms.candidate import SKIP_REASONS
from tests.unit.render.reports import assert_fit, part_of, property_of, report_of

ORACLE = {"name": "robust.preserves", "contract": "robust.preserves/v1", "version": "1"}


def _judged(**fields: object) -> dict[str, object]:
    return property_of(assumed=0, planned=100, compared=80, valid=80, invalid=15, unknown=5, oracles=[ORACLE], **fields)


def _said(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def test_candidates_are_counted_by_what_became_of_them() -> None:
    """Judged, valid, invalid, unknown, assumed, skipped, in error; a column of zeros is left out."""
    properties = {"whitespace": _judged(skipped=7), "option_order": property_of(assumed=9, errors=2)}
    rows = part_of(assert_fit(report_of(properties=properties)), "Candidates")
    assert [row.split() for row in rows[:3]] == [
        ["judged", "valid", "invalid", "unknown", "assumed", "skipped", "errors"],
        ["whitespace", "100", "80", "15", "5", "0", "7", "0"],
        ["option_order", "0", "0", "0", "0", "9", "0", "2"],
    ]
    rows = part_of(assert_fit(report_of(properties={"option_order": property_of()})), "Candidates")
    assert [row.split() for row in rows] == [["assumed"], ["option_order", "10"]]


def test_oracles_are_named_with_what_they_judged() -> None:
    """Once each, with the contract that they judge by."""
    properties = {"whitespace": _judged(), "irrelevant_context": _judged()}
    text = _said(part_of(assert_fit(report_of(properties=properties)), "Candidates"))
    assert "whitespace, irrelevant_context: judged by robust.preserves (robust.preserves/v1)" in text


def test_refused_candidates_are_shown_with_code_words_and_the_first_reason() -> None:
    """How many of how many; the reason in its own words, on at most two lines."""
    found = _judged(
        refused_by_code={"rejected": 15, "unreviewed": 5},
        first_refused={
            "rejected": {"id": "whitespace/c1/0", "reason": "the amount\nchanged"},
            "unreviewed": {"id": "whitespace/c2/0", "reason": "very " * 100},
        },
    )
    rows = part_of(assert_fit(report_of(properties={"whitespace": found})), "Refused by oracles, and not scored")
    assert rows[:4] == [
        "  whitespace: 20 of 100 candidates",
        "    15  rejected    the oracle says the relation does not hold",
        "      the first: the amount changed",
        "     5  unreviewed  the oracle could not decide",
    ]
    assert len(rows) == 6
    assert rows[-1].endswith("…")


def test_a_reason_may_be_missing() -> None:
    """Then there is the code."""
    refused = {
        "refused_by_code": {"reason_missing": 1},
        "first_refused": {"reason_missing": {"id": "a", "reason": " "}},
    }
    rows = part_of(assert_fit(report_of(properties={"whitespace": _judged(**refused)})), "Refused by oracles")
    assert rows[1:] == ["    1  reason_missing  the verdict gives no reason"]


@pytest.mark.parametrize("code", ISSUE_LEADS_TO)
def test_every_code_of_a_refusal_has_words_that_fit(code: str) -> None:
    """Beside the largest count."""
    reason = {code: {"id": "whitespace/c1/0", "reason": "because"}}
    found = _judged(refused_by_code={code: 999_999}, first_refused=reason)
    text = assert_fit(report_of(properties={"whitespace": found}))
    assert REFUSED[code] in text


def test_words_are_there_for_all_codes_and_no_others() -> None:
    """Those of skipped cases, refusals and relations."""
    assert set(SKIPPED) == set(SKIP_REASONS)
    assert set(REFUSED) == set(ISSUE_LEADS_TO)
    assert set(FLIPPED) == {"invariant", "counterfactual", "increasing", "decreasing"}


def test_skipped_cases_are_told_in_words() -> None:
    """With how many there are for each reason."""
    found = property_of(skipped=43, skipped_by_reason={"blank_text": 3, "no_white_space": 40})
    lines = part_of(assert_fit(report_of(properties={"whitespace": found})), "Skipped cases")
    assert lines == ["  whitespace: a blank text (3), no white space between words (40)"]
    every = property_of(skipped=8 * 10**6, skipped_by_reason=dict.fromkeys(SKIP_REASONS, 10**6))
    assert_fit(report_of(properties={"irrelevant_context": every}))


def test_a_property_that_compared_nothing_says_that_it_does_not_hold() -> None:
    """And one that asks the same again, why it needs no oracle; with an error the checks say enough."""
    nothing = property_of(compared=0, assumed=0, planned=0, skipped=10)
    again = property_of(assumed=0)
    failed = property_of(compared=0, assumed=0, errors=10)
    properties = {"whitespace": nothing, "paraphrase": again, "option_order": failed}
    text = _said(part_of(assert_fit(report_of(properties=properties)), "Candidates"))
    assert "whitespace: nothing was compared, so it does not hold" in text
    assert "paraphrase: 10 pairs ask the same input again, which needs no oracle" in text
    assert "option_order:" not in text


def test_errors_are_shown_by_kind_where_they_occurred() -> None:
    """Of base cases and of pairs; with what was said of the first of each kind, cut."""
    properties = {
        "whitespace": property_of(errors=7, errors_by_kind={"original_error": 3, "timeout": 4}),
        "variants": {**property_of(errors=2), "by_relation": {}},
    }
    del properties["variants"]["errors_by_kind"]
    observed = {"messages": {"timeout": "no answer\nwithin 30 s", "original_error": "word " * 200}, "calls": 9}
    report = report_of(properties=properties, errors_by_kind={"timeout": 1, "budget_exhausted": 2}, observed=observed)
    rows = part_of(assert_fit(report), "Errors")
    assert [row.split() for row in rows[:5]] == [
        ["base", "cases", "timeout", "1"],
        ["base", "cases", "budget_exhausted", "2"],
        ["whitespace", "original_error", "3"],
        ["whitespace", "timeout", "4"],
        ["variants", "2"],
    ]
    assert rows[5:7] == ["  the first timeout:", "    no answer within 30 s"]
    assert len(rows) == 13
    assert rows[-2].endswith("…")
    assert rows[-1] == "  the budget was spent after 9 calls"
