"""Rows T4 and T5: candidates that built-in oracles must not vouch for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, Case, DecisionRequest, Manifest, Run, run_contract
from robust.canon import JsonObject

BUILTIN = {"default": {"provider": "builtin"}}


def even(request: DecisionRequest) -> dict[str, float]:
    """A model that knows nothing, which no change of the question changes."""
    labels = request.decision.labels
    return {label: 1 / len(labels) for label in labels}


def run(folder: Path, decision: JsonObject, properties: JsonObject, text: str) -> Run:
    contract = {
        "schema_version": "1",
        "decision": {"name": "asked", **decision},
        "backend": {"provider": "callable"},
        "oracles": BUILTIN,
        "properties": properties,
    }
    manifest = Manifest.build("one case", cases=[Case(text, case_id="c", source_id="c")])
    return run_contract(contract, backend=CallableBackend(even), manifest=manifest, output=folder / "run")


def pairs_of(finished: Run) -> list[JsonObject]:
    return [record for record in finished.records() if record["kind"] == "pair"]


@pytest.mark.parametrize("name", ["option_order", "label_format"])
@pytest.mark.parametrize("provider", ["presentation", "builtin"])
def test_t4_none_of_the_above_is_unknown_in_another_order(tmp_path: Path, name: str, provider: str) -> None:
    """It is not sent and not scored, and the record tells which label it was."""
    decision = {"type": "choice", "options": ["mammal", "bird", "none of the above"]}
    settings = {"samples": 5, "max_tv_distance": 0.5, "oracle": {"provider": provider}}
    finished = run(tmp_path, decision, {name: settings}, "What is a cat?")
    pairs = pairs_of(finished)
    assert len(pairs) == 5
    for pair in pairs:
        assert (pair["validation"]["status"], pair["validation"]["issues"]) == ("unknown", ["unreviewed"])
        assert "none of the above" in pair["validation"]["verdict"]["reason"]
        assert "result" not in pair
    summary = finished.report["properties"][name]
    assert (summary["unknown"], summary["valid"], summary["compared"]) == (5, 0, 0)


def test_t4_the_same_options_without_it_are_valid(tmp_path: Path) -> None:
    """So that it is the label that makes the difference; "other" is what the contract should have said."""
    decision = {"type": "choice", "options": ["mammal", "bird", "other"]}
    finished = run(tmp_path, decision, {"option_order": {"samples": 5, "max_tv_distance": 0.5}}, "What is a cat?")
    for pair in pairs_of(finished):
        assert (pair["validation"]["status"], pair["validation"]["strength"]) == ("valid", "relation")
    assert finished.report["properties"]["option_order"]["compared"] == 5


@pytest.mark.parametrize(
    ("find", "made"),
    [
        ("is eligible", None),
        ("eligible", "The applicant is not not eligible."),
        ("is", "The applicant is not eligible not eligible."),
    ],
)
def test_t5_a_rewrite_is_not_valid_where_the_text_has_it_already(tmp_path: Path, find: str, made: str | None) -> None:
    """It does not apply, or makes a text that says the same or nothing: no candidate is valid by being made."""
    replace = find.replace("is", "is not eligible") if find == "is" else find.replace("eligible", "not eligible")
    settings: dict[str, Any] = {"rewrites": [{"find": find, "replace": replace}], "max_tv_distance": 0.5}
    finished = run(tmp_path, {"type": "noul"}, {"inversion": settings}, "The applicant is not eligible.")
    pairs = pairs_of(finished)
    assert [pair["input"] for pair in pairs] == ([] if made is None else [made])
    assert all(pair["validation"]["status"] == "unknown" for pair in pairs)
    assert all("result" not in pair for pair in pairs)
    summary = finished.report["properties"]["inversion"]
    assert (summary["valid"], summary["compared"]) == (0, 0)
    assert (summary["skipped"], summary["unknown"]) == ((1, 0) if made is None else (0, 1))


def test_t5_nor_is_it_where_the_text_does_not_have_it(tmp_path: Path) -> None:
    """That a text has been negated does not prove that the right answer swaps."""
    settings = {"rewrites": [{"find": "is eligible", "replace": "is not eligible"}], "max_tv_distance": 0.5}
    finished = run(tmp_path, {"type": "noul"}, {"inversion": settings}, "The applicant is eligible, or is not.")
    [pair] = pairs_of(finished)
    assert pair["validation"]["status"] == "unknown"
    assert pair["provenance"]["relation"] == "counterfactual"
