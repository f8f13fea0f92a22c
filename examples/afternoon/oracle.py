"""The oracle: reads the amount of both texts exactly, and says nothing where it cannot. It speaks robust.oracle/1."""

from __future__ import annotations

import json
import re
import sys
from decimal import Decimal

LIMIT = 1000
# An amount in English notation, and the word that makes it one; nothing before it may be a part of it.
AMOUNT = re.compile(r"(?<![\d.,'\u2019])(?<!\d\s)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s+euros\b", re.IGNORECASE)


def amount(text: str) -> Decimal | None:
    """The one amount of a text; None where there is not exactly one that can be read for certain."""
    found = AMOUNT.findall(text)
    return Decimal(found[0].replace(",", "")) if len(found) == 1 else None


def judge(base: str, candidate: str) -> dict[str, object]:
    """Whether both texts ask for one amount, and what the right answers are."""
    before, after = amount(base), amount(candidate)
    if before is None or after is None:
        which = "base" if before is None else "candidate"
        return {"valid": None, "reason": f"no amount can be read for certain in the {which}"}
    answers = ["yes" if value > LIMIT else "no" for value in (before, after)]
    return {
        "valid": before == after,
        "reason": f"the amounts are {before} and {after}",
        "base_expected": answers[0],
        "variant_expected": answers[1],
        "evidence": {"base": str(before), "candidate": str(after)},
    }


for line in sys.stdin:
    question = json.loads(line)
    verdict = judge(question["base"]["input"], question["candidate"]["input"])
    print(json.dumps({"id": question["id"], **verdict}), flush=True)
