"""``robust keys``, ``robust sign`` and ``--sign``: from a new key to evidence that a reader finds authentic."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from robust import generate_keys
from robust.signing.envelope import read_envelope
from robust.store.validations import write_validations
from tests.key_files import openssl
from tests.run_fixtures import COMMAND, manifest_of, robust

PASSPHRASE = "zwölf Birnen 梨"  # noqa: S105 - of keys that live as long as a test
LOCKED = {"ROBUST_KEY_PASSPHRASE": PASSPHRASE}
CONTRACT = """
schema_version: "1"
decision: {name: q, type: noul}
backend: {provider: mock, default: {yes: 0.2, no: 0.8}}
dataset: c.jsonl
requirements: {min_accuracy: 0.5}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A contract with its cases, validations, a key ``keys/signing`` and an encrypted one ``keys/locked``."""
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = (f'{{"id": "c{number}", "input": "text {number}", "expected": "no"}}\n' for number in range(5))
    (tmp_path / "c.jsonl").write_text("".join(rows), encoding="utf-8")
    made = manifest_of({"total 2000": [("total  2000", "invariant")], "total 30": [("total  30", "invariant")]})
    write_validations(tmp_path / "v.jsonl", made.validations)
    generate_keys(tmp_path / "keys")
    generate_keys(tmp_path / "keys", name="locked", passphrase=PASSPHRASE)
    return tmp_path


def key_id(folder: Path, name: str = "signing") -> str:
    """The id as openssl and sha256sum give it."""
    der = openssl("pkey", "-pubin", "-in", folder / "keys" / f"{name}.pub.pem", "-outform", "DER")
    return "sha256:" + hashlib.sha256(der).hexdigest()


def export(folder: Path, *options: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return robust("manifest", "export", "v.jsonl", "--name", "n", "-o", "m.jsonl", *options, cwd=folder, env=env)


def test_keys_are_made_and_shown(folder: Path) -> None:
    """With the id that openssl gives; private and public halves have one."""
    (folder / "keys").rename(folder / "other keys")
    plain = robust("keys", "generate", "-o", "keys", cwd=folder)
    locked = robust("keys", "generate", "-o", "keys", "--name", "locked", "--passphrase", cwd=folder, env=LOCKED)
    for done, name, how in ((plain, "signing", "not encrypted"), (locked, "locked", "encrypted")):
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            f"private  keys/{name}.key.pem  ({how}; keep it to yourself)",
            f"public   keys/{name}.pub.pem  (hand it out)",
            f"key id   {key_id(folder, name)}",
        ]
    files = sorted(str(path.relative_to(folder)) for path in (folder / "keys").iterdir())
    assert files == [f"keys/{name}.{kind}.pem" for name in ("locked", "signing") for kind in ("key", "pub")]
    done = robust("keys", "show", *files, cwd=folder, env=LOCKED)
    assert (done.returncode, done.stderr) == (0, "")
    names = ["locked", "locked", "signing", "signing"]
    kinds = ["private", "public", "private", "public"]
    assert done.stdout.splitlines() == [
        f"{key_id(folder, name)}  Ed25519 {kind} key  {file}"
        for name, kind, file in zip(names, kinds, files, strict=True)
    ]
    shown = json.loads(robust("keys", "show", files[3], "-f", "json", cwd=folder).stdout)
    assert shown == [{"file": files[3], "key_id": key_id(folder), "kind": "Ed25519 public key"}]


def test_a_key_that_cannot_be_shown_does_not_hide_the_others(folder: Path) -> None:
    """It is named, and the exit code is 2."""
    (folder / "rsa.pem").write_bytes(openssl("rsa", "-pubout", data=openssl("genrsa", "2048")))
    done = robust("keys", "show", "rsa.pem", "missing", "keys/signing.pub.pem", cwd=folder)
    assert done.returncode == 2
    assert done.stdout.count("\n") == 1
    assert [line.partition(";")[0] for line in done.stderr.splitlines()] == [
        "error[wrong_key_kind]: rsa.pem: a key of kind RSA",
        "error[unreadable]: missing: no such file",
    ]


def test_keys_are_never_written_over(folder: Path) -> None:
    """The pair that is there stays."""
    before = (folder / "keys" / "signing.key.pem").read_bytes()
    done = robust("keys", "generate", "-o", "keys", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error[exists]: keys/signing.key.pem: the file exists, and a key is never written over;"
    )
    assert (folder / "keys" / "signing.key.pem").read_bytes() == before


def test_a_passphrase_that_is_not_used_is_told(folder: Path) -> None:
    """Somebody may believe that the key is encrypted."""
    done = robust("keys", "generate", "-o", "keys", "--name", "open", cwd=folder, env=LOCKED)
    assert done.returncode == 0
    assert done.stderr == "notice: ROBUST_KEY_PASSPHRASE was not used; --passphrase encrypts the private key with it\n"
    assert "(not encrypted; keep it to yourself)" in done.stdout
    empty = robust(
        "keys", "generate", "-o", "keys", "--name", "e", "--passphrase", cwd=folder, env={"ROBUST_KEY_PASSPHRASE": ""}
    )
    assert (empty.returncode, "the passphrase is empty" in empty.stderr) == (2, True)
    assert not (folder / "keys" / "e.pub.pem").exists()


def test_a_passphrase_is_no_argument(folder: Path) -> None:
    """Arguments are seen by everybody on the machine."""
    for command in (["keys", "generate", "-o", "new"], ["sign", "v.jsonl", "--key", "keys/locked.key.pem"]):
        done = robust(*command, "--passphrase=secret", cwd=folder)
        assert done.returncode == 2
    assert not (folder / "new").exists()


def test_evidence_is_signed_by_two_and_found_authentic(folder: Path) -> None:
    """A plain and an encrypted key; signing again is told, and changes nothing."""
    file = "v.jsonl.dsse.json"
    first = robust("sign", "v.jsonl", "--key", "keys/signing.key.pem", cwd=folder)
    assert (first.returncode, first.stdout, first.stderr) == (0, f"signed    {file} (1 signature)\n", "")
    second = robust("sign", "v.jsonl", "--key", "keys/locked.key.pem", cwd=folder, env=LOCKED)
    assert (second.returncode, second.stdout, second.stderr) == (0, f"signed    {file} (2 signatures)\n", "")
    before = (folder / file).read_bytes()
    again = robust("sign", "v.jsonl", "--key", "keys/signing.key.pem", cwd=folder)
    assert again.stdout == f"signed    {file} (2 signatures); this key had signed it before\n"
    assert (folder / file).read_bytes() == before
    keys = [f"--public-key=keys/{name}.pub.pem" for name in ("signing", "locked")]
    done = robust("verify", "v.jsonl", *keys, "--threshold", "2", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(key_id(folder, name) in done.stdout for name in ("signing", "locked"))


def test_one_bad_path_among_good_ones_does_not_hold_up_the_others(folder: Path) -> None:
    """The worst decides the exit code."""
    (folder / "w.jsonl").write_bytes((folder / "v.jsonl").read_bytes().replace(b"total 30", b"total 31"))
    done = robust("sign", "w.jsonl", "missing", "v.jsonl", "--key", "keys/signing.key.pem", cwd=folder)
    assert done.returncode == 3
    assert done.stdout == "signed    v.jsonl.dsse.json (1 signature)\n"
    assert "error[unreadable]: missing" in done.stderr
    assert not (folder / "w.jsonl.dsse.json").exists()


def test_those_who_sign_at_once_in_processes_of_their_own_lose_nothing(folder: Path) -> None:
    """As two people on one shared folder do."""
    names = ["a", "b", "c"]
    for name in names:
        generate_keys(folder / "keys", name=name)
    processes = [
        subprocess.Popen(
            [COMMAND, "sign", "v.jsonl", "--key", f"keys/{name}.key.pem"], cwd=folder, stdout=subprocess.PIPE
        )
        for name in names
    ]
    for process in processes:
        process.communicate(timeout=120)
    assert [process.returncode for process in processes] == [0, 0, 0]
    envelope = read_envelope((folder / "v.jsonl.dsse.json").read_bytes())
    assert {each.key_id for each in envelope.signatures} == {key_id(folder, name) for name in names}


def test_an_empty_path_of_a_key_is_told_as_such(folder: Path) -> None:
    """And not as the folder that one is in."""
    for done in (robust("sign", "v.jsonl", "--key", "", cwd=folder), export(folder, "--sign", "")):
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error[bad_path]: ")
        assert "the path is empty" in done.stderr
    assert not (folder / "m.jsonl").exists()


def test_a_claim_is_signed_by_itself(folder: Path) -> None:
    """A claim without a name, or one that cannot be shown, is refused before the key is asked for."""
    done = robust(
        "sign", "v.jsonl", "--key", "keys/signing.key.pem", "--claim", "I read it", "--name", "Ana", cwd=folder
    )
    assert done.returncode == 0
    (file,) = folder.glob("v.jsonl.claim-*.dsse.json")
    assert done.stdout == f"signed    {file.name} (1 signature)\n"
    assert not (folder / "v.jsonl.dsse.json").exists()
    for options in (["--claim", "I read it"], ["--name", "Ana"], ["--claim", "\x1b[2J", "--name", "Ana"]):
        refused = robust("sign", "v.jsonl", "--key", "missing", *options, cwd=folder)
        assert refused.returncode == 2
        assert "claim" in refused.stderr
        assert "\x1b" not in refused.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_a_key_that_others_can_read_is_noticed(folder: Path) -> None:
    """It is used all the same."""
    (folder / "keys" / "signing.key.pem").chmod(0o644)
    done = robust("sign", "v.jsonl", "--key", "keys/signing.key.pem", cwd=folder)
    assert done.returncode == 0
    assert done.stderr == (
        "notice: keys/signing.key.pem is a private key that others on this machine can read; chmod 600 keeps it yours\n"
    )


def test_a_run_is_signed_at_once(folder: Path) -> None:
    """The place is told, standard output is as ever, and a replaced run is signed anew."""
    plain = robust("run", "c.yaml", "-o", "r", cwd=folder)
    done = robust("run", "c.yaml", "-o", "r", "--overwrite", "--sign", "keys/locked.key.pem", cwd=folder, env=LOCKED)
    assert (done.returncode, done.stdout.count("\n")) == (0, plain.stdout.count("\n"))
    assert done.stderr == "signed    r/attestation.dsse.json (1 signature)\n"
    done = robust("run", "c.yaml", "-o", "r", "--overwrite", "--sign", "keys/signing.key.pem", cwd=folder)
    assert done.stderr == "signed    r/attestation.dsse.json (1 signature)\n"
    found = robust("verify", "r", "--public-key", "keys/signing.pub.pem", "--require-signature", cwd=folder)
    assert found.returncode == 0
    assert f"authentic: signed by {key_id(folder)} (keys/signing.pub.pem)" in found.stdout


def test_a_run_that_decided_nothing_is_told_to_be_unsigned(folder: Path) -> None:
    """Exit 2 as ever; the run is there, without an attestation."""
    nobody = '{provider: http, url: "http://127.0.0.1:1/decide", max_retries: 0}'
    text = CONTRACT.replace("{provider: mock, default: {yes: 0.2, no: 0.8}}", nobody)
    (folder / "e.yaml").write_text(text, encoding="utf-8")
    done = robust("run", "e.yaml", "-o", "r", "--no-healthcheck", "--sign", "keys/signing.key.pem", cwd=folder)
    assert done.returncode == 2, done.stderr
    assert "notice: the run is not signed, as it decided nothing\n" in done.stderr
    assert sorted(path.name for path in (folder / "r").iterdir()) == ["contract.json", "records.jsonl", "report.json"]


@pytest.mark.parametrize(
    ("key", "code"), [("missing", "unreadable"), ("keys/signing.pub.pem", "public_key"), ("c.yaml", "bad_key")]
)
def test_a_key_that_cannot_sign_stops_before_anything_is_made(folder: Path, key: str, code: str) -> None:
    """Neither a run nor a manifest is there."""
    for done in (robust("run", "c.yaml", "-o", "r", "--sign", key, cwd=folder), export(folder, "--sign", key)):
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error[{code}]: {key}: ")
    assert not (folder / "r").exists()
    assert not (folder / "m.jsonl").exists()


def test_a_manifest_is_signed_when_it_is_exported(folder: Path) -> None:
    """With overwrite the attestation of what was replaced goes, too; signatures of the same content stay."""
    first = export(folder, "--sign", "keys/signing.key.pem")
    assert (first.returncode, first.stderr) == (0, "signed    m.jsonl.dsse.json (1 signature)\n")
    same = export(folder, "--overwrite", "--sign", "keys/locked.key.pem", env=LOCKED)
    assert same.stderr == "signed    m.jsonl.dsse.json (2 signatures)\n"
    other = export(folder, "--overwrite", "--split", "test", "--sign", "keys/signing.key.pem")
    assert other.stderr == "signed    m.jsonl.dsse.json (1 signature)\n"
    found = robust("verify", "m.jsonl", "--public-key", "keys/signing.pub.pem", "--require-signature", cwd=folder)
    assert found.returncode == 0
    for_tools = robust(
        "manifest", "export", "m.jsonl", "--as", "csv", "-o", "m.csv", "--sign", "keys/signing.key.pem", cwd=folder
    )
    assert (for_tools.returncode, "error[two_kinds]" in for_tools.stderr) == (2, True)


def test_evidence_that_was_made_anew_is_not_signed_beside_an_old_statement(folder: Path) -> None:
    """E4: the difference is named, and --overwrite makes a new attestation."""
    robust("run", "c.yaml", "-o", "r", "--sign", "keys/signing.key.pem", cwd=folder)
    attestation = (folder / "r" / "attestation.dsse.json").read_bytes()
    robust("run", "c.yaml", "-o", "r", "--overwrite", "--seed", "7", cwd=folder)
    assert not (folder / "r" / "attestation.dsse.json").exists()
    (folder / "r" / "attestation.dsse.json").write_bytes(attestation)
    done = robust("sign", "r", "--key", "keys/signing.key.pem", cwd=folder)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error[other_statement]: r/attestation.dsse.json: $.subject[0].")
    assert robust("sign", "r", "--key", "keys/signing.key.pem", "--overwrite", cwd=folder).returncode == 0


def test_nothing_of_a_key_or_a_passphrase_is_in_what_is_written(folder: Path) -> None:
    """Not in the run, the attestation, the messages or a traceback."""
    wrong = {"ROBUST_KEY_PASSPHRASE": f"{PASSPHRASE} not", "ROBUST_DEBUG": "1"}
    written = [
        robust("run", "c.yaml", "-o", "r", "--sign", "keys/locked.key.pem", cwd=folder, env=LOCKED),
        robust("sign", "v.jsonl", "--key", "keys/locked.key.pem", cwd=folder, env=wrong),
        robust("keys", "show", "keys/locked.key.pem", cwd=folder, env=wrong),
        robust("keys", "show", "keys/locked.key.pem", cwd=folder, env={**LOCKED, "ROBUST_DEBUG": "1"}),
    ]
    assert [done.returncode for done in written] == [0, 2, 2, 0]
    assert "Traceback" in written[1].stderr
    texts = [text for done in written for text in (done.stdout, done.stderr)]
    texts += [path.read_text(encoding="utf-8") for path in (folder / "r").iterdir()]
    secret = (folder / "keys" / "locked.key.pem").read_text(encoding="ascii").splitlines()[1]
    for text in texts:
        assert "Birnen" not in text
        assert secret not in text
