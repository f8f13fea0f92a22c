"""Killed and crowded stores: real processes, killed with signal 9 at seeded moments or writing all at once."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

from robust.store.cache import AnswerStore
from tests.programs import python, start_python
from tests.unit.store.test_cache import rows

# Each life puts answers, each with its price, and reports after every flush how many are safe. It is killed after a
# seeded time; whoever looks next finds everything that was reported, and a price for exactly what is there.
LIVES = """
import os, random, select, signal, sys, time
from robust.store.cache import AnswerStore
path, lives = sys.argv[1], int(sys.argv[2])

def live(life, report):
    with AnswerStore(path, working=True) as store:
        for number in range(1_000_000):
            store.put(f"{life}/{number}", f"answer {life}/{number}".encode() * 40, spent=(1, 3, 0.1))
            if number % (1 + life % 7) == 0:
                store.flush()
                os.write(report, number.to_bytes(4, "big"))

promised = {}
killed_early = 0
for life in range(lives):
    stream = random.Random(life)
    reading, report = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            live(life, report)
        finally:
            os._exit(1)
    os.close(report)
    if life % 3:
        select.select([reading], [], [], 30)  # until something was promised
        time.sleep(stream.random() * 0.03)
    else:
        time.sleep(stream.random() * 0.02)  # perhaps while it is being opened
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    whole = len(data) // 4 * 4
    last = int.from_bytes(data[whole - 4:whole], "big") if whole else -1
    killed_early += last < 0
    promised[life] = last
    if life % 5 == 4:
        with AnswerStore(path, working=True) as store:
            assert store.notices == [], store.notices
print(killed_early)
for life, last in promised.items():
    print(life, last)
"""


def test_a_killed_store_keeps_what_was_flushed_and_counts_what_it_holds(tmp_path: Path) -> None:
    """B4: forty lives of one file, each ended by signal 9: nothing promised is lost, each call is counted once."""
    path = tmp_path / "answers.sqlite"
    done = python(LIVES, str(path), "40")
    assert (done.returncode, done.stderr) == (0, "")
    early, *lives = done.stdout.splitlines()
    promised = {int(life): int(last) for life, last in (line.split() for line in lives)}
    assert len(promised) == 40
    assert int(early) < 20
    with AnswerStore(path, working=True) as store:
        assert (store.notices, store.damaged) == ([], 0)
        for life, last in promised.items():
            for number in range(last + 1):
                assert store.get(f"{life}/{number}") == f"answer {life}/{number}".encode() * 40
        [(stored,)] = rows(path, "SELECT count(*) FROM answers")
        assert stored >= sum(last + 1 for last in promised.values()) >= 26
        assert store.spent() == {"calls": stored, "tokens": 3 * stored, "cost": round(stored * 0.1, 1)}


KILLED_ONCE = """
import os, signal, sys
from robust.store.cache import AnswerStore
store = AnswerStore(sys.argv[1], working=True)
for number in range(60):
    store.put(str(number), str(number).encode() * 300, spent=(1, 0, 0.0))
    if number % 4 == 0:
        store.flush()
store.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_torn_log_leaves_whole_transactions(tmp_path: Path) -> None:
    """The log of a killed process, cut or spoilt anywhere: a beginning of the answers is left, each with its price."""
    killed = tmp_path / "killed"
    killed.mkdir()
    assert python(KILLED_ONCE, str(killed / "answers.sqlite")).returncode == -signal.SIGKILL
    files = {item.name: item.read_bytes() for item in killed.iterdir()}
    assert set(files) == {"answers.sqlite", "answers.sqlite-wal", "answers.sqlite-shm"}
    log = files["answers.sqlite-wal"]
    held = set()
    for seed in range(16):
        stream = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        torn = bytearray(log)
        at = stream.randrange(len(log))
        if seed % 2:
            del torn[at:]
        else:
            torn[at] ^= 0x40
        changed = {**files, "answers.sqlite-wal": bytes(torn), "answers.sqlite-shm": stream.randbytes(32768)}
        for name, data in changed.items():
            (folder / name).write_bytes(data)
        with AnswerStore(folder / "answers.sqlite", working=True) as store:
            kept = [number for number in range(60) if store.get(str(number)) == str(number).encode() * 300]
            assert kept == list(range(len(kept)))
            assert (store.spent()["calls"], store.damaged, store.notices) == (len(kept), 0, [])
        held.add(len(kept))
    assert len(held) > 4


CROWD = """
import sys
from robust.store.cache import AnswerStore
path, name = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for life in range(3):
    with AnswerStore(path) as store:
        for number in range(100):
            own, common = f"{name}/{life}/{number}", f"common/{number}"
            assert store.get(own) is None
            store.put(own, own.encode(), spent=(1, 2, 0.1))
            assert store.get(own) == own.encode()
            assert store.get(common) in (None, common.encode())
            store.put(common, common.encode())
            if number % 10 == 0:
                store.flush()
        assert (store.damaged, store.notices) == (0, [])
print("done", flush=True)
"""


def test_several_processes_may_make_and_use_one_file_at_once(tmp_path: Path) -> None:
    """All open a file that does not exist yet, at the same moment: nothing is lost, and nobody is turned away."""
    path = tmp_path / "answers.sqlite"
    crowd = [start_python(CROWD, str(path), str(name)) for name in range(4)]
    try:
        for process in crowd:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in crowd:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.communicate(timeout=60)[0] for process in crowd] == ["done\n"] * 4
    finally:
        for process in crowd:
            process.kill()
            process.wait()
    with AnswerStore(path) as store:
        assert store.spent() == {"calls": 1200, "tokens": 2400, "cost": 120.0}
        for name in range(4):
            for life in range(3):
                own = [f"{name}/{life}/{number}" for number in range(100)]
                assert [store.get(key) for key in own] == [key.encode() for key in own]
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]
    assert [item.name for item in tmp_path.iterdir()] == ["answers.sqlite"]


LEFT = """
import os, signal, sys
from robust.store.cache import AnswerStore
store = AnswerStore(sys.argv[1])
store.put("a", b"1", spent=(1, 0, 0.0))
store.flush()
print("flushed", flush=True)
sys.stdin.readline()
"""


def test_others_go_on_when_one_process_is_killed(tmp_path: Path) -> None:
    """It holds no lock that outlives it."""
    path = tmp_path / "answers.sqlite"
    with AnswerStore(path) as store:
        with start_python(LEFT, str(path)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "flushed\n"
            assert store.get("a") == b"1"
            os.kill(process.pid, signal.SIGKILL)
        store.put("b", b"2", spent=(1, 0, 0.0))
        store.flush()
        assert (store.get("a"), store.get("b")) == (b"1", b"2")
    with AnswerStore(path) as again:
        assert again.spent()["calls"] == 2
