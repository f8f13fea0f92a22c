"""The answer store: what was put comes back, what was spent is counted, and what is damaged is never given back."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robust import UsageError
from robust.canon import MAX_SAFE_INTEGER
from robust.store.cache import MAX_NOTICES, AnswerStore
from robust.store.cache_file import MAX_VALUE_BYTES, put_entry
from robust.store.cache_writer import MAX_WAITING_BYTES


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file for a store; nothing but the database is left beside it by a store that was closed."""
    yield tmp_path / "answers.sqlite"
    names = [item.name for item in tmp_path.iterdir()]
    assert [name for name in names if name.endswith(("-wal", "-shm", ".partial"))] == []


def edit(path: Path, statement: str, *values: object) -> None:
    """What somebody does to the file by hand."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def rows(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(statement).fetchall()


def fill(path: Path, count: int = 3, **options: Any) -> dict[str, bytes]:
    """A closed store of small answers that cost one call, two tokens and 0.1 each."""
    answers = {f"key-{number}": f'{{"answer":{number}}}'.encode() for number in range(count)}
    with AnswerStore(path, **options) as store:
        for key, value in answers.items():
            store.put(key, value, spent=(1, 2, 0.1))
    return answers


def code_of(caught: pytest.ExceptionInfo[UsageError], path: Path) -> str:
    assert caught.value.problems[0].file == str(path)
    assert caught.value.problems[0].hint
    return caught.value.code


def test_what_was_put_comes_back_at_once_and_in_the_next_life(path: Path) -> None:
    """Before it is on disk, after, and when the file is opened again; other keys have nothing."""
    store = AnswerStore(path)
    for key, value in (("a", b"1"), ("b", b""), ("ü/\x00 ", bytes(range(256))), ("a", b"2")):
        store.put(key, value)
        assert store.get(key) == value
    store.flush()
    assert (store.get("a"), store.get("b"), store.get("ü/\x00 "), store.get("A")) == (
        b"2",
        b"",
        bytes(range(256)),
        None,
    )
    store.close()
    with AnswerStore(path) as again:
        assert (again.get("a"), again.get("b"), again.get("ü/\x00 ")) == (b"2", b"", bytes(range(256)))
        assert (again.get("c"), again.damaged, again.notices) == (None, 0, [])


def test_a_store_makes_its_folder(tmp_path: Path) -> None:
    """As a run does with its own."""
    with AnswerStore(tmp_path / "a" / "b" / "answers.sqlite") as store:
        store.put("a", b"1")


@pytest.mark.parametrize("name", [":memory:", "file:answers?mode=memory", "ünï cödé", "a" * 200, "\udcff"])
def test_any_name_of_a_file_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Also one that means something else to SQLite, a relative one, and one that is no UTF-8."""
    monkeypatch.chdir(tmp_path)
    fill(Path(name))
    assert name in [item.name for item in tmp_path.iterdir()]
    with AnswerStore(tmp_path / name) as store:
        assert store.get("key-1") is not None


def test_an_empty_file_becomes_a_cache(path: Path) -> None:
    """Such as mktemp makes."""
    path.touch()
    fill(path)
    with AnswerStore(path) as store:
        assert store.get("key-1") is not None


def test_large_answers_wait_within_bounds(path: Path) -> None:
    """More than may wait at a time: who puts waits for the disk, and everything arrives."""
    size = MAX_WAITING_BYTES // 8
    with AnswerStore(path) as store:
        for number in range(12):
            store.put(str(number), bytes([number]) * size)
    with AnswerStore(path) as again:
        assert all(again.get(str(number)) == bytes([number]) * size for number in range(12))


