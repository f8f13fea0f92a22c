"""Signing: what lies in an attestation's place, and names that no attestation can have or speak of."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from robust import IntegrityError, RobustError, SigningKey, UsageError, sign, verify
from robust.app.statements import unsafe_name_reason
from robust.signing.claim import MAX_CLAIM_BYTES, MAX_CLAIM_CHARACTERS
from robust.signing.keys import generate_key
from tests.run_fixtures import manifest_of
from tests.unit.app.signed_evidence import codes, write_run

posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes, sockets and names of any characters")


@pytest.fixture
def key() -> SigningKey:
    """A new key."""
    return generate_key()


def made_manifest(folder: Path, name: str = "m.manifest.jsonl") -> Path:
    manifest_of({"total 2000": [("total  2000", "invariant")], "total 30": []}).save(folder / name)
    return folder / name


def bound(path: Path) -> None:
    """A socket; its own name may be too long for one, so that it is bound from within the folder."""
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(path.name)
    finally:
        os.chdir(before)


PLACED: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a socket": bound,
    "a folder": lambda path: path.mkdir(),
}


def refused(path: Path, key: SigningKey, *, overwrite: bool = False) -> RobustError:
    with pytest.raises((UsageError, IntegrityError)) as caught:
        sign(path, key, overwrite=overwrite)
    return caught.value


@posix
@pytest.mark.parametrize("evidence", ["run", "manifest"])
@pytest.mark.parametrize("what", PLACED)
def test_what_is_no_file_is_refused_as_verify_refuses_it(
    tmp_path: Path, key: SigningKey, what: str, evidence: str
) -> None:
    """With exit code 3, the place and a remedy; nothing is waited for."""
    run = evidence == "run"
    path = write_run(tmp_path) if run else made_manifest(tmp_path)
    place = path / "attestation.dsse.json" if run else path.with_name(path.name + ".dsse.json")
    PLACED[what](place)
    error = refused(path, key)
    assert (error.code, error.exit_code, error.problems[0].file) == ("not_a_file", 3, str(place))
    assert error.problems[0].hint
    found = verify(path)
    assert (codes(found), found.exit_code) == (["not_a_file"], 3)
    assert not place.is_file()


@posix
@pytest.mark.parametrize("what", ["a pipe", "a socket"])
def test_with_overwrite_a_file_takes_the_place_of_what_is_none(tmp_path: Path, key: SigningKey, what: str) -> None:
    """Nothing can be lost of it."""
    path = made_manifest(tmp_path)
    PLACED[what](path.with_name(path.name + ".dsse.json"))
    assert sign(path, key, overwrite=True).signatures == 1
    assert verify(path, public_keys=[key.public], require_signature=True).authentic


def test_a_folder_is_kept_also_with_overwrite(tmp_path: Path, key: SigningKey) -> None:
    """With what is in it."""
    path = made_manifest(tmp_path)
    inside = path.with_name(path.name + ".dsse.json") / "mine"
    inside.parent.mkdir()
    inside.write_bytes(b"mine")
    error = refused(path, key, overwrite=True)
    assert (error.code, error.exit_code, inside.read_bytes()) == ("not_a_file", 3, b"mine")


@posix
@pytest.mark.parametrize("name", ["a:b", "back\\slash", "a\nb", "a\x1b[2Jb", "a\u202eb"])
def test_a_name_that_verify_refuses_is_not_signed(tmp_path: Path, key: SigningKey, name: str) -> None:
    """Nor is anything claimed of it; the remedy is another name."""
    path = made_manifest(tmp_path, name + ".manifest.jsonl")
    for said in (None, "read"):
        with pytest.raises(UsageError) as caught:
            sign(path, key, claim=said, name=said)
        problem = caught.value.problems[0]
        assert (problem.code, problem.file) == ("unsafe_name", str(path))
        assert problem.hint == "give it another name, and sign it then"
    assert list(tmp_path.iterdir()) == [path]
    assert verify(path).holds


@pytest.mark.parametrize("name", ["m.manifest.jsonl", "Zwölf Birnen 梨.jsonl", "a..b", ".m.jsonl", "x" * 255])
def test_plain_names_are_not_refused(name: str) -> None:
    """Whatever people call their files."""
    assert unsafe_name_reason(name) is None


@posix
@pytest.mark.parametrize(("length", "said"), [(255, None), (247, None), (240, "read")])
def test_a_name_without_room_for_that_of_the_attestation_is_told(
    tmp_path: Path, key: SigningKey, length: int, said: str | None
) -> None:
    """With the name that no file can have; nothing is left behind."""
    path = made_manifest(tmp_path, "m" * (length - len(".jsonl")) + ".jsonl")
    with pytest.raises(UsageError) as caught:
        sign(path, key, claim=said, name=said)
    problem = caught.value.problems[0]
    assert (problem.code, problem.hint) == ("bad_name", "give the evidence a shorter name")
    assert Path(problem.file or "").name.startswith(path.name + ".")
    assert list(tmp_path.iterdir()) == [path]
    assert verify(path).holds


@posix
def test_the_longest_name_that_leaves_room_is_signed(tmp_path: Path, key: SigningKey) -> None:
    """And verified."""
    path = made_manifest(tmp_path, "m" * (255 - len(".dsse.json") - len(".jsonl")) + ".jsonl")
    sign(path, key)
    assert verify(path, public_keys=[key.public], require_signature=True).authentic


def test_the_longest_claim_by_many_is_read(tmp_path: Path) -> None:
    """Four bytes for each character, and as many signatures as an envelope has, are below the limit."""
    path = made_manifest(tmp_path)
    file = sign(path, generate_key(), claim="\U0001f350" * MAX_CLAIM_CHARACTERS, name="\U0001f350" * 50).file
    with_all = file.stat().st_size + 255 * len('{"keyid":"","sig":""},' + "x" * (71 + 88))
    assert with_all < MAX_CLAIM_BYTES
    assert verify(path).holds
