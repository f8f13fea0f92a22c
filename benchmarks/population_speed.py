"""How fast ``invariance`` is over a million rows of a data frame, beside Giskard's test of metamorphic invariance.

Both sides get the same pandas frame of three columns of numbers, the same model (a function of a frame that gives two
probabilities for each row) and the same transformation (a function of a frame that raises one column by a tenth), and
must find the same share of unchanged labels. Each side runs in a process of its own, in turns, with the clock on the
test alone, after a warm-up on few rows; of two tests in that process the faster counts, so that memory that the system
has to hand out first is not measured. Giskard's cache of predictions is off, which makes it many times faster here.
The time of the processor stands beside the time that passed: other work on the machine counts less in it.

Where Giskard cannot be installed within some minutes, the other side is not measured but a figure that stands below:
700,000 rows a second where a piece of numpy's work takes 34 ms, scaled by how long that work takes in the same run.

Two more rows, without a requirement, show a regression and one of the edits that are our own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.peers import peer_bin
from benchmarks.table import Comparison, say_load, show

COUNT = 1_000_000
WARM_UP = 2000
REQUIRED = 3.0
CLASSES = ["refuse", "grant"]
COLUMNS = ["age", "income", "debt"]
INSTALL_S = 600
# Without Giskard: the rows a second that it is taken to test where the work of `reference_s` takes as long as this.
FIGURE = 700_000
FIGURE_REFERENCE_S = 0.034
WORKS = {"classes": REQUIRED, "numbers": None}


def frame(count: int) -> Any:
    """The rows, the same for both sides."""
    import numpy as np
    import pandas as pd  # type: ignore[import-untyped]

    source = np.random.default_rng(7)
    columns = {"age": source.uniform(18, 90, count), "income": source.normal(3000, 500, count)}
    return pd.DataFrame({**columns, "debt": source.exponential(1000, count)})


def probabilities(rows: Any) -> Any:
    """The model: a logistic function of income and debt."""
    import numpy as np

    grant = 1 / (1 + np.exp(-(rows["income"].to_numpy() - rows["debt"].to_numpy() - 2000) / 300))
    return np.column_stack([1 - grant, grant])


def limits(rows: Any) -> Any:
    """The model of the second row: an amount."""
    return rows["income"].to_numpy() * 2 + rows["age"].to_numpy()


def raised(rows: Any) -> Any:
    """The transformation."""
    rows["income"] = rows["income"] * 1.1
    return rows


def run_ours(work: str, rows: Any) -> tuple[float, float]:
    """Seconds, and the share that was found."""
    from robust import column_edits, invariance

    started = time.perf_counter()
    if work == "classes":
        result = invariance(probabilities, rows, raised, classes=CLASSES)
    elif work == "numbers":
        result = invariance(limits, rows, raised)
    else:
        result = invariance(probabilities, rows, column_edits.noise("income"), classes=CLASSES)
    seconds = time.perf_counter() - started
    return seconds, float(result.metric or 0)


def run_giskard(work: str, rows: Any) -> tuple[float, float]:
    """The same of Giskard."""
    import logging

    from giskard import Dataset, Model, transformation_function  # type: ignore[import-not-found,unused-ignore]
    from giskard.models.cache import disable_cache  # type: ignore[import-not-found,unused-ignore]
    from giskard.testing.tests.metamorphic import (  # type: ignore[import-not-found,unused-ignore]
        test_metamorphic_invariance,
    )

    logging.disable(logging.INFO)
    disable_cache()
    if work == "classes":
        model = Model(probabilities, "classification", feature_names=COLUMNS, classification_labels=CLASSES)
    else:
        model = Model(limits, "regression", feature_names=COLUMNS)
    data = Dataset(rows, target=None, column_types=dict.fromkeys(COLUMNS, "numeric"))
    # It takes annotations by their types, and none.
    change = transformation_function(lambda rows: raised(rows), row_level=False)  # noqa: PLW0108 - what was measured
    started = time.perf_counter()
    result = test_metamorphic_invariance(model, data, change).execute()
    return time.perf_counter() - started, float(result.metric)


def reference_s() -> float:
    """What a fixed piece of numpy's work takes here: exponentials, a sort and comparisons of a million numbers."""
    import numpy as np

    values = np.random.default_rng(3).normal(size=COUNT)
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        ordered = np.sort(1 / (1 + np.exp(-values)))
        np.count_nonzero(np.abs(ordered[1:] - ordered[:-1]) <= 0.1 * np.abs(ordered[:-1]))
        best = min(best, time.perf_counter() - started)
    return best


