"""Failing candidates made smaller: by calls that are counted, judged by the same oracle, and still failing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import BackendAnswer, Case, DecisionRequest, OracleVerdict, Run, Usage, verify
from robust.canon import JsonObject
from tests.property_runs import FLIP, Judge, fragile, pairs_of, run
from tests.run_fixtures import numbers, right_model, sure

FRAGMENTS = ["It rained.", "It snowed.", "It froze.", "It hailed.", "It poured."]
# All five in every candidate, so that what is left of them follows from the model alone.
CONTEXT: JsonObject = {"irrelevant_context": {**FLIP, "fragments": FRAGMENTS, "insertions": 5, "samples": 1}}
HOUSE: JsonObject = {"default": {"provider": "house"}}


def _run(folder: Path, model: Any, properties: JsonObject = CONTEXT, **options: Any) -> Run:
    finished = run(folder, properties, options.pop("cases", numbers("number 5000")), model, **options)
    assert verify(finished.path).holds
    return finished


def _only(finished: Run) -> JsonObject:
    (pair,) = pairs_of(finished)
    return pair


def test_what_is_left_is_what_the_model_falls_for(tmp_path: Path) -> None:
    """Of five fragments the one that matters; the record keeps the whole and the smaller one."""
    pair = _only(_run(tmp_path, fragile("It froze.")))
    reduced = pair["reduced"]
    assert len(pair["steps"]) == 5
    assert [step["text"] for step in reduced["steps"]] == ["It froze."]
    assert reduced["steps"][0] in pair["steps"]
    assert reduced["input"].replace("It froze.", "").strip() == "number 5000"
    assert (reduced["result"]["selected"], reduced["violations"]) == ("no", ["max_flip_rate"])
    assert reduced["comparison"]["flipped"]
    assert (reduced["result"]["case_id"], reduced["validation"]) == (pair["id"], None)


def test_two_that_are_needed_together_both_stay(tmp_path: Path) -> None:
    """A model that falls for a pair of them."""

    def model(request: DecisionRequest) -> Any:
        both = all(text in str(request.input) for text in ("It froze.", "It rained."))
        return sure("no") if both else right_model(request)

    reduced = _only(_run(tmp_path, model))["reduced"]
    assert sorted(step["text"] for step in reduced["steps"]) == ["It froze.", "It rained."]


def test_where_nothing_can_be_left_out_there_is_no_smaller_form(tmp_path: Path) -> None:
    """All five are needed, which takes five calls to see."""

    def model(request: DecisionRequest) -> Any:
        return sure("no") if all(text in str(request.input) for text in FRAGMENTS) else right_model(request)

    finished = _run(tmp_path, model)
    pair = _only(finished)
    assert (pair["reduced"], pair["violations"]) == (None, ["max_flip_rate"])
    assert pair["observed"]["minimising"] == {"calls": 5}
    # The base twice, as every base that is asked again, the pair, and five smaller forms.
    assert finished.report["observed"]["calls"] == 8


@pytest.mark.parametrize(("most", "left"), [(0, None), (1, 4), (2, 3), (3, 2), (4, 1), (5, 1)])
def test_no_more_calls_than_are_allowed(tmp_path: Path, most: int, left: int | None) -> None:
    """Each takes one fragment away from a model that falls for any; what was reached by then is kept."""
    asked: list[str] = []

    def model(request: DecisionRequest) -> Any:
        asked.append(request.case_id)
        return sure("no") if "It " in str(request.input) else right_model(request)

    finished = _run(tmp_path, model, fuzz={"max_minimize_calls": most})
    pair = _only(finished)
    assert (None if pair["reduced"] is None else len(pair["reduced"]["steps"])) == left
    calls = min(most, 4)
    assert pair["observed"].get("minimising") == ({"calls": calls} if most else None)
    assert asked.count(pair["id"]) == 1 + calls


def test_minimising_can_be_turned_off(tmp_path: Path) -> None:
    """In the contract, or for one run; it changes the contract's digest, as it does what is recorded."""
    for name, options in (("contract", {"fuzz": {"minimize": False}}), ("run", {"minimize": False})):
        pair = _only(_run(tmp_path, fragile("It froze."), name=name, **options))
        assert pair["reduced"] is None
        assert "minimising" not in pair["observed"]
    on = _run(tmp_path, fragile("It froze."), name="on", fuzz={"minimize": False}, minimize=True)
    assert _only(on)["reduced"] is not None


def test_its_calls_are_paid_from_the_budget_of_the_run(tmp_path: Path) -> None:
    """Once that is spent no smaller form is found, and nothing of the pair is lost."""
    options: Any = {"evaluation": {"max_concurrency": 1}, "max_calls": 5}
    finished = _run(tmp_path, fragile("It "), **options)
    pair = _only(finished)
    assert finished.report["observed"]["calls"] == 5
    assert (len(pair["reduced"]["steps"]), pair["violations"]) == (3, ["max_flip_rate"])


