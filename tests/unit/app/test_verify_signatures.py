"""Signatures of evidence: whose keys count, how many, over which statement, and what is called authentic."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import UsageError, Validation, generate_keys, prove_record, save_proof, sign, verify
from robust.app.verifying import verify_all
from robust.canon import canonical_bytes
from robust.signing.keys import PublicKey
from tests.run_fixtures import manifest_of, numbers, run, told, variant
from tests.unit.app.forging import StoredRun
from tests.unit.app.signed_evidence import (
    ANN,
    BOB,
    EVE,
    Evidence,
    codes,
    named,
    paths,
    restate,
    statement_in,
    write_envelope,
    write_evidence,
    write_run,
)

KEYS = (ANN.public, BOB.public)


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return write_evidence(tmp_path_factory.mktemp("made"))


@pytest.fixture(name="evidence")
def _evidence(made: Evidence, tmp_path: Path) -> Evidence:
    return made.copied(tmp_path / "copy")


def test_signed_evidence_is_authentic_for_the_keys_that_are_named(evidence: Evidence) -> None:
    """Of the signers those are told that were named; what that does not show is told as well."""
    for place in (evidence.run, evidence.manifest):
        found = verify(place, public_keys=KEYS, require_signature=True, threshold=2)
        assert (found.holds, found.authentic, found.signature) == (True, True, "verified")
        assert [signer.key_id for signer in found.signers] == [ANN.key_id, BOB.key_id]
        assert found.not_proven == ("key_holder", "oracle", "unseen_data", "dates")
        alone = verify(place, public_keys=[BOB.public])
        assert [signer.key_id for signer in alone.signers] == [BOB.key_id]
        assert f"{ANN.key_id}, not named and not checked" in named(alone, "signature").detail


def test_without_a_key_signatures_are_shown_and_not_believed(evidence: Evidence) -> None:
    """Who it says signed; nothing is authentic."""
    found = verify(evidence.run)
    assert (found.holds, found.authentic, found.signature, found.signers) == (True, False, "unchecked", ())
    assert named(found, "signature").done is False
    assert ANN.key_id in named(found, "signature").detail
    assert found.not_proven[0] == "maker"


def test_a_key_beside_the_evidence_is_not_believed(evidence: Evidence) -> None:
    """Only what the reader names counts, whatever lies in the folder."""
    (evidence.folder / "signing.pub.pem").write_bytes(ANN.public.to_pem())
    assert not verify(evidence.manifest).authentic


def test_keys_are_named_by_file_or_as_they_are(evidence: Evidence, tmp_path: Path) -> None:
    """The file is told beside the id; a key that is named twice counts once."""
    files = generate_keys(tmp_path / "keys")
    sign(evidence.run, files.private)
    found = verify(evidence.run, public_keys=[files.public, os.fspath(files.public)])
    assert [str(signer) for signer in found.signers] == [f"{files.key_id} ({files.public})"]
    with pytest.raises(UsageError) as caught:
        verify(evidence.run, public_keys=[ANN.public, PublicKey(ANN.public.raw)], threshold=2)
    assert str(caught.value).startswith("threshold: 2 signers cannot be found with 1 different keys")


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"require_signature": True}, "no_public_key"),
        ({"threshold": 2}, "no_public_key"),
        ({"threshold": 0, "public_keys": KEYS}, "bad_threshold"),
        ({"threshold": 3, "public_keys": KEYS}, "bad_threshold"),
        ({"threshold": 2, "public_keys": [ANN.public] * 2}, "bad_threshold"),
        ({"threshold": True, "public_keys": KEYS}, "bad_threshold"),
        ({"threshold": 1.0, "public_keys": KEYS}, "bad_threshold"),
        ({"public_keys": "key.pem"}, "wrong_value"),
        ({"public_keys": None}, "wrong_value"),
        ({"public_keys": ANN.public}, "wrong_value"),
        ({"public_keys": [ANN]}, "wrong_value"),
        ({"public_keys": [b"x"]}, "wrong_value"),
        ({"public_keys": ["missing.pem"]}, "unreadable"),
        ({"public_keys": ["run"]}, "unreadable"),
        ({"public_keys": ["m.manifest.jsonl"]}, "bad_key"),
        ({"public_keys": ["\0"]}, "bad_path"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, terms: Any, code: str
) -> None:
    """Before anything is looked at, and for all paths at once."""
    monkeypatch.chdir(evidence.folder)
    for ask in (lambda: verify("run", **terms), lambda: verify_all(["run"], **terms)):
        with pytest.raises(UsageError) as caught:
            ask()
        assert caught.value.code == code


@pytest.mark.parametrize(("threshold", "told"), [(0, "0"), (-3, "-3"), (1.5, "1.5"), (True, "True"), ("2", "text")])
def test_a_threshold_that_is_none_is_told(evidence: Evidence, threshold: Any, told: str) -> None:
    """As it was given."""
    with pytest.raises(UsageError) as caught:
        verify(evidence.run, public_keys=KEYS, threshold=threshold)
    assert str(caught.value).startswith(f"threshold: must be a whole number from 1 on, not {told}")


def test_a_private_key_is_no_public_one(evidence: Evidence, tmp_path: Path) -> None:
    """And nothing of it is shown."""
    files = generate_keys(tmp_path / "keys")
    with pytest.raises(UsageError) as caught:
        verify(evidence.run, public_keys=[files.private])
    assert caught.value.code == "private_key"
    assert "PRIVATE" not in str(caught.value)


def test_what_is_not_signed_fails_where_a_signature_is_required(evidence: Evidence) -> None:
    """And is said to be unsigned everywhere else."""
    evidence.attestation.unlink()
    evidence.beside.unlink()
    for place in (evidence.run, evidence.manifest):
        assert named(verify(place, public_keys=KEYS), "signature").detail == "none"
        assert verify(place, public_keys=KEYS).holds
        for threshold in (1, 2):
            found = verify(place, public_keys=KEYS, require_signature=threshold == 1, threshold=threshold)
            assert (codes(found), found.authentic) == (["not_signed"], False)


def test_other_keys_do_not_count(evidence: Evidence) -> None:
    """Signed, but by nobody who was named."""
    for required in (False, True):
        found = verify(evidence.run, public_keys=[EVE.public], require_signature=required)
        assert (codes(found), found.signers, found.authentic) == (["unknown_signer"], (), False)


def test_a_threshold_counts_distinct_keys(evidence: Evidence) -> None:
    """Not signatures, and not ids: one key under two names is one key."""
    assert codes(verify(evidence.run, public_keys=[ANN.public, EVE.public], threshold=2)) == ["threshold"]
    assert verify(evidence.run, public_keys=[ANN.public, EVE.public, BOB.public], threshold=2).authentic
    envelope = json.loads(evidence.attestation.read_bytes())
    first = envelope["signatures"][0]
    for again in (first, {**first, "keyid": "somebody else"}, {"sig": first["sig"]}):
        envelope["signatures"] = [first, again]
        evidence.attestation.write_bytes(canonical_bytes(envelope))
        assert codes(verify(evidence.run, public_keys=KEYS, threshold=2)) == ["threshold"]


def test_a_broken_signature_of_a_named_key_fails_beside_good_ones(evidence: Evidence) -> None:
    """Somebody changed it, or what was signed."""
    envelope = json.loads(evidence.attestation.read_bytes())
    first, second = envelope["signatures"]
    envelope["signatures"] = [{**first, "sig": second["sig"]}, second]
    evidence.attestation.write_bytes(canonical_bytes(envelope))
    found = verify(evidence.run, public_keys=KEYS)
    assert (codes(found), paths(found)) == (["bad_signature"], ["$.signatures[0].sig"])
    assert named(found, "signature").problems[0].file == str(evidence.attestation)


def test_a_changed_file_is_found_by_its_signature(evidence: Evidence) -> None:
    """E4: one byte of what was signed; the content, the statement and nothing else are found wrong."""
    records = evidence.run / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"confidence":0.9', b'"confidence":0.8', 1))
    found = verify(evidence.run, public_keys=KEYS, require_signature=True)
    assert (found.holds, found.authentic) == (False, False)
    assert [check.name for check in found.checks if not check.holds] == ["records and derivation", "attestation"]
    assert paths(found)[-1] == "$.subject[1].digest.sha256"
    assert named(found, "signature").done is False


def test_a_consistent_forgery_is_found_by_its_signature(evidence: Evidence) -> None:
    """Everything derived agrees with itself; only what was signed does not."""
    forged = StoredRun(evidence.run)
    forged.report["observed"]["started_at"] = "2026-01-01T00:00:00.000+00:00"
    forged.fit_report()
    assert not forged.save().holds
    found = verify(evidence.run, public_keys=KEYS)
    assert codes(found) == ["other_statement"]
    assert paths(found) == ["$.subject[0].digest.sha256"]
    assert named(found, "attestation").problems[0].file == str(evidence.attestation)
    # Without any key it is found, too: the attestation speaks of other files.
    assert codes(verify(evidence.run)) == ["other_statement"]


def test_attestations_that_were_swapped_are_of_other_files(evidence: Evidence) -> None:
    """Both are signed, and each speaks of the other."""
    other = write_run(evidence.folder, "other", answer="yes")
    sign(other, ANN)
    moved = evidence.attestation.read_bytes()
    shutil.copy(other / "attestation.dsse.json", evidence.attestation)
    (other / "attestation.dsse.json").write_bytes(moved)
    for place in (evidence.run, other):
        found = verify(place, public_keys=[ANN.public])
        assert set(codes(found)) == {"other_statement"}
        assert named(found, "signature").done is False
        assert (found.signers, found.authentic) == ((), False)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda said: said["predicate"].update(result="PASSED"), "$.predicate.result"),
        (lambda said: said["predicate"].update(failedTests=[]), "$.predicate.failedTests"),
        (lambda said: said["predicate"].update(approved=True), "$.predicate.approved"),
        (lambda said: said["predicate"].update(result={"a": []}), "$.predicate.result"),
        (lambda said: said["predicate"]["configuration"].pop(), "$.predicate.configuration"),
        (lambda said: said["subject"].pop(), "$.subject"),
        (lambda said: said["subject"].reverse(), "$.subject[0].annotations"),
        (lambda said: said["subject"][0].update(name="report.JSON"), "$.subject[0].name"),
        (lambda said: said["subject"][0].update(uri="x"), "$.subject[0].uri"),
        (lambda said: said["subject"][1]["annotations"].update(count=4), "$.subject[1].annotations.count"),
        (lambda said: said["subject"][1]["digest"].update(sha512="00"), "$.subject[1].digest.sha512"),
        (lambda said: said["subject"].append({**said["subject"][0], "name": "/etc/passwd"}), "$.subject"),
        (lambda said: said["subject"].append(said["subject"][0]), "$.subject"),
        (lambda said: said.update(more=1), "$.more"),
        (lambda said: said.update(predicateType="https://slsa.dev/provenance/v1"), "$.predicateType"),
        (lambda said: said.update(_type="https://in-toto.io/Statement/v0.1"), "$._type"),
        (lambda said: said.update(subject=[{"name": f"f{n}", "digest": {"sha256": "0" * 64}} for n in range(10_000)]),
         "$.subject"),
        (lambda said: said.update(predicate=5), "$.predicate"),
    ],
)  # fmt: skip
def test_a_statement_of_something_else_is_refused_whoever_signed_it(
    evidence: Evidence, change: Callable[[Any], object], path: str
) -> None:
    """What is stated must follow from the files, to the last member; the place is named."""
    restate(evidence.attestation, change)
    found = verify(evidence.run, public_keys=KEYS)
    assert path in paths(found)
    assert not found.authentic
    assert all(problem.file == str(evidence.attestation) for check in found.checks for problem in check.problems)


def test_a_statement_in_other_spelling_is_the_same_statement(evidence: Evidence) -> None:
    """Tools of others write JSON in their own way; the values are compared."""
    said = json.dumps(statement_in(evidence.attestation), indent=1).encode()
    write_envelope(evidence.attestation, said, [ANN])
    evidence.attestation.write_bytes(json.dumps(json.loads(evidence.attestation.read_bytes()), indent=4).encode())
    assert verify(evidence.run, public_keys=[ANN.public]).authentic


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"null", b"[" * 100_000, b'{"payload":"","payload":""}', b"\xff", b"{"]
)
def test_what_is_no_envelope_is_refused(evidence: Evidence, content: bytes) -> None:
    """It lies where an attestation is due, so it is damaged and not another kind of file."""
    evidence.attestation.write_bytes(content)
    for keys, required in (((), False), (KEYS, False), (KEYS, True)):
        found = verify(evidence.run, public_keys=keys, require_signature=required)
        assert [check.name for check in found.checks if not check.holds] == ["attestation"]
        assert named(found, "attestation").problems[0].file == str(evidence.attestation)
        assert not found.authentic


def test_a_run_without_a_decision_has_nothing_to_sign(tmp_path: Path, evidence: Evidence) -> None:
    """An attestation that was put there says something that does not follow."""
    place = run(tmp_path, told({"number 5": RuntimeError("down")}), dataset=numbers("number 5")).path
    assert named(verify(place, public_keys=KEYS), "signature").detail == "none"
    shutil.copy(evidence.attestation, place)
    assert codes(verify(place, public_keys=KEYS)) == ["other_statement"]


def test_a_moved_folder_stays_authentic(evidence: Evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E5: another place and another name of the folder; a file keeps its name, since that is signed."""
    moved = tmp_path / "elsewhere, 2027"
    evidence.folder.rename(moved)
    (moved / "run").rename(moved / "renamed")
    monkeypatch.chdir(moved)
    assert verify("renamed", public_keys=KEYS, require_signature=True).authentic
    assert verify("m.manifest.jsonl", public_keys=KEYS, require_signature=True).authentic
    for name in ("m.manifest.jsonl", "m.manifest.jsonl.dsse.json"):
        Path(name).rename(name.replace("m.", "n.", 1))
    found = verify("n.manifest.jsonl", public_keys=KEYS)
    assert (codes(found), paths(found)) == (["other_statement"], ["$.subject[0].name"])


def test_every_kind_of_evidence_can_be_signed_and_verified(evidence: Evidence) -> None:
    """Validations, a proof of a case, and a proof of a record, each with an attestation beside it."""
    folder = evidence.folder
    record = variant(numbers("total 2000")[0], "total  2000", "invariant", "v1")
    Validation.save_all(folder / "v.jsonl", [record])
    save_proof(manifest_of({"total 5": []}).prove("b1"), folder / "case.proof.json")
    save_proof(prove_record(evidence.run, "decision/b1"), folder / "record.proof.json")
    for name in ("v.jsonl", "case.proof.json", "record.proof.json"):
        sign(folder / name, ANN)
        found = verify(folder / name, public_keys=[ANN.public], require_signature=True)
        assert found.authentic, (name, codes(found))
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data + b"\n")
        assert "other_statement" in codes(verify(folder / name, public_keys=[ANN.public]))
