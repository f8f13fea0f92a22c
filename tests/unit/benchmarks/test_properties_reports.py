"""What ``benchmarks/properties.py`` compares of both tools: every difference is told, and only that."""

from __future__ import annotations

from typing import Any

from benchmarks.parity_reports import compare_facts
from benchmarks.properties_data import contract, examples, weigh
from benchmarks.properties_reports import Pair, Told, facts_of, may_differ, too_near
from benchmarks.properties_subjects import SUBJECTS

CHOICE, NOUL = SUBJECTS[0], SUBJECTS[1]
COMPARISON: dict[str, Any] = {
    "tv_distance": 0.25,
    "js_divergence": 0.1,
    "max_abs_delta": 0.25,
    "confidence_delta": -0.25,
    "level_delta": None,
    "flipped": True,
    "rank_changed": True,
    "base_selected": "yes",
    "variant_selected": "no",
}
SHOWN = [["no", "no"], ["yes", "yes"]]
PAIR = Pair(
    property_name="option_order",
    case_id="a",
    sample=0,
    value={"days": 13, "note": "Late."},
    presentation=SHOWN,
    probabilities={"yes": 0.5, "no": 0.5},
    error=None,
    comparison=COMPARISON,
    broken=frozenset(("max_confidence_delta",)),
)
SUMMARY = {"planned": 1, "compared": 1, "skipped": 1, "errors": 0, "violations": 1, "flips": 1}
TOLD = Told(
    summaries={"option_order": {**SUMMARY, "violation_rate": 1.0, "flip_rate": 1.0, "max_tv_distance": 0.25}},
    pairs=[PAIR],
    skips={("inversion", "a")},
    undecided=set(),
    checks={
        "requirement option_order.max_violation_rate": {"limit": 0.0, "value": 1.0, "status": "fail"},
        "requirement whitespace.max_violation_rate": {"limit": 0.0, "value": 0.5, "status": "fail"},
    },
    outcome={"status": "fail", "exit code": 1},
)


def differing(other: Told) -> set[str]:
    """The kinds of fact in which a run differs from the one above."""
    inputs = {"a": "Late.", "b": "Some words."}
    compared = compare_facts(facts_of(other, NOUL, inputs), facts_of(TOLD, NOUL, inputs))
    return {kind for kind, agreement in compared if agreement.differences}


def test_equal_runs_do_not_differ() -> None:
    """Neither do runs that write a number otherwise, or number their candidates otherwise."""
    assert not differing(TOLD)
    assert not differing(TOLD._replace(pairs=[PAIR._replace(value={"days": 13.0, "note": "Late."}, sample=7)]))


def test_every_difference_of_a_pair_is_told() -> None:
    """Its input, its answer, its distances, what it breaks, and that it is missing."""
    for change, kind in (
        ({"value": {"days": 14, "note": "Late."}}, "pairs: input"),
        ({"error": "timeout"}, "pairs: error"),
        ({"probabilities": {"yes": 0.5, "no": 0.500001}}, "pairs: probability"),
        ({"broken": frozenset()}, "pairs: limits broken"),
        ({"comparison": {**COMPARISON, "flipped": False}}, "pairs: flipped"),
        ({"comparison": {**COMPARISON, "tv_distance": 0.25 + 1e-9}}, "distances: mean tv_distance"),
    ):
        assert kind in differing(TOLD._replace(pairs=[PAIR._replace(**change)]))
    assert "pairs: input" in differing(TOLD._replace(pairs=[]))


def test_other_differences_are_told() -> None:
    """Of summaries, skips, checks and the status; a value of a property that draws its candidates may differ."""
    drawn = {**TOLD.checks, "requirement whitespace.max_violation_rate": {"limit": 0.0, "value": 0.4, "status": "fail"}}
    passed = {**drawn, "requirement whitespace.max_violation_rate": {"limit": 0.0, "value": 0.0, "status": "pass"}}
    assert not differing(TOLD._replace(checks=drawn))
    assert differing(TOLD._replace(checks=passed)) == {"checks: status"}
    assert differing(TOLD._replace(skips=set())) == {"skipped"}
    assert differing(TOLD._replace(outcome={"status": "warn", "exit code": 0})) == {"status and exit code"}
    assert "summary: planned" in differing(TOLD._replace(summaries={}))


def test_paraphrases_of_undecided_bases_are_not_compared() -> None:
    """One pair stands for all of them here; of other properties, and of decided bases, everything is compared."""
    worded = PAIR._replace(property_name="paraphrase", presentation=None)
    inputs = {"a": "Late.", "b": "Some words."}
    summary = {**TOLD.summaries["option_order"], "planned": 7, "errors": 7, "skipped": 7}
    for undecided, kinds in ((set[str](), {"pairs: input", "skipped", "summary: planned"}), ({"a", "b"}, set[str]())):
        told = TOLD._replace(pairs=[worded], skips=set(), undecided=undecided, summaries={"paraphrase": summary})
        other = told._replace(
            pairs=[], skips={("paraphrase", "b")}, summaries={"paraphrase": {**summary, "planned": 8}}
        )
        compared = compare_facts(facts_of(other, CHOICE, inputs), facts_of(told, CHOICE, inputs))
        differing = {kind for kind, agreement in compared if agreement.differences}
        assert differing & {"pairs: input", "skipped", "summary: planned"} == kinds


def test_only_texts_without_inner_blanks_may_be_skipped_differently() -> None:
    """And only where white space is edited."""
    assert may_differ("whitespace", "Damaged ", CHOICE)
    assert not may_differ("whitespace", "Very damaged", CHOICE)
    assert not may_differ("whitespace", {"days": 1}, CHOICE)
    assert not may_differ("paraphrase", "Damaged", CHOICE)


def test_a_pair_near_its_limit_is_told() -> None:
    """On it, all tools agree; beside it, rounding could decide."""
    limit = NOUL.properties["option_order"]["max_confidence_delta"]
    for delta, told in ((limit, 0), (limit + 1e-12, 1), (-limit - 1e-12, 1), (limit + 1e-6, 0)):
        comparison = {**COMPARISON, "confidence_delta": delta}
        assert len(too_near(TOLD._replace(pairs=[PAIR._replace(comparison=comparison)]), NOUL, 1e-8)) == told


def test_every_case_has_a_number_of_its_own_that_a_mock_finds() -> None:
    """No rule of one case is found in the text of another, and every text of words has its rule."""
    for subject in SUBJECTS:
        made = examples(subject)
        assert len({each.row["id"] for each in made}) == len(made)
        for number, each in enumerate(made):
            value = each.row["input"]
            text = value if isinstance(value, str) else value["ref"]
            assert not text.strip() or f"{number:04}" in text
            assert all(f"{number:04}" in contains for contains, _ in each.rules)
        assert set(contract(subject, "http://localhost:1/", {})["properties"]) == set(subject.properties)


def test_the_service_answers_alike_however_a_number_is_written() -> None:
    """What it is asked is the same for both tools, but for the writing of numbers and the case's id."""
    for number in range(40):
        decision = {"name": "severity", "type": "score", "labels": ["1", "2"]}
        asked = {"case_id": "a", "decision": decision, "input": {"days": number, "note": "0007"}}
        assert weigh(asked) == weigh({**asked, "case_id": "b", "input": {"days": float(number), "note": "0007"}})
