"""DSSE envelopes, version 1: a payload, its type, and signatures over both by any number of keys.

https://github.com/secure-systems-lab/dsse/blob/v1.0.0/envelope.md, and protocol.md beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from robust.canon import JsonObject, canonical_bytes, describe, is_digest, read_json
from robust.errors import DataError, IntegrityError, UsageError
from robust.signing.base64_text import decode_base64, encode_base64
from robust.signing.keys import PublicKey, SigningKey

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
# Of a file with its line feed, for writing as for reading.
MAX_ENVELOPE_BYTES: Final = 8 * 1024 * 1024
MAX_SIGNATURES: Final = 256
MAX_KEY_ID_CHARACTERS: Final = 1024
# Of algorithms that are not ours, too.
MAX_SIGNATURE_BYTES: Final = 16 * 1024
_ANEW: Final = "--overwrite (overwrite=True) makes a new one, without the signatures that are in it"
_MEMBERS: Final = frozenset(["payload", "payloadType", "signatures"])
_SIGNATURE_MEMBERS: Final = frozenset(["keyid", "sig"])


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature, and whose it says that it is.

    Attributes:
        key_id: a hint and no proof; empty where there is none.
        value: the bytes of the signature.
    """

    key_id: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload as it was signed, byte for byte, and its signatures in their order.

    Attributes:
        payload: what was signed.
        payload_type: what it is.
        signatures: each in its place.
        foreign: the path of a member that DSSE does not know, such as a certificate; it is not kept here.
    """

    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]
    foreign: str | None = None

    @property
    def signed_bytes(self) -> bytes:
        """What each signature is over."""
        return pae(self.payload_type, self.payload)

    def to_json(self) -> JsonObject:
        """The envelope as plain JSON data; as canonical JSON and a line feed it is a file."""
        return {
            "payload": encode_base64(self.payload),
            "payloadType": self.payload_type,
            "signatures": [{"keyid": each.key_id, "sig": encode_base64(each.value)} for each in self.signatures],
        }


@dataclass(frozen=True, slots=True)
class SignedBy:
    """Whose signatures an envelope has, as far as some named keys can tell.

    Attributes:
        keys: those of the named keys that signed, each once, in the order in which they were given.
        broken: signatures that claim a named key and are not of it, or that are of a named key and claim the id of
            another one.
        unknown: the key ids of the other signatures, in their order: they are of nobody who was named.
    """

    keys: tuple[PublicKey, ...]
    broken: tuple[Signature, ...]
    unknown: tuple[str, ...]


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding: what is signed (DSSE protocol, version 1). Lengths are of bytes, in decimal."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def read_envelope(data: bytes, *, file: str | None = None) -> Envelope:
    """Read an envelope strictly; members that DSSE does not know are passed over, as it says.

    Args:
        data: the content of the file.
        file: the name that errors give.

    Raises:
        IntegrityError: it is no JSON, has two members of one name, is too large, or a member is missing or wrong; names
            the path.
    """
    try:
        document = read_json(data, file=file, max_bytes=MAX_ENVELOPE_BYTES)
    except DataError as error:
        raise IntegrityError(*error.problems) from None
    if not isinstance(document, dict):
        raise _wrong(f"must be an object, not {describe(document)}", "$", file)
    kind = document.get("payloadType")
    if kind != PAYLOAD_TYPE:
        shown = repr(kind[:100]) if isinstance(kind, str) else describe(kind)
        message = f"must be {PAYLOAD_TYPE!r}, not {shown}"
        raise IntegrityError.of("wrong_payload_type", message, file=file, path="$.payloadType")
    payload = _bytes(document.get("payload"), "$.payload", file)
    signatures = document.get("signatures")
    if not isinstance(signatures, list) or not signatures:
        raise _wrong("must be a list of at least one signature", "$.signatures", file)
    if len(signatures) > MAX_SIGNATURES:
        message = f"{len(signatures)} signatures; at most {MAX_SIGNATURES} are read"
        raise IntegrityError.of("too_many_signatures", message, file=file, path="$.signatures")
    read = tuple(_signature(item, f"$.signatures[{index}]", file) for index, item in enumerate(signatures))
    return Envelope(payload, PAYLOAD_TYPE, read, _foreign(document))


def _foreign(document: JsonObject) -> str | None:
    """The path of the first member that DSSE does not know."""
    found = [f"$.{name[:100]}" for name in document if name not in _MEMBERS]
    for index, item in enumerate(document["signatures"]):
        found += [f"$.signatures[{index}].{name[:100]}" for name in item if name not in _SIGNATURE_MEMBERS]
    return next(iter(found), None)


def _signature(item: Any, path: str, file: str | None) -> Signature:
    if not isinstance(item, dict):
        raise _wrong(f"must be an object, not {describe(item)}", path, file)
    key_id = item.get("keyid")
    if key_id is None:
        key_id = ""
    if not isinstance(key_id, str) or len(key_id) > MAX_KEY_ID_CHARACTERS:
        message = f"must be text of at most {MAX_KEY_ID_CHARACTERS} characters"
        raise _wrong(message, f"{path}.keyid", file)
    value = _bytes(item.get("sig"), f"{path}.sig", file)
    if not 0 < len(value) <= MAX_SIGNATURE_BYTES:
        raise _wrong(f"a signature has 1 to {MAX_SIGNATURE_BYTES} bytes", f"{path}.sig", file)
    return Signature(key_id, value)


def _bytes(text: Any, path: str, file: str | None) -> bytes:
    data = decode_base64(text) if isinstance(text, str) else None
    if data is None:
        raise _wrong("must be text in base64, padded", path, file)
    return data


def _wrong(message: str, path: str, file: str | None) -> IntegrityError:
    return IntegrityError.of("wrong_value", message, file=file, path=path)


def sign_payload(
    payload: bytes, key: SigningKey, *, earlier: Envelope | None = None, max_bytes: int = MAX_ENVELOPE_BYTES
) -> Envelope:
    """An envelope around a payload, signed by a key.

    Args:
        payload: what is signed.
        key: who signs.
        earlier: an envelope around the same payload, whose signatures are kept; it is returned as it is when the key
            has signed it already.
        max_bytes: how many bytes are read of its file.

    Raises:
        IntegrityError: ``other_statement``: the earlier envelope is around something else; ``bad_signature``: it has
            a signature that claims to be of this key and is not.
        UsageError: ``too_many_signatures``: it has as many as are read; ``too_large``: no envelope of that size would
            be read; ``foreign_member``: it has a member of another tool, which would be lost.
    """
    envelope = Envelope(payload, PAYLOAD_TYPE, ()) if earlier is None else earlier
    if (envelope.payload, envelope.payload_type) != (payload, PAYLOAD_TYPE):
        raise IntegrityError.of("other_statement", "the envelope is around something else")
    signed = signers(envelope, [key.public])
    if signed.broken:
        message = f"it has a signature that claims the key {key.key_id} and is not of it"
        hint = "find out who wrote it; without that file a new one is made"
        raise IntegrityError.of("bad_signature", message, path="$.signatures", hint=hint)
    if signed.keys:
        return envelope
    if len(envelope.signatures) >= MAX_SIGNATURES:
        message = f"it has {MAX_SIGNATURES} signatures already, and no more are read"
        raise UsageError.of("too_many_signatures", message, path="$.signatures", hint=_ANEW)
    if envelope.foreign is not None:
        message = "a member of another tool, which would be lost if a signature were added"
        hint = "move that file elsewhere and sign anew; given to robust verify beside the evidence, it counts too"
        raise UsageError.of("foreign_member", message, path=envelope.foreign, hint=hint)
    added = Signature(key.key_id, key.sign(envelope.signed_bytes))
    envelope = replace(envelope, signatures=(*envelope.signatures, added))
    if len(canonical_bytes(envelope.to_json())) + 1 > max_bytes:
        message = f"the envelope would have over {max_bytes} bytes, and is not read then"
        hint = "split the evidence" if earlier is None else _ANEW
        raise UsageError.of("too_large", message, hint=hint)
    return envelope


def signers(envelope: Envelope, keys: Iterable[PublicKey]) -> SignedBy:
    """Whose signatures an envelope has: each distinct key counts once, whatever ids its signatures bear.

    A signature counts for whichever named key verifies it. Its key id is a hint of the signer's program and believed in
    nothing; only where it has the form of our ids must it be that of the key.

    Args:
        envelope: the envelope.
        keys: the keys that the reader named.
    """
    named = {key.raw: key for key in keys}
    ids = {key.key_id: key for key in named.values()}
    message = envelope.signed_bytes
    found: set[bytes] = set()
    broken: list[Signature] = []
    unknown: list[str] = []
    for signature in envelope.signatures:
        claimed = ids.get(signature.key_id)
        # The key that is claimed first: nearly always it is the one.
        tried = [claimed, *(key for key in named.values() if key is not claimed)]
        signer = next((key for key in tried if key is not None and key.verifies(signature.value, message)), None)
        if signer is None and claimed is None:
            unknown.append(signature.key_id)
        elif signer is None or (is_digest(signature.key_id) and signer is not claimed):
            broken.append(signature)
        else:
            found.add(signer.raw)
    return SignedBy(tuple(key for raw, key in named.items() if raw in found), tuple(broken), tuple(unknown))
