"""Files: lines end at line feeds only, and what is written is whole or not there."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import DataError, IntegrityError, UsageError
from robust.store.files import (
    atomic_output,
    file_digest,
    open_input,
    read_blocks,
    read_file,
    read_line_blocks,
    read_lines,
    write_lines,
)
from robust.store.keys import read_key_file
from robust.store.validations import read_own_lines


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def lines(path: Path) -> list[bytes]:
    return [line for _, line in read_lines(path)]


def own_lines(path: Path) -> list[bytes]:
    return [line for _, line in read_own_lines(path)]


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"\r")), max_size=6))
def test_any_lines_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, content: list[bytes]
) -> None:
    """Whatever a line holds but a line feed is kept: carriage returns, separators, byte order marks, NUL."""
    path = tmp_path_factory.mktemp("lines") / "file"
    write_lines(path, content)
    assert own_lines(path) == content
    assert path.read_bytes() == b"".join(line + b"\n" for line in content)


def test_unicode_separators_do_not_end_a_line(tmp_path: Path) -> None:
    """U+2028, U+0085, form feed and carriage return stand inside a line."""
    path = tmp_path / "file"
    path.write_bytes("a\u2028b\u0085c\x0cd\re\nf\n".encode())
    for read in (read_lines, read_own_lines):
        assert [(number, line.decode()) for number, line in read(path)] == [(1, "a\u2028b\u0085c\x0cd\re"), (2, "f")]


def test_a_file_of_ours_must_end_with_a_line_feed(tmp_path: Path) -> None:
    """A cut last line is refused with its number; other people's files may end without one."""
    path = tmp_path / "file"
    path.write_bytes(b"a\nb")
    assert lines(path) == [b"a", b"b"]
    with pytest.raises(IntegrityError) as caught:
        own_lines(path)
    assert (caught.value.code, caught.value.problems[0].line) == ("cut_short", 2)


def test_a_byte_order_mark_is_dropped_from_foreign_files_only(tmp_path: Path) -> None:
    """Our own files have none, so one in them is damage that the reader of lines must show."""
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    assert lines(path) == [b"a", b"\xef\xbb\xbfb"]
    assert own_lines(path) == [b"\xef\xbb\xbfa", b"\xef\xbb\xbfb"]


@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), max_size=9), st.integers(6, 12))
def test_lines_come_the_same_many_at_a_time(
    tmp_path_factory: pytest.TempPathFactory, content: list[bytes], limit: int
) -> None:
    """Wherever what is read at once ends; a limit also bounds that."""
    path = tmp_path_factory.mktemp("blocks") / "file"
    write_lines(path, content)
    blocks = list(read_blocks(path, max_bytes=limit))
    assert [line for block in blocks for line in block] == content
    assert all(blocks)


@pytest.mark.parametrize(
    ("data", "code", "line"), [(b"abcd\n\nabcde\n", "too_large", 3), (b"abcd\n\nab", "cut_short", 3)]
)
def test_lines_before_a_wrong_one_are_given_many_at_a_time(tmp_path: Path, data: bytes, code: str, line: int) -> None:
    """One that is too long, and a last one that is cut short."""
    path = tmp_path / "file"
    path.write_bytes(data)
    given: list[bytes] = []
    with pytest.raises(DataError) as caught:
        for block in read_blocks(path, max_bytes=4):
            given += block
    assert given == [b"abcd", b""]
    assert (caught.value.code, caught.value.problems[0].line) == (code, line)


def test_lines_and_files_have_a_limit(tmp_path: Path) -> None:
    """One byte over the limit is too much, whether or not a line feed follows."""
    path = tmp_path / "file"
    path.write_bytes(b"abcd\nabcde\n")
    stream = read_lines(path, max_bytes=4)
    assert next(stream) == (1, b"abcd")
    with pytest.raises(DataError) as caught:
        next(stream)
    assert (caught.value.code, caught.value.problems[0].line) == ("too_large", 2)
    assert len(read_file(path, 11)) == 11
    with pytest.raises(DataError):
        read_file(path, 10)


def test_what_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    """Missing files, folders and impossible names."""
    for path, reason in ((tmp_path / "no", "no such file"), (tmp_path, "is a folder"), (Path("a\0b"), "null byte")):
        with pytest.raises(UsageError, match=reason):
            read_file(path, 10)


def read_blockwise(path: Path) -> list[object]:
    return [*read_line_blocks(path)]


