"""Edits of one column: what each does to a cell, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from robust import ColumnEdit, DataError, UsageError, column_edits
from robust.population.edit_words import RowWords, id_words
from robust.population.typing_errors import KINDS, with_slip
from robust.transforms.typing_errors import NEIGHBOURS


def objects(*cells: Any) -> NDArray[Any]:
    """Cells as they come out of a frame of texts."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def edited(edit: ColumnEdit, cells: NDArray[Any], *, seed: int = 0, ids: Any = None) -> list[Any]:
    """The cells after an edit, of rows that are known by their position."""
    numbers = np.arange(len(cells), dtype=np.uint64) if ids is None else ids
    before = cells.copy()
    after: list[Any] = edit.edited(cells, numbers, seed=seed).tolist()
    assert all(one is other or one == other or one != one for one, other in zip(before, cells, strict=True))
    return after


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        (column_edits.case("x"), "Strasse 5b", "STRASSE 5B"),
        (column_edits.case("x"), "Straße 5b", "Straße 5b"),
        (column_edits.case("x", to="lower"), "İzmir", "İzmir"),
        (column_edits.case("x"), "diyarbakır", "diyarbakır"),
        (column_edits.case("x", to="lower"), "ΟΔΟΣ", "οδος"),
        (column_edits.case("x", to="lower"), "ÉTÉ", "été"),
        (column_edits.case("x", to="title"), "one two", "One Two"),
        (column_edits.case("x", to="swapped"), "aB", "Ab"),
        (column_edits.punctuation("x"), "Well, it's 1.5 x-rays (no?)...", "Well it's 1.5 x-rays no"),
        (column_edits.punctuation("x"), "¿Qué? «Nada».", "Qué Nada"),
        (column_edits.accents("x"), "Ærø, Łódź, crème brûlée, Đ", "Æro, Lodz, creme brulee, D"),
        (column_edits.accents("x"), "plain", "plain"),
        (column_edits.accents("x"), "e\u0301te\u0301, ǿ, \u1eb9\u0301, Å", "ete, o, e, A"),
        (column_edits.accents("x"), "Ελλάδα, ϊ, ᾄ", "Ελλαδα, ι, α"),
        (column_edits.accents("x"), "ที่นี่ café", "ที่นี่ cafe"),
        (column_edits.accents("x"), "हिन्दी, क़लम, \u0958", "हिन्दी, क़लम, \u0958"),
        (column_edits.accents("x"), "мой, \u0438\u0306, её", "мой, \u0438\u0306, её"),
        (
            column_edits.accents("x"),
            "שָׁלוֹם, عَرَبِيّ, パ\u30d8\u309a, \u1112\u1161",
            "שָׁלוֹם, عَرَبِيّ, パ\u30d8\u309a, \u1112\u1161",
        ),
        (column_edits.accents("x"), "\u2260 =\u0338 \u2126", "\u2260 =\u0338 \u2126"),
        (column_edits.replaced("x", {"a": "b", "b": "a"}), "a", "b"),
    ],
)
def test_texts_are_edited(edit: ColumnEdit, before: str, after: str) -> None:
    """And cells that are no texts stay as they are."""
    cells = objects(before, None, 5, float("nan"), True)
    found = edited(edit, cells)
    assert found[0] == after
    assert found[1:3] == [None, 5]
    assert found[3] != found[3]
    assert found[4] is True


def test_numbers_are_edited_and_whole_ones_stay_whole() -> None:
    """Rounded to the nearest, halves to the even one; what holds nothing stays."""
    assert edited(column_edits.scaled("x", 1.1), np.array([1, 10, -15, 0])) == [1, 11, -16, 0]
    assert edited(column_edits.scaled("x", 0.5), np.array([1, 3, 5])) == [0, 2, 2]
    assert edited(column_edits.shifted("x", 0.25), np.array([1.0, np.inf, -2.5])) == [1.25, np.inf, -2.25]
    assert edited(column_edits.shifted("x", 2), objects(1, 2.5, None)) == [3, 4.5, None]
    assert [type(cell) for cell in edited(column_edits.shifted("x", 2.0), objects(1, 2.5))] == [int, float]
    kept = column_edits.scaled("x", 2).edited(np.array([1.5], dtype=np.float32), np.arange(1, dtype=np.uint64), seed=0)
    assert kept.dtype == np.float32


@pytest.mark.parametrize(
    "cells",
    [
        objects("a"),
        objects(1, "2"),
        objects(True),
        np.array([True]),
        np.array(["1"]),
        np.array(["2020-01-01"], "M8[D]"),
    ],
)
@pytest.mark.parametrize(
    "edit", [column_edits.scaled("wage", 2), column_edits.shifted("wage", 2), column_edits.noise("wage")]
)
def test_what_is_no_number_is_refused_by_edits_of_numbers(edit: ColumnEdit, cells: NDArray[Any]) -> None:
    """The column is named."""
    with pytest.raises(DataError, match="'wage'"):
        edited(edit, cells)


