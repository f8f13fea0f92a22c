"""Typing errors, letter case, Unicode forms, look-alikes, punctuation, white space and negation, by example."""

from __future__ import annotations

import pytest

from robust.canon import RandomStream
from robust.transforms.letter_case import LetterCase
from robust.transforms.negation import Negation
from robust.transforms.punctuation import Punctuation
from robust.transforms.strategy import Strategy
from robust.transforms.typing_errors import NEIGHBOURS, TypoDrop, TypoNeighbour, TypoSwap
from robust.transforms.unicode_forms import CONFUSABLE, Confusables, UnicodeCanonical, UnicodeCompatibility
from robust.transforms.white_space import WhiteSpace
from tests.programs import python
from tests.unit.transforms.edits import edits_of

TYPOS = [TypoNeighbour(), TypoSwap(), TypoDrop()]


def test_keys_touch_each_other_both_ways() -> None:
    """On three layouts; a letter has two to seven keys around it."""
    assert NEIGHBOURS["g"] == "fhtyvb"
    assert NEIGHBOURS["a"] == "sqwz"
    assert NEIGHBOURS["ф"] == "ыйця"
    for letter, others in NEIGHBOURS.items():
        assert 1 < len(set(others)) == len(others) < 8
        assert all(letter in NEIGHBOURS[other] for other in others)


@pytest.mark.parametrize(
    ("strategy", "text", "made"),
    [
        (TypoSwap(), "Pay at once", {"Pya at once", "Pay at ocne", "Pay at onec"}),
        (TypoDrop(), "of the", {"of te", "of th"}),
        (TypoNeighbour(), "Öpö", {"Öoö", "Ölö"}),
        (TypoNeighbour(), "ABCDEP", {f"ABCDE{new}" for new in "OL"} | {f"{new}BCDEP" for new in "SQWZ"}),
        (TypoDrop(), "שלום", {"שום", "שלם", "שלו"}),
    ],
)
def test_a_typing_error_is_made_within_one_word(strategy: Strategy, text: str, made: set[str]) -> None:
    """The first letter stays where letters are swapped or left out; a key beside keeps the case."""
    assert made <= edits_of(strategy, text)
    assert all(len(after) in (len(text), len(text) - 1) for after in edits_of(strategy, text))


@pytest.mark.parametrize("strategy", TYPOS)
@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "of", "12345", "a1b2c3", "mail@host.example", "https://host.example", "C:\\new", "USA", "don't"),
        *("well-known", "👩‍👩‍👧‍👦", "cafe\u0301", "हिन्दी", "v1.2.3", "\x00\x01"),
    ],
)
def test_no_typing_error_is_made_where_it_would_be_something_else(strategy: Strategy, text: str) -> None:
    """Short words, figures, addresses, abbreviations, and letters that carry marks."""
    assert edits_of(strategy, text) == set()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Pay now", {"pay now", "PAY NOW", "Pay Now"}),
        ("don't", {"DON'T", "Don't"}),
        ("PAY", {"pay"}),
        ("ß", {"SS"}),
        ("nai\u0308ve", {"NAI\u0308VE", "Nai\u0308ve"}),
        ("12 日本", set()),
    ],
)
def test_letter_case(text: str, made: set[str]) -> None:
    """Small letters, capitals, a capital for each word; scripts without case have none."""
    assert edits_of(LetterCase(), text) - {"Ss"} == made


def test_normal_forms_are_told_apart() -> None:
    """What Unicode calls the same text, and what only looks similar."""
    assert edits_of(UnicodeCanonical(), "caf\u00e9 x²") == {"cafe\u0301 x²"}
    assert edits_of(UnicodeCanonical(), "cafe\u0301") == {"caf\u00e9"}
    assert edits_of(UnicodeCompatibility(), "ﬁne caf\u00e9") == {"fine caf\u00e9", "fine cafe\u0301"}
    assert edits_of(UnicodeCompatibility(), "x²") == {"x2"}
    for text in ("", "plain", "👩‍👩‍👧‍👦"):
        assert edits_of(UnicodeCanonical(), text) == edits_of(UnicodeCompatibility(), text) == set()


