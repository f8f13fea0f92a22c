"""Two sides measured in turns, as a table of ratios that says plainly what was not reached."""

from __future__ import annotations

import os
import statistics
from typing import NamedTuple

_DECIMALS = {"s": 2, "ms": 3, "MiB": 0, "/s": 0}


class Comparison(NamedTuple):
    """One row of the table: what both sides took, turn by turn, and the ratio that is required.

    By default the ratio is theirs over ours and must be at least ``required``: so many times better are we. With
    ``at_most`` it is ours over theirs and must be at most that: so many times more may we take.
    """

    work: str
    unit: str
    ours: list[float]
    theirs: list[float]
    required: float | None
    at_most: bool = False

    @property
    def ratios(self) -> list[float]:
        """The ratio of each turn."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return [ours / theirs if self.at_most else theirs / ours for ours, theirs in pairs]

    @property
    def ratio(self) -> float:
        """The median of the ratios, which is what counts."""
        return statistics.median(self.ratios)

    @property
    def missed(self) -> bool:
        """Whether a ratio is required and was not reached."""
        if self.required is None:
            return False
        return self.ratio > self.required if self.at_most else self.ratio < self.required


def show(rows: list[Comparison], *, sides: tuple[str, str] = ("ours", "theirs")) -> bool:
    """Print the table, and plainly what was not reached; says whether everything was."""
    width = max(27, *(len(row.work) + 2 for row in rows))
    layout = f"{{:<{width}}}{{:>12}}{{:>12}}   {{:<24}}{{:>9}}  {{}}"
    print(layout.format("work", *sides, "ratio (min–max)", "required", "reached"))
    for row in rows:
        low, high = min(row.ratios), max(row.ratios)
        # Ratios near 1 need a digit more than ratios of ten.
        decimals = 2 if row.at_most else 1
        print(
            layout.format(
                row.work,
                _median(row.ours, row.unit),
                _median(row.theirs, row.unit),
                f"{row.ratio:.{decimals}f}x ({low:.{decimals}f}–{high:.{decimals}f})",
                "" if row.required is None else f"{'≤' if row.at_most else '≥'} {row.required:g}x",
                "" if row.required is None else "NOT REACHED" if row.missed else "yes",
            ).rstrip()
        )
    missed = [row.work for row in rows if row.missed]
    print("every required ratio was reached" if not missed else "NOT REACHED: " + ", ".join(missed))
    return not missed


def say_load() -> None:
    """Print how busy the machine is, without which no time means anything."""
    if hasattr(os, "getloadavg"):
        print(f"load of this machine's {os.cpu_count()} processors over the last minute: {os.getloadavg()[0]:.1f}")


def _median(values: list[float], unit: str) -> str:
    return f"{statistics.median(values):.{_DECIMALS[unit]}f} {unit}"
