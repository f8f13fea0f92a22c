"""Laws of minimised examples: never larger, still failing, accepted by the oracle, and paid within the bound."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case, DecisionRequest, OracleVerdict
from robust.app.oracles import build_judges
from robust.canon import JsonObject, canonical_bytes
from robust.run.answers import Answer, failed
from robust.run.dialogue import Waiting
from robust.run.pair_work import PairOutcome, PairWork
from robust.run.pairs import BaseCase, PlannedPair, plan_pairs
from robust.run.property_plan import plan_properties
from robust.store.contracts import read_contract

TEXT = "The first. The second. The third. The fourth."
LABELS = ("a", "b", "c", "d")
PROPERTIES: JsonObject = {
    "option_order": {"samples": 6},
    "label_format": {"samples": 4},
    "irrelevant_context": {"insertions": 6, "samples": 3},
    "repeated_context": {"repeats": 5, "samples": 2},
    "whitespace": {"edits": 6, "samples": 3},
}


def _drawn(*parts: Any) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:2])


class Moody:
    """A model and an oracle of which nothing is known but that they are the same each time.

    Args:
        mood: which of all such models it is.
        wrong: how many of 100 questions it answers otherwise than the base.
        refused: how many of 100 candidates the oracle does not accept.
        down: how many of 100 questions end in an error.
    """

    def __init__(self, mood: int, wrong: int, refused: int, down: int) -> None:
        self._mood = mood
        self._wrong = wrong
        self._refused = refused
        self._down = down
        self.sent = 0

    def answer(self, request: DecisionRequest) -> Answer:
        """Answer in the order of the labels shown; nothing but input and labels decides."""
        self.sent += 1
        asked = (self._mood, request.input, request.decision.labels)
        if _drawn("down", *asked) % 100 < self._down:
            return failed("timeout", "slow")
        share = 0.1 if _drawn("wrong", *asked) % 100 < self._wrong else 0.9
        rest = (1 - share) / 3
        first = next(place for place, label in enumerate(request.decision.labels) if "a" in label.lower())
        values = tuple(share if place == first else rest for place in range(4))
        return Answer(values, None, None, None, None, {})

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge; nothing but the candidate decides."""
        accepted = _drawn("oracle", self._mood, canonical_bytes(candidate.input)) % 100 >= self._refused
        return OracleVerdict(accepted, "as its mood was", evidence={"accepted": accepted})


def _outcomes(moody: Moody, seed: int, most: int, judged: bool) -> list[tuple[PlannedPair, PairOutcome, int]]:
    contract = read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": list(LABELS)},
            "backend": {"provider": "callable"},
            "oracles": {"default": {"provider": "moody"}} if judged else {"policy": "assumed"},
            "fuzz": {"max_minimize_calls": most},
            "properties": {name: {"max_tv_distance": 0.5, **own} for name, own in PROPERTIES.items()},
        }
    )
    judges = build_judges(contract, PurePath(), {"moody": moody}) if judged else None
    work = PairWork(contract, seed=seed)
    base = BaseCase.of(0, Case(TEXT, "a", case_id="c", source_id="s"), None, (0.9, 0.1 / 3, 0.1 / 3, 0.1 / 3))
    found = []
    for pair in plan_pairs(plan_properties(contract, judges), base, seed, None):
        assert isinstance(pair, PlannedPair)
        before = moody.sent
        found.append((pair, _held(work, pair, moody), moody.sent - before))
    return found


def _held(work: PairWork, pair: PlannedPair, moody: Moody) -> PairOutcome:
    """Hold the dialogue about a pair."""
    dialogue = work.evaluate(pair)
    try:
        asked = next(dialogue)
        while True:
            asked = dialogue.send(asked.call() if isinstance(asked, Waiting) else moody.answer(asked))
    except StopIteration as ending:
        outcome: PairOutcome = ending.value
        return outcome


def _inversions(order: list[int]) -> int:
    return sum(one > other for place, one in enumerate(order) for other in order[place + 1 :])


def _size(name: str, steps: Any) -> int:
    return _inversions(steps[0]["order"]) if name == "option_order" else len(steps)


shares = st.sampled_from([0, 10, 50, 90, 100])


@settings(deadline=None, max_examples=60)
@given(
    st.integers(), shares, shares, st.sampled_from([0, 10, 50]), st.integers(0, 12), st.booleans(), st.integers(0, 99)
)
def test_a_minimised_example_is_smaller_and_still_fails(
    mood: int, wrong: int, refused: int, down: int, most: int, judged: bool, seed: int
) -> None:
    """Whatever the model and the oracle are like."""
    moody = Moody(mood, wrong, refused, down)
    for pair, outcome, sent in _outcomes(moody, seed, most, judged):
        minimising = outcome.minimising
        if minimising is None:
            assert not outcome.violations or most == 0
            assert sent <= 1
            continue
        assert outcome.violations
        assert minimising.calls == sent - 1 <= most
        reduced = minimising.reduced
        if reduced is None:
            continue
        steps = reduced.candidate.steps
        assert _size(pair.plan.name, steps) < _size(pair.plan.name, pair.candidate.steps)
        assert pair.plan.transformation.apply(TEXT, steps) == reduced.candidate
        assert reduced.violations == pair.plan.violations(reduced.comparison) != []
        assert (reduced.candidate.input, reduced.candidate.presentation) != (TEXT, None)
        assert (reduced.validation is None) is not judged
        assert reduced.validation is None or reduced.validation.status == "valid"


@settings(deadline=None, max_examples=60)
@given(st.integers(), st.sampled_from([10, 50, 90]), shares, st.booleans(), st.integers(0, 99))
def test_with_calls_enough_nothing_more_can_be_left_out(
    mood: int, wrong: int, refused: int, judged: bool, seed: int
) -> None:
    """Each form with one part less either holds or is not accepted by the oracle."""
    moody = Moody(mood, wrong, refused, 0)
    for pair, outcome, _ in _outcomes(moody, seed, 1000, judged):
        if outcome.minimising is None:
            continue
        reduced = outcome.minimising.reduced
        steps = pair.candidate.steps if reduced is None else reduced.candidate.steps
        for fewer in pair.plan.transformation.smaller(steps):
            candidate = pair.plan.transformation.apply(TEXT, fewer)
            alone = pair._replace(candidate=candidate)
            if (candidate.input, candidate.presentation) == (TEXT, None):
                continue
            again = _again(alone, seed, moody)
            assert not again.violations


def _again(pair: PlannedPair, seed: int, moody: Moody) -> PairOutcome:
    """A pair of its own, not made smaller."""
    contract = read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": list(LABELS)},
            "backend": {"provider": "callable"},
            "fuzz": {"minimize": False},
        }
    )
    return _held(PairWork(contract, seed=seed), pair, moody)
