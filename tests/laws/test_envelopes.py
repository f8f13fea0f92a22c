"""Laws of envelopes: one spelling, one reading, and no change that goes unnoticed."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import PublicKey
from robust.canon import canonical_bytes
from robust.signing.base64_text import decode_base64, encode_base64
from robust.signing.curve import is_sound_point
from robust.signing.envelope import PAYLOAD_TYPE, Envelope, Signature, pae, read_envelope, sign_payload, signers
from robust.signing.keys import generate_key
from robust.signing.statement import Statement, Subject, read_statement
from tests.laws.strategies import json_objects

KEYS = [generate_key() for _ in range(4)]
PUBLIC = [key.public for key in KEYS]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
# RFC 8032, 7.1: tests 1, 2, 3 and SHA(abc): public key, message, signature.
KNOWN = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@given(st.binary(max_size=200))
def test_base64_comes_back_from_both_alphabets(data: bytes) -> None:
    """As the standard library writes it."""
    assert encode_base64(data) == base64.b64encode(data).decode()
    assert decode_base64(encode_base64(data)) == data
    assert decode_base64(base64.urlsafe_b64encode(data).decode()) == data


@given(st.text(max_size=20) | st.text("AQag09+/-_=\n ", max_size=12))
def test_a_text_is_read_as_base64_only_if_it_is_how_the_bytes_are_written(text: str) -> None:
    """In one of the two alphabets; so no two texts of one alphabet are the same bytes."""
    data = decode_base64(text)
    if data is not None:
        assert text in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode())


@given(TEXTS, st.binary(max_size=30), TEXTS, st.binary(max_size=30))
def test_what_is_signed_is_of_one_type_and_payload(kind: str, payload: bytes, other: str, content: bytes) -> None:
    """Whatever spaces and digits are in them."""
    assert (pae(kind, payload) == pae(other, content)) == ((kind, payload) == (other, content))


SIGNATURES = st.builds(Signature, TEXTS, st.binary(min_size=1, max_size=100))


@given(st.binary(max_size=200), st.lists(SIGNATURES, min_size=1, max_size=5))
def test_an_envelope_comes_back(payload: bytes, signatures: list[Signature]) -> None:
    """Whatever is in it."""
    envelope = Envelope(payload, PAYLOAD_TYPE, tuple(signatures))
    assert read_envelope(canonical_bytes(envelope.to_json())) == envelope


@given(st.binary(min_size=1, max_size=100), st.permutations(range(4)), st.integers(1, 4), st.lists(TEXTS, max_size=3))
def test_each_key_that_signed_counts_once(payload: bytes, order: list[int], count: int, ids: list[str]) -> None:
    """In any order, under any further key ids, among signatures of nobody."""
    envelope = None
    for index in order[:count]:
        envelope = sign_payload(payload, KEYS[index], earlier=envelope)
    assert envelope is not None
    again = [Signature(key_id, envelope.signatures[0].value) for key_id in ids]
    noise = Signature("of nobody", bytes(64))
    more = replace(envelope, signatures=(*again, noise, *envelope.signatures, *envelope.signatures[:1]))
    found = signers(more, PUBLIC)
    assert found.keys == tuple(PUBLIC[index] for index in sorted(order[:count]))
    assert (found.broken, found.unknown) == ((), ("of nobody",))


@given(st.binary(min_size=1, max_size=60), st.data())
def test_a_change_of_one_bit_breaks_a_signature(payload: bytes, data: st.DataObject) -> None:
    """In the payload or in the signature, wherever."""
    envelope = sign_payload(payload, KEYS[0])
    value = envelope.signatures[0].value
    place = data.draw(st.integers(0, 8 * (len(payload) + len(value)) - 1))
    changed = bytearray(payload + value)
    changed[place // 8] ^= 1 << place % 8
    forged = Signature(KEYS[0].key_id, bytes(changed[len(payload) :]))
    found = signers(Envelope(bytes(changed[: len(payload)]), PAYLOAD_TYPE, (forged,)), PUBLIC)
    assert (found.keys, found.broken) == ((), (forged,))


@given(
    st.lists(TEXTS.filter(bool), min_size=1, max_size=4, unique=True), TEXTS.filter(bool), json_objects, json_objects
)
def test_a_statement_comes_back(
    names: list[str], kind: str, predicate: dict[str, object], more: dict[str, object]
) -> None:
    """Its payload is the same bytes each time, whatever is said."""
    subjects = tuple(Subject(name, f"{index:064x}", more) for index, name in enumerate(names))
    statement = Statement(subjects, kind, predicate)
    payload = statement.payload()
    read = read_statement(payload)
    assert read.payload() == payload
    assert (read.subjects, read.predicate_type) == (subjects, kind)


@pytest.mark.parametrize(("raw", "message", "signature"), KNOWN)
def test_published_signatures_verify(raw: str, message: str, signature: str) -> None:
    """Those of RFC 8032, by keys that are sound."""
    assert PublicKey(bytes.fromhex(raw)).verifies(bytes.fromhex(signature), bytes.fromhex(message))


@settings(max_examples=20)
@given(st.binary(min_size=32, max_size=32))
def test_a_key_with_a_part_of_small_order_is_not_sound(seed: bytes) -> None:
    """To a sound point (x, y) the point (0, -1) of order two is added, which gives (-x, -y)."""
    raw = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    number = int.from_bytes(raw, "little")
    y, sign = number % 2**255, number >> 255
    mixed = (2**255 - 19 - y) | (1 - sign) << 255
    assert is_sound_point(raw)
    assert not is_sound_point(mixed.to_bytes(32, "little"))


def test_keys_that_are_made_are_sound_and_their_negatives_too() -> None:
    """The sign of x is the highest bit; both points are of the large order."""
    for key in KEYS:
        raw = key.public.raw
        assert is_sound_point(raw)
        assert is_sound_point(raw[:31] + bytes([raw[31] ^ 0x80]))
