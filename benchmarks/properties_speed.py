"""How fast properties are run and read again: ``robust run`` beside ``decguard test --all``, as whole commands.

Both read the same contract and the same data set, make about ten candidates of every case, ask their own mock, minimise
what fails, and write all of it to disk. Then each reads what it wrote and derives everything again: ours with
``robust verify``, theirs with ``decguard report``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import Taken, measure, read_apart, robust
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.table import Comparison, say_load, show

FOLDER = BENCH / "properties_speed"
OPTIONS = ("refund", "repair", "replacement", "refusal")
MUCH_FASTER = 10
MUCH_SMALLER = 5
FASTER_TO_LOAD = 5
GROWTH = 1.33
# What the mock looks for, in this order, and what it answers to it, in the order of the options.
ANSWERS = {
    "lamp": (0.1, 0.2, 0.3, 0.4),
    "kettle": (0.7, 0.15, 0.1, 0.05),
    "toaster": (0.05, 0.8, 0.1, 0.05),
    # So close that the bias for what is shown first decides.
    "radio": (0.41, 0.38, 0.16, 0.05),
    "heater": (0.2, 0.1, 0.6, 0.1),
    "mixer": (0.3, 0.05, 0.05, 0.6),
}
# One of them has a word that the mock takes for what the claim is about.
FRAGMENTS = (
    "Rain was expected for the evening.",
    "A small lamp stood on the desk.",
    "The hallway had been painted blue.",
    "Two chairs stood by the window.",
    "The post comes before noon here.",
    "A cat slept on the stairs.",
    "The garden gate was open.",
    "The street was quiet that morning.",
)
_LIMITS = {"level": "warning", "max_tv_distance": 0.1, "max_flip_rate": 0.0}


class Made(NamedTuple):
    """What a run took, how many pairs it made, and what reading it again took."""

    run: Taken
    pairs: int
    load: Taken | None

    def figures(self) -> dict[str, float]:
        """The figures that are compared."""
        figures = {
            "ms per pair": self.run.seconds / self.pairs * 1000,
            "seconds": self.run.seconds,
            "processor_s": self.run.processor_s,
            "peak_mib": self.run.peak_mib,
        }
        if self.load is not None:
            figures |= {"load seconds": self.load.seconds, "load peak_mib": self.load.peak_mib}
        return figures


def contract() -> dict[str, Any]:
    """The contract that both read. Everything that may fail is a warning, so that both commands end with 0."""
    rules = [
        {"contains": word, "probabilities": dict(zip(OPTIONS, shares, strict=True))} for word, shares in ANSWERS.items()
    ]
    return {
        "schema_version": "0.1",
        "decision": {"name": "claim", "type": "choice", "options": OPTIONS},
        "backend": {"provider": "mock", "rules": rules, "position_bias": 0.05},
        "dataset": "cases.jsonl",
        "requirements": {"min_accuracy": 0.1},
        "fuzz": {"seed": 11, "minimize": True, "max_minimize_calls": 32},
        "properties": {
            "option_order": {**_LIMITS, "samples": 3},
            "label_format": {**_LIMITS, "samples": 2},
            "irrelevant_context": {**_LIMITS, "samples": 2, "fragments": FRAGMENTS},
            "whitespace": {**_LIMITS, "samples": 2, "edits": 3},
            "paraphrase": {**_LIMITS, "source": {"provider": "identity"}},
        },
    }


def write_data(count: int, folder: Path) -> None:
    """The contract and its cases."""
    folder.mkdir(parents=True)
    (folder / "contract.json").write_text(json.dumps(contract()), encoding="utf-8")
    words = tuple(ANSWERS)
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(count):
            word, shop, days = words[number % len(words)], number % 97, number % 31
            text = (
                f"Claim {number}: I bought the {word} in shop {shop}. It stopped working after {days} days of use. "
                "I have tried another socket, and that did not help! Please tell me what happens next."
            )
            case = {"id": f"claim-{number:07}", "input": text, "expected": OPTIONS[number * 7 % 11 % 4]}
            lines.write(json.dumps(case) + "\n")


def make_ours(folder: Path, *, load: bool = True) -> Made:
    """Run our commands, and make sure that every case was decided."""
    output = folder / "run"
    taken = measure([robust(), "run", "contract.json", "-o", output], folder)
    pairs = _pairs(
        read_apart("[data['counts'][name] for name in ('cases', 'decided', 'pairs')]", output / "report.json")
    )
    loaded = measure([robust(), "verify", output], folder) if load else None
    shutil.rmtree(output)
    return Made(taken, pairs, loaded)


def make_theirs(folder: Path) -> Made:
    """Run the peer's commands, and make sure that every case was decided."""
    file, decguard = folder / "report.json", peer_bin("decguard") / "decguard"
    taken = measure([decguard, "test", "--all", "contract.json", "-o", file], folder)
    counts = "[data['metrics']['counts'][name] for name in ('total', 'succeeded')]"
    pairs = _pairs(read_apart(f"[*{counts}, len(data['properties']['pairs'])]", file))
    loaded = measure([decguard, "report", file], folder)
    file.unlink()
    return Made(taken, pairs, loaded)


