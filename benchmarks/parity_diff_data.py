"""Two runs of each contract for ``parity_diff.py``: an older and a newer service, over cases that are mostly the same.

Every number is made from SHA-256, so that each run on each machine compares the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.parity_data import SUBJECTS, Example, Stream, Subject, examples

# A choice, a noul and a score.
COMPARED = SUBJECTS[:3]
RUNS = ("old", "new")
KEYS = ("region", "size", "nothing")
SMALLEST_SEGMENT = 20
_LEFT_OUT = {"old": 37, "new": 41}
_FAULTY = {"old": 13, "new": 11}


def rows(subject: Subject, run: str) -> Iterator[dict[str, Any]]:
    """The cases of a run, with metadata: texts, numbers, truth values, null, and values that are missing."""
    for number, example in enumerate(examples(subject)):
        if number % _LEFT_OUT[run] != 0:
            yield {**example.row, "metadata": _metadata(number)}


def _metadata(number: int) -> dict[str, Any]:
    found: dict[str, Any] = {"region": ("north", "south", "östlich", "west wing")[number % 4 if number % 9 else 3]}
    if number % 5:
        found["size"] = (1, 2.5, True, None, "1000")[number % 7 % 5]
    return found


def answers(subject: Subject, run: str) -> dict[str, tuple[int, str]]:
    """What the service of a run answers to each case."""
    stream = Stream("parity of comparisons", subject.name, run)
    every = [*examples(subject)]
    found = {}
    for number, example in enumerate(every):
        shares = dict(example.probabilities)
        if run == "new":
            shares = _moved(example, every[(number + 1) % len(every)], stream)
        status = 503 if number % _FAULTY[run] == 0 else 200
        body = json.dumps({"probabilities": shares, "model": run})
        found[str(example.row["id"])] = (status, body)
    return found


def _moved(example: Example, other: Example, stream: Stream) -> dict[str, float]:
    """What the newer service answers: the same, a blend, the same probabilities of other labels, or another answer."""
    shares, drawn = dict(example.probabilities), stream.unit()
    if drawn < 0.35:
        return shares
    if drawn < 0.65:
        part = stream.unit()
        return {label: (1 - part) * share + part * other.probabilities[label] for label, share in shares.items()}
    if drawn < 0.85:
        labels = [*shares]
        turned = [*labels[1:], labels[0]]
        return {label: shares[turned[place]] for place, label in enumerate(labels)}
    return dict(other.probabilities)


def write_run(subject: Subject, run: str, folder: Path) -> None:
    """Write the data set of a run, and what its service answers."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(subject, run)]
    (folder / f"{run}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / f"{run}-answers.json").write_text(json.dumps(answers(subject, run)), encoding="utf-8")


def contract(subject: Subject, run: str, url: str, regression: dict[str, Any]) -> dict[str, Any]:
    """The contract of a run, that both tools read."""
    key = {"choice": "options", "noul": "labels", "score": "levels"}[subject.kind]
    return {
        "schema_version": "0.1",
        "decision": {"name": subject.name, "type": subject.kind, key: list(subject.labels)},
        "backend": {"provider": "http", "url": url},
        "dataset": f"{run}.jsonl",
        "evaluation": subject.evaluation,
        "regression": {"segment_by": [*KEYS], "min_segment_size": SMALLEST_SEGMENT, **regression},
    }
