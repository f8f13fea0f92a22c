"""E3: records that were edited and hashed again are refused, with the record and the path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.run_fixtures import manifest_of, numbers, run, sure, told
from tests.unit.app.forging import StoredRun, at, leaves, other, paths_of, put, shown
from tests.unit.app.test_verify_forged_reports import GATES, VARIANTS

# Decisions b1, b2, b3 (b3 failed), then pairs b1/0 (violated), b1/1, b2/0, b3/0 (not sent).
PAIR, VIOLATED, FAILED, UNSENT = 4, 3, 2, 6


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run with a right pair, a violated pair, a failed base and its unsent variant."""
    answers = {"total  2000": sure("no"), "total 40": TimeoutError("slow")}
    finished = run(tmp_path_factory.mktemp("manifest"), told(answers), manifest=manifest_of(VARIANTS), **GATES)
    return StoredRun(finished.path)


def _refused(forged: StoredRun, *paths: str) -> None:
    forged.fit_records()
    forged.fit_digests()
    verified = forged.save()
    assert verified.exit_code == 3
    assert set(paths) <= paths_of(verified)


@pytest.mark.parametrize(
    "field", ["selected", "confidence", "labels", "decision", "decision_type", "case_id", "backend", "provider"]
)
@pytest.mark.parametrize("line", [0, PAIR], ids=["decision", "pair"])
def test_what_follows_from_a_distribution_cannot_be_edited(stored: StoredRun, line: int, field: str) -> None:
    """Selected label, confidence and the rest of a result."""
    forged = stored.copy()
    result = forged.records[line]["result"]
    result[field] = result["labels"][::-1] if field == "labels" else other(result[field])
    _refused(forged, f"$.result.{field}")


@pytest.mark.parametrize(
    "probabilities",
    [
        {"yes": 0.8, "no": 0.1},
        {"yes": 1},
        {"yes": 0.5, "no": 0.5, "maybe": 0},
        {"yes": True, "no": 0},
        {"yes": "1", "no": 0},
        {"yes": -1, "no": 2},
    ],
)
def test_a_distribution_that_is_none_is_refused(stored: StoredRun, probabilities: Any) -> None:
    """Stored numbers are held to the rules for answers."""
    forged = stored.copy()
    forged.records[0]["result"]["probabilities"] = probabilities
    _refused(forged, "$.result.probabilities")


def test_every_number_of_a_comparison_follows(stored: StoredRun) -> None:
    """Each leaf of the comparison, one by one."""
    for line in (VIOLATED, PAIR):
        for path in leaves(stored.records[line]["comparison"], ("comparison",)):
            forged = stored.copy()
            put(forged.records[line], path, other(at(forged.records[line], path)))
            _refused(forged, shown(path))


def test_violations_follow_from_the_comparison(stored: StoredRun) -> None:
    """Neither a removed one nor an invented one passes."""
    for line, violations in ((VIOLATED, []), (PAIR, ["max_tv_distance"]), (UNSENT, ["wrong_variant_answer"])):
        forged = stored.copy()
        forged.records[line]["violations"] = violations
        _refused(forged, "$.violations")


def test_an_answer_that_was_turned_consistently_shows_in_the_numbers(stored: StoredRun) -> None:
    """Distribution, selection and confidence exchanged: the report no longer follows."""
    forged = stored.copy()
    forged.records[1]["result"] |= {"probabilities": {"yes": 0.9, "no": 0.1}, "selected": "yes", "confidence": 0.9}
    forged.fit_records()
    forged.fit_digests()
    found = paths_of(forged.save())
    assert {"$.metrics.accuracy.value", "$.confusion.no.no"} <= found
    assert "$.comparison.base_selected" in found


