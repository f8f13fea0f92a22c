"""Whether this package measures and judges as decguard does: the same contracts and data, run by both commands.

Every golden metric of both reports must be the same within 1e-12, and every check, answer, status and exit code equal.
Each contract is run twice: on a mock that answers by rules, and on a service where one answer in seven goes wrong.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.parity_data import CASES, SUBJECTS, Subject, contract, write_data
from benchmarks.parity_reports import Agreement, Facts, compare_facts, read_ours, read_theirs, show_agreements
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.service import serving

FOLDER = BENCH / "parity"
BACKENDS = ("default", "service")
SHARES = ("accuracy", "macro_f1", "coverage", "selective_accuracy", "ece", "abstention_rate")
# How far from its metric a limit stands that is not at it.
STEP = 0.001
_OUTCOME = "status and exit code"


class Compared(NamedTuple):
    """One contract on one backend, run by both tools."""

    name: str
    theirs: Facts
    agreements: dict[str, Agreement]


def run_theirs(folder: Path, backend: str) -> Facts:
    """Run the peer's command, and read its report."""
    file = folder / f"theirs-{backend}.json"
    file.unlink(missing_ok=True)
    code = _run([peer_bin("decguard") / "decguard", "test", "contract.json", "-o", file, *_named(backend)], folder)
    return _with_exit_code(read_theirs(file), code)


def run_ours(folder: Path, backend: str) -> Facts:
    """Run our command, and read its run directory."""
    output = folder / f"ours-{backend}"
    robust = Path(sys.executable).parent / "robust"
    code = _run([robust, "run", "contract.json", "-o", output, "--overwrite", *_named(backend)], folder)
    return _with_exit_code(read_ours(output), code)


def _named(backend: str) -> list[str]:
    return [] if backend == "default" else ["-b", backend]


def _run(command: list[str | Path], folder: Path) -> int:
    """The exit code of a command that came to a verdict."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode


def _with_exit_code(facts: Facts, code: int) -> Facts:
    return {**facts, _OUTCOME: {**facts[_OUTCOME], "exit code of the command": code}}


def place_gates(subject: Subject, measured: Facts) -> dict[str, dict[str, float]]:
    """Gates on every metric, whose limits stand at what was measured or on one side of it."""
    ordinal = {"max_ordinal_mae": "ordinal_mae"} if subject.kind == "score" else {}
    gates = {
        **{f"min_{name}": name for name in SHARES[:4]},
        **{f"max_{name}": name for name in (*SHARES[4:], "nll", "brier")},
        **ordinal,
    }
    sections: dict[str, dict[str, float]] = {}
    for section, sides in (("requirements", subject.required), ("warnings", subject.warned)):
        limits = sections.setdefault(section, {})
        for number, (gate, metric) in enumerate(gates.items()):
            value = measured[metric][metric]
            if not isinstance(value, float):
                raise SystemExit(f"{subject.name}: {metric} is {value!r}, of which no gate can be made")
            looser = STEP if gate.startswith("max_") else -STEP
            limits[gate] = value + {"at": 0, "holds": looser, "fails": -looser}[sides[number % len(sides)]]
    if subject.errors_allowed is not None:
        sections["requirements"]["max_error_rate"] = subject.errors_allowed
    sections["warnings"]["max_error_rate"] = 0.1
    return sections


def compare_subject(subject: Subject) -> Iterator[Compared]:
    """Both tools on one contract, on each of its backends."""
    folder = FOLDER / subject.name
    folder.mkdir()
    write_data(subject, folder)
    with serving(folder / "answers.json") as service:
        file = folder / "contract.json"
        file.write_text(json.dumps(contract(subject, service.url, {})), encoding="utf-8")
        gates = place_gates(subject, run_theirs(folder, "default"))
        file.write_text(json.dumps(contract(subject, service.url, gates)), encoding="utf-8")
        for backend in BACKENDS:
            theirs, ours = run_theirs(folder, backend), run_ours(folder, backend)
            name = f"{subject.name} ({subject.kind}, {'mock' if backend == 'default' else backend})"
            yield Compared(name, theirs, dict(compare_facts(ours, theirs)))


def show(runs: list[Compared]) -> bool:
    """Print what was compared and how far it is apart; says whether everything agrees."""
    layout = "{:<30}{:>7}{:>9}{:>14}{:>9}  {}"
    print(layout.format("contract", "cases", "errors", "checks hold", "status", "agrees").rstrip())
    for run in runs:
        counts, statuses = run.theirs["counts"], list(run.theirs["checks: status"].values())
        holding = f"{statuses.count('pass')} of {len(statuses)}"
        status = str(run.theirs[_OUTCOME]["status"])
        agrees = "NO" if any(each.differences for each in run.agreements.values()) else "yes"
        print(layout.format(run.name, str(counts["cases"]), str(counts["errors"]), holding, status, agrees))
    print()
    return show_agreements([(run.name, run.agreements) for run in runs])


def main(arguments: list[str]) -> int:
    """Compare and print; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare what this package and decguard make of the same answers.")
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