def take(python: Path | str, side: str, work: str, count: int) -> list[float]:
    """What one side takes in a process of its own: seconds, those of the processor, and the share that was found."""
    command: list[str | Path] = [python, __file__, "--side", side, "--work", work, "--count", str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [float(figure) for figure in json.loads(done.stdout.splitlines()[-1])]


def work_done(side: str, work: str, count: int) -> list[float]:
    """The same in this process."""
    run = run_ours if side == "ours" else run_giskard
    run(work, frame(WARM_UP))
    taken = []
    # A regression takes Giskard most of a minute.
    for _ in range(1 if work == "numbers" else 2):
        rows = frame(count)
        used = time.process_time()
        seconds, share = run(work, rows)
        taken.append([seconds, time.process_time() - used, share])
    return min(taken)


def compare(work: str, rounds: int, count: int, giskard: Path | None) -> list[Comparison]:
    """Both sides in turns, each going first every other time."""
    taken: dict[str, list[list[float]]] = {"ours": [], "giskard": []}
    for number in range(rounds):
        print(f"{work}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        found: dict[str, list[float]] = {}
        for side in ("ours", "giskard") if number % 2 else ("giskard", "ours"):
            python = sys.executable if side == "ours" else giskard
            if python is not None:
                found[side] = take(python, side, work, count)
        if giskard is None:
            figure = count / FIGURE * reference_s() / FIGURE_REFERENCE_S
            found["giskard"] = [figure, figure, found["ours"][2]]
        if abs(found["ours"][2] - found["giskard"][2]) > 1e-12:
            raise SystemExit(f"the sides found different shares: {found}")
        for side, figures in found.items():
            taken[side].append(figures)
    rows = []
    for place, (name, limit) in enumerate((("wall time", WORKS[work]), ("processor time", None))):
        ours, theirs = ([figures[place] for figures in taken[side]] for side in ("ours", "giskard"))
        rows.append(Comparison(f"{work}: {name}", "s", ours, theirs, limit))
    return rows


def installed() -> Path | None:
    """The interpreter that has Giskard, or None where it cannot be installed."""
    try:
        return peer_bin("giskard", timeout_s=INSTALL_S) / "python"
    except (subprocess.SubprocessError, OSError) as error:
        print(f"Giskard cannot be installed: {error}", file=sys.stderr)
        return None


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare population tests with Giskard's, as ratios.")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns (default: 3)")
    parser.add_argument("--count", type=int, default=COUNT, help=f"rows (default: {COUNT})")
    parser.add_argument("--without-giskard", action="store_true", help="compare with the scaled figure")
    parser.add_argument("--side", choices=["ours", "giskard"], help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.side:
        print(json.dumps(work_done(chosen.side, chosen.work, chosen.count)))
        return 0
    giskard = None if chosen.without_giskard else installed()
    rows = [row for work in WORKS for row in compare(work, chosen.rounds, chosen.count, giskard)]
    own = [take(sys.executable, "ours", "noise", chosen.count)[0] for _ in range(chosen.rounds)]
    print(f"{chosen.count} rows of a pandas frame, {chosen.rounds} rounds")
    say_load()
    if giskard is None:
        print(f"theirs is not measured: it is {FIGURE} rows a second, scaled by a numpy reference in the same run")
    else:
        print("theirs is Giskard 2.19.2, measured here with its cache off")
    for what, seconds in (("of classes", rows[0].ours), ("with noise of our own", own)):
        print(f"ours {what}: {chosen.count / min(seconds):,.0f} rows a second")
    return 0 if show(rows, sides=("ours", "giskard")) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
