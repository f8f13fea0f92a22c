"""Contracts and files of production records, made up."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.store.contracts import read_contract

LABELS = ("refund", "exchange", "reject")


def contract_data(production: JsonObject | None = None, **sections: Any) -> JsonObject:
    """A contract of schema 1 with a section of production gates."""
    return {
        "schema_version": "1",
        "decision": {"name": "claim", "type": "choice", "options": list(LABELS)},
        "backend": {"provider": "mock"},
        "production": {"requirements": {"min_accuracy": 0.1}} if production is None else production,
        **sections,
    }


def contract_of(production: JsonObject | None = None, **sections: Any) -> Contract:
    """The same, read."""
    return read_contract(contract_data(production, **sections))


def record(**fields: Any) -> JsonObject:
    """A record that is in order, with some fields set; those set to None are left out."""
    made = {
        "decision": "claim",
        "probabilities": {"refund": 0.7, "exchange": 0.2, "reject": 0.1},
        "selected": "refund",
        **fields,
    }
    return {name: value for name, value in made.items() if value is not None}


def records(count: int, seed: int = 1) -> list[JsonObject]:
    """Records of many kinds: some with an outcome, some with only whether they were right, some with neither."""
    drawn = random.Random(seed)
    made = []
    for number in range(count):
        first, second = drawn.random(), drawn.random()
        total = first + second + 0.5
        shares = [first / total, second / total, 0.5 / total]
        place = shares.index(max(shares))
        row: JsonObject = {
            "decision": "claim",
            "id": f"r{number}",
            "probabilities": dict(zip(LABELS, shares, strict=True)),
            "selected": LABELS[place],
        }
        for name, value, share in (
            ("confidence", shares[place], 0.5),
            ("timestamp", f"2026-03-{1 + number % 28:02d}T10:00:00+02:00", 0.8),
            ("outcome", drawn.choice(LABELS), 0.5),
            ("latency_ms", round(drawn.lognormvariate(5, 1), 3), 0.9),
            ("cost", drawn.choice([0.001, 0.002, 0]), 0.7),
            ("action", drawn.choice(["accept", "abstain", "fallback", "human_review"]), 0.6),
        ):
            if drawn.random() < share:
                row[name] = value
        if "outcome" not in row and drawn.random() < 0.4:
            row["outcome_correct"] = drawn.random() < 0.6
        if "action" not in row and drawn.random() < 0.5:
            row["fallback"] = drawn.random() < 0.2
        if drawn.random() < 0.9:
            row["metadata"] = {
                "region": drawn.choice(["north", "south", None]),
                "tier": drawn.choice([1, 2.5, "1", True]),
            }
        made.append(row)
    return made


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_contract(path: Path, production: JsonObject | None = None, **sections: Any) -> Path:
    """A contract file."""
    path.write_text(json.dumps(contract_data(production, **sections)), encoding="utf-8")
    return path
