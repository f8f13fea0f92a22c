"""Whether this package runs properties as decguard does: the same contracts and data, run by both commands.

Of a property whose candidates are all that there are, every pair, every summary and every check must be the same. Of
one that draws its candidates, each tool draws others: the checks must come out alike, and none of our pairs may break
the property's own rule. Each contract is run on a mock, on a mock with a bias for what is shown first, and on a service
that minds every character and sometimes fails.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import robust
from benchmarks.parity_reports import MOST_SHOWN, Agreement, compare_facts, show_agreements
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.properties_data import CASES, contract, examples, write_data
from benchmarks.properties_reports import Pair, Told, facts_of, read_ours, read_theirs, too_near
from benchmarks.properties_rules import broken_by_reduction, broken_rules
from benchmarks.properties_subjects import SUBJECTS, Subject
from benchmarks.service import WEIGH, serving

FOLDER = BENCH / "properties"
BACKENDS = ("default", "biased", "service")
# How far from its rate a limit stands that is not at it, and how near to a limit no pair may be.
STEP = 0.01
CLEARANCE = 1e-8


class Compared(NamedTuple):
    """One contract on one backend, run by both tools."""

    name: str
    theirs: Told
    ours: Told
    agreements: dict[str, Agreement]
    broken: list[str]


def run_theirs(folder: Path, backend: str) -> Told:
    """Run the peer's command, and read its report."""
    file = folder / f"theirs-{backend}.json"
    file.unlink(missing_ok=True)
    decguard = peer_bin("decguard") / "decguard"
    code = _run([decguard, "test", "--all", "contract.json", "-o", file, *_named(backend)], folder)
    told = read_theirs(file)
    told.outcome["exit code of the command"] = code
    return told


def run_ours(folder: Path, backend: str) -> tuple[Told, list[str]]:
    """Run our command, and read its run directory; also what is wrong with its smallest failing forms."""
    output = folder / f"ours-{backend}"
    code = _run([robust(), "run", "contract.json", "-o", output, "--overwrite", *_named(backend)], folder)
    told, records = read_ours(output)
    told.outcome["exit code of the command"] = code
    return told, list(broken_by_reduction(records))


def _named(backend: str) -> list[str]:
    return [] if backend == "default" else ["-b", backend]


def _run(command: list[str | Path], folder: Path) -> int:
    """The exit code of a command that came to a verdict."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode


def place_limits(subject: Subject, measured: Told) -> dict[str, dict[str, float]]:
    """Limits on the rates of the exhaustive properties: at what was measured, or on one side of it."""
    limits: dict[str, dict[str, float]] = {}
    for name, sides in subject.rates.items():
        for gate, side in sides.items():
            rate = measured.summaries[name][gate.removeprefix("max_")]
            limit = rate + {"at": 0, "holds": STEP, "fails": -STEP}[side]
            if not 0 <= limit <= 1:
                raise SystemExit(f"{subject.name}: {name}.{gate} cannot be placed, since the rate is {rate}")
            limits.setdefault(name, {})[gate] = limit
    return limits


def compare_subject(subject: Subject) -> Iterator[Compared]:
    """Both tools on one contract, on each of its backends."""
    folder = FOLDER / subject.name
    folder.mkdir()
    write_data(subject, folder)
    inputs = {each.row["id"]: each.row["input"] for each in examples(subject)}
    with serving(WEIGH) as service:
        file = folder / "contract.json"
        file.write_text(json.dumps(contract(subject, service.url, {})), encoding="utf-8")
        limits = place_limits(subject, run_theirs(folder, "biased"))
        file.write_text(json.dumps(contract(subject, service.url, limits)), encoding="utf-8")
        for backend in BACKENDS:
            theirs, (ours, reductions) = run_theirs(folder, backend), run_ours(folder, backend)
            near = too_near(theirs, subject, CLEARANCE)
            if near:
                raise SystemExit(f"{subject.name} on {backend}: rounding could decide of {near[0]}")
            agreements = dict(compare_facts(*(facts_of(told, subject, inputs) for told in (ours, theirs))))
            name = f"{subject.name} ({subject.kind}, {'mock' if backend == 'default' else backend})"
            broken = [*broken_rules(subject, ours.pairs, inputs), *reductions]
            yield Compared(name, theirs, ours, agreements, broken)


def show(runs: list[Compared]) -> bool:
    """Print what was compared and how far it is apart; says whether everything agrees."""
    layout = "{:<28}{:>9}{:>9}{:>9}{:>9}{:>14}{:>8}  {}"
    print(layout.format("contract", "pairs", "theirs", "skipped", "errors", "checks hold", "status", "agrees").rstrip())
    for run in runs:
        statuses = [check["status"] for check in run.theirs.checks.values()]
        wrong = run.broken or any(each.differences for each in run.agreements.values())
        print(
            layout.format(
                run.name,
                len(run.ours.pairs),
                len(run.theirs.pairs),
                len(run.theirs.skips),
                sum(pair.error is not None for pair in run.theirs.pairs),
                f"{statuses.count('pass')} of {len(statuses)}",
                run.theirs.outcome["status"],
                "NO" if wrong else "yes",
            )
        )
    print(f"\n{'pairs of the property':<28}{'ours':>9}{'theirs':>9}")
    ours, theirs = (_counted(pair for told in side for pair in told.pairs) for side in _sides(runs))
    for name in dict.fromkeys([*theirs, *ours]):
        print(f"{name:<28}{ours[name]:>9}{theirs[name]:>9}")
    broken = [f"{run.name}: {rule}" for run in runs for rule in run.broken]
    print(f"\nrules that our pairs break: {len(broken) or 'none'}")
    for rule in broken[:MOST_SHOWN]:
        print(rule)
    print()
    return show_agreements([(run.name, run.agreements) for run in runs], others=len(broken))


def _sides(runs: list[Compared]) -> tuple[list[Told], list[Told]]:
    return [run.ours for run in runs], [run.theirs for run in runs]


def _counted(pairs: Iterator[Pair]) -> Counter[str]:
    return Counter(pair.property_name for pair in pairs)


def main(arguments: list[str]) -> int:
    """Compare and print; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare what this package and decguard find with properties.")
    parser.parse_args(arguments)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    runs: list[Compared] = []
    for subject in SUBJECTS:
        print(f"{subject.name}: {CASES} cases on {len(BACKENDS)} backends", file=sys.stderr, flush=True)
        runs += compare_subject(subject)
    print(f"the same contracts and data, run by robust and by {PEERS['decguard']}")
    return 0 if show(runs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
