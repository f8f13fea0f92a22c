"""Where attestations and claims lie, and that they are plain files, whole, and written by one at a time."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

import pytest

from robust import IntegrityError, UsageError
from robust.canon import parse_canonical
from robust.store.attestations import (
    attestation_path,
    claim_path,
    claims_of,
    has_attestation,
    read_attestation,
    replacing,
    signing_lock,
    write_attestation,
)
from robust.store.runs import RunWriter
from tests.programs import UNMEASURED, python

LIMIT = 1024

FORBIDDEN = """
import os, sys
from pathlib import Path
from robust import UsageError
from robust.store.attestations import signing_lock

if os.geteuid() == 0:
    os.seteuid(65534)
try:
    with signing_lock(Path(sys.argv[1], "m.jsonl")):
        pass
except UsageError as error:
    print(error.code, error.problems[0].file)
"""


def test_attestations_lie_in_runs_and_beside_files(tmp_path: Path) -> None:
    """Claims likewise, named after what they say."""
    file = tmp_path / "m.manifest.jsonl"
    assert attestation_path(tmp_path) == tmp_path / "attestation.dsse.json"
    assert attestation_path(file) == tmp_path / "m.manifest.jsonl.dsse.json"
    assert claim_path(tmp_path, b"") == tmp_path / "claim-e3b0c44298fc.dsse.json"
    assert claim_path(file, b"") == tmp_path / "m.manifest.jsonl.claim-e3b0c44298fc.dsse.json"


def test_the_claims_of_a_file_are_its_own(tmp_path: Path) -> None:
    """Sorted; other names, and those of other files, are none of them."""
    file = tmp_path / "m.jsonl"
    own = [claim_path(file, bytes([number])) for number in range(5)]
    for path in (*own, tmp_path / "xm.jsonl.claim-0123456789ab.dsse.json", tmp_path / "m.jsonl.claim-0.dsse.json"):
        path.write_bytes(b"")
    (tmp_path / "claim-0123456789ab.dsse.json").write_bytes(b"")
    assert claims_of(file) == sorted(own)
    assert claims_of(tmp_path) == [tmp_path / "claim-0123456789ab.dsse.json"]
    with pytest.raises(UsageError):
        claims_of(tmp_path / "missing" / "m.jsonl")


def test_an_attestation_is_canonical_json_and_a_line_feed(tmp_path: Path) -> None:
    """Replaced as a whole."""
    file = tmp_path / "a.dsse.json"
    for envelope in ({"b": 1, "a": 2}, {"a": 3}):
        write_attestation(file, envelope)
        data = read_attestation(file, LIMIT)
        assert data.endswith(b"}\n")
        assert parse_canonical(data[:-1]) == envelope
    assert [item.name for item in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_links_are_neither_read_nor_written(tmp_path: Path, target: str) -> None:
    """What they lead to is not touched."""
    (tmp_path / "there").write_bytes(b"{}\n")
    link = tmp_path / "m.dsse.json"
    link.symlink_to(tmp_path / target)
    assert has_attestation(tmp_path / "m")
    for use in (lambda: read_attestation(link, LIMIT), lambda: write_attestation(link, {})):
        with pytest.raises(IntegrityError) as caught:
            use()
        assert caught.value.code == "link"
    assert link.is_symlink()
    assert (tmp_path / "there").read_bytes() == b"{}\n"
    assert not (tmp_path / "nowhere").exists()


def test_a_large_file_is_no_attestation(tmp_path: Path) -> None:
    """It is refused after the limit, and a folder or nothing at once: a folder in its place is damage."""
    with (tmp_path / "a.dsse.json").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(IntegrityError) as caught:
        read_attestation(tmp_path / "a.dsse.json", LIMIT)
    assert caught.value.code == "too_large"
    for path, kind, code in ((tmp_path, IntegrityError, "not_a_file"), (tmp_path / "no", UsageError, "unreadable")):
        with pytest.raises(kind) as refused:
            read_attestation(path, LIMIT)
        assert refused.value.code == code


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_a_pipe_is_no_attestation(tmp_path: Path) -> None:
    """It is not opened, which would wait for somebody to write into it."""
    os.mkfifo(tmp_path / "a.dsse.json")
    with pytest.raises(IntegrityError) as caught:
        read_attestation(tmp_path / "a.dsse.json", LIMIT)
    assert caught.value.code == "not_a_file"


def beside(file: Path) -> list[Path]:
    """An attestation and two claims of a file, and what is of another one."""
    own = [attestation_path(file), claim_path(file, b"1"), claim_path(file, b"2")]
    for place in (*own, attestation_path(file.with_name("other"))):
        place.write_bytes(b"old")
    return own


def test_what_was_signed_of_a_file_goes_when_it_is_replaced(tmp_path: Path) -> None:
    """Once the new content is there; what is of another file stays, and so does what is of the same content."""
    file = tmp_path / "m.jsonl"
    file.write_bytes(b"first")
    own = beside(file)
    with replacing(file):
        file.write_bytes(b"first")
    assert all(place.exists() for place in own)
    with replacing(file):
        file.write_bytes(b"second")
        assert all(place.exists() for place in own)
    assert [item.name for item in sorted(tmp_path.iterdir())] == ["m.jsonl", "other.dsse.json"]


def test_what_is_not_replaced_keeps_what_was_signed(tmp_path: Path) -> None:
    """As after a failure, or where the file was not there: what lies beside it is somebody else's doing."""
    file = tmp_path / "m.jsonl"
    own = beside(file)
    with replacing(file):
        file.write_bytes(b"first")
    with pytest.raises(UsageError), replacing(file):
        raise UsageError.of("unwritable", "no space")
    assert all(place.exists() for place in own)


