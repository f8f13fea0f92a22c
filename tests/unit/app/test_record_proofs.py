"""Proofs of single records: made of a run, checked by themselves, and against a run or an attestation."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import (
    IntegrityError,
    Manifest,
    RecordProof,
    UsageError,
    load_proof,
    prove_record,
    save_proof,
    verify,
)
from robust.canon import MerkleTree, canonical_bytes, digest_value, inclusion_path, leaf_hash
from robust.records.record_inclusion import evidence_of
from tests.programs import python
from tests.run_fixtures import logical_records, numbers, run
from tests.unit.app.signed_evidence import ANN, BOB, EVE, Evidence, codes, named, verified, write_evidence, write_run

KEYS = (ANN.public, BOB.public)
RECORD = "variants/b1/0"


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return write_evidence(tmp_path_factory.mktemp("made"))


@pytest.fixture(name="proof", scope="module")
def _proof(made: Evidence) -> RecordProof:
    return prove_record(made.run, RECORD)


def saved(folder: Path, proof: RecordProof, change: Callable[[Any], object] | None = None) -> Path:
    data = copy.deepcopy(proof.to_json())
    if change is not None:
        change(data)
    path = folder / "proof.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_every_record_can_be_proven(tmp_path: Path) -> None:
    """Whatever its place and its kind, of a run of a data set; the path is the one of all leaves at once."""
    texts = [f"number {n}" for n in range(7)]
    finished = run(tmp_path, dataset=numbers(*texts))
    records = logical_records(finished)
    leaves = [leaf_hash(canonical_bytes(record)) for record in records]
    for index, record in enumerate(records):
        proof = prove_record(finished.path, record["id"])
        assert (proof.line, proof.index, proof.size) == (record, index, 7)
        assert proof.path == inclusion_path(leaves, index)
        assert proof.evidence_digest == finished.report["evidence_digest"]
        save_proof(proof, tmp_path / "p.json", overwrite=True)
        assert load_proof(tmp_path / "p.json") == proof
        assert verify(tmp_path / "p.json").holds


CHANGED = """
import sys
from pathlib import Path
from robust import RobustError, prove_record

records = Path(sys.argv[1], "records.jsonl")
content = records.read_bytes()
opened = 0

def watch(event, arguments):
    global opened
    if event == "open" and str(arguments[0]) == str(records) and arguments[1] in ("r", "rb"):
        opened += 1
        if opened == 2:
            records.write_bytes(content.replace(b"yes", b"y\\xffs"))

sys.addaudithook(watch)
try:
    prove_record(sys.argv[1], sys.argv[2])
except RobustError as error:
    print(opened, error.code, error.problems[0].file, error.problems[0].line)
