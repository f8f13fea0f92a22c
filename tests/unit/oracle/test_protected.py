"""The protected items of a text: what they are, where they stand, and what they say."""

from __future__ import annotations

import pytest

from robust.oracle.protected import Names, protected_items
from robust.oracle.protected_item import ProtectedItem


def found(text: str, *names: str) -> list[tuple[str, str, str]]:
    """Kind, text and likeliest value of each item."""
    return [(item.kind, text[item.start : item.end], item.value) for item in protected_items(text, Names(names))]


def same(before: str, after: str) -> bool:
    """Whether two texts have the same items."""
    items, others = protected_items(before), protected_items(after)
    return len(items) == len(others) and all(item.same(other) for item, other in zip(items, others, strict=True))


@pytest.mark.parametrize(
    ("text", "item", "value"),
    [
        ("pay 1000 now", "1000", "1000"),
        ("pay 3.50 more", "3.50", "3.5"),
        ("pay 1,25 more", "1,25", "1.25"),
        ("pay 1,234,567.80 more", "1,234,567.80", "1234567.8"),
        ("pay 1.234.567,80 more", "1.234.567,80", "1234567.8"),
        ("pay 12,34,567 more", "12,34,567", "1234567"),
        ("pay 1 000 more", "1 000", "1000"),
        ("pay 1\u202f234,50 more", "1\u202f234,50", "1234.5"),
        ("pay 1'000 more", "1'000", "1000"),
        ("pay .5 more", ".5", "0.5"),
        ("pay 007 more", "007", "7"),
        ("pay v1.2.3 more", "1.2.3", "1.2.3"),
        ("pay ٣٫٥ more", "٣٫٥", "3.5"),
        ("pay ６０ more", "６０", "60"),
        ("pay −5 more", "−5", "-5"),
        ("pay -5 more", "-5", "-5"),
        ("pay –5 more", "–5", "-5"),
        ("pay +5 more", "+5", "5"),
        ("pay ±5 more", "±5", "±5"),
        ("pay -0 more", "-0", "0"),
        ("pay minus five more", "minus five", "-5"),
        ("pay 5% more", "5%", "5 %"),
        ("pay 5 per cent more", "5 per cent", "5 %"),
        ("pay five percent more", "five percent", "5 %"),
        ("pay $5 more", "$5", "5 USD"),
        ("pay -$5 more", "-$5", "-5 USD"),
        ("pay $-5 more", "$-5", "-5 USD"),
        ("pay 5 € more", "5 €", "5 EUR"),
        ("pay EUR 5 more", "EUR 5", "5 EUR"),
        ("pay five euros more", "five euros", "5 EUR"),
        ("pay $5.2 million more", "$5.2 million", "5200000 USD"),
        ("pay 5 mW more", "5 mW", "5 mW"),
        ("pay 5 MW more", "5 MW", "5 MW"),
        ("pay 5mW more", "5mW", "5 mW"),
        ("pay 5 kilograms more", "5 kilograms", "5 kg"),
        ("pay 5-year more", "5-year", "5 year"),
        ("pay 10 km/h more", "10 km/h", "10 km/h"),
        ("pay 10 km per hour more", "10 km per hour", "10 km/h"),
        ("pay 20 °C more", "20 °C", "20 C"),
        ("pay 100t more", "100t", "100 t"),
        ("pay 1/2 more", "1/2", "0.5"),
        ("pay 1/3 more", "1/3", "1/3"),
        ("pay ½ more", "½", "0.5"),
        ("pay 1½ more", "1½", "1+0.5"),
        ("pay 10² more", "10²", "10^²"),
        ("pay 3:1 more", "3:1", "3:1"),
        ("pay twenty-three more", "twenty-three", "23"),
        ("pay twenty three more", "twenty three", "23"),
        ("pay one hundred and five more", "one hundred and five", "105"),
        ("pay Two Million Three more", "Two Million Three", "2000003"),
        ("pay hundred thousand more", "hundred thousand", "100000"),
        ("pay dozen more", "dozen", "12"),
        ("pay half more", "half", "0.5"),
        ("pay 9" + "0" * 5000 + " more", "9" + "0" * 5000, "9" + "0" * 5000),
    ],
)
def test_a_number_is_read_by_its_value_with_sign_and_unit(text: str, item: str, value: str) -> None:
    """Whatever its separators, script and words."""
    assert found(text) == [("number", item, value)]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1st and third", [("ordinal", "1st", "1"), ("ordinal", "third", "3")]),
        ("the twenty first", [("ordinal", "twenty first", "21")]),
        ("at 10:30", [("time", "10:30", "10:30")]),
        ("at 10 : 30", [("time", "10 : 30", "10:30")]),
        ("at 3 pm", [("time", "3 pm", "15:00")]),
        ("at 3 p.m. sharp", [("time", "3 p.m.", "15:00")]),
        ("at 12:05:30 am", [("time", "12:05:30 am", "00:05:30")]),
        ("on 2024-03-05", [("date", "2024-03-05", "2024-03-05")]),
        ("on 5 March 2024", [("date", "5 March 2024", "2024-03-05")]),
        ("on March 5th, 2024", [("date", "March 5th, 2024", "2024-03-05")]),
        ("am 5. März", [("date", "5. März", "--03-05")]),
        ("in March 2024", [("date", "March 2024", "2024-03")]),
        ("see https://a.example/b?c=1, or", [("url", "https://a.example/b?c=1", "https://a.example/b?c=1")]),
        ("see (www.a.example).", [("url", "www.a.example", "www.a.example")]),
        ("see shop.example.com/b", [("url", "shop.example.com/b", "shop.example.com/b")]),
        ("ask a.b+c@d-e.example.", [("email", "a.b+c@d-e.example", "a.b+c@d-e.example")]),
        ("say “Yes,  please”", [("quotation", "“Yes,  please”", "Yes, please")]),
        ("say 'yes'", [("quotation", "'yes'", "yes")]),
        ("sag »ja« und „nein“", [("quotation", "»ja«", "ja"), ("quotation", "„nein“", "nein")]),
        ("ten thirty", [("number", "ten", "10"), ("number", "thirty", "30")]),
        ("one one", [("number", "one", "1"), ("number", "one", "1")]),
        ("pages 5-10", [("number", "5", "5"), ("number", "10", "10")]),
        ("1\u200b000", [("number", "1", "1"), ("number", "000", "0")]),
        ('"5 kg"', [("quotation", '"5 kg"', "5 kg"), ("number", "5 kg", "5 kg")]),
    ],
)
def test_items_of_every_kind_are_found(text: str, items: list[tuple[str, str, str]]) -> None:
    """Each with its kind, its place and what it says."""
    assert found(text) == items


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, "not") for text in ("not", "don't", "don’t", "donʼt", "dont", "cannot", "can't", "won’t", "AIN'T")),
        *((word, word) for word in ("no", "never", "none", "without", "neither", "nor", "nobody", "nothing")),
        *(("no one", "nobody"), ("no-one", "nobody"), ("nicht", "nicht"), ("keinen", "kein"), ("не", "не")),
    ],
)
def test_a_negation_is_one_however_it_is_written(text: str, value: str) -> None:
    """Contracted or not, with any apostrophe or none."""
    assert [(item.kind, item.value) for item in protected_items(f"they {text} go")] == [("negation", value)]


