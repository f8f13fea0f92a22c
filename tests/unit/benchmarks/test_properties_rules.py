"""The rules that ``benchmarks/properties.py`` holds candidates to find what is wrong, and only that."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.properties_reports import Pair
from benchmarks.properties_rules import broken_by_blanks, broken_by_insertion, broken_by_reduction, broken_rules
from benchmarks.properties_subjects import FRAGMENTS, SUBJECTS, Subject
from hypothesis import given
from hypothesis import strategies as st

TEXT = "The lid was open. It rained!  Why?"
SENTENCES = st.lists(st.sampled_from(("It rained.", "Who saw it?", "No stop", "3.50 EUR!")), min_size=1, max_size=4)
CHOICE, NOUL = SUBJECTS[0], SUBJECTS[1]


def pair(name: str, value: Any = TEXT, presentation: list[list[str]] | None = None, sample: int = 0) -> Pair:
    """A pair of the case ``a``."""
    return Pair(name, "a", sample, value, presentation, None, "timeout", None, frozenset())


def broken(*pairs: Pair, subject: Subject = CHOICE, base: Any = TEXT) -> list[str]:
    """What is wrong with pairs of one case."""
    return list(broken_rules(subject, pairs, {"a": base}))


def inserted(text: str, at: int, fragment: str) -> str:
    """A fragment at one boundary of a text whose sentences are one blank apart."""
    return f"{fragment} {text}" if at == 0 else f"{text} {fragment}"


@given(SENTENCES, st.lists(st.tuples(st.integers(0, 1), st.sampled_from(FRAGMENTS)), min_size=1, max_size=3))
def test_whole_fragments_at_the_ends_are_accepted(sentences: list[str], insertions: list[tuple[int, str]]) -> None:
    """Whatever is inserted at either end, the text can be found in it again."""
    before = after = " ".join(sentences)
    for at, fragment in insertions:
        after = inserted(after, at, fragment)
    assert not list(broken_by_insertion(before, after, FRAGMENTS, len(insertions), repeated=False))


@given(st.sampled_from(FRAGMENTS), st.data())
def test_a_letter_changed_beside_an_insertion_is_found(fragment: str, data: st.DataObject) -> None:
    """The rest of the text must be what it was, byte for byte."""
    after = f"{TEXT} {fragment}"
    place = data.draw(st.integers(0, len(after) - 1))
    changed = f"{after[:place]}#{after[place + 1 :]}"
    assert list(broken_by_insertion(TEXT, changed, FRAGMENTS, 1, repeated=False))


@pytest.mark.parametrize(
    "after",
    [
        f"The lid was open. {FRAGMENTS[0]} It rained!  Why?",
        f"The lid was open. It rained! {FRAGMENTS[1]}  Why?",
        f"The lid was open. It rained!  {FRAGMENTS[1]} Why?",
    ],
)
def test_a_fragment_between_sentences_is_accepted(after: str) -> None:
    """On either side of the white space between two sentences."""
    assert not list(broken_by_insertion(TEXT, after, FRAGMENTS, 1, repeated=False))


def test_the_white_space_at_the_end_of_a_text_may_part_a_fragment_from_it() -> None:
    """No other blank is needed then, and one more does no harm."""
    for after in (f"It rained. {FRAGMENTS[0]}", f"It rained.  {FRAGMENTS[0]}", f"It rained. {FRAGMENTS[0]} "):
        assert not list(broken_by_insertion("It rained. ", after, FRAGMENTS, 1, repeated=False))


@pytest.mark.parametrize(
    ("after", "count", "repeated"),
    [
        (f"The lid {FRAGMENTS[0]} was open. It rained!  Why?", 1, False),
        (f"{TEXT} Another sentence.", 1, False),
        (f"{TEXT} {FRAGMENTS[0]}", 2, False),
        (f"{TEXT} {FRAGMENTS[0]} {FRAGMENTS[0]}", 1, False),
        (f"{TEXT} {FRAGMENTS[0]} {FRAGMENTS[1]}", 2, True),
        (f"{TEXT}{FRAGMENTS[0]}", 1, False),
        (TEXT, 1, False),
    ],
)
def test_what_is_no_insertion_at_a_boundary_is_found(after: str, count: int, repeated: bool) -> None:
    """In the middle of a sentence, another text, too few, too many, not the same, joined, or nothing at all."""
    assert list(broken_by_insertion(TEXT, after, FRAGMENTS, count, repeated=repeated))


@pytest.mark.parametrize(
    ("after", "edits", "fine"),
    [
        ("The\tlid was open. It rained!  Why?", 1, True),
        (" The lid was open. It rained!  Why?\n", 2, True),
        (" The lid was open. It rained!  Why?\n", 1, False),
        (TEXT, 3, False),
        ("Thelid was open. It rained!  Why?", 3, False),
        ("T he lid was open. It rained!  Why?", 3, False),
        ("The  lid was opened. It rained!  Why?", 3, False),
        ("The lid was op en. It rained!Why?", 3, False),
    ],
)
def test_only_white_space_between_words_may_be_edited(after: str, edits: int, fine: bool) -> None:
    """At most so many places, no word joined or parted, and something must have changed."""
    assert (not list(broken_by_blanks(TEXT, after, edits))) == fine


def test_an_order_must_be_another_one_of_the_same_labels() -> None:
    """The contract's own order, a missing label, another form and another input are found; the rest is fine."""
    one, two, three, four = CHOICE.labels
    fine = [[label, label] for label in (two, one, three, four)]
    own = [[label, label] for label in CHOICE.labels]
    others = {
        "as the contract has them": pair("option_order", presentation=own),
        "shown once": pair("option_order", presentation=fine[1:]),
        "another form": pair("option_order", presentation=[[two.upper(), two], *fine[1:]]),
        "input was changed": pair("option_order", "Something else.", fine),
    }
    rule_of_one = broken(pair("option_order", presentation=fine))
    # One of 23 is there; that is all that is wrong.
    assert rule_of_one == ["option_order/a: 1 orders instead of 23"]
    for message, wrong in others.items():
        assert any(message in rule for rule in broken(wrong))


