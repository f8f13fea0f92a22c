"""Laws of records: what is stored reads back to the same, and the spliced bytes are the encoded ones."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Case, Origin
from robust.canon import canonical_bytes, digest_bytes, digest_value, read_json
from robust.records.encoding import canonical_case, encode_case
from robust.records.redaction import REDACTED, looks_secret, redact_metadata
from robust.records.validation import read_validation_line
from robust.records.verdict import OracleVerdict, read_verdict
from tests.builders import judged, said
from tests.laws.strategies import cases, json_objects, json_values, origins, texts


@given(cases)
def test_a_case_survives_its_canonical_form(case: Case) -> None:
    """Storing, reading and storing again gives the same bytes."""
    stored = canonical_case(case)
    assert canonical_case(Case.from_json(read_json(stored))) == stored


@given(cases)
def test_spliced_bytes_are_those_of_the_plain_encoding(case: Case) -> None:
    """The fast splicing of a case gives what encoding the whole gives."""
    encoded = encode_case(case, "case")
    assert encoded.stored == canonical_bytes(case.to_json())
    assert encoded.shown == canonical_bytes({**case.to_json(), "expected": None})
    assert encoded.label == canonical_bytes(case.expected)
    assert digest_bytes(encoded.content) == case.content_digest


@given(cases)
def test_the_content_digest_is_over_a_named_schema(case: Case) -> None:
    """Input and media, under the schema of case contents, and nothing else."""
    media = [item.to_json() for item in case.media]
    content = {"schema": "robust.case-content/1", "input": case.input, "media": media}
    assert case.content_digest == digest_value(content)


@given(cases, json_values)
def test_an_answer_never_changes_the_content(case: Case, answer: Any) -> None:
    """Filling in the expected answer leaves the content digest as it was."""
    assert case.with_expected(answer).content_digest == case.content_digest


@given(origins)
def test_an_origin_survives_its_json_form(origin: Origin) -> None:
    """An origin reads back from its canonical bytes."""
    assert Origin.from_json(read_json(canonical_bytes(origin.to_json()))) == origin


@given(json_objects, st.sampled_from(["api_key", "Token", "user-password", "Authorization", "sessionCookie"]), texts)
def test_no_value_under_a_secret_key_is_stored(metadata: Any, key: str, secret: str) -> None:
    """At any depth, a value under a secret-looking key is replaced, and redacting twice changes nothing."""
    assert looks_secret(key)
    nested = {"outer": [{"inner": {**metadata, key: secret}}]}
    once = redact_metadata(nested)
    assert once["outer"][0]["inner"][key] == REDACTED
    assert redact_metadata(once) == once


@given(st.sampled_from([True, False, None]), texts, json_values, json_values, json_objects)
def test_a_well_formed_verdict_is_kept_as_it_is(
    valid: bool | None, reason: str, base: Any, variant: Any, evidence: Any
) -> None:
    """Nothing is lost or added in reading a verdict that is in order."""
    stored, failures = read_verdict(OracleVerdict(valid, reason, base, variant, evidence))
    fields = {
        "valid": valid,
        "reason": reason,
        "base_expected": base,
        "variant_expected": variant,
        "evidence": evidence,
    }
    assert failures == []
    assert stored == canonical_bytes(fields)


anything = st.one_of(
    json_values, st.floats(), st.binary(max_size=3), st.just(object()), st.sets(st.integers(), max_size=2)
)


@given(anything, anything, anything, anything, st.one_of(anything, st.dictionaries(texts, anything, max_size=4)))
def test_whatever_stands_in_a_verdict_it_is_read_to_portable_json(
    valid: Any, reason: Any, base: Any, variant: Any, evidence: Any
) -> None:
    """A verdict of any content becomes canonical bytes with five fields, and each failure has a path."""
    stored, failures = read_verdict(OracleVerdict(valid, reason, base, variant, evidence))
    assert stored is not None
    read = read_json(stored)
    assert isinstance(read, dict)
    assert set(read) == {"valid", "reason", "base_expected", "variant_expected", "evidence"}
    assert all(failure.path.startswith("$.") for failure in failures)


@given(anything, anything, anything, st.one_of(anything, json_objects), st.booleans())
def test_a_spliced_record_is_encoded_once(valid: Any, base: Any, variant: Any, evidence: Any, flaky: bool) -> None:
    """The line of a record is the encoding of its data, whatever was said and whatever failed, and reads back."""
    answers = iter([OracleVerdict(valid, "", base, variant, evidence), OracleVerdict(False, "other", 1, 2)])
    record = judged(lambda *_: next(answers), repeats=2) if flaky else said(next(answers))
    assert record.line() == canonical_bytes(record.data)
    again = read_validation_line(record.line())
    assert (again.line(), again.stored_line()) == (record.line(), record.stored_line())
