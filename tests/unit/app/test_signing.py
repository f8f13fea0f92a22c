"""Signing: what holds is signed, by any number of people, and nothing else is."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import (
    DataError,
    IntegrityError,
    KeyFiles,
    Manifest,
    OracleAudit,
    OracleVerdict,
    Run,
    Signed,
    SigningKey,
    UsageError,
    Validation,
    audit_oracle,
    generate_keys,
    load_public_key,
    load_signing_key,
    measure_hardness,
    save_proof,
    sign,
    verify,
)
from robust.app.record_proofs import prove_record
from robust.app.signing import sign_run
from robust.canon import JsonObject
from robust.signing.claim import Claim, read_claim
from robust.signing.envelope import read_envelope, signers
from robust.signing.keys import generate_key
from robust.signing.statement import Statement, read_statement
from robust.store.files import file_digest
from robust.store.validations import write_validations
from tests.key_files import new_keys
from tests.programs import python
from tests.run_fixtures import manifest_of, numbers, run, told
from tests.unit.app.forging import StoredRun

PASSPHRASE = "zwölf Birnen 梨"  # noqa: S105 - of keys that live as long as a test


@pytest.fixture
def key() -> SigningKey:
    """A new key."""
    return generate_key()


def made_run(folder: Path, **options: Any) -> Run:
    """A run of four cases that passes, but for a warning that does not hold."""
    requirements = {"min_accuracy": 0.5, "max_error_rate": 0}
    sections: JsonObject = {"requirements": requirements, "warnings": {"min_accuracy": 1}}
    model = told({"total 2000": "no"})
    return run(folder, model, dataset=numbers("total 2000", "a 30", "a 40", "a 50"), **sections, **options)


def made_manifest(folder: Path) -> Path:
    path = folder / "m.manifest.jsonl"
    manifest_of({"total 2000": [("total  2000", "invariant")], "total 30": []}).save(path)
    return path


def validations(folder: Path) -> Path:
    path = folder / "v.jsonl"
    write_validations(path, manifest_of({"total 2000": [("total  2000", "invariant")]}).validations)
    return path


def audit(folder: Path, *, records: bool = False) -> Path:
    def accepts(_base: Any, _candidate: Any) -> OracleVerdict:
        return OracleVerdict(True, "it says so", 1, 1, {"by": "nothing"})

    audit_oracle(accepts, contract="x/v1", bases=numbers("5 EUR", "7 EUR"), records=folder / "pairs.jsonl").save(
        folder / "audit.json"
    )
    return folder / ("pairs.jsonl" if records else "audit.json")


def hardness(folder: Path) -> Path:
    measure_hardness(numbers("total 30", "total 40"), lambda _case: "no", 2, (0, 1)).save(folder / "h.jsonl")
    return folder / "h.jsonl"


def case_proof(folder: Path) -> Path:
    save_proof(Manifest.load(made_manifest(folder)).prove("b1"), folder / "proof.json")
    return folder / "proof.json"


def record_proof(folder: Path) -> Path:
    finished = made_run(folder)
    save_proof(prove_record(finished.path, next(finished.records())["id"]), folder / "proof.json")
    return folder / "proof.json"


KINDS: dict[str, Callable[[Path], Path]] = {
    "run": lambda folder: made_run(folder).path,
    "manifest": made_manifest,
    "validations": validations,
    "audit": audit,
    "audit records": lambda folder: audit(folder, records=True),
    "hardness": hardness,
    "inclusion proof": case_proof,
    "record proof": record_proof,
}


def said_in(signed: Signed) -> Statement:
    return read_statement(read_envelope(signed.file.read_bytes()).payload)


def refused(path: Path, key: Any, **options: Any) -> str:
    """The code of the error; the folder is as it was."""
    folder = path if path.is_dir() else path.parent
    before = {item: item.read_bytes() for item in folder.iterdir() if item.is_file()} if folder.is_dir() else {}
    with pytest.raises((UsageError, IntegrityError, DataError)) as caught:
        sign(path, key, **options)
    after = {item: item.read_bytes() for item in folder.iterdir() if item.is_file()} if folder.is_dir() else {}
    assert after == before
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_evidence_is_signed_and_found_authentic(tmp_path: Path, key: SigningKey, kind: str) -> None:
    """Its attestation lies in the run or beside the file, and speaks of the files by their digests."""
    path = KINDS[kind](tmp_path)
    signed = sign(path, key)
    beside = path / "attestation.dsse.json" if kind == "run" else path.with_name(f"{path.name}.dsse.json")
    assert (signed.file, signed.kind, signed.added, signed.signatures) == (beside, kind, True, 1)
    assert signed.key_id == key.key_id
    for subject in said_in(signed).subjects:
        file = path / subject.name if kind == "run" else path
        assert (file.name, file_digest(file)) == (subject.name, f"sha256:{subject.sha256}")
    found = verify(path, public_keys=[key.public], require_signature=True)
    assert (found.holds, found.authentic) == (True, True)


def test_a_run_is_stated_as_it_ended(tmp_path: Path, key: SigningKey) -> None:
    """Result, tests and digests are those of its report."""
    finished = made_run(tmp_path)
    statement = said_in(sign(finished.path, key))
    assert statement.predicate["result"] == "WARNED"
    assert statement.predicate["passedTests"] == ["max_error_rate", "min_accuracy"]
    assert statement.predicate["warnedTests"] == ["min_accuracy"]
    assert statement.predicate["failedTests"] == []
    annotations = [subject.annotations for subject in statement.subjects]
    names = ("digest", "evidence_digest", "answers_digest")
    assert annotations[0] == {name: finished.report[name] for name in names}
    assert annotations[1] == {name: finished.report["records"][name] for name in ("count", "root")}


def test_the_same_run_gives_the_same_statement(tmp_path: Path) -> None:
    """Whoever signs, and wherever it lies: nothing of signer, time or place is in it."""
    finished = made_run(tmp_path)
    first, second = new_keys(2)
    payload = read_envelope(sign(finished.path, first).file.read_bytes()).payload
    (finished.path / "attestation.dsse.json").unlink()
    moved = finished.path.rename(tmp_path / "elsewhere")
    assert read_envelope(sign(moved, second).file.read_bytes()).payload == payload


def test_several_sign_one_statement(tmp_path: Path) -> None:
    """Each is added; signing again changes nothing, and says so."""
    path = made_manifest(tmp_path)
    keys = new_keys(3)
    for count, key in enumerate(keys, start=1):
        assert sign(path, key).signatures == count
    before = (tmp_path / "m.manifest.jsonl.dsse.json").read_bytes()
    again = sign(path, keys[1])
    assert (again.added, again.signatures) == (False, 3)
    assert (tmp_path / "m.manifest.jsonl.dsse.json").read_bytes() == before
    found = verify(path, public_keys=[key.public for key in keys], threshold=3)
    assert [signer.key_id for signer in found.signers] == [key.key_id for key in keys]


def test_those_who_sign_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each of eight is in the one file, and nothing else is left."""
    path = made_manifest(tmp_path)
    keys = new_keys(8)
    threads = [threading.Thread(target=sign, args=(path, key)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    envelope = read_envelope((tmp_path / "m.manifest.jsonl.dsse.json").read_bytes())
    assert set(signers(envelope, [key.public for key in keys]).keys) == {key.public for key in keys}
    assert sorted(item.name for item in tmp_path.iterdir()) == [path.name, f"{path.name}.dsse.json"]


def damaged_report(folder: Path) -> None:
    forged = StoredRun(folder)
    forged.report |= {"status": "pass", "exit_code": 0, "logical_status": "pass"}
    forged.fit_digests()
    forged.save()


def without_a_record(folder: Path) -> None:
    lines = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (damaged_report, "contradiction"),
        (without_a_record, "contradiction"),
        (lambda folder: (folder / "report.json").unlink(), "unfinished"),
        (lambda folder: (folder / "contract.json").unlink(), "missing_file"),
        (lambda folder: (folder / "report.json").write_bytes(b"{}\n"), "contradiction"),
    ],
)
def test_a_run_that_does_not_hold_is_not_signed(
    tmp_path: Path, key: SigningKey, damage: Callable[[Path], object], code: str
) -> None:
    """Also with overwrite, and no claim is made about it."""
    folder = made_run(tmp_path).path
    damage(folder)
    assert refused(folder, key) == code
    assert refused(folder, key, overwrite=True) == code
    assert refused(folder, key, claim="fine", name="Ana") == code


