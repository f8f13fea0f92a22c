"""``robust verify`` on signed evidence, and ``robust report --prove``: what is printed, and the exit codes."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.programs import UNMEASURED, python
from tests.run_fixtures import robust
from tests.unit.app.signed_evidence import ANN, BOB, EVE, write_evidence, write_run

NOT_PROVEN = "not proven: who held the key; that the oracle is right; that nobody saw the data before; dates, "


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_evidence(tmp_path_factory.mktemp("made")).folder
    for name, key in (("ann", ANN), ("bob", BOB), ("eve", EVE)):
        (folder / f"{name}.pem").write_bytes(key.public.to_pem())
    return folder


@pytest.fixture(name="folder")
def _folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def test_signed_evidence_says_who_signed_and_what_is_not_proven(made: Path) -> None:
    """As the last lines of each path; the exit code is 0."""
    asked = ("run", "m.manifest.jsonl", "--public-key", "ann.pem", "--public-key", "bob.pem", "--threshold", "2")
    done = robust("verify", *asked, "--require-signature", cwd=made)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    signed = f"  authentic: signed by {ANN.key_id} (ann.pem), {BOB.key_id} (bob.pem)"
    assert [index for index, line in enumerate(lines) if line == signed] == [8, 17]
    assert [line.strip().startswith(NOT_PROVEN) for line in (lines[9], lines[18])] == [True, True]
    assert f"  ok    signature: by {ANN.key_id} (ann.pem), {BOB.key_id} (bob.pem)" in lines
    assert "  ok    attestation: the stated result is FAILED, as in the files" in lines


def test_without_a_key_nothing_is_called_authentic(made: Path) -> None:
    """The signatures are there, and nobody checked them."""
    done = robust("verify", "run", "m.manifest.jsonl", "run/attestation.dsse.json", cwd=made)
    assert done.returncode == 0
    assert "authentic" not in done.stdout
    assert done.stdout.count("  --    signature: not checked without a public key; says that it is by ") == 3
    assert done.stdout.count("signatures were not checked, so this does not show who made it") == 3


def test_e4_which_of_the_three_is_wrong_is_said(folder: Path) -> None:
    """E4: a signed file with one byte changed; a signature by another key; none where one is required."""
    required = ("--public-key", "ann.pem", "--require-signature")
    report = folder / "run" / "report.json"
    data = report.read_bytes()
    report.write_bytes(data.replace(b'"robust_version":"', b'"robust_version":"x', 1))
    changed = robust("verify", "run", *required, cwd=folder)
    report.write_bytes(data)
    other = robust("verify", "run", "--public-key", "eve.pem", cwd=folder)
    (folder / "run" / "attestation.dsse.json").unlink()
    none = robust("verify", "run", *required, cwd=folder)
    assert [done.returncode for done in (changed, other, none)] == [3, 3, 3]
    said = "  error[other_statement]: run/attestation.dsse.json: $.subject[0].digest.sha256: "
    assert said in changed.stdout
    assert "  error[unknown_signer]: run/attestation.dsse.json: $.signatures: signed by sha256:" in other.stdout
    assert "  error[not_signed]: run: a signature is required, and there is none; robust sign makes one" in none.stdout
    assert not any("authentic" in done.stdout for done in (changed, other, none))
    assert robust("verify", "run", "--public-key", "ann.pem", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--require-signature",), "no_public_key"),
        (("--threshold", "1"), "no_public_key"),
        (("--threshold", "0", "--public-key", "ann.pem"), "bad_threshold"),
        (("--public-key", "missing.pem"), "unreadable"),
        (("--public-key", "run"), "unreadable"),
        (("--public-key", ""), "bad_path"),
        (("--public-key", "m.manifest.jsonl"), "bad_key"),
    ],
)
def test_what_cannot_be_asked_is_exit_code_2(made: Path, options: tuple[str, ...], code: str) -> None:
    """Before anything is shown."""
    done = robust("verify", "run", *options, cwd=made)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{code}]: ")


# As somebody who may not read everything: a superuser may. Nor may others always read what is imported later.
UNPRIVILEGED = """
import os, pkgutil, sys
import robust
for room in ("app", "cli", "render", "signing", "store", "records"):
    __import__("robust." + room)
    for module in pkgutil.iter_modules([os.path.join(robust.__path__[0], room)]):
        __import__(f"robust.{room}.{module.name}")
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.chdir(sys.argv.pop(1))
from robust.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_a_path_that_may_not_be_read_hides_nothing_of_the_others() -> None:
    """Of paths, keys and runs; each is told as any other that cannot be read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_evidence(folder)
        (folder / "ann.pem").write_bytes(ANN.public.to_pem())
        for place in ("closed.jsonl", "closed.pem"):
            (folder / place).write_bytes(b"")
            (folder / place).chmod(0)
        (folder / "closed").mkdir(mode=0o000)

        def told(*arguments: str) -> tuple[int, str, str]:
            done = python(UNPRIVILEGED, name, *arguments, **UNMEASURED)
            return done.returncode, done.stdout, done.stderr

        code, shown, errors = told("verify", "m.manifest.jsonl", "closed.jsonl", "-f", "json")
        assert (code, [each["path"] for each in json.loads(shown)]) == (2, ["m.manifest.jsonl"])
        assert errors.startswith("error[unreadable]: closed.jsonl: may not be read")
        asked = [
            ("verify", "m.manifest.jsonl", "--public-key", "closed.pem"),
            ("sign", "m.manifest.jsonl", "--key", "closed.pem"),
            ("keys", "show", "closed.pem", "ann.pem"),
            ("report", "closed"),
        ]
        for arguments in asked:
            code, shown, errors = told(*arguments)
            assert (code, errors.startswith("error[unreadable]: closed")) == (2, True), errors
            assert shown.startswith(f"{ANN.key_id}  Ed25519 public key  ann.pem") == (arguments[0] == "keys")


def test_a_threshold_of_one_asks_for_a_signature(folder: Path) -> None:
    """Who counts signatures wants some."""
    (folder / "run" / "attestation.dsse.json").unlink()
    assert robust("verify", "run", "--public-key", "ann.pem", cwd=folder).returncode == 0
    assert robust("verify", "run", "--public-key", "ann.pem", "--threshold", "1", cwd=folder).returncode == 3


def test_programs_are_told_signers_and_what_is_not_proven(made: Path) -> None:
    """As JSON, one entry for each path."""
    done = robust("verify", "run", "--public-key", "ann.pem", "-f", "json", cwd=made)
    (found,) = json.loads(done.stdout)
    assert (found["authentic"], found["signature"]) == (True, "verified")
    assert found["signers"] == [{"key_id": ANN.key_id, "file": "ann.pem"}]
    assert found["not_proven"] == ["key_holder", "oracle", "unseen_data", "dates"]
    assert {"name", "done", "holds", "detail", "problems"} == set(found["checks"][0])


def test_a_record_is_proven_and_shown_with_the_attestation_alone(folder: Path, tmp_path: Path) -> None:
    """The proof is written elsewhere, or printed; what is left of the run is its attestation."""
    done = robust("report", "run", "--prove", "variants/b1/0", "-o", "p.json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split("  ")[0].split(" ")[0] for line in done.stdout.splitlines()] == ["record", "proof"]
    printed = robust("report", "run", "--prove", "variants/b1/0", cwd=folder)
    assert json.loads(printed.stdout) == json.loads((folder / "p.json").read_bytes())
    sent = tmp_path / "sent"
    sent.mkdir()
    for name in ("p.json", "run/attestation.dsse.json", "ann.pem"):
        shutil.copy(folder / name, sent)
    asked = ("p.json", "attestation.dsse.json", "--public-key", "ann.pem", "--require-signature")
    shown = robust("verify", *asked, cwd=sent)
    assert (shown.returncode, "authentic" in shown.stdout) == (0, False)
    assert "  ok    line: pair 'variants/b1/0': 'no'" in shown.stdout
    assert shown.stdout.count(f"  signed by {ANN.key_id} (ann.pem); nothing here shows that what they say is so") == 2
    assert robust("verify", "p.json", "--public-key", "ann.pem", "--require-signature", cwd=sent).returncode == 3
    write_run(sent, "other", answer="yes")
    other = robust("verify", "p.json", "other", cwd=sent)
    assert (other.returncode, "error[other_run]: p.json: $.evidence_digest: " in other.stdout) == (3, True)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--prove", "nothing"), "unknown_record"),
        (("--prove", "decision/b1", "--contract", "c.yaml"), "two_options"),
        (("--prove", "decision/b1", "-o", "run/p.json"), "bad_output"),
        (("--prove", "decision/b1", "-o", "ann.pem"), "exists"),
    ],
)
def test_what_cannot_be_proven_is_exit_code_2(made: Path, options: tuple[str, ...], code: str) -> None:
    """Nothing is printed, and nothing is written."""
    before = sorted(made.rglob("*"))
    done = robust("report", "run", *options, cwd=made)
    assert (done.returncode, done.stdout, sorted(made.rglob("*"))) == (2, "", before)
    assert done.stderr.startswith(f"error[{code}]: ")


def test_a_record_of_a_run_that_does_not_hold_is_exit_code_3(folder: Path) -> None:
    """And not proven."""
    (folder / "run" / "contract.json").write_bytes(b"{}\n")
    done = robust("report", "run", "--prove", "decision/b1", cwd=folder)
    assert (done.returncode, done.stdout) == (3, "")
