"""Laws of the oracle of text edits: it never accepts a changed item, and always what leaves everything alone."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from robust import Case
from robust.oracle.preserves import PreservesOracle
from robust.oracle.protected import protected_items
from robust.oracle.protected_item import ProtectedItem
from robust.records.verdict import OracleVerdict
from robust.transforms.texts import sentence_boundaries

WORDS = ["the", "parcel", "came", "late", "Anna", "well-known", "and", "a", "Straße", "дом", "it's", "(maybe)", "of"]
ITEMS = [
    *("5", "−5%", "3.50", "1 000", "1,250", "10:30", "3 pm", "$5", "5 mW", "5 March 2024", "½", "1/2", "twenty three"),
    *(
        "not",
        "don't",
        "never",
        "no one",
        "“as is”",
        '"a b"',
        "'a b'",
        "a@b.example",
        "www.a.example",
        "first",
        "minus 5",
    ),
    *("5 km per hour", "five", "6", "٣", "10²", "- 5", "A4", "one hundred and five", "kg", "pm", "per", "March", "%"),
]
SPACES = [" ", "  ", "\n", "\t", " \n", "\n\n", "\u00a0", "\u3000", " " * 12]
ODD = ["", "\u200b", "\u202e", "\x1f", "\u2028", "\u0301", "?", ",", ".", "-", "'", '"', "n", "t", "0", "s", "。"]
FRAGMENTS = ("The sky is blue.", "A cat sat down.", "Nobody saw the 7 lamps!")

words = st.sampled_from(WORDS)
pieces = st.one_of(words, words, st.sampled_from(ITEMS))
sentences = st.builds(
    lambda head, tail, mark: " ".join([head.capitalize(), *tail]) + mark,
    words,
    st.lists(pieces, min_size=1, max_size=7),
    st.sampled_from([".", ".", "!", "?"]),
)
plain_sentences = st.builds(
    lambda tail, mark: " ".join(["Today", *tail, "too"]) + mark,
    st.lists(st.sampled_from(["the", "parcel", "came", "late", "Anna", "well-known", "Straße", "дом"]), max_size=7),
    st.sampled_from([".", "!", "?"]),
)
texts = st.lists(sentences, min_size=1, max_size=4).map(" ".join)
plain_texts = st.lists(plain_sentences, min_size=1, max_size=5).map(" ".join)


def judge(before: str, after: str, **settings: tuple[str, ...]) -> OracleVerdict:
    """What the oracle says of two texts."""
    oracle = PreservesOracle(**settings)  # type: ignore[arg-type]
    return oracle(Case(before, case_id="base", source_id="s"), Case(after, case_id="other", source_id="s"))


def same(items: list[ProtectedItem], others: list[ProtectedItem]) -> bool:
    return len(items) == len(others) and all(item.same(other) for item, other in zip(items, others, strict=True))


def without_marks(text: str) -> str:
    return text.replace(".", " ").replace("!", " ")


def spaced(text: str, draw: Callable[[st.SearchStrategy[str]], str]) -> str:
    """A text with other white space between its words."""
    return "".join(word + draw(st.sampled_from(SPACES)) for word in text.split())


@given(texts, st.data())
def test_an_accepted_edit_changes_no_item(text: str, data: st.DataObject) -> None:
    """Whatever was put in, taken out or replaced, once or more often: True means that all items are the same."""
    after = text
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(after)))
        end = min(len(after), start + data.draw(st.integers(0, 3)))
        after = after[:start] + data.draw(st.sampled_from([*SPACES, *ODD, *ITEMS, *WORDS])) + after[end:]
    said = judge(text, after)
    if said.valid:
        assert same(protected_items(text), protected_items(after))
    if said.valid is False:
        assert not same(protected_items(text), protected_items(after))


@given(texts, st.data())
def test_an_edit_of_white_space_that_changes_an_item_is_never_accepted(text: str, data: st.DataObject) -> None:
    """White space that is put in, left out, or replaced anywhere, within items too."""
    after = text
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(after)))
        drop = place < len(after) and after[place].isspace()
        after = after[:place] + data.draw(st.sampled_from(["", *SPACES])) + after[place + drop :]
    assume(after != text)
    changed = not same(protected_items(text), protected_items(after))
    # Behind a word a mark may stand apart; nothing else may be joined or parted.
    joined = without_marks(text).split() != without_marks(after).split()
    if changed or joined:
        assert judge(text, after).valid is not True


@given(texts, st.sampled_from(ITEMS), st.sampled_from(ITEMS), st.data())
def test_an_item_that_is_exchanged_is_never_accepted(text: str, old: str, new: str, data: st.DataObject) -> None:
    """Nor one that is left out."""
    before = f"{text} We saw {old} there."
    after = f"{text} We saw {data.draw(st.sampled_from([new, '']))} there."
    assume(before.split() != after.split())
    assert judge(before, after).valid is not True


@given(plain_texts, st.data())
def test_white_space_between_words_changes_no_item_and_is_accepted(text: str, data: st.DataObject) -> None:
    """In prose without items, any run of it may become another one."""
    after = spaced(text, data.draw)
    assert same(protected_items(text), protected_items(after))
    assert judge(text, after).valid is True


@given(texts, st.data())
def test_white_space_between_plain_words_leaves_the_items_beside_them_alone(text: str, data: st.DataObject) -> None:
    """Runs before and behind a whole item belong to no item."""
    before = f"it has {text} we think"
    after = "it" + data.draw(st.sampled_from(SPACES)) + before[3:-5] + data.draw(st.sampled_from(SPACES)) + "think"
    assert same(protected_items(before), protected_items(after))


@given(plain_texts, st.lists(st.tuples(st.integers(0, 9), st.sampled_from(FRAGMENTS)), min_size=1, max_size=4))
def test_fragments_at_boundaries_are_accepted(text: str, insertions: list[tuple[int, str]]) -> None:
    """Any number of them, at any of the places where a sentence can stand, the same one twice too."""
    places = sentence_boundaries(text)
    after = text
    for place, fragment in sorted(((places[number % len(places)], fragment) for number, fragment in insertions))[::-1]:
        after = f"{after[:place]} {fragment}" if place == len(text) else f"{after[:place]}{fragment} {after[place:]}"
        after = after if place < len(text) else after + text[place:]
    said = judge(text, after, fragments=FRAGMENTS)
    assert said.valid is True
    assert said.evidence["edits"] == ["fragments"]


@given(plain_texts, st.sampled_from(FRAGMENTS), st.integers(1, 500))
def test_a_fragment_elsewhere_is_not_accepted(text: str, fragment: str, number: int) -> None:
    """In the middle of a sentence, a whole fragment is another text."""
    parts = text.split(" ")
    place = 1 + number % (len(parts) - 1)
    assume(parts[place - 1][-1] not in ".!?")
    after = " ".join([*parts[:place], fragment, *parts[place:]])
    assert judge(text, after, fragments=FRAGMENTS).valid is None


@given(plain_texts, st.sampled_from(FRAGMENTS), st.integers(1, 20))
def test_a_part_of_a_fragment_is_not_accepted(text: str, fragment: str, number: int) -> None:
    """A fragment is whole or none."""
    parts = fragment.split(" ")
    cut = " ".join(parts[: 1 + number % (len(parts) - 1)])
    assert judge(text, f"{text} {cut}", fragments=FRAGMENTS).valid is not True


@given(st.text(max_size=40), st.text(max_size=40), st.lists(st.text(max_size=6), max_size=3))
def test_any_two_texts_get_a_verdict_that_fits(before: str, after: str, more: list[str]) -> None:
    """True only of texts whose letters and figures are the same, in the same order, but for whole fragments."""
    said = judge(before, after, fragments=tuple(more), keep=tuple(more))
    if said.valid and not said.evidence.get("fragments"):
        letters = ["".join(char for char in text if char.isalnum()) for text in (before, after)]
        assert letters[0] == letters[1]
    assert said.evidence


@given(texts, texts)
def test_what_is_refused_is_refused_the_other_way_round(before: str, after: str) -> None:
    """A changed item is one from either side."""
    assert (judge(before, after).valid is False) == (judge(after, before).valid is False)
