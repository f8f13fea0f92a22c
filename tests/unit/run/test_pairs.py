"""Pairs that properties generate: judged, refused, left undecided, assumed, only repeated, or never sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, DecisionRequest, UsageError, verify
from robust.canon import JsonObject
from robust.records.properties import FRAGMENTS
from tests.property_runs import (
    BUILTIN,
    FLIP,
    Judge,
    fragile,
    pairs_of,
    run,
    skips_of,
)
from tests.run_fixtures import checks_of, numbers, right_answer, right_model, sure

# Two candidates of each case, whose order and number follow from the seed alone.
CONTEXT: JsonObject = {"irrelevant_context": {**FLIP, "fragments": ["It rained.", "It snowed."], "samples": 4}}
HOUSE: JsonObject = {"default": {"provider": "house"}}
COUNTS = ("planned", "compared", "valid", "invalid", "unknown", "assumed", "errors", "skipped")


def _counts(finished: Any, name: str = "irrelevant_context") -> JsonObject:
    summary = finished.report["properties"][name]
    return {count: summary[count] for count in COUNTS if summary[count]}


def test_a_valid_candidate_is_sent_and_compared(tmp_path: Path) -> None:
    """Its record has what it was made of, the oracle's judgement, the answer, and the comparison."""
    finished = run(
        tmp_path, {"whitespace": {**FLIP, "samples": 1}}, numbers("number 5000"), right_model, oracles=BUILTIN
    )
    (pair,) = pairs_of(finished)
    (decision,) = (record for record in finished.records() if record["kind"] == "decision")
    assert {name: pair[name] for name in ("id", "case_id", "source_id", "property", "sample", "expected")} == {
        "id": "whitespace/n1/0",
        "case_id": "n1",
        "source_id": "n1",
        "property": "whitespace",
        "sample": 0,
        "expected": "yes",
    }
    assert pair["input"] != decision["input"]
    assert pair["input"].split() == decision["input"].split()
    assert all(step.keys() == {"at", "space"} for step in pair["steps"])
    assert (pair["presentation"], pair["provenance"]) == (None, {"relation": "invariant"})
    validation = pair["validation"]
    assert (validation["status"], validation["strength"], validation["issues"]) == ("valid", "relation", [])
    assert (validation["oracle"]["name"], validation["contract"]) == ("robust.preserves", "robust.preserves/v1")
    assert "base" not in validation
    assert "candidate" not in validation
    assert (pair["result"]["case_id"], pair["result"]["selected"]) == (pair["id"], "yes")
    assert (pair["comparison"]["tv_distance"], pair["comparison"]["flipped"]) == (0, False)
    assert (pair["violations"], pair["reduced"]) == ([], None)
    assert _counts(finished, "whitespace") == {"planned": 1, "compared": 1, "valid": 1}
    assert finished.status == "pass"
    assert verify(finished.path).holds


def test_what_its_oracle_does_not_accept_is_not_sent(tmp_path: Path) -> None:
    """Invalid and unknown candidates stay in the records with their codes, and are counted apart."""
    asked: list[str] = []

    def model(request: DecisionRequest) -> Any:
        asked.append(str(request.input))
        return right_model(request)

    judge = Judge(invalid="snowed", unknown="It rained. number")
    finished = run(tmp_path, CONTEXT, numbers("number 5000"), model, oracles=HOUSE, validators={"house": judge})
    records = {pair["input"]: pair for pair in pairs_of(finished)}
    assert len(records) == 4
    statuses = {text: pair["validation"]["status"] for text, pair in records.items()}
    assert statuses == {
        "It rained. number 5000": "unknown",
        "It snowed. number 5000": "invalid",
        "number 5000 It rained.": "valid",
        "number 5000 It snowed.": "invalid",
    }
    for text, pair in records.items():
        refused = statuses[text] != "valid"
        assert ("result" in pair or "error" in pair) != refused
        assert (pair["comparison"] is None) == refused
        assert (text in asked) != refused
    assert _counts(finished) == {"planned": 4, "compared": 1, "valid": 1, "invalid": 2, "unknown": 1}
    summary = finished.report["properties"]["irrelevant_context"]
    assert summary["refused_by_code"] == {"rejected": 2, "unreviewed": 1}
    assert [oracle["name"] for oracle in summary["oracles"]] == ["house-judge"]
    assert {name: finished.report["counts"][name] for name in ("pairs", "valid", "invalid", "unknown", "assumed")} == {
        "pairs": 4,
        "valid": 1,
        "invalid": 2,
        "unknown": 1,
        "assumed": 0,
    }
    assert verify(finished.path).holds