def test_a_form_keeps_the_order() -> None:
    """Labels in another form stand where they stood."""
    shown = [[f"[{label}]", label] for label in CHOICE.labels]
    assert not broken(pair("label_format", presentation=shown))
    assert any("another order" in rule for rule in broken(pair("label_format", presentation=shown[::-1])))


def test_candidates_of_a_case_differ_and_are_numbered() -> None:
    """Two alike, a number left out, more than the contract says, or a property that it does not have."""
    once = pair("whitespace", "The  lid was open. It rained!  Why?")
    assert any("the same" in rule for rule in broken(once, once._replace(sample=1)))
    assert any("numbered" in rule for rule in broken(once._replace(sample=1)))
    assert any("at most 1" in rule for rule in broken(once, once._replace(sample=1), subject=NOUL))
    assert any("does not have" in rule for rule in broken(pair("monotonic")))


def test_only_the_text_of_an_object_is_edited() -> None:
    """All its other members stay."""
    base = {"note": TEXT, "days": 3}
    after = "The  lid was open. It rained!  Why?"
    assert not broken(pair("whitespace", {"note": after, "days": 3}), base=base)
    assert any("something else" in rule for rule in broken(pair("whitespace", {"note": after, "days": 4}), base=base))


@pytest.mark.parametrize(
    ("name", "steps", "reduced", "violations", "fine"),
    [
        ("option_order", [{"order": [2, 1, 0]}], [{"order": [2, 0, 1]}], ["max_tv_distance"], True),
        ("option_order", [{"order": [1, 0, 2]}], [{"order": [2, 1, 0]}], ["max_tv_distance"], False),
        ("whitespace", [{"at": 1}, {"at": 2}], [{"at": 1}], ["max_flip_rate"], True),
        ("whitespace", [{"at": 1}, {"at": 2}], [{"at": 1}], [], False),
        ("whitespace", [{"at": 1}], [{"at": 2}], ["max_flip_rate"], False),
    ],
)
def test_a_reduced_form_is_smaller_and_fails(
    name: str, steps: list[Any], reduced: list[Any], violations: list[str], fine: bool
) -> None:
    """Fewer steps, or an order nearer to the contract's."""
    record = {"id": "x", "property": name, "steps": steps, "reduced": {"steps": reduced, "violations": violations}}
    assert (not list(broken_by_reduction([record, {**record, "reduced": None}]))) == fine
