"""Label-free checks on receipts: readers of totals are flagged blindly first, and the flags are audited afterwards."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from extraction_audit import ANSWERS, audit
from extraction_blind import RECEIPTS, flag
from extraction_receipts import COUNT, SEED, receipts_and_answers
from extraction_systems import READERS
from robust import verify

DEFAULT_OUTPUT: Final = Path("runs") / "extraction"
STAGES: Final = ("generate", "blind", "audit", "verify")


def main() -> int:
    """Run the example; 0 when it worked, whatever the readers are worth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="where everything is written")
    parser.add_argument("--stage", choices=STAGES, help="only this stage, on what the ones before it wrote")
    parser.add_argument("--count", type=int, default=COUNT, help="how many receipts are made")
    parser.add_argument("--seed", type=int, default=SEED, help="what they are drawn by")
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show the signs of currencies gets their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    stages = {
        "generate": lambda: generate(arguments.output, arguments.count, arguments.seed),
        "blind": lambda: blind(arguments.output),
        "audit": lambda: audited(arguments.output),
        "verify": lambda: verified(arguments.output),
    }
    try:
        for name in STAGES if arguments.stage is None else (arguments.stage,):
            for line in stages[name]():
                print(line)
    except FileNotFoundError as error:
        print(f"{error.filename} is not there; run the stage before", file=sys.stderr)
        return 2
    except BrokenEvidence as error:
        print(f"   The example is broken: {error} does not verify.", file=sys.stderr)
        return 1
    return 0


class BrokenEvidence(Exception):
    """A run directory that was just written does not verify."""


def generate(folder: Path, count: int, seed: int) -> Iterator[str]:
    """Write receipts, and apart from them what they come to."""
    folder.mkdir(parents=True, exist_ok=True)
    receipts, answers = [], []
    for receipt, answer in receipts_and_answers(count, seed):
        receipts.append({"name": receipt.name, "lines": receipt.lines})
        answers.append(answer._asdict())
    for name, rows in ((RECEIPTS, receipts), (ANSWERS, answers)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    yield f"1. {count} receipts of invented shops are drawn; what each comes to is kept apart."
    yield "   The first of them:"
    for line in receipts[0]["lines"] if receipts else ():
        yield f"     {line}".rstrip()


def blind(folder: Path) -> Iterator[str]:
    """Flag receipts without their answers."""
    yield "\n2. Blind: two readers of totals are checked by the relations that hold of every"
    yield "   correct one. Nobody looks at what a receipt comes to."
    yield from flag(folder)


def audited(folder: Path) -> Iterator[str]:
    """Open the answers and say what the flags were worth."""
    yield "\n3. Audit: the answers are opened. In brackets exact 95 % intervals."
    yield from audit(folder)


def verified(folder: Path) -> Iterator[str]:
    """Derive again what the blind stage wrote."""
    yield "\n4. What was flagged is derived again from the records, without a reader."
    for name in READERS:
        verification = verify(folder / name)
        yield f"   {'ok  ' if verification.holds else 'FAIL'}  {folder / name}"
        if not verification.holds:
            raise BrokenEvidence(folder / name)


if __name__ == "__main__":
    sys.exit(main())
