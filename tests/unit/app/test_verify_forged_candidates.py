"""E3: candidates, judgements, smaller forms and trials that were made up are refused, with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust.canon import JsonObject
from tests.unit.app.forging import StoredRun, paths_of, put
from tests.unit.app.property_forging import (
    fit_validations,
    forged_run,
    place_of,
    record_problems,
    refused,
    verified_run,
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run whose cases were asked once, or twice."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("plain"), noise=False).path)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run with noise."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("noisy"), noise=True).path)


@pytest.mark.parametrize("name", ["option_order/c1/0", "irrelevant_context/c1/1", "whitespace/c1/1", "inversion/c1/0"])
def test_the_last_candidate_of_a_case_cannot_be_left_out(plain: StoredRun, name: str) -> None:
    """The contract and the seed make it, so that it is missed where it would stand."""
    forged = plain.copy()
    del forged.records[place_of(forged, name)]
    verified = verified_run(forged)
    problems = [problem for check in verified.checks for problem in check.problems]
    assert (problems[0].code, repr(name) in problems[0].message) == ("not_in_plan", True)


def test_a_case_cannot_be_skipped_instead_of_violated(plain: StoredRun) -> None:
    """With a reason that does not hold."""
    forged = plain.copy()
    line = place_of(forged, "inversion/c1/0")
    skip = next(record for record in forged.records if record["id"] == "inversion/c3/skipped")
    forged.records[line] = {**skip, "id": "inversion/c1/skipped", "case_id": "c1", "source_id": "s1"}
    refused(forged)


def test_paraphrases_cannot_become_a_skip_beside_pairs(plain: StoredRun) -> None:
    """A skip behind the pairs of its own case is in no plan."""
    forged = plain.copy()
    skip = next(record for record in forged.records if record["id"] == "paraphrase/c3/skipped")
    at_end = place_of(forged, "paraphrase/c1/2") + 1
    forged.records.insert(at_end, {**skip, "id": "paraphrase/c1/skipped", "case_id": "c1", "source_id": "s1"})
    refused(forged)


@pytest.mark.parametrize("refit", [False, True])
def test_a_validation_of_another_pair_does_not_fit(plain: StoredRun, refit: bool) -> None:
    """Nor does one of another property, however it is hashed: the contract names another oracle."""
    one, other_pair = "irrelevant_context/c1/0", "label_format/c1/0"
    forged = plain.copy()
    first, second = (forged.records[place_of(forged, name)] for name in (one, other_pair))
    first["validation"], second["validation"] = second["validation"], first["validation"]
    if refit:
        for record in (first, second):
            fit_validations(forged, record)
    refused(forged, "$.validation.contract" if refit else "$.validation.digest")


def test_a_refused_candidate_cannot_be_made_a_valid_one(plain: StoredRun) -> None:
    """Its status follows from the verdict; with another one it has no answer; with an answer the counts do not fit."""
    line = place_of(plain, "paraphrase/c1/1")
    forged = plain.copy()
    forged.records[line]["validation"] |= {"status": "valid", "strength": "relation", "issues": []}
    fit_validations(forged, forged.records[line])
    refused(forged, "$.validation.status", "$.result")
    forged.records[line]["validation"]["verdict"]["valid"] = True
    fit_validations(forged, forged.records[line])
    refused(forged, "$.result")
    answered = forged.records[place_of(forged, "paraphrase/c1/0")]
    for name in ("result", "comparison"):
        forged.records[line][name] = {**answered[name]}
    forged.records[line]["result"]["case_id"] = "paraphrase/c1/1"
    verified = verified_run(forged)
    assert verified.exit_code == 3
    assert {"$.counts.invalid", "$.properties.paraphrase.valid"} <= paths_of(verified)


def test_a_violated_pair_cannot_be_refused_afterwards(plain: StoredRun) -> None:
    """A bad answer cannot be swept under a verdict, an oracle's error or its base's."""
    line = place_of(plain, "irrelevant_context/c1/0")
    for error in ("oracle_error", "original_error", "paraphrase_error", "budget_exhausted"):
        forged = plain.copy()
        record = forged.records[line]
        del record["result"]
        record |= {"error": {"kind": error}, "comparison": None, "violations": [], "reduced": None}
        if error != "budget_exhausted":
            record["validation"] = None
        verified = verified_run(forged)
        assert verified.exit_code == 3
        if error in ("original_error", "paraphrase_error"):
            assert "$.error.kind" in record_problems(verified)
    forged = plain.copy()
    forged.records[line]["validation"] |= {"status": "unknown", "strength": None, "issues": ["unreviewed"]}
    forged.records[line]["validation"]["verdict"]["valid"] = None
    fit_validations(forged, forged.records[line])
    refused(forged, "$.validation.status")


@pytest.mark.parametrize(
    ("name", "steps", "shown_now"),
    [
        ("irrelevant_context/c1/0", [{"at": 0, "text": "It rained."}], None),
        ("irrelevant_context/c1/0", [{"at": 3, "text": "It rained."}], None),
        ("whitespace/c1/0", [{"at": 6, "space": "\n"}], None),
        ("whitespace/c1/0", [], None),
        ("label_format/c1/0", [{"label": "yes", "shown": "A) yes"}], [["A) yes", "yes"], ["no", "no"]]),
        ("option_order/c1/0", [{"order": [0, 1]}], None),
        ("inversion/c1/0", [{"find": "due", "replace": "late"}], None),
    ],
)
def test_steps_cannot_be_changed_together_with_what_they_make(
    plain: StoredRun, name: str, steps: Any, shown_now: Any
) -> None:
    """Another candidate than the seed makes, however well it fits its base."""
    text = "Please check. The amount 5000 is due. It was late."
    made = {
        ("irrelevant_context", 0): "It rained. " + text,
        ("irrelevant_context", 3): text[:3] + "It rained. " + text[3:],
        ("whitespace", 6): text.replace(" ", "\n", 1),
        ("inversion", None): text.replace("due", "late", 1),
    }
    forged = plain.copy()
    record = forged.records[place_of(forged, name)]
    first = steps[0].get("at") if steps else None
    record |= {"steps": steps, "input": made.get((record["property"], first), text)}
    if record["property"] in ("label_format", "option_order"):
        record["presentation"] = shown_now
    fit_validations(forged, record)
    refused(forged, "$.steps", "$.input", "$.presentation")


@pytest.mark.parametrize(
    "texts",
    [
        ["Please check. The amount 5000 is due. It was late."],
        ["amount 5000 is due.", "amount 5000 is due."],
        ["amount 5000 is due.", "amount  5000 is due."],
        ["amount 5000 is due.", ""],
        ["amount 5000 is due.", "a\x00b"],
    ],
)
def test_paraphrases_that_no_paraphraser_gives_arerefused(plain: StoredRun, texts: list[str]) -> None:
    """The base's own text, the same twice, or nothing."""
    forged = plain.copy()
    for sample, text in enumerate(texts):
        record = forged.records[place_of(forged, f"paraphrase/c1/{sample}")]
        record |= {"steps": [{"text": text}], "input": text}
    refused(forged, "$.steps")


