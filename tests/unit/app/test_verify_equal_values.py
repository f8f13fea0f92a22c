"""Runs of checks in which an input or a variant stands where an equal one stood already."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest

from robust import Relation, check, check_many, unchanged, verify
from robust.app.check_runs import save_check
from tests.unit.app.check_forging import StoredCheck, problems_of
from tests.unit.app.relation_checks import CHECKS


def _stored(name: str, folder: Path) -> StoredCheck:
    save_check(CHECKS[name](), folder / "run")
    return StoredCheck(folder / "run")


def test_an_input_that_equals_an_earlier_one_is_refused(tmp_path: Path) -> None:
    """Copies under other ids would be trials that nobody made."""
    stored = _stored("batch", tmp_path)
    block = [copy.deepcopy(each) for each in stored.records if each.get("input_id", each["id"]) == "0"]
    for record in block:
        record["id"] = "7" + record["id"][1:]
        if "input_id" in record:
            record["input_id"] = "7"
    line = len(stored.records) + 1
    stored.records += block
    stored.fit()
    problem = problems_of(stored.save())[0]
    assert (problem.path, problem.line) == ("$.input", line)
    assert problem.message == "the input equals '0', and an input is checked once"


def test_inputs_that_can_only_be_shown_may_look_alike(tmp_path: Path) -> None:
    """Their texts are equal, and they are not."""

    class Lines:
        def __init__(self, lines: list[str]) -> None:
            self.lines = lines

        def __repr__(self) -> str:
            return "lines"

    relation = Relation("more", lambda given: Lines([*given.lines, "b"]), unchanged())
    report = check_many(lambda _: 1, [Lines(["a"]), Lines(["b"])], [relation], output=tmp_path / "run", workers=1)
    assert report.repeats == []
    assert verify(tmp_path / "run").holds


@pytest.mark.parametrize("of", ["input", "trial"])
def test_a_simpler_variant_that_is_the_input_or_what_it_was_made_of_is_refused(tmp_path: Path, of: str) -> None:
    """It would show a counterexample in which nothing was changed."""
    stored = _stored("violated and minimised", tmp_path)
    found = next(each for each in stored.records if each["kind"] == "minimised")
    if of == "input":
        found["variant"] = stored.records[0]["input"]
    else:
        trials = [each for each in stored.records if each["kind"] == "trial" and each["relation"] == found["relation"]]
        found["variant"] = next(each["variant"] for each in trials if each["sample"] == found["sample"])
    stored.fit()
    assert "$.variant" in [problem.path for problem in problems_of(stored.save())]


def test_a_simpler_variant_that_is_larger_than_both_it_lies_between_is_refused(tmp_path: Path) -> None:
    """Nothing that takes its parts from one of two is larger than both together."""
    stored = _stored("violated and minimised", tmp_path)
    found = next(each for each in stored.records if each["kind"] == "minimised")
    found["variant"] = [*found["variant"], *(["TOTAL 9.00"] * 50)]
    stored.fit()
    assert "$.variant" in [problem.path for problem in problems_of(stored.save())]


def test_a_shrinking_that_only_grows_finds_nothing_simpler(tmp_path: Path) -> None:
    """It ends, and what is written verifies."""
    relation = Relation(
        "longer", lambda text: text + "b", unchanged(), deterministic=True, shrink=lambda _, variant: [variant + "b"]
    )
    report = check(len, "a", [relation], deterministic_system=True)
    assert report.verdicts == {"longer": "violated"}
    assert len(report.counterexamples[0].minimised or "") <= 8
    report.save(tmp_path / "run")
    assert verify(tmp_path / "run").holds


def test_every_nan_is_the_same_value(tmp_path: Path) -> None:
    """It has a sign in memory, and none as a value: a variant that differs in it alone is no trial."""
    given: list[Any] = [math.nan]
    relation = Relation("another", lambda _: [-math.nan], unchanged())
    assert check(lambda _: 1, given, [relation]).verdicts == {"another": "vacuous"}
    report = check_many(lambda _: 1, [[math.nan], [-math.nan]], [relation], output=tmp_path / "run")
    assert len(report.repeats) == 1
    assert verify(tmp_path / "run").holds
