"""Near-equal inputs: what counts as a word, a shingle and a pair."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, UsageError
from robust.manifest.near_duplicates import TooManyComparisons, near_duplicates
from robust.manifest.shingles import Shingles
from robust.records.manifest import CaseEntry


def entries(*inputs: Any) -> list[CaseEntry]:
    """Cases in two splits by turns."""
    return [
        CaseEntry(Case(value, case_id=f"c{number}", source_id=f"s{number}"), ("dev", "test")[number % 2], None, None)
        for number, value in enumerate(inputs)
    ]


def pairs(*inputs: Any, **settings: Any) -> list[tuple[str, str, float]]:
    return [(item.first, item.second, item.similarity) for item in near_duplicates(entries(*inputs), **settings)]


def test_the_similarity_is_the_share_of_shingles_that_both_have() -> None:
    """One word of seven changed in the middle: four pairs of words of eight."""
    assert pairs("refund three items to Anna now please", "refund three items to Anne now please") == [
        ("c0", "c1", 0.5)
    ]
    assert pairs("a b c d", "a b c e", words=3) == []
    assert pairs("a b c d", "a b c e", words=3, threshold=0.33) == [("c0", "c1", 1 / 3)]


def test_case_space_and_punctuation_make_no_difference() -> None:
    """Words do."""
    assert pairs("Pay 5 EUR, now!", "pay  5 eur NOW") == [("c0", "c1", 1.0)]


def test_cases_of_one_split_are_no_pair() -> None:
    """However equal they are."""
    assert [item[:2] for item in pairs("a b c", "x", "a b c", "a b c")] == [("c0", "c3"), ("c2", "c3")]


def test_a_text_of_fewer_words_is_one_shingle() -> None:
    """Its words in their order, which a part of a longer shingle is not."""
    assert pairs("yes", "Yes.", words=5) == [("c0", "c1", 1.0)]
    assert pairs("one two", "two one", words=5) == []
    assert pairs("one", "one one", words=2) == []


def test_a_text_without_words_is_like_nothing() -> None:
    """Not even like another one."""
    assert pairs("!?", "...", "", "  ", {"n": 5}, {"n": 5}) == []


def test_every_text_leaf_of_an_object_counts() -> None:
    """Keys and numbers do not."""
    first = {"title": "late parcel", "body": ["where is it", {"more": "since monday"}], "n": 1}
    second = {"heading": "late parcel", "text": "where is it", "rest": "since monday", "n": 2}
    assert pairs(first, second) == [("c0", "c1", 1.0)]


def test_scripts_without_blanks_are_compared_by_character() -> None:
    """So that one character changed leaves the rest equal."""
    assert pairs("请把包裹送到北京的地址", "请把包裹送到南京的地址") == [("c0", "c1", 8 / 12)]
    assert len(Shingles(1).of("ภาษาไทย")) > 3
    assert len(Shingles(1).of("안녕 세상")) == 2


def test_a_threshold_of_one_finds_equal_sets_alone() -> None:
    """And a threshold is met exactly, not nearly."""
    assert pairs("a b c d e", "a b c d e", "a b c d f", threshold=1) == [("c0", "c1", 1.0)]
    inputs = (" ".join("abcdefghi"), " ".join("abcdefghij"))
    assert len(pairs(*inputs, words=1, threshold=0.9)) == 1
    assert pairs(*inputs, words=1, threshold=0.9000001) == []


@pytest.mark.parametrize("threshold", [0, -1, 1.01, float("nan"), True, "0.5", None])
def test_a_threshold_that_makes_no_sense_is_refused(threshold: Any) -> None:
    """At once, before any case is read."""
    with pytest.raises(UsageError) as caught:
        near_duplicates(iter(()), threshold=threshold)
    assert caught.value.code == "bad_threshold"


@pytest.mark.parametrize("words", [0, 21, 1.5, True, "2"])
def test_a_number_of_words_that_makes_no_sense_is_refused(words: Any) -> None:
    """At once, too."""
    with pytest.raises(UsageError) as caught:
        near_duplicates(iter(()), words=words)
    assert caught.value.code == "bad_words"


def test_combining_marks_belong_to_their_words() -> None:
    """Vowel signs tell words apart, and do not part them."""
    assert pairs("\u0915\u093f\u0924\u093e\u092c", "\u0915\u0941\u0924\u093e\u092c", words=1) == []
    assert pairs("\u0915\u093f\u0924\u093e\u092c!", "\u0915\u093f\u0924\u093e\u092c", words=1) == [("c0", "c1", 1.0)]
    assert pairs("\u0915\u093f\u0924\u093e\u092c x", "x \u0915\u093f\u0924\u093e\u092c") == []
    assert pairs("\u0301 \u0902", "\u0301 \u0902") == []


def alike(size: int) -> list[str]:
    """Texts of the same few words, each pair of which has to be looked at."""
    return [" ".join(f"w{word}" for word in range(12) if word not in (a, b)) for a in range(size) for b in range(a)]


def test_a_search_that_would_take_too_long_is_given_up() -> None:
    """It says so, and does not pass for a search that found nothing more."""
    texts = alike(11)
    assert pairs(*texts, words=1, threshold=0.95) == []
    with pytest.raises(TooManyComparisons) as caught:
        pairs(*texts, words=1, threshold=0.95, max_comparisons=20)
    assert caught.value.code == "too_many_comparisons"
    whole = pairs(*texts, words=1, threshold=0.8)
    assert pairs(*texts, words=1, threshold=0.8, max_comparisons=10**6) == whole


@pytest.mark.parametrize("most", [0, -1, True, 1.5, None])
def test_a_number_of_comparisons_that_makes_no_sense_is_refused(most: Any) -> None:
    """It is a number from 1 on."""
    with pytest.raises(UsageError) as caught:
        pairs("a", "b", max_comparisons=most)
    assert caught.value.code == "bad_comparisons"
