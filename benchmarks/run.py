"""``make bench``: this package beside its peers, each side in its own fresh process, as ratios taken pair by pair.

Times of a busy machine swing by a factor of two. So no absolute time is asserted: the two sides take turns, each turn
gives one ratio, and what counts is the median of the ratios.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.peers import BENCH, PEERS, ROOT, peer_bin
from benchmarks.table import Comparison, show


class Row(NamedTuple):
    """What is measured in each turn."""

    work: str
    ours: str
    theirs: str
    figure: str
    required: float | None


# The order matters: a manifest is loaded after it was built.
ROWS = (
    Row("validate, in a batch", "validate-batch", "validate", "seconds", 8),
    Row("validate, one by one", "validate", "validate", "seconds", None),
    Row("build and save a manifest", "build", "build", "seconds", 10),
    Row("load a manifest", "load", "load", "seconds", 10),
    Row("peak memory: validate", "validate-batch", "validate", "peak_mib", None),
    Row("peak memory: build", "build", "build", "peak_mib", None),
    Row("peak memory: load", "load", "load", "peak_mib", 3),
)
UNITS = {"seconds": "s", "peak_mib": "MiB"}


def work_once(python: Path, side: str, work: str, count: int) -> dict[str, float]:
    """Do one piece of work in a fresh process."""
    file = BENCH / f"{side}.manifest"
    command: list[str | Path] = [python, "-m", "benchmarks.worker", side, work, str(count), file]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def compare_work(rounds: int, count: int) -> Iterator[Comparison]:
    """Both sides in turns, every piece of work in each round: once theirs, between two of ours."""
    ours_python, their_python = Path(sys.executable), peer_bin("multivon") / "python"
    turns = dict.fromkeys((row.ours, row.theirs) for row in ROWS)
    taken: dict[tuple[str, str], list[tuple[dict[str, float], dict[str, float]]]] = {turn: [] for turn in turns}
    for number in range(1, rounds + 1):
        for ours, theirs in turns:
            print(f"round {number} of {rounds}: {ours}", file=sys.stderr, flush=True)
            # Ours before and after theirs, so that both sides see the machine in the same moods.
            before = work_once(ours_python, "robust", ours, count)
            other = work_once(their_python, "peer", theirs, count)
            after = work_once(ours_python, "robust", ours, count)
            mine = {figure: (before[figure] + after[figure]) / 2 for figure in before}
            taken[ours, theirs].append((mine, other))
    for row in ROWS:
        pairs = taken[row.ours, row.theirs]
        yield Comparison(
            row.work,
            UNITS[row.figure],
            [mine[row.figure] for mine, _ in pairs],
            [other[row.figure] for _, other in pairs],
            row.required,
        )


def compare_start(rounds: int) -> Comparison | None:
    """How long each command takes to say its version; None while ours is not installed."""
    ours = Path(sys.executable).parent / "robust"
    if not ours.exists() or subprocess.run([ours, "--version"], check=False, capture_output=True).returncode:
        return None
    theirs = peer_bin("decguard") / "decguard"
    pairs = [(_wall_time(ours), _wall_time(theirs)) for _ in range(rounds + 1)][1:]  # the first warms the disk cache
    return Comparison("start: --version", "s", [pair[0] for pair in pairs], [pair[1] for pair in pairs], None)


def _wall_time(program: Path) -> float:
    started = time.perf_counter()
    subprocess.run([program, "--version"], check=True, capture_output=True)
    return time.perf_counter() - started


def main(arguments: list[str]) -> None:
    """Measure and print; noise never makes this fail."""
    parser = argparse.ArgumentParser(description="Compare this package with its peers, as ratios.")
    parser.add_argument("--rounds", type=int, default=5, help="how often the two sides take turns (default: 5)")
    parser.add_argument("--count", type=int, default=20_000, help="variants and cases (default: 20000)")
    chosen = parser.parse_args(arguments)
    BENCH.mkdir(exist_ok=True)
    rows = list(compare_work(chosen.rounds, chosen.count))
    start = compare_start(2 * chosen.rounds)
    print(f"{chosen.count} variants, {chosen.count} cases, {chosen.rounds} rounds; {', '.join(PEERS.values())}")
    show(rows if start is None else [*rows, start])
    if start is None:
        print("start: skipped, since the command robust is not installed beside this interpreter")


if __name__ == "__main__":
    main(sys.argv[1:])
