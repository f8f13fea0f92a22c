"""The second step, after the flags are written: the answers are opened, only to say what the flags were worth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from scipy.stats import binomtest  # type: ignore[import-untyped]

from extraction_blind import flags_file
from extraction_systems import READERS

ANSWERS: Final = "answers.jsonl"
Interval = tuple[float, float]


class Worth(NamedTuple):
    """How many receipts were flagged or not, and read wrongly or not."""

    flagged_wrong: int
    flagged_right: int
    other_wrong: int
    other_right: int

    @property
    def flagged(self) -> int:
        """How many were flagged."""
        return self.flagged_wrong + self.flagged_right

    @property
    def others(self) -> int:
        """How many were not."""
        return self.other_wrong + self.other_right

    @property
    def wrong(self) -> int:
        """How many were read wrongly."""
        return self.flagged_wrong + self.other_wrong


def audit(folder: Path) -> Iterator[str]:
    """Compare flags and answers, and tell of it."""
    with (folder / ANSWERS).open(encoding="utf-8") as lines:
        answers = {row["name"]: row for row in map(json.loads, lines)}
    for name in READERS:
        written = json.loads(flags_file(folder, name).read_text(encoding="utf-8"))
        flagged = set(written["flagged"])
        wrong = {
            receipt
            for receipt, value in written["readings"].items()
            if value is None or not _is(value, answers[receipt])
        }
        worth = Worth(
            len(flagged & wrong), len(flagged - wrong), len(wrong - flagged), len(answers) - len(flagged | wrong)
        )
        yield f"\n   {name}: wrong of all: {_share(worth.wrong, len(answers))}"
        yield f"     precision    wrong of the flagged:      {_share(worth.flagged_wrong, worth.flagged)}"
        yield f"     recall       flagged of the wrong:      {_share(worth.flagged_wrong, worth.wrong)}"
        yield f"     rest         wrong of the not flagged:  {_share(worth.other_wrong, worth.others)}"
        yield f"     enrichment   {_enrichment(worth)}"


def exact_interval(hits: int, cases: int, confidence: float = 0.95) -> Interval:
    """The interval of Clopper and Pearson; everything of no case."""
    if not cases:
        return 0.0, 1.0
    found = binomtest(hits, cases).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)


def enrichment_interval(worth: Worth) -> Interval:
    """The ratio of two shares, at least 95 % sure: each of them lies in its exact 97.5 % interval."""
    flagged = exact_interval(worth.flagged_wrong, worth.flagged, 0.975)
    others = exact_interval(worth.other_wrong, worth.others, 0.975)
    return flagged[0] / others[1], flagged[1] / others[0] if others[0] else float("inf")


def _is(value: float, answer: dict[str, int]) -> bool:
    return round(value * 100) == answer["cents"]


def _share(hits: int, cases: int) -> str:
    low, high = exact_interval(hits, cases)
    value = f"{100 * hits / cases:.0f} %" if cases else "none"
    return f"{hits} of {cases}, {value} ({100 * low:.0f} to {100 * high:.0f} %)"


def _enrichment(worth: Worth) -> str:
    if not worth.flagged or not worth.other_wrong:
        return "cannot be told: nothing is flagged, or everything wrong is"
    ratio = worth.flagged_wrong / worth.flagged / (worth.other_wrong / worth.others)
    low, high = enrichment_interval(worth)
    return f"a flagged one is {ratio:.1f} times as often wrong ({low:.1f} to {high:.1f})"
