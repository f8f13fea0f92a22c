"""How fast a signed run is verified: ``verify`` beside a bare loop over the same files, and in how much memory.

The loop opens the files of the run, parses every line with orjson and hashes it with SHA-256, and nothing else: it is
what reading costs before anything is checked. Both sides run in fresh processes, in turns. Required is no less than a
fifth of the loop's speed for a run of 100,000 decisions; a run of as many records that are mostly pairs, each of which
is planned and derived again, stands beside it.

Another row compares the peak memory of the command for 100,000 records with that for 20,000.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from robust import verify

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import measure, robust
from benchmarks.peers import BENCH
from benchmarks.properties_speed import FRAGMENTS, OPTIONS
from benchmarks.table import Comparison, say_load, show

FOLDER = BENCH / "verify_speed"
FILES = ("contract.json", "report.json", "records.jsonl", "attestation.dsse.json")
# No less than this share of the loop's speed, which is at most five times its time.
SPEED = 0.2
GROWTH = 1.33
FEW = 5
# What the processes do before the clock starts, so that imports are not timed.
WARM_UP = 20
PAIRS_PER_CASE = 9
_LIMITS = {"level": "warning", "max_tv_distance": 0.1, "max_flip_rate": 0.0}


class Side(NamedTuple):
    """What one side took, in seconds: the time that passed, and that of the processor with all processes it started."""

    seconds: float
    processor_s: float


def contract(*, pairs: bool) -> dict[str, Any]:
    """Golden gates alone, or nine pairs of every case beside them."""
    properties = {
        "option_order": {**_LIMITS, "samples": 4},
        "label_format": {**_LIMITS, "samples": 2},
        "irrelevant_context": {**_LIMITS, "samples": 3, "fragments": FRAGMENTS},
    }
    return {
        "schema_version": "1",
        "decision": {"name": "claim", "type": "choice", "options": OPTIONS},
        "backend": {"provider": "mock", "seed": 3},
        "dataset": "cases.jsonl",
        "requirements": {"min_accuracy": 0.1, "max_ece": 0.9},
        "oracles": {"policy": "assumed"},
        "properties": properties if pairs else {},
    }


def write_run(folder: Path, count: int, *, pairs: bool, key: Path) -> Path:
    """A signed run of about so many records, made by the command."""
    folder.mkdir(parents=True)
    (folder / "contract.json").write_text(json.dumps(contract(pairs=pairs)), encoding="utf-8")
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(count // (PAIRS_PER_CASE + 1) if pairs else count):
            shop, days = number % 97, number % 31
            text = f"Claim {number}: the kettle that I bought in shop {shop} stopped heating after {days} days of use."
            case = {"id": f"claim-{number:07}", "input": text, "expected": OPTIONS[number * 7 % 11 % 4]}
            lines.write(json.dumps(case) + "\n")
    print(f"running {count} records", file=sys.stderr, flush=True)
    measure([robust(), "run", "contract.json", "-o", "run", "--sign", key], folder)
    return folder / "run"


def read_only(run: Path) -> None:
    """The bare loop: read, parse and hash every line of the run's files."""
    for name in FILES:
        hasher = hashlib.sha256()
        with (run / name).open("rb") as lines:
            for line in lines:
                orjson.loads(line)
                hasher.update(line)
        hasher.digest()


def verify_signed(run: Path, key: Path) -> None:
    """Ours."""
    if not verify(run, public_keys=[key], require_signature=True).holds:
        raise SystemExit("the run does not verify")


def work(side: str, run: Path, small: Path, key: Path) -> Side:
    """Do what one side does in this process, once on a small run and then by the clock."""
    for place in (small, run):
        started, used = time.perf_counter(), _processor_s()
        if side == "ours":
            verify_signed(place, key)
        else:
            read_only(place)
    return Side(time.perf_counter() - started, _processor_s() - used)


def _processor_s() -> float:
    """The processor time of this process and of those that it started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def take(side: str, run: Path, small: Path, key: Path) -> Side:
    """What one side takes in a process of its own."""
    command: list[str | Path] = [sys.executable, __file__, "--side", side, "--run", run, "--small", small, "--key", key]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Side(*json.loads(done.stdout))


def compare(what: str, rounds: int, run: Path, small: Path, key: Path, required: float | None) -> list[Comparison]:
    """Both sides in turns, each going first every other time."""
    taken: dict[str, list[Side]] = {"ours": [], "loop": []}
    for number in range(rounds):
        print(f"{what}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for side in ("ours", "loop") if number % 2 else ("loop", "ours"):
            taken[side].append(take(side, run, small, key))
    rows = []
    for name, figure, limit in (("wall time", "seconds", required), ("processor time", "processor_s", None)):
        mine, other = ([float(getattr(each, figure)) for each in taken[side]] for side in ("ours", "loop"))
        rows.append(Comparison(f"{what}: {name}", "s", mine, other, limit, at_most=True))
    return rows


def peak_mib(run: Path, key: Path) -> float:
    """The peak memory of the command, with all of its processes."""
    return measure([robust(), "verify", run, "--public-key", key, "--require-signature"], FOLDER).peak_mib


def measure_all(rounds: int, count: int) -> list[Comparison]:
    """Make the runs and compare with the loop, and many records with few."""
    keys = FOLDER / "keys"
    measure([robust(), "keys", "generate", "-o", keys], FOLDER)
    secret, key = keys / "signing.key.pem", keys / "signing.pub.pem"
    rows: list[Comparison] = []
    for what, pairs, required in (("decisions", False, 1 / SPEED), ("pairs", True, None)):
        small = write_run(FOLDER / f"{what}-small", WARM_UP, pairs=pairs, key=secret)
        run = write_run(FOLDER / what, count, pairs=pairs, key=secret)
        rows += compare(what, rounds, run, small, key, required)
    few = write_run(FOLDER / "few", count // FEW, pairs=False, key=secret)
    peaks = peak_mib(FOLDER / "decisions" / "run", key), peak_mib(few, key)
    memory = Comparison("peak memory, fivefold", "MiB", [peaks[0]] * rounds, [peaks[1]] * rounds, GROWTH, at_most=True)
    return [*rows, memory]


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare verifying a signed run with only reading it, as ratios.")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns (default: 3)")
    parser.add_argument("--count", type=int, default=100_000, help="records (default: 100000)")
    parser.add_argument("--side", choices=["ours", "loop"], help=argparse.SUPPRESS)
    for name in ("--run", "--small", "--key"):
        parser.add_argument(name, type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.side:
        print(json.dumps(work(chosen.side, chosen.run, chosen.small, chosen.key)))
        return 0
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    try:
        rows = measure_all(chosen.rounds, chosen.count)
    finally:
        shutil.rmtree(FOLDER)
    print(f"signed runs of {chosen.count} records on the mock, {chosen.rounds} rounds")
    say_load()
    for row in rows[:-1]:
        print(f"{row.work}: {1 / row.ratio:.2f} of the loop's speed" + (f", required {SPEED}" if row.required else ""))
    print(f"in the last row, {chosen.count} decisions of ours beside {chosen.count // FEW} of ours")
    return 0 if show(rows, sides=("ours", "loop")) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
