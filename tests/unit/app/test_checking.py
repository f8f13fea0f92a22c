"""``check``, ``assert_robust`` and ``replay_trial``."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import random
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robust import (
    Assertion,
    Case,
    CheckReport,
    DataError,
    NotApplicable,
    OracleVerdict,
    ProgressState,
    Relation,
    UsageError,
    assert_robust,
    check,
    equivalent,
    replay_trial,
    scales_by,
    unchanged,
    verify,
)
from robust.app.check_derivation import derive


def numbered(text: str, source: random.Random) -> str:
    return f"{text} {source.randrange(10**9)}"


def reordered(value: dict[str, list[str]], source: random.Random) -> dict[str, list[str]]:
    source.shuffle(value["options"])
    return value


def first_option(value: dict[str, list[str]]) -> str:
    return value["options"][0]


QUESTION = {"question": "Which is a fish?", "options": ["Dolphin", "Shark", "Octopus", "Crab"]}
NUMBERED = Relation("numbered", numbered, unchanged())
ORDER = Relation("order", reordered, unchanged())


def derived(report: CheckReport) -> dict[str, Any]:
    """What follows from plan and records of a report, for each relation."""
    return derive(report.plan(), enumerate(report.records(), 1)).found


def told(report: CheckReport) -> dict[str, Any]:
    """What the report itself says of each relation."""
    found: dict[str, Any] = report.to_dict()["relations"]
    return found


def test_a_bias_for_the_first_option_is_found_with_its_counterexample() -> None:
    """What the specification shows first."""
    report = check(first_option, QUESTION, [ORDER], subject="picker")
    assert (report.broke, report.verdicts, report.exit_code) == (True, {"order": "violated"}, 1)
    (found,) = report.counterexamples
    assert (found.relation, found.before) == ("order", "Dolphin")
    assert found.after == found.variant["options"][0] != "Dolphin"
    assert found.base == QUESTION
    assert found.difference == (("$", "Dolphin", found.after),)
    assert found.variant == ORDER.variant(QUESTION, found.sample)
    assert f"sample={found.sample}" in found.replay
    assert "picker" in report.summary()
    assert found.detail in report.summary()
    assert report.calls + report.calls_saved == 5 + 20 + 12
    assert derived(report) == told(report)


def test_the_replay_line_gives_the_counterexample_again() -> None:
    """As it stands, with the names that it uses."""
    base = {"options": ["a", "b", "c"]}
    (found,) = check(first_option, base, [ORDER]).counterexamples
    import robust

    names = {"robust": robust, "first_option": first_option, "relation": ORDER, "base_input": base}
    again = eval(found.replay, names)  # noqa: S307 - it is a line of ours
    assert (again.variant, again.after, again.before) == (found.variant, found.after, found.before)
    assert replay_trial(len, base, ORDER, 0) is None
    shifted = replay_trial(first_option, base, ORDER, found.sample, seed=5)
    assert shifted is None or shifted.seed == 5


@pytest.mark.parametrize("sample", [-1, 1.0, True])
def test_what_cannot_be_replayed_is_refused(sample: Any) -> None:
    """By the name of the argument."""
    with pytest.raises(UsageError):
        replay_trial(first_option, QUESTION, ORDER, sample)
    with pytest.raises(UsageError):
        replay_trial(first_option, QUESTION, "order")  # type: ignore[arg-type]


def test_a_sound_system_holds_and_costs_what_it_must() -> None:
    """Every distinct variant is one call."""
    asked: list[str] = []

    def system(text: str) -> str:
        asked.append(text)
        return "same"

    report = check(system, "text", [NUMBERED], samples=7, baseline_runs=3)
    assert (report.status, report.calls, report.calls_saved) == ("pass", 10, 0)
    assert asked[:3] == ["text"] * 3
    assert len(set(asked)) == 8
    assert report.counterexamples == []
    assert derived(report) == told(report)


def test_variants_that_are_known_already_are_neither_trials_nor_calls() -> None:
    """They are counted by reason."""
    made = iter(["a", "text", "b", "a", "c"])
    relation = Relation("given", lambda text: next(made), unchanged())
    report = check(len, "text", [relation], samples=5, deterministic_system=True, early_stop=False)
    result = report.results["given"]
    assert (result.trials, dict(result.skipped)) == (3, {"unchanged": 1, "repeated": 1})
    assert report.calls == 4


def test_a_declared_deterministic_system_is_asked_as_little_as_can_be() -> None:
    """The base once, and no variant after the first contradiction."""
    report = check(first_option, QUESTION, [Relation("turned", turned, unchanged())], deterministic_system=True)
    assert (report.calls, report.calls_saved) == (2, 19)
    assert report.verdicts == {"turned": "violated"}
    assert derived(report) == told(report)


def turned(value: dict[str, list[str]]) -> dict[str, list[str]]:
    return {**value, "options": value["options"][::-1]}


def test_a_deterministic_relation_is_tried_once() -> None:
    """Whatever the number of samples."""
    report = check(len, "text", [Relation("longer", lambda text: text + "!", unchanged(), deterministic=True)])
    assert report.results["longer"].planned == 1
    assert report.calls == 5 + 1 + 12


def test_a_contradiction_that_does_not_come_again_is_noise() -> None:
    """One flip among all calls."""
    calls: list[str] = []

    def system(text: str) -> str:
        calls.append(text)
        return "B" if len(calls) == 8 else "A"

    report = check(system, "text", [NUMBERED])
    result = report.results["numbered"]
    assert (report.status, result.reason, result.contradictions, len(result.attempts)) == ("pass", "noise", 1, 1)
    assert derived(report) == told(report)


def test_a_noisy_base_is_tested_with_all_trials() -> None:
    """Where its runs differ."""
    base = iter("AABAA")
    report = check(lambda text: next(base) if text == "text" else "B", "text", [NUMBERED])
    result = report.results["numbered"]
    assert (result.base, result.verdict, result.trials, result.saved) == ("differs", "violated", 20, 0)
    assert report.counterexamples[0].before == "A"
    assert derived(report) == told(report)


def test_too_few_runs_are_inconclusive_and_no_pass() -> None:
    """With the remedy."""
    outputs = iter("ABAA")
    report = check(lambda _: next(outputs), "text", [NUMBERED], baseline_runs=2, samples=2)
    assert (report.verdicts, report.exit_code, report.broke) == ({"numbered": "inconclusive"}, 1, False)
    assert "raise samples or baseline_runs" in report.summary()
    assert derived(report) == told(report)


def test_inconclusive_passes_only_where_it_is_allowed() -> None:
    """And gives the report."""
    options: dict[str, Any] = {"baseline_runs": 2, "samples": 2}
    outputs = iter("ABAA" * 2)
    with pytest.raises(AssertionError):
        assert_robust(lambda _: next(outputs), "text", [NUMBERED], **options)
    report = assert_robust(lambda _: next(outputs), "text", [NUMBERED], allow_inconclusive=True, **options)
    assert report.verdicts == {"numbered": "inconclusive"}


def test_assert_robust_shows_the_difference_and_the_replay_line() -> None:
    """In the text of the AssertionError."""
    with pytest.raises(AssertionError) as failed:
        assert_robust(first_option, QUESTION, [ORDER])
    text = str(failed.value)
    assert "'Dolphin' became" in text
    assert "robust.replay_trial(first_option," in text
    assert assert_robust(lambda value: len(value["options"]), QUESTION, [ORDER]).status == "pass"


def test_an_assertion_of_the_callers_own_is_judged_and_kept_as_it_was() -> None:
    """One that is not true of equal outputs needs a deterministic system."""
    relation = Relation("twice", lambda number: 2 * number, lambda before, after: after == 2 * before)
    broken = Relation("thrice", lambda number: 3 * number, lambda before, after: after == 3 * before)
    relations = [relation, broken]

    def system(number: int) -> int:
        return number if number < 30 else 20

    sure = check(system, 10, relations, deterministic_system=True)
    assert sure.verdicts == {"twice": "holds", "thrice": "violated"}
    unsure = check(system, 10, relations)
    assert unsure.verdicts == {"twice": "holds", "thrice": "inconclusive"}
    assert "deterministic_system=True" in unsure.summary()
    told_due = Assertion(lambda due, after: due == after, due=lambda before: 3 * before)
    assert check(system, 10, [Relation("thrice", broken.transform, told_due)]).verdicts == {"thrice": "violated"}
    assert derived(sure) == told(sure)
    assert derived(unsure) == told(unsure)


def test_an_embedding_that_is_broken_is_an_error() -> None:
    """Never a pass."""
    relation = Relation("numbered", numbered, equivalent(lambda text: [float("nan")], 0.5))
    report = check(lambda text: text, "text", [relation])
    assert report.verdicts == {"numbered": "errored"}
    assert "NaN" in report.summary()


def test_an_assertion_that_cannot_compare_the_bases_is_an_error() -> None:
    """No sample is asked then."""
    report = check(lambda text: "text", "text", [Relation("scaled", numbered, scales_by(2))])
    assert (report.verdicts, report.calls) == ({"scaled": "errored"}, 5)
    assert derived(report) == told(report)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_base_that_raises_is_an_error_of_all_relations(workers: int) -> None:
    """And nothing else is asked, but for what was under way."""

    def system(text: str) -> str:
        if text == "text":
            raise ValueError("no base")
        return text

    report = check(system, "text", [NUMBERED, Relation("other", numbered, unchanged())], workers=workers)
    assert report.verdicts == {"numbered": "errored", "other": "errored"}
    assert [error.where for error in report.errors] == ["base"]
    assert report.calls <= 5 + 8 * workers
    assert derived(report) == told(report)


def judge(base: Case, candidate: Case) -> OracleVerdict:
    """Valid if the number behind the text is even; no opinion of multiples of five."""
    number = int(str(candidate.input).split()[-1])
    valid = None if number % 5 == 0 else number % 2 == 0
    return OracleVerdict(valid=valid, reason="parity", evidence={"number": number})


def test_only_variants_that_the_oracle_takes_are_tried() -> None:
    """The others are counted by what it said, and are no calls."""
    relation = Relation("numbered", numbered, unchanged(), oracle=judge)
    asked: list[str] = []

    def system(text: str) -> int:
        asked.append(text)
        return 1

    report = check(system, "text", [relation], samples=40)
    result = report.results["numbered"]
    variants = asked[5:]
    assert result.trials == len(variants) > 5
    assert all(int(text.split()[-1]) % 2 == 0 and int(text.split()[-1]) % 5 for text in variants)
    assert result.skipped["invalid"] + result.skipped["unknown"] + result.trials == 40
    assert derived(report) == told(report)


def half_broken(failing: Callable[[], Any]) -> Callable[[Case, Case], Any]:
    """An oracle that accepts, and at every second call does something else."""
    calls = itertools.count()

    def oracle(base: Case, candidate: Case) -> Any:
        if next(calls) % 2:
            return failing()
        return OracleVerdict(valid=True, reason="fine", evidence={"seen": True})

    return oracle


def raising() -> None:
    raise ValueError("half")


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        (raising, "ValueError: half"),
        (lambda: "yes", "verdict_malformed: "),
        (lambda: OracleVerdict(valid=True, reason="fine", evidence={"of": {1, 2}}), "evidence_malformed: "),
    ],
)
def test_an_oracle_that_gives_no_answer_is_an_error_and_not_a_doubt(
    failing: Callable[[], Any], message: str, tmp_path: Path
) -> None:
    """The verdict says so, and the run that is stored derives the same again."""
    relation = Relation("numbered", numbered, unchanged(), oracle=half_broken(failing))
    report = check(lambda text: 1, "text", [relation], samples=6)
    assert report.verdicts == {"numbered": "errored"}
    assert (report.exit_code, report.results["numbered"].trials, report.results["numbered"].skipped) == (2, 3, {})
    assert [(error.where, error.sample) for error in report.errors] == [("oracle", 1), ("oracle", 3), ("oracle", 5)]
    assert report.errors[0].message.startswith(message)
    assert derived(report) == told(report)
    report.save(tmp_path / "run")
    assert verify(tmp_path / "run").holds


def test_inputs_that_are_no_cases_are_wrapped_for_the_oracle() -> None:
    """A list is shown as an object."""
    shown: list[Any] = []

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        shown.append((base.input, candidate.input))
        return OracleVerdict(valid=True, reason="longer", evidence={"is": "longer"})

    relation = Relation("more", lambda items: [*items, 4], unchanged(), oracle=oracle, deterministic=True)
    assert check(bool, [1, 2], [relation]).status == "pass"
    assert shown == [({"value": [1, 2]}, {"value": [1, 2, 4]})]


def shorter(base: str, variant: str) -> Iterator[str]:
    return (variant[:end] for end in range(len(base), len(variant)))


@pytest.mark.parametrize("options", [{"deterministic_system": True}, {}, {"workers": 2}])
def test_the_simplest_variant_that_still_contradicts_is_found(options: dict[str, Any]) -> None:
    """By the relation's own shrinking; its calls count."""
    relation = Relation("longer", lambda text, rng: text + "x" * rng.randrange(20, 60), unchanged(), shrink=shorter)
    report = check(lambda text: "XXX" in text.upper(), "text", [relation], **options)
    (found,) = report.counterexamples
    assert found.minimised == "textxxx"
    assert "textxxx" in report.summary()
    assert derived(report) == told(report)


