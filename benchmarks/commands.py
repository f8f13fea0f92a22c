"""Whole commands, measured from outside: how long they take, and how much memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

# Often enough for a peak that lasts as long as anything that matters, and not worth mentioning as work.
_SAMPLE_S = 0.02
_PROC = Path("/proc")


class Taken(NamedTuple):
    """What a command took, with all the processes that it started; memory is their resident sizes together."""

    seconds: float
    processor_s: float
    peak_mib: float


def measure(command: Sequence[str | Path], folder: Path) -> Taken:
    """Run a command in a folder: its wall time, its processor time and its peak memory.

    Raises:
        SystemExit: the command did not end with 0.
    """
    messages = folder / "messages.txt"
    with messages.open("wb") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors)
        with _Sampler(process.pid) as sampler:
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = messages.read_text(encoding="utf-8", errors="replace")
        raise SystemExit(f"{Path(command[0]).name} ended with {process.returncode}:\n{said}")
    # Of its processes the system remembers only the largest: exactly, but in KiB on Linux and in bytes on macOS.
    largest = used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Taken(seconds, used.ru_utime + used.ru_stime, max(largest, sampler.peak_mib))


class _Sampler:
    """Watches how much memory a process and all that descend from it have together; where there is no /proc, none."""

    def __init__(self, pid: int) -> None:
        self.peak_mib = 0.0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Sampler:
        if _PROC.is_dir():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        page = os.sysconf("SC_PAGE_SIZE") / 2**20
        while not self._ended.wait(_SAMPLE_S):
            self.peak_mib = max(self.peak_mib, page * sum(map(_resident_pages, _family(self._pid))))


def _family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    try:
        for thread in (_PROC / str(pid) / "task").iterdir():
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield from _family(int(child))
    except OSError:
        # It has just ended.
        return


def _resident_pages(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0


@cache
def robust() -> Path:
    """Our command, which is installed beside this interpreter.

    Its modules are compiled on disk, as an installer leaves those of a peer; a checkout, or an environment in which
    Python writes no bytecode, would have each command compile all of them anew.
    """
    spec = find_spec("robust")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        compile_dir(folder, quiet=2)
    return Path(sys.executable).parent / "robust"


def read_apart(expression: str, file: Path) -> Any:
    """The value of an expression over ``data``, which is read from a JSON file.

    Read by a process that goes away again: a large one here would count as memory of the next command.
    """
    read = f"import json, sys; data = json.load(open(sys.argv[1], encoding='utf-8')); print(json.dumps({expression}))"
    done = subprocess.run([sys.executable, "-c", read, file], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)