@pytest.mark.parametrize(
    "text",
    [
        *("the boys' room", "it's o'clock", "rock 'n' roll", "'Tis the boys' room", "I may go", "they march"),
        *("know", "notable", "another", "weight", "a-b", "a.b", "x@", "@x", "", " ", "…"),
    ],
)
def test_what_only_looks_like_an_item_is_none(text: str) -> None:
    """Apostrophes, months that are verbs, words that have a number or a negation in them."""
    assert [item for item in protected_items(text) if item.kind != "quotation"] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("1,250", "1250"), ("1.250", "1250"), ("1,250", "1.250"), ("1,000.0", "1 000"), ("½", "0.5"), ("5", "five")),
        *(("$5", "5 dollars"), ("$5", "USD 5"), ("5 kg", "5 kilos"), ("5 km/h", "5 km per hour"), ("3 pm", "15:00")),
        *(("-5", "minus 5"), ("- 5", "5"), ("(5)", "5"), ("5 March 2024", "2024-03-05"), ("05/03/2024", "2024-05-03")),
        *(("do not", "don't"), ("can not", "cannot"), ("“a”", '"a"'), ("1st", "first"), ("5 KG", "5 kg")),
    ],
)
def test_two_ways_to_say_it_are_the_same_item(before: str, after: str) -> None:
    """So they are no proof of a change; where a language decides, both readings count."""
    assert same(before, after)
    assert same(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("−5%", "5%"), ("3.50", "3 50"), ("3.50", "350"), ("1,25", "125"), ("1.5", "15"), ("10:30", "10.30")),
        *(
            ("10:30", "ten:thirty"),
            ("1000", "100t o"),
            ("5 mW", "5 MW"),
            ("5 mg", "5 Mg"),
            ("$5", "€5"),
            ("5 %", "5"),
            ("five", "six"),
        ),
        *(("3 am", "3 pm"), ("2024-03-05", "2024-05-03"), ("1st", "2nd"), ("1", "first"), ("10²", "102"), ("±5", "5")),
        *(("not", "now"), ("never", "not"), ("none", "one"), ("a@b.example", "a@c.example"), ("“a”", "“b”")),
        *(("minus 5", "5"), ("1e5", "1e6"), ("1/2", "1 2"), ("2 and 3", "3 and 2"), ("I don't", "I do")),
    ],
)
def test_a_change_of_an_item_is_seen(before: str, after: str) -> None:
    """Of its value, sign, unit, kind, order, or that it is there."""
    assert not same(before, after)
    assert not same(after, before)


