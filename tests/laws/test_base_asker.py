"""Laws of asking many at once: the records, the counts and the digests are those of asking one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.records.contract import Contract
from robust.records.request import BackendAnswer, BackendFailure, BackendIdentity, DecisionRequest, Usage
from robust.run.base_asker import BaseAsker
from robust.run.burst import Burst, Recorder
from robust.run.execute import Engine
from robust.run.pieces import pieces_of_case
from robust.run.repeats import Repeats
from robust.run.summary import RunSummary
from robust.store.contracts import read_contract
from tests.laws.strategies import cases, texts

LATENCY = re.compile(rb'"latency_ms":[0-9.e+-]+')
LABELS = st.lists(
    st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=4), min_size=2, max_size=4, unique=True
)
BASES = st.lists(cases.filter(lambda case: case.origin is None), min_size=1, max_size=6)
# What an answer is made of; most often numbers that can be one.
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([0, 1, 0.0, 1.0, -0.0, 1e-7, 5e-324, 0.5, 0.25, 0.1]))
ODD = st.sampled_from(["nan", "label", "list", "dict", "usage", "observed", "metadata", "failure", "crash", "model"])


class Answering:
    """A backend with given answers."""

    inline = True

    def __init__(self, answers: Sequence[tuple[tuple[float, ...], str | None]], model: Any, *, pure: bool) -> None:
        self.pure = pure
        self._answers = iter(answers)
        self._model = model
        self.asked: list[DecisionRequest] = []

    @property
    def identity(self) -> BackendIdentity:
        """Who answers."""
        return BackendIdentity(name="default", provider="callable", model="m%s", model_version=None)

    def decide(self, request: DecisionRequest) -> Any:
        """The next answer."""
        self.asked.append(request)
        values, odd = next(self._answers)
        labels = request.decision.labels
        found: dict[str, Any] = dict(zip(labels, values, strict=True))
        if isinstance(request.input, dict):
            request.input.clear()
        if odd == "failure":
            raise BackendFailure("timeout", "too late", observed={"attempts": 2}, usage=Usage(tokens=3))
        if odd == "crash":
            raise SystemExit(3)
        if odd in ("list", "dict"):
            return found if odd == "dict" else [*values]
        if odd == "nan":
            found[labels[0]] = float("nan")
        if odd == "label":
            found["another"] = found.pop(labels[0])
        return BackendAnswer(
            probabilities=found,
            model=[] if odd == "model" else self._model,  # type: ignore[arg-type]
            usage=Usage(tokens=2, cost=0.1) if odd == "usage" else None,
            metadata={"a": 1} if odd == "metadata" else {},
            observed={"attempts": 1} if odd == "observed" else {},
        )


@st.composite
def answered(draw: st.DrawFn) -> tuple[list[str], list[Case], list[tuple[tuple[float, ...], str | None]]]:
    """Labels, cases some of which have them as answers, and what is answered."""
    labels = draw(st.one_of(LABELS, st.just(["%s", "50%", "b"])))
    bases = [case.with_expected(draw(st.sampled_from([*labels, None, 5]))) for case in draw(BASES)]
    answers: list[tuple[tuple[float, ...], str | None]] = []
    strange = draw(st.booleans())
    for _ in bases:
        first = draw(SHARES)
        rest = draw(st.floats(0, 1)) * (1 - first)
        values = (first, rest, 1 - first - rest, 0)[: len(labels)] if len(labels) > 2 else (first, 1 - first)
        answers.append((values, draw(st.one_of(st.none(), ODD)) if strange else None))
    return labels, bases, answers


def _contract(labels: list[str]) -> Contract:
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": labels},
            "backend": {"provider": "callable"},
        }
    )


def _bursts(
    labels: list[str], lines: list[bytes], backend: Answering, seconds: float
) -> tuple[list[Burst], list[DecisionRequest], tuple[int, int, float]]:
    contract = _contract(labels)
    engine = Engine(backend, concurrency=1, tolerance=0.001)
    summary = RunSummary(contract, mode="all")
    recorder = Recorder(contract, backend.identity, summary)
    repeats = Repeats(contract, seed=0, cases=len(lines), judged=False)
    asker = BaseAsker(contract, engine, backend.identity, summary, recorder, repeats)
    bursts: list[Burst] = []
    while lines:
        bursts.append(asker.burst(lines, seconds))
        lines = lines[bursts[-1].size :]
    return bursts, backend.asked, (engine.budget.calls, engine.budget.tokens, engine.budget.cost)


def _said(bursts: list[Burst]) -> tuple[object, ...]:
    """Everything that bursts say, but how long the calls took."""
    return (
        LATENCY.sub(b"", b"".join(burst.lines for burst in bursts)),
        b"".join(burst.evidence for burst in bursts),
        b"".join(burst.answers for burst in bursts),
        *(sum(getattr(burst, name) for burst in bursts) for name in ("size", "errors", "calls")),
        [(row.source, row.expected, row.probabilities) for burst in bursts for row in burst.tally.rows],
        [[type(value) for value in row.probabilities or ()] for burst in bursts for row in burst.tally.rows],
        [case_id for burst in bursts for case_id in burst.tally.case_ids],
        [kind for burst in bursts for kind in burst.tally.error_kinds],
        sum(burst.tally.observations.latency()["n"] for burst in bursts),
        [burst.tally.failures.to_json() for burst in bursts if burst.tally.error_kinds] if len(bursts) == 1 else None,
    )


@given(answered(), st.one_of(st.none(), texts))
def test_many_are_asked_as_each_is(
    asked: tuple[list[str], list[Case], list[tuple[tuple[float, ...], str | None]]], model: str | None
) -> None:
    """Requests, records, digests, counts and costs, whatever the answers are like."""
    labels, bases, answers = asked
    lines = [pieces_of_case(case).line() for case in bases]
    many, requests, spent = _bursts(labels, lines, Answering(answers, model, pure=True), 60)
    each, same_requests, same_spent = _bursts(labels, lines, Answering(answers, model, pure=False), 60)
    assert len(many) == 1
    assert _said(many) == _said(each)
    assert (requests, spent) == (same_requests, same_spent)


@given(answered())
def test_no_more_is_asked_when_the_time_is_over(
    asked: tuple[list[str], list[Case], list[tuple[tuple[float, ...], str | None]]],
) -> None:
    """What was asked until then is recorded, and the rest comes in the next burst."""
    labels, bases, answers = asked
    lines = [pieces_of_case(case).line() for case in bases]
    slow, requests, spent = _bursts(labels, lines, Answering(answers, None, pure=True), 0)
    together, same_requests, same_spent = _bursts(labels, lines, Answering(answers, None, pure=True), 60)
    assert [burst.size for burst in slow] == [1] * len(lines)
    assert _said(slow)[:9] == _said(together)[:9]
    assert (requests, spent) == (same_requests, same_spent)
