"""Secrets that were read from the environment, wherever they come back."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote_plus

from robust.records.redaction import REDACTED, redact_known, redact_text, remember_secret


def test_a_known_secret_is_replaced_in_every_spelling() -> None:
    """In texts, keys and numbers; as JSON escapes it, as an address does, and in Base64."""
    known = 'p/ä "ss" & 7'
    remember_secret(known)
    for spelling in (
        known,
        json.dumps(known),
        json.dumps(known, ensure_ascii=False),
        quote_plus(known),
        base64.b64encode(known.encode()).decode(),
        base64.b64encode(b"Bearer " + known.encode() + b"!").decode(),
        base64.urlsafe_b64encode(b"ab" + known.encode()).decode().rstrip("="),
        known.encode().hex(),
        known.upper(),
        quote_plus(known).lower(),
    ):
        assert known not in redact_text(f"before {spelling} behind")
        assert REDACTED in redact_text(f"before {spelling} behind")
    nested = redact_known({f"key {known}": [{"deep": f"{known}!"}], "other": 1})
    assert nested == {f"key {REDACTED}": [{"deep": f"{REDACTED}!"}], "other": 1}


def test_a_secret_of_digits_is_replaced_where_it_comes_back_as_a_number() -> None:
    """A server may echo it without quotation marks."""
    remember_secret("8317402216593")
    assert redact_known({"m": 8317402216593, "n": 83174022165930}) == {"m": REDACTED, "n": 83174022165930}


def test_the_longer_of_two_secrets_goes_as_a_whole() -> None:
    """No part of it is left behind the shorter one."""
    remember_secret("abcd-efgh")
    remember_secret("abcd-efgh-ijkl")
    assert redact_text("it is abcd-efgh-ijkl.") == f"it is {REDACTED}."


def test_what_is_too_short_to_be_a_secret_does_not_tear_up_texts() -> None:
    """Replacing three letters everywhere would show where they stood."""
    remember_secret("the")
    assert redact_text("the end") == "the end"
