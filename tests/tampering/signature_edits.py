"""Edits of what is signed, of signatures, and of who is trusted."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.independent import canonical
from tests.tampering.documents import OPERATIONS, places, shown
from tests.tampering.edits import ATTESTATION, FROZEN, MANIFEST_ATTESTATION, RUN, Chosen, Edit, Spot
from tests.tampering.signers import Signer, envelope_of, payload_of, read_envelope
from tests.tampering.workshop import SIGNERS, STRANGER

Case = Mapping[str, bytes]
Signers = Mapping[str, Signer]


def claims_in(case: Case) -> list[str]:
    """The files of claims."""
    return [name for name in case if "claim-" in name]


# Who signed the edited statement.
_WHO: Final = ("old signatures", "a stranger", "a stranger in their names", "the signers")
_OTHER_TYPE: Final = "application/json"
# Of these other ones are as good, so that what a stranger claims is a claim.
_OWN_WORDS: Final = (("predicate", "claim"), ("predicate", "name"))


def statement_edits(case: Case, signers: Signers, chosen: Chosen) -> Iterator[Edit]:
    """What is chosen of all that can be done to every place of every signed statement, and signed by whom."""
    number = 0
    for file in (ATTESTATION, MANIFEST_ATTESTATION, *claims_in(case)):
        claim = "claim-" in file
        asked = RUN if file.startswith("run/") else FROZEN
        statement = json.loads(payload_of(case[file]))
        for path in places(statement):
            number += 1
            for name, who in chosen(Spot(number), [(name, who) for name in OPERATIONS for who in _WHO]):
                payload = OPERATIONS[name](statement, path)
                # Who claims something else claims it, and what is claimed follows from nothing.
                if payload is None or (claim and who == "the signers" and path[0] != "subject"):
                    continue
                data = envelope_of(payload, _signatures(case[file], payload, who, signers, claim=claim))
                what = f"{file} payload {shown(path)} {name}"
                kind = f"field of a {'claim' if claim else 'statement'}, signed by {who}"
                if claim and who == "a stranger" and name == "changed" and path in _OWN_WORDS:
                    kind = "claim of a stranger"
                # A claim has its name from what is claimed.
                place = _claim_name(file, payload) if claim else file
                yield Edit(kind.replace("signed by old", "old"), what, {file: None, place: data}, asked, shown(path))


def _signatures(data: bytes, payload: bytes, who: str, signers: Signers, *, claim: bool) -> list[dict[str, str]]:
    mine, eve = [signers[name] for name in SIGNERS][: 1 if claim else None], signers[STRANGER]
    if who == "old signatures":
        old: list[dict[str, str]] = read_envelope(data)["signatures"]
        return old
    if who == "a stranger":
        return [eve.sign(payload)]
    return [(each if who == "the signers" else eve).sign(payload, key_id=each.key_id) for each in mine]


def _claim_name(file: str, payload: bytes) -> str:
    return f"{file.rpartition('claim-')[0]}claim-{hashlib.sha256(payload).hexdigest()[:12]}.dsse.json"


def envelope_edits(case: Case) -> Iterator[Edit]:
    """Every place of every envelope around them."""
    for file in (ATTESTATION, MANIFEST_ATTESTATION, *claims_in(case)):
        asked = RUN if file.startswith("run/") else FROZEN
        envelope = read_envelope(case[file])
        for path in places(envelope):
            for name, operation in OPERATIONS.items():
                if (text := operation(envelope, path)) is not None:
                    what = f"{file} {shown(path)} {name}"
                    yield Edit("member of an envelope", what, {file: text + b"\n"}, asked, shown(path))


def _with(envelope: Mapping[str, Any], **members: Any) -> bytes:
    return canonical({**envelope, **members}) + b"\n"


def _spoiled(text: str, at: int) -> str:
    """Base64 of what another text is base64 of, with one bit changed."""
    data = bytearray(base64.b64decode(text))
    data[at] ^= 1
    return _text(bytes(data))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def signature_edits(case: Case, signers: Signers, others: Case) -> Iterator[Edit]:
    """Signatures that are none, too few, twice, of something else, or under other names."""
    for file, asked in ((ATTESTATION, RUN), (MANIFEST_ATTESTATION, FROZEN)):
        made = {
            "broken signature": _broken(case[file], signers, others["seed/attestation.dsse.json"]),
            "too few signatures": _too_few(case[file], signers),
            "strangers alone": _strangers(case[file], signers),
            "no envelope": _no_envelopes(case[file], signers),
        }
        for kind, edits in made.items():
            for name, data in edits:
                yield Edit(kind, f"{file}: {name}", {file: data}, asked)
        yield Edit("no attestation", f"{file}: removed", {file: None}, asked)
    yield from _strangers_claims(case, signers[STRANGER])


def _broken(data: bytes, signers: Signers, elsewhere: bytes) -> Iterator[tuple[str, bytes]]:
    """Two signatures, of which one at least does not fit."""
    ann, bob, eve = (signers[name] for name in (*SIGNERS, STRANGER))
    envelope, payload = read_envelope(data), payload_of(data)
    first, second = envelope["signatures"]

    def signed(*signatures: dict[str, str]) -> bytes:
        return _with(envelope, signatures=[*signatures])

    for at in (0, 31, 32, 63):
        yield f"byte {at} of one signature", signed({**first, "sig": _spoiled(first["sig"], at)}, second)
    for at in range(0, len(payload), len(payload) // 12):
        yield f"byte {at} of the payload", _with(envelope, payload=_spoiled(envelope["payload"], at))
    for length in (1, 32, 63, 65, 128):
        cut = _text((base64.b64decode(first["sig"]) * 2)[:length])
        yield f"a signature of {length} bytes", signed({**first, "sig": cut}, second)
    yield "a signature of zeros", signed({**first, "sig": _text(bytes(64))}, second)
    yield "exchanged between the key ids", signed({**first, "sig": second["sig"]}, {**second, "sig": first["sig"]})
    bare = [{"keyid": each.key_id, "sig": _text(each.key.sign(payload))} for each in (ann, bob)]
    yield "over the payload without its type", signed(*bare)
    yield "over another payload type", signed(*_of_other_type(payload, ann, bob))
    yield "of another run", signed(*read_envelope(elsewhere)["signatures"])
    yield "a good one under the id of a stranger", signed({**first, "keyid": eve.key_id}, second)


def _of_other_type(payload: bytes, *signers: Signer) -> list[dict[str, str]]:
    return [each.sign(payload, payload_type=_OTHER_TYPE) for each in signers]


def _too_few(data: bytes, signers: Signers) -> Iterator[tuple[str, bytes]]:
    """Good signatures by one of the signers alone."""
    envelope, eve = read_envelope(data), signers[STRANGER]
    first, second = envelope["signatures"]
    made = {
        "one signature removed": [first],
        "the other signature removed": [second],
        "one key twice": [first, first],
        "one key twice, under no id": [first, {"sig": first["sig"]}],
        "one key twice, under two ids": [{**first, "keyid": "a"}, {**first, "keyid": "b"}],
        "one key twice, under the name of the other": [first, {**first, "keyid": SIGNERS[1]}],
        "one signer and a stranger": [first, eve.sign(payload_of(data))],
    }
    return ((name, _with(envelope, signatures=signatures)) for name, signatures in made.items())


def _strangers(data: bytes, signers: Signers) -> Iterator[tuple[str, bytes]]:
    """Good signatures by somebody else."""
    payload, eve = payload_of(data), signers[STRANGER]
    yield "a stranger", envelope_of(payload, [eve.sign(payload)])
    yield "a stranger twice", envelope_of(payload, [eve.sign(payload), eve.sign(payload, key_id=SIGNERS[0])])


def _no_envelopes(data: bytes, signers: Signers) -> Iterator[tuple[str, bytes]]:
    """What is no envelope around a statement, whoever signed it."""
    ann, bob, eve = (signers[name] for name in (*SIGNERS, STRANGER))
    envelope, payload = read_envelope(data), payload_of(data)
    many = [*envelope["signatures"], *[eve.sign(payload, key_id="x")] * 298]
    yield "no signatures", _with(envelope, signatures=[])
    yield "300 signatures", _with(envelope, signatures=many)
    yield "another payload type", envelope_of(payload, _of_other_type(payload, ann, bob), _OTHER_TYPE)
    yield "the payload alone", payload + b"\n"
    for name, other in (("an empty payload", b""), ("a payload that is no JSON", b"PASSED")):
        yield name, envelope_of(other, [each.sign(other) for each in (ann, bob)])


def _strangers_claims(case: Case, eve: Signer) -> Iterator[Edit]:
    """A stranger says something of the same files: beside what the signers said, and instead of it."""
    for file in claims_in(case):
        asked = RUN if file.startswith("run/") else FROZEN
        statement = json.loads(payload_of(case[file]))
        payload = canonical({**statement, "predicate": {**statement["predicate"], "claim": "Do not use it."}})
        data = envelope_of(payload, [eve.sign(payload)])
        place = _claim_name(file, payload)
        yield Edit("claim of a stranger", f"{file}: beside it", {place: data}, asked)
        yield Edit("claim of a stranger", f"{file}: instead of it", {file: None, place: data}, asked)