def test_a_whole_number_beyond_its_type_is_refused() -> None:
    """It never wraps around."""
    for cells in (np.array([100], dtype=np.int8), np.array([2**52]), objects(2**52), np.array([200], dtype=np.uint8)):
        with pytest.raises(DataError, match="beyond"):
            edited(column_edits.scaled("x", 4), cells)
    with pytest.raises(DataError, match="beyond"):
        edited(column_edits.shifted("x", -300), np.array([200], dtype=np.uint8))


def test_noise_is_scaled_to_the_spread_of_the_column() -> None:
    """Of all rows, whatever slice is edited; a column without spread gets none."""
    cells = np.random.default_rng(1).normal(100, 7, 20_000)
    edit, ids = column_edits.noise("x", 0.5), np.arange(20_000, dtype=np.uint64)
    change = edit.edited(cells, ids, seed=3) - cells
    assert float(change.std()) == pytest.approx(3.5, rel=0.03)
    assert abs(float(change.mean())) < 0.1
    part = edit.edited(cells[:10], ids[:10], seed=3, population=cells) - cells[:10]
    assert part.tolist() == change[:10].tolist()
    assert edited(edit, np.full(10, 5.0)) == [5.0] * 10


def test_typos_are_made_in_letters_alone() -> None:
    """Digits, signs and spaces stay, and so does what has no letters."""
    texts = objects(*(f"Invoice {place}, due on 2026-01-{place % 28 + 1:02}: 12.50 €!" for place in range(300)))
    found = edited(column_edits.typos("x", count=2), texts)
    assert sum(one != other for one, other in zip(texts.tolist(), found, strict=True)) > 280
    for before, after in zip(texts.tolist(), found, strict=True):
        assert [sign for sign in before if not sign.isalpha()] == [sign for sign in after if not sign.isalpha()]
    assert edited(column_edits.typos("x"), objects("12.50 €", "")) == ["12.50 €", ""]


@pytest.mark.parametrize(
    ("kind", "place", "side", "after"),
    [
        (0, 0, 0, "bad"),
        (0, 2, 0, "adb"),
        (1, 1, 0, "ad"),
        (2, 1, 0, "abbd"),
        (3, 0, 0, "sbd"),
        (3, 1, 1, "and"),
        (3, 4, 0, "avd"),
        (3, 0, 1, "qbd"),
    ],
)
def test_each_slip_is_one_of_a_keyboard(kind: int, place: int, side: int, after: str) -> None:
    """Exchanged, left out, struck twice, or the key beside it."""
    assert with_slip("abd", kind, place, side) == after
    assert kind < KINDS


def test_slips_are_those_of_the_keyboard_that_candidates_have() -> None:
    """Also of other scripts, and in the same case; a letter that has no neighbour is not exchanged."""
    for word in ("Quite", "Ёлка", "Λόγος"):
        for place, letter in enumerate(word):
            beside = NEIGHBOURS.get(letter.lower(), letter)
            slips = {with_slip(word, 3, place, side)[place] for side in range(20)}
            assert {slip.lower() for slip in slips} == {*beside.lower()}
            assert all(slip.isupper() == letter.isupper() for slip in slips)
    assert with_slip("größer", 3, 3, 0) == "größer"


@pytest.mark.parametrize(
    "text", ["1 a 2", "ne\u0301", "cafe\u0301 e\u0301tage", "DHL", "a@example.org", "don't", "ที่นี่", ""]
)
def test_nothing_but_a_word_of_letters_gets_a_slip(text: str) -> None:
    """No letter is torn from its mark, and a short word does not become another."""
    assert {with_slip(text, kind, place, 0) for kind in range(KINDS) for place in range(12)} == {text}


def test_an_edit_of_a_row_depends_on_seed_and_id_alone() -> None:
    """Not on the order of rows, nor on which others there are; another seed, or another edit, draws anew."""
    texts = objects(*(f"the same words {place}" for place in range(50)))
    edit, ids = column_edits.typos("x"), np.arange(50, dtype=np.uint64)
    whole = edited(edit, texts)
    assert edited(edit, texts[::-1].copy(), ids=ids[::-1].copy()) == whole[::-1]
    assert edited(edit, texts[20:30].copy(), ids=ids[20:30].copy()) == whole[20:30]
    assert edited(edit, texts, seed=1) != whole
    words = [RowWords(0, identity, ids).next().tolist() for identity in ({"name": "a"}, {"name": "b"})]
    assert words[0] != words[1]
    assert len({*words[0], *words[1]}) == 100


def test_ids_may_be_texts() -> None:
    """And are as good as numbers."""
    words = id_words(objects("a", "b", "ä\ud800"))
    assert len(set(words.tolist())) == 3
    assert id_words(np.array([-1, 5])).tolist() == [2**64 - 1, 5]