def test_a_run_that_decided_nothing_is_not_signed(tmp_path: Path, key: SigningKey) -> None:
    """Neither later nor with the run, which is finished all the same."""
    broken = {text: ValueError("no") for text in ("a 30", "a 40")}
    finished = run(tmp_path, told(broken), dataset=numbers("a 30", "a 40"), sign=key)
    assert (finished.status, finished.signed) == ("error", None)
    assert not (finished.path / "attestation.dsse.json").exists()
    assert refused(finished.path, key) == "nothing_to_sign"


def test_a_manifest_with_one_byte_changed_is_not_signed(tmp_path: Path, key: SigningKey) -> None:
    """Nothing is left beside it."""
    path = made_manifest(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"total 30", b"total 31"))
    assert refused(path, key) == "contradiction"


def test_an_attestation_of_other_content_is_not_added_to(tmp_path: Path, key: SigningKey) -> None:
    """Path and both values are named; with overwrite a new one is made, without the signatures of the old."""
    folder = made_run(tmp_path).path
    sign(folder, generate_key())
    other = made_run(tmp_path, name="other").path
    (other / "attestation.dsse.json").write_bytes((folder / "attestation.dsse.json").read_bytes())
    with pytest.raises(IntegrityError) as caught:
        sign(other, key)
    problem = caught.value.problems[0]
    assert (problem.code, problem.file) == ("other_statement", str(other / "attestation.dsse.json"))
    assert str(problem.path).startswith("$.subject[0].")
    assert refused(other, key) == "other_statement"
    signed = sign(other, key, overwrite=True)
    assert (signed.added, signed.signatures) == (True, 1)
    assert verify(other, public_keys=[key.public], require_signature=True).authentic


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "json_syntax"),
        (b"{}", "wrong_payload_type"),
        (b"\xff", "not_utf8"),
        (b'{"payload":1,"payload":2}', "duplicate_key"),
    ],
)
def test_a_damaged_attestation_is_not_added_to(tmp_path: Path, key: SigningKey, content: bytes, code: str) -> None:
    """With overwrite it is replaced."""
    path = made_manifest(tmp_path)
    file = tmp_path / "m.manifest.jsonl.dsse.json"
    file.write_bytes(content)
    assert refused(path, key) == code
    assert sign(path, key, overwrite=True).signatures == 1
    assert verify(path, public_keys=[key.public], require_signature=True).authentic


