"""Manifests of a million cases: what a case costs as they grow, and how much memory each step takes.

Every step runs in a fresh process, first for few cases and then for many: writing a manifest whose cases come from a
generator, streaming it, verifying it, and loading it whole. Required are less than 1 GB of resident memory for the many
cases, and a cost of each that grows by less than a fifth.

Another row searches short texts for near-equal ones in different splits; required is less than a minute.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from robust import Case, Manifest, find_near_duplicates, verify

BENCH = Path(__file__).resolve().parent.parent / ".bench"
STEPS = ("write", "stream", "verify", "load")
MAX_BYTES = 1_000_000_000
MAX_GROWTH = 1.2
MAX_SEARCH_S = 60
SPLITS = {"dev": 0.3, "test": 0.7}


def letters(count: int) -> Iterator[Case]:
    """Cases with two inputs of each source, in an order that is not that of their ids."""
    for number in range(count):
        mixed = number * 7919 % count
        yield Case(
            f"Transfer {mixed * 31 % 1000003:,}.{mixed % 100:02d} EUR to customer {mixed} of branch {mixed % 97}.",
            "approve" if mixed % 3 else "reject",
            case_id=f"letter-{mixed:07}",
            source_id=f"customer-{mixed // 2:07}",
            metadata={"branch": mixed % 97, "channel": "mail"},
        )


def sentences(count: int) -> Iterator[Case]:
    """Short texts of words as common as those of a language; one in fifty is another one with a word changed."""
    draw = random.Random(1)
    vocabulary = [f"w{number}" for number in range(20_000)]
    weights = [1 / (number + 1) for number in range(len(vocabulary))]
    words: list[str] = []
    for number in range(count):
        if words and number % 50 == 0:
            words = [*words]
            words[draw.randrange(len(words))] = "changed"
        else:
            words = draw.choices(vocabulary, weights, k=draw.randint(8, 16))
        yield Case(" ".join(words), number, case_id=f"text-{number}", source_id=f"text-{number}")


def work(step: str, file: Path, count: int) -> dict[str, float]:
    """Do one step in this process; its processor time, and the largest resident size of the process."""
    started = time.process_time()
    if step == "write":
        Manifest.write(file, "scale", cases=letters(count), splits=SPLITS, overwrite=True)
    elif step == "stream":
        header, cases = Manifest.stream(file)
        if sum(1 for _ in cases) != header.counts.cases:
            raise SystemExit("the stream is not whole")
    elif step == "verify":
        if not verify(file).holds:
            raise SystemExit("the manifest does not verify")
    elif step == "load":
        if len(Manifest.load(file).cases) != count:
            raise SystemExit("the manifest is not whole")
    elif step == "texts":
        Manifest.write(file, "texts", cases=sentences(count), splits=SPLITS, overwrite=True)
    else:
        found = find_near_duplicates(file)
        return {"seconds": time.process_time() - started, "bytes": _resident(), "found": len(found.findings)}
    return {"seconds": time.process_time() - started, "bytes": _resident()}


def _resident() -> int:
    # In KiB on Linux and in bytes on macOS.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(step: str, file: Path, count: int) -> dict[str, float]:
    """One step in a process of its own."""
    command = [sys.executable, __file__, "--step", step, "--file", str(file), "--count", str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def compare(few: int, many: int) -> bool:
    """Measure every step for both numbers of cases, and print what was not reached."""
    missed = []
    print(f"{'step':<8}{'µs a case':>12}{'µs a case':>12}{'growth':>9}{'peak':>10}{'peak':>10}")
    print(f"{'':<8}{few:>12,}{many:>12,}{'':>9}{few:>10,}{many:>10,}")
    for step in STEPS:
        # The few before and after the many, so that both see the machine in the same moods.
        small, large = BENCH / "few.manifest.jsonl", BENCH / "many.manifest.jsonl"
        first, most, last = measure(step, small, few), measure(step, large, many), measure(step, small, few)
        each = (first["seconds"] + last["seconds"]) / 2 / few
        growth = most["seconds"] / many / each
        peaks = [f"{max(first['bytes'], last['bytes']) / 1e6:.0f} MB", f"{most['bytes'] / 1e6:.0f} MB"]
        costs = [f"{each * 1e6:.1f}", f"{most['seconds'] / many * 1e6:.1f}"]
        print(f"{step:<8}{costs[0]:>12}{costs[1]:>12}{growth:>8.2f}x{peaks[0]:>10}{peaks[1]:>10}", flush=True)
        if growth > MAX_GROWTH:
            missed.append(f"{step}: a case costs {growth:.2f} times as much, not {MAX_GROWTH}")
        if most["bytes"] >= MAX_BYTES:
            missed.append(f"{step}: {most['bytes'] / 1e6:.0f} MB, not under {MAX_BYTES / 1e6:.0f}")
    for text in missed:
        print(f"NOT REACHED: {text}")
    return not missed


def search(count: int) -> bool:
    """Measure the search for near-equal texts."""
    file = BENCH / "texts.manifest.jsonl"
    measure("texts", file, count)
    found = measure("near", file, count)
    print(
        f"near-duplicates of {count:,} short texts: {found['seconds']:.1f} s, {found['bytes'] / 1e6:.0f} MB, "
        f"{found['found']:.0f} pairs"
    )
    if found["seconds"] >= MAX_SEARCH_S:
        print(f"NOT REACHED: less than {MAX_SEARCH_S} s")
    return found["seconds"] < MAX_SEARCH_S and found["found"] > 0


def main(arguments: list[str]) -> None:
    """Measure and print; exit code 1 when something was not reached."""
    parser = argparse.ArgumentParser(description="Measure manifests as they grow.")
    parser.add_argument("--few", type=int, default=100_000, help="the smaller number of cases (default: 100000)")
    parser.add_argument("--many", type=int, default=1_000_000, help="the larger number of cases (default: 1000000)")
    parser.add_argument("--texts", type=int, default=100_000, help="how many texts are searched (default: 100000)")
    parser.add_argument("--step", choices=[*STEPS, "texts", "near"], help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.step:
        print(json.dumps(work(chosen.step, chosen.file, chosen.count)))
        return
    BENCH.mkdir(exist_ok=True)
    reached = [compare(chosen.few, chosen.many), search(chosen.texts)]
    sys.exit(0 if all(reached) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
