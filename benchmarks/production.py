"""How fast ``robust check`` reads production records, and in how much memory, beside ``decguard check``.

Both commands check one file of records against one contract, with two keys of segments, as whole processes in turns.
Required is ten times the records a second in a tenth of the memory. That memory does not grow with the records is
measured by ours alone: four times as many may take a tenth more.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import Taken, measure
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.production_data import rows, write_rows
from benchmarks.table import Comparison, say_load, show

FOLDER = BENCH / "production"
COUNT = 1_000_000
SPEED = 10.0
MEMORY = 10.0
MORE = 4
GROWTH = 1.1
LABELS = ("refund", "exchange", "reject", "ask")
CONTRACT = {
    "schema_version": "0.1",
    "decision": {"name": "claim", "type": "choice", "options": list(LABELS)},
    "backend": {"provider": "mock"},
    "evaluation": {"confidence_threshold": 0.55},
    "production": {
        "segments": ["region", "channel"],
        "requirements": {"min_accuracy": 0.1, "max_ece": 0.9},
        "segment_requirements": {"min_accuracy": 0.1},
    },
}


def write_data(count: int, more: int) -> None:
    """The contract, the records, and some times as many of them with ids of their own."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "contract.json").write_text(json.dumps(CONTRACT), encoding="utf-8")
    write_rows(FOLDER / "records.jsonl", rows(count, "claim", LABELS, 3))
    with (FOLDER / "more.jsonl").open("wb") as target:
        for number in range(more):
            with (FOLDER / "records.jsonl").open("rb") as source:
                for line in source:
                    target.write(line.replace(b'"request-', b'"again-%d-' % number, 1))


def ours(file: str) -> Taken:
    """Our command."""
    return measure([sys.executable, "-m", "robust", "check", "contract.json", "-d", file], FOLDER)


def theirs(file: str) -> Taken:
    """The peer's."""
    return measure([peer_bin("decguard") / "decguard", "check", "contract.json", "-d", file], FOLDER)


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare checks of production records with decguard's, as ratios.")
    parser.add_argument("--rounds", type=int, default=2, help="how often the two sides take turns (default: 2)")
    parser.add_argument("--count", type=int, default=COUNT, help=f"records (default: {COUNT})")
    parser.add_argument("--more", type=int, default=MORE, help=f"so many times as many for memory (default: {MORE})")
    chosen = parser.parse_args(arguments)
    write_data(chosen.count, chosen.more)
    taken: dict[str, list[Taken]] = {"ours": [], "theirs": []}
    for number in range(chosen.rounds):
        print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr, flush=True)
        for side, run in (("ours", ours), ("theirs", theirs)) if number % 2 else (("theirs", theirs), ("ours", ours)):
            taken[side].append(run("records.jsonl"))
    many = ours("more.jsonl")
    print(f"{chosen.count} production records, {chosen.rounds} rounds, robust beside {PEERS['decguard']}")
    say_load()
    mine, other = taken["ours"], taken["theirs"]
    fastest = min(each.seconds for each in mine)
    print(f"ours: {chosen.count / fastest:,.0f} records a second, the whole process")
    print(f"ours, {chosen.more} times as many: {many.seconds:.1f} s, {many.peak_mib:.0f} MiB")
    table = [
        Comparison("wall time", "s", [each.seconds for each in mine], [each.seconds for each in other], SPEED),
        Comparison("processor time", "s", [e.processor_s for e in mine], [e.processor_s for e in other], None),
        Comparison("peak memory", "MiB", [each.peak_mib for each in mine], [each.peak_mib for each in other], MEMORY),
        Comparison(
            f"memory, {chosen.more} times as many",
            "MiB",
            [many.peak_mib],
            [min(each.peak_mib for each in mine)],
            GROWTH,
            at_most=True,
        ),
    ]
    return 0 if show(table) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
