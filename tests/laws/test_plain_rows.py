"""Laws of plain rows: read many at once or one by one, a data set has the same cases, or the same error."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from robust.canon import canonical_number, canonical_part, encode_numbers, encode_texts
from robust.errors import RobustError
from robust.records.case import Case
from robust.run.pieces import CaseSetDigest, columns_of_lines, lines_of_columns, pieces_of_case, pieces_of_line
from robust.store.datasets import read_dataset, read_dataset_rows
from robust.store.plain_rows import PlainRows, plain_rows
from tests.laws.strategies import json_objects, texts

IDS = st.one_of(st.text(min_size=1, max_size=4), st.sampled_from(["a", "A", "é", "e\u0301", "", "x" * 257, "a\u2028b"]))
NUMBERS = st.sampled_from(
    ["1", "1.0", "-0", "-0.0", "0.5", "1e-7", "1e400", "9007199254740993", "1" + "0" * 21, "true"]
)
WRITTEN = st.one_of(st.none(), texts, json_objects)
ODD_LINES = st.sampled_from(
    [
        *("", " ", "[]", "null", '{"id":"d","id":"d","input":"x"}', '{"id":"d","input":{"a":1,"a":1}}', '{"id":"d"'),
        *('"input":"x"}', '{"id":"d","input":"\\ud800"}', '{"id":"d","input":"x","more":1}', '{"id":"d"}', "{},{}"),
        *(
            '{"id":"d","input":{"a":"","\\u0061":""}}',
            '{"id":"d","input":"x","metadata":{"token":"t"}}',
            '{"id":"d\\\\"}',
        ),
    ]
)


@st.composite
def row_lines(draw: st.DrawFn) -> str:
    """A line of a data set: mostly a row in order, with fields in any order, as any writer may write it."""
    row: dict[str, Any] = {"id": draw(IDS), "input": draw(st.one_of(texts, json_objects))}
    for name in draw(st.sets(st.sampled_from(["expected", "metadata", "source_id"]))):
        row[name] = draw(IDS if name == "source_id" else st.one_of(WRITTEN, st.integers(), st.booleans()))
    if isinstance(row.get("metadata"), dict) and draw(st.booleans()):
        row["metadata"]["source_id"] = draw(st.one_of(IDS, st.none(), st.integers()))
    members = draw(st.permutations(list(row.items())))
    line = json.dumps(
        dict(members), ensure_ascii=draw(st.booleans()), separators=draw(st.sampled_from([None, (",", ":")]))
    )
    return line.replace('"x"', draw(NUMBERS)) if draw(st.booleans()) else line


LINES = st.lists(st.one_of(row_lines(), row_lines(), row_lines(), ODD_LINES), max_size=12)


def _outcome(rows: Iterable[PlainRows | Case]) -> tuple[list[bytes], list[tuple[object, object]], list[object]]:
    """The lines that are put aside, what is looked at of them, and the error that ended it."""
    lines: list[bytes] = []
    seen: list[tuple[object, object]] = []
    try:
        for row in rows:
            if isinstance(row, PlainRows):
                lines += lines_of_columns(row.pieces)
                seen += zip(row.ids, row.expected, strict=True)
            else:
                lines.append(pieces_of_case(row).line())
                seen.append((row.case_id, row.expected))
    except RobustError as error:
        return lines, seen, [str(problem) for problem in error.problems]
    return lines, seen, []


@given(LINES)
@example(['{"id":"a","input":"x"', '"source_id":"b"}', "{},{}"])
def test_a_data_set_is_read_the_same_many_rows_at_once(written: list[str]) -> None:
    """What is put aside, what its labels are checked by, and any error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.jsonl"
        path.write_bytes("\n".join(written).encode("utf-8", "surrogatepass"))
        assert _outcome(read_dataset_rows(path)) == _outcome(read_dataset(path))


@given(st.lists(st.fixed_dictionaries({"id": st.text("abcé", min_size=1, max_size=9), "input": texts}), min_size=1))
def test_rows_in_order_need_no_closer_look(rows: list[dict[str, str]]) -> None:
    """So that the faster way is taken at all."""
    found = plain_rows([json.dumps(row).encode() for row in rows])
    assert found is not None
    assert found.ids == [row["id"] for row in rows]


def test_many_rows_are_read_with_the_places_of_all(tmp_path: Path) -> None:
    """Over the ends of blocks, with a mark at the start and a line that is no row far behind."""
    path = tmp_path / "cases.jsonl"
    rows = [json.dumps({"id": f"c{number}", "input": "é" * 400}, ensure_ascii=False) for number in range(500)]
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join([*rows, "\t", *rows[:1]]).encode())
    lines, seen, problems = _outcome(read_dataset_rows(path))
    assert (len(lines), len(seen)) == (500, 500)
    assert (lines, seen, problems) == _outcome(read_dataset(path))
    assert "line 1" in str(problems)


@given(
    st.lists(st.lists(st.binary(max_size=5).map(lambda data: b'"%s"' % data.hex().encode()), min_size=6, max_size=6))
)
def test_columns_are_the_pieces_of_lines(rows: list[list[bytes]]) -> None:
    """There and back, and with the identity of the cases one by one."""
    lines = lines_of_columns(list(zip(*rows, strict=True)) or [[]] * 6)
    assert lines == [b"\x1f".join(row) for row in rows]
    if rows:
        assert columns_of_lines(lines) == [list(column) for column in zip(*rows, strict=True)]
        one, other = CaseSetDigest(), CaseSetDigest()
        one.add_lines(lines)
        for line in lines:
            other.add_pieces(pieces_of_line(line))
        assert one.root() == other.root()


@given(st.lists(texts))
def test_texts_are_encoded_as_each_is(values: list[str]) -> None:
    """Whatever stands in them, what looks like the end of a text too."""
    for given_texts in (values, [f'{value}",' for value in values], [*values, '","', "a\nb"]):
        assert encode_texts(given_texts) == [*map(canonical_part, given_texts)]


@given(st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53) + 1, 2**53 - 1))))
@example([0.1, 0.2])
@example([0.1, 1.0, 1e-7, 1e16, 1, 0, -0.0])
def test_numbers_are_encoded_as_each_is(values: list[float]) -> None:
    """Whatever stands among them."""
    assert encode_numbers(values) == [*map(canonical_number, values)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**70])
def test_what_is_no_number_is_refused_among_others(value: float) -> None:
    """As it is alone."""
    for values in ([0.5, value, 0.25], [value]):
        with pytest.raises(RobustError):
            encode_numbers(values)
