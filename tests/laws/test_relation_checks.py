"""Laws of checks of relations."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust import CheckReport, Relation, check, consistent_pick, not_less, scales_by, unchanged
from robust.app.check_derivation import derive
from robust.canon import canonical_bytes, read_json

ASSERTIONS = st.sampled_from([unchanged(), unchanged(abs_tol=1), not_less(), scales_by(2)])
OUTPUTS = st.one_of(
    st.sampled_from(["A", "B"]), st.integers(0, 3), st.sampled_from([0.5, 1.0, 2.0]), st.lists(st.integers(0, 1))
)
OPTIONS = st.fixed_dictionaries(
    {
        "samples": st.integers(0, 8),
        "baseline_runs": st.integers(1, 4),
        "deterministic_system": st.booleans(),
        "early_stop": st.booleans(),
        "alpha": st.sampled_from([0.05, 0.2, 0.5]),
    }
)


class Model:
    """A system that gives outputs by chance, or raises; of one seed it is always the same."""

    def __init__(self, outputs: list[Any], raises: float, seed: int) -> None:
        self._outputs, self._raises, self._source = outputs, raises, random.Random(seed)

    def __call__(self, text: str) -> Any:
        if text != "base" and self._source.random() < self._raises:
            raise ValueError("now and then")
        return self._source.choice(self._outputs)


def pick(text: str, source: random.Random) -> str:
    return f"{text} {source.randrange(12)}" if source.randrange(5) else text


class Scripted:
    """A system whose every answer follows from the text and from how often that text was asked before.

    It is a noisy one if answers of one text differ, and may raise.
    """

    def __init__(self, outputs: list[Any], noise: float, raises: float, seed: int) -> None:
        self._outputs, self._noise, self._raises, self._seed = outputs, noise, raises, seed
        self._asked: dict[str, int] = {}

    def __call__(self, text: str) -> Any:
        number = self._asked[text] = self._asked.get(text, 0) + 1
        source = random.Random(f"{self._seed} {text} {number}")
        if source.random() < self._raises and text != "base":
            raise ValueError(f"now and then, at call {number}")
        if source.random() < self._noise:
            return source.choice(self._outputs)
        return self._outputs[0] if text == "base" else self._outputs[-1]


class ScriptedLater(Scripted):
    """The same, answering asynchronously, and often not in the order in which it was asked."""

    async def __call__(self, text: str) -> Any:
        source = random.Random(f"{self._seed} {text} turns")
        # The call takes its number at once: calls of one text begin in the order of the plan.
        try:
            return super().__call__(text)
        finally:
            for _ in range(source.randrange(4)):
                await asyncio.sleep(0)


SCRIPTS = st.tuples(
    st.lists(OUTPUTS, min_size=1, max_size=3), st.sampled_from([0, 0.2, 0.8]), st.sampled_from([0, 0.1]), st.integers()
)


def own_texts(assertions: list[Any]) -> list[Relation]:
    """Relations that never make the same variant, so that no call of one counts in another."""

    def picks(number: int) -> Any:
        return lambda text, source: f"{text} {number} {source.randrange(40)}" if source.randrange(9) else text

    return [Relation(f"relation {number}", picks(number), each, seed=number) for number, each in enumerate(assertions)]


def make_relations(assertions: list[Any]) -> list[Relation]:
    return [Relation(f"relation {number}", pick, each, seed=number) for number, each in enumerate(assertions)]


def through_bytes(report: CheckReport) -> list[tuple[int, Any]]:
    """The records as they are read back."""
    return [(line, read_json(canonical_bytes(record))) for line, record in enumerate(report.records(), 1)]


@settings(deadline=None)
@given(
    st.lists(ASSERTIONS, max_size=3),
    st.lists(OUTPUTS, min_size=1, max_size=4),
    st.sampled_from([0, 0.1]),
    st.integers(),
    OPTIONS,
)
def test_what_the_records_make_due_is_what_the_check_found(
    assertions: list[Any], outputs: list[Any], raises: float, seed: int, options: dict[str, Any]
) -> None:
    """One course of rules runs a check and derives it again."""
    report = check(Model(outputs, raises, seed), "base", make_relations(assertions), **options)
    derived = derive(report.plan(), through_bytes(report))
    assert derived.found == report.to_dict()["relations"]
    assert derived.status == report.status


@settings(deadline=None, max_examples=40)
@given(st.lists(ASSERTIONS, min_size=1, max_size=3), st.integers(0, 5), OPTIONS)
def test_without_noise_the_number_of_workers_changes_nothing(
    assertions: list[Any], divisor: int, options: dict[str, Any]
) -> None:
    """But how many calls were under way when it was over."""

    def system(text: str) -> int:
        return int(divisor > 0 and len(text) > 4 and int(text.split()[1]) % divisor == 1)

    reports = [check(system, "base", make_relations(assertions), **options, workers=workers) for workers in (1, 4)]
    assert reports[0].to_dict()["relations"] == reports[1].to_dict()["relations"]
    assert list(reports[0].records()) == list(reports[1].records())
    assert reports[0].calls <= reports[1].calls


@settings(deadline=None, max_examples=100)
@given(st.lists(ASSERTIONS, min_size=1, max_size=3), SCRIPTS, OPTIONS)
def test_of_a_scripted_system_the_number_of_workers_changes_nothing(
    assertions: list[Any], script: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """However noisy it is, and whatever raises: outcomes are taken in the order of the plan."""
    systems = (Scripted(*script), ScriptedLater(*script))
    reports = [
        check(system, "base", own_texts(assertions), **options, workers=workers)
        for system, workers in zip(systems, (1, 4), strict=True)
    ]
    assert reports[0].to_dict()["relations"] == reports[1].to_dict()["relations"]
    assert reports[0].errors == reports[1].errors
    assert list(reports[0].records()) == list(reports[1].records())
    assert reports[0].calls <= reports[1].calls


@settings(deadline=None, max_examples=200)
@given(st.lists(ASSERTIONS, min_size=1, max_size=2), SCRIPTS, OPTIONS, st.integers(1, 30))
def test_what_is_left_out_could_have_raised_but_not_changed_a_verdict_otherwise(
    assertions: list[Any], script: tuple[Any, ...], options: dict[str, Any], samples: int
) -> None:
    """With noise and with errors: a verdict is the same with all samples, unless one that was left out raises."""
    early, late = (
        check(Scripted(*script), "base", own_texts(assertions), **{**options, "samples": samples, "early_stop": stop})
        for stop in (True, False)
    )
    assert late.calls_saved == 0
    for name, result in early.results.items():
        full, asked = late.results[name], samples - result.saved
        assert result.errors == tuple(each for each in full.errors if each.sample is None or each.sample < asked)
        assert (result.p_value, result.attempts) == (full.p_value, full.attempts)
        if result.verdict != full.verdict:
            assert result.saved
            assert full.verdict == "errored"
            assert len(full.errors) > len(result.errors)


def test_a_relation_settled_by_its_confirmations_may_be_errored_with_all_samples() -> None:
    """The one way in which an early stop tells something else: what is not asked cannot raise."""
    asked: dict[str, int] = {}

    def system(text: str) -> str:
        asked[text] = asked.get(text, 0) + 1
        if text == "base 9":
            raise ValueError("the tenth")
        # Only the first answer to a variant is another one.
        return "B" if text != "base" and asked[text] == 1 else "A"

    numbers = iter(range(100))
    numbered = Relation("numbered", lambda text: f"{text} {next(numbers) % 10}", unchanged())
    early = check(system, "base", [numbered], samples=10)
    asked.clear()
    numbers = iter(range(100))
    late = check(system, "base", [numbered], samples=10, early_stop=False)
    assert (early.verdicts, early.results["numbered"].reason) == ({"numbered": "holds"}, "noise")
    assert (late.verdicts, late.results["numbered"].reason) == ({"numbered": "errored"}, "errors")


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([unchanged(), consistent_pick()]), st.integers(0, 4), st.integers(1, 12), st.booleans())
def test_stopping_early_changes_no_verdict(assertion: Any, divisor: int, samples: int, declared: bool) -> None:
    """Of a system without noise; it only saves calls."""

    def system(text: str) -> str:
        return "B" if divisor and len(text) > 4 and int(text.split()[1]) % divisor == 0 else "A"

    given_relations = make_relations([assertion, assertion])
    early, late = (
        check(system, "base", given_relations, samples=samples, deterministic_system=declared, early_stop=stop)
        for stop in (True, False)
    )
    assert early.verdicts == late.verdicts
    assert early.calls <= late.calls
    assert late.calls_saved == 0
