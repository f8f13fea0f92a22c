"""Envelopes: strictly read, signed by several, and every key counted once."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from robust import IntegrityError, UsageError
from robust.canon import JsonObject, canonical_bytes
from robust.signing.envelope import (
    MAX_ENVELOPE_BYTES,
    MAX_KEY_ID_CHARACTERS,
    MAX_SIGNATURE_BYTES,
    MAX_SIGNATURES,
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    pae,
    read_envelope,
    sign_payload,
    signers,
)
from robust.signing.keys import PublicKey, SigningKey
from tests.key_files import new_keys

PAYLOAD = '{"said":"naïve ☂"}'.encode()
# The last group of the payload in base64 has both characters that differ between the alphabets.
DIFFERENT = b'{"x":"\xc3\xbb\xef\xbf\xbd?>"}'


def signed_by(*keys: SigningKey, payload: bytes = PAYLOAD) -> Envelope:
    envelope = None
    for key in keys:
        envelope = sign_payload(payload, key, earlier=envelope)
    assert envelope is not None
    return envelope


def refused(document: Any) -> str:
    """The code and the path of what is wrong."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(IntegrityError) as caught:
        read_envelope(data, file="a.dsse.json")
    problem = caught.value.problems[0]
    assert problem.file == "a.dsse.json"
    return f"{problem.code} {problem.path}"


def changed(key: SigningKey, **members: Any) -> JsonObject:
    return {**signed_by(key).to_json(), **members}


def test_the_encoding_that_is_signed_counts_bytes() -> None:
    """The example of the protocol's text, and one whose characters have several bytes."""
    known = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pae("http://example.com/HelloWorld", b"hello world") == known
    assert pae("ü", "☂".encode()) == b"DSSEv1 2 \xc3\xbc 3 \xe2\x98\x82"
    assert pae("", b"") == b"DSSEv1 0  0 "


def test_an_envelope_comes_back_as_it_was() -> None:
    """Written as canonical JSON."""
    envelope = signed_by(*new_keys(3))
    assert read_envelope(canonical_bytes(envelope.to_json())) == envelope
    assert envelope.signed_bytes == b"DSSEv1 28 application/vnd.in-toto+json %d %b" % (len(PAYLOAD), PAYLOAD)


def test_both_alphabets_of_base64_are_read() -> None:
    """One file may hold both, but no single text."""
    (key,) = new_keys(1)
    envelope = signed_by(key, payload=DIFFERENT)
    document = envelope.to_json()
    assert {"+", "/"} & set(document["payload"])
    safe = document["payload"].translate(str.maketrans("+/", "-_"))
    assert read_envelope(json.dumps({**document, "payload": safe}).encode()) == envelope
    mixed = base64.b64encode(b"\xfb\xff\xfe" * 2).decode().replace("+", "-", 1)
    assert "/" in mixed
    assert refused({**document, "payload": mixed}) == "wrong_value $.payload"


@pytest.mark.parametrize(
    "text",
    [
        "YQ",
        "YQ=",
        "YQ===",
        "YQ==\n",
        " YQ==",
        "Y Q==",
        "YR==",
        "YQ==YQ==",
        "Y",
        "=",
        "YQ=Q",
        "YWJj=",
        "YWJj====",
        "ÿQ==",
        "Y*==",
    ],
)
def test_base64_of_another_spelling_is_refused(text: str) -> None:
    """Missing, wrong or superfluous padding, space, bits left over, foreign characters."""
    (key,) = new_keys(1)
    assert refused(changed(key, payload=text)) == "wrong_value $.payload"
    signatures = [{"keyid": "a", "sig": text}]
    assert refused(changed(key, signatures=signatures)) == "wrong_value $.signatures[0].sig"


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"payloadType": "application/json"}, "wrong_payload_type $.payloadType"),
        ({"payloadType": PAYLOAD_TYPE.upper()}, "wrong_payload_type $.payloadType"),
        ({"payloadType": None}, "wrong_payload_type $.payloadType"),
        ({"payloadType": 3}, "wrong_payload_type $.payloadType"),
        ({"payload": None}, "wrong_value $.payload"),
        ({"payload": ["YQ=="]}, "wrong_value $.payload"),
        ({"signatures": None}, "wrong_value $.signatures"),
        ({"signatures": {}}, "wrong_value $.signatures"),
        ({"signatures": []}, "wrong_value $.signatures"),
        ({"signatures": ["YQ=="]}, "wrong_value $.signatures[0]"),
        ({"signatures": [{"keyid": "a"}]}, "wrong_value $.signatures[0].sig"),
        ({"signatures": [{"keyid": "a", "sig": ""}]}, "wrong_value $.signatures[0].sig"),
        ({"signatures": [{"keyid": "a", "sig": 1}]}, "wrong_value $.signatures[0].sig"),
        ({"signatures": [{"keyid": 1, "sig": "YQ=="}]}, "wrong_value $.signatures[0].keyid"),
        ({"signatures": [{"keyid": "x" * 1025, "sig": "YQ=="}]}, "wrong_value $.signatures[0].keyid"),
        ({"signatures": [{"sig": "A" * 40_000}]}, "wrong_value $.signatures[0].sig"),
    ],
)
def test_members_that_are_missing_or_wrong_are_named(members: JsonObject, found: str) -> None:
    """With the path."""
    (key,) = new_keys(1)
    document = changed(key, **members)
    assert refused({name: value for name, value in document.items() if value is not None}) == found


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'"a"', b"\xff", b"{}" + b" " * 10 + b"x"])
def test_what_is_no_envelope_is_refused(data: bytes) -> None:
    """Whatever it is."""
    assert refused(data)