def test_nobody_signs_beside_a_forged_signature_of_their_own(tmp_path: Path, key: SigningKey) -> None:
    """It would look agreed to."""
    path = made_manifest(tmp_path)
    file = sign(path, key).file
    document = json.loads(file.read_bytes())
    document["signatures"][0]["sig"] = "A" * 86 + "=="
    file.write_text(json.dumps(document), encoding="utf-8")
    assert refused(path, key) == "bad_signature"


def test_an_attestation_that_is_a_link_is_not_written_through(tmp_path: Path, key: SigningKey) -> None:
    """Also with overwrite: what it leads to is somebody else's."""
    path = made_manifest(tmp_path)
    elsewhere = tmp_path / "elsewhere" / "a.json"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(b"mine")
    (tmp_path / "m.manifest.jsonl.dsse.json").symlink_to(elsewhere)
    for overwrite in (False, True):
        assert refused(path, key, overwrite=overwrite) == "link"
    assert elsewhere.read_bytes() == b"mine"


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_an_attestation_that_is_a_pipe_is_not_waited_for(tmp_path: Path, key: SigningKey) -> None:
    """With overwrite a file takes its place."""
    path = made_manifest(tmp_path)
    os.mkfifo(tmp_path / "m.manifest.jsonl.dsse.json")
    assert refused(path, key) == "not_a_file"
    assert sign(path, key, overwrite=True).signatures == 1


def other_tool(document: Any) -> None:
    document["signatures"][0]["cert"] = "of another tool"


def full(document: Any) -> None:
    document["signatures"] = [{"keyid": str(number), "sig": "YQ=="} for number in range(256)]