def test_a_shrinking_that_raises_or_never_ends_does_no_harm() -> None:
    """The violation stands."""

    def breaks(base: str, variant: str) -> Iterable[str]:
        raise RuntimeError("cannot shrink")

    def endless(base: str, variant: str) -> Iterator[str]:
        while True:
            yield variant

    for shrink in (breaks, endless):
        relation = Relation("numbered", numbered, unchanged(), shrink=shrink)
        report = check(len, "text", [relation], deterministic_system=True)
        assert report.verdicts == {"numbered": "violated"}
        assert report.counterexamples[0].minimised is None


async def slow_length(text: str) -> int:
    await asyncio.sleep(0)
    return len(text.split())


def test_a_base_that_raises_is_compared_with_nothing_and_saves_no_call() -> None:
    """Text and data say the same."""

    def fails(text: str) -> str:
        raise ValueError("no")

    report = check(fails, "a", [NUMBERED])
    (result,) = report.results.values()
    assert (result.verdict, result.base, result.saved, report.calls_saved) == ("errored", None, 0, 0)
    assert result.to_json()["base"] is None
    assert "saved" not in report.summary()
    assert "not needed" not in report.summary()


class Asynchronous:
    """A system that is an object with an asynchronous call."""

    async def __call__(self, text: str) -> int:
        return await slow_length(text)