def test_an_oracle_sees_base_and_candidate_and_no_answer(tmp_path: Path) -> None:
    """Before anything is sent; what it does to its copies reaches nobody."""

    class Curious(Judge):
        def __call__(self, base: Case, candidate: Case) -> Any:
            seen.append((base, candidate))
            assert isinstance(base.input, dict)
            base.input["text"] = "spoiled"
            return super().__call__(base, candidate)

    seen: list[tuple[Case, Case]] = []
    cases = [Case({"text": "number 5000"}, "yes", case_id="c1", source_id="s1", metadata={"team": "a"})]
    settings = {**FLIP, "samples": 1, "fragments": ["It rained."]}
    finished = run(
        tmp_path,
        {"irrelevant_context": settings},
        cases,
        right_model,
        oracles=HOUSE,
        fuzz={"text_field": "text", "seed": 9},
        validators={"house": Curious()},
    )
    ((base, candidate),) = seen
    (pair,) = pairs_of(finished)
    assert (base.case_id, base.expected, candidate.expected) == ("c1", None, None)
    assert candidate.case_id == pair["id"] == "irrelevant_context/c1/0"
    assert candidate.origin is not None
    origin = candidate.origin.to_json()
    assert origin["params"] == {"steps": pair["steps"]}
    assert {name: origin[name] for name in ("parent_id", "transform", "seed", "index", "relation")} == {
        "parent_id": "c1",
        "transform": "irrelevant_context",
        "seed": 9,
        "index": 0,
        "relation": "invariant",
    }
    assert pair["input"]["text"].replace("It rained.", "").strip() == "number 5000"
    assert next(finished.records())["input"] == {"text": "number 5000"}
    assert verify(finished.path).holds


def test_of_labels_that_are_shown_otherwise_the_oracle_sees_the_labels(tmp_path: Path) -> None:
    """The input of both cases is put beside the labels, as it is they that change."""
    judge = Judge()
    finished = run(
        tmp_path, {"option_order": FLIP}, numbers("number 5"), right_model, oracles=HOUSE, validators={"house": judge}
    )
    assert judge.seen == [
        (
            {"input": "number 5", "labels": [["yes", "yes"], ["no", "no"]]},
            {"input": "number 5", "labels": [["no", "no"], ["yes", "yes"]]},
        )
    ]
    (pair,) = pairs_of(finished)
    assert (pair["input"], pair["presentation"]) == ("number 5", [["no", "no"], ["yes", "yes"]])
    assert verify(finished.path).holds


@pytest.mark.parametrize("name", ["option_order", "label_format"])
def test_answers_to_labels_shown_otherwise_are_mapped_back(tmp_path: Path, name: str) -> None:
    """The model gets the labels as shown, and the record has the contract's."""
    asked: list[tuple[str, ...]] = []

    def model(request: DecisionRequest) -> dict[str, float]:
        asked.append(request.decision.labels)
        yes = next(label for label in request.decision.labels if "yes" in label.lower())
        return {label: 0.75 if label == yes else 0.25 for label in request.decision.labels}

    finished = run(tmp_path, {name: {**FLIP, "samples": 6, "max_tv_distance": 0}}, numbers("number 5000"), model)
    pairs = pairs_of(finished)
    assert len(pairs) == {"option_order": 1, "label_format": 6}[name]
    for pair in pairs:
        assert pair["result"]["probabilities"] == {"yes": 0.75, "no": 0.25}
        assert tuple(shown for shown, _ in pair["presentation"]) in asked
        assert [label for _, label in pair["presentation"]] == (
            ["no", "yes"] if name == "option_order" else ["yes", "no"]
        )
    assert checks_of(finished)[f"{name}.max_violation_rate"] == "pass"


def test_without_an_oracle_each_pair_is_marked_as_assumed(tmp_path: Path) -> None:
    """Scored on the word of the contract's author, and counted so."""
    finished = run(tmp_path, CONTEXT, numbers("number 5000", "number 5"), right_model)
    pairs = pairs_of(finished)
    assert {(pair["assumed"], pair["validation"]) for pair in pairs} == {(True, None)}
    assert _counts(finished) == {"planned": 8, "compared": 8, "assumed": 8}
    assert finished.report["counts"]["assumed"] == 8
    assert verify(finished.path).holds


def test_the_same_input_asked_again_is_no_candidate(tmp_path: Path) -> None:
    """It needs no oracle under any policy, and is neither valid nor assumed."""
    settings = {"paraphrase": {**FLIP, "samples": 3}}
    finished = run(tmp_path, settings, numbers("number 5000"), right_model, oracles=BUILTIN)
    pairs = pairs_of(finished)
    assert [pair["input"] for pair in pairs] == ["number 5000"] * 3
    assert [pair["steps"] for pair in pairs] == [[]] * 3
    assert all(pair["validation"] is None and "assumed" not in pair for pair in pairs)
    assert _counts(finished, "paraphrase") == {"planned": 3, "compared": 3}
    assert verify(finished.path).holds


