"""Laws of checking decisions by their layout: it takes what looking closely would take, and all plain ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from robust import Case
from robust.canon import (
    canonical_bytes,
    canonical_number,
    canonical_numbers,
    canonical_part,
    fold,
    fold_ids,
    leaf_hashes,
)
from robust.records.contract import Contract
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.decision_layout import DecisionLayout
from robust.run.pieces import pieces_of_case
from robust.run.reencode import Reencoder
from robust.run.splice import DecisionSplicer
from robust.run.tally import Tally
from robust.store.contracts import read_contract
from tests.laws.strategies import texts

# What forgers and accidents put into lines: escapes with two spellings, numbers with two, other keys, broken UTF-8.
PIECES = (
    *(b"", b" ", b'"', b"\\", b"\\u0041", b"\\u0007", b"\\u001F", b"\\u001f", b"\\n", b"\\/", b"\n", b"\x00", b"\x7f"),
    *(
        b"\xff",
        b"\xc3\xa9",
        b"\xed\xa0\x80",
        b"\xe2\x80\xae",
        b"0",
        b"1",
        b"1.0",
        b"0.50",
        b"-0",
        b"1e-7",
        b"5E-1",
        b"+",
    ),
    *(b"0.5", b"2", b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"yes", b"no", b"decision/", b'"a":1,'),
    *(b'"api_key":"sesame"', b'"case_id":"x",', b'"presentation":null,', b',"observed":{"latency_ms":1}', b"a" * 300),
)
LABELS = st.sampled_from([("yes", "no"), ("no", "yes"), ("a", "%s", 'q"', "é", "\U00010000", "\uffee")])
SHARES = st.sampled_from([0, 1, 0.5, 0.25, 0.75, 0.1, 0.9, 1e-7, 1 - 1e-7, 2**-20, 1 - 2**-20, 0.3, 0.7])
OBJECTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"shift": "night"}, {"a": 1.5, "b": None}, {"token": "[REDACTED]"}, {"token": "sesame"}]
)
# What is observed of services, or stands there since somebody wrote it there.
SERVICES: tuple[dict[str, Any], ...] = (
    *({}, {"attempts": 1}, {"attempts": 2, "request_id": 'r"1é', "usage": {"cost": 0.25, "tokens": 7}}),
    *({"cached": True, "usage": {"tokens": 7}}, {"trials": [{"latency_ms": 1}], "usage": {}}, {"request_id": "{"}),
)
IDS = st.one_of(texts.filter(bool), st.sampled_from(["a", "A b", "é", "ß", "x" * 256, "x" * 257, "a\u200bb"]))


def contract_of(labels: tuple[str, ...]) -> Contract:
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": list(labels)},
            "backend": {"provider": "callable"},
        }
    )


class Made:
    """A record of a decision, as a run writes it."""

    def __repr__(self) -> str:
        return f"<Made {self.line!r}>"

    def __init__(
        self,
        contract: Contract,
        case: Case,
        values: tuple[float, ...],
        latency: float,
        model: str | None,
        more: dict[str, Any] | None = None,
    ) -> None:
        backend = BackendIdentity(name="default", provider="callable")
        answer = Answer(values, None, model, None, None, {"latency_ms": latency, **(more or {})})
        name = canonical_part(f"decision/{case.case_id}")
        self.contract, self.case, self.values = contract, case, values
        self.line = DecisionSplicer(contract, backend).encode(pieces_of_case(case), name, answer).line


@st.composite
def records(draw: st.DrawFn) -> Made:
    labels = draw(LABELS)
    share = draw(SHARES)
    values = tuple(
        draw(st.permutations((share, 1 - share if share not in (0, 1) else int(1 - share), *(0,) * (len(labels) - 2))))
    )
    case = Case(
        draw(st.one_of(texts, st.sampled_from(["plain", 'with "quotes"', "tab\tand\nline", "\x01\x1f\x7f"]))),
        draw(st.sampled_from([None, labels[0], labels[-1]])),
        case_id=draw(IDS.filter(valid_id)),
        source_id=draw(IDS.filter(valid_id)),
        metadata=draw(OBJECTS),
    )
    latency = draw(st.sampled_from([0, 0.25, 3, 1e-7, 12.5, 1e16]))
    model = draw(st.sampled_from([None, "m", 'm"1', "é"]))
    return Made(contract_of(labels), case, values, latency, model, draw(st.sampled_from(SERVICES)))


def valid_id(text: str) -> bool:
    try:
        Case("x", case_id=text, source_id=text)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it is no id
        return False
    return True


BACKEND: dict[str, Any] = {"name": "default", "provider": "callable", "model": None, "model_version": None}


def taken(contract: Contract, line: bytes) -> tuple[Any, Tally] | None:
    """What the layout makes of one line; None where it leaves it to others."""
    layout, tally = DecisionLayout(contract, BACKEND), Tally(contract, ())
    matched = layout.matched([line])
    part = layout.part([line], matched, tally) if matched else None
    return None if part is None else (part, tally)


def assert_same(contract: Contract, line: bytes, part: Any, tally: Tally) -> None:
    """What the layout took is what looking closely takes, with the same hashes and counts."""
    plain = Reencoder(contract, BACKEND).decision(line)
    assert plain is not None
    other = Tally(contract, ())
    plain.count_in(other)
    assert part.burst.lines == line + b"\n"
    assert part.burst.evidence == leaf_hashes([plain.encoded.evidence])
    assert part.burst.answers == leaf_hashes([plain.encoded.answer])
    assert part.cases == leaf_hashes([plain.pieces.listed()])
    assert (tally.rows, tally.case_ids) == (other.rows, other.case_ids)
    assert tally.observations.latency() == other.observations.latency()
    assert tally.observations.spending() == other.observations.spending()


@given(records())
def test_what_the_layout_takes_is_what_looking_closely_takes(made: Made) -> None:
    """For records as a run writes them."""
    found = taken(made.contract, made.line)
    if found is not None:
        assert_same(made.contract, made.line, *found)
    # Plain ones are all taken, or checking would be slow.
    ids = (made.case.case_id, made.case.source_id)
    plain_ids = all(name.isprintable() and len(name.encode()) <= 256 and not {"\\", '"'} & {*name} for name in ids)
    seen = made.line[made.line.index(b'"observed":') : made.line.index(b',"presentation":')]
    if plain_ids and not made.case.metadata and b"[" not in seen and b'"{"' not in seen:
        assert found is not None


@pytest.mark.slow
@settings(max_examples=1000)
@given(records(), st.data())
def test_no_edit_slips_through(made: Made, data: st.DataObject) -> None:
    """Whatever stands in a line, what the layout takes is canonical, complete, and follows."""
    line = bytearray(made.line)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(line)))
        end = data.draw(st.integers(start, min(len(line), start + 12)))
        line[start:end] = data.draw(st.sampled_from(PIECES))
    edited = bytes(line)
    if b"\n" in edited:
        return  # two lines, each of which is looked at by itself
    found = taken(made.contract, edited)
    if found is not None:
        assert_same(made.contract, edited, *found)


# Where each freely worded part of a record stands.
FREE = (
    b'"input":"',
    b'"case_id":"',
    b'"source_id":"',
    b'"model":"',
    b'"latency_ms":',
    b'"observed":{',
    b'"attempts":',
    b'"request_id":"',
    b'"usage":{',
    b'"confidence":',
    b'"metadata":{',
)


@given(records(), st.sampled_from(FREE), st.sampled_from(PIECES))
@example(Made(contract_of(("yes", "no")), Case("x", case_id="a", source_id="a"), (1, 0), 1, None), FREE[0], b"\xff")
@example(
    Made(contract_of(("yes", "no")), Case("x", case_id="a", source_id="a"), (1, 0), 1, None), FREE[0], b"\xed\xa0\x80"
)
@example(Made(contract_of(("yes", "no")), Case("x", case_id="a", source_id="a"), (1, 0), 1, "m"), FREE[3], b"\xff")
def test_nothing_that_is_put_into_a_free_part_slips_through(made: Made, part: bytes, piece: bytes) -> None:
    """Texts that are not UTF-8, numbers and escapes with two spellings, further members."""
    edited = made.line.replace(part, part + piece)
    found = taken(made.contract, edited)
    if found is not None:
        assert_same(made.contract, edited, *found)


@given(st.lists(records(), min_size=1, max_size=5), st.data())
def test_lines_are_taken_together_as_one_by_one(several: list[Made], data: st.DataObject) -> None:
    """Up to the first that has another layout, also where a line stands in the text of another."""
    contract = several[0].contract
    lines = [made.line for made in several if made.contract == contract]
    lines.insert(
        data.draw(st.integers(0, len(lines))),
        data.draw(st.sampled_from([b"", b"{}", b"x" + lines[0], lines[0] + b"x"])),
    )
    layout = DecisionLayout(contract, BACKEND)
    alone = [layout.matched([line]) for line in lines]
    first = next(place for place, found in enumerate(alone) if not found)
    assert layout.matched(lines) == [found[0] for found in alone[:first]]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60), max_size=5))
def test_numbers_are_canonical_together_as_one_by_one(numbers: list[float]) -> None:
    """In their own form they are; in any other that Python writes they are not."""
    literals = [canonical_number(number) for number in numbers if abs(number) < 2**53]
    values = canonical_numbers(literals)
    assert values is not None
    assert [canonical_number(value) for value in values] == literals
    for place, literal in enumerate(literals):
        for other in (
            b"+" + literal,
            b"0" + literal,
            literal + b"0",
            literal + b".0",
            repr(float(literal)).encode(),
            b"",
            b"1e",
        ):
            if other != literal and other != canonical_bytes(_value(other)):
                assert canonical_numbers([*literals[:place], other, *literals[place + 1 :]]) is None


def _value(literal: bytes) -> object:
    try:
        return float(literal)
    except ValueError:
        return "no number"


@given(st.lists(IDS.filter(valid_id), max_size=5))
def test_ids_fold_together_as_one_by_one(ids: list[str]) -> None:
    """Whatever their script."""
    assert fold_ids(ids) == [fold(each) for each in ids]


@pytest.mark.parametrize("place", [b'"input":"', b'"model":"'])
def test_bytes_that_are_no_text_are_not_taken(place: bytes) -> None:
    """Wherever a text may stand."""
    contract = contract_of(("yes", "no"))
    line = Made(contract, Case("x", case_id="a", source_id="a"), (0.75, 0.25), 0.5, "m").line
    broken = line.replace(place, place + b"\xff")
    assert broken != line
    assert taken(contract, line) is not None
    assert taken(contract, broken) is None
