"""Key files: both or none, never over others, and the private one its owner's alone from the first byte."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from pathlib import Path

import pytest

from robust import DataError, UsageError
from robust.store.keys import others_can_read, read_key_file, write_key_pair
from tests.programs import UNMEASURED, python

NAMES = ["signing.key.pem", "signing.pub.pem"]
# Stops the process at the moment when a file gets its name, before or after it has it.
KILLED = """
import os, signal, sys
from pathlib import Path
from robust.store.keys import write_key_pair

steps = int(sys.argv[2])

def watch(event, arguments):
    global steps
    if event == "os.link":
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
write_key_pair(Path(sys.argv[1]), "signing", b"private", b"public")
"""
MODES = """
import os, sys
from pathlib import Path
from robust.store.keys import write_key_pair

os.umask(int(sys.argv[2], 8))
folder = Path(sys.argv[1])

def watch(event, arguments):
    if event == "os.link" or (event == "open" and str(arguments[0]).endswith(".partial")):
        for file in folder.glob(".signing.key.pem.*"):
            print(oct(file.stat().st_mode & 0o777))

sys.addaudithook(watch)
write_key_pair(folder, "signing", b"private", b"public")
print([oct(path.stat().st_mode & 0o777) for path in (folder, *sorted(folder.iterdir()))])
"""
# Somebody else makes a file of that name just before the first of ours gets its name.
MEANWHILE = """
import sys
from pathlib import Path
from robust import UsageError
from robust.store.keys import write_key_pair

folder, taken = Path(sys.argv[1]), sys.argv[2]

def watch(event, arguments):
    if event == "os.link" and not (folder / taken).exists():
        (folder / taken).write_bytes(b"theirs")

sys.addaudithook(watch)
try:
    write_key_pair(folder, "signing", b"private", b"public")
except UsageError as error:
    print(error.code, error.problems[0].file)
"""
FORBIDDEN = """
import os, sys
from pathlib import Path
from robust import UsageError
from robust.store.keys import write_key_pair

if os.geteuid() == 0:
    os.seteuid(65534)
for folder in (Path(sys.argv[1]), Path(sys.argv[1], "new")):
    try:
        write_key_pair(folder, "signing", b"private", b"public")
    except UsageError as error:
        print(error.code, error.problems[0].file)
"""


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def test_a_pair_is_written_and_nothing_else(tmp_path: Path) -> None:
    """Into a folder that is made."""
    folder = tmp_path / "new" / "keys"
    private, public = write_key_pair(folder, "signing", b"private", b"public")
    assert (private.read_bytes(), public.read_bytes()) == (b"private", b"public")
    assert names(folder) == NAMES == [private.name, public.name]


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
@pytest.mark.parametrize(("umask", "public"), [("000", "0o644"), ("022", "0o644"), ("077", "0o600")])
def test_the_private_key_is_never_open_to_others(tmp_path: Path, umask: str, public: str) -> None:
    """Whatever the umask, and also under the name that it has while it is written."""
    done = python(MODES, str(tmp_path / "keys"), umask)
    *seen, last = done.stdout.splitlines()
    assert set(seen) == {"0o600"}
    assert last == str(["0o700", "0o600", public])


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_a_folder_that_is_there_keeps_its_permissions(tmp_path: Path) -> None:
    """They are its owner's business."""
    folder = tmp_path / "keys"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    write_key_pair(folder, "signing", b"private", b"public")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


@pytest.mark.parametrize("taken", NAMES)
@pytest.mark.parametrize("link", [False, True])
def test_no_key_is_written_over(tmp_path: Path, taken: str, link: bool) -> None:
    """Not either half, and not through a link that leads nowhere; the other half is not written."""
    if link:
        (tmp_path / taken).symlink_to(tmp_path / "elsewhere")
    else:
        (tmp_path / taken).write_bytes(b"old")
    with pytest.raises(UsageError) as caught:
        write_key_pair(tmp_path, "signing", b"private", b"public")
    assert (caught.value.code, caught.value.problems[0].file) == ("exists", str(tmp_path / taken))
    assert "overwrite" not in str(caught.value)
    assert names(tmp_path) == [taken]
    assert link or (tmp_path / taken).read_bytes() == b"old"


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".hidden", "a/b", "a\\b", "a b", "ü", "-o", "a:b", "x" * 101, "a.", "a\n"),
        *("con", "NUL", "com1", "LPT9.v2"),
    ],
)
def test_names_that_are_none_everywhere_are_refused(tmp_path: Path, name: str) -> None:
    """Before anything is made."""
    with pytest.raises(UsageError) as caught:
        write_key_pair(tmp_path / "new", name, b"private", b"public")
    assert caught.value.code == "bad_name"
    assert names(tmp_path) == []


