"""Pairs of the properties whose candidates are worded by others, turned round, or raised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, DecisionRequest, verify
from robust.canon import JsonObject
from tests.property_runs import FLIP, Judge, install_words, pairs_of, run, skips_of, words
from tests.run_fixtures import numbers, right_model, sure

HOUSE: JsonObject = {"default": {"provider": "house"}}
COUNTS = ("planned", "compared", "valid", "invalid", "unknown", "assumed", "errors", "skipped")


def _counts(finished: Any, name: str) -> JsonObject:
    summary = finished.report["properties"][name]
    return {count: summary[count] for count in COUNTS if summary[count]}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package that brings a paraphraser."""
    install_words(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


TEXTS = {
    "number 5000": ["amount 5000", "sum 5000", "number  5000"],
    "number 5": "fail",
    "number 6": "crash",
    "number 7": ["number 7"],
    "number 8": [],
    "number 9": ["number 9", "amount 9"],
    "number 10": ["", "amount 10"],
}


def test_paraphrases_are_pairs_with_where_they_come_from(installed: Path) -> None:
    """A failing paraphraser is an error of its case, no other words are a reason to skip it."""
    settings = {"paraphrase": {**FLIP, "samples": 3, "source": words(installed, TEXTS)}}
    judge = Judge(invalid="sum")
    finished = run(
        installed, settings, numbers(*TEXTS), right_model, oracles=HOUSE, validators={"house": judge}, max_concurrency=4
    )
    pairs = {pair["id"]: pair for pair in pairs_of(finished)}
    assert {name: pair["input"] for name, pair in pairs.items()} == {
        "paraphrase/n1/0": "amount 5000",
        "paraphrase/n1/1": "sum 5000",
        "paraphrase/n1/2": "number  5000",
        "paraphrase/n2/0": "number 5",
        "paraphrase/n3/0": "number 6",
        "paraphrase/n6/0": "amount 9",
        "paraphrase/n7/0": "number 10",
    }
    assert pairs["paraphrase/n1/0"]["steps"] == [{"text": "amount 5000"}]
    provenance = {"relation": "invariant", "paraphraser": {"provider": "words", "model": "w-1"}}
    assert pairs["paraphrase/n1/0"]["provenance"] == provenance
    assert pairs["paraphrase/n1/1"]["validation"]["status"] == "invalid"
    for name in ("paraphrase/n2/0", "paraphrase/n3/0", "paraphrase/n7/0"):
        assert (pairs[name]["error"], pairs[name]["steps"]) == ({"kind": "paraphrase_error"}, [])
        assert pairs[name]["validation"] is None
    assert pairs["paraphrase/n2/0"]["observed"]["message"] == "unavailable: no words left"
    assert "out of words" in pairs["paraphrase/n3/0"]["observed"]["message"]
    assert skips_of(finished) == {"paraphrase/n4": "nothing_changes", "paraphrase/n5": "no_paraphrase"}
    assert _counts(finished, "paraphrase") == {
        "planned": 7,
        "compared": 3,
        "valid": 3,
        "invalid": 1,
        "errors": 3,
        "skipped": 2,
    }
    assert verify(finished.path).holds


def test_nobody_words_a_base_that_failed(installed: Path) -> None:
    """Its pair is an original_error."""

    def model(request: DecisionRequest) -> Any:
        if "5000" in str(request.input):
            raise TimeoutError("slow")
        return right_model(request)

    settings = {"paraphrase": {**FLIP, "source": words(installed, {"number 9": ["amount 9"]})}}
    finished = run(installed, settings, numbers("number 5000", "number 9"), model)
    errors = {pair["id"]: pair.get("error") for pair in pairs_of(finished)}
    assert errors == {"paraphrase/n1/0": {"kind": "original_error"}, "paraphrase/n2/0": None}
    assert (installed / "asked.log").read_text(encoding="utf-8") == "number 9\n"
    assert verify(finished.path).holds


def test_the_answer_to_a_turned_question_must_swap(tmp_path: Path) -> None:
    """An answer that stays is a violation, one that swaps is none, and its right answer is the other label."""
    rewrites = [{"find": "above", "replace": "below"}]
    properties = {"inversion": {"max_tv_distance": 0.1, "max_flip_rate": 0, "rewrites": rewrites}}

    def swapping(request: DecisionRequest) -> Any:
        return sure("yes" if "above" in str(request.input) else "no")

    for name, model, violations in (
        ("swaps", swapping, []),
        ("stays", lambda _: sure("yes"), ["max_tv_distance", "max_flip_rate"]),
    ):
        cases = [Case("above 1000", "yes", case_id="a", source_id="a")]
        finished = run(tmp_path, properties, cases, model, name=name)
        (pair,) = pairs_of(finished)
        assert (pair["expected"], pair["provenance"]) == ("no", {"relation": "counterfactual"})
        assert (pair["input"], pair["violations"]) == ("below 1000", violations)
        assert pair["comparison"]["variant_correct"] is (not violations)
        assert verify(finished.path).holds


@pytest.mark.parametrize(
    ("direction", "slope", "violations"),
    [
        ("increasing", 1, []),
        ("increasing", -1, ["max_level_decrease"]),
        ("decreasing", -1, []),
        ("decreasing", 1, ["max_level_decrease"]),
    ],
)
def test_a_raised_number_must_not_move_the_level_against_its_direction(
    tmp_path: Path, direction: str, slope: int, violations: list[str]
) -> None:
    """By the expected level, Σ index·p."""

    def model(request: DecisionRequest) -> dict[str, float]:
        assert isinstance(request.input, dict)
        share = 0.5 + slope * request.input["n"] / 100
        return {"low": 1 - share, "middle": 0, "high": share}

    settings = {"monotonic": {"field": "n", "direction": direction, "deltas": [1, 10]}}
    decision = {"name": "q", "type": "score", "levels": ["low", "middle", "high"]}
    cases = [Case({"n": 5}, None, case_id="a", source_id="a"), Case({"m": 5}, None, case_id="b", source_id="b")]

    def only_n(request: DecisionRequest) -> Any:
        assert isinstance(request.input, dict)
        return model(request) if "n" in request.input else {"low": 1, "middle": 0, "high": 0}

    finished = run(tmp_path, settings, cases, only_n, decision=decision)
    first, second = pairs_of(finished)
    assert [pair["input"] for pair in (first, second)] == [{"n": 6}, {"n": 15}]
    assert [pair["violations"] for pair in (first, second)] == [violations] * 2
    assert second["comparison"]["level_delta"] == pytest.approx(slope * 0.2, abs=1e-12)
    assert skips_of(finished) == {"monotonic/b": "no_number"}
    assert (finished.status == "pass") is (not violations)
    assert verify(finished.path).holds