def test_names_are_whole_words_with_any_white_space() -> None:
    """A name within a longer word is another word, and case counts."""
    text = "Ann met ann and Annual in New\n York, at Yahoo! and C++."
    names = [text[start:end] for _, _, start, end, _ in Names(("Ann", "New York", "Yahoo!", "C++", " ", "")).find(text)]
    assert sorted(names) == ["Ann", "C++", "New\n York", "Yahoo!"]


def test_a_name_in_another_normal_form_is_the_same_name() -> None:
    """Composed or decomposed: it is compared in form C."""
    [composed] = protected_items("Zoe\u0308", Names(("Zoe\u0308",)))
    [other] = protected_items("Zo\u00eb", Names(("Zo\u00eb",)))
    assert composed.same(other)


def test_items_come_in_the_order_of_the_text_with_a_quotation_first() -> None:
    """So that sequences of them can be compared."""
    items = protected_items('no 5 "not 6" 7 a@b.example', Names(("no",)))
    assert [(item.start, -item.end) for item in items] == sorted((item.start, -item.end) for item in items)
    assert [item.kind for item in items[:4]] == ["negation", "name", "number", "quotation"]


@pytest.mark.parametrize(
    "piece",
    [
        *("one ", "a.", "a@", "1,", "1 000 ", "$", "- 5 ", "n't", "a'", "http://", "1:1:", "a", "9", "minus ", '"a '),
        *("one hundred and ", "5 km per ", "1/", "March 5 ", "\u0301", "a.com.", "5²", "'", "“", "x-", "½", "\u200b"),
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    """Every look at a long text of one kind ends: the time grows with the length alone."""
    size = 20_000
    text = piece * (size // len(piece))
    items = protected_items(text)
    assert all(0 <= item.start < item.end <= len(text) for item in items)


def test_evidence_of_an_item_is_short() -> None:
    """However long it is."""
    text = "9" * 1000
    [item] = protected_items(text)
    shown = ProtectedItem.to_json(item, text)
    assert shown["kind"] == "number"
    assert max(map(len, shown.values())) <= 80
