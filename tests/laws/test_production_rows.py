"""Laws of production records: read many at once or one by one they come to the same, or to the same error."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from robust.canon import read_json
from robust.errors import DataError, RobustError
from robust.run.production_columns import columns_of, columns_of_record
from robust.run.production_reading import Read
from robust.run.production_record import ProductionTerms, read_record
from robust.store.bytes_spool import BytesSpool
from robust.store.production_rows import ProductionFile
from tests.laws.strategies import json_objects
from tests.production_files import LABELS, contract_of, record, records

CONTRACT = contract_of(evaluation={"confidence_threshold": 0.6, "calibration_bins": 7})
TERMS = ProductionTerms.of(CONTRACT, ("region", "tier"))
ODD: dict[str, Any] = {
    "id": st.sampled_from(["", "a", "é", "e\u0301", "x" * 257, 5, None, "a\u2028b", "a\nb"]),
    "timestamp": st.sampled_from(
        ["2026-03-01T10:00:00Z", "2026-03-01", "2026-03-01T10:00", 5, "9999-12-31T23:59:59-14:00"]
    ),
    "decision": st.sampled_from(["claim", "other", 5, None, []]),
    "probabilities": st.sampled_from(
        [
            {"refund": 0.7, "exchange": 0.2, "reject": 0.1},
            {"reject": 0.1, "exchange": 0.2, "refund": 0.7},
            {"refund": 0.7, "exchange": 0.2, "reject": 0.101},
            {"refund": 0.7, "exchange": 0.2, "reject": 0.1011},
            {"refund": 1, "exchange": 0, "reject": 0},
            {"refund": 0.7, "exchange": -0.0, "reject": 0.3},
            {"refund": 0.7, "exchange": 0.2},
            {"refund": 0.7, "exchange": 0.2, "rejected": 0.1},
            {"refund": True, "exchange": 0, "reject": 0},
            {"refund": "0.7", "exchange": 0.2, "reject": 0.1},
            {"refund": 10**400, "exchange": 0, "reject": 0},
            [],
        ]
    ),
    "selected": st.sampled_from([*LABELS, 5, None, "none"]),
    "confidence": st.sampled_from([0.7, 0.7000000000001, 0.8, 1, "0.7", None, True]),
    "outcome": st.sampled_from([*LABELS, None, 5, "none", []]),
    "outcome_correct": st.sampled_from([True, False, None, 0, 1, "true"]),
    "latency_ms": st.sampled_from([0, -0.0, 12.5, 10**15, 10**16, -1, None, "5", True]),
    "cost": st.sampled_from([0, 1e-7, 5, 1e300, None, False]),
    "action": st.sampled_from(["accept", "fallback", "human_review", None, "drop", 5]),
    "fallback": st.sampled_from([True, False, None, 0, 1]),
    "input": st.one_of(st.sampled_from(["text", None, 5, []]), json_objects),
    "metadata": st.one_of(
        json_objects,
        st.sampled_from(
            [
                None,
                [],
                {"region": "north", "tier": 1},
                {"region": None},
                {"region": {"a": 1}},
                {"tier": 1.0},
                {"tier": True},
                {"tier": "x" * 201},
                {"deep": {"a": [1, {"b": 2**53 + 1}]}},
            ]
        ),
    ),
    "model": st.sampled_from(["m", None, 5]),
    "more": st.just(1),
}


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """A record that is mostly in order, with fields in any order."""
    row = dict(draw(st.sampled_from(records(30))))
    for name in draw(st.sets(st.sampled_from(sorted(ODD)), max_size=2)):
        row[name] = draw(ODD[name])
    return dict(draw(st.permutations(list(row.items()))))


def _one_by_one(line: bytes) -> Any:
    """The record of a line, or why it is none."""
    try:
        return read_record(read_json(line), TERMS)
    except DataError:
        return None


@given(st.lists(rows(), min_size=1, max_size=8))
@example([record(metadata={"region": "a", "tier": "1"}), record(metadata={"region": "a", "tier": 1})])
@example([record(), record(outcome="reject", outcome_correct=False), record(action="fallback", fallback=True)])
def test_what_is_in_order_at_first_sight_is_in_order_one_by_one(made: list[dict[str, Any]]) -> None:
    """And comes to the same numbers, to the last bit."""
    lines = [json.dumps(row).encode() for row in made]
    together = columns_of(lines, TERMS)
    if together is None:
        return
    singles = [_one_by_one(line) for line in lines]
    assert None not in singles
    each = [columns_of_record(single) for single in singles]
    assert [*together.ids] == [single.id for single in singles]
    for name in together.batch._fields:
        column = getattr(together.batch, name)
        values = [getattr(one.batch, name)[0] for one in each]
        assert [value if value == value else None for value in column.tolist()] == [
            float(value) if value == value else None for value in values
        ]
    assert [tuple(values) for values in zip(*together.segments, strict=True)] == [single.segments for single in singles]
    assert together.timestamps == sum(one.timestamps for one in each)
    firsts = [one.first for one in each if one.first is not None]
    assert together.first == (min(firsts) if firsts else None)


@given(st.integers(0, 50))
def test_records_that_are_usual_are_seen_to_be_in_order(seed: int) -> None:
    """So that the fast way is taken: only what is odd is left to the other."""
    assert columns_of([json.dumps(row).encode() for row in records(10, seed)], TERMS) is not None


@given(
    st.sampled_from(
        [
            b'{"decision":"claim","decision":"claim","probabilities":{"refund":1,"exchange":0,"reject":0},"selected":"refund"}',
            b'{"decision":"claim","probabilities":{"refund":1,"refund":1,"exchange":0,"reject":0},"selected":"refund"}',
            b'{"decision":"claim","probabilities":{"refund":1,"exchange":0,"reject":0},"selected":"refund","metadata":{"a":1,"\\u0061":2}}',
            b'{"decision":"claim","probabilities":{"refund":1,"exchange":0,"reject":0},"selected":"refund","input":{"a":{"b":1,"b":1}}}',
            b'{"decision":"claim","probabilities":{"refund":1,"exchange":0,"reject":0},"selected":"refund","input":{"a":9007199254740993}}',
            b'{"decision":"claim","probabilities":{"refund":1,"exchange":0,"reject":0},"selected":"refund","metadata":{"a":1e999}}',
        ]
    )
)
def test_what_json_lets_pass_in_silence_is_no_record(line: bytes) -> None:
    """Members that stand twice, and numbers that no reader keeps, at any depth."""
    assert columns_of([line], TERMS) is None
    assert _one_by_one(line) is None


def _outcome(text: str) -> Any:
    """What a file of records comes to: everything that is kept of it, or the error that ended it."""
    with tempfile.TemporaryDirectory() as folder, closing(BytesSpool()) as ids:
        path = Path(folder) / "records.jsonl"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            read = Read(ProductionFile(path), CONTRACT, ("region", "tier"), ids)
            return read.cell(), [*read.segments()], read.sample.records, read.sample.first, read.sample.last
        except RobustError as error:
            return [(problem.code, problem.line, problem.path) for problem in error.problems]


@settings(max_examples=40)
@given(st.lists(rows(), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_records_makes_no_difference(made: list[dict[str, Any]], drawn: Any) -> None:
    """Nor do line ends, blank lines and a byte order mark."""
    named = [{**row, "id": f"n{place}"} for place, row in enumerate(made)]
    lines = [json.dumps(row) for row in named if isinstance(_one_by_one(json.dumps(row).encode()), tuple)]
    if not lines:
        return
    other = [*lines]
    drawn.shuffle(other)
    assert _outcome("\n".join(lines)) == _outcome("\ufeff" + "\r\n\r\n".join(other) + "\r\n \n")
