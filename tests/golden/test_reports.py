"""Whole reports of real runs, as they are shown: what a reader sees changes only where somebody means it to.

``python -m tests.golden.test_reports`` writes them anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from robust import CallableBackend, Case, DecisionRequest, Run, run_contract
from robust.render.report import report_text
from tests.run_fixtures import contract_of, manifest_of, right_answer, sure
from tests.unit.render.reports import assert_fit

FOLDER: Final = Path(__file__).parent / "reports"
# Which digests there are is no matter of how they are shown, and time is none of what ran.
UNCHANGING: Final = {"evidence_digest": "sha256:" + "0" * 64, "digest": "sha256:" + "0" * 64, "observed": {}}
REQUESTS: Final = (
    "Where is my parcel? It was due on Monday.",
    "I was charged twice for 3 items. Please help.",
    "My password does not work.",
    "The box arrived broken, and one cup is missing.",
    "Please change my address.",
    "refund",
    "",
    "Can I pay by invoice? The last one was 12.50 EUR.",
)
TOPICS: Final = ("delivery", "billing", "account", "delivery", "account", "billing", "other", "billing")


def _cases() -> list[Case]:
    rows = enumerate(zip(REQUESTS, TOPICS, strict=True), start=1)
    return [Case(text, topic, case_id=f"r{n}", source_id=f"s{n}") for n, (text, topic) in rows]


def _topic_contract(*others: str, **sections: Any) -> dict[str, Any]:
    options = ["billing", "delivery", "account", "other", *others]
    return {"decision": {"name": "topic", "type": "choice", "options": options}, **sections}


def assumed(folder: Path) -> Run:
    """A contract of schema 0.1: everything is scored on its author's word, and the model sees what it should not."""
    limits = {"max_tv_distance": 0.1}
    contract = _topic_contract(
        schema_version="0.1",
        backend={"provider": "mock", "seed": 7, "position_bias": 0.3},
        requirements={"min_accuracy": 0.1},
        properties={
            "option_order": {**limits, "samples": 2},
            "label_format": {**limits, "samples": 1},
            "irrelevant_context": {"samples": 1, "max_flip_rate": 1},
            "whitespace": {**limits, "samples": 1, "max_flip_rate": 0.5},
            "paraphrase": {"max_tv_distance": 0},
        },
    )
    return run_contract(contract, dataset=_cases(), output=folder)


def judged(folder: Path) -> Run:
    """Oracles refuse candidates, cases are skipped, calls fail, and some of what is over a limit is noise."""

    def model(request: DecisionRequest) -> dict[str, float]:
        text = str(request.input)
        if "address" in text:
            raise TimeoutError("no answer within 30 s")
        # By chance, but the same in every process.
        chance = (len(text) * 7 + request.trial * 13) % 10 / 10
        first = 0.9 if chance < 0.8 and "  " not in text else 0.1
        rest = (1 - first) / (len(request.decision.labels) - 1)
        return {label: first if label == "billing" else rest for label in request.decision.labels}

    contract = _topic_contract(
        "none of the above",
        schema_version="1",
        backend={"provider": "callable"},
        oracles={"default": {"provider": "builtin"}},
        noise={"baseline_runs": 5},
        evaluation={"max_concurrency": 1},
        properties={
            "option_order": {"max_tv_distance": 0.1, "samples": 1},
            "irrelevant_context": {"max_flip_rate": 0.1, "samples": 2, "trials": 2, "level": "warning"},
            "whitespace": {"max_tv_distance": 0.1, "samples": 2, "trials": 2, "min_valid_rate": 0.9},
        },
    )
    return run_contract(contract, dataset=_cases(), backend=CallableBackend(model, model="chancy"), output=folder)


def variants(folder: Path) -> Run:
    """Validated variants of a manifest, by relation."""
    edits = {
        f"total {2000 + n}": [(f"total  {2000 + n}", "invariant"), (f"total {n}", "counterfactual")] for n in range(12)
    }

    def model(request: DecisionRequest) -> dict[str, float]:
        text = str(request.input)
        return sure("no" if "  " in text and int(text[-1]) % 2 else right_answer(text), 0.8)

    sections = {
        "requirements": {"min_accuracy": 0.9},
        "properties": {"variants": {"max_tv_distance": 0.5, "min_variant_accuracy": 0.7}},
    }
    backend = CallableBackend(model, model="told")
    return run_contract(contract_of(**sections), manifest=manifest_of(edits), backend=backend, output=folder)


RUNS: Final[dict[str, Callable[[Path], Run]]] = {"assumed": assumed, "judged": judged, "variants": variants}


def _report(name: str, folder: Path) -> dict[str, Any]:
    report = RUNS[name](folder / name).report
    return {**report, **UNCHANGING, "observed": {"messages": report["observed"]["messages"]}}


@pytest.mark.parametrize("name", RUNS)
def test_a_report_is_shown_as_it_was(name: str, tmp_path: Path) -> None:
    """To the character."""
    text = assert_fit(_report(name, tmp_path), run=f"runs/{name}")
    assert text + "\n" == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def _write() -> None:
    for name in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            text = report_text(_report(name, Path(folder)), run=f"runs/{name}")
        (FOLDER / f"{name}.txt").write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write()