def test_pairs_of_a_base_that_failed_are_not_sent(tmp_path: Path) -> None:
    """Nor judged; each is an original_error, and the others go on."""

    def model(request: DecisionRequest) -> Any:
        asked.append(request.case_id)
        if "13" in str(request.input):
            raise TimeoutError("slow")
        return right_model(request)

    asked: list[str] = []
    judge = Judge()
    finished = run(
        tmp_path,
        {**CONTEXT, "option_order": FLIP},
        numbers("number 13", "number 5"),
        model,
        oracles=HOUSE,
        validators={"house": judge},
    )
    failed = [pair for pair in pairs_of(finished) if pair["case_id"] == "n1"]
    assert len(failed) == 5
    assert all(pair["error"] == {"kind": "original_error"} and pair["validation"] is None for pair in failed)
    assert all(pair["comparison"] is None and "assumed" not in pair for pair in failed)
    assert not any("n1/" in case_id for case_id in asked)
    assert not any("13" in str(seen) for seen in judge.seen)
    assert _counts(finished) == {"planned": 8, "compared": 4, "valid": 4, "errors": 4}
    assert checks_of(finished)["irrelevant_context.max_error_rate"] == "fail"
    assert verify(finished.path).holds


def test_a_pair_that_fails_is_an_error_of_its_own(tmp_path: Path) -> None:
    """It was judged and sent; the property's error check fails whatever its level."""

    def model(request: DecisionRequest) -> Any:
        if "snowed" in str(request.input):
            raise ConnectionError("down")
        return right_model(request)

    properties = {"irrelevant_context": {**CONTEXT["irrelevant_context"], "level": "warning"}}
    finished = run(tmp_path, properties, numbers("number 5"), model)
    assert _counts(finished) == {"planned": 4, "compared": 2, "assumed": 4, "errors": 2}
    assert finished.report["properties"]["irrelevant_context"]["errors_by_kind"] == {"exception": 2}
    assert checks_of(finished)["irrelevant_context.max_error_rate"] == "fail"
    assert finished.status == "fail"
    assert verify(finished.path).holds


def test_a_pair_that_is_too_large_for_an_oracle_is_an_oracle_error(tmp_path: Path) -> None:
    """It is not sent; without an oracle it is."""
    text = "number 5 " + "x" * 7_000_000
    settings: JsonObject = {"whitespace": {**FLIP, "samples": 1}}
    finished = run(tmp_path, settings, numbers(text), right_model, oracles=HOUSE, validators={"house": Judge()})
    (pair,) = pairs_of(finished)
    assert (pair["error"], pair["validation"]) == ({"kind": "oracle_error"}, None)
    assert "have 14" in pair["observed"]["message"]
    assert _counts(finished, "whitespace") == {"planned": 1, "errors": 1}
    assert finished.status == "fail"
    assert verify(finished.path).holds


def test_a_validator_that_raises_leaves_its_candidates_unknown(tmp_path: Path) -> None:
    """A crash of an oracle is evidence of nothing: not a violation, and not an error of the model."""

    def broken(base: Case, candidate: Case) -> Any:
        raise RuntimeError("lost")

    finished = run(tmp_path, CONTEXT, numbers("number 5"), right_model, oracles=HOUSE, validators={"house": broken})
    assert _counts(finished) == {"planned": 4, "unknown": 4}
    assert finished.report["properties"]["irrelevant_context"]["refused_by_code"] == {"validator_error": 4}
    assert checks_of(finished)["irrelevant_context.max_error_rate"] == "fail"
    assert verify(finished.path).holds


def test_an_oracle_that_is_not_known_to_be_quick_is_asked_in_one_thread(tmp_path: Path) -> None:
    """Whatever the concurrency is, as it need not bear two calls at once."""
    judge = Judge()
    finished = run(
        tmp_path,
        CONTEXT,
        numbers(*(f"number {n}" for n in range(20))),
        right_model,
        oracles=HOUSE,
        validators={"house": judge},
        max_concurrency=16,
    )
    assert (len(judge.seen), len(judge.threads)) == (80, 1)
    assert finished.status == "pass"