def test_members_of_one_name_are_refused_at_any_depth() -> None:
    """C9: two programs could read two envelopes in one file."""
    (key,) = new_keys(1)
    text = canonical_bytes(signed_by(key).to_json())
    twice = text.replace(b'"payloadType"', b'"payload":"YQ==","payloadType"')
    assert refused(twice) == "duplicate_key $.payload"
    inner = text.replace(b'"sig"', b'"sig":"YQ==","sig"')
    assert refused(inner) == "duplicate_key $.signatures[0].sig"


def test_unknown_members_are_passed_over() -> None:
    """As DSSE says; and a key id may be missing, null or empty."""
    (key,) = new_keys(1)
    document = changed(key, more={"a": [1.5]})
    (signature,) = document["signatures"]
    for keyid in ({}, {"keyid": None}, {"keyid": ""}):
        odd = {**document, "signatures": [{"sig": signature["sig"], "cert": "x", **keyid}]}
        envelope = read_envelope(json.dumps(odd).encode())
        assert envelope.signatures == (Signature("", key.sign(envelope.signed_bytes)),)
        assert signers(envelope, [key.public]).keys == (key.public,)


def test_there_is_a_limit_to_signatures_and_to_size() -> None:
    """A hundred thousand signatures are refused before one is looked at, and so is a large file."""
    (key, other) = new_keys(2)
    signatures = [{"keyid": str(number), "sig": "YQ=="} for number in range(100_000)]
    document = changed(key, signatures=signatures)
    assert refused(document) == "too_many_signatures $.signatures"
    assert refused(b" " * (MAX_ENVELOPE_BYTES + 1)) == "too_large None"
    full = replace(signed_by(key), signatures=tuple(Signature(str(n), b"x") for n in range(MAX_SIGNATURES)))
    assert len(read_envelope(canonical_bytes(full.to_json())).signatures) == MAX_SIGNATURES
    with pytest.raises(UsageError) as caught:
        sign_payload(PAYLOAD, other, earlier=full)
    assert caught.value.code == "too_many_signatures"


def test_what_is_signed_can_be_read_to_the_last_byte() -> None:
    """The largest envelope that can be made is the largest that is read; the next payload is not signed."""
    (key,) = new_keys(1)
    around = len(canonical_bytes(signed_by(key, payload=b"").to_json())) + 1
    payload = b"\xff" * ((MAX_ENVELOPE_BYTES - around) // 4 * 3)
    largest = signed_by(key, payload=payload)
    assert read_envelope(canonical_bytes(largest.to_json()) + b"\n") == largest
    with pytest.raises(UsageError) as caught:
        sign_payload(payload + b"x", key)
    assert (caught.value.code, caught.value.problems[0].hint) == ("too_large", "split the evidence")


def test_signatures_of_others_can_leave_no_room_for_one_more() -> None:
    """Each as large as one that is read, around a payload that would be signed alone."""
    key, other = new_keys(2)
    longest = Signature("x" * MAX_KEY_ID_CHARACTERS, bytes(MAX_SIGNATURE_BYTES))
    full = replace(signed_by(key, payload=bytes(1024 * 1024)), signatures=(longest,) * (MAX_SIGNATURES - 1))
    assert len(canonical_bytes(full.to_json())) < MAX_ENVELOPE_BYTES
    both = sign_payload(full.payload, other, earlier=full)
    assert read_envelope(canonical_bytes(both.to_json()) + b"\n") == both
    larger = replace(full, payload=bytes(4 * 1024 * 1024))
    with pytest.raises(UsageError) as caught:
        sign_payload(larger.payload, other, earlier=larger)
    assert caught.value.code == "too_large"
    assert "--overwrite" in str(caught.value.problems[0].hint)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda document: document.update(bundle={"a": 1}), "$.bundle"),
        (lambda document: document["signatures"][0].update(cert="x"), "$.signatures[0].cert"),
    ],
)
def test_nothing_is_added_where_something_of_another_tool_would_be_lost(
    change: Callable[[Any], object], path: str
) -> None:
    """A certificate may be all that shows whose a signature is. Who signed already has nothing to add."""
    key, other = new_keys(2)
    document = signed_by(key).to_json()
    change(document)
    earlier = read_envelope(json.dumps(document).encode())
    assert signers(earlier, [key.public]).keys == (key.public,)
    assert sign_payload(PAYLOAD, key, earlier=earlier) is earlier
    with pytest.raises(UsageError) as caught:
        sign_payload(PAYLOAD, other, earlier=earlier)
    assert (caught.value.code, caught.value.problems[0].path) == ("foreign_member", path)