BAD = Path("/proc/self/mem")  # whose first page is never there: EIO
READERS: dict[str, Callable[[Path], object]] = {
    "whole": lambda path: read_file(path, 10),
    "digest": file_digest,
    "lines": lines,
    "blocks": lambda path: list(read_blocks(path)),
    "line blocks": read_blockwise,
    "key": lambda path: read_key_file(path, 10),
}


@pytest.mark.skipif(not BAD.exists(), reason="needs a file that cannot be read")
@pytest.mark.parametrize("how", READERS)
def test_a_file_that_cannot_be_read_on_is_a_usage_error(how: str) -> None:
    """As on a bad disk: the system opens it, and then reads nothing."""
    with pytest.raises(UsageError) as caught:
        READERS[how](BAD)
    assert (caught.value.code, caught.value.problems[0].file) == ("unreadable", str(BAD))


@pytest.mark.skipif(not BAD.exists(), reason="needs a file that cannot be read")
def test_what_is_read_to_its_end_has_the_same_error() -> None:
    """However it is read."""
    with pytest.raises(UsageError, match="/proc/self/mem"), open_input(BAD) as handle:
        handle.read()


def test_what_else_goes_wrong_while_a_file_is_read_is_not_an_error_of_that_file(tmp_path: Path) -> None:
    """Such as a full disk on which something is written meanwhile."""
    (tmp_path / "file").write_bytes(b"x")
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="No space") as caught, open_input(tmp_path / "file") as handle:
        assert handle.read() == b"x"
        raise full
    assert caught.value is full


def test_an_empty_path_is_told_as_such() -> None:
    """And not as the folder that one is in."""
    with pytest.raises(UsageError, match="the path is empty") as caught:
        read_file("", 10)
    assert caught.value.code == "bad_path"


def test_nothing_is_written_over_unless_asked_for(tmp_path: Path) -> None:
    """An existing file, and even a dangling link, is kept."""
    path = tmp_path / "file"
    write_lines(path, [b"first"])
    with pytest.raises(UsageError) as caught:
        write_lines(path, [b"second"])
    assert caught.value.code == "exists"
    assert path.read_bytes() == b"first\n"
    write_lines(path, [b"second"], overwrite=True)
    assert path.read_bytes() == b"second\n"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError):
        write_lines(link, [b"x"])


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_failure_midway_leaves_nothing_behind(tmp_path: Path, overwrite: bool) -> None:
    """Neither a new file nor a temporary one; an old file stays as it was."""
    path = tmp_path / "file"
    if overwrite:
        write_lines(path, [b"old"])

    def source() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        write_lines(path, source(), overwrite=overwrite)
    assert names(tmp_path) == (["file"] if overwrite else [])
    assert not overwrite or path.read_bytes() == b"old\n"


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    """While it is written, nothing stands under its name."""
    path = tmp_path / "file"
    with atomic_output(path, overwrite=False) as write:
        write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert names(tmp_path) == ["file"]


def test_a_file_that_somebody_else_made_in_the_meantime_is_kept(tmp_path: Path) -> None:
    """The check at the end cannot be outrun."""
    path = tmp_path / "file"

    def late() -> Iterator[bytes]:
        yield b"ours"
        path.write_bytes(b"theirs")

    with pytest.raises(UsageError) as caught:
        write_lines(path, late())
    assert caught.value.code == "exists"
    assert path.read_bytes() == b"theirs"
    assert names(tmp_path) == ["file"]


def test_of_many_writers_one_wins_and_the_others_are_told(tmp_path: Path) -> None:
    """Ten threads write one name: one file, whole, and nine errors."""
    path = tmp_path / "file"
    ends: list[str] = []
    start = threading.Barrier(10)

    def write(number: int) -> None:
        start.wait()
        try:
            write_lines(path, [b"%d" % number] * 1000)
            ends.append("written")
        except UsageError as error:
            ends.append(error.code)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["exists"] * 9 + ["written"]
    assert len(set(lines(path))) == 1
    assert len(lines(path)) == 1000


def test_a_folder_that_is_missing_is_a_usage_error(tmp_path: Path) -> None:
    """Nothing is made on the way."""
    with pytest.raises(UsageError) as caught:
        write_lines(tmp_path / "missing" / "file", [b"x"])
    assert caught.value.code == "unwritable"
    assert names(tmp_path) == []