@pytest.mark.parametrize("strategy", [UnicodeCanonical(), UnicodeCompatibility()])
def test_a_letter_with_more_marks_than_any_writing_has_is_left_alone(strategy: Strategy) -> None:
    """Ordering so many would take hours; 30 are still normalised."""
    assert edits_of(strategy, "ﬁ e" + "\u0315\u0300" * 15)
    assert strategy.edit("ﬁ e" + "\u0315\u0300" * 200_000, RandomStream(1)) is None


def test_look_alikes_come_from_other_scripts() -> None:
    """And lead back: each is one character, and none stands for itself."""
    assert edits_of(Confusables(), "p") == {"р", "ρ"}
    assert "а" in edits_of(Confusables(), "a")
    assert edits_of(Confusables(), "123 日本") == set()
    for letter, others in CONFUSABLE.items():
        assert letter not in others
        assert all(letter in CONFUSABLE[other] for other in others)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("So be it", {"So be it."}),
        ("So be it.", {"So be it"}),
        ("Well, so", {"Well so", "Well, so."}),
        ("1,25", {"1,25."}),
        ("in 2024, he", {"in 2024 he", "in 2024, he."}),
        ("We're in", {"We’re in", "We're in."}),
        ("so – or", {"so - or", "so — or", "so – or."}),
        ("So...", {"So…"}),
        ("So?", {"So??"}),
        ("So?!", set()),
        ("", set()),
        ("5-3", {"5-3."}),
    ],
)
def test_punctuation(text: str, made: set[str]) -> None:
    """One mark left out, added or written otherwise; none between figures."""
    assert edits_of(Punctuation(), text) == made


def test_white_space_is_that_of_the_property() -> None:
    """T2: a text of one word has none to edit; otherwise nothing else is touched."""
    assert edits_of(WhiteSpace(), "word") == edits_of(WhiteSpace(), "") == set()
    made = edits_of(WhiteSpace(), "two words")
    assert "two  words" in {text.strip() for text in made}
    assert {"".join(text.split()) for text in made} == {"twowords"}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("It is due.", {"It is not due."}),
        ("It is not due.", {"It is due."}),
        ("IT IS DUE.", {"IT IS NOT DUE."}),
        ("It isn't due and can’t be paid.", {"It is due and can’t be paid.", "It isn't due and can be paid."}),
        ("Cannot be paid", {"Can be paid"}),
        ("It WON'T do", {"It WILL do"}),
        ("She does not pay", {"She does pay"}),
        ("It is not only due", set()),
        ("Is it due?", set()),
        ("She does pay", set()),
        ("This island", set()),
        ("It is never due", set()),
        ("", set()),
    ],
)
def test_negation(text: str, made: set[str]) -> None:
    """Put in behind a verb that takes it, or taken out; questions and full verbs are left alone."""
    assert edits_of(Negation(), text) == made
    assert Negation().relation == "counterfactual"


LONG = """
from robust.canon import RandomStream
from robust.transforms.strategies import BUILT_IN

PIECES = [
    *(".", " ", "a", "a, ", "is ", "e\\u0301", "'", "\\n", "can't ", "1,", "1\\u00a0000", "a; ", ": a, b", "- a\\n"),
    "1 May 2020 ",
]
for piece in PIECES:
    text = "x " + piece * (40_000 // len(piece)) + "!"
    for strategy in BUILT_IN.values():
        strategy.edit(text, RandomStream(1))
print("done")
"""


def test_a_long_text_takes_no_longer_than_it_is() -> None:
    """No pattern goes over the same part again and again: that would take hours, and the program is given minutes."""
    done = python(LONG)
    assert (done.stdout, done.stderr) == ("done\n", "")
