"""Keys and envelopes once more, on ``cryptography`` alone: who holds a key can sign anything with it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.independent import canonical
from tests.tampering.workshop import SIGNERS, STRANGER

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"


def pae(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """What a signature of DSSE is over."""
    return b"DSSEv1 %d %s %d %s" % (len(payload_type), payload_type.encode(), len(payload), payload)


class Signer(NamedTuple):
    """Somebody who holds a private key."""

    key: Ed25519PrivateKey

    @property
    def key_id(self) -> str:
        """``openssl pkey -pubin -outform DER | sha256sum``."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        der = self.key.public_key().public_bytes(serialization.Encoding.DER, form)
        return f"sha256:{hashlib.sha256(der).hexdigest()}"

    def sign(self, payload: bytes, *, key_id: str | None = None, payload_type: str = PAYLOAD_TYPE) -> dict[str, str]:
        """An entry of an envelope's signatures, under the key's own id or another one."""
        value = base64.b64encode(self.key.sign(pae(payload, payload_type))).decode()
        return {"keyid": self.key_id if key_id is None else key_id, "sig": value}


def load_signers(root: Path) -> dict[str, Signer]:
    """The signers of the evidence and the stranger, by name."""
    found = {}
    for name in (*SIGNERS, STRANGER):
        key = serialization.load_pem_private_key((root / "keys" / f"{name}.key.pem").read_bytes(), None)
        assert isinstance(key, Ed25519PrivateKey)
        found[name] = Signer(key)
    return found


def read_envelope(data: bytes) -> dict[str, Any]:
    """An envelope as plain data."""
    envelope: dict[str, Any] = json.loads(data)
    return envelope


def payload_of(data: bytes) -> bytes:
    """The payload of an envelope."""
    return base64.b64decode(read_envelope(data)["payload"])


def envelope_of(payload: bytes, signatures: Iterable[dict[str, str]], payload_type: str = PAYLOAD_TYPE) -> bytes:
    """The file of an envelope."""
    encoded = base64.b64encode(payload).decode()
    return canonical({"payload": encoded, "payloadType": payload_type, "signatures": [*signatures]}) + b"\n"
