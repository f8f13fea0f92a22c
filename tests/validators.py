"""Oracles of many characters, importable by a worker process."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from robust.records.case import Case
from robust.records.verdict import OracleVerdict


def total(case: Case) -> int:
    """The sum of the numbers that an input names."""
    return sum(map(int, re.findall(r"[0-9]+", str(case.input))))


def check_addition(base: Case, candidate: Case) -> OracleVerdict:
    """Derives both sums from the inputs alone."""
    before, after = total(base), total(candidate)
    return OracleVerdict(True, "both sums were recomputed", before, after, {"sums": [before, after]})


class Adder:
    """The same as an object with a declared name and version."""

    name = "adder"
    version = "2.1"

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Derive both sums."""
        return check_addition(base, candidate)


adder = Adder()


async def check_addition_async(base: Case, candidate: Case) -> OracleVerdict:
    """Derives both sums after giving way to other coroutines."""
    await asyncio.sleep(0)
    return check_addition(base, candidate)


def undecided(base: Case, candidate: Case) -> OracleVerdict:
    """Cannot tell."""
    return OracleVerdict(None, "nobody looked at it")


def sleep_for_ever(base: Case, candidate: Case) -> OracleVerdict:
    """Never answers."""
    time.sleep(3600)
    return check_addition(base, candidate)


def sleep_when_asked(base: Case, candidate: Case) -> OracleVerdict:
    """Leaves the worker's process id in a file, and hangs on candidates that ask for it."""
    if "hang" in candidate.metadata:
        Path(candidate.metadata["hang"]).write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(3600)
    return check_addition(base, candidate)


async def sleep_for_ever_async(base: Case, candidate: Case) -> OracleVerdict:
    """Never answers either, but could be cancelled."""
    await asyncio.sleep(3600)
    return check_addition(base, candidate)


def crash(base: Case, candidate: Case) -> NoReturn:
    """Ends its process without a word."""
    os._exit(7)


def chatter(base: Case, candidate: Case) -> OracleVerdict:
    """Prints, in text and in bytes, what could be mistaken for an answer."""
    print('{"verdict":null,"failures":[],"raised":null}', flush=True)  # noqa: T201
    os.write(1, b"noise without a line feed")
    return check_addition(base, candidate)


def interrupt(base: Case, candidate: Case) -> NoReturn:
    """Is interrupted."""
    raise KeyboardInterrupt


async def interrupt_async(base: Case, candidate: Case) -> NoReturn:
    """Is interrupted inside a coroutine."""
    raise KeyboardInterrupt


def leave(base: Case, candidate: Case) -> NoReturn:
    """Asks the whole program to exit."""
    raise SystemExit(7)


async def leave_async(base: Case, candidate: Case) -> NoReturn:
    """Asks the whole program to exit, from inside a coroutine."""
    raise SystemExit(7)


def tell_process(base: Case, candidate: Case) -> OracleVerdict:
    """Shows as evidence in which process it ran."""
    return OracleVerdict(True, "ran", 1, 1, {"pid": os.getpid()})


def log_then_check(base: Case, candidate: Case) -> OracleVerdict:
    """Notes in a file each time that it is asked, slowly enough to be killed in between."""
    with Path(base.metadata["log"]).open("a", encoding="utf-8") as log:
        log.write(f"{candidate.case_id}\n")
    time.sleep(float(base.metadata.get("pause", 0)))
    return check_addition(base, candidate)


def touch_deep_metadata(base: Case, candidate: Case) -> OracleVerdict:
    """Changes its copy three levels down."""
    deep: Any = base.metadata
    deep["outer"]["inner"][0]["leaf"] = "changed"
    return check_addition(base, candidate)


def die_once(base: Case, candidate: Case) -> OracleVerdict:
    """Kills its own process the first time that it meets a marked candidate; notes every finished answer in a file."""
    mark = Path(candidate.metadata["mark"]) if "mark" in candidate.metadata else None
    if mark is not None and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    answer = check_addition(base, candidate)
    with Path(base.metadata["log"]).open("a", encoding="utf-8") as log:
        log.write(f"{candidate.case_id}\n")
    return answer


def pause(base: Case, candidate: Case) -> OracleVerdict:
    """Takes as long as the candidate says."""
    time.sleep(candidate.metadata["pause"])
    return check_addition(base, candidate)


def sleep_stubbornly(base: Case, candidate: Case) -> OracleVerdict:
    """Does not end when asked to, and has a child that would outlive it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    Path(candidate.metadata["noted"]).write_text(f"{os.getpid()} {child.pid}", encoding="utf-8")
    time.sleep(3600)
    return check_addition(base, candidate)
