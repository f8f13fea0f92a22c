"""Whether ``robust check`` says of production records what ``decguard check`` says of the same ones.

Three contracts of ``schema_version: "0.1"`` (a choice, a noul, a score) over 600 records each, with a baseline, are
checked by both commands. Every number that both have must be the same within 1e-12: counts, metrics, the reliability
table, confidence, latency and cost, drift, and all of these of every segment; and every check with its limit, level,
value and status, the status and the exit codes. The limits stand at what was measured, or 0.001 to one side of it.

Left out is what differs on purpose. Without any gate nothing passes here. Limits and the threshold compare here with a
slack of 1e-9. Numbers, true and false as values of segments have one name here however they are written, and texts that
look like one stand in quotation marks. Percentiles over more than 4,096 different numbers (1,024 in a segment) are here
within the error that is told beside them; here they are of fewer, and so exact on both sides.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.parity_reports import Agreement, Facts, compare_facts, show_agreements
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.production_data import rows, write_rows

FOLDER = BENCH / "parity_production"
COUNT = 600
STEP = 0.001
THRESHOLD = 0.55
GATES = {
    "min_accuracy": "accuracy",
    "max_error_rate": "error_rate",
    "max_ece": "ece",
    "max_brier": "brier",
    "max_nll": "nll",
    "min_threshold_coverage": "threshold_coverage",
    "max_abstention_rate": "abstention_rate",
    "max_fallback_rate": "fallback_rate",
    "max_confidence_tv_distance": "confidence_tv_distance",
    "max_accuracy_drop": "accuracy_drop",
    "max_ece_increase": "ece_increase",
}
DRIFT = ("confidence_tv_distance", "accuracy_drop", "ece_increase")
OUTCOME = "status and exit code"


class Subject(NamedTuple):
    """A contract: its name, its decision, and on which side of what was measured its limits stand."""

    name: str
    decision: dict[str, Any]
    labels: tuple[str, ...]
    bins: int
    required: tuple[str, ...]
    warned: tuple[str, ...]


SUBJECTS = (
    Subject(
        "claim",
        {"name": "claim", "type": "choice", "options": ["refund", "exchange", "reject", "ask"]},
        ("refund", "exchange", "reject", "ask"),
        10,
        ("at", "holds"),
        ("fails", "holds", "at"),
    ),
    Subject(
        "urgent",
        {"name": "urgent", "type": "noul", "labels": ["yes", "no"]},
        ("yes", "no"),
        7,
        ("holds", "fails", "at"),
        ("at",),
    ),
    Subject(
        "priority",
        {"name": "priority", "type": "score", "levels": ["low", "medium", "high"]},
        ("low", "medium", "high"),
        20,
        ("holds",),
        ("holds", "at", "holds"),
    ),
)


def contract(subject: Subject, gates: dict[str, dict[str, float]]) -> dict[str, Any]:
    """A contract that both tools read."""
    return {
        "schema_version": "0.1",
        "decision": subject.decision,
        "backend": {"provider": "mock"},
        "evaluation": {"confidence_threshold": THRESHOLD, "calibration_bins": subject.bins},
        "production": {"segments": ["region", "channel"], **gates},
    }


def run(command: list[str | Path], folder: Path) -> int:
    """The exit code of a command that came to a verdict."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode


def run_theirs(folder: Path) -> tuple[dict[str, Any], int]:
    """What the peer's command says, and its exit code."""
    file = folder / "theirs.json"
    command: list[str | Path] = [peer_bin("decguard") / "decguard", "check", "contract.json", "-d", "records.jsonl"]
    code = run([*command, "--baseline", "before.jsonl", "-o", file], folder)
    return json.loads(file.read_text(encoding="utf-8")), code


def run_ours(folder: Path) -> tuple[dict[str, Any], int]:
    """What our command says, and its exit code."""
    output = folder / "ours"
    command = [sys.executable, "-m", "robust", "check", "contract.json", "-d", "records.jsonl"]
    code = run([*command, "--baseline", "before.jsonl", "-o", output, "--overwrite"], folder)
    return json.loads((output / "report.json").read_text(encoding="utf-8")), code


def facts_of_theirs(report: dict[str, Any], code: int) -> Facts:
    """What the peer's report says, by kind and place."""
    facts: Facts = {}
    places = [("all", report["metrics"])]
    places += [(_segment(each["key"], each["value"]), each["metrics"]) for each in report["segments"]]
    for place, metrics in places:
        counts, routing = metrics["counts"], metrics["routing"]
        values = {
            **{name: metrics["outcomes"][name] for name in ("accuracy", "error_rate")},
            **{name: metrics["calibration"][name] for name in ("ece", "brier", "nll")},
            "threshold_coverage": metrics["threshold"]["coverage"],
            **{name: routing[name] for name in ("abstention_rate", "human_review_rate", "fallback_rate")},
        }
        told = {
            "records": counts["total"],
            "outcomes": counts["with_outcome"],
            "correctness": counts["with_correctness"],
            "actions": counts["with_action"],
            "fallbacks": counts["with_fallback"],
            "latencies": counts["with_latency"],
            "costs": counts["with_cost"],
        }
        spreads = {
            "confidence": {name: metrics["confidence"][name] for name in ("mean", "p50", "p95")},
            "latency_ms": {name: metrics["latency_ms"][name] for name in ("mean", "p95")},
            "cost": {name: metrics["cost"][name] for name in ("mean", "p95", "total")},
        }
        table = metrics["calibration"]["reliability"]
        _add(facts, place, values, told, spreads, table, metrics["confidence"]["histogram"])
    facts["drift"] = {name: report["drift"][name] for name in (*DRIFT, "confidence_mean_delta")}
    for check in report["checks"]:
        _add_check(facts, check["gate"], {**check, "limit": check["threshold"]})
    facts[OUTCOME] = {"status": report["status"], "report": report["exit_code"], "command": code}
    return facts