@pytest.mark.parametrize(
    ("line", "path", "value", "named"),
    [
        (0, ("id",), "decision/other", "$.id"),
        (0, ("kind",), "verdict", "$.kind"),
        (0, ("case_id",), "b9", "$.id"),
        (1, ("case_id",), "b1", "$.case_id"),
        (1, ("expected",), "maybe", "$.expected"),
        (1, ("expected",), "yes", "$.metrics.accuracy.value"),
        (0, ("presentation",), {"order": [1, 0]}, "$.presentation"),
        (0, ("source_id",), 5, "$.source_id"),
        (0, ("source_id",), "s2", "$.counts.groups"),
        (FAILED, ("error", "kind"), "unavailable", "$.errors_by_kind.timeout"),
        (FAILED, ("error", "kind"), "bored", "$.error.kind"),
        (FAILED, ("error",), None, "$.error"),
        (FAILED, ("error", "kind"), "original_error", "$.error.kind"),
        (PAIR, ("id",), "variants/b1/7", "$.id"),
        (PAIR, ("sample",), 7, "$.sample"),
        (PAIR, ("sample",), -1, "$.sample"),
        (PAIR, ("property",), "whitespace", "$.validation"),
        (PAIR, ("case_id",), "b2", "$.provenance.origin.parent_id"),
        (PAIR, ("source_id",), "s2", "$.source_id"),
        (PAIR, ("expected",), "yes", "$.comparison.variant_correct"),
        (PAIR, ("provenance", "relation"), "invariant", "$.comparison.relation"),
        (PAIR, ("provenance", "relation"), "similar", "$.provenance.relation"),
        (PAIR, ("provenance", "variant_id"), "b1-v9", "$.result.case_id"),
        (PAIR, ("provenance", "origin", "parent_id"), "b2", "$.provenance.origin.parent_id"),
        (PAIR, ("provenance", "origin", "parent_content"), "sha256:" + "0" * 64, "$.provenance.origin.parent_content"),
        (PAIR, ("input",), "total 2000", "$.input"),
        (0, ("input",), "total 2001", "$.provenance.origin.parent_content"),
        (PAIR, ("expected",), None, "$.expected"),
        (0, ("input",), 5, "$.input"),
        (0, ("media",), [{"path": "../x"}], "$.media[0].sha256"),
        (PAIR, ("steps",), ["x"], "$.steps"),
        (PAIR, ("reduced",), {}, "$.reduced"),
        (PAIR, ("validation",), None, "$.validation"),
        (PAIR, ("validation",), "trust me", "$.validation"),
        (UNSENT, ("error", "kind"), "timeout", "$.error"),
        (PAIR, ("extra",), 1, "$.extra"),
        (PAIR, ("trials",), [{"probabilities": {"yes": 1, "no": 0}}], "$.trials"),
        (PAIR, ("presentation",), [["no", "no"], ["yes", "yes"]], "$.presentation"),
        (PAIR, ("kind",), "skip", "$.reason"),
        (UNSENT, ("error", "kind"), "oracle_error", "$.error.kind"),
    ],
)
def test_an_edited_field_of_a_record_is_named(
    stored: StoredRun, line: int, path: tuple[str, ...], value: Any, named: str
) -> None:
    """With all digests made to fit."""
    forged = stored.copy()
    put(forged.records[line], path, value)
    _refused(forged, named)


def test_a_decided_base_cannot_have_an_unsent_variant(stored: StoredRun) -> None:
    """A bad answer cannot be swept under original_error."""
    forged = stored.copy()
    del forged.records[VIOLATED]["result"]
    forged.records[VIOLATED] |= {"error": {"kind": "original_error"}, "comparison": None, "violations": []}
    _refused(forged, "$.error")


def test_records_can_be_neither_dropped_nor_doubled_nor_swapped(stored: StoredRun) -> None:
    """With digests made to fit: counts, ids or order no longer do."""
    dropped, doubled, swapped, turned, early = (stored.copy() for _ in range(5))
    del dropped.records[VIOLATED]
    doubled.records.insert(0, doubled.records[0])
    swapped.records[0], swapped.records[1] = swapped.records[1], swapped.records[0]
    turned.records[3], turned.records[5] = turned.records[5], turned.records[3]
    early.records.insert(0, early.records.pop())
    _refused(dropped, "$.counts.pairs", "$.sample")
    _refused(doubled, "$.case_id")
    _refused(swapped, "$.case_id")
    _refused(turned, "$.provenance.variant_id")
    _refused(early, "$.kind", "$.case_id")


def test_a_contradiction_names_file_line_record_and_both_values(stored: StoredRun) -> None:
    """What an auditor needs to look it up."""
    forged = stored.copy()
    forged.records[0]["result"]["selected"] = "no"
    forged.fit_records()
    forged.fit_digests()
    (problem,) = (problem for check in forged.save().checks for problem in check.problems)
    assert (problem.code, problem.line, problem.path) == ("contradiction", 1, "$.result.selected")
    assert problem.file == str(stored.folder / "records.jsonl")
    assert problem.message == 'record \'decision/b1\': "no" is stored, "yes" follows'


def test_a_forgery_without_contradiction_needs_a_signature_to_be_found(tmp_path: Path) -> None:
    """The trust boundary: another input, consistently hashed, is another run, and integrity alone cannot tell."""
    forged = StoredRun(run(tmp_path, dataset=numbers("number 5"), requirements={"min_accuracy": 1}).path)
    digest = forged.report["evidence_digest"]
    forged.records[0]["input"] = "number 6"
    forged.fit_records()
    forged.fit_digests()
    assert forged.save().holds
    assert forged.report["evidence_digest"] != digest
