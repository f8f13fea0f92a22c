"""The first step: receipts are flagged without knowing what any of them comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final

from extraction_systems import READERS
from robust import BatchReport, check_many, default_pack

RECEIPTS: Final = "receipts.jsonl"
# In so many orders each receipt is read.
SAMPLES: Final = 10


def read_receipts(folder: Path) -> dict[str, list[str]]:
    """The lines of each receipt, by name."""
    with (folder / RECEIPTS).open(encoding="utf-8") as lines:
        return {row["name"]: row["lines"] for row in map(json.loads, lines)}


def flag(folder: Path) -> Iterator[str]:
    """Check each reader on all receipts, write what was flagged, and tell of it."""
    receipts = read_receipts(folder)
    for name, reader in READERS.items():
        report = check_many(
            reader,
            receipts.values(),
            default_pack(),
            ids=receipts,
            samples=SAMPLES,
            deterministic_system=True,
            workers=1,
            subject=f"totals read by {name}",
            output=folder / name,
            overwrite=True,
        )
        readings = {receipt: reader(lines) for receipt, lines in receipts.items()}
        written = {"flagged": report.flagged, "readings": readings}
        flags_file(folder, name).write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
        yield f"\n   {name}: {len(report.flagged)} of {report.inputs} receipts flagged, {report.calls} calls"
        for relation, result in report.results.items():
            tried = report.inputs - result.inputs.get("vacuous", 0)
            yield f"     {relation:26}violated on {result.inputs.get('violated', 0):3} of {tried} that it applies to"
        yield from _example(report)


def flags_file(folder: Path, name: str) -> Path:
    """Where the flags of a reader are."""
    return folder / f"flags-{name}.json"


def _example(report: BatchReport) -> Iterator[str]:
    """The shortest receipt that was flagged: what was read of it, and of its simplest variant."""
    flagged = [each for each in report.reports if each.counterexamples]
    if not flagged:
        return
    shortest = min(flagged, key=lambda each: len(each.counterexamples[0].base))
    found = shortest.counterexamples[0]
    variant = found.variant if found.minimised is None else found.minimised
    yield f"   For example {shortest.input_id}, {found.before} as it is and {found.after} when changed:"
    width = max(map(len, found.base))
    for left, right in zip_longest(found.base, variant, fillvalue=""):
        yield f"     {left:{width}}  |  {right}".rstrip()