SYSTEMS = [
    slow_length,
    Asynchronous(),
    partial(slow_length),
    lambda text: slow_length(f"{text}"),
    lambda text: len(text.split()),
]


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("system", SYSTEMS)
def test_asynchronous_systems_are_checked_like_others(system: Any, workers: int) -> None:
    """However they say that they are, also inside a running loop."""
    relations = [Relation("one more", numbered, lambda before, after: after == before + 1), NUMBERED]

    def run() -> dict[str, str]:
        report = check(system, "a b", relations, deterministic_system=True, workers=workers)
        return dict(report.verdicts)

    async def inside() -> dict[str, str]:
        return run()

    due = {"one more": "holds", "numbered": "violated"}
    assert run() == due
    assert asyncio.run(inside()) == due


@pytest.mark.parametrize("asynchronous", [True, False])
def test_no_more_calls_are_under_way_than_allowed(asynchronous: bool) -> None:
    """And as many as allowed, once there are so many."""
    running = highest = 0
    lock, together = threading.Lock(), threading.Barrier(3)

    def enter(by: int) -> None:
        nonlocal running, highest
        with lock:
            running += by
            highest = max(highest, running)

    def threaded(_: str) -> int:
        enter(1)
        together.wait(10)
        enter(-1)
        return 1

    async def awaited(text: str) -> int:
        enter(1)
        for _turn in range(20):
            await asyncio.sleep(0)
        enter(-1)
        return 1

    report = check(awaited if asynchronous else threaded, "text", [NUMBERED], samples=25, workers=3)
    assert (report.status, report.calls, highest) == ("pass", 30, 3)


