"""Claims: shown by themselves with their name and date, of these files, and never counted as an attestation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import UsageError, Verification, sign, verify
from robust.canon import canonical_bytes
from robust.signing.claim import MAX_CLAIM_BYTES
from robust.signing.envelope import PAYLOAD_TYPE, Envelope, Signature, read_envelope, sign_payload
from robust.store.attestations import claim_path
from tests.unit.app.signed_evidence import (
    ANN,
    BOB,
    EVE,
    Evidence,
    codes,
    named,
    paths,
    statement_in,
    write_envelope,
    write_evidence,
    write_run,
)

SAID = "I have looked at twenty of the failures."
KEYS = (ANN.public, BOB.public)


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    evidence = write_evidence(tmp_path_factory.mktemp("made"))
    sign(evidence.run, BOB, claim=SAID, name="Bo Example")
    sign(evidence.manifest, BOB, claim=SAID, name="Bo Example")
    return evidence


@pytest.fixture(name="evidence")
def _evidence(made: Evidence, tmp_path: Path) -> Evidence:
    return made.copied(tmp_path / "copy")


def claim_of(evidence: Evidence) -> Path:
    (file,) = evidence.run.glob("claim-*.dsse.json")
    return file


def reclaimed(evidence: Evidence, change: Callable[[Any], object], key: Any = BOB) -> Verification:
    """What is found when a claim was changed, signed again, and called what it should be called."""
    file = claim_of(evidence)
    statement = statement_in(file)
    change(statement)
    payload = canonical_bytes(statement)
    file.unlink()
    write_envelope(claim_path(evidence.run, payload), payload, [key])
    return verify(evidence.run, public_keys=KEYS)


def test_a_claim_is_shown_with_name_date_and_signer(evidence: Evidence) -> None:
    """Of a run and of a file; the date is what the signer says."""
    dated = statement_in(claim_of(evidence))["predicate"]["made_at"]
    for place in (evidence.run, evidence.manifest):
        found = verify(place, public_keys=KEYS)
        assert found.authentic
        told = f"'Bo Example', dated {dated}, says: '{SAID}'; by {BOB.key_id}"
        assert named(found, "claim").detail == told
        assert "dates" in found.not_proven
    unchecked = named(verify(evidence.run), "claim")
    assert (unchecked.holds, unchecked.done) == (True, False)
    assert "not checked without a public key" in unchecked.detail


def test_a_claim_is_no_attestation(evidence: Evidence) -> None:
    """It is counted for no threshold, and signs nothing by itself."""
    evidence.attestation.unlink()
    found = verify(evidence.run, public_keys=KEYS, require_signature=True)
    assert (codes(found), found.authentic) == (["not_signed"], False)
    sign(evidence.run, ANN)
    assert codes(verify(evidence.run, public_keys=KEYS, threshold=2)) == ["threshold"]


def test_a_claim_by_somebody_who_was_not_named_is_left_open(evidence: Evidence) -> None:
    """Nobody is led to believe it, and nobody can make what others signed fail by it."""
    found = verify(evidence.run, public_keys=[ANN.public], require_signature=True)
    claim = named(found, "claim")
    assert (codes(found), found.authentic, claim.holds, claim.done) == ([], True, True, False)
    assert f"by {BOB.key_id}, not named and not checked" in claim.detail
    found = reclaimed(evidence, lambda said: None, key=EVE)
    assert (codes(found), named(found, "claim").done) == ([], False)


def test_a_claim_about_another_run_is_refused(evidence: Evidence) -> None:
    """Moved from one run to another, with its signature; also where the run does not hold any more."""
    other = write_run(evidence.folder, "other", answer="yes")
    sign(other, BOB)
    shutil.copy(claim_of(evidence), other)
    found = verify(other, public_keys=KEYS)
    assert set(codes(found)) == {"other_statement"}
    assert "$.subject[0].digest.sha256" in paths(found)
    (other / "records.jsonl").write_bytes(b"{}\n")
    again = named(verify(other, public_keys=KEYS), "claim")
    assert {problem.code for problem in again.problems} == {"other_statement"}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda said: said["predicate"].update(claim=5), "$.predicate.claim"),
        (lambda said: said["predicate"].update(claim="\x1b[2J"), "$.predicate.claim"),
        (lambda said: said["predicate"].update(claim="x" * 5000), "$.predicate.claim"),
        (lambda said: said["predicate"].update(name=None), "$.predicate.name"),
        (lambda said: said["predicate"].pop("name"), "$.predicate.name"),
        (lambda said: said["predicate"].update(made_at="yesterday"), "$.predicate.made_at"),
        (lambda said: said["predicate"].update(made_at=[]), "$.predicate.made_at"),
        (lambda said: said["predicate"].update(more=1), "$.predicate"),
        (lambda said: said.update(more=1), "$.more"),
        (lambda said: said["subject"].pop(), "$.subject"),
        (lambda said: said["subject"][0].update(name="../report.json"), "$.subject[0].name"),
        (lambda said: said["subject"][1]["annotations"].update(count=0), "$.subject[1].annotations.count"),
        (lambda said: said.update(predicateType="urn:robust:claim:v2"), "$.predicateType"),
        (lambda said: said.update(predicateType="urn:robust:evidence:v1"), "$.predicateType"),
    ],
)
def test_a_claim_that_is_none_is_refused_whoever_signed_it(
    evidence: Evidence, change: Callable[[Any], object], path: str
) -> None:
    """The file and the place in it are named."""
    found = reclaimed(evidence, change)
    assert path in paths(found)
    assert [check.name for check in found.checks if not check.holds] == ["claim"]


def test_a_claim_is_named_after_its_content(evidence: Evidence) -> None:
    """Another name is that of another claim."""
    claim_of(evidence).rename(evidence.run / "claim-0123456789ab.dsse.json")
    found = verify(evidence.run, public_keys=KEYS)
    assert (codes(found), paths(found)) == (["contradiction"], ["$.payload"])


def test_a_changed_claim_has_a_broken_signature(evidence: Evidence) -> None:
    """With a name to match, and the old signature."""
    file = claim_of(evidence)
    envelope = read_envelope(file.read_bytes())
    payload = envelope.payload.replace(b"twenty", b"all")
    data = json.loads(file.read_bytes())
    write_envelope(file, payload, [EVE])
    forged = {**json.loads(file.read_bytes()), "signatures": data["signatures"]}
    file.unlink()
    claim_path(evidence.run, payload).write_bytes(canonical_bytes(forged))
    assert codes(verify(evidence.run, public_keys=KEYS)) == ["bad_signature"]


def test_a_claim_that_is_larger_than_any_is_not_read(evidence: Evidence) -> None:
    """Whoever puts it there: its signatures would take long to try, one after the other."""
    file = claim_of(evidence)
    payload = canonical_bytes({**statement_in(file), "more": "x" * MAX_CLAIM_BYTES})
    file.unlink()
    write_envelope(claim_path(evidence.run, payload), payload, [BOB])
    found = verify(evidence.run, public_keys=KEYS)
    assert codes(found) == ["too_large"]
    assert [check.name for check in found.checks if not check.holds] == ["claim"]


def test_a_claim_is_not_signed_beyond_what_is_read(evidence: Evidence) -> None:
    """By somebody who signs the same bytes beside a signature that is large."""
    payload = read_envelope(claim_of(evidence).read_bytes()).payload
    earlier = Envelope(payload, PAYLOAD_TYPE, (Signature("k", b"x" * 16_000),) * 7)
    with pytest.raises(UsageError) as caught:
        sign_payload(payload, ANN, earlier=earlier, max_bytes=MAX_CLAIM_BYTES)
    assert caught.value.code == "too_large"
    assert len(sign_payload(payload, ANN, earlier=earlier).signatures) == 8


def test_more_claims_than_anybody_makes_are_refused(evidence: Evidence) -> None:
    """Rather than read without end."""
    data = claim_of(evidence).read_bytes()
    for number in range(101):
        (evidence.run / f"claim-{number:012x}.dsse.json").write_bytes(data)
    assert codes(verify(evidence.run, public_keys=KEYS))[-1] == "too_many_claims"