def test_all_paraphrases_of_a_case_come_from_one_answer(plain: StoredRun) -> None:
    """So that one of them cannot be given another origin, and none can be without."""
    forged = plain.copy()
    forged.records[place_of(forged, "paraphrase/c1/1")]["provenance"]["paraphraser"]["name"] = "other.jsonl"
    refused(forged, "$.provenance.paraphraser.name")
    forged = plain.copy()
    del forged.records[place_of(forged, "paraphrase/c1/0")]["provenance"]["paraphraser"]
    refused(forged, "$.provenance.paraphraser")


@pytest.mark.parametrize(
    ("reduced", "place"),
    [
        ({"steps": []}, "$.steps"),
        ({"violations": []}, "$.reduced.violations"),
        ({"validation": None}, "$.reduced.validation"),
        ({"input": "It froze."}, "$.reduced.input"),
        ({"presentation": [["no", "no"], ["yes", "yes"]]}, "$.reduced.presentation"),
    ],
)
def test_a_smaller_form_must_follow_too(plain: StoredRun, reduced: JsonObject, place: str) -> None:
    """Its steps from the pair's, its input from its steps, its violations from its answer."""
    forged = plain.copy()
    forged.records[place_of(forged, "irrelevant_context/c1/0")]["reduced"] |= reduced
    refused(forged, place)