def test_a_device_of_windows_is_refused_with_a_name_that_can_be_taken(tmp_path: Path) -> None:
    """Keys go from machine to machine, so that a name is refused everywhere."""
    with pytest.raises(UsageError) as caught:
        write_key_pair(tmp_path, "con", b"private", b"public")
    (problem,) = caught.value.problems
    assert problem.message == "Windows takes con.key.pem for a device and not for a file"
    assert problem.hint == "choose another, such as key-con"
    for name in ("key-con", "console", "com10", "x.con"):
        private, _ = write_key_pair(tmp_path, name, b"private", b"public")
        assert private.name == f"{name}.key.pem"


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
@pytest.mark.parametrize("step", [0, 1])
def test_a_kill_leaves_no_half_of_a_pair_for_long(tmp_path: Path, step: int) -> None:
    """Before the first and before the second file has its name: the next one of that name makes a whole pair."""
    done = python(KILLED, str(tmp_path), str(step), **UNMEASURED)
    assert done.returncode == -signal.SIGKILL
    shown = [name for name in names(tmp_path) if not name.startswith(".")]
    assert shown == ([] if step == 0 else ["signing.pub.pem"])
    write_key_pair(tmp_path, "signing", b"new private", b"new public")
    assert names(tmp_path) == NAMES
    assert (tmp_path / "signing.pub.pem").read_bytes() == b"new public"


@pytest.mark.parametrize("taken", NAMES)
def test_a_key_that_somebody_else_makes_meanwhile_stays(tmp_path: Path, taken: str) -> None:
    """Both halves are theirs or nobody's: none of ours is left beside it."""
    done = python(MEANWHILE, str(tmp_path), taken, **UNMEASURED)
    assert (done.stdout, done.stderr) == (f"exists {tmp_path / taken}\n", "")
    assert names(tmp_path) == [taken]
    assert (tmp_path / taken).read_bytes() == b"theirs"


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
def test_a_public_key_by_itself_is_somebodys(tmp_path: Path) -> None:
    """Its private half lies elsewhere; only what a killed writer left is taken away."""
    (tmp_path / "signing.pub.pem").write_bytes(b"old")
    (tmp_path / ".signing.pub.pem.0123456789ab.partial").write_bytes(b"of another file")
    with pytest.raises(UsageError):
        write_key_pair(tmp_path, "signing", b"private", b"public")
    assert (tmp_path / "signing.pub.pem").read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_a_folder_that_may_not_be_written_is_told() -> None:
    """With nothing left behind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        done = python(FORBIDDEN, name, **UNMEASURED)
        assert (done.stdout, done.stderr) == (f"unwritable {folder}\nunwritable {folder / 'new'}\n", "")
        assert names(folder) == []


def test_a_place_that_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    """Since a file is there, or above it."""
    (tmp_path / "file").write_bytes(b"")
    for folder in (tmp_path / "file", tmp_path / "file" / "keys"):
        with pytest.raises(UsageError) as caught:
            write_key_pair(folder, "signing", b"private", b"public")
        assert caught.value.code == "unwritable"


def test_a_large_file_is_not_read_as_a_key(tmp_path: Path) -> None:
    """A gigabyte is refused after the first bytes."""
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(DataError) as caught:
        read_key_file(tmp_path / "large", 1000)
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("missing", "unreadable", "no such file"),
        ("folder", "unreadable", "is a folder, not a file"),
        ("file/key", "unreadable", "Not a directory"),
        ("a\0b", "bad_path", "embedded null byte"),
    ],
)
def test_a_key_file_that_cannot_be_read_is_told(tmp_path: Path, name: str, code: str, reason: str) -> None:
    """With why."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError) as caught:
        read_key_file(tmp_path / name, 1000)
    assert (caught.value.code, caught.value.problems[0].message) == (code, reason)


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_permissions_of_others_are_seen_through_links(tmp_path: Path) -> None:
    """It is the file that is read."""
    file, link = tmp_path / "k", tmp_path / "link"
    file.write_bytes(b"")
    link.symlink_to(file)
    for mode, open_to_others in ((0o600, False), (0o400, False), (0o640, True), (0o604, True), (0o620, True)):
        file.chmod(mode)
        assert others_can_read(file) == others_can_read(link) == open_to_others
    assert not others_can_read(tmp_path / "missing")