def test_what_is_signed_of_the_new_file_at_once_stays(tmp_path: Path) -> None:
    """Somebody may be faster than whoever clears up."""
    file = tmp_path / "m.jsonl"
    file.write_bytes(b"first")
    attestation, claim, _ = beside(file)
    with replacing(file):
        file.write_bytes(b"second")
        write_attestation(attestation, {"new": 1})
    assert attestation.read_bytes() == b'{"new":1}\n'
    assert not claim.exists()


@pytest.mark.parametrize("folder", [False, True])
def test_those_who_sign_take_turns(tmp_path: Path, folder: bool) -> None:
    """One waits for the other, and nothing is left of it."""
    path = tmp_path if folder else tmp_path / "m.jsonl"
    order: list[str] = []
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        order.append("second waits")
        with signing_lock(path):
            order.append("second")

    other = threading.Thread(target=second)
    other.start()
    with signing_lock(path):
        inside.set()
        while not order:
            other.join(0.01)
        order.append("first")
    other.join()
    assert order == ["second waits", "first", "second"]
    assert list(tmp_path.iterdir()) == []


def test_whoever_waits_too_long_is_told(tmp_path: Path) -> None:
    """A run may hold its folder for hours."""
    with RunWriter(tmp_path), pytest.raises(UsageError) as caught, signing_lock(tmp_path, wait_s=0.01):
        pass
    assert (caught.value.code, caught.value.problems[0].file) == ("in_use", str(tmp_path))


def test_a_run_does_not_replace_what_is_being_signed(tmp_path: Path) -> None:
    """It says so, and the folder is as it was."""
    with signing_lock(tmp_path), pytest.raises(UsageError) as caught:
        RunWriter(tmp_path)
    assert caught.value.code == "in_use"


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_a_folder_that_may_not_be_written_cannot_be_signed_in() -> None:
    """Which is said."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        done = python(FORBIDDEN, name, **UNMEASURED)
        assert (done.stdout, done.stderr) == (f"unwritable {name}\n", "")


def test_a_folder_that_is_gone_cannot_be_signed_in(tmp_path: Path) -> None:
    """Also said."""
    with pytest.raises(UsageError) as caught, signing_lock(tmp_path / "missing" / "m.jsonl"):
        pass
    assert caught.value.code == "unwritable"
    assert list(tmp_path.iterdir()) == []
