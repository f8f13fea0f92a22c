"""Stored validations are read as if by an auditor: everything that follows is derived again."""

from __future__ import annotations

from typing import Any

import pytest

from robust import IntegrityError, Validation
from robust.canon import canonical_bytes, digest_value
from robust.records.validation import ValidationRecord, read_validation, read_validation_line
from tests.builders import said, sum_case, valid_variant, verdict


def rehashed(validation: ValidationRecord, **changes: Any) -> dict[str, Any]:
    """The record with some fields changed and its digest computed anew, as a careful forger would."""
    data = {**validation.data, **changes}
    content = {key: value for key, value in data.items() if key not in ("digest", "observed")}
    return {**data, "digest": digest_value(content)}


def refusal(data: dict[str, Any]) -> list[tuple[str, str | None]]:
    with pytest.raises(IntegrityError) as caught:
        read_validation_line(canonical_bytes(data), file="v.jsonl", number=3)
    assert all(problem.line == 3 for problem in caught.value.problems)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_a_record_reads_back_to_itself() -> None:
    """Line and data lead back to the same record."""
    validation = valid_variant()
    for record in (read_validation_line(validation.line()), read_validation(validation.data)):
        assert record == validation
        assert record.line() == validation.line()
        assert record.stored_line() == validation.stored_line()
    assert len({validation, record}) == 1


def test_the_digest_is_over_the_content_without_what_was_observed() -> None:
    """Times, versions and the digest itself are not digested; file lines hold them all the same."""
    validation = valid_variant()
    data = validation.data
    content = {key: value for key, value in data.items() if key not in ("digest", "observed")}
    assert validation.digest == digest_value(content)
    assert set(data["observed"]) == {"validated_at", "duration_ms", "robust_version"}
    assert b'"observed"' not in validation.stored_line()


def test_data_is_fresh_each_time() -> None:
    """Changing what was handed out changes no record."""
    validation = valid_variant()
    validation.data["base"]["input"] = "changed"
    validation.data["observed"]["validated_at"] = "never"
    assert validation.data["base"]["input"] == "What is 2 plus 4?"
    assert validation.data["observed"]["validated_at"] != "never"


@pytest.mark.parametrize(
    ("field", "value"),
    [("status", "invalid"), ("status", "unknown"), ("strength", "relation"), ("issues", ["rejected"])],
)
def test_what_does_not_follow_is_refused_even_when_rehashed(field: str, value: Any) -> None:
    """Status, strength and issues are derived again, whatever the digest says."""
    assert refusal(rehashed(valid_variant(), **{field: value})) == [("contradiction", f"$.{field}")]


def test_an_invalid_record_cannot_be_promoted() -> None:
    """Nor can status, strength and issues be changed together."""
    forged = rehashed(said(verdict(False)), status="valid", strength="answers", issues=[])
    assert refusal(forged) == [
        ("contradiction", "$.status"),
        ("contradiction", "$.strength"),
        ("contradiction", "$.issues"),
    ]


def test_an_edited_answer_shows_in_the_digest() -> None:
    """Content that was edited without a new digest is refused."""
    data = valid_variant().data
    data["verdict"]["variant_expected"] = 8
    assert refusal(data) == [("contradiction", "$.digest")]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"schema": "robust.validation/2"}, "$.schema"),
        ({"contract": "integer-addition"}, "$.contract"),
        ({"relation": "similar"}, "$.relation"),
        ({"comparator": {"name": "exakt"}}, "$.comparator.name"),
        ({"extra": 1}, "$.extra"),
        ({"verdict": {"valid": True}}, "$.verdict.reason"),
        ({"failures": [{"code": "bored", "path": "$", "detail": ""}]}, "$.failures[0].code"),
        ({"require_answers": "yes"}, "$.require_answers"),
        ({"observed": {"weather": "fine"}}, "$.observed.weather"),
    ],
)
def test_a_record_of_the_wrong_shape_is_refused_with_the_path(changes: dict[str, Any], path: str) -> None:
    """Unknown schemas, fields, codes and kinds are named."""
    assert path in [found for _, found in refusal(rehashed(valid_variant(), **changes))]


def test_a_record_must_be_about_a_pair() -> None:
    """Equal ids, another source, another parent and a candidate without an origin are refused on load too."""
    data = valid_variant().data
    candidate = data["candidate"]
    for change, path in (
        ({"case_id": "base"}, "$.candidate.case_id"),
        ({"source_id": "another"}, "$.candidate.source_id"),
        ({"origin": None}, "$.candidate.origin"),
        ({"origin": {**candidate["origin"], "parent_id": "x"}}, "$.candidate.origin.parent_id"),
        (
            {"origin": {**candidate["origin"], "parent_content": "sha256:" + "0" * 64}},
            "$.candidate.origin.parent_content",
        ),
    ):
        forged = rehashed(valid_variant(), candidate={**candidate, **change})
        assert path in [found for _, found in refusal(forged)]


def test_every_issue_code_is_known_to_the_reader() -> None:
    """A record with an observed failure reads back to the same issues."""
    for validation in (said("no verdict"), said(verdict(evidence={"a": {1}})), said(verdict(None))):
        assert read_validation(validation.data).issues == validation.issues


def test_a_record_with_a_missing_field_is_refused_with_its_path() -> None:
    """Nothing can be left out, not even what is null."""
    for field in ("relation", "oracle", "verdict", "failures", "strength", "base"):
        data = valid_variant().data
        del data[field]
        assert f"$.{field}" in [path for _, path in refusal(data)]


def test_validations_have_a_readable_form() -> None:
    """The representation shows status, issues and digest."""
    shown = repr(valid_variant())
    assert shown.startswith("<Validation valid [] sha256:")
    assert isinstance(Validation.of(read_validation(valid_variant().data)), Validation)


def test_a_validation_makes_a_manifest_of_its_two_cases() -> None:
    """Base and variant stand in one split, with the answers that were derived."""
    manifest = valid_variant().manifest("pair", split="test")
    assert manifest.splits == {"test": ("base", "variant-5")}
    assert [case.expected for case in manifest.cases] == [6, 7]
    assert sum_case() != manifest.cases[0]
