"""Examples of reading a verdict without trusting its shape, and of text made safe to keep."""

from __future__ import annotations

import math
from typing import Any

import pytest

from robust import Case, OracleVerdict
from robust.canon import read_json
from robust.records.failure import MAX_MESSAGE_CHARACTERS, cap_text, describe_exception
from robust.records.redaction import looks_secret, redact_text
from robust.records.validation import MAX_RECORD_BYTES
from robust.records.verdict import MAX_EVIDENCE_BYTES, MAX_REASON_CHARACTERS, read_verdict
from tests.builders import judged, said, verdict


def read(**fields: Any) -> tuple[Any, list[tuple[str, str]]]:
    stored, failures = read_verdict(verdict(**fields))
    assert stored is not None
    return read_json(stored), [(failure.code, failure.path) for failure in failures]


@pytest.mark.parametrize("result", [None, True, {"valid": True, "reason": "x"}, (True, "x"), OracleVerdict])
def test_anything_but_a_verdict_is_malformed(result: object) -> None:
    """Only an OracleVerdict is read."""
    stored, failures = read_verdict(result)
    assert stored is None
    assert [(failure.code, failure.path) for failure in failures] == [("verdict_malformed", "$")]


@pytest.mark.parametrize(
    ("fields", "path", "kept"),
    [
        ({"valid": 1}, "$.valid", {"valid": None}),
        ({"valid": "true"}, "$.valid", {"valid": None}),
        ({"reason": None}, "$.reason", {"reason": ""}),
        ({"reason": b"bytes"}, "$.reason", {"reason": ""}),
        ({"reason": "\ud800"}, "$.reason", {"reason": "\\ud800"}),
        ({"base": math.nan}, "$.base_expected", {"base_expected": None}),
        ({"variant": {"deep": [object()]}}, "$.variant_expected.deep[0]", {"variant_expected": None}),
        ({"base": 2**53 + 1}, "$.base_expected", {"base_expected": None}),
    ],
)
def test_a_field_of_the_wrong_type_is_left_out_and_named(fields: Any, path: str, kept: dict[str, Any]) -> None:
    """The rest of the verdict is kept."""
    stored, failures = read(**fields)
    assert failures == [("verdict_malformed", path)]
    assert stored == {**read()[0], **kept}


@pytest.mark.parametrize("evidence", [None, [], "trust me", 7])
def test_evidence_must_be_an_object(evidence: Any) -> None:
    """Anything else is malformed, and nothing of it is kept."""
    stored, failures = read(evidence=evidence)
    assert failures == [("evidence_malformed", "$.evidence")]
    assert stored["evidence"] == {}


def test_evidence_has_a_size_limit() -> None:
    """A byte more than 64 KiB is left out; 64 KiB are kept."""
    room = MAX_EVIDENCE_BYTES - len('{"x":""}')
    assert read(evidence={"x": "a" * room})[1] == []
    stored, failures = read(evidence={"x": "a" * (room + 1)})
    assert failures == [("evidence_malformed", "$.evidence")]
    assert stored["evidence"] == {}


def test_a_long_reason_is_cut_and_said_to_be() -> None:
    """The reason is capped, and the cut is visible."""
    stored, failures = read(reason="x" * (MAX_REASON_CHARACTERS + 1))
    assert failures == [("verdict_malformed", "$.reason")]
    assert stored["reason"].endswith("…")
    assert len(stored["reason"].encode()) <= MAX_REASON_CHARACTERS


def test_a_huge_answer_is_left_out() -> None:
    """An answer of over a mebibyte is not stored."""
    stored, failures = read(base="x" * 2**20)
    assert failures == [("verdict_malformed", "$.base_expected")]
    assert stored["base_expected"] is None


def test_any_number_of_faults_still_fits_into_a_record() -> None:
    """A hundred thousand bad values are one record within its limit, which says that there are more."""
    validation = said(verdict(evidence={"bad": [math.nan] * 100_000}))
    assert validation.issues == ("evidence_malformed",)
    assert len(validation.line()) < MAX_RECORD_BYTES // 16
    assert "more" in validation.data["failures"][-1]["detail"]


def test_a_verdict_whose_fields_cannot_be_read_is_malformed() -> None:
    """A subclass may raise when it is looked at; that is a finding, not a crash."""

    class Trap(OracleVerdict):
        @property
        def reason(self) -> str:
            raise RuntimeError("boo")

    assert said(object.__new__(Trap)).issues == ("verdict_malformed",)


def test_messages_are_capped_escaped_and_redacted() -> None:
    """Control characters and lone surrogates are shown as escapes, secrets are not shown, length is bounded."""
    assert cap_text("a\x00b\ud800c\x1b[31m\n\t") == "a\\u0000b\\ud800c\\u001b[31m\n\t"
    assert len(cap_text("é" * 10_000_000).encode()) <= MAX_MESSAGE_CHARACTERS
    assert "hunter2" not in cap_text("password=hunter2")


def test_text_that_lies_about_itself_is_still_capped() -> None:
    """A subclass of text whose every method raises is read by its content."""

    class Hostile(str):
        __slots__ = ()

        def __len__(self) -> int:
            raise RuntimeError("no length")

        def __format__(self, spec: str) -> str:
            raise RuntimeError("no format")

        def __str__(self) -> str:
            raise RuntimeError("no text")

    class HostileError(Exception):
        def __str__(self) -> str:
            return Hostile("hello")

    assert cap_text(Hostile("hello")) == "hello"
    assert describe_exception(HostileError()) == "HostileError: hello"

    def raises(base: Case, candidate: Case) -> OracleVerdict:
        raise HostileError

    assert judged(raises).issues == ("validator_error",)
    assert said(verdict(reason=Hostile("\ud800"))).issues == ("verdict_malformed",)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("401 for https://user:pa55@host/path", "pa55"),
        ("api_key='sk-12345'", "sk-12345"),
        ("access_token=abc123; next", "abc123"),
        ("basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("Cookie: session=abcdef", "abcdef"),
    ],
)
def test_credentials_inside_text_are_replaced(text: str, secret: str) -> None:
    """What looks like a credential is not kept."""
    assert secret not in redact_text(text)
    assert "[redacted]" in redact_text(text)


@pytest.mark.parametrize("key", ["monkey", "keyboard", "author", "tokens_used", "secretary", "basic"])
def test_words_that_only_resemble_secrets_are_left_alone(key: str) -> None:
    """A key is secret by a whole word of it."""
    assert not looks_secret(key)
