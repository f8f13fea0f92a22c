"""How many effective trials a second ``check`` makes, beside wobbly, and how well it overlaps slow calls.

Both sides check the same trivial system, which gives one answer to everything, on the same inputs, with 20 samples and
5 base runs, by what each has of its own where both have it (items in another order), and by one and the same transform
elsewhere. A process of its own for each side does each work many times over, in turns, with the clock on the checks
alone. What is compared is the processor time for an effective trial: one of which the variant is neither the input nor
an earlier variant. wobbly also asks about such variants; a copy of what each of its transforms gave is looked at before
the clock starts, and only the distinct ones count, as they do here.

The last row is 200 calls of an asynchronous system that takes 20 ms, 20 at once: what they take beside the ideal time,
which is 200 · 20 ms / 20.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.peers import PEERS, ROOT, peer_bin
from benchmarks.table import Comparison, say_load, show

REQUIRED = 1.0
REPEATS = 7
CALLS, CALL_S, AT_ONCE = 200, 0.02, 20
OVERLAP = 1.3
QUESTION = "Which of these animals is a fish, and lives in salt water all its life?"
WORDS = ["cod", "eel", "ray", "bass", "carp", "dace", "hake", "ling", "pike", "ruff", "shad", "sole", "tench", "trout"]
WORDS += ["zander", "perch", "gudgeon", "bream", "barbel", "roach"]
LINES = [
    f"{word.upper():<20}{place}.{place % 100:02}"
    for place, word in enumerate(itertools.islice(itertools.cycle(WORDS), 200))
]
NUMBERED = itertools.count()
SHUFFLED = random.Random(7)


def numbered(text: str) -> str:
    """Another text each time."""
    return f"{text} {next(NUMBERED)}"


def shuffled(items: list[str]) -> list[str]:
    """The items in another order, by a generator of the caller's own."""
    order = list(items)
    SHUFFLED.shuffle(order)
    return order


def respaced(text: str) -> str:
    """Wider gaps, the same each time."""
    return text.replace(" ", "  ")


TRANSFORMS: dict[str, Callable[[Any], Any]] = {"numbered": numbered, "shuffled": shuffled, "respaced": respaced}
# By name: the input, which relations, and how often both sides check it.
WORKS: dict[str, tuple[Any, tuple[str, ...], int]] = {
    "own transform, a text": (QUESTION, ("numbered",), 2000),
    "own transform, a long text": (QUESTION * 100, ("numbered",), 1000),
    "own transform, 10 items": (WORDS[:10], ("shuffled",), 1000),
    "own transform, 200 lines": (LINES, ("shuffled",), 100),
    "order, 8 items of a question": ({"question": QUESTION, "options": WORDS[:8]}, ("order of options",), 500),
    "order, 20 items": (WORDS, ("order",), 500),
    "order, 200 lines": (LINES, ("order",), 50),
    "four relations, a text": (QUESTION, ("numbered", "numbered", "numbered", "respaced"), 500),
}


def answer(_: Any) -> str:
    """The trivial system."""
    return "zander"


def our_checks(name: str) -> tuple[Callable[[], object], Callable[[], int]]:
    """A check of one work, and how many effective trials it makes."""
    from robust import Relation, check, order_invariant, unchanged

    given, kinds, _ = WORKS[name]
    relations = []
    for number, kind in enumerate(kinds):
        if kind.startswith("order"):
            field = "options" if kind == "order of options" else None
            relations.append(order_invariant(field, assertion=unchanged()))
        else:
            once = kind == "respaced"
            relations.append(Relation(f"{kind} {number}", TRANSFORMS[kind], unchanged(), deterministic=once))

    def run() -> object:
        return check(answer, given, relations).broke

    def trials() -> int:
        report = check(answer, given, relations)
        return sum(result.trials for result in report.results.values())

    return run, trials


