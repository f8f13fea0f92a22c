"""Laws of asking about many candidates at once: records, counts and digests are those of asking one by one."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case
from robust.records.request import BackendAnswer, BackendFailure, BackendIdentity, DecisionRequest, Usage
from robust.run.burst import Burst, Recorder
from robust.run.execute import Engine
from robust.run.pair_asker import PairAsker
from robust.run.pairs import BaseCase
from robust.run.pieces import pieces_of_case
from robust.run.summary import RunSummary
from tests.laws.strategies import cases
from tests.laws.test_pair_layout import LABELS, TEXTS, contract_of

LATENCY = re.compile(rb'"latency_ms":[0-9.e+-]+')
ODD = ("nan", "label", "bool", "list", "dict", "usage", "observed", "metadata", "failure", "crash", "model")


class Answering:
    """A backend whose answer follows from what it is asked; some of its answers are odd.

    Args:
        mood: which of all such backends it is.
        odd: how many of 100 answers are odd.
        pure: whether it says that it is pure.
    """

    inline = True

    def __init__(self, mood: int, odd: int, *, pure: bool) -> None:
        self.pure = pure
        self._mood = mood
        self._odd = odd
        self.asked: list[str] = []

    @property
    def identity(self) -> BackendIdentity:
        """Who answers."""
        return BackendIdentity(name="default", provider="callable", model="m%s", model_version=None)

    def decide(self, request: DecisionRequest) -> Any:
        """An answer."""
        labels = request.decision.labels
        asked = repr((request.case_id, request.input, labels, request.trial))
        self.asked.append(asked)
        drawn = hashlib.sha256(repr((self._mood, request.input, labels[: self._mood % 3])).encode()).digest()
        if isinstance(request.input, dict):
            request.input.clear()
        share = (0, 1, 0.5, 0.25, 0.1, 1e-7, -0.0)[drawn[0] % 7]
        found: dict[str, Any] = dict(zip(labels, (share, 1 - share, *(0,) * (len(labels) - 2)), strict=True))
        odd = ODD[drawn[1] % len(ODD)] if drawn[2] % 100 < self._odd else None
        if odd == "failure":
            raise BackendFailure("timeout", "too late", observed={"attempts": 2}, usage=Usage(tokens=3))
        if odd == "crash":
            raise SystemExit(3)
        if odd in ("list", "dict"):
            return found if odd == "dict" else [*found.values()]
        if odd == "nan":
            found[labels[0]] = float("nan")
        if odd == "bool":
            found = {label: value == max(found.values()) for label, value in found.items()}
        if odd == "label":
            found["another"] = found.pop(labels[0])
        return BackendAnswer(
            probabilities=found,
            model=[] if odd == "model" else None,  # type: ignore[arg-type]
            usage=Usage(tokens=2, cost=0.1) if odd == "usage" else None,
            metadata={"a": 1} if odd == "metadata" else {},
            observed={"attempts": 1} if odd == "observed" else {},
        )


def _burst(labels: tuple[str, ...], bases: list[BaseCase], backend: Answering) -> tuple[Burst, tuple[int, int, float]]:
    contract = contract_of(labels)
    engine = Engine(backend, concurrency=1, tolerance=0.001)
    summary = RunSummary(contract, mode="all")
    recorder = Recorder(contract, backend.identity, summary)
    asker = PairAsker(contract, engine, backend.identity, summary, recorder, seed=0)
    burst = asker.burst(bases)
    # What is remembered changes nothing.
    again = asker.burst(bases)
    assert _said(burst) == _said(again)
    return burst, (engine.budget.calls, engine.budget.tokens, engine.budget.cost)


def _said(burst: Burst) -> tuple[object, ...]:
    """Everything that a burst says, but how long the calls took."""
    counts = {name: {**vars(one), "distances": sorted(one.distances)} for name, one in burst.tally.pairs.items()}
    spent, failures = burst.tally.observations.spending(), burst.tally.failures.to_json()
    return (
        LATENCY.sub(b"", burst.lines),
        burst.evidence,
        burst.answers,
        (burst.size, burst.errors, burst.calls),
        counts,
        spent,
        failures,
    )


@st.composite
def decided(draw: st.DrawFn) -> tuple[tuple[str, ...], list[BaseCase]]:
    """Labels, and base cases some of which were decided."""
    labels = draw(LABELS)
    bases = []
    for place in range(draw(st.integers(1, 3))):
        plain = Case(draw(TEXTS), draw(st.sampled_from([None, *labels])), case_id=f"c{place}", source_id="s")
        case = draw(st.one_of(st.just(plain), cases.filter(lambda case: case.origin is None)))
        pieces = pieces_of_case(case.with_expected(plain.expected))
        values = draw(st.sampled_from([None, (0.5, 0.5), (1, 0), (0.25, 0.75)]))
        answer = None if values is None else (*values, *(0,) * (len(labels) - 2))
        bases.append(BaseCase.of(place, pieces.case(), pieces, answer))
    return labels, bases


@settings(deadline=None)
@given(decided(), st.integers(0, 30), st.sampled_from([0, 30]))
def test_many_candidates_are_asked_about_as_each_is(
    drawn: tuple[tuple[str, ...], list[BaseCase]], mood: int, odd: int
) -> None:
    """Records, digests, counts and costs, whatever the answers are like; and nothing else is asked."""
    labels, bases = drawn
    many, one = Answering(mood, odd, pure=True), Answering(mood, odd, pure=False)
    burst, spent = _burst(labels, bases, many)
    each, same = _burst(labels, bases, one)
    assert _said(burst) == _said(each)
    assert spent[:2] == same[:2]
    assert abs(spent[2] - same[2]) < 1e-9
    assert sorted(many.asked) == sorted(one.asked)
