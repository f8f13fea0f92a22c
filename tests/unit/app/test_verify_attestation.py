"""An attestation or a claim that is given by itself: the files that it speaks of, and names that lead elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import UsageError, sign, verify
from robust.canon import canonical_bytes
from robust.signing.statement import EVIDENCE_PREDICATE, STATEMENT_TYPE
from tests.unit.app.signed_evidence import (
    ANN,
    BESIDE,
    BOB,
    EVE,
    MANIFEST,
    Evidence,
    codes,
    named,
    paths,
    restate,
    verified,
    write_envelope,
    write_evidence,
    write_run,
)

KEYS = (ANN.public, BOB.public)
ZEROS = "0" * 64


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    evidence = write_evidence(tmp_path_factory.mktemp("made"))
    sign(evidence.run, BOB, claim="Seen.", name="Bo Example")
    return evidence


@pytest.fixture(name="evidence")
def _evidence(made: Evidence, tmp_path: Path) -> Evidence:
    return made.copied(tmp_path / "copy")


def moved(file: Path, folder: Path) -> Path:
    """A copy of an attestation, far from what it speaks of."""
    folder.mkdir(exist_ok=True)
    return Path(shutil.copy(file, folder / file.name))


def test_what_lies_beside_an_attestation_is_derived_again(evidence: Evidence) -> None:
    """The run of its folder, or the file of its name; then it is as authentic as that."""
    for file, place in ((evidence.attestation, evidence.run), (evidence.beside, evidence.manifest)):
        found = verify(file, public_keys=KEYS, require_signature=True, threshold=2)
        assert (found.kind, found.holds, found.authentic) == ("attestation", True, True)
        assert named(found, "files").detail == f"{place} holds, and what is stated follows from it"


def test_what_was_changed_beside_an_attestation_is_found(evidence: Evidence) -> None:
    """Damaged, or another one that holds by itself."""
    (evidence.run / "records.jsonl").write_bytes(b"{}\n")
    found = verify(evidence.attestation, public_keys=KEYS)
    assert (found.holds, found.authentic, named(found, "files").holds) == (False, False, False)
    shutil.rmtree(evidence.run)
    write_run(evidence.folder, answer="yes")
    sign(evidence.run, ANN)
    shutil.copy(evidence.attestation, evidence.folder / "theirs.dsse.json")
    found = verify(evidence.folder / "theirs.dsse.json", public_keys=KEYS)
    assert named(found, "files").done is False


def test_files_may_also_be_given_beside_it(evidence: Evidence, tmp_path: Path) -> None:
    """Then the attestation counts for them as if it lay beside them; an unsigned folder becomes a signed one."""
    attestation, beside = (moved(file, tmp_path / "sent") for file in (evidence.attestation, evidence.beside))
    evidence.attestation.unlink()
    evidence.beside.unlink()
    terms: dict[str, Any] = {"public_keys": KEYS, "require_signature": True, "threshold": 2}
    assert all(each.authentic for each in verified(attestation, evidence.run, evidence.manifest, beside, **terms))
    assert codes(verify(evidence.run, **terms)) == ["not_signed"]


def test_signatures_of_several_envelopes_over_one_statement_are_counted_together(
    evidence: Evidence, tmp_path: Path
) -> None:
    """Each signer may have sent an envelope of their own; each key counts once."""
    theirs = moved(evidence.attestation, tmp_path / "sent")
    restate(theirs, lambda said: None, [EVE])
    keys = (ANN.public, BOB.public, EVE.public)
    shown, _ = verified(evidence.run, theirs, public_keys=keys)
    assert [signer.key_id for signer in shown.signers] == [ANN.key_id, BOB.key_id, EVE.key_id]
    shown, alone = verified(evidence.run, theirs, public_keys=keys, threshold=3)
    assert (shown.authentic, codes(alone)) == (True, ["threshold"])


def test_without_its_files_a_statement_is_signed_and_not_authentic(evidence: Evidence, tmp_path: Path) -> None:
    """What it says was not derived by anybody here."""
    alone = moved(evidence.attestation, tmp_path / "sent")
    found = verify(alone, public_keys=KEYS, require_signature=True)
    assert (found.holds, found.authentic, found.signature) == (True, False, "verified")
    assert named(found, "files").done is False
    assert "content" in found.not_proven
    assert codes(verify(alone, public_keys=[EVE.public])) == ["unknown_signer"]
    assert verify(alone).signature == "unchecked"


def test_an_attestation_of_other_files_than_those_given_is_refused(evidence: Evidence, tmp_path: Path) -> None:
    """Runs are compared by what they are, files by their names first."""
    alone = moved(evidence.attestation, tmp_path / "sent")
    other = write_run(tmp_path, "other", answer="yes")
    found, _ = verified(alone, other, public_keys=KEYS)
    assert "other_statement" in codes(found)
    assert verified(alone, other, evidence.run, public_keys=KEYS)[0].authentic
    beside = moved(evidence.beside, tmp_path / "sent")
    changed = tmp_path / MANIFEST
    lines = evidence.manifest.read_bytes().replace(b"numbers over", b"other numbers over")
    changed.write_bytes(lines)
    found, there = verified(beside, changed)
    assert (there.holds, set(codes(found))) == (True, {"other_statement"})


def test_a_claim_by_itself_is_signed_and_never_authentic(evidence: Evidence, tmp_path: Path) -> None:
    """Its files can be derived again, what it says cannot; here the threshold counts its own signatures."""
    (file,) = evidence.run.glob("claim-*.dsse.json")
    for place in (file, moved(file, tmp_path / "sent")):
        found = verify(place, public_keys=KEYS, require_signature=True)
        assert (found.holds, found.authentic, found.signature) == (True, False, "verified")
        assert named(found, "claim").detail.startswith("'Bo Example', dated ")
        assert codes(verify(place, public_keys=KEYS, threshold=2)) == ["threshold"]
    (evidence.run / "records.jsonl").write_bytes(b"{}\n")
    assert not verify(file, public_keys=KEYS).holds


def about(name: object, sha256: object = ZEROS, **fields: Any) -> bytes:
    """A statement about one file."""
    subject = {"name": name, "digest": {"sha256": sha256}}
    said = {"_type": STATEMENT_TYPE, "subject": [subject], "predicateType": EVIDENCE_PREDICATE}
    return canonical_bytes({**said, "predicate": {"kind": "validations"}, **fields})


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "..", ".", "/etc/passwd", "a/b", "C:\\x", "C:x", "a\\b", "\\\\host\\x", "x\0", "\x1b[2J", "a\nb"),
        *("x" * 256, "é" * 200, "\u202ex"),
    ],
)
def test_a_subject_that_is_no_plain_name_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing outside the folder is looked at, whatever lies there."""
    (tmp_path / "x").write_bytes(b"")
    folder = tmp_path / "folder"
    folder.mkdir()
    write_envelope(folder / "a.dsse.json", about(name), [ANN])
    found = verify(folder / "a.dsse.json", public_keys=[ANN.public])
    assert (codes(found), paths(found)) == (["unsafe_name"], ["$.subject[0].name"])
    assert [check.name for check in found.checks] == ["form", "statement"]
    assert not found.authentic


