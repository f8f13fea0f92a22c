"""Production records for the benchmarks, made by a seeded generator: the same everywhere."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

REGIONS = ("north", "south", "east", "west")
ACTIONS = ("accept", "abstain", "fallback", "human_review")


def rows(
    count: int, decision: str, labels: Sequence[str], seed: int, *, skill: float = 0.5
) -> Iterator[dict[str, Any]]:
    """Records of which some are known to be right or wrong, some are routed, and some lack nearly everything.

    Args:
        count: how many.
        decision: the name of the decision.
        labels: its labels, in the contract's order.
        seed: another one gives other records.
        skill: how often the selected label is the right one beyond chance.
    """
    source = random.Random(seed)
    for number in range(count):
        weights = [source.random() ** 3 + 1e-6 for _ in labels]
        total = sum(weights)
        shares = [weight / total for weight in weights]
        place = shares.index(max(shares))
        row: dict[str, Any] = {
            "id": f"request-{number:08d}",
            "timestamp": f"2026-03-{1 + number % 28:02d}T{number % 24:02d}:{number % 60:02d}:00Z",
            "decision": decision,
            "probabilities": dict(zip(labels, shares, strict=True)),
            "selected": labels[place],
            "confidence": shares[place],
            "model": "claims-small",
            "latency_ms": round(source.lognormvariate(5, 0.6), 3),
            "metadata": {"region": source.choice(REGIONS), "channel": "web" if source.random() < 0.7 else "phone"},
        }
        if source.random() < 0.6:
            row["outcome"] = labels[place] if source.random() < skill else source.choice(labels)
        elif source.random() < 0.3:
            row["outcome_correct"] = source.random() < skill
        if source.random() < 0.8:
            row["action"] = source.choice(ACTIONS)
        elif source.random() < 0.5:
            row["fallback"] = source.random() < 0.1
        if source.random() < 0.7:
            row["cost"] = source.choice([0.0002, 0.0004, 0.0011])
        if source.random() < 0.1:
            del row["metadata"]
        if source.random() < 0.1:
            del row["latency_ms"]
        yield row


def write_rows(path: Path, made: Iterator[dict[str, Any]]) -> None:
    """A file of JSON Lines."""
    with path.open("w", encoding="utf-8") as lines:
        for row in made:
            lines.write(json.dumps(row) + "\n")
