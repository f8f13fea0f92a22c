"""What strategies leave alone, since an edit there would plainly say something else than they suppose."""

from __future__ import annotations

import pytest

from robust.records.replacement import Replacement
from robust.transforms.date_formats import DateFormat
from robust.transforms.negation import Negation
from robust.transforms.number_formats import DecimalSeparator, NumberGrouping
from robust.transforms.punctuation import Punctuation
from robust.transforms.reordering import Reordering
from robust.transforms.strategies import rewrites, synonyms
from robust.transforms.typing_errors import TypoDrop, TypoNeighbour, TypoSwap
from tests.unit.transforms.edits import edits_of

ELIGIBLE = Replacement("Eligible", "not eligible", "counterfactual")


@pytest.mark.parametrize(
    "text",
    [
        *("call +15551234567", "(555) 1234567", "phone 555.123.456", "Tel.: 12345678", "ISBN 9783161484100"),
        *("host 192.168.100.200", "10.100.200.250", "version 2.100.200", "ZIP 90210", "account number 12345678"),
        *("4111111111111111", "20250304", "id=12345", "#12345", "[12345,67890]", "[12345, 67890]", '{"n": 12345}'),
    ],
)
def test_no_thousands_are_grouped_in_what_is_no_amount(text: str) -> None:
    """Telephones, addresses, versions, codes, days without marks, members of a list."""
    assert edits_of(NumberGrouping(), text) == set()


@pytest.mark.parametrize(
    "text",
    [
        *("version 3.11", "Python 3.5 is old", "section 3.2", "Fig. 1.2", "RFC 1.2", "v 1.5", "1.5.2"),
        *("at 10.30 am", "10.30 Uhr", "um 8.15", "am 31.12. fällig", "bis 31.12", "10.0.0.1", "year 2025."),
        *("(3,4)", "[1,2]", "f(1.5)", "pages 3,4 and 5", "1.5, 2.5", "tel. 030.1234", '"price": 1.25'),
    ],
)
def test_no_decimal_separator_is_changed_where_none_is(text: str) -> None:
    """Versions, places in a document, times, days, pairs of numbers, program text."""
    assert edits_of(DecimalSeparator(), text) == set()


@pytest.mark.parametrize("text", ["It cost 12345.50 in 1999", "12345 people", "−12345.50 €", "up 12345.50%"])
def test_amounts_are_still_written_otherwise(text: str) -> None:
    """What stands in a sentence is one."""
    assert edits_of(NumberGrouping(), text)
    assert bool(edits_of(DecimalSeparator(), text)) == ("." in text)


@pytest.mark.parametrize(
    "text",
    [
        *("4 and 6 March 2025", "from 4 to 6 March 2025", "4 – 6 March 2025", "4, 6 March 2025", "4/5 March 2025"),
        *("March 1 to March 4, 2025", "1 March to 4 March 2025", "4th or 5th March 2025", "4.3. bis 6.3.2025"),
        *("week 1 March 2025", "version 1.2.2025", "2025-03-04 10:00", "4 March 2025, 10:00", "٤4 March 2025"),
    ],
)
def test_no_date_is_rewritten_that_is_a_part_of_something_else(text: str) -> None:
    """Two days that share a month, a week's number, a date with a time, figures of another script."""
    assert edits_of(DateFormat(), text) == set()


def test_a_whole_date_beside_another_is_rewritten() -> None:
    """Each has its own year."""
    made = edits_of(DateFormat(), "2025-03-04 to 2025-03-06")
    assert {"2025/03/04 to 2025-03-06", "2025-03-04 to 6 March 2025"} <= made


@pytest.mark.parametrize(
    "text",
    [
        *(
            "What is the total?",
            "Who can pay this?",
            "It is late, isn't it?",
            "Isn't it paid?",
            "Is it so, or is it not so?",
        ),
        *("In May 2025 they left", "since may 2025", "I met Will Smith there", "a can of beans", "the will of Anna"),
        *("at 10 am we left", "There is none left", "It is hardly true", "He is only ten", "It is not until Monday"),
        *("He can't help but laugh", "ask whether it is paid", "whether it is or is not paid"),
    ],
)
def test_no_negation_is_made_that_negates_nothing(text: str) -> None:
    """Questions, nouns, months and names, what is negated already, what is said for either case."""
    assert edits_of(Negation(), text) == set()


def test_a_statement_beside_a_question_is_negated() -> None:
    """Sentence by sentence; a verb beside its noun."""
    assert edits_of(Negation(), "Is it due? It is due.") == {"Is it due? It is not due."}
    assert edits_of(Negation(), "The will is valid") == {"The will is not valid"}
    assert edits_of(Negation(), "This will cost. In May it may rain.") == {
        "This will not cost. In May it may rain.",
        "This will cost. In May it may not rain.",
    }


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("red,green", {"red,green."}),
        ("What is 5!", set()),
        ("n! = 6", {"n! = 6."}),
        ("x!=y", {"x!=y."}),
        ("(a?b:c)", set()),
        ("see http://host.example/a", set()),
        ("ask me@host.example", set()),
        ("Now! Go", {"Now!! Go", "Now! Go."}),
    ],
)
def test_punctuation_joins_no_words_and_makes_no_other_sign(text: str, made: set[str]) -> None:
    """Neither one word of two, nor another operator, factorial or address."""
    assert edits_of(Punctuation(), text) == made


@pytest.mark.parametrize(
    "text",
    [
        *("AT&amp;T; Bell", "(a; b); c", 'He said "a; b"; c', "„a“; (b", "We paid; they left. Then it rained."),
        *("{\n}", "```\nfoo\n```", "Ann: hi\nBen: yes\nAnn: bye", "Q: is it due?\nA: yes", "see (1\n2) there"),
    ],
)
def test_nothing_is_reordered_that_holds_together(text: str) -> None:
    """Brackets, quotations, entities, sentences, fences, talks."""
    assert edits_of(Reordering(), text) == set()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Meet at 10:30; bring tea.", {"bring tea; Meet at 10:30."}),
        ("see http://host.example; go", {"go; see http://host.example"}),
        ("a: x; b: y", {"b: y; a: x"}),
    ],
)
def test_only_a_colon_before_white_space_leads_in(text: str, made: set[str]) -> None:
    """Not that of a time or an address, nor one that each clause has."""
    assert edits_of(Reordering(), text) == made


@pytest.mark.parametrize("strategy", [TypoNeighbour(), TypoSwap(), TypoDrop()])
@pytest.mark.parametrize("text", ["一千二百", "{name}", "ⅧⅨⅩ"])
def test_no_typing_error_is_made_in_figures_and_places(strategy: TypoSwap, text: str) -> None:
    """Letters that are figures, and what a template fills in."""
    assert edits_of(strategy, text) == set()


@pytest.mark.parametrize("text", ["She is not eligible.", "She is NOT  eligible.", "She is not\neligible."])
def test_t5_a_synonym_is_not_put_where_it_stands_already(text: str) -> None:
    """T5: in any letter case, and whatever white space is between its words."""
    assert edits_of(synonyms([ELIGIBLE]), text) == set()
    assert edits_of(synonyms([ELIGIBLE]), "She is eligible.") == {"She is not eligible."}


def test_a_word_whose_last_letter_has_a_mark_is_another_word() -> None:
    """Its letter would be torn from its mark."""
    assert edits_of(rewrites([Replacement("cafe", "tea")]), "a cafe\u0301") == set()
