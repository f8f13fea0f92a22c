"""Laws of spliced records: whatever way a record is encoded, its bytes are the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.canon import canonical_bytes, canonical_number, canonical_part, fold
from robust.errors import CaseError
from robust.records.contract import Contract
from robust.records.manifest import CaseEntry
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.pieces import CASE_FIELDS, CaseSetDigest, pieces_of_case, pieces_of_line
from robust.run.plan import Planned
from robust.run.record import make_record
from robust.run.splice import DecisionSplicer, encode_record
from robust.run.tally import Tally
from robust.store.contracts import read_contract
from tests.laws.strategies import cases, json_objects, texts

LABELS = st.lists(
    st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8), min_size=2, max_size=6, unique=True
)
BASES = cases.filter(lambda case: case.origin is None)


def _contract(labels: list[str]) -> Contract:
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": labels},
            "backend": {"provider": "callable"},
        }
    )


@st.composite
def answered(draw: st.DrawFn) -> tuple[Contract, Answer]:
    """A contract, and an answer to it whose numbers are of every kind that an answer can have."""
    labels = draw(LABELS)
    share = st.one_of(st.floats(0, 1), st.sampled_from([0, 1, 1e-7, 5e-324, 1e-5, 0.1, 2**-16]))
    values = tuple(draw(share) for _ in labels)
    tidy = tuple(int(value) if float(value).is_integer() else value for value in values)
    observed = draw(st.one_of(st.just({"latency_ms": 0.25}), json_objects))
    model = draw(st.one_of(st.none(), texts))
    return _contract(labels), Answer(tidy, None, model, draw(st.one_of(st.none(), texts)), None, observed)


@given(BASES, answered())
def test_a_spliced_record_is_the_encoded_one(case: Case, asked: tuple[Contract, Answer]) -> None:
    """Line, evidence and answer of a decision are byte for byte those of the general way."""
    contract, answer = asked
    backend = BackendIdentity(name="default", provider="callable", model="m", model_version=None)
    pieces = pieces_of_case(case)
    item = Planned(f"decision/{case.case_id}", CaseEntry(pieces.case(), "", None, None), pieces=pieces)
    record = make_record(item, (answer,), contract, backend, None)
    spliced = DecisionSplicer(contract, backend).encode(pieces, canonical_part(item.id), answer)
    assert spliced == encode_record(record)
    assert spliced.line == canonical_bytes(record)
    assert spliced.evidence == canonical_bytes({key: value for key, value in record.items() if key != "observed"})


@given(BASES, answered(), st.sampled_from(["yes", "no", None, 5]))
def test_an_answer_is_counted_as_its_record_is(
    case: Case, asked: tuple[Contract, Answer], expected: str | int | None
) -> None:
    """Whether its record is made or not."""
    contract, answer = asked
    backend = BackendIdentity(name="default", provider="callable")
    right = contract.decision.label_order[0] if expected == "yes" else expected
    labelled = Case(case.input, right, case_id=case.case_id, source_id=case.source_id)
    item = Planned(f"decision/{case.case_id}", CaseEntry(labelled, "", None, None))
    one, other = Tally(contract, ()), Tally(contract, ())
    one.add_decision(make_record(item, (answer,), contract, backend, None))
    other.add_answer(case.case_id, fold(case.source_id), right, answer)
    for tally in (one, other):
        assert (tally.error_kinds, tally.further, tally.failures.to_json()["count"]) == ([], [], 0)
    assert (one.rows, one.case_ids) == (other.rows, other.case_ids)
    assert one.observations.latency() == other.observations.latency()
    assert one.observations.spending() == other.observations.spending()


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53) + 1, 2**53 - 1)))
def test_a_number_has_one_canonical_form(number: float) -> None:
    """The faster way gives what the general one gives."""
    assert canonical_number(number) == canonical_bytes(number)


@given(json_objects, json_objects, json_objects)
def test_what_was_observed_stands_where_its_key_belongs(metadata: Any, observed: Any, params: Any) -> None:
    """Also where other parts of the record have keys of the same names."""
    record = {
        "kind": "decision",
        "metadata": {**metadata, "presentation": 1, "observed": {}},
        "observed": observed,
        "presentation": None,
        "provenance": {"params": {**params, "presentation": {"presentation": 2}}},
        "id": "x",
        "input": "x",
        "error": {"kind": "timeout"},
    }
    assert encode_record(record).line == canonical_bytes(record)
    record["metadata"], record["provenance"] = {}, {}
    assert encode_record(record).line == canonical_bytes(record)


@given(BASES)
def test_a_case_survives_its_pieces(case: Case) -> None:
    """What is put aside on a line and read again is the case as stored, with the same identity."""
    pieces = pieces_of_case(case)
    again = pieces_of_line(pieces.line())
    assert again == pieces
    assert canonical_bytes(again.case().to_json()) == canonical_bytes(case.to_json())
    assert b"\n" not in pieces.line()
    by_pieces, by_record = CaseSetDigest(), CaseSetDigest()
    by_pieces.add_pieces(pieces)
    by_record.add({name: case.to_json()[name] for name in CASE_FIELDS})
    assert by_pieces.root() == by_record.root()


def test_what_is_not_portable_is_named_with_its_place() -> None:
    """The pieces of a case are refused as the whole is."""
    with pytest.raises(CaseError) as caught:
        pieces_of_case(Case({"a": [1, float("nan")]}, 2**53 + 1, case_id="a", source_id="s", metadata={"x": object()}))
    paths = {problem.path for problem in caught.value.problems}
    assert paths == {"case 'a'.input.a[1]", "case 'a'.expected", "case 'a'.metadata.x"}


@pytest.mark.parametrize("depth", [170, 177, 178, 179, 180, 185, 250])
def test_depth_is_bounded_as_for_a_stored_case(depth: int) -> None:
    """Pieces are refused exactly where the whole case is."""
    from robust.records.encoding import canonical_case

    deep: Any = []
    for _ in range(depth - 1):
        deep = [deep]
    for case in (
        Case({"a": deep}, case_id="a", source_id="s"),
        Case("x", deep, case_id="a", source_id="s"),
        Case("x", case_id="a", source_id="s", metadata={"a": deep}),
    ):
        outcomes = []
        for encode in (canonical_case, pieces_of_case):
            try:
                encode(case)
                outcomes.append("stored")
            except CaseError as error:
                outcomes.append(error.code)
        assert outcomes[0] == outcomes[1]
