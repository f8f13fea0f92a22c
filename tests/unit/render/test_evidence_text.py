"""Verifications, manifests and validations as text."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from robust import Case, Comparator, OracleVerdict, Verification
from robust.app.checks import SignatureState
from robust.errors import Problem
from robust.render.evidence import manifest_text, outcomes_text, problem_text, validation_text, verification_text
from tests.builders import judged, saying, verdict
from tests.run_fixtures import manifest_of, numbers, variant

DATES = "dates, which are as signers and machines say"


def _verification(*checks: tuple[str, bool, str]) -> dict[str, Any]:
    rows = [{"name": name, "done": True, "holds": holds, "detail": detail} for name, holds, detail in checks]
    return {
        "path": "a\u202eb",
        "kind": "run",
        "holds": all(row["holds"] for row in rows),
        "checks": rows,
        "authentic": False,
        "signature": "none",
        "signers": [],
        "not_proven": ["maker", "oracle", "unseen_data", "dates"],
    }


def test_a_problem_is_one_line_with_code_place_fault_and_remedy() -> None:
    """Line breaks and marks in its parts are made visible."""
    problem = Problem(code="x", message="bad\nthing", file="f\x1b", line=3, column=4, path="$.a", hint="mend it")
    assert problem_text(problem) == "error[x]: f\\u{1b}:3:4: $.a: bad\\u{a}thing; mend it"
    assert problem_text(Problem(code="x", message="m", line=3)) == "error[x]: line:3: m"


def test_what_holds_claims_integrity_and_no_more() -> None:
    """One line for each check; a check without a detail has no colon."""
    text = verification_text(_verification(("report", True, "digest d"), ("order", True, "")), [])
    assert text.splitlines() == [
        "a\\u{202e}b (run)",
        "  ok    report: digest d",
        "  ok    order",
        "  integrity holds; nothing is signed, so this does not show who made it",
        f"  not proven: who made it; that the oracle is right; that nobody saw the data before; {DATES}",
    ]


@pytest.mark.parametrize(
    ("told", "conclusion"),
    [
        ({"authentic": True, "signature": "verified"}, "authentic: signed by sha256:1 (k\\u{202e}.pem), sha256:2"),
        ({"signature": "verified"}, "signed by sha256:1 (k\\u{202e}.pem), sha256:2; nothing here shows that what they"),
        ({"signature": "unchecked"}, "integrity holds; signatures were not checked, so this does not show who made it"),
        ({"signature": "unchecked", "kind": "attestation"}, "its form holds; signatures were not checked, so this"),
    ],
)
def test_authentic_is_said_of_nothing_else(told: dict[str, Any], conclusion: str) -> None:
    """Than what was found so; a signature by itself, or one that nobody checked, is called what it is."""
    signers = [{"key_id": "sha256:1", "file": "k\u202e.pem"}, {"key_id": "sha256:2", "file": None}]
    shown = verification_text({**_verification(("report", True, "d")), "signers": signers, **told}, [])
    line = shown.splitlines()[-2].strip()
    assert line.startswith(conclusion)
    assert shown.count("authentic") == int("authentic" in told)


def test_every_thing_that_is_not_proven_has_its_words() -> None:
    """Whatever was verified, and however."""
    for signature in get_args(SignatureState):
        for authentic in (False, True):
            found = Verification(path="p", kind="run", checks=(), signature=signature, authentic=authentic)
            *_, last = verification_text(found.to_json(), []).splitlines()
            assert len(last.split("; ")) == len(found.not_proven) >= 4


def test_what_does_not_hold_lists_problems_up_to_a_limit() -> None:
    """Fifty, and how many more there are."""
    problems = [Problem(code="c", message=str(n)) for n in range(53)]
    lines = verification_text(_verification(("report", False, "")), problems).splitlines()
    assert lines[1] == "  FAIL  report"
    assert lines[2:4] == ["  error[c]: 0", "  error[c]: 1"]
    assert lines[-1] == "  … and 3 more"
    assert len(lines) == 2 + 50 + 1


def test_a_manifest_shows_identity_splits_and_where_labels_come_from() -> None:
    """By list and by fraction."""
    frozen = manifest_of(
        {"total 2000": [("total  2000", "invariant")], "total 30": []}, splits={"dev": 0.5, "test": 0.5}
    )
    lines = manifest_text(
        "m.jsonl", frozen.digest, frozen.header, {"given": 2, "derived by an oracle": 1, "none": 0}
    ).splitlines()
    assert lines[0] == "numbers over the limit (m.jsonl)"
    assert frozen.digest in lines[1]
    assert "  3 cases of 2 sources, 1 validations" in lines
    assert "  labels: 2 given, 1 derived by an oracle" in lines
    assert lines[-3].split() == ["split", "cases", "sources"]
    assert {line.split()[0] for line in lines[-2:]} == {"dev", "test"}


def test_a_validation_shows_codes_inputs_answers_and_failures() -> None:
    """With nothing in them that could steer a terminal."""
    base = numbers("total 2000")[0]
    valid = validation_text(variant(base, "total\u202e 2001", "invariant", "v\u202e1"))
    assert valid.splitlines() == [
        "valid  v\\u{202e}1  invariant",
        "  base       total 2000",
        "  candidate  total\\u{202e} 2001",
        "  change     total{+\\u{202e}+} [-2000-]{+2001+}",
        "  answers    yes -> yes",
        "  reason     the numbers were read",
    ]

    def crashing(_base: Case, _candidate: Case) -> OracleVerdict:
        raise ValueError("no\x1b[31m idea")

    failed = validation_text(variant(base, "total 2001", "invariant", "v1", crashing))
    assert failed.startswith("unknown (validator_error)  v1  invariant")
    assert "  failure    validator_error at $: ValueError: no" in failed
    assert "\x1b" not in failed


def test_outcomes_are_counted() -> None:
    """Statuses on the first line, codes in a table."""
    assert (
        outcomes_text({"valid": 2, "invalid": 0, "unknown": 1}, {"unreviewed": 1})
        == "2 valid, 1 unknown\n  unreviewed  1"
    )


def test_those_valid_by_relation_only_are_counted() -> None:
    """Since no manifest takes them."""
    text = outcomes_text({"valid": 3, "invalid": 0, "unknown": 0}, {}, by_relation=2)
    assert text == "3 valid\n  2 of the valid by relation only, without answers: no manifest takes them"


def test_a_label_conflict_shows_the_label_the_derived_answer_and_the_comparator() -> None:
    """As JSON, so that a text and a number differ; of each side that conflicts."""
    cases = (Case("one", "yes", case_id="b", source_id="s"), Case("two", 1, case_id="c", source_id="s"))
    oracle = saying(verdict(base="Yes", variant="1"))
    shown = validation_text(judged(oracle, cases)).splitlines()
    assert [line for line in shown if line.startswith(("  conflict", "  compared"))] == [
        '  conflict   base has the label "yes", derived was "Yes"',
        '  conflict   candidate has the label 1, derived was "1"',
        "  compared   exact",
    ]
    folding = Comparator(name="text", fold_case=True)
    assert "conflict   base" not in validation_text(judged(oracle, cases, comparator=folding))


def test_answers_that_differ_late_are_shown_whole() -> None:
    """Cut, both would look the same."""
    cases = (Case("one", "a" * 30 + "b", case_id="b", source_id="s"), Case("two", case_id="c", source_id="s"))
    shown = validation_text(judged(saying(verdict(base="a" * 30 + "c")), cases))
    assert f'base has the label "{"a" * 30}b", derived was "{"a" * 30}c"' in shown


def test_a_change_behind_a_long_start_is_shown_in_80_columns() -> None:
    """Where base and candidate are cut before it."""
    texts = ["the words before it " * 20 + f"total {total} " + "the words behind it " * 20 for total in (2000, 2001)]
    lines = validation_text(variant(numbers(texts[0])[0], texts[1], "invariant", "v1")).splitlines()
    assert any("total [-2000-]{+2001+} the" in line for line in lines)
    assert max(map(len, lines)) <= 80