def test_random_words_are_spread_evenly() -> None:
    """Over all numbers below a limit; and almost normal ones have mean 0 and deviation 1."""
    words = RowWords(0, {}, np.arange(100_000, dtype=np.uint64))
    counts = np.bincount(words.below(7), minlength=7)
    assert counts.min() > 13_800
    assert counts.max() < 14_800
    drawn = words.almost_normal()
    assert abs(float(drawn.mean())) < 0.015
    assert float(drawn.std()) == pytest.approx(1, abs=0.01)
    assert float(np.abs(drawn).max()) <= 6
    assert float((np.abs(drawn) < 1).mean()) == pytest.approx(0.68, abs=0.02)


@pytest.mark.parametrize(
    "make",
    [
        lambda: column_edits.case("x", to="loud"),
        lambda: column_edits.typos("x", count=0),
        lambda: column_edits.typos("x", count=True),
        lambda: column_edits.scaled("x", float("nan")),
        lambda: column_edits.scaled("x", "2"),  # type: ignore[arg-type]
        lambda: column_edits.shifted("x", float("inf")),
        lambda: column_edits.noise("x", 0),
        lambda: column_edits.noise("x", -1),
        lambda: column_edits.replaced("x", {}),
        lambda: column_edits.replaced("x", "ab"),  # type: ignore[arg-type]
    ],
)
def test_wrong_settings_are_refused_at_once(make: Any) -> None:
    """When the edit is made."""
    with pytest.raises(UsageError) as caught:
        make()
    assert caught.value.code == "bad_edit"


def test_every_edit_says_what_it_preserves() -> None:
    """And is recorded with its settings."""
    made = [
        column_edits.case("x"),
        column_edits.typos("x"),
        column_edits.punctuation("x"),
        column_edits.accents("x"),
        column_edits.replaced("x", {"a": 1}),
        column_edits.scaled("x", 2.0),
        column_edits.shifted("x", 2.5),
        column_edits.noise("x"),
    ]
    assert {edit.name for edit in made} == {*column_edits.__all__} - {"ColumnEdit"}
    assert all(len(edit.preserves) > 30 for edit in made)
    assert made[5].to_json() == {
        "name": "scaled",
        "settings": {"column": "x", "factor": 2},
        "preserves": made[5].preserves,
    }


@pytest.mark.parametrize(
    "cells",
    [
        np.array([1.0, 1e308]),
        np.array([1.0, 6e4], dtype=np.float16),
        objects(1.0, 1e308),
    ],
)
def test_a_finite_number_never_becomes_infinite(cells: NDArray[Any]) -> None:
    """It is refused as a whole number beyond its type is; an infinite one stays what it is."""
    with pytest.raises(DataError, match=r"row 1 .* would become inf"):
        edited(column_edits.scaled("x", 10), cells)
    assert edited(column_edits.scaled("x", 10), np.array([1.0, np.inf, -np.inf])) == [10, np.inf, -np.inf]


def test_whole_numbers_beyond_all_floating_ones_are_refused() -> None:
    """As arguments and as cells."""
    for edit in (column_edits.scaled, column_edits.shifted, column_edits.noise):
        for number in (10**400, 10**5000):
            with pytest.raises(UsageError):
                edit("x", number)
    with pytest.raises(DataError, match=r"row 1 .* beyond every floating point number"):
        edited(column_edits.scaled("x", 2), objects(1, 10**400))


@pytest.mark.parametrize("cells", [np.array([2**62 + 1]), objects(2**62 + 1)])
def test_a_whole_number_that_floating_ones_do_not_tell_is_refused_as_such(cells: NDArray[Any]) -> None:
    """Though its type could hold it."""
    with pytest.raises(DataError, match=r"beyond 2.53, from where on"):
        edited(column_edits.scaled("x", 1.0), cells)
    with pytest.raises(DataError, match="beyond int8"):
        edited(column_edits.scaled("x", 2), np.array([100], dtype=np.int8))


def test_true_is_not_replaced_in_the_place_of_1() -> None:
    """Nor 1 in that of True, and no other cell changes its kind by it."""
    assert edited(column_edits.replaced("x", {True: "yes"}), objects(1, True, 1.0, np.True_)) == [1, "yes", 1.0, "yes"]
    assert edited(column_edits.replaced("x", {1: "one"}), objects(1, True, 1.0)) == ["one", True, "one"]
    kept = edited(column_edits.replaced("x", {True: 1}), np.array([True, False]))
    assert [type(cell) for cell in kept] == [int, bool]
    assert edited(column_edits.replaced("x", {1: 2.5}), np.array([1, 2**53 + 1])) == [2.5, 2**53 + 1]
    assert edited(column_edits.replaced("x", {1: "one"}), objects({1}, 1)) == [{1}, "one"]


def test_floating_numbers_of_numpy_in_objects_are_not_rounded() -> None:
    """They are no whole ones."""
    assert edited(column_edits.scaled("x", 1.5), objects(np.float32(1.5), np.int8(3))) == [2.25, 4]
