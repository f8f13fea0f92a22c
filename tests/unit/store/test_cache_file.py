"""The file of an answer store: foreign, damaged, locked and full ones are told apart, and none is harmed."""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from robust import UsageError
from robust.store.cache import AnswerStore
from tests.programs import UNMEASURED, python
from tests.unit.store.test_cache import code_of, edit, fill, rows


def pages(path: Path, count: int = 400) -> dict[str, bytes]:
    """A closed working file of many pages."""
    answers = {f"key-{number}": random.Random(number).randbytes(500) for number in range(count)}
    with AnswerStore(path, working=True) as store:
        for key, value in answers.items():
            store.put(key, value, spent=(1, 0, 0.0))
    return answers


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def other_database(path: Path) -> None:
    edit(path, "CREATE TABLE answers (key TEXT, value BLOB)")


def with_a_trigger(path: Path) -> None:
    fill(path)
    edit(path, "CREATE TRIGGER gone AFTER INSERT ON answers BEGIN DELETE FROM answers; END")


def with_a_view(path: Path) -> None:
    fill(path)
    edit(path, "ALTER TABLE answers RENAME TO kept")
    edit(path, "CREATE VIEW answers AS SELECT * FROM kept")


def torn(path: Path) -> None:
    pages(path)
    os.truncate(path, path.stat().st_size // 2)


def torn_head(path: Path) -> None:
    fill(path)
    os.truncate(path, 50)


def text(path: Path) -> None:
    path.write_text("These are notes of mine.\n" * 400, encoding="utf-8")


def other_head(path: Path) -> None:
    fill(path)
    edit(path, "PRAGMA application_id = 7")


WRONG = {
    other_database: "not_a_cache",
    other_head: "not_a_cache",
    with_a_trigger: "damaged_cache",
    with_a_view: "damaged_cache",
    torn: "damaged_cache",
    torn_head: "damaged_cache",
    text: "damaged_cache",
}


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_file_that_is_no_cache_is_an_error_and_stays_as_it_is(tmp_path: Path, make: object) -> None:
    """Who names a wrong file by mistake loses nothing."""
    path = tmp_path / "file"
    assert callable(make)
    make(path)
    before = path.read_bytes()
    with pytest.raises(UsageError) as caught:
        AnswerStore(path)
    assert code_of(caught, path) == WRONG[make]
    assert path.read_bytes() == before
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_a_damaged_working_file_is_set_aside(tmp_path: Path, make: object) -> None:
    """It is the run's own: kept beside the new one, with a notice, time after time."""
    path = tmp_path / "answers.sqlite"
    assert callable(make)
    for number in (1, 2):
        path.unlink(missing_ok=True)
        make(path)
        before = path.read_bytes()
        with AnswerStore(path, working=True) as store:
            store.put("new", b"1")
            assert f"set aside as answers.sqlite.damaged-{number}" in "".join(store.notices)
        assert path.with_name(f"answers.sqlite.damaged-{number}").read_bytes() == before
        with AnswerStore(path, working=True) as again:
            assert again.get("new") == b"1"
            assert [notice for notice in again.notices if "damaged-1" in notice]
    assert names(tmp_path) == ["answers.sqlite", "answers.sqlite.damaged-1", "answers.sqlite.damaged-2"]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_torn_working_file_keeps_what_can_still_be_read(tmp_path: Path, share: float) -> None:
    """What was paid for and can be read is not paid again; nothing that was not put is ever given."""
    path = tmp_path / "answers.sqlite"
    answers = pages(path)
    os.truncate(path, int(path.stat().st_size * share))
    with AnswerStore(path, working=True) as store:
        found = {key: value for key in answers if (value := store.get(key)) is not None}
        assert found.items() <= answers.items()
        assert len(found) > len(answers) * share / 2
        assert f"{len(found)} answers were kept" in store.notices[0]
        assert len(found) <= store.spent()["calls"] <= len(answers)
        assert store.damaged == 0


def test_a_working_file_whose_index_is_damaged_keeps_everything(tmp_path: Path) -> None:
    """The answers are all there, but some could no longer be found; they are not paid again."""
    path = tmp_path / "answers.sqlite"
    answers = fill(path, 50, working=True)
    [(page,)] = rows(path, "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'answers'")
    content = bytearray(path.read_bytes())
    at = content.index(b"key-7", (page - 1) * 4096)
    assert at < page * 4096
    content[at] ^= 1
    path.write_bytes(content)
    with AnswerStore(path, working=True) as store:
        assert {key: store.get(key) for key in answers} == answers
        assert (store.damaged, store.spent()["calls"]) == (0, 50)
        assert "50 answers were kept" in store.notices[0]


def test_any_damage_to_a_working_file_is_survived(tmp_path: Path) -> None:
    """Bytes flipped anywhere, ends cut off anywhere: each answer is the right one or is asked again."""
    path = tmp_path / "whole"
    answers = pages(path, 60)
    whole = path.read_bytes()
    for seed in range(24):
        stream = random.Random(seed)
        damaged = bytearray(whole)
        if seed % 4 == 0:
            del damaged[stream.randrange(len(damaged)) :]
        else:
            # The head and the first page are a small part of the file, and the most delicate one.
            end = 4096 if seed % 2 else len(damaged)
            for _ in range(stream.choice((1, 3, 40))):
                damaged[stream.randrange(end)] ^= stream.randrange(1, 256)
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "answers.sqlite").write_bytes(damaged)
        try:
            with AnswerStore(folder / "answers.sqlite", working=True) as store:
                assert {key: value for key in answers if (value := store.get(key))}.items() <= answers.items()
                store.put("new", b"1")
        except UsageError as error:
            # The version itself was hit.
            assert error.code == "other_version", seed
            continue
        with AnswerStore(folder / "answers.sqlite", working=True) as again:
            assert again.get("new") == b"1", seed