def test_an_interrupt_of_the_system_goes_through() -> None:
    """It is nobody's finding."""

    def stops(_: str) -> str:
        raise KeyboardInterrupt

    async def exits(_: str) -> str:
        raise SystemExit(3)

    for workers in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            check(stops, "text", [NUMBERED], workers=workers)
    with pytest.raises(SystemExit):
        check(exits, "text", [NUMBERED])
    names = {thread.name for thread in threading.enumerate() if not thread.daemon}
    assert not {name for name in names if name.startswith(("check", "robust-check"))}


def test_progress_is_told_of_every_call() -> None:
    """With how many there will be at most."""
    states: list[ProgressState] = []

    class Watching:
        def update(self, state: ProgressState) -> None:
            states.append(state)

    report = check(first_option, QUESTION, [ORDER], progress=Watching())
    assert [state.calls for state in states] == list(range(1, report.calls + 1))
    assert all(state.total is not None and state.done <= state.total for state in states)


@pytest.mark.parametrize(
    "options",
    [
        {"samples": -1},
        {"samples": True},
        {"samples": 1.5},
        {"baseline_runs": 0},
        {"alpha": 0},
        {"alpha": 1},
        {"alpha": float("nan")},
        {"alpha": True},
        {"deterministic_system": 1},
        {"workers": 0},
        {"workers": 257},
        {"early_stop": None},
        {"relations": NUMBERED},
        {"relations": ["order"]},
        {"relations": [NUMBERED, NUMBERED]},
        {"relations": 5},
        {"system": "model"},
    ],
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any]) -> None:
    """Before anything is asked."""
    given: dict[str, Any] = {"system": len, "base_input": "text", "relations": [NUMBERED], **options}
    with pytest.raises(UsageError):
        check(**given)


