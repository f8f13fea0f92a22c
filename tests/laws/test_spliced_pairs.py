"""Laws of spliced pairs: whatever way the record of a pair is encoded, its bytes are the same."""

from __future__ import annotations

from pathlib import PurePath

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.app.oracles import build_judges
from robust.canon import canonical_bytes, canonical_part
from robust.records.contract import Contract
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.pair_record import pair_record
from robust.run.pair_work import PairOutcome, PairWork
from robust.run.pairs import BaseCase, PlannedPair, plan_pairs
from robust.run.pieces import pieces_of_case
from robust.run.property_plan import plan_properties
from robust.run.splice import encode_record
from robust.run.splice_pairs import PairSplicer
from robust.store.contracts import read_contract
from tests.laws.strategies import cases, json_objects, texts

LABELS = st.lists(
    st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8), min_size=2, max_size=6, unique=True
)
PROPERTIES = ("option_order", "label_format", "irrelevant_context", "whitespace")
BACKEND = BackendIdentity(name="default", provider="callable", model="m", model_version=None)


def _contract(labels: list[str], oracles: dict[str, str], limit: float) -> Contract:
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": labels},
            "backend": {"provider": "callable"},
            "oracles": oracles,
            "fuzz": {"text_field": "t", "minimize": False},
            "properties": {name: {"max_flip_rate": 0, "max_tv_distance": limit} for name in PROPERTIES},
        }
    )


def _distribution(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    whole = st.lists(st.integers(0, 100), min_size=size, max_size=size).filter(any)
    return whole.map(lambda parts: tuple(part / sum(parts) if part else 0 for part in parts))


@st.composite
def outcomes(draw: st.DrawFn) -> tuple[Contract, PlannedPair, PairOutcome]:
    """A pair of an assumed or judged property, and what came of it."""
    oracles = draw(st.sampled_from([{"policy": "assumed"}, {"default": "builtin"}]))
    contract = _contract(draw(LABELS), oracles, draw(st.sampled_from([0, 0.5])))
    judges = build_judges(contract, PurePath()) if "default" in oracles else None
    labels = contract.decision.label_order
    case = draw(cases.filter(lambda case: case.origin is None))
    pieces = pieces_of_case(case)._replace(expected=canonical_part(draw(st.sampled_from([None, *labels]))))
    base = BaseCase.of(0, pieces.case(), pieces, draw(_distribution(len(labels))))
    made = plan_pairs(plan_properties(contract, judges), base, 0, None)
    pair = draw(st.sampled_from([item for item in made if isinstance(item, PlannedPair)]))
    answer = Answer(
        draw(_distribution(len(labels))), None, draw(st.one_of(st.none(), texts)), None, None, draw(json_objects)
    )
    dialogue = PairWork(contract, seed=0).evaluate(pair)
    try:
        next(dialogue)
        while True:
            dialogue.send(answer)
    except StopIteration as ending:
        return contract, pair, ending.value


@settings(deadline=None)
@given(outcomes())
def test_a_spliced_pair_is_the_encoded_one(drawn: tuple[Contract, PlannedPair, PairOutcome]) -> None:
    """Byte for byte, wherever the splicer gives one; and it gives one wherever a pair was compared."""
    contract, pair, outcome = drawn
    spliced = PairSplicer(contract, BACKEND).encode(pair, outcome)
    assert (spliced is None) == (outcome.comparison is None)
    if spliced is not None:
        record = pair_record(pair, outcome, contract, BACKEND)
        assert spliced == encode_record(record)
        assert spliced.line == canonical_bytes(record)
