"""How far reviewers agree: percent, Cohen's kappa, and what they disagree about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from robust import DataError, Validation
from robust.app.agreement import measure_agreement
from robust.app.reviewing import read_reviews, reviewed_oracle, write_review_sheet, write_sheet
from robust.oracle.reviewed import ReviewedOracle
from robust.oracle.reviewers import ReviewersOracle
from robust.records.review import Judgement, ReviewRow
from robust.render.review_agreement import agreement_text
from robust.store.reviews import read_sheet
from tests.builders import CONTRACT, review_pair, valid_variant

SAYS = {"y": True, "n": False, "u": None}


def row(
    number: int, said: str | None, reviewer: str = "Anna", answer: object = 7, contract: str = CONTRACT
) -> ReviewRow:
    """A row about one of many pairs: y, n or u; nothing where it is not judged."""
    pair = review_pair(
        contract=contract,
        candidate_id=f"v{number}",
        source_id=f"s{number // 2}",
        pair=f"sha256:{number:064x}",
    )
    if said is None:
        return ReviewRow(pair=pair)
    judgement = Judgement(
        valid=SAYS[said],
        reason="read",
        reviewer=reviewer,
        reviewed_at="2026-03-30",
        base_answer=6,
        variant_answer=answer,
    )
    return ReviewRow(pair=pair, judgement=judgement)


def sheet(folder: Path, reviewer: str, said: str, **fields: object) -> Path:
    """A sheet on which somebody judged pair after pair."""
    path = folder / f"{reviewer}.jsonl"
    rows = [row(number, None if each == "." else each, reviewer) for number, each in enumerate(said)]
    write_sheet(path, rows, "jsonl")
    return path


def test_percent_and_kappa_are_those_of_the_table(tmp_path: Path) -> None:
    """20 pairs: 5 and 10 agree, 5 do not; chance alone gives one half, so that kappa is one half."""
    paths = [sheet(tmp_path, "Anna", "y" * 10 + "n" * 10), sheet(tmp_path, "Ben", "y" * 5 + "n" * 15)]
    (two,) = (found := measure_agreement(paths)).agreements
    shown = two.to_json()
    assert (shown["first"], shown["second"], shown["pairs"], shown["groups"]) == ("Anna", "Ben", 20, 10)
    assert (shown["agreeing"], shown["share"], shown["kappa"]) == (15, 0.75, 0.5)
    # What each of the ten groups adds to the linearised kappa is 0.075, 0.125 or 0.025, squared and summed 0.04625; the
    # 97.5 % quantile of Student's t with 9 degrees of freedom is 2.262157. The upper end would be beyond 1.
    assert shown["interval"] == [pytest.approx(0.5 - 2.262157 * math.sqrt(10 / 9 * 0.04625), abs=1e-6), 1.0]
    assert (found.judged, found.shared, found.disagreeing, found.lowest_kappa) == (20, 20, 5, 0.5)
    assert found.reviewers == {"Anna": {"yes": 10, "no": 10}, "Ben": {"yes": 5, "no": 15}}
    assert found.disagreements[0]["candidate_id"] == "v5"


def test_the_text_names_reviewers_numbers_and_disagreements(tmp_path: Path) -> None:
    """On a few lines."""
    paths = [sheet(tmp_path, "Anna", "yyn."), sheet(tmp_path, "Ben", "ynn.")]
    lines = agreement_text(measure_agreement(paths).to_json()).splitlines()
    assert lines[0] == f"{CONTRACT}: 3 pairs judged, 3 by two reviewers or more, 2 rows not judged yet"
    assert [line.split() for line in lines[1:3]] == [["Anna", "2", "yes,", "1", "no"], ["Ben", "1", "yes,", "2", "no"]]
    assert lines[5].split()[:6] == ["Anna", "Ben", "3", "2", "0.6667", "0.4"]
    assert lines[5].endswith("1 of 1 equal")
    assert lines[-2:] == ["1 pair stays unknown, as it is judged differently:", "  v1: Anna yes (6 -> 7), Ben no"]


def test_answers_are_compared_as_the_comparator_says(tmp_path: Path) -> None:
    """Two who call a pair valid for different reasons do not agree on it."""
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    write_sheet(paths[0], [row(0, "y", "Anna", "7.0")], "jsonl")
    write_sheet(paths[1], [row(0, "y", "Ben", "7.00")], "jsonl")
    exact, numbers = measure_agreement(paths), measure_agreement(paths, comparator="number")
    assert (exact.disagreeing, exact.agreements[0].answers, exact.agreements[0].answers_equal) == (1, 1, 0)
    assert (numbers.disagreeing, numbers.agreements[0].answers_equal) == (0, 1)


def test_the_same_answer_agrees_where_the_comparator_cannot_compare_it(tmp_path: Path) -> None:
    """As it does for the oracle: nobody disagrees who wrote the same."""
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, reviewer in zip(paths, ("Anna", "Ben"), strict=True):
        write_sheet(path, [row(0, "y", reviewer, "about seven")], "jsonl")
    found = measure_agreement(paths, comparator="number")
    assert (found.disagreeing, found.agreements[0].answers_equal) == (0, 1)


def test_where_everybody_always_says_the_same_kappa_says_nothing(tmp_path: Path) -> None:
    """And no limit is held by it."""
    found = measure_agreement([sheet(tmp_path, "Anna", "yyy"), sheet(tmp_path, "Ben", "yyy")])
    assert (found.agreements[0].agreement.share, found.lowest_kappa) == (1.0, None)
    assert "-" in agreement_text(found.to_json()).splitlines()[-1].split()


def test_a_reviewer_of_two_minds_about_a_pair_is_compared_with_nobody_there(tmp_path: Path) -> None:
    """The pair is counted and stays unknown."""
    again = tmp_path / "again.jsonl"
    write_sheet(again, [row(0, "n", "Anna")], "jsonl")
    found = measure_agreement([sheet(tmp_path, "Anna", "yy"), sheet(tmp_path, "Ben", "yy"), again])
    assert found.agreements[0].agreement.pairs == 1
    assert found.reviewers["Anna"] == {"yes": 1, "contradictory": 1}
    assert found.disagreeing == 1


@pytest.mark.parametrize("said", [["yy"], ["y.", ".y"]])
def test_nothing_in_common_is_no_agreement(tmp_path: Path, said: Sequence[str]) -> None:
    """One reviewer, and two who judged different pairs."""
    paths = [sheet(tmp_path, name, each) for name, each in zip(("Anna", "Ben"), said, strict=False)]
    with pytest.raises(DataError, match="no pair was judged by two reviewers") as refused:
        measure_agreement(paths)
    assert refused.value.code == "nothing_compared"


def test_several_sheets_are_one_panel(tmp_path: Path) -> None:
    """In any order; one file of all says the same."""
    paths = [sheet(tmp_path, "Anna", "yyn."), sheet(tmp_path, "Ben", "ynn.")]
    joined = tmp_path / "joined.jsonl"
    write_sheet(joined, (each for path in paths for each in read_sheet(path)), "jsonl")
    oracles = [reviewed_oracle(each, CONTRACT) for each in (paths, paths[::-1], joined)]
    assert {(oracle.name, oracle.version) for oracle in oracles} == {("Anna + Ben", oracles[0].version)}


def test_what_a_file_holds_tells_which_oracle_it_is(tmp_path: Path) -> None:
    """Validation records, or judgements; not both at once."""
    records, judged = tmp_path / "v.jsonl", sheet(tmp_path, "Anna", "y")
    Validation.save_all(records, [valid_variant()])
    assert isinstance(reviewed_oracle(records), ReviewedOracle)
    assert isinstance(reviewed_oracle(str(judged)), ReviewersOracle)
    with pytest.raises(DataError, match="given together"):
        reviewed_oracle([records, judged])
    with pytest.raises(DataError, match="these are validation records"):
        read_reviews([judged, records])
    with pytest.raises(DataError, match=r"Anna\.jsonl.* no row is of the oracle contract"):
        reviewed_oracle(judged, "other/v1")


def test_a_sheet_has_each_pair_once(tmp_path: Path) -> None:
    """However many records are about it, and only those that are asked for."""
    records, sheet_path = tmp_path / "v.jsonl", tmp_path / "q.csv"
    Validation.save_all(records, [valid_variant(5), valid_variant(6), valid_variant(5)])
    counts = write_review_sheet(records, sheet_path, status="valid")
    assert (counts.rows, counts.repeated) == (2, 1)
    assert len(sheet_path.read_text(encoding="utf-8-sig").splitlines()) == 3
    assert write_review_sheet(records, sheet_path, overwrite=True).rows == 0
    assert write_review_sheet(records, sheet_path, status=None, form="jsonl", overwrite=True).rows == 2