def test_a_file_of_another_version_is_left_to_its_program(tmp_path: Path) -> None:
    """Also a working file: what was paid for is not thrown away because of an update."""
    path = tmp_path / "answers.sqlite"
    fill(path)
    edit(path, "PRAGMA user_version = 2")
    before = path.read_bytes()
    for working in (False, True):
        with pytest.raises(UsageError) as caught:
            AnswerStore(path, working=working)
        assert code_of(caught, path) == "other_version"
    assert path.read_bytes() == before


@pytest.mark.parametrize("working", [False, True])
def test_what_is_no_file_is_refused(tmp_path: Path, working: bool) -> None:
    """A folder, a pipe, a place below a file, a name with a NUL."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    for name in ("folder", "pipe", "file/answers.sqlite"):
        with pytest.raises(UsageError) as caught:
            AnswerStore(tmp_path / name, working=working)
        assert code_of(caught, tmp_path / name) == "unwritable"
    with pytest.raises(UsageError) as caught:
        AnswerStore(tmp_path / "a\x00b", working=working)
    assert caught.value.code == "bad_path"


def test_statistics_that_somebody_made_are_no_harm(tmp_path: Path) -> None:
    """ANALYZE leaves tables of its own."""
    path = tmp_path / "answers.sqlite"
    answers = fill(path)
    edit(path, "ANALYZE")
    with AnswerStore(path, working=True) as store:
        assert store.get("key-1") == answers["key-1"]
        assert store.notices == []


def test_a_file_that_another_program_holds_is_an_error_after_a_while(tmp_path: Path) -> None:
    """When opening, and when writing: nothing waits for ever, and what was not written is not lost in silence."""
    path = tmp_path / "answers.sqlite"
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError) as caught:
            AnswerStore(path, wait_s=0.05)
        assert code_of(caught, path) == "in_use"
        holder.execute("ROLLBACK")
        store = AnswerStore(path, wait_s=0.05)
        holder.execute("BEGIN IMMEDIATE")
        assert store.get("key-1") is not None
        store.put("new", b"1")
        assert isinstance(store.on_disk().exception(), UsageError)
        for use in (
            store.flush,
            store.on_disk().result,
            partial(store.put, "more", b"2"),
            partial(store.add_spent, 1, 0, 0.0),
            store.close,
        ):
            with pytest.raises(UsageError) as caught:
                use()
            assert code_of(caught, path) == "in_use"
        holder.execute("ROLLBACK")
    with AnswerStore(path) as again:
        assert again.get("new") is None


def test_an_error_of_the_writer_is_never_lost(tmp_path: Path) -> None:
    """It ends a block that would have ended well, or was stopped; an error of the block comes first, with a note."""
    path = tmp_path / "answers.sqlite"
    fill(path)
    ends: list[tuple[BaseException | None, type[BaseException]]] = [
        (None, UsageError),
        (KeyboardInterrupt(), UsageError),
        (ZeroDivisionError(), ZeroDivisionError),
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        for end, expected in ends:
            with pytest.raises(expected) as caught, AnswerStore(path, wait_s=0.05) as store:
                holder.execute("BEGIN IMMEDIATE")
                store.put("new", b"1")
                if end is not None:
                    raise end
            holder.execute("ROLLBACK")
            said = [str(caught.value), *getattr(caught.value, "__notes__", ())]
            assert "another program holds the cache" in "".join(said)


def test_a_file_that_others_read_in_the_old_mode_works_too(tmp_path: Path) -> None:
    """The write-ahead log cannot be turned on then, and the next one to open the file does it."""
    path = tmp_path / "answers.sqlite"
    fill(path)
    edit(path, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM answers").fetchall()
        store = AnswerStore(path, wait_s=0.05)
        reader.execute("ROLLBACK")
    with store:
        assert rows(path, "PRAGMA journal_mode") == [("delete",)]
        store.put("new", b"1")
        store.flush()
        assert store.get("new") == b"1"
    with AnswerStore(path) as again:
        assert again.get("new") == b"1"
        assert rows(path, "PRAGMA journal_mode") == [("wal",)]


WITHOUT_SHARED_MEMORY = """
import resource, sys
from pathlib import Path
from robust.store.cache import AnswerStore
from tests.unit.store.test_cache import rows
# The index of a write-ahead log takes 32 KiB, and no file may have more than 28 here.
resource.setrlimit(resource.RLIMIT_FSIZE, (28672, 28672))
for value in (b"1", b"2"):
    with AnswerStore(sys.argv[1], working=True) as store:
        print(store.get("a"), store.notices)
        store.put("a", value)
        store.flush()
        print(store.get("a"), rows(Path(sys.argv[1]), "PRAGMA journal_mode"))