@pytest.mark.parametrize(("change", "code"), [(other_tool, "foreign_member"), (full, "too_many_signatures")])
def test_what_cannot_be_added_to_is_left_as_it_is(
    tmp_path: Path, key: SigningKey, change: Callable[[Any], object], code: str
) -> None:
    """With overwrite a new attestation is made; the error says so, or what else can be done."""
    path = made_manifest(tmp_path)
    file = sign(path, generate_key()).file
    document = json.loads(file.read_bytes())
    change(document)
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        sign(path, key)
    problem = caught.value.problems[0]
    assert (problem.code, problem.file) == (code, str(file))
    assert problem.hint
    assert refused(path, key) == code
    assert sign(path, key, overwrite=True).signatures == 1
    assert verify(path, public_keys=[key.public], require_signature=True).authentic


def test_no_more_claims_are_made_than_are_read(tmp_path: Path, key: SigningKey) -> None:
    """So that no claim makes the evidence fail; the errors on both sides say what to do."""
    path = made_manifest(tmp_path)
    file = sign(path, key, claim="read", name="Ana").file
    for number in range(99):
        file.with_name(f"{path.name}.claim-{number:012x}.dsse.json").write_bytes(b"{}\n")
    with pytest.raises(UsageError) as caught:
        sign(path, key, claim="read again", name="Ana")
    assert caught.value.code == "too_many_claims"
    assert sign(path, key).added
    file.with_name(f"{path.name}.claim-{'f' * 12}.dsse.json").write_bytes(b"{}\n")
    problems = [problem for check in verify(path).checks for problem in check.problems]
    assert problems[-1].code == "too_many_claims"
    assert problems[-1].hint == caught.value.problems[0].hint == "move some of them elsewhere"


def audit_again(path: Path) -> None:
    """Write the records of an audit to that place."""

    def refuses(_base: Any, _candidate: Any) -> OracleVerdict:
        return OracleVerdict(False, "it says so", 1, 1, {"by": "nothing"})

    audit_oracle(refuses, contract="x/v1", bases=numbers("5 EUR", "7 EUR"), records=path, overwrite=True)


REPLACED: dict[str, Callable[[Path], object]] = {
    "build": lambda path: manifest_of({"total 30": []}).save(path, overwrite=True),
    "media": lambda path: manifest_of({"total 30": []}).save(path, overwrite=True, media_from=path.parent),
    "stream": lambda path: Manifest.write(path, "n", cases=numbers("total 30"), overwrite=True),
    "proof": lambda path: save_proof(manifest_of({"total 30": []}).prove("b1"), path, overwrite=True),
    "audit": lambda path: OracleAudit.load(path.with_name("audit.json")).save(path, overwrite=True),
    "records": audit_again,
    "hardness": lambda path: measure_hardness(numbers("a 1"), lambda _case: "no", 2, (0, 1)).save(path, overwrite=True),
    "validations": lambda path: Validation.save_all(
        path, manifest_of({"total 5": [("total  5", "invariant")]}).validations, overwrite=True
    ),
}


@pytest.mark.parametrize("how", REPLACED)
def test_what_was_signed_of_a_file_goes_when_it_is_replaced(tmp_path: Path, key: SigningKey, how: str) -> None:
    """Attestation and claims; the new file is unsigned."""
    audit(tmp_path)
    path = made_manifest(tmp_path)
    signed = [sign(path, key).file, sign(path, key, claim="read", name="Ana").file]
    REPLACED[how](path)
    assert not any(file.exists() for file in signed)
    assert verify(path).signature == "none"


@pytest.mark.parametrize("name", ["run", "manifest"])
def test_a_claim_is_a_statement_of_its_own(tmp_path: Path, name: str, key: SigningKey) -> None:
    """About the same files, dated, under a name, in a file that is called after its content."""
    path = KINDS[name](tmp_path)
    attested = sign(path, generate_key())
    before = attested.file.read_bytes()
    claimed = sign(path, key, claim="I read every failure.\nNone matters.", name="Ana Ñ")
    assert claimed.file != attested.file
    assert claimed.file.parent == attested.file.parent
    assert attested.file.read_bytes() == before
    claim = read_claim(said_in(claimed))
    assert claim == Claim("I read every failure.\nNone matters.", "Ana Ñ", claim.made_at)
    assert said_in(claimed).subjects == said_in(attested).subjects
    assert verify(path, public_keys=[key.public]).holds is False, "a claim is no signature of the evidence"
    assert verify(path).holds