def test_signing_is_reproducible_and_adds_to_what_is_there() -> None:
    """The same keys give the same bytes; a key that signed already changes nothing."""
    first, second = new_keys(2)
    once = signed_by(first)
    assert once == signed_by(first)
    both = sign_payload(PAYLOAD, second, earlier=once)
    assert both.signatures[0] == once.signatures[0]
    assert [each.key_id for each in both.signatures] == [first.key_id, second.key_id]
    assert sign_payload(PAYLOAD, first, earlier=both) is both


def test_signatures_are_not_put_beside_those_over_something_else() -> None:
    """Another payload, or another type of payload."""
    first, second = new_keys(2)
    for earlier in (signed_by(first, payload=b"{}"), replace(signed_by(first), payload_type="text/plain")):
        with pytest.raises(IntegrityError) as caught:
            sign_payload(PAYLOAD, second, earlier=earlier)
        assert caught.value.code == "other_statement"


def test_a_key_does_not_sign_beside_a_forged_signature_of_its_own() -> None:
    """It would look as if its owner had agreed to it."""
    (key,) = new_keys(1)
    forged = replace(signed_by(key), signatures=(Signature(key.key_id, bytes(64)),))
    with pytest.raises(IntegrityError) as caught:
        sign_payload(PAYLOAD, key, earlier=forged)
    assert caught.value.code == "bad_signature"


def test_a_key_counts_once() -> None:
    """Under two key ids, signed twice, or named twice; in the order in which keys were named."""
    first, second = new_keys(2)
    envelope = signed_by(first, second)
    value = envelope.signatures[0].value
    doubled = replace(envelope, signatures=(*envelope.signatures, Signature("another id", value), Signature("", value)))
    again = PublicKey(first.public.raw)
    assert signers(doubled, [second.public, first.public, again]).keys == (second.public, first.public)
    assert signers(doubled, [first.public]).keys == (first.public,)
    assert signers(doubled, [first.public]).broken == ()


def test_who_was_not_named_is_unknown() -> None:
    """By the key ids that the signatures bear, as they bear them."""
    first, second = new_keys(2)
    envelope = signed_by(first, second)
    named = signers(envelope, [second.public])
    assert (named.keys, named.broken, named.unknown) == ((second.public,), (), (first.key_id,))
    nobody = signers(envelope, [])
    assert (nobody.keys, nobody.broken, nobody.unknown) == ((), (), (first.key_id, second.key_id))


@pytest.mark.parametrize("place", [0, 31, 32, 63])
def test_a_signature_with_one_bit_changed_is_broken(place: int) -> None:
    """As it claims a named key."""
    (key,) = new_keys(1)
    envelope = signed_by(key)
    value = bytearray(envelope.signatures[0].value)
    value[place] ^= 1
    forged = Signature(key.key_id, bytes(value))
    found = signers(replace(envelope, signatures=(forged,)), [key.public])
    assert (found.keys, found.broken, found.unknown) == ((), (forged,), ())


def test_a_payload_with_one_byte_changed_breaks_every_named_signature() -> None:
    """And is told apart from signatures of others."""
    first, second = new_keys(2)
    envelope = replace(signed_by(first, second), payload=PAYLOAD.replace(b"said", b"sayd"))
    found = signers(envelope, [first.public])
    assert (found.keys, found.unknown) == ((), (second.key_id,))
    assert found.broken == envelope.signatures[:1]


def test_a_key_id_in_our_form_that_is_of_another_key_is_broken() -> None:
    """The signature fits a named key, and says that it is somebody else's."""
    first, second = new_keys(2)
    envelope = signed_by(first)
    lying = Signature(second.key_id, envelope.signatures[0].value)
    for keys in ([first.public], [first.public, second.public], [second.public]):
        found = signers(replace(envelope, signatures=(lying,)), keys)
        assert found.keys == ()
        assert found.broken == (lying,)


@pytest.mark.parametrize("value", [b"x", bytes(63), bytes(65), bytes(64)])
def test_signatures_of_other_lengths_and_kinds_are_of_nobody_named(value: bytes) -> None:
    """Other programs sign with other algorithms."""
    (key,) = new_keys(1)
    envelope = replace(signed_by(key), signatures=(Signature("ecdsa", value), *signed_by(key).signatures))
    found = signers(envelope, [key.public])
    assert (found.keys, found.broken, found.unknown) == ((key.public,), (), ("ecdsa",))