def test_what_waits_for_the_disk_is_bounded(path: Path) -> None:
    """While another process holds the file, whoever puts too much waits with it, and is told when it fails."""
    mebibyte, accepted = bytes(1024 * 1024), 0
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        store = AnswerStore(path, wait_s=0.3)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError) as caught, store:
            for number in range(200):
                store.put(str(number), mebibyte)
                accepted += 1
        holder.execute("ROLLBACK")
    assert code_of(caught, path) == "in_use"
    assert accepted <= MAX_WAITING_BYTES // len(mebibyte) + 1


def test_an_answer_past_the_limit_is_refused(path: Path) -> None:
    """And harms nothing."""
    with AnswerStore(path) as store:
        with pytest.raises(UsageError) as caught:
            store.put("a", bytes(MAX_VALUE_BYTES + 1))
        assert code_of(caught, path) == "too_large"
        store.put("a", b"1")


def test_what_was_spent_is_added_exactly(path: Path) -> None:
    """Three times 0.1 is 0.3, over lives, with an answer and without one."""
    for life in range(1, 4):
        with AnswerStore(path) as store:
            store.put("a", b"1", spent=(1, 10, 0.1))
            store.add_spent(2, 0, 0.0)
            assert store.spent() == {"calls": 3 * life, "tokens": 10 * life, "cost": [0.1, 0.2, 0.3][life - 1]}
    with AnswerStore(path) as store:
        for cost in (1e300, 1e-300, 5e-324):
            store.add_spent(0, 0, cost)
    with AnswerStore(path) as store:
        assert store.spent() == {"calls": 9, "tokens": 30, "cost": 1e300}


def test_counts_stop_at_what_a_report_can_hold(path: Path) -> None:
    """However much a server says that it used."""
    for _ in range(2):
        with AnswerStore(path) as store:
            store.add_spent(1, MAX_SAFE_INTEGER, 1.7e308)
    with AnswerStore(path) as store:
        assert store.spent()["tokens"] == MAX_SAFE_INTEGER
        assert 1.7e308 < store.spent()["cost"] < float("inf")


@pytest.mark.parametrize(
    "spent", [(-1, 0, 0.0), (0, -1, 0.0), (0, 0, -0.5), (0, 0, float("nan")), (0, 0, float("inf")), (True, 0, 0.0)]
)
def test_a_price_that_is_none_is_refused(path: Path, spent: tuple[int, int, float]) -> None:
    """Nothing is counted and nothing kept."""
    with AnswerStore(path) as store:
        for spend in (partial(store.put, "a", b"1", spent=spent), partial(store.add_spent, *spent)):
            with pytest.raises(UsageError) as caught:
                spend()
            assert caught.value.code == "bad_spent"
        assert (store.get("a"), store.spent()) == (None, {"calls": 0, "tokens": 0, "cost": 0.0})


DAMAGE = {
    "another value": "UPDATE answers SET value = x'7b7d' WHERE key = 'key-1'",
    "a cut value": "UPDATE answers SET value = CAST(substr(value, 1, 5) AS BLOB) WHERE key = 'key-1'",
    "an empty value": "UPDATE answers SET value = x'' WHERE key = 'key-1'",
    "text": "UPDATE answers SET value = CAST(value AS TEXT) WHERE key = 'key-1'",
    "text that is no UTF-8": "UPDATE answers SET value = CAST(x'ff' AS TEXT) WHERE key = 'key-1'",
    "a number": "UPDATE answers SET value = 7 WHERE key = 'key-1'",
    "a value past all limits": "UPDATE answers SET value = zeroblob(16777217) WHERE key = 'key-1'",
    "another digest": "UPDATE answers SET digest = 'sha256:' || hex(zeroblob(32)) WHERE key = 'key-1'",
    "a digest in capitals": "UPDATE answers SET digest = upper(digest) WHERE key = 'key-1'",
    "a digest of bytes": "UPDATE answers SET digest = CAST(digest AS BLOB) WHERE key = 'key-1'",
    "a digest that is no UTF-8": "UPDATE answers SET digest = CAST(x'ff' AS TEXT) WHERE key = 'key-1'",
    "another's answer": "UPDATE answers SET (value, digest) = "
    "(SELECT value, digest FROM answers WHERE key = 'key-2') WHERE key = 'key-1'",
}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_answer_is_set_aside_and_asked_again(path: Path, statement: str) -> None:
    """B3: counted once, named, gone; the others are as they were, and a new answer takes its place."""
    answers = fill(path)
    edit(path, statement)
    with AnswerStore(path) as store:
        assert store.get("key-1") is None
        assert store.get("key-1") is None
        assert store.damaged == 1
        [notice] = store.notices
        assert str(path) in notice
        assert "key-1" in notice
        assert [store.get(key) for key in ("key-0", "key-2")] == [answers["key-0"], answers["key-2"]]
        store.flush()
        assert store.get("key-1") is None
        store.put("key-1", b"new")
    assert rows(path, "SELECT count(*) FROM answers") == [(3,)]
    with AnswerStore(path) as again:
        assert (again.get("key-1"), again.damaged, again.notices) == (b"new", 0, [])