def test_an_attestation_is_not_signed_itself(tmp_path: Path, key: SigningKey) -> None:
    """Signatures stand side by side, not on one another."""
    file = sign(made_manifest(tmp_path), key).file
    assert refused(file, key) == "unknown_kind"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"claim": "x"}, "half_claim"),
        ({"name": "x"}, "half_claim"),
        ({"claim": "", "name": "x"}, "bad_claim"),
        ({"claim": "x" * 100_000, "name": "x"}, "bad_claim"),
        ({"claim": "a\x1b[2J", "name": "x"}, "bad_claim"),
        ({"claim": "a", "name": "x\ny"}, "bad_claim"),
    ],
)
def test_claims_that_cannot_be_made_are_refused(tmp_path: Path, options: JsonObject, code: str) -> None:
    """Before the key is opened, or the evidence looked at."""
    assert refused(tmp_path / "missing", tmp_path / "no key", **options) == code


def test_what_is_no_evidence_and_no_key_is_told(tmp_path: Path, key: SigningKey) -> None:
    """Which of the two it is."""
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    assert refused(tmp_path / "notes.txt", key) == "unknown_kind"
    assert refused(tmp_path / "missing", key) == "unreadable"
    path = made_manifest(tmp_path)
    assert refused(path, tmp_path / "missing.pem") == "unreadable"
    assert refused(path, 3) == "bad_key"
    assert refused(path, generate_keys(tmp_path / "k").public) == "public_key"


@pytest.mark.skipif(os.name != "posix" or os.sep != "/", reason="needs names of bytes")
def test_a_file_whose_name_is_no_text_is_not_signed(tmp_path: Path, key: SigningKey) -> None:
    """A statement is JSON, and could not name it."""
    path = made_manifest(tmp_path)
    odd = path.rename(os.fsdecode(os.fsencode(tmp_path) + b"/m\xff.manifest.jsonl"))
    with pytest.raises(UsageError) as caught:
        sign(odd, key)
    assert (caught.value.code, "not UTF-8" in str(caught.value)) == ("nothing_to_sign", True)


CHANGED = """
import sys
from pathlib import Path
from robust import IntegrityError, generate_keys, sign

path = Path(sys.argv[1])
key = generate_keys(path.parent / "keys").private

def watch(event, arguments):
    # The lock is taken when everything was checked.
    if event == "open" and str(arguments[0]).endswith(".robust-signing.lock"):
        path.write_bytes(path.read_bytes() + b" ")

sys.addaudithook(watch)
try:
    sign(path, key)
except IntegrityError as error:
    print(error.code, error.problems[0].file)
"""


def test_what_changes_while_it_is_checked_is_not_signed(tmp_path: Path) -> None:
    """The attestation would speak of what nobody can see any more."""
    path = made_manifest(tmp_path)
    done = python(CHANGED, str(path))
    assert (done.stdout, done.stderr) == (f"changed {path}\n", "")
    assert not (tmp_path / "m.manifest.jsonl.dsse.json").exists()


def test_a_run_that_took_the_place_of_another_is_not_signed_for_it(tmp_path: Path, key: SigningKey) -> None:
    """Whoever made the first one has not seen the second."""
    first = made_run(tmp_path)
    second = made_run(tmp_path, seed=7, overwrite=True)
    with pytest.raises(IntegrityError) as caught:
        sign_run(second.path, key, first.report["digest"])
    assert [problem.code for problem in caught.value.problems] == ["changed", "not_signed"]
    assert not (second.path / "attestation.dsse.json").exists()
    assert sign_run(second.path, key, second.report["digest"]).added


