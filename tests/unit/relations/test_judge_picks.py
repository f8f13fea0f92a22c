"""What a judge's answer is read as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from robust.errors import DataError, UsageError
from robust.relations.judge_picks import TIE, picker

ANSWERS = ["Paris", "London", "Rome"]


@pytest.mark.parametrize(
    ("result", "place"),
    [
        *(("London", 1), (" Rome \n", 2), ("A", 0), ("b", 1), ("(C)", 2), ("B.", 1), ("[[B]]", 1), ("**C**", 2)),
        *(("Answer: B", 1), ("The answer is Rome".removeprefix("The answer is "), 2), ("final answer: C.", 2)),
        *(([0.1, 0.7, 0.2], 1), ((1, 2, 3), 2), (np.array([3.0, 1, 2]), 0), ([1, 1, 0], TIE), ("tie", TIE)),
        *(("Tie.", TIE), ("draw", TIE), ([float("inf"), 0, 0], 0)),
    ],
)
def test_an_answer_a_letter_scores_and_ties_are_read(result: Any, place: int) -> None:
    """Whatever is written around a letter."""
    assert picker("auto")(result, ANSWERS) == place


@pytest.mark.parametrize(
    "result",
    [
        *(None, "", "Berlin", "D", "Paris or London", float("nan"), [float("nan"), 1, 2], [1, 2], [], 1, 0, True, {}),
        *({"choice": "A"}, b"A", ["A"], object(), "I think A is better than B", "A" * 1000, [True, False, False]),
    ],
)
def test_anything_else_is_no_pick(result: Any) -> None:
    """Not the nearest one, not the first one: an error."""
    with pytest.raises(DataError) as caught:
        picker("auto")(result, ANSWERS)
    assert caught.value.code == "bad_pick"


def test_a_letter_that_is_also_another_answer_is_no_pick() -> None:
    """Unless the caller says how the judge answers."""
    answers = ["B", "A"]
    with pytest.raises(DataError, match='picks="text" or picks="letter"'):
        picker("auto")("A", answers)
    assert picker("text")("A", answers) == 1
    assert picker("letter")("A", answers) == 0
    assert picker("auto")("A", ["A", "B"]) == 0


def test_numbers_count_from_where_the_caller_says() -> None:
    """As numbers or as their digits."""
    assert [picker("index")(each, ANSWERS) for each in (0, "2", np.int64(1), "tie")] == [0, 2, 1, TIE]
    assert [picker("number")(each, ANSWERS) for each in (1, " 3 ")] == [0, 2]
    for style, wrong in (
        ("index", 3),
        ("number", 0),
        ("index", True),
        ("number", 1.0),
        ("index", "x"),
        ("index", None),
    ):
        with pytest.raises(DataError, match="not a number from"):
            picker(style)(wrong, ANSWERS)  # type: ignore[arg-type]


def test_answers_that_are_no_text_are_picked_by_themselves() -> None:
    """Equal content is what counts."""
    answers = [{"id": 1}, {"id": 2}]
    assert picker("auto")({"id": 2}, answers) == 1
    with pytest.raises(DataError):
        picker("auto")({"id": 3}, answers)


def test_a_function_can_read_what_a_judge_says() -> None:
    """None is a tie; what is no number of an answer is an error."""
    read = picker(lambda result, answers: answers.index(result["best"]) if result["best"] else None)
    assert read({"best": "Rome"}, ANSWERS) == 2
    assert read({"best": None}, ANSWERS) == TIE
    for wrong in (3, -1, "A", 1.0, True):
        with pytest.raises(DataError, match="picks= gave"):
            picker(lambda *_, wrong=wrong: wrong)("A", ANSWERS)


def test_an_unknown_style_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="auto, text, letter, index, number, scores"):
        picker("best")  # type: ignore[arg-type]
