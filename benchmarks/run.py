"""``make bench``: this package beside its peers, each side in its own fresh process, as ratios taken pair by pair.

Times of a busy machine swing by a factor of two. So no absolute time is asserted: the two sides take turns, each turn
gives one ratio, and what counts is the median of the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / ".bench"
PEERS = {"multivon": "multivon-eval==0.20.0", "decguard": "decguard==0.1.1"}


class Comparison(NamedTuple):
    """One row of the table: what both sides took, turn by turn, and by what factor ours must be better."""

    work: str
    unit: str
    ours: list[float]
    theirs: list[float]
    required: float | None

    @property
    def ratios(self) -> list[float]:
        """Theirs over ours, turn by turn."""
        return [theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True)]


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


def peer_bin(name: str) -> Path:
    """The folder of a peer's programs, in an environment of its own that is made when it is not there yet."""
    home = BENCH / name
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    stamp = home / ".installed"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != PEERS[name]:
        print(f"installing {PEERS[name]} …", flush=True)
        venv.create(home, with_pip=True, clear=True)
        install: list[str | Path] = [
            programs / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            PEERS[name],
        ]
        subprocess.run(install, check=True)
        stamp.write_text(PEERS[name], encoding="utf-8")
    return programs


def work_once(python: Path, side: str, work: str, count: int) -> dict[str, float]:
    """Do one piece of work in a fresh process."""
    file = BENCH / f"{side}.manifest"
    command: list[str | Path] = [python, "-m", "benchmarks.worker", side, work, str(count), file]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def compare_work(rounds: int, count: int) -> Iterator[Comparison]:
    """Both sides in turns, every piece of work once in each round."""
    ours_python, their_python = Path(sys.executable), peer_bin("multivon") / "python"
    turns = dict.fromkeys((row.ours, row.theirs) for row in ROWS)
    taken: dict[tuple[str, str], list[tuple[dict[str, float], dict[str, float]]]] = {turn: [] for turn in turns}
    for number in range(1, rounds + 1):
        for ours, theirs in turns:
            print(f"round {number} of {rounds}: {ours}", file=sys.stderr, flush=True)
            pair = work_once(ours_python, "robust", ours, count), work_once(their_python, "peer", theirs, count)
            taken[ours, theirs].append(pair)
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


def show(rows: list[Comparison]) -> None:
    """Print the table, and plainly what was not reached."""
    layout = "{:<27}{:>12}{:>12}   {:<22}{:>9}  {}"
    print(layout.format("work", "ours", "theirs", "ratio (min–max)", "required", "reached"))
    missed = []
    for row in rows:
        ratio = statistics.median(row.ratios)
        reached = "" if row.required is None else "yes" if ratio >= row.required else "NOT REACHED"
        if reached == "NOT REACHED":
            missed.append(row.work)
        print(
            layout.format(
                row.work,
                _median(row.ours, row.unit),
                _median(row.theirs, row.unit),
                f"{ratio:.1f}x ({min(row.ratios):.1f}–{max(row.ratios):.1f})",
                "" if row.required is None else f"{row.required:g}x",
                reached,
            ).rstrip()
        )
    print("every required ratio was reached" if not missed else "NOT REACHED: " + ", ".join(missed))


def _median(values: list[float], unit: str) -> str:
    return f"{statistics.median(values):.{2 if unit == 's' else 0}f} {unit}"


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
