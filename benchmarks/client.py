"""What our client costs over the network: decisions over loopback beside bare loops that make the same posts.

What counts is the processor time of the client's process: the service has a process of its own. A bare loop only posts
and reads; ours also checks every answer, and writes and hashes every record.

There are two bare loops. One shares a single httpx client among all workers, as its documentation advises; but a pool
of httpx looks at all of its connections for every request. In the other each worker has a client with one connection,
which is as cheap as httpx can be had.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.client_worker import CONCURRENCY, SIDES, WARM_UP
from benchmarks.peers import BENCH, ROOT
from benchmarks.service import Running, Totals, serving
from benchmarks.table import Comparison, say_load, show

FOLDER = BENCH / "client"
MOST_TIME = 1.3
MOST_MEMORY = 1.2


def decide(side: str, count: int, service: Running) -> tuple[dict[str, float], Totals]:
    """Make some decisions in a fresh process: what they took, and what came to the service."""
    service.totals()
    worker: list[str | Path] = ["-m", "benchmarks.client_worker", side, str(count), service.url, FOLDER]
    done = subprocess.run([sys.executable, *worker], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    taken: dict[str, float] = json.loads(done.stdout)
    return taken, service.totals()


def compare_time(rounds: int, count: int, service: Running) -> list[Comparison]:
    """All sides in turns, each going first in its turn."""
    taken: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    order = deque(SIDES)
    for number in range(1, rounds + 1):
        print(f"round {number} of {rounds}: {count} decisions by each side", file=sys.stderr, flush=True)
        came = {}
        for side in order:
            figures, came[side] = decide(side, count, service)
            taken[side].append(figures)
        if len(set(came.values())) != 1 or came["robust"].posts != count + WARM_UP:
            raise SystemExit(f"the sides did not send the same: {came}")
        order.rotate(-1)

    def row(work: str, against: str, figure: str, required: float | None) -> Comparison:
        ours, theirs = ([each[figure] / count * 1000 for each in taken[side]] for side in ("robust", against))
        return Comparison(work, "ms", ours, theirs, required, at_most=True)

    return [
        row("processor time: one shared client", "bare", "processor_s", MOST_TIME),
        row("processor time: clients apart", "apart", "processor_s", MOST_TIME),
        row("wall time: one shared client", "bare", "seconds", None),
        row("wall time: clients apart", "apart", "seconds", None),
    ]


def compare_memory(count: int, service: Running) -> Comparison:
    """Ours with ten times as many decisions beside ours."""
    print(f"memory: {count} and {10 * count} decisions", file=sys.stderr, flush=True)
    few, many = (decide("robust", each, service)[0]["peak_mib"] for each in (count, 10 * count))
    return Comparison("peak memory: tenfold", "MiB", [many], [few], MOST_MEMORY, at_most=True)


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare our HTTP client with a bare loop of posts, as ratios.")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns (default: 3)")
    parser.add_argument("--count", type=int, default=2_000, help="decisions of each side and round (default: 2000)")
    chosen = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        with serving() as service:
            rows = compare_time(chosen.rounds, chosen.count, service)
            memory = compare_memory(chosen.count, service)
    finally:
        shutil.rmtree(FOLDER)
    print(f"a decision of {chosen.count} at concurrency {CONCURRENCY} beside bare loops, {chosen.rounds} rounds;")
    print(f"the memory of {10 * chosen.count} decisions beside that of {chosen.count}, both ours")
    say_load()
    return 0 if show([*rows, memory], sides=("ours", "against")) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