def test_a_run_is_signed_when_it_is_done(tmp_path: Path, key: SigningKey) -> None:
    """With a key, or the file of one; and anew when the run is replaced."""
    finished = made_run(tmp_path, sign=key)
    assert finished.signed is not None
    assert verify(finished.path, public_keys=[key.public], require_signature=True).authentic
    sign(finished.path, key, claim="seen", name="Ana")
    keys = generate_keys(tmp_path / "keys")
    again = made_run(tmp_path, sign=keys.private, overwrite=True)
    assert again.signed is not None
    assert (again.signed.key_id, again.signed.signatures) == (keys.key_id, 1)
    assert verify(again.path, public_keys=[keys.public], require_signature=True).authentic


def test_the_key_is_opened_before_anything_is_asked(tmp_path: Path) -> None:
    """A passphrase that is missing costs nothing, and leaves nothing."""
    keys = generate_keys(tmp_path / "keys", passphrase=PASSPHRASE)
    asked: list[str] = []

    def model(request: Any) -> dict[str, float]:
        asked.append(request.input)
        return {"yes": 1, "no": 0}

    from robust import CallableBackend

    with pytest.raises(UsageError) as caught:
        run(tmp_path, CallableBackend(model), dataset=numbers("a 30"), sign=keys.private)
    assert (caught.value.code, asked) == ("passphrase_needed", [])
    assert not (tmp_path / "run").exists()


def test_a_finished_run_that_cannot_be_signed_says_so(tmp_path: Path, key: SigningKey) -> None:
    """What was paid for is there, and the error says what to do."""
    from robust import CallableBackend

    def model(_request: Any) -> dict[str, float]:
        (tmp_path / "run" / "attestation.dsse.json").mkdir(exist_ok=True)
        return {"yes": 0, "no": 1}

    with pytest.raises(IntegrityError) as caught:
        run(tmp_path, CallableBackend(model), dataset=numbers("a 30"), sign=key)
    assert [problem.code for problem in caught.value.problems] == ["not_a_file", "not_signed"]
    assert verify(tmp_path / "run").kind == "run"
    assert (tmp_path / "run" / "report.json").exists()


def test_keys_come_back_from_their_files(tmp_path: Path) -> None:
    """Plain and encrypted, with the passphrase or with a function that is asked for it, once."""
    plain: KeyFiles = generate_keys(tmp_path)
    assert load_signing_key(plain.private).key_id == load_public_key(plain.public).key_id == plain.key_id
    locked = generate_keys(str(tmp_path), name="locked", passphrase=PASSPHRASE)
    asked: list[int] = []

    def ask() -> str:
        asked.append(1)
        return PASSPHRASE

    assert load_signing_key(locked.private, passphrase=PASSPHRASE).key_id == locked.key_id
    assert load_signing_key(locked.private, passphrase=ask).key_id == locked.key_id
    assert load_signing_key(plain.private, passphrase=ask).key_id == plain.key_id
    assert asked == [1]


def test_a_key_that_is_a_link_is_read(tmp_path: Path) -> None:
    """As secrets are mounted in containers."""
    made = generate_keys(tmp_path / "keys")
    (tmp_path / "mounted").symlink_to(made.private)
    assert load_signing_key(tmp_path / "mounted").key_id == made.key_id


@pytest.mark.parametrize("passphrase", ["", 3, b"bytes", "half \ud900"])
def test_passphrases_that_are_none_are_refused(tmp_path: Path, passphrase: Any) -> None:
    """Nothing is written, and nothing of it is said."""
    with pytest.raises(UsageError) as caught:
        generate_keys(tmp_path / "new", passphrase=passphrase)
    assert caught.value.code == "bad_passphrase"
    assert "half" not in str(caught.value)
    assert not (tmp_path / "new").exists()
    locked = generate_keys(tmp_path, passphrase=PASSPHRASE)
    with pytest.raises((UsageError, DataError)) as read:
        load_signing_key(locked.private, passphrase=passphrase)
    assert read.value.code == "bad_passphrase"


def test_nothing_heavy_is_loaded_to_open_a_key() -> None:
    """Nor does a run that is not signed load what signs."""
    code = """
import sys
from robust import run_contract
print("cryptography" in sys.modules)
from robust import load_signing_key
print("cryptography" in sys.modules, "numpy" in sys.modules)
"""
    assert python(code).stdout.split() == ["False", "True", "False"]