def test_what_cannot_be_transformed_is_listed_with_the_reason(tmp_path: Path) -> None:
    """One record for each property and case, between the pairs, where the pairs would stand."""
    properties = {
        "irrelevant_context": {**FLIP, "samples": 1},
        "whitespace": {**FLIP, "samples": 1},
        "inversion": {**FLIP, "rewrites": [{"find": "above", "replace": "below"}]},
    }
    cases = [
        Case("5000", "yes", case_id="a", source_id="a"),
        Case({"n": 5000}, "yes", case_id="b", source_id="b"),
        Case(" ", None, case_id="c", source_id="c"),
        Case("above 5000", "yes", case_id="d", source_id="d"),
    ]
    finished = run(tmp_path, properties, cases, lambda request: sure("yes"))
    assert skips_of(finished) == {
        "whitespace/a": "no_white_space",
        "inversion/a": "no_rewrite_matches",
        "irrelevant_context/b": "no_text",
        "whitespace/b": "no_text",
        "inversion/b": "no_text",
        "irrelevant_context/c": "blank_text",
        "whitespace/c": "blank_text",
        "inversion/c": "no_rewrite_matches",
    }
    order = [record["id"].removesuffix("/skipped") for record in finished.records()]
    assert order == [
        *(f"decision/{name}" for name in "abcd"),
        *("irrelevant_context/a/0", "whitespace/a", "inversion/a"),
        *("irrelevant_context/b", "whitespace/b", "inversion/b"),
        *("irrelevant_context/c", "whitespace/c", "inversion/c"),
        *("irrelevant_context/d/0", "whitespace/d/0", "inversion/d/0"),
    ]
    assert finished.report["properties"]["whitespace"]["skipped_by_reason"] == {
        "blank_text": 1,
        "no_text": 1,
        "no_white_space": 1,
    }
    assert finished.report["counts"]["skipped"] == 8
    assert verify(finished.path).holds


def test_properties_need_no_gate_and_golden_gates_no_property(tmp_path: Path) -> None:
    """Only what is asked for runs; and properties can be chosen by name."""
    both = {**CONTEXT, "whitespace": FLIP}
    golden = run(tmp_path, both, numbers("number 5"), right_model, only="golden", name="golden")
    assert [record["kind"] for record in golden.records()] == ["decision"]
    assert golden.report["properties"] == {}
    chosen = run(tmp_path, both, numbers("number 5"), right_model, properties=["whitespace"], name="chosen")
    assert {pair["property"] for pair in pairs_of(chosen)} == {"whitespace"}
    off = {**both, "whitespace": {**FLIP, "enabled": False}}
    assert {pair["property"] for pair in pairs_of(run(tmp_path, off, numbers("number 5"), right_model))} == {
        "irrelevant_context"
    }
    assert all(verify(finished.path).holds for finished in (golden, chosen))


def test_validators_are_for_oracles_that_the_contract_names(tmp_path: Path) -> None:
    """Another name is refused before anything is asked, and so is a built-in one."""
    for name, named in (("hause", "house"), ("builtin", "house")):
        with pytest.raises(UsageError) as caught:
            run(
                tmp_path,
                CONTEXT,
                numbers("number 5"),
                right_model,
                oracles={"default": {"provider": named}},
                validators={name: Judge()},
            )
        assert caught.value.code == "bad_oracles"
    assert not (tmp_path / "run").exists()


def test_fragments_that_ship_do_not_move_a_model_that_reads_the_number(tmp_path: Path) -> None:
    """None of them holds a number; one that a model falls for is a violation."""
    properties: JsonObject = {"irrelevant_context": {**FLIP, "samples": 16}}
    steady = run(tmp_path, properties, numbers("number 5"), right_model, name="steady", oracles=BUILTIN)
    assert steady.status == "pass"
    assert len(pairs_of(steady)) == 16
    moved = run(tmp_path, properties, numbers("number 5"), fragile(FRAGMENTS[2]), name="moved", oracles=BUILTIN)
    assert moved.report["properties"]["irrelevant_context"]["flips"] == 2
    assert right_answer("number 5") == "no"


def test_secrets_in_metadata_are_in_no_pair_and_in_no_judgement(tmp_path: Path) -> None:
    """A validation is over the case as it is stored, so that it can be derived from the records."""
    cases = [Case("The number 5.", "no", case_id="c1", source_id="Src 1 ", metadata={"api_key": "not-a-real-one"})]
    finished = run(tmp_path, {"whitespace": FLIP, "option_order": FLIP}, cases, right_model, oracles=BUILTIN)
    assert {str(record["metadata"]) for record in finished.records()} == {"{'api_key': '[redacted]'}"}
    assert b"not-a-real-one" not in (finished.path / "records.jsonl").read_bytes()
    assert verify(finished.path).holds
