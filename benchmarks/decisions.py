"""How fast decisions are made, recorded and judged: ``robust run`` beside ``decguard test``, as whole commands.

Both read the same contract and the same data set, ask their own mock, check golden gates, and write all that they have
to say of every case to disk: ours a run directory with its digests, theirs a report.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any, TypeAlias

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.commands import Taken, measure, read_apart, robust
from benchmarks.peers import BENCH, PEERS, peer_bin
from benchmarks.table import Comparison, say_load, show

FOLDER = BENCH / "decisions"
OPTIONS = ("refund", "repair", "replacement", "refusal")
MUCH_FASTER = 10
MUCH_SMALLER = 5
Sides: TypeAlias = tuple[list[Taken], list[Taken]]


def write_data(count: int) -> None:
    """The contract and its cases."""
    contract = {
        "schema_version": "0.1",
        "decision": {"name": "claim", "type": "choice", "options": OPTIONS},
        "backend": {"provider": "mock", "seed": 3},
        "dataset": "cases.jsonl",
        "evaluation": {"confidence_threshold": 0.4},
        "requirements": {"min_accuracy": 0.1, "max_ece": 0.9, "max_nll": 5},
        "warnings": {"max_brier": 1.9, "min_macro_f1": 0.1, "min_coverage": 0.01},
    }
    (FOLDER / "contract.json").write_text(json.dumps(contract), encoding="utf-8")
    with (FOLDER / "cases.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(count):
            shop, days = number % 97, number % 31
            text = f"Claim {number}: the kettle that I bought in shop {shop} stopped heating after {days} days of use."
            case = {"id": f"claim-{number:07}", "input": text, "expected": OPTIONS[number * 7 % 11 % 4]}
            lines.write(json.dumps(case) + "\n")


def run_ours(count: int) -> Taken:
    """Run our command, and make sure that it decided every case."""
    output = FOLDER / "run"
    taken = measure([robust(), "run", "contract.json", "-o", output], FOLDER)
    _check_count(read_apart("data['counts']['decided']", output / "report.json"), count)
    shutil.rmtree(output)
    return taken


def run_theirs(count: int) -> Taken:
    """Run the peer's command, and make sure that it decided every case."""
    file = FOLDER / "report.json"
    taken = measure([peer_bin("decguard") / "decguard", "test", "contract.json", "-o", file], FOLDER)
    _check_count(read_apart("data['metrics']['counts']['succeeded']", file), count)
    file.unlink()
    return taken


def run_loop(count: int) -> Taken:
    """Run the bare loop in a process of its own."""
    taken = measure([sys.executable, __file__, "--loop"], FOLDER)
    output = FOLDER / "loop.jsonl"
    _check_count(output.read_bytes().count(b"\n"), count)
    output.unlink()
    return taken


def write_records() -> None:
    """The bare loop: the least that records of these decisions, and digests over them, cost in one process."""
    evidence, answers, whole = [], [], hashlib.sha256()
    with (FOLDER / "cases.jsonl").open("rb") as cases, (FOLDER / "loop.jsonl").open("wb") as records:
        for line in cases:
            record = _record(orjson.loads(line))
            asked = [record["id"], record["input"], None, record["result"]["probabilities"]]
            evidence.append(_leaf(_encoded(record)))
            answers.append(_leaf(_encoded(asked)))
            record["observed"] = {"latency_ms": 0.01}
            written = _encoded(record) + b"\n"
            whole.update(written)
            records.write(written)
    for leaves in (evidence, answers):
        _root(leaves)


def _root(level: list[bytes]) -> bytes:
    while len(level) > 1:
        level = [hashlib.sha256(b"\1" + b"".join(level[at : at + 2])).digest() for at in range(0, len(level), 2)]
    return level[0]


def _record(case: dict[str, Any]) -> dict[str, Any]:
    start = b'["robust.mock/1",3,"' + case["input"].encode() + b'","'
    hashes = [hashlib.sha256(start + option.encode() + b'"]').digest() for option in OPTIONS]
    weights = [int.from_bytes(each[:8], "big") / 2**64 for each in hashes]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    confidence = max(shares)
    result = {"backend": "default", "case_id": case["id"], "confidence": confidence, "decision": "claim"}
    result |= {"decision_type": "choice", "labels": OPTIONS, "model": "mock", "model_version": None, "provider": "mock"}
    result |= {"probabilities": dict(zip(OPTIONS, shares, strict=True))}
    result |= {"selected": OPTIONS[shares.index(confidence)]}
    record = {"case_id": case["id"], "expected": case["expected"], "id": f"decision/{case['id']}", "kind": "decision"}
    return (
        record
        | {"input": case["input"], "media": [], "metadata": {}, "presentation": None, "result": result}
        | {"source_id": case["id"]}
    )


def _encoded(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _leaf(line: bytes) -> bytes:
    return hashlib.sha256(b"\0" + line).digest()


def _check_count(decided: int, count: int) -> None:
    if decided != count:
        raise SystemExit(f"{decided} of {count} cases were decided")


def compare(rounds: int, count: int) -> list[Comparison]:
    """Both sides in turns, each going first every other time, and the bare loop."""
    ours: list[Taken] = []
    theirs: list[Taken] = []
    loop: list[Taken] = []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}: {count} cases by each side", file=sys.stderr, flush=True)
        if number % 2:
            theirs.append(run_theirs(count))
            ours.append(run_ours(count))
        else:
            ours.append(run_ours(count))
            theirs.append(run_theirs(count))
        loop.append(run_loop(count))

    def row(work: str, unit: str, figure: str, required: float | None, sides: Sides = (ours, theirs)) -> Comparison:
        mine, other = ([float(getattr(taken, figure)) for taken in side] for side in sides)
        return Comparison(work, unit, mine, other, required)

    return [
        row("wall time of the command", "s", "seconds", MUCH_FASTER),
        row("processor time", "s", "processor_s", None),
        row("peak memory", "MiB", "peak_mib", MUCH_SMALLER),
        row("ours beside the bare loop", "s", "seconds", None, (ours, loop)),
        row("the bare loop beside theirs", "s", "seconds", None, (loop, theirs)),
    ]


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Compare robust run with decguard test, as ratios.")
    parser.add_argument("--rounds", type=int, default=2, help="how often the two sides take turns (default: 2)")
    parser.add_argument("--count", type=int, default=100_000, help="cases (default: 100000)")
    parser.add_argument("--loop", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.loop:
        write_records()
        return 0
    peer_bin("decguard")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    try:
        write_data(chosen.count)
        rows = compare(chosen.rounds, chosen.count)
    finally:
        shutil.rmtree(FOLDER)
    print(f"{chosen.count} cases on the mock, {chosen.rounds} rounds; {PEERS['decguard']}")
    speed = [chosen.count / seconds for seconds in rows[0].ours], [chosen.count / seconds for seconds in rows[0].theirs]
    print(f"decisions per second: ours {min(speed[0]):.0f}–{max(speed[0]):.0f}, ", end="")
    print(f"theirs {min(speed[1]):.0f}–{max(speed[1]):.0f}")
    say_load()
    return 0 if show(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
