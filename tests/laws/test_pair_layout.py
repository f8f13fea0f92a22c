"""Laws of checking pairs together: what is taken is what looking closely would take, and all plain ones are taken."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case, DecisionRequest
from robust.canon import JsonObject, canonical_bytes, fold, parse_canonical
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.request import BackendIdentity
from robust.records.run_record import check_shape
from robust.run.answers import Answer
from robust.run.compared_pairs import ComparedPairs
from robust.run.derive_answers import broken_answer, misdeclared_answer
from robust.run.derive_pairs import PairChecker, check_presentation
from robust.run.pair_record import pair_record
from robust.run.pair_work import PairOutcome, PairWork
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase, plan_pairs
from robust.run.pieces import pieces_of_case
from robust.run.property_plan import plan_properties
from robust.run.reencode import PlainPair, Reencoder
from robust.run.splice import encode_record
from robust.run.tally import Tally
from robust.store.contracts import read_contract
from tests.laws.strategies import cases, texts
from tests.laws.test_decision_layout import PIECES

BACKEND: JsonObject = {"name": "default", "provider": "callable", "model": None, "model_version": None}
IDENTITY = BackendIdentity(name="default", provider="callable", model=None, model_version=None)
LIMITS = {"max_flip_rate": 0, "max_tv_distance": 0.25, "samples": 2}
LABELS = st.sampled_from([("yes", "no"), ("a", "%s", 'q"', "é"), ("1}", "2,", '},"provider":', "\U00010000")])
TEXTS = st.sampled_from(["One. Two is here. Three 3 4!", 'Say "observed":{"latency_ms":1}, or not.', "é.  Ü\nß"])
# What stands in a pair, to be replaced by what stands in another or in none.
PARTS = (
    *(b"true", b"false", b"null", b'"sample":0', b'"sample":1', b"[]", b'["max_flip_rate"]', b'"at":0', b'"at":1'),
    *(b'"latency_ms":[1]', b'"latency_ms":"1"', b'"assumed":true,', b'"reduced":null', b'"reduced":{}', b'"steps":[]'),
)


def contract_of(labels: tuple[str, ...]) -> Contract:
    names = ("option_order", "label_format", "irrelevant_context", "whitespace")
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": list(labels)},
            "backend": {"provider": "callable"},
            "oracles": {"policy": "assumed"},
            "fuzz": {"text_field": "t", "max_minimize_calls": 8},
            "properties": {
                **dict.fromkeys(names, LIMITS),
                "paraphrase": {**LIMITS, "source": {"provider": "identity"}},
            },
        }
    )


class Made(NamedTuple):
    """The pairs of a base case, and the records that a run writes of them."""

    contract: Contract
    items: list[PlannedPair | SkippedCase]
    lines: list[bytes]

    def __repr__(self) -> str:
        return f"<Made {self.lines!r}>"


def _share(mood: int, *parts: Any) -> float:
    """One of few numbers, so that answers are often the same; the smallest are written with an exponent."""
    drawn = hashlib.sha256(repr((mood, parts)).encode()).digest()[0]
    return (0, 1, 0.5, 0.25, 0.1, 1e-7, 0.3)[drawn % 7]


@st.composite
def made_pairs(draw: st.DrawFn) -> Made:
    labels = draw(LABELS)
    contract = contract_of(labels)
    plain = Case(draw(TEXTS), draw(st.sampled_from([None, *labels])), case_id="c", source_id="s")
    case = draw(st.one_of(st.just(plain), cases.filter(lambda case: case.origin is None)))
    if case.expected is not None and label_of_answer(case.expected) not in labels:
        case = case.with_expected(None)
    mood, model, latency = draw(st.integers(0, 50)), draw(st.one_of(st.none(), texts)), draw(st.floats(0, 1e6))

    def answer(request: DecisionRequest) -> Answer:
        # Some see the order of the labels, and others only the text.
        share = _share(mood, request.input, request.decision.labels if mood % 2 else None)
        values = (share, 1 - share, *(0,) * (len(labels) - 2))
        exact = tuple(value if 0 < value < 1 else int(value) for value in values)
        return Answer(exact, None, model, None, None, {"latency_ms": latency})

    pieces = pieces_of_case(case)
    base = BaseCase.of(0, pieces.case(), pieces, (0.5, 0.5, *(0,) * (len(labels) - 2)))
    items = [*plan_pairs(plan_properties(contract), base, 0, None)]
    work = PairWork(contract, seed=0)
    lines = []
    for item in items:
        if isinstance(item, SkippedCase):
            lines.append(b"{}")
            continue
        dialogue = work.evaluate(item)
        try:
            asked = next(dialogue)
            while True:
                asked = dialogue.send(answer(asked))  # type: ignore[arg-type]
        except StopIteration as ending:
            outcome: PairOutcome = ending.value
        lines.append(encode_record(pair_record(item, outcome, contract, IDENTITY)).line)
    return Made(contract, items, lines)


def closely(contract: Contract, item: PlannedPair, line: bytes) -> JsonObject:
    """The record, which must hold when it is looked at closely."""
    record = check_shape(parse_canonical(line, file="r", line=1), file="r", line=1)
    assert canonical_bytes(record) == line
    assert record["id"] == item.id
    check_presentation(record, contract, file="r", line=1)
    assert broken_answer(record, contract) is None
    assert [*misdeclared_answer(record, BACKEND)] == []
    checker = PairChecker(contract, plan_properties(contract), seed=0, file="r")
    assert [*checker.check(item, record, 1)[0]] == []
    return record


def assert_holds(contract: Contract, item: PlannedPair, line: bytes, plain: PlainPair) -> None:
    """What was taken holds when it is looked at closely, with the same bytes to hash and the same counts."""
    record = closely(contract, item, line)
    assert plain.encoded == encode_record(record)
    names = [plan.name for plan in plan_properties(contract)]
    tally, other = Tally(contract, names), Tally(contract, names)
    other.add_pair(record, fold(record["source_id"]))
    compared = ComparedPairs()
    plain.count_in(tally, compared, item)
    compared.count_in(tally)
    for one, two in zip(tally.pairs.values(), other.pairs.values(), strict=True):
        assert vars(one) == vars(two)
    assert tally.failures.to_json() == other.failures.to_json()
    assert tally.observations.spending() == other.observations.spending()


@settings(deadline=None)
@given(made_pairs())
def test_every_pair_that_a_run_writes_is_taken(made: Made) -> None:
    """Whether it holds, fails or was made smaller: nothing of it has to be looked at closely."""
    found = Reencoder(made.contract, BACKEND).pairs(made.items, made.lines)
    for item, line, plain in zip(made.items, made.lines, found, strict=True):
        if isinstance(item, SkippedCase):
            assert plain is None
        else:
            assert plain is not None
            assert_holds(made.contract, item, line, plain)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(made_pairs(), st.data())
def test_no_edit_of_a_pair_slips_through(made: Made, data: st.DataObject) -> None:
    """Whatever stands in the lines, what is taken holds when it is looked at closely."""
    lines = [*made.lines]
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        line, piece = lines[place], data.draw(st.sampled_from((*PIECES, *PARTS)))
        part = data.draw(st.sampled_from([part for part in PARTS if part in line] or [line[:1]]))
        start = data.draw(st.one_of(st.integers(0, len(line)), st.just(line.rfind(part)), st.just(line.find(part))))
        end = data.draw(st.one_of(st.just(start + len(part)), st.integers(start, start + 12)))
        lines[place] = line[:start] + piece + line[end:]
    known = Reencoder(made.contract, BACKEND)
    known.pairs(made.items, made.lines)
    # Whether or not such answers were seen before.
    for again in (Reencoder(made.contract, BACKEND), known):
        for item, line, plain in zip(made.items, lines, again.pairs(made.items, lines), strict=True):
            if plain is not None:
                assert isinstance(item, PlannedPair)
                assert_holds(made.contract, item, line, plain)


@settings(deadline=None)
@given(made_pairs(), st.data())
def test_a_pair_in_the_place_of_another_is_not_taken(made: Made, data: st.DataObject) -> None:
    """Each is what its base, its property and its sample make, however alike they are."""
    order = data.draw(st.permutations(range(len(made.items))))
    lines = [made.lines[place] for place in order]
    for place, (item, plain) in enumerate(
        zip(made.items, Reencoder(made.contract, BACKEND).pairs(made.items, lines), strict=True)
    ):
        taken = lines[place] == made.lines[place] and isinstance(item, PlannedPair)
        assert (plain is not None) == taken


@settings(deadline=None)
@given(made_pairs(), st.integers(0, 3))
def test_where_lines_are_missing_nothing_is_taken(made: Made, missing: int) -> None:
    """There is an entry for each item all the same."""
    lines = made.lines[: max(0, len(made.lines) - missing)]
    found = Reencoder(made.contract, BACKEND).pairs(made.items, lines)
    assert len(found) == len(made.items)
    assert set(found[len(lines) :]) <= {None}