def their_checks(name: str) -> tuple[Callable[[], object], Callable[[], int]]:
    """The same of wobbly; run in its own environment."""
    from wobbly import Relation, check, order_invariant, unchanged  # type: ignore[import-not-found]

    given, kinds, _ = WORKS[name]
    relations = []
    for number, kind in enumerate(kinds):
        if kind.startswith("order"):
            field = "options" if kind == "order of options" else None
            relations.append(order_invariant(field=field, assertion=unchanged()))
        else:
            once = kind == "respaced"
            relations.append(Relation(f"{kind} {number}", TRANSFORMS[kind], unchanged(), deterministic=once))

    def run() -> object:
        return check(answer, given, relations).broke

    def trials() -> int:
        found = 0
        for relation in relations:
            variants = [relation.transform(given) for _ in range(1 if relation.deterministic else 20)]
            found += len({json.dumps(each) for each in variants} - {json.dumps(given)})
        return found

    return run, trials


def work(side: str, name: str) -> float:
    """The processor time for an effective trial, in seconds: the least of several goes."""
    run, trials = our_checks(name) if side == "robust" else their_checks(name)
    count = WORKS[name][2]
    effective = sum(trials() for _ in range(20)) / 20
    run()
    least = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        for _ in range(count):
            run()
        least = min(least, (time.process_time() - started) / count)
    return least / effective


def overlapped() -> float:
    """What 200 calls of 20 ms take, 20 at once, in seconds: the least of several goes."""
    return min(overlapped_once() for _ in range(REPEATS))


def overlapped_once() -> float:
    """What they take once."""
    from robust import Relation, check, unchanged

    async def slow(_: Any) -> str:
        await asyncio.sleep(CALL_S)
        return "zander"

    relation = Relation("numbered", numbered, unchanged())
    started = time.perf_counter()
    report = check(slow, QUESTION, [relation], samples=CALLS - 5, workers=AT_ONCE)
    taken = time.perf_counter() - started
    if report.calls != CALLS:
        raise SystemExit(f"there were {report.calls} calls, not {CALLS}")
    return taken


def work_once(python: Path, side: str, name: str) -> float:
    """One work of one side in a fresh process."""
    command: list[str | Path] = [python, __file__, "--side", side, "--work", name]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(done.stdout))


def measure_all(rounds: int) -> list[Comparison]:
    """Both sides in turns, each going first every other time."""
    pythons = {"robust": Path(sys.executable), "wobbly": peer_bin("wobbly") / "python"}
    rows = []
    for name in WORKS:
        taken: dict[str, list[float]] = {"robust": [], "wobbly": []}
        for number in range(rounds):
            print(f"{name}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
            for side in ("robust", "wobbly") if number % 2 else ("wobbly", "robust"):
                taken[side].append(work_once(pythons[side], side, name) * 1000)
        rows.append(Comparison(name, "ms", taken["robust"], taken["wobbly"], REQUIRED))
    ideal = CALLS * CALL_S / AT_ONCE
    slow = [work_once(pythons["robust"], "robust", "overlapped") for _ in range(rounds)]
    rows.append(Comparison("200 calls of 20 ms, 20 at once", "s", slow, [ideal] * rounds, OVERLAP, at_most=True))
    return rows


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare checks of relations with wobbly's, as ratios.")
    parser.add_argument("--rounds", type=int, default=5, help="how often the two sides take turns (default: 5)")
    parser.add_argument("--side", choices=["robust", "wobbly"], help=argparse.SUPPRESS)
    parser.add_argument("--work", choices=[*WORKS, "overlapped"], help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.side:
        print(json.dumps(overlapped() if chosen.work == "overlapped" else work(chosen.side, chosen.work)))
        return 0
    rows = measure_all(chosen.rounds)
    print(f"processor time for an effective trial, {chosen.rounds} rounds; {PEERS['wobbly']}; last row: wall time")
    say_load()
    return 0 if show(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