def test_an_oracle_is_asked_in_one_way_and_is_one_for_each_property(plain: StoredRun) -> None:
    """What a record says of how it was asked follows; a second oracle of one property is named in the report."""
    edits: list[tuple[tuple[str, ...], Any]] = [
        (("require_answers",), True),
        (("oracle", "repeats"), 2),
        (("comparator",), {"name": "folded"}),
        (("contract",), "other/v1"),
        (("oracle", "name"), "robust.presentation"),
    ]
    for path, value in edits:
        forged = plain.copy()
        record = forged.records[place_of(forged, "irrelevant_context/c1/1")]
        put(record["validation"], path, value)
        fit_validations(forged, record)
        refused(forged, "$.validation")
    forged = plain.copy()
    record = forged.records[place_of(forged, "paraphrase/c1/0")]
    record["validation"]["oracle"]["name"] = "another-judge"
    fit_validations(forged, record)
    verified = verified_run(forged)
    codes = {problem.code for check in verified.checks for problem in check.problems}
    assert (verified.exit_code, "several_oracles" in codes) == (3, True)


def test_a_smaller_form_was_judged_by_the_oracle_of_its_pair(plain: StoredRun) -> None:
    """Not by one that was kinder."""
    forged = plain.copy()
    record = forged.records[place_of(forged, "irrelevant_context/c1/0")]
    record["reduced"]["validation"]["oracle"]["version"] = "99"
    fit_validations(forged, record)
    refused(forged, "$.reduced.validation.oracle.version")


def test_a_smaller_form_is_smaller_and_of_a_violated_pair(plain: StoredRun) -> None:
    """The whole is not smaller than itself, and what holds has no smaller form."""
    forged = plain.copy()
    record = forged.records[place_of(forged, "irrelevant_context/c1/0")]
    same = {name: record[name] for name in record["reduced"]}
    record["reduced"] = same
    refused(forged, "$.reduced.steps")
    forged = plain.copy()
    forged.records[place_of(forged, "whitespace/c1/0")]["reduced"] = record["reduced"]
    refused(forged)


@pytest.mark.parametrize(
    "probabilities",
    [{}, {"yes": 1}, {"yes": "1", "no": 0}, {"yes": 0.5, "no": 0.6}, {"yes": 1, "no": 0, "maybe": 0}, []],
)
def test_what_is_no_distribution_is_refused_wherever_it_stands(
    plain: StoredRun, noisy: StoredRun, probabilities: Any
) -> None:
    """In the answer to a smaller form, in a trial of a base, in a trial of a pair; never a crash."""
    forged = plain.copy()
    line = place_of(forged, "irrelevant_context/c1/0")
    forged.records[line]["reduced"]["result"]["probabilities"] = probabilities
    refused(forged, "$.reduced.result.probabilities")
    for name in ("decision/c1", "whitespace/c1/0"):
        forged = noisy.copy()
        forged.records[place_of(forged, name)]["trials"][0] = {"probabilities": probabilities}
        refused(forged, "$.trials[0].probabilities")