def test_a_subject_in_other_case_is_another_file(evidence: Evidence) -> None:
    """Also where the system would open it."""
    restate(evidence.beside, lambda said: said["subject"][0].update(name=MANIFEST.upper()))
    assert named(verify(evidence.beside, public_keys=KEYS), "files").done is False
    restate(evidence.attestation, lambda said: said["subject"][0].update(name="report.JSON"))
    found = verify(evidence.attestation, public_keys=KEYS)
    assert (found.holds, found.authentic) == (False, False)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("link", "link"),
        ("loop", "link"),
        ("broken", "link"),
        ("folder", "unknown_kind"),
        ("pipe", "unknown_kind"),
        ("text", "unknown_kind"),
        ("attestation", "other_statement"),
        ("itself", "other_statement"),
    ],
)
def test_a_subject_that_is_no_evidence_is_refused(evidence: Evidence, kind: str, code: str) -> None:
    """A link to the right bytes, one to itself, a folder, a pipe: none of them is read, and nothing hangs."""
    place = evidence.folder / "v.jsonl"
    if kind in ("link", "loop", "broken"):
        place.symlink_to({"link": MANIFEST, "loop": "v.jsonl", "broken": "nowhere"}[kind])
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "text":
        place.write_text("hello", encoding="utf-8")
    elif kind == "attestation":
        shutil.copy(evidence.beside, place)
    file = evidence.folder / "a.dsse.json"
    write_envelope(file, about("a.dsse.json" if kind == "itself" else "v.jsonl"), [ANN])
    found = verify(file, public_keys=[ANN.public], require_signature=True)
    assert (codes(found), found.exit_code, found.authentic) == ([code], 3, False)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"_type": "https://in-toto.io/Statement/v0.1"}, "$._type"),
        ({"_type": 5}, "$._type"),
        ({"subject": []}, "$.subject"),
        ({"subject": {}}, "$.subject"),
        ({"subject": [5]}, "$.subject[0]"),
        ({"subject": [{"name": 5, "digest": {"sha256": ZEROS}}]}, "$.subject[0].name"),
        ({"subject": [{"name": "a", "digest": {"sha256": ZEROS.upper()[:-1] + "A"}}]}, "$.subject[0].digest.sha256"),
        ({"subject": [{"name": "a", "digest": {"sha256": ZEROS}}] * 2}, "$.subject"),
        ({"subject": [{"name": n, "digest": {"sha256": ZEROS}} for n in "ab"]}, "$.subject"),
        ({"predicateType": "https://slsa.dev/provenance/v1"}, "$.predicateType"),
        ({"predicateType": []}, "$.predicateType"),
        ({"predicate": None}, "$.predicate"),
        ({"predicate": {}}, "$.predicate.kind"),
        ({"predicate": {"kind": 5}}, "$.predicate.kind"),
        ({"predicate": {"kind": "run", "more": [[[]]]}}, "$.predicate.more"),
    ],
)
def test_a_statement_of_the_wrong_kind_is_refused(tmp_path: Path, fields: Any, path: str) -> None:
    """File and path are named, also where none of its files is at hand."""
    file = tmp_path / "a.dsse.json"
    write_envelope(file, about("v.jsonl", **fields), [ANN])
    found = verify(file, public_keys=[ANN.public])
    assert path in paths(found)
    assert {problem.file for check in found.checks for problem in check.problems} == {str(file)}
    assert (found.exit_code, found.authentic) == (3, False)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["predicate"].update(result="SURE"),
        lambda said: said["predicate"].update(passedTests=[5]),
        lambda said: said["predicate"].update(configuration=[{}, {}]),
        lambda said: said["subject"][0]["annotations"].update(evidence_digest=5),
        lambda said: said["subject"][0]["annotations"].pop("digest"),
        lambda said: said["subject"][1]["annotations"].update(count=-1),
        lambda said: said["subject"][1]["annotations"].update(count=True),
        lambda said: said["subject"][1].pop("annotations"),
        lambda said: said["subject"][2].update(annotations={"a": 1}),
        lambda said: said["subject"].pop(),
    ],
)
def test_the_kinds_of_what_is_stated_of_a_run_are_checked_without_the_run(
    evidence: Evidence, tmp_path: Path, change: Callable[[Any], object]
) -> None:
    """Since a proof may be compared with it."""
    file = moved(evidence.attestation, tmp_path / "sent")
    restate(file, change)
    found = verify(file, public_keys=KEYS)
    assert codes(found)
    assert set(codes(found)) <= {"wrong_value", "missing_field", "unknown_field"}
    assert (found.exit_code, found.authentic) == (3, False)


