"""Prints the table of the tamper corpus: ``python -m tests.tampering [--wide] [--part NUMBER/OF]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.run_fixtures import SERVER
from tests.tampering.corpus import Part
from tests.tampering.judged import Tally, judge_part
from tests.tampering.verdicts import Bench
from tests.tampering.workshop import make_workshop, read_workshop


def _table(tally: Tally) -> str:
    lines = [
        "| edit | edits | refused by derivation | by comparison | only by signature or place | reasons |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kind, row in sorted(tally.rows.items()):
        reasons = ", ".join(f"{code} {count}" for code, count in row.reasons.most_common())
        lines.append(f"| {kind} | {row.edits} | {row.derived} | {row.compared} | {row.signed} | {reasons} |")
    rows = tally.rows.values()
    sums = [sum(getattr(row, name) for row in rows) for name in ("edits", "derived", "compared", "signed")]
    lines.append(f"| all | {' | '.join(map(str, sums))} | |")
    forged = [row for kind, row in tally.rows.items() if kind.endswith("re-hashed")]
    sums = [sum(getattr(row, name) for row in forged) for name in ("edits", "derived", "compared", "signed")]
    lines.append(f"| of these re-hashed | {' | '.join(map(str, sums))} | |")
    lines += ["", "Accepted, since nothing that counts is changed:", ""]
    lines += [f"- {count}: {reason}" for reason, count in tally.accepted.most_common()]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Judge everything and print; the exit code is 1 if a verdict is not the one that is due."""
    parser = argparse.ArgumentParser(description="Judge the tamper corpus and print its table.")
    parser.add_argument("--wide", action="store_true", help="all that can be done to every field and line")
    parser.add_argument("--part", default="0/1", help="a part of it, such as 3/16")
    chosen = parser.parse_args(arguments)
    number, of = map(int, chosen.part.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("workshop", "bench"):
            (Path(folder) / name).mkdir()
        make_workshop(Path(folder) / "workshop")
        SERVER.stop()
        bench = Bench(Path(folder) / "bench", read_workshop(Path(folder) / "workshop"))
        tally = judge_part(bench, Part(number, of), wide=chosen.wide)
        touched = not bench.untouched()
    print(_table(tally))  # noqa: T201 - what it is for
    for text in [*tally.wrong, *(["something outside of the copy was touched"] if touched else [])]:
        print(f"WRONG: {text}")  # noqa: T201
    return 1 if tally.wrong or touched else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