def test_what_it_cost_is_observed(tmp_path: Path) -> None:
    """Tokens and cost of its calls, apart from those of the pair."""

    def model(request: DecisionRequest) -> BackendAnswer:
        answer = fragile("It froze.")(request)
        return BackendAnswer(probabilities=answer, usage=Usage(tokens=7, cost=0.5))

    pair = _only(_run(tmp_path, model))
    spent = pair["observed"]["minimising"]
    assert spent["usage"] == {"tokens": 7 * spent["calls"], "cost": 0.5 * spent["calls"]}
    assert pair["observed"]["usage"] == {"tokens": 7, "cost": 0.5}


def test_the_same_oracle_judges_every_smaller_form_before_it_is_sent(tmp_path: Path) -> None:
    """What it does not accept is passed over, and never sent."""

    class Both(Judge):
        """Accepts candidates with rain, or with all there is."""

        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            self.seen.append((base.input, candidate.input))
            rain = "It rained." in str(candidate.input)
            return OracleVerdict(rain or None, "rain was looked for", evidence={"rain": rain})

    sent: list[str] = []

    def model(request: DecisionRequest) -> Any:
        sent.append(str(request.input))
        return fragile("It froze.")(request)

    judge = Both()
    pair = _only(_run(tmp_path, model, oracles=HOUSE, validators={"house": judge}))
    reduced = pair["reduced"]
    assert sorted(step["text"] for step in reduced["steps"]) == ["It froze.", "It rained."]
    assert (reduced["validation"]["status"], reduced["validation"]["oracle"]["name"]) == ("valid", "house-judge")
    assert reduced["validation"]["digest"] != pair["validation"]["digest"]
    assert all("It rained." in text for text in sent if "It " in text)
    assert any("It rained." not in str(candidate) for _, candidate in judge.seen)


def test_without_an_accepted_smaller_form_there_is_none(tmp_path: Path) -> None:
    """However badly the model fares on those that are refused."""

    class Whole(Judge):
        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            whole = all(text in str(candidate.input) for text in FRAGMENTS)
            return OracleVerdict(whole, "all or nothing", evidence={"all": whole})

    finished = _run(tmp_path, fragile("It "), oracles=HOUSE, validators={"house": Whole()})
    pair = _only(finished)
    assert (pair["reduced"], pair["observed"]["minimising"]) == (None, {"calls": 0})


def test_an_error_of_a_smaller_form_is_no_failure_of_it(tmp_path: Path) -> None:
    """Then others are tried; the pair stays what it is."""

    def model(request: DecisionRequest) -> Any:
        text = str(request.input)
        if "It " in text and not all(each in text for each in FRAGMENTS):
            raise ConnectionError("down")
        return fragile("It ")(request)

    pair = _only(_run(tmp_path, model))
    assert (pair["reduced"], pair["observed"]["minimising"]) == (None, {"calls": 5})
    assert "error" not in pair


def test_orders_are_made_smaller_by_swaps_of_neighbours(tmp_path: Path) -> None:
    """Down to one that only shows first what the model then prefers."""
    labels = ["a", "b", "c", "d"]

    def first_wins(request: DecisionRequest) -> dict[str, float]:
        shown = request.decision.labels
        return {label: 0.7 if place == 0 else 0.1 for place, label in enumerate(shown)}

    decision = {"name": "q", "type": "choice", "options": labels}
    cases = [Case("x", "a", case_id="x", source_id="x")]
    properties = {"option_order": {**FLIP, "samples": 23}}
    finished = _run(tmp_path, first_wins, properties, cases=cases, decision=decision)
    for pair in pairs_of(finished):
        first = pair["presentation"][0][1]
        assert bool(pair["violations"]) == (first != "a")
        if pair["reduced"] is not None:
            order = pair["reduced"]["steps"][0]["order"]
            # One label moved to the front, all others in their own order.
            assert order[1:] == sorted(order[1:])
            assert labels[order[0]] == pair["reduced"]["result"]["selected"] != "a"


def test_forms_are_made_smaller_label_by_label(tmp_path: Path) -> None:
    """Only the label whose form matters is shown otherwise."""

    def model(request: DecisionRequest) -> dict[str, float]:
        loud = "YES" in request.decision.labels
        return {label: 0.9 if (label.lower() == "yes") is not loud else 0.1 for label in request.decision.labels}

    properties = {"label_format": {**FLIP, "styles": ["upper"]}}
    pair = _only(_run(tmp_path, model, properties))
    assert pair["reduced"]["steps"] == [{"label": "yes", "shown": "YES"}]
    assert pair["reduced"]["presentation"] == [["YES", "yes"], ["no", "no"]]
    assert pair["reduced"]["result"]["probabilities"] == {"yes": 0.1, "no": 0.9}


def test_what_holds_is_not_made_smaller(tmp_path: Path) -> None:
    """Neither is what has no parts."""
    assert "minimising" not in _only(_run(tmp_path, right_model, name="holds"))["observed"]
    properties: JsonObject = {"inversion": {**FLIP, "rewrites": [{"find": "number", "replace": "no number"}]}}
    pair = _only(_run(tmp_path, right_model, properties))
    assert (pair["violations"], pair["reduced"]) == (["max_flip_rate"], None)
    assert "minimising" not in pair["observed"]