def facts_of_ours(report: dict[str, Any], code: int) -> Facts:
    """What our report says, by kind and place."""
    facts: Facts = {}
    places = [("all", report)]
    places += [(_segment(each["key"], each["value"]), each) for each in report["segments"]]
    for place, found in places:
        values = {name: metric["value"] for name, metric in found["metrics"].items() if name != "acceptance_rate"}
        spreads = {
            "confidence": {name: found["confidence"][name] for name in ("mean", "p50", "p95")},
            "latency_ms": {name: found["latency_ms"][name] for name in ("mean", "p95")},
            "cost": {name: found["cost"][name] for name in ("mean", "p95", "total")},
        }
        _add(facts, place, values, found["counts"], spreads, found["reliability"], found["confidence"]["histogram"])
    facts["drift"] = {name: metric["value"] for name, metric in report["drift"].items()}
    for check in report["checks"]:
        _add_check(facts, check["check"], check)
    facts[OUTCOME] = {"status": report["status"], "report": report["exit_code"], "command": code}
    return facts


def _segment(key: str, value: object) -> str:
    return f"{key}={'<missing>' if value is None else value}"


def _add(
    facts: Facts,
    place: str,
    values: dict[str, Any],
    counts: dict[str, Any],
    spreads: dict[str, dict[str, Any]],
    table: list[dict[str, Any]],
    histogram: list[int],
) -> None:
    for name, value in values.items():
        facts.setdefault(name, {})[place] = value
    for name, value in counts.items():
        facts.setdefault(f"count: {name}", {})[place] = value
    for kind, told in spreads.items():
        for name, value in told.items():
            facts.setdefault(f"{kind}: {name}", {})[place] = value
    for number, row in enumerate(table, start=1):
        for name in ("lower", "upper", "count", "mean_confidence", "accuracy"):
            facts.setdefault(f"reliability: {name}", {})[f"{place} bin {number}"] = row[name]
    for number, value in enumerate(histogram, start=1):
        facts.setdefault("histogram", {})[f"{place} bin {number}"] = value


def _add_check(facts: Facts, gate: str, check: dict[str, Any]) -> None:
    name = f"{check['level']} {gate}"
    for kind in ("limit", "value", "status"):
        facts.setdefault(f"checks: {kind}", {})[name] = check[kind]


def place_gates(subject: Subject, measured: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Gates on every metric, whose limits stand at what was measured or on one side of it."""
    values = {name: metric["value"] for name, metric in {**measured["metrics"], **measured["drift"]}.items()}
    sections: dict[str, dict[str, float]] = {}
    for section, sides in (("requirements", subject.required), ("warnings", subject.warned)):
        limits = sections.setdefault(section, {})
        for number, (gate, metric) in enumerate(GATES.items()):
            looser = STEP if gate.startswith("max_") else -STEP
            side = sides[number % len(sides)]
            limits[gate] = max(values[metric] + {"at": 0, "holds": looser, "fails": -looser}[side], 0.0)
    for section, of in (("segment_requirements", "requirements"), ("segment_warnings", "warnings")):
        sections[section] = {gate: limit for gate, limit in sections[of].items() if GATES[gate] not in DRIFT}
    return sections


def compare(subject: Subject) -> dict[str, Agreement]:
    """Both tools on one contract."""
    folder = FOLDER / subject.name
    folder.mkdir(parents=True)
    write_rows(folder / "records.jsonl", rows(COUNT, subject.name, subject.labels, 11, skill=0.5))
    write_rows(folder / "before.jsonl", rows(COUNT, subject.name, subject.labels, 12, skill=0.6))
    file = folder / "contract.json"
    file.write_text(json.dumps(contract(subject, {"requirements": {"min_accuracy": 0}})), encoding="utf-8")
    gates = place_gates(subject, run_ours(folder)[0])
    file.write_text(json.dumps(contract(subject, gates)), encoding="utf-8")
    return dict(compare_facts(facts_of_ours(*run_ours(folder)), facts_of_theirs(*run_theirs(folder))))


def main(arguments: list[str]) -> int:
    """Compare and print; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(description="Compare what this package and decguard say of production records.")
    parser.parse_args(arguments)
    shutil.rmtree(FOLDER, ignore_errors=True)
    runs = []
    for subject in SUBJECTS:
        print(f"{subject.name}: {COUNT} records", file=sys.stderr, flush=True)
        runs.append((f"{subject.name} ({subject.decision['type']})", compare(subject)))
    print(f"the same contracts and records, checked by robust and by {PEERS['decguard']}")
    return 0 if show_agreements(runs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