"""


def test_records_that_change_while_one_is_proven_are_told_with_their_file(made: Evidence, tmp_path: Path) -> None:
    """Behind the check of all of them."""
    place = made.copied(tmp_path / "copy").run
    done = python(CHANGED, str(place), RECORD)
    assert (done.stdout, done.stderr) == (f"2 not_utf8 {place / 'records.jsonl'} 3\n", "")


def test_a_proof_is_read_by_its_schema(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """Of a record or of a case; everything else is told to be neither."""
    assert load_proof(saved(tmp_path, proof)) == proof
    of_case = Manifest.load(made.manifest).prove("b1")
    save_proof(of_case, tmp_path / "case.json")
    assert load_proof(tmp_path / "case.json") == of_case
    for content, code in (
        (b"[]", "unknown_schema"),
        (b"{}", "unknown_schema"),
        (b'{"schema":{}}', "unknown_schema"),
        (b"", "json_syntax"),
        (b"\xff", "not_utf8"),
    ):
        (tmp_path / "p.json").write_bytes(content)
        with pytest.raises(IntegrityError) as caught:
            load_proof(tmp_path / "p.json")
        assert (caught.value.code, caught.value.problems[0].file) == (code, str(tmp_path / "p.json"))


def test_the_evidence_of_a_report_is_what_its_digest_is_of(made: Evidence) -> None:
    """So that a reader can compute it from the report."""
    report = json.loads((made.run / "report.json").read_bytes())
    assert digest_value(evidence_of(report)) == report["evidence_digest"]


def test_a_proof_by_itself_says_what_is_left_to_compare(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """The record, its root, and the digest that only the reader can know."""
    found = verify(saved(tmp_path, proof))
    assert (found.kind, found.holds, found.authentic, found.signature) == ("record proof", True, False, "none")
    assert named(found, "line").detail == "pair 'variants/b1/0': 'no'"
    assert named(found, "run").done is False
    assert proof.evidence_digest in named(found, "run").detail


def test_a_proof_is_compared_with_the_run(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """And is as authentic as that, in whatever order the two are given; the other run is told from it."""
    file = saved(tmp_path, proof)
    for places in ((file, made.run), (made.run, file)):
        found = {each.kind: each for each in verified(*places, public_keys=KEYS, require_signature=True)}
        shown = found["record proof"]
        assert shown.authentic
        assert [signer.key_id for signer in shown.signers] == [ANN.key_id, BOB.key_id]
        assert named(shown, "run").detail.endswith(f"that of {made.run}")
    other = write_run(tmp_path, "other", answer="yes")
    shown, _ = verified(file, other)
    assert codes(shown) == ["other_run"]
    shown, *_ = verified(file, other, made.run)
    assert shown.holds


def test_an_attestation_alone_is_enough(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """The record is shown with nothing else of the run; what nobody derived again is not called authentic."""
    file = saved(tmp_path, proof)
    attestation = tmp_path / "sent.dsse.json"
    shutil.copy(made.attestation, attestation)
    shown, alone = verified(file, attestation, public_keys=KEYS, require_signature=True, threshold=2)
    assert (shown.holds, shown.authentic, shown.signature) == (True, False, "verified")
    assert named(shown, "signature").detail.endswith(f"of {attestation}; the run itself was not given")
    assert "content" in shown.not_proven
    assert (alone.holds, alone.authentic, named(alone, "files").done) == (True, False, False)


def test_a_proof_must_be_of_something_signed_when_that_is_asked(
    made: Evidence, proof: RecordProof, tmp_path: Path
) -> None:
    """Alone, beside an unsigned run, beside one that somebody else signed, and with too few who did."""
    file = saved(tmp_path, proof)
    terms = {"public_keys": [ANN.public], "require_signature": True}
    assert codes(verified(file, **terms)[0]) == ["not_signed"]
    bare = made.copied(tmp_path / "bare")
    bare.attestation.unlink()
    assert codes(verified(file, bare.run, **terms)[0]) == ["not_signed"]
    assert codes(verified(file, made.run, public_keys=[EVE.public], require_signature=True)[0]) == ["not_signed"]
    few = {"public_keys": [ANN.public, EVE.public], "threshold": 2}
    assert codes(verified(file, made.attestation, **few)[0]) == ["not_signed"]
    assert verified(file, made.attestation, **terms)[0].holds


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda data: data["line"].update(expected="no"), {"not_included"}),
        (lambda data: data["line"].update(violations=[]), {"not_included"}),
        (lambda data: data["line"].update(observed={}), {"unknown_field"}),
        (lambda data: data["line"].pop("kind"), {"unknown_line"}),
        (lambda data: data["line"].update(kind=["pair"]), {"unknown_line"}),
        (lambda data: data["line"].update(input=7), {"wrong_value"}),
        (lambda data: data["line"].update(more=1), {"unknown_field"}),
        (lambda data: data["line"].update(result=None), {"wrong_value"}),
        (lambda data: data.update(line={}), {"unknown_line"}),
        (lambda data: data.update(line=[]), {"wrong_value"}),
        (lambda data: data.update(index=data["index"] - 1), {"not_included"}),
        (lambda data: data.update(index=10**6), {"not_included"}),
        (lambda data: data.update(index=True), {"wrong_value"}),
        (lambda data: data.update(index=-1), {"wrong_value"}),
        (lambda data: data["path"].pop(), {"not_included"}),
        (lambda data: data["path"].append("0" * 64), {"not_included"}),
        (lambda data: data.update(path=["0" * 64] * 65), {"wrong_value"}),
        (lambda data: data.update(path=["XY" * 32]), {"wrong_value"}),
        (lambda data: data.update(root="sha256:" + "0" * 64), {"contradiction", "not_included"}),
        (lambda data: data["evidence"].update(root="sha256:" + "0" * 64), {"contradiction"}),
        (lambda data: data["evidence"].update(seed=1), {"contradiction"}),
        (lambda data: data["evidence"].update(seed=True), {"wrong_value"}),
        (lambda data: data["evidence"].update(mode="some"), {"wrong_value"}),
        (lambda data: data["evidence"].update(cases={}), {"wrong_value"}),
        (lambda data: data["evidence"].update(cases={"dataset": "x"}), {"wrong_value"}),
        (lambda data: data["evidence"].update(cases={"manifest": "sha256:" + "0" * 64}), {"wrong_value"}),
        (lambda data: data["evidence"].update(more=1), {"unknown_field"}),
        (lambda data: data.update(evidence=[]), {"wrong_value"}),
        (lambda data: data.update(evidence_digest="sha256:" + "0" * 64), {"contradiction"}),
        (lambda data: data.update(evidence_digest=5), {"wrong_value"}),
        (lambda data: data.update(more=1), {"unknown_field"}),
        (lambda data: data.pop("path"), {"missing_field"}),
        (lambda data: data.update(schema="robust.record-proof/2"), {"unknown_schema"}),
    ],
)
def test_a_proof_that_was_tampered_with_does_not_hold(
    made: Evidence, proof: RecordProof, tmp_path: Path, change: Callable[[Any], object], expected: set[str]
) -> None:
    """Whatever was changed in it; the file is named, and the place in it."""
    file = saved(tmp_path, proof, change)
    if "unknown_schema" in expected:
        with pytest.raises(IntegrityError):
            load_proof(file)
        return
    shown, _ = verified(file, made.run)
    problems = [problem for check in shown.checks for problem in check.problems]
    assert problems
    assert {problem.code for problem in problems} <= expected
    assert all(problem.file == str(file) and problem.path for problem in problems)


def test_index_and_size_are_those_that_the_run_or_its_attestation_tells(made: Evidence, tmp_path: Path) -> None:
    """A root by itself fits trees of other sizes: the last of three leaves is the last of two, too."""
    proof = prove_record(made.run, "variants/b1/0")
    assert (proof.index, proof.size) == (2, 3)

    def smaller(data: Any) -> None:
        data.update(index=1, size=2)

    file = saved(tmp_path, proof, smaller)
    assert verify(file).holds
    for known in (made.run, made.attestation):
        shown, _ = verified(file, known)
        assert codes(shown) == ["contradiction"]
        assert named(shown, "run").problems[0].path == "$.size"


def test_a_proof_of_another_tree_is_of_no_run_that_is_known(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """Another record, with a tree, a root and an evidence digest to match: consistent, and of nothing."""

    def forge(data: Any) -> None:
        data["line"]["expected"] = "no"
        tree = MerkleTree()
        tree.add(canonical_bytes(data["line"]))
        data.update(index=0, size=1, path=[], root=tree.root())
        data["evidence"]["root"] = tree.root()
        data["evidence_digest"] = digest_value(data["evidence"])

    file = saved(tmp_path, proof, forge)
    assert verify(file).holds
    assert codes(verified(file, made.run)[0]) == ["other_run"]
    assert codes(verified(file, made.attestation)[0]) == ["other_run"]


@pytest.mark.parametrize("record", ["variants/b1/1", "b1", "", "decision/B1", "\udc80", 'decision/b1","x":"'])
def test_what_is_no_record_cannot_be_proven(made: Evidence, record: str) -> None:
    """Ids are exact."""
    with pytest.raises(UsageError) as caught:
        prove_record(made.run, record)
    assert caught.value.code == "unknown_record"


def test_a_run_that_does_not_hold_proves_nothing(made: Evidence, tmp_path: Path) -> None:
    """It is refused before anything is proven."""
    broken = made.copied(tmp_path / "broken")
    records = broken.run / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"no"', b'"yes"', 1))
    with pytest.raises(IntegrityError):
        prove_record(broken.run, RECORD)


def test_an_id_within_a_record_is_not_taken_for_its_own(tmp_path: Path) -> None:
    """Metadata may hold the very same member."""
    texts = numbers("number 5", "number 6")
    decoy = texts[0].to_json()
    decoy["metadata"] = {"id": "decision/n2"}
    finished = run(tmp_path, dataset=[type(texts[0]).from_json(decoy), texts[1]])
    assert prove_record(finished.path, "decision/n2").index == 1


def test_a_proof_is_never_written_into_the_run(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """Which holds its own files only; nor over another file."""
    for place in (made.run / "p.json", made.run / "sub" / ".." / "p.json"):
        with pytest.raises(UsageError) as caught:
            save_proof(proof, place, outside=made.run)
        assert caught.value.code == "bad_output"
    save_proof(proof, tmp_path / "p.json", outside=made.run)
    with pytest.raises(UsageError):
        save_proof(proof, tmp_path / "p.json")


def test_a_proof_that_was_cut_short_is_damaged(made: Evidence, proof: RecordProof, tmp_path: Path) -> None:
    """Exit code 3 and not 2, wherever the rest is missing, once it shows what it was; of a manifest's line, too."""
    of_case = Manifest.load(made.manifest).prove("b1")
    for shown, mark in ((proof, b'"robust.evidence/1"'), (of_case, b'"robust.manifest/1"')):
        for indent in (2, None):
            data = json.dumps(shown.to_json(), indent=indent, sort_keys=True).encode()
            begin = data.index(mark) + len(mark)
            for end in range(begin, len(data), max(1, (len(data) - begin) // 20)):
                (tmp_path / "cut.json").write_bytes(data[:end])
                assert verify(tmp_path / "cut.json").exit_code == 3
