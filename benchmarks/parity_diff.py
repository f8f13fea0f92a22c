"""Whether ``robust diff`` says of two runs what ``decguard diff`` says: the same contracts, data and answers.

Every number that both know must be the same within 1e-12, and every check, changed case, status and exit code equal.
Each contract is run by both commands on an older and a newer service, whose answers, faults and cases differ.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.parity_data import Subject
from benchmarks.parity_diff_data import COMPARED, RUNS, contract, write_run
from benchmarks.parity_diff_reports import read_our_diff, read_their_diff
from benchmarks.parity_reports import Agreement, Facts, compare_facts, show_agreements
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.service import serving

from robust.stats.percentiles import percentile

FOLDER = BENCH / "parity-diff"
# How far from what was measured a limit stands that is not at it.
STEP = 0.001
SIDES = ("at", "holds", "fails")
GATES = {
    "max_answer_flip_rate": "answer_flip_rate",
    "max_accuracy_drop": "accuracy_drop",
    "max_macro_f1_drop": "macro_f1_drop",
    "max_ece_increase": "ece_increase",
    "max_brier_increase": "brier_increase",
    "max_nll_increase": "nll_increase",
    "max_mean_tv_distance": "mean_tv_distance",
    "max_mean_confidence_shift": "mean_abs_confidence_delta",
    "max_error_rate_increase": "error_rate_increase",
    "max_latency_p95_increase_ms": "latency_p95_increase_ms",
    "max_segment_accuracy_drop": "segment_accuracy_drop",
}


def run_both(folder: Path, run: str) -> None:
    """Run a contract with both commands; the peer's report then gets the latencies of ours, so that they compare."""
    theirs, ours = folder / f"theirs-{run}.json", folder / f"ours-{run}"
    _run([peer_bin("decguard") / "decguard", "test", f"{run}.json", "-o", theirs], folder)
    _run([_robust(), "run", f"{run}.json", "-o", ours, "--overwrite"], folder)
    latencies = {}
    with (ours / "records.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            latencies[record["case_id"]] = record["observed"].get("latency_ms")
    report = json.loads(theirs.read_text(encoding="utf-8"))
    decided = [each["result"] for each in report["results"] if each["result"] is not None]
    for result in decided:
        result["latency_ms"] = latencies[result["case_id"]]
    # Its reader holds a report to what it derives again.
    ordered = sorted(result["latency_ms"] for result in decided)
    report["metrics"]["latency"] = {
        "n": len(ordered),
        "mean_ms": math.fsum(ordered) / len(ordered),
        **{f"p{percent}_ms": percentile(ordered, percent) for percent in (50, 90, 95, 99)},
        "max_ms": ordered[-1],
    }
    theirs.write_text(json.dumps(report), encoding="utf-8")


def _robust() -> Path:
    return Path(sys.executable).parent / "robust"


def _run(command: list[str | Path], folder: Path) -> tuple[int, str]:
    """The exit code of a command that came to a verdict, and its output."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode, done.stdout


def diff_both(folder: Path, given: str) -> tuple[Facts, Facts, dict[str, Any]]:
    """What both say of the two runs, judged by a contract; and the peer's report."""
    file = folder / "theirs-diff.json"
    file.unlink(missing_ok=True)
    peer: list[str | Path] = [peer_bin("decguard") / "decguard", "diff", "theirs-old.json", "theirs-new.json"]
    code, _ = _run([*peer, "--contract", given, "-o", file], folder)
    theirs = json.loads(file.read_text(encoding="utf-8"))
    own, output = _run([_robust(), "diff", "ours-old", "ours-new", "--contract", given, "-f", "json"], folder)
    return read_our_diff(json.loads(output), own), read_their_diff(theirs, code), theirs


def place_gates(measured: dict[str, Any], turn: int) -> dict[str, Any]:
    """Gates on everything, whose limits stand at what was measured or on one side of it."""
    found: dict[str, Any] = {"warnings": {}}
    for number, (gate, name) in enumerate(GATES.items()):
        side = SIDES[(number + turn) % len(SIDES)]
        limit = max(0.0, measured[name] + {"at": 0, "holds": STEP, "fails": -STEP}[side])
        found[gate] = limit
        found["warnings"][gate] = max(0.0, limit - (STEP if side == "holds" else 0))
    return found


def measured_values(report: dict[str, Any]) -> dict[str, float]:
    """What the peer's gates look at, from its numbers."""
    deltas = {name: metric["delta"] for name, metric in report["metrics"].items()}
    drops = [each["accuracy_drop"] for each in report["segments"] if each["gated"]]
    return {
        **{name: report["shift"][name] for name in GATES.values() if name in report["shift"]},
        **{f"{name}_drop": -deltas[name] for name in ("accuracy", "macro_f1")},
        **{f"{name}_increase": deltas[name] for name in ("ece", "brier", "nll", "error_rate")},
        "latency_p95_increase_ms": deltas["latency_p95_ms"],
        "segment_accuracy_drop": max(drop for drop in drops if drop is not None),
    }


def compare_subject(subject: Subject) -> Iterator[tuple[str, dict[str, Agreement]]]:
    """Both tools on the two runs of a contract, judged by limits on each side of what was measured."""
    folder = FOLDER / subject.name
    folder.mkdir()
    with ExitStack() as stack:
        for run in RUNS:
            write_run(subject, run, folder)
            service = stack.enter_context(serving(folder / f"{run}-answers.json"))
            (folder / f"{run}.json").write_text(json.dumps(contract(subject, run, service.url, {})), encoding="utf-8")
            run_both(folder, run)
    values = measured_values(diff_both(folder, "new.json")[2])
    for turn, side in enumerate(SIDES):
        limits = place_gates(values, turn)
        text = json.dumps(contract(subject, "new", "http://127.0.0.1:1/", limits))
        (folder / f"limits-{side}.json").write_text(text, encoding="utf-8")
        ours, theirs, _ = diff_both(folder, f"limits-{side}.json")
        yield f"{subject.name} ({subject.kind}, limits {turn + 1})", dict(compare_facts(ours, theirs))


def main(arguments: list[str]) -> int:
    """Compare and print; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare what this package and decguard make of two runs.")
    parser.parse_args(arguments)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    runs: list[tuple[str, dict[str, Agreement]]] = []
    for subject in COMPARED:
        print(f"{subject.name}: two runs by both tools", file=sys.stderr, flush=True)
        runs += compare_subject(subject)
    print(f"{len(runs)} comparisons of two runs, by robust and by {PEERS['decguard']}")
    return 0 if show_agreements(runs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