def _pairs(counts: list[int]) -> int:
    cases, decided, pairs = counts
    if decided != cases or pairs < 9 * cases:
        raise SystemExit(f"{decided} of {cases} cases were decided, and {pairs} pairs made")
    return pairs


def compare(rounds: int, folder: Path) -> tuple[list[Comparison], list[Made], list[Made]]:
    """Both sides in turns, each going first every other time."""
    ours: list[Made] = []
    theirs: list[Made] = []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        if number % 2:
            theirs.append(make_theirs(folder))
            ours.append(make_ours(folder))
        else:
            ours.append(make_ours(folder))
            theirs.append(make_theirs(folder))

    def row(work: str, unit: str, figure: str, required: float | None) -> Comparison:
        mine, other = ([made.figures()[figure] for made in side] for side in (ours, theirs))
        return Comparison(work, unit, mine, other, required)

    rows = [
        row("run: time per pair", "ms", "ms per pair", MUCH_FASTER),
        row("run: wall time", "s", "seconds", None),
        row("run: processor time", "s", "processor_s", None),
        row("run: peak memory", "MiB", "peak_mib", MUCH_SMALLER),
        row("load: wall time", "s", "load seconds", FASTER_TO_LOAD),
        row("load: peak memory", "MiB", "load peak_mib", None),
    ]
    return rows, ours, theirs


def compare_memory(count: int, few: list[Made]) -> Comparison:
    """Ours with four times as many cases beside ours."""
    print(f"memory: {4 * count} cases", file=sys.stderr, flush=True)
    folder = FOLDER / "fourfold"
    write_data(4 * count, folder)
    many = make_ours(folder, load=False).run.peak_mib
    return Comparison(
        "run: peak memory, fourfold",
        "MiB",
        [many] * len(few),
        [made.run.peak_mib for made in few],
        GROWTH,
        at_most=True,
    )


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare running properties with decguard, as ratios.")
    parser.add_argument("--rounds", type=int, default=2, help="how often the two sides take turns (default: 2)")
    parser.add_argument("--count", type=int, default=10_000, help="cases (default: 10000)")
    chosen = parser.parse_args(arguments)
    peer_bin("decguard")
    shutil.rmtree(FOLDER, ignore_errors=True)
    folder = FOLDER / "once"
    try:
        write_data(chosen.count, folder)
        rows, ours, theirs = compare(chosen.rounds, folder)
        memory = compare_memory(chosen.count, ours)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    print(f"{chosen.count} cases on the mock, {chosen.rounds} rounds; {PEERS['decguard']}")
    for name, side in (("ours", ours), ("theirs", theirs)):
        speed = [made.pairs / made.run.seconds for made in side]
        print(f"{name}: {side[0].pairs} pairs, {min(speed):.0f}–{max(speed):.0f} a second")
    say_load()
    print(f"in the last row, {4 * chosen.count} cases of ours beside {chosen.count} of ours")
    return 0 if show([*rows, memory]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