"""


def test_a_file_system_without_shared_memory_is_good_enough(tmp_path: Path) -> None:
    """Where a write-ahead log cannot be kept, the older journal is."""
    done = python(WITHOUT_SHARED_MEMORY, str(tmp_path / "answers.sqlite"), **UNMEASURED)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["None []", "b'1' [('delete',)]", "b'1' []", "b'2' [('delete',)]"]
    assert names(tmp_path) == ["answers.sqlite"]


FULL = """
import resource, sys
from robust import UsageError
from robust.store.cache import AnswerStore
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for limit in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    kept = 0
    try:
        with AnswerStore(f"{sys.argv[1]}/{limit}.sqlite") as store:
            for number in range(100_000):
                store.put(str(number), b"x" * 1000, spent=(1, 0, 0.0))
                if number % 50 == 0:
                    store.flush()
                    kept = number
    except UsageError as error:
        print(kept, error.code, error.problems[0].file)
"""


def test_a_full_disk_is_an_error_and_loses_nothing_that_was_flushed(tmp_path: Path) -> None:
    """A limit on the size of files stands for it: one clear error, and a file that opens again."""
    done = python(FULL, str(tmp_path), "1000", "5000", "40000", "300000", "3000000", **UNMEASURED)
    assert done.stderr == ""
    ends = [line.split() for line in done.stdout.splitlines()]
    assert [int(kept) for kept, _, _ in ends] == sorted(int(kept) for kept, _, _ in ends)
    assert int(ends[-1][0]) > 500
    for (kept, code, file), limit in zip(ends, (1000, 5000, 40_000, 300_000, 3_000_000), strict=True):
        path = tmp_path / f"{limit}.sqlite"
        assert (code, file) == ("unwritable", str(path))
        with AnswerStore(path, working=True) as store:
            assert store.notices == []
            assert [(store.spent()["calls"],)] == rows(path, "SELECT count(*) FROM answers")
            assert all(store.get(str(number)) == b"x" * 1000 for number in range(int(kept)))


FORBIDDEN = """
import os, sys
from robust import UsageError
from robust.store.cache import AnswerStore
if os.geteuid() == 0:
    os.seteuid(65534)
for path in sys.argv[1:]:
    for working in (False, True):
        try:
            AnswerStore(path, working=working)
        except UsageError as error:
            print(error.code, error.problems[0].file)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, other than those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_what_may_not_be_written_is_an_error_at_once(open_folder: Path) -> None:
    """Before anything is paid for: a folder, a file in such a folder, a file in a good one, a folder to be made."""
    closed, free = open_folder / "closed", open_folder / "free"
    closed.mkdir()
    free.mkdir()
    for file in (closed / "old.sqlite", free / "old.sqlite"):
        fill(file)
        file.chmod(0o444)
    before = (free / "old.sqlite").read_bytes()
    closed.chmod(0o555)
    free.chmod(0o777)
    paths = [closed / "new.sqlite", closed / "old.sqlite", free / "old.sqlite", closed / "sub" / "new.sqlite"]
    done = python(FORBIDDEN, *map(str, paths), **UNMEASURED)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"unwritable {path}" for path in paths for _ in range(2)]
    assert (free / "old.sqlite").read_bytes() == before
    closed.chmod(0o755)