def test_deep_and_large_envelopes_are_refused(tmp_path: Path) -> None:
    """Without reading them to the end, and without a crash."""
    file = tmp_path / "a.dsse.json"
    deep = b"[" * 100_000
    for content in (deep, b'{"payloadType":' + deep, b'{"payload":"' + b"A" * 9_000_000 + b'"}'):
        file.write_bytes(content)
        assert verify(file).exit_code == 3
    said = about("v.jsonl", predicate={"kind": "x"}).replace(b'"x"', b"[" * 500 + b"]" * 500)
    write_envelope(file, said, [ANN])
    assert (verify(file, public_keys=[ANN.public]).exit_code, verify(file).exit_code) == (3, 3)
    with file.open("wb") as handle:
        handle.truncate(1 << 40)
    assert codes(verify(file)) == ["too_large"]


def test_an_envelope_is_told_from_other_files(evidence: Evidence, tmp_path: Path) -> None:
    """By its content under any name and in any spelling, and by its name when it is damaged."""
    data = json.loads(evidence.beside.read_bytes())
    texts = [json.dumps(data), json.dumps(dict(reversed(data.items()))), json.dumps(data, indent=2)]
    for text in texts:
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        assert verify(tmp_path / "x.json").kind == "attestation"
    (tmp_path / "x.dsse.json").write_text("hello", encoding="utf-8")
    assert (verify(tmp_path / "x.dsse.json").kind, verify(tmp_path / "x.dsse.json").exit_code) == ("attestation", 3)
    (tmp_path / "x.json").write_text("hello", encoding="utf-8")
    with pytest.raises(UsageError):
        verify(tmp_path / "x.json")


def test_an_attestation_that_the_reader_names_may_be_a_link(evidence: Evidence, tmp_path: Path) -> None:
    """Where it leads is the reader's own doing; what it speaks of is looked for beside the link."""
    (tmp_path / "link.dsse.json").symlink_to(evidence.beside)
    found = verify(tmp_path / "link.dsse.json", public_keys=KEYS)
    assert (found.holds, found.authentic) == (True, False)
    assert evidence.beside.name == BESIDE
