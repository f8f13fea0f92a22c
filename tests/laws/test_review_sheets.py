"""Review sheets: writing and reading back loses nothing, whatever a spreadsheet does to the file in between."""

from __future__ import annotations

import csv
import io
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from robust import Comparator
from robust.oracle.reviewers import ReviewersOracle
from robust.records.review import ANSWER_KINDS, Judgement, ReviewHelp, ReviewPair, ReviewRow, clean, pair_digest
from robust.records.reviewers import tidy_name
from robust.store.review_cells import read_answer, write_answer
from robust.store.review_form import encode_sheet
from robust.store.reviews import read_sheet
from robust.store.spreadsheet import guard, unguard
from tests.builders import CONTRACT, review_pair
from tests.laws.strategies import digests, json_values

NASTY = [
    "=1+1",
    "+5",
    "-5%",
    "@x",
    "'tis",
    "''",
    "3.50",
    "1/2",
    "May 5",
    "true",
    "#REF!",
    " x ",
    "a\nb",
    'a"b',
    "a;b\tc",
]
TWO_DIGESTS = ("sha256:" + "0" * 64, "sha256:" + "1" * 64)
free = st.one_of(st.sampled_from(NASTY), st.text(max_size=12)).map(clean)
names = st.sampled_from(["Anna", "Ben", "Ćirić", "李雷", "Zoë; Ann", "=Eve", "7"])
times = st.sampled_from(["2026-03-31", "2026-03-31T14:05:00", "2026-03-31T14:05:09+02:00", "2024-02-29"])
answer_kinds = st.sampled_from(ANSWER_KINDS)
judgements = st.builds(
    Judgement,
    valid=st.sampled_from([True, False, None]),
    reason=free,
    reviewer=names.map(tidy_name),
    reviewed_at=times,
    base_answer=json_values,
    variant_answer=json_values,
)
relations: st.SearchStrategy[Literal["invariant", "counterfactual"]] = st.sampled_from(["invariant", "counterfactual"])
pairs = st.builds(
    ReviewPair,
    contract=st.sampled_from(["a/v1", "sum/of-two/v12"]),
    relation=relations,
    base_id=free,
    candidate_id=free,
    source_id=free,
    base=free,
    candidate=free,
    media=free,
    change=free,
    answers=answer_kinds,
    pair=digests,
)
helps = st.builds(ReviewHelp, status=free, issues=free, oracle_reason=free)
rows = st.builds(ReviewRow, pair=pairs, help=helps, judgement=st.one_of(st.none(), judgements))


def _read(data: bytes) -> list[ReviewRow]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet"
        path.write_bytes(data)
        return list(read_sheet(path))


@given(st.lists(rows, max_size=3), st.sampled_from([",", ";", "\t"]))
def test_a_sheet_for_spreadsheets_reads_back_as_it_was_written(written: list[ReviewRow], delimiter: str) -> None:
    """Pair, help and judgement, down to the JSON type of each answer."""
    assert _read(b"".join(encode_sheet(written, "csv", delimiter=delimiter))) == written


@given(st.lists(rows, min_size=1, max_size=2))
def test_a_sheet_for_other_tools_reads_back_as_it_was_written(written: list[ReviewRow]) -> None:
    """Likewise in JSON Lines."""
    assert _read(b"".join(encode_sheet(written, "jsonl"))) == written


def _saved_again(data: bytes, delimiter: str, encoding: str, line_end: str, quoting: Literal[0, 1]) -> bytes:
    cells = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    # Cells at the end of a row that are empty, and line ends within cells, are the spreadsheet's to choose.
    for row in cells:
        writer.writerow([cell.replace("\n", line_end) for cell in row] + [""])
    return out.getvalue().encode(encoding)


@given(
    st.lists(rows, min_size=1, max_size=2),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_a_spreadsheet_does_to_quotes_delimiters_and_line_ends_changes_nothing(
    written: list[ReviewRow], delimiter: str, encoding: str, line_end: str, quoting: Literal[0, 1]
) -> None:
    """In every encoding that says what it is."""
    data = b"".join(encode_sheet(written, "csv"))
    assert _read(_saved_again(data, delimiter, encoding, line_end, quoting)) == written


@given(st.text(max_size=80))
def test_a_guarded_cell_gives_its_text_back_and_begins_nothing_else(text: str) -> None:
    """Neither a formula nor what a spreadsheet reads as a value."""
    cell = guard(text)
    assert unguard(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "#", "\t", "\r"))
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return
    raise AssertionError(f"{cell!r} would become a number")


@given(st.one_of(json_values, free), answer_kinds)
def test_an_answer_that_is_written_is_read_as_the_same_value(answer: object, kind: Literal["text", "json"]) -> None:
    """Whatever kind of answer its pair has."""
    again = read_answer(write_answer(answer, kind), kind)
    assert Comparator().equal(again, answer)
    # Whole numbers beyond 2**53 are read as doubles: one number is one value in JSON.
    numbers = [isinstance(each, int | float) and not isinstance(each, bool) for each in (again, answer)]
    assert type(again) is type(answer) or all(numbers)


# Of two pairs alone, so that they meet.
meeting = st.builds(
    ReviewRow, pair=st.builds(review_pair, pair=st.sampled_from(TWO_DIGESTS), source_id=free), judgement=judgements
)


@given(st.lists(meeting, min_size=1, max_size=6), st.randoms())
def test_neither_order_nor_repetition_of_rows_changes_who_judged_what(
    written: list[ReviewRow], shuffled: random.Random
) -> None:
    """A sheet may be sorted, and its rows doubled."""
    other = [*written, *written[: len(written) // 2]]
    shuffled.shuffle(other)
    first, second = ReviewersOracle(written), ReviewersOracle(other)
    assert (first.name, first.version) == (second.name, second.version)
    for row in written:
        assert first.table.judgements(row.pair.pair) == second.table.judgements(row.pair.pair)


@given(st.lists(judgements, min_size=1, max_size=5), st.randoms())
def test_a_panel_says_valid_only_where_all_its_members_do(said: Sequence[Judgement], shuffled: random.Random) -> None:
    """And says the same in whatever order its judgements come."""
    first = _verdict(said)
    again = list(said)
    shuffled.shuffle(again)
    assert _verdict(again) == first
    if first is not None:
        assert {judgement.valid for judgement in said} == {first}
    elif {judgement.valid for judgement in said} == {True}:
        assert len({repr(judgement.base_answer) for judgement in said}) > 1 or (
            len({repr(judgement.variant_answer) for judgement in said}) > 1
        )


def _verdict(said: Sequence[Judgement]) -> bool | None:
    pair = review_pair(pair=pair_digest(CONTRACT, "counterfactual", *TWO_DIGESTS))
    oracle = ReviewersOracle([ReviewRow(pair=pair, judgement=judgement) for judgement in said])
    return oracle.verdict(*TWO_DIGESTS, "counterfactual", Comparator()).valid


@given(judgements)
def test_a_judgement_is_read_from_what_it_is_written_as(judgement: Judgement) -> None:
    """In plain JSON data."""
    assert Judgement.from_json(judgement.to_json()) == judgement