def test_an_input_that_cannot_be_copied_is_refused() -> None:
    """It could be changed by the first call."""
    with pytest.raises(DataError):
        check(list, (letter for letter in "abc"), [NUMBERED])


def test_a_transform_that_does_not_apply_is_skipped_with_its_reason() -> None:
    """It stands in the records."""

    def sometimes(text: str, source: random.Random) -> str:
        if source.random() < 0.5:
            raise NotApplicable("heads")
        return numbered(text, source)

    report = check(bool, "text", [Relation("sometimes", sometimes, unchanged())])
    skipped = report.results["sometimes"].skipped["not_applicable"]
    assert 0 < skipped < 20
    assert [record.get("note") for record in report.records() if record["kind"] == "skip"] == ["heads"] * skipped
    assert derived(report) == told(report)


def test_outputs_of_a_class_of_their_own_are_compared_and_shown() -> None:
    """Records say what they looked like."""

    class Label(str):
        pass

    report = check(lambda text: Label("A" if text == "text" else "B"), "text", [NUMBERED])
    assert report.verdicts == {"numbered": "violated"}
    assert derived(report) == told(report)
    assert inspect.isgenerator(report.records())


def test_the_report_tells_what_it_is() -> None:
    """For a notebook."""
    assert repr(check(len, "text", [])) == "<CheckReport error>"
    assert repr(check(bool, "text", [NUMBERED])) == "<CheckReport pass: numbered: holds>"