def test_a_flipped_bit_in_the_file_is_noticed(path: Path) -> None:
    """Each bit of a stored answer and of its digest, on the disk itself."""
    answers = fill(path)
    content = path.read_bytes()
    at = content.index(answers["key-1"])
    assert content.count(answers["key-1"]) == 1
    digest_at = at + len(answers["key-1"])
    assert content[digest_at:].startswith(b"sha256:")
    for place in (at, at + 3, digest_at - 1, digest_at, digest_at + 70):
        for bit in (0, 5):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            with AnswerStore(path) as store:
                assert store.get("key-1") is None
                assert store.damaged == 1
                assert store.get("key-2") == answers["key-2"]


def test_a_good_answer_that_came_meanwhile_is_not_set_aside(path: Path) -> None:
    """Another process has asked again before this one gets to remove what it found damaged."""
    fill(path)
    edit(path, "UPDATE answers SET value = x'00' WHERE key = 'key-1'")
    with AnswerStore(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        # The removal waits for this lock.
        other.execute("BEGIN IMMEDIATE")
        assert store.get("key-1") is None
        put_entry(other, "answers", "key-1", b"new")
        other.execute("COMMIT")
        store.flush()
        assert (store.get("key-1"), store.damaged) == (b"new", 1)


def test_a_new_answer_counts_at_once_where_a_damaged_one_was(path: Path) -> None:
    """Its own put is seen, whether or not the damaged one is removed by then."""
    fill(path)
    for value in (b"new", b"newer"):
        edit(path, "UPDATE answers SET value = x'00' WHERE key = 'key-1'")
        with AnswerStore(path) as store:
            assert store.get("key-1") is None
            store.put("key-1", value)
            assert store.get("key-1") == value
            store.flush()
            assert store.get("key-1") == value
            assert store.damaged == 1


def test_only_a_run_counts_over_its_lives_how_much_was_damaged(path: Path) -> None:
    """The report of a run that was continued says it too; a shared file has another story for each run."""
    for working, after in ((True, 1), (False, 0)):
        fill(path, working=working)
        edit(path, "UPDATE answers SET value = x'00' WHERE key = 'key-1'")
        with AnswerStore(path, working=working) as store:
            assert store.get("key-1") is None
            assert store.damaged == 1
        with AnswerStore(path, working=working) as again:
            assert again.damaged == after
            assert len(again.notices) == after
        path.unlink()


def test_notices_are_bounded(path: Path) -> None:
    """A million damaged answers are counted, not told one by one."""
    fill(path, MAX_NOTICES + 10)
    edit(path, "UPDATE answers SET value = x'00'")
    with AnswerStore(path) as store:
        assert {store.get(f"key-{number}") for number in range(MAX_NOTICES + 10)} == {None}
        assert store.damaged == MAX_NOTICES + 10
        assert len(store.notices) == MAX_NOTICES + 1


FEWER = "value = CAST(replace(value, '\"calls\":3', '\"calls\":0') AS BLOB)"


@pytest.mark.parametrize("change", ["value = x'7b7d'", "value = NULL OR 1", "digest = 'x'", FEWER])
def test_counts_that_are_damaged_are_not_forgotten(path: Path, change: str) -> None:
    """A run's own file: each stored answer took a call at the least; that this was guessed is said once."""
    fill(path, working=True)
    edit(path, f"UPDATE spent SET {change}")  # noqa: S608
    with AnswerStore(path, working=True) as store:
        assert store.spent() == {"calls": 3, "tokens": 0, "cost": 0.0}
        assert len(store.notices) == 1
    with AnswerStore(path, working=True) as again:
        assert (again.spent()["calls"], again.notices) == (3, [])


def test_counts_that_are_damaged_meanwhile_go_on_from_what_was_known(path: Path) -> None:
    """The next transaction writes them anew."""
    with AnswerStore(path) as store:
        store.add_spent(2, 0, 0.25)
        store.flush()
        edit(path, "UPDATE spent SET value = x'00'")
        store.add_spent(1, 0, 0.25)
    with AnswerStore(path) as again:
        assert again.spent() == {"calls": 3, "tokens": 0, "cost": 0.5}


def test_several_threads_may_use_one_store(path: Path) -> None:
    """Each sees its own puts at once; nothing is lost and every call is counted."""
    failures: list[object] = []

    def work(store: AnswerStore, name: int) -> None:
        for number in range(100):
            store.put(f"{name}/{number}", f"{name}-{number}".encode(), spent=(1, 1, 0.1))
            if store.get(f"{name}/{number}") != f"{name}-{number}".encode():
                failures.append((name, number))

    with AnswerStore(path) as store:
        threads = [threading.Thread(target=work, args=(store, name)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
    with AnswerStore(path) as again:
        assert again.spent() == {"calls": 800, "tokens": 800, "cost": 80.0}
        assert again.get("7/99") == b"7-99"


def test_a_loop_can_wait_for_the_disk(path: Path) -> None:
    """Many tasks at once, some of which give up waiting; what has been waited for is in the file."""

    async def work(store: AnswerStore, number: int) -> bool:
        store.put(str(number), b"1", spent=(1, 0, 0.0))
        waiting = asyncio.ensure_future(asyncio.wrap_future(store.on_disk()))
        if number % 5 == 0:
            waiting.cancel()
            return True
        await waiting
        return rows(path, f"SELECT count(*) FROM answers WHERE key = '{number}'") == [(1,)]  # noqa: S608

    async def everything(store: AnswerStore) -> list[bool]:
        return await asyncio.gather(*(work(store, number) for number in range(50)))

    with AnswerStore(path) as store:
        assert asyncio.run(everything(store)) == [True] * 50
        assert store.on_disk().result() is None
    with AnswerStore(path) as again:
        assert again.spent()["calls"] == 50


def test_a_store_that_was_closed_says_so(path: Path) -> None:
    """Closing twice does no harm; using it is an error, not a crash."""
    store = AnswerStore(path)
    store.put("a", b"1")
    store.close()
    store.close()
    store.flush()
    uses: list[Callable[[], object]] = [
        partial(store.put, "a", b"1"),
        partial(store.get, "a"),
        partial(store.add_spent, 1, 0, 0.0),
    ]
    for use in uses:
        with pytest.raises(UsageError) as caught:
            use()
        assert caught.value.problems[0].file == str(path)


def test_what_ends_a_block_is_what_is_seen(path: Path) -> None:
    """And what was put before is kept, as when a run is interrupted."""
    with pytest.raises(KeyboardInterrupt), AnswerStore(path) as store:
        store.put("a", b"1", spent=(1, 0, 0.0))
        raise KeyboardInterrupt
    with AnswerStore(path) as again:
        assert (again.get("a"), again.spent()["calls"]) == (b"1", 1)
