"""Checks of relations of many kinds, for tests of how they are written and verified."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from robust import Case, NotApplicable, OracleVerdict, Relation, not_less, unchanged
from robust.app.check_many import check_many
from robust.app.checking import check

RECEIPT = ["Apples 2.50", "Pears 3.00", "TOTAL 5.50"]


def last_number(lines: list[str]) -> float:
    """A system that takes the last line for the total."""
    return float(lines[-1].split()[-1])


def largest_number(lines: list[str]) -> float:
    """A system that does not care about the order."""
    return max(float(line.split()[-1]) for line in lines)


def alternating(outputs: list[Any]) -> Callable[[Any], Any]:
    """A system with noise: the same outputs over and over, whatever it is given."""
    endless = itertools.cycle(outputs)
    return lambda _: next(endless)


def moved(lines: list[str], random: Any) -> list[str]:
    """The lines in another order."""
    random.shuffle(lines)
    return lines


def fewer(base: list[str], variant: list[str]) -> list[list[str]]:
    """Orders with fewer lines out of place."""
    return [[base[0], base[2], base[1]], [base[1], base[0], base[2]]]


def footed(lines: list[str], random: Any) -> list[str]:
    """Lines that say nothing below."""
    return [*lines, *(["See you 0.00"] * random.randint(0, 3))]


def stuck(lines: list[str], random: Any) -> list[str]:
    """A transform that raises, or has nothing to change."""
    if random.randint(0, 1):
        raise NotApplicable("nothing to change")
    raise ValueError("stuck")


def _lines(case: Case) -> int:
    given: Any = case.input
    return len(given["value"])


def short_footers(base: Case, candidate: Case) -> OracleVerdict:
    """An oracle that takes one line of footer, refuses two, and cannot tell of three."""
    lines = _lines(candidate) - _lines(base)
    valid = None if lines > 2 else lines < 2
    return OracleVerdict(valid=valid, reason="by the number of lines", evidence={"lines": lines})


ORDER = Relation("order of lines", moved, unchanged(), shrink=fewer)
FOOTER = Relation("footer", footed, unchanged())
STUCK = Relation("stuck", stuck, unchanged())
CUSTOM = Relation("custom", moved, lambda before, after: abs(before - after) < 1)
JUDGED = Relation("judged footer", footed, unchanged(), oracle=short_footers)
JUDGED_ORDER = replace(ORDER, name="reordered", seed=3, oracle=short_footers)
GROWS = Relation("grows", footed, not_less(), seed=7)


def breaks(base: Any, variant: Any) -> list[Any]:
    """A shrinking that raises."""
    raise RuntimeError("cannot shrink")


# By what is in it, a check.
CHECKS: dict[str, Callable[[], Any]] = {
    "violated and minimised": lambda: check(
        last_number, RECEIPT, [replace(ORDER, seed=18), FOOTER], subject="last number"
    ),
    "declared": lambda: check(last_number, RECEIPT, [ORDER, GROWS], deterministic_system=True, subject="declared"),
    "all of it": lambda: check(last_number, RECEIPT, [ORDER, CUSTOM], early_stop=False, samples=10, alpha=0.2),
    "holds": lambda: check(largest_number, RECEIPT, [ORDER, FOOTER, GROWS]),
    "noise": lambda: check(alternating([1.5, 2.5, 1.5, 3.5]), RECEIPT, [ORDER, FOOTER], samples=8),
    "noisy labels": lambda: check(alternating(["a", "a", "b"]), RECEIPT, [ORDER, FOOTER], samples=8),
    "raising": lambda: check(largest_number, RECEIPT, [STUCK, FOOTER], samples=6),
    "judged": lambda: check(largest_number, RECEIPT, [JUDGED, FOOTER]),
    "judged and minimised": lambda: check(last_number, RECEIPT, [JUDGED_ORDER]),
    "custom": lambda: check(last_number, RECEIPT, [CUSTOM]),
    "objects": lambda: check(lambda _: {1: (float("nan"), b"x")}, RECEIPT, [ORDER]),
    "not minimised": lambda: check(last_number, RECEIPT, [replace(ORDER, shrink=breaks), FOOTER]),
    "batch": lambda: check_many(last_number, [RECEIPT, RECEIPT[1:], ["a 1.0", "b 2.0"]], [ORDER, FOOTER], workers=2),
}
