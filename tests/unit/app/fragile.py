"""A model with known faults, and a contract whose properties find them, for tests about replaying and re-judging."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robust import CallableBackend, DecisionRequest, Run, run_contract
from robust.canon import JsonObject

LABELS = ("alpha", "beta", "gamma")
FRAGMENT = "The kettle had just boiled."
ROWS: list[JsonObject] = [
    {"id": "a", "input": "One sentence is here. Another one follows. And a third.", "expected": "alpha"},
    {"id": "b", "input": {"text": "Just words. More words.", "more": [1, {"x": None}]}, "expected": "beta"},
    {"id": "c", "input": "No fault shows in this one.", "expected": "alpha", "metadata": {"steady": True}},
]
PROPERTIES: JsonObject = {
    "option_order": {"max_tv_distance": 0.1},
    "irrelevant_context": {"max_tv_distance": 0.1, "insertions": 3, "fragments": [FRAGMENT, "All was quiet."]},
    "whitespace": {"max_flip_rate": 0.0},
}


def contract_of(**sections: Any) -> JsonObject:
    """A contract about three topics, scored on its author's word, whose model comes from Python."""
    return {
        "schema_version": "1",
        "decision": {"name": "topic", "type": "choice", "options": list(LABELS)},
        "backend": {"provider": "callable"},
        "oracles": {"policy": "assumed"},
        "fuzz": {"text_field": "text"},
        "properties": PROPERTIES,
        **sections,
    }


def text_of(request: DecisionRequest) -> str:
    """The text that the model reads."""
    shown: Any = request.input
    return shown if isinstance(shown, str) else str(shown["text"])


def fragile(request: DecisionRequest) -> dict[str, float]:
    """Prefers the label shown first, and alpha the more the more often it reads of a kettle; case c leaves it cold."""
    labels = request.decision.labels
    text = text_of(request)
    if "No fault shows" in text:
        return {label: 0.8 if label == "alpha" else 0.1 for label in labels}
    first = 0.2 if "boiled" not in text else 0.0
    weights = {label: 0.2 + (first if place == 0 else 0) for place, label in enumerate(labels)}
    weights["alpha"] += 0.25 * text.count("boiled")
    total = sum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def steady(request: DecisionRequest) -> dict[str, float]:
    """A model without any fault."""
    return {label: {"alpha": 0.5, "beta": 0.3, "gamma": 0.2}[label] for label in request.decision.labels}


class Recording:
    """A model that remembers what it was asked, and answers like another one."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.asked: list[DecisionRequest] = []

    def __call__(self, request: DecisionRequest) -> Any:
        """Answer."""
        self.asked.append(request)
        return self.model(request)

    def said(self) -> set[tuple[Any, ...]]:
        """What it was asked, as plain values."""
        return {(each.case_id, each.decision.labels, repr(each.input), each.media, each.trial) for each in self.asked}


def run(folder: Path, model: Any = fragile, *, name: str = "run", rows: Any = None, **options: Any) -> Run:
    """Run a contract on a model into ``folder / name``; further sections of the contract by ``sections``."""
    contract = contract_of(**options.pop("sections", {}))
    backend = CallableBackend(model, inline=True, version="1") if callable(model) else model
    return run_contract(
        contract, backend=backend, dataset=ROWS if rows is None else rows, output=folder / name, **options
    )


def failed_ids(finished: Run) -> list[str]:
    """The ids of what failed, in the order of the records."""
    return [record["id"] for record in finished.records() if "error" in record or record.get("violations")]