@pytest.mark.parametrize(
    ("name", "trials"),
    [
        ("decision/c1", []),
        ("decision/c1", None),
        ("decision/c1", [{"error": {"kind": "timeout"}}] * 2),
        ("decision/c1", [{"error": {"kind": "original_error"}}]),
        ("whitespace/c1/0", [{"error": {"kind": "oracle_error"}}]),
        ("whitespace/c1/0", [{"error": {"kind": "timeout"}}] * 2),
        ("irrelevant_context/c1/0", [{"error": {"kind": "timeout"}}]),
        ("paraphrase/c1/1", [{"error": {"kind": "timeout"}}]),
        ("option_order/c2/0", [{"error": {"kind": "timeout"}}]),
        ("decision/c1", [{}]),
        ("decision/c1", [{"error": {"kind": "timeout"}, "probabilities": {"yes": 1, "no": 0}}]),
        ("decision/c1", [{"probabilities": None}]),
    ],
)
def test_trials_are_as_many_as_the_contract_says(noisy: StoredRun, name: str, trials: Any) -> None:
    """And each is an answer or an error that a backend can end in."""
    forged = noisy.copy()
    record = forged.records[place_of(forged, name)]
    if trials is None:
        del record["trials"]
    else:
        record["trials"] = trials
    refused(forged, "$.trials")


def test_which_cases_were_asked_twice_follows_from_the_seed(plain: StoredRun) -> None:
    """Without noise, too: of three cases each was."""
    forged = plain.copy()
    del forged.records[place_of(forged, "decision/c3")]["trials"]
    refused(forged, "$.trials")


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("decision/c2", ("error", "kind"), "oracle_error"),
        ("option_order/c2/0", ("error", "kind"), "timeout"),
        ("paraphrase/c2/0", ("error", "kind"), "paraphrase_error"),
        ("option_order/c2/0", ("validation",), {"status": "valid"}),
        ("option_order/c1/0", ("validation",), {"status": ["valid"]}),
        ("option_order/c1/0", ("validation", "base"), {}),
        ("option_order/c1/0", ("validation", "observed"), {"latency_ms": 1}),
        ("option_order/c1/0", ("assumed",), True),
        ("option_order/c2/0", ("assumed",), True),
        ("option_order/c1/0", ("presentation",), None),
        ("option_order/c1/0", ("presentation",), [["no", "no"], ["no", "yes"]]),
        ("label_format/c1/0", ("presentation",), [["B) no", "no"], ["A) yes", "yes"]]),
        ("whitespace/c1/0", ("steps",), [{"at": 99, "space": " "}]),
        ("whitespace/c1/0", ("steps",), "all"),
        ("whitespace/c1/0", ("sample",), 1),
        ("whitespace/c1/0", ("kind",), "decision"),
        ("whitespace/c1/0", ("property",), "variants"),
        ("whitespace/c1/0", ("property",), "option_order"),
        ("whitespace/c1/0", ("provenance", "relation"), "counterfactual"),
        ("whitespace/c3/skipped", ("property",), "variants"),
        ("whitespace/c3/skipped", ("reason",), "no_text"),
        ("whitespace/c3/skipped", ("reason",), "because"),
        ("decision/c1", ("kind",), "skip"),
    ],
)
def test_hostile_values_are_refused_and_never_a_crash(
    plain: StoredRun, name: str, path: tuple[str, ...], value: Any
) -> None:
    """Of the right shape and wrong, or of no shape at all."""
    forged = plain.copy()
    put(forged.records[place_of(forged, name)], path, value)
    refused(forged)


def test_another_contract_makes_other_pairs(plain: StoredRun, tmp_path: Path) -> None:
    """One sample less, another seed, a property turned off: what then stands there is in no plan."""
    for section, name, value in (
        ("properties", "whitespace", {"samples": 1}),
        ("properties", "inversion", {"enabled": False}),
    ):
        forged = plain.copy()
        forged.contract[section][name] |= value
        assert verified_run(forged).exit_code == 3
    forged = plain.copy()
    forged.report["seed"] = 1
    assert verified_run(forged).exit_code == 3
