"""Envelopes go both ways between this package, securesystemslib and plain openssl."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, Key, SSlibKey

from robust.canon import canonical_bytes
from robust.signing.envelope import PAYLOAD_TYPE, pae, read_envelope, sign_payload, signers
from robust.signing.keys import PublicKey, generate_key
from robust.signing.statement import evidence_statement, read_statement
from tests.key_files import new_keys, openssl, private_of, public_of

STATEMENT = evidence_statement("validations", "prüfung ☂.jsonl", "sha256:" + hashlib.sha256(b"x").hexdigest())


def other_key(key: PublicKey) -> Key:
    """A public key as securesystemslib has it, made of our PEM."""
    loaded = load_pem_public_key(key.to_pem())
    return SSlibKey.from_crypto(loaded, keyid=key.key_id)


def test_an_envelope_made_here_is_verified_by_securesystemslib() -> None:
    """With its own reading of our file, and two of two keys; and it notices a change."""
    first, second, third = new_keys(3)
    envelope = sign_payload(STATEMENT.payload(), second, earlier=sign_payload(STATEMENT.payload(), first))
    text = canonical_bytes(envelope.to_json())
    other = OtherEnvelope.from_dict(json.loads(text))
    keys = [other_key(key.public) for key in (first, second)]
    assert set(other.verify(keys, 2)) == {first.key_id, second.key_id}
    with pytest.raises(VerificationError):
        other.verify([other_key(third.public)], 1)
    other.payload += b" "
    with pytest.raises(VerificationError):
        other.verify(keys, 1)


def test_an_envelope_made_by_securesystemslib_is_verified_here() -> None:
    """Its key ids are not in our form, and count for nothing; its payload is read as a statement."""
    first, second, third = new_keys(3)
    other = OtherEnvelope(STATEMENT.payload(), PAYLOAD_TYPE, {})
    for key in (first, second):
        loaded = load_pem_private_key(key.to_pem(None), None)
        other.sign(CryptoSigner(loaded))
    envelope = read_envelope(json.dumps(other.to_dict()).encode())
    assert not any(each.key_id.startswith("sha256:") for each in envelope.signatures)
    found = signers(envelope, [third.public, second.public, first.public])
    assert (found.keys, found.broken, found.unknown) == ((second.public, first.public), (), ())
    assert read_statement(envelope.payload) == STATEMENT


def test_both_encode_what_is_signed_in_one_way() -> None:
    """Byte for byte."""
    assert OtherEnvelope(STATEMENT.payload(), PAYLOAD_TYPE, {}).pae() == pae(PAYLOAD_TYPE, STATEMENT.payload())


def test_a_signature_made_here_is_verified_by_openssl(tmp_path: Path) -> None:
    """With nothing but the key's PEM, the bytes that are signed, and the signature."""
    key = generate_key()
    envelope = sign_payload(STATEMENT.payload(), key)
    (tmp_path / "key.pem").write_bytes(key.public.to_pem())
    (tmp_path / "said").write_bytes(envelope.signed_bytes)
    (tmp_path / "signature").write_bytes(envelope.signatures[0].value)
    check = ("pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "said", "-sigfile", "signature")
    command = ["openssl", *check]
    assert subprocess.run(command, cwd=tmp_path, check=False, timeout=60).returncode == 0
    (tmp_path / "said").write_bytes(envelope.signed_bytes + b" ")
    assert subprocess.run(command, cwd=tmp_path, check=False, timeout=60).returncode != 0


def test_a_signature_made_by_openssl_is_verified_here(tmp_path: Path) -> None:
    """By a key of its own; Ed25519 is deterministic, so that it is the same as ours."""
    (tmp_path / "key.pem").write_bytes(openssl("genpkey", "-algorithm", "ed25519"))
    key = private_of((tmp_path / "key.pem").read_bytes())
    (tmp_path / "said").write_bytes(pae(PAYLOAD_TYPE, STATEMENT.payload()))
    signature = openssl("pkeyutl", "-sign", "-inkey", tmp_path / "key.pem", "-rawin", "-in", tmp_path / "said")
    public = public_of(openssl("pkey", "-in", tmp_path / "key.pem", "-pubout"))
    assert public.verifies(signature, (tmp_path / "said").read_bytes())
    assert sign_payload(STATEMENT.payload(), key).signatures[0].value == signature
