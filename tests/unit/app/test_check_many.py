"""``check_many``: a system on many inputs."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom  # type: ignore[import-untyped]

from robust import (
    CheckReport,
    DataError,
    ProgressState,
    Relation,
    UsageError,
    cached_system,
    check,
    check_many,
    unchanged,
)
from robust.records.relation_check import Reason
from robust.relations.batch_tally import BatchTally
from robust.relations.trial_plan import Conclusion, TrialPlan, rules_of


def numbered(text: str, source: random.Random) -> str:
    return f"{text} {source.randrange(10**9)}"


NUMBERED = Relation("numbered", numbered, unchanged())
LONGER = Relation("longer", lambda text: text + "!", unchanged(), deterministic=True)


def minds_numbers(text: str) -> str:
    """Wrong of every input that begins with b."""
    return text if text.startswith("b") else text.split(maxsplit=1)[0].rstrip("!")


async def minds_numbers_later(text: str) -> str:
    await asyncio.sleep(0)
    return minds_numbers(text)


INPUTS = ["a1", "b1", "a2", "a3", "b2", "a4", "a1"]


@pytest.mark.parametrize("system", [minds_numbers, minds_numbers_later])
@pytest.mark.parametrize("workers", [1, 3, 20])
def test_each_input_is_judged_by_itself_and_all_together(system: Any, workers: int) -> None:
    """Whatever the number of workers; flagged inputs come in the order of inputs."""
    seen: list[CheckReport] = []
    report = check_many(system, iter(INPUTS), [NUMBERED, LONGER], workers=workers, each=seen.append)
    assert report.verdicts == {"numbered": "violated", "longer": "violated"}
    assert (report.status, report.exit_code, report.broke) == ("fail", 1, True)
    assert (report.inputs, report.flagged) == (6, ["1", "4"])
    assert [found.input_id for found in report.reports] == ["1", "4"]
    assert [(each.input_id, each.first_id) for each in report.repeats] == [("6", "0")]
    assert [each.input_id for each in seen] == ["0", "1", "2", "3", "4", "5"]
    alone = [check(minds_numbers, given, [NUMBERED, LONGER]) for given in INPUTS[:6]]
    assert [each.to_dict()["relations"] for each in seen] == [each.to_dict()["relations"] for each in alone]
    assert "flagged: 1, 4" in report.summary()
    assert "by chance alone" in report.summary()
    assert report.results["numbered"].inputs == {"holds": 4, "violated": 2}


def test_records_are_those_of_every_input() -> None:
    """In order, whether they were spooled or written."""
    report = check_many(minds_numbers, INPUTS, [LONGER], ids=list("stuvwxy"), workers=2)
    names = [record["id"] for record in report.records() if record["kind"] == "input"]
    assert names == list("stuvwx")
    assert list(report.records()) == list(report.records())
    assert report.plan()["settings"]["batch"] is True


def test_a_batch_is_written_while_it_goes_on(tmp_path: Path) -> None:
    """And its records are read from there."""
    report = check_many(minds_numbers, INPUTS, [LONGER], output=tmp_path / "run", workers=1)
    kept = check_many(minds_numbers, INPUTS, [LONGER], workers=1)
    assert (tmp_path / "run" / "report.json").exists()
    assert list(report.records()) == list(kept.records())
    saved = kept.save(tmp_path / "again")
    assert saved.status == report.status
    with pytest.raises(UsageError):
        check_many(minds_numbers, INPUTS, [LONGER], output=tmp_path / "run")


def test_few_flags_among_many_inputs_may_be_chance() -> None:
    """One input in a hundred with a p value just below alpha says nothing of all of them."""
    outputs = random.Random(7)

    def noisy(text: str) -> str:
        return "B" if outputs.random() < 0.3 else "A"

    report = check_many(noisy, [f"text {number}" for number in range(120)], [NUMBERED], workers=1)
    assert report.verdicts == {"numbered": "holds"}
    result = report.results["numbered"]
    assert result.reason == "noise"
    assert result.tested > 100
    # More have a probability of at most a hundredth, if each is flagged with one of at most alpha.
    assert 0 < result.flagged <= binom.ppf(0.99, result.tested, 0.05)


@pytest.mark.parametrize(
    ("assertion", "options", "verdict", "reason"),
    [
        (unchanged(), {"samples": 0}, "vacuous", "no_samples"),
        (Relation("same", lambda text: text, unchanged()), {}, "vacuous", "no_effective_trial"),
        (lambda before, after: before < after, {}, "inconclusive", "noise_unknown"),
        (unchanged(), {"samples": 2, "baseline_runs": 2}, "inconclusive", "too_few_runs"),
    ],
)
def test_a_batch_has_the_reason_that_its_inputs_have(
    assertion: Any, options: dict[str, Any], verdict: str, reason: str
) -> None:
    """As each of them says when it is checked alone."""
    relation = assertion if isinstance(assertion, Relation) else Relation("relation", numbered, assertion)
    asked: dict[str, int] = {}

    def changes_its_mind(text: str) -> str:
        asked[text] = asked.get(text, 0) + 1
        return "AB"[asked[text] % 2]

    each: list[CheckReport] = []
    report = check_many(changes_its_mind, ["a", "b", "c"], [relation], workers=1, each=each.append, **options)
    result = report.results[relation.name]
    assert (result.verdict, result.reason) == (verdict, reason)
    assert {(found.results[relation.name].verdict, found.results[relation.name].reason) for found in each} == {
        (verdict, reason)
    }


def test_most_inputs_say_what_the_reason_of_a_batch_is() -> None:
    """Where they do not agree; of as many the first."""
    tally = BatchTally(["relation"], 0.05)
    reasons: list[Reason] = ["too_few_runs", "noise_unknown", "too_few_runs"]
    for reason in reasons:
        plan = TrialPlan(20, rules_of(0.05, 1, early_stop=True), trials=1, contradictions=1)
        tally.add([plan], [Conclusion("inconclusive", reason, None)])
    assert tally.results()["relation"].reason == "too_few_runs"


def test_an_effect_that_no_single_input_shows_is_found_over_many() -> None:
    """More inputs are flagged than chance would."""
    outputs = random.Random(3)

    def shifted(text: str) -> str:
        return "B" if outputs.random() < (0.25 if text.count(" ") == 1 else 0.6) else "A"

    report = check_many(shifted, [f"text {number}" for number in range(150)], [NUMBERED], workers=1)
    assert report.verdicts == {"numbered": "violated"}


def test_errors_of_one_input_are_not_hidden() -> None:
    """Nor do they hide the rest."""

    def system(text: str) -> str:
        if text.startswith("broken"):
            raise ValueError("cannot read it")
        return "fine"

    report = check_many(system, ["one", "broken", "two"], [NUMBERED])
    assert (report.verdicts, report.exit_code) == ({"numbered": "errored"}, 2)
    assert [found.input_id for found in report.reports] == ["1"]
    assert report.results["numbered"].inputs == {"errored": 1, "holds": 2}


def test_inputs_are_read_as_they_are_needed() -> None:
    """Not all at once."""
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield f"text {read}"

    def stop(report: CheckReport) -> None:
        if report.input_id == "5":
            raise RuntimeError("enough")

    for workers in (1, 4):
        read = 0
        with pytest.raises(RuntimeError, match="enough"):
            check_many(bool, endless(), [LONGER], each=stop, workers=workers)
        assert read <= 6 + 4 + 1


def test_an_input_that_fails_to_be_read_ends_the_batch() -> None:
    """With its own error."""

    def broken() -> Iterator[str]:
        yield "text"
        raise OSError("the disk is gone")

    for workers in (1, 3):
        with pytest.raises(OSError, match="disk"):
            check_many(bool, broken(), [LONGER], workers=workers)
    with pytest.raises(DataError):
        check_many(bool, [(letter for letter in "ab")], [LONGER])


def test_progress_counts_the_calls_of_all_inputs() -> None:
    """It never falls."""
    states: list[ProgressState] = []

    class Watching:
        def update(self, state: ProgressState) -> None:
            states.append(state)

    report = check_many(bool, ["a", "b", "c"], [LONGER], progress=Watching(), workers=2)
    assert [state.calls for state in states] == list(range(1, report.calls + 1))


@pytest.mark.parametrize(
    "options",
    [
        {"inputs": "text"},
        {"inputs": 5},
        {"ids": ["a"]},
        {"ids": ["a", "b", "c"]},
        {"ids": ["a", "a"]},
        {"ids": ["a", ""]},
        {"ids": ["a", 5]},
        {"workers": 0},
        {"samples": -1},
        {"relations": [LONGER, LONGER]},
        {"system": None},
    ],
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any]) -> None:
    """By name."""
    given: dict[str, Any] = {"system": bool, "inputs": ["one", "two"], "relations": [LONGER], **options}
    with pytest.raises(UsageError):
        check_many(**given)


def test_a_batch_over_a_cached_system_costs_nothing_the_second_time() -> None:
    """Each call of a trial has the answer that it had."""
    system = cached_system(minds_numbers)
    first = check_many(system, INPUTS, [NUMBERED], workers=1)
    paid = system.calls
    again = check_many(system, INPUTS, [NUMBERED], workers=1)
    assert system.calls == paid == first.calls
    assert again.to_dict() == first.to_dict()
