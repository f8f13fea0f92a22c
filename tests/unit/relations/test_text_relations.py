"""Irrelevant text, padding, white space, letter case, paraphrases and removal."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robust import (
    case_invariant,
    distractor_robust,
    formatting_invariant,
    length_invariant,
    paraphrase_invariant,
    remove_irrelevant,
)
from robust.errors import DataError, UsageError
from robust.relations.filler_relations import DISTRACTORS, FILLER
from robust.relations.relation import NotApplicable, Relation

TEXTS: dict[str, Relation] = {
    "distractor": distractor_robust(),
    "length": length_invariant(),
    "formatting": formatting_invariant(),
    "case": case_invariant(),
    "paraphrase": paraphrase_invariant(paraphrases={"Hello there": "Good day"}),
}


def variants(relation: Relation, given: Any, samples: int = 40) -> list[Any]:
    return [relation.variant(given, sample) for sample in range(samples)]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("given", ["", " \n", None, 3, b"text", {"text": "a"}, float("nan")])
def test_what_is_no_text_is_skipped_with_the_reason(name: str, given: Any) -> None:
    """Never changed into something else."""
    with pytest.raises(NotApplicable, match="text"):
        TEXTS[name].variant(given)


@pytest.mark.parametrize("name", TEXTS)
def test_each_says_what_it_preserves(name: str) -> None:
    """That is why it is fair."""
    assert TEXTS[name].transform.preserves  # type: ignore[attr-defined]


def test_distractors_stand_behind_before_or_on_both_sides() -> None:
    """And never in the text."""
    text = "It is late."
    assert all(each.startswith(text + " ") for each in variants(distractor_robust(), text))
    assert all(each.endswith(" " + text) for each in variants(distractor_robust(where="start"), text))
    both = variants(distractor_robust(where="both"), text)
    assert {each.index(text) > 0 for each in both} == {True, False}
    assert len(set(both)) > 10


def test_a_sentence_never_runs_into_a_text_without_an_end() -> None:
    """It gets a line of its own, as it does in a text of lines."""
    added = distractor_robust(distractors="Sure.")
    assert added.variant("pay 5") == "pay 5\nSure."
    assert added.variant("pay.\nnow.") == "pay.\nnow.\nSure."
    assert added.variant("«pay.»") == "«pay.» Sure."
    assert added.variant("払って。") == "払って。 Sure."
    assert added.variant("pay \n") == "pay \nSure."


def test_english_sentences_are_for_text_in_latin_letters_and_not_for_data() -> None:
    """The caller's own are for any text that is no data."""
    for relation in (distractor_robust(), length_invariant()):
        for text in ("これは本です。", "12345"):
            with pytest.raises(NotApplicable, match="no Latin letters"):
                relation.variant(text)
        with pytest.raises(NotApplicable, match="JSON"):
            relation.variant('{"text": "a"}')
    assert distractor_robust(distractors="天気がいい。").variant("これは本です。") == "これは本です。 天気がいい。"
    with pytest.raises(NotApplicable, match="JSON"):
        distractor_robust(distractors="x").variant("[1]")


def test_irrelevant_items_get_anywhere_into_a_list() -> None:
    """If they are the caller's; the items keep their order."""
    relation = distractor_robust("documents", distractors=[{"id": 9}])
    found = [each["documents"] for each in variants(relation, {"documents": ({"id": 1}, {"id": 2})})]
    assert {each.index({"id": 9}) for each in found} == {0, 1, 2}
    assert all([item for item in each if item != {"id": 9}] == [{"id": 1}, {"id": 2}] for each in found)
    with pytest.raises(NotApplicable, match="of its own kind"):
        distractor_robust().variant(["a"])
    with pytest.raises(NotApplicable, match="this is text"):
        relation.variant({"documents": "a"})


def test_additions_shrink_to_fewer() -> None:
    """One alone first, in text and in lists."""
    relation = distractor_robust(where="both", most=3)
    base = "It is late."
    variant = next(each for each in variants(relation, base) if each.count(".") == 4)
    assert relation.shrink is not None
    simpler = list(relation.shrink(base, variant))
    assert [each.count(".") for each in simpler] == sorted(each.count(".") for each in simpler)
    assert simpler[0].count(".") == 2
    assert all(base in each for each in simpler)
    items = distractor_robust(distractors=[7, 8, 9], most=3)
    assert items.shrink is not None
    assert list(items.shrink([1, 2], [7, 1, 8, 2]))[:2] == [[7, 1, 2], [1, 8, 2]]
    assert list(items.shrink("a", "b")) == []


@pytest.mark.parametrize("factor", [1.01, 2, 7.5])
def test_padding_makes_a_text_as_long_as_wanted_and_hardly_longer(factor: float) -> None:
    """In characters, by whole sentences of the filler."""
    text = "The parcel came late and was wet."
    for padded in variants(length_invariant(factor=factor), text):
        assert padded.startswith(text)
        assert len(text) * factor <= len(padded) <= len(text) * factor + max(map(len, FILLER)) + 1
        assert set(re.findall(r"[^.]+\.", padded[len(text) :])) <= {" " + each for each in FILLER}


def test_padding_that_would_fill_the_memory_is_skipped() -> None:
    """Not tried."""
    with pytest.raises(NotApplicable, match="characters long"):
        length_invariant(factor=1000).variant("a" * 100_000)


@pytest.mark.parametrize("factor", [1, 0, -2, float("nan"), float("inf"), 1001, "2", None, True])
def test_a_factor_that_does_not_pad_is_refused(factor: Any) -> None:
    """At once."""
    with pytest.raises(UsageError, match="factor: must be a number above 1"):
        length_invariant(factor=factor)


@pytest.mark.parametrize("given", ["", " ", [], [""], ["a", 1], 3, b"a"])
def test_filler_and_distractors_must_be_there(given: Any) -> None:
    """Blank ones would change nothing."""
    with pytest.raises(UsageError, match="filler"):
        length_invariant(filler=given)
    with pytest.raises(UsageError, match="distractors"):
        distractor_robust(distractors=given)


@pytest.mark.parametrize("options", [{"where": "middle"}, {"most": 0}, {"most": 1.5}, {"most": True}])
def test_wrong_options_of_distractors_are_refused(options: Any) -> None:
    """Naming the option."""
    with pytest.raises(UsageError, match=next(iter(options))):
        distractor_robust(**options)


def test_white_space_changes_and_words_do_not() -> None:
    """Every style comes, and no blank between digits is touched."""
    found = variants(formatting_invariant(), "pay 1 000 now\nplease")
    assert all(each.split() == ["pay", "1", "000", "now", "please"] for each in found)
    assert all("1 000" in each for each in found)
    assert len(set(found)) == 6


def test_styles_can_be_chosen_or_brought_along() -> None:
    """One that changes words is an error, not a finding."""
    assert formatting_invariant(styles=["tab-before"]).variant("a") == "\ta"
    assert formatting_invariant(styles=lambda text: text.replace(" ", "\n")).variant("a b") == "a\nb"  # type: ignore[arg-type]
    with pytest.raises(DataError, match="changes more than white space"):
        formatting_invariant(styles=[lambda text: text + "!"]).variant("a")
    with pytest.raises(DataError, match="changes more than white space"):
        formatting_invariant(styles=[lambda text: None]).variant("a")  # type: ignore[list-item,return-value]
    with pytest.raises(UsageError, match="'tabs' is not known; one of blanks-around"):
        formatting_invariant(styles=["tabs"])
    with pytest.raises(UsageError, match="there is none"):
        formatting_invariant(styles=[])
    with pytest.raises(NotApplicable, match="no white space"):
        formatting_invariant(styles=["doubled-blanks"]).variant("word")


def test_formatting_shrinks_to_fewer_changed_gaps() -> None:
    """Down to one."""
    relation = formatting_invariant()
    assert relation.shrink is not None
    assert list(relation.shrink("a b c", "a  b  c")) == ["a  b c", "a b  c"]
    assert list(relation.shrink("a b", "a c")) == []


def test_letter_case_changes_and_letters_do_not() -> None:
    """A form that a language has otherwise is left out, so that both texts fold to the same."""
    assert set(variants(case_invariant(), "don't stop")) == {"DON'T STOP", "Don't Stop"}
    assert set(variants(case_invariant(), "straße")) == {"Straße"}
    assert {each.casefold() for each in variants(case_invariant(), "ΣΟΦΟΣ")} == {"σοφοσ"}
    assert set(variants(case_invariant(cases="upper"), "ab")) == {"AB"}
    with pytest.raises(NotApplicable, match="no letters"):
        case_invariant().variant("12 日本")
    with pytest.raises(DataError, match="changes more than letters"):
        case_invariant(cases=[lambda text: text[::-1]]).variant("ab")


def test_letter_case_shrinks_to_fewer_words() -> None:
    """One word first."""
    relation = case_invariant()
    assert relation.shrink is not None
    assert list(relation.shrink("a b c", "A B c")) == ["A b c", "a B c"]


def test_paraphrases_come_from_a_mapping_a_list_or_a_function() -> None:
    """Several of one text are drawn from; a text without any is skipped."""
    table = paraphrase_invariant(paraphrases={"hi": ["hello", "hey"]})
    assert set(variants(table, "hi")) == {"hello", "hey"}
    same = paraphrase_invariant("ask", paraphrases=["Is it?", "Is that so?"])
    assert same.variant({"ask": "Is it?"}) == {"ask": "Is that so?"}
    drawn = paraphrase_invariant(paraphrases=lambda text, random: text + random.choice("!?"))
    assert set(variants(drawn, "hi")) == {"hi!", "hi?"}
    assert paraphrase_invariant(paraphrases=lambda text: {text + "!"}).variant("hi") == "hi!"
    for relation, text in ((table, "bye"), (paraphrase_invariant(paraphrases=lambda _: None), "hi"), (table, "HI")):
        with pytest.raises(NotApplicable, match="no paraphrase"):
            relation.variant(text)
    with pytest.raises(NotApplicable, match="no paraphrase"):
        same.variant({"ask": "Was it?"})


async def later(text: str) -> str:
    return text


@pytest.mark.parametrize("function", [lambda text: 3, lambda text: "", lambda text: ["a", None], later])
def test_a_function_that_gives_no_paraphrase_is_an_error(function: Any) -> None:
    """Not a variant."""
    with pytest.raises(DataError, match="the function gave"):
        paraphrase_invariant(paraphrases=function).variant("hi")


@pytest.mark.parametrize("given", ["hello", 3, None, {}, [], {"a": []}, {1: "a"}, {"a": ""}, ["a", 2]])
def test_paraphrases_that_are_none_are_refused(given: Any) -> None:
    """At once."""
    with pytest.raises(UsageError, match="paraphrases"):
        paraphrase_invariant(paraphrases=given)


def test_what_is_irrelevant_goes_from_lines_lists_and_dicts() -> None:
    """Some of it or all of it; everything else stays in its order."""
    comments = remove_irrelevant(irrelevant=re.compile("^#"))
    assert set(variants(comments, "# a\nx\n# b\ny")) == {"x\n# b\ny", "# a\nx\ny", "x\ny"}
    assert remove_irrelevant(irrelevant=lambda item: item["ad"]).variant([{"ad": 0}, {"ad": 1}]) == [{"ad": 0}]
    assert remove_irrelevant(irrelevant=["id"]).variant({"id": 1, "text": "a"}) == {"text": "a"}
    assert remove_irrelevant(irrelevant="x").variant(("x", "y")) == ("y",)
    assert remove_irrelevant(irrelevant=[[1]]).variant([[1], [2]]) == [[2]]


@pytest.mark.parametrize("given", ["x\ny", "#a\n#b\n", [], ["#a"], {}, None, 3, "# a"])
def test_nothing_or_everything_irrelevant_is_skipped(given: Any) -> None:
    """An empty input would not be fair."""
    with pytest.raises(NotApplicable):
        remove_irrelevant(irrelevant=re.compile("#")).variant(given)


@pytest.mark.parametrize("given", [3, None, [], {}, b"a"])
def test_what_does_not_tell_what_is_irrelevant_is_refused(given: Any) -> None:
    """At once."""
    with pytest.raises(UsageError, match="irrelevant"):
        remove_irrelevant(irrelevant=given)


def test_removal_shrinks_to_less_removed() -> None:
    """Lines, items and keys."""
    relation = remove_irrelevant(irrelevant=lambda piece: True)
    assert relation.shrink is not None
    assert list(relation.shrink("a\nb\nc\n", "b\n"))[:2] == ["b\nc\n", "a\nb\n"]
    assert list(relation.shrink([1, 2, 3], [3]))[:2] == [[2, 3], [1, 3]]
    assert list(relation.shrink({"a": 1, "b": 2, "c": 3}, {"c": 3}))[:2] == [{"b": 2, "c": 3}, {"a": 1, "c": 3}]


def test_the_sentences_of_the_catalog_say_nothing_that_a_system_could_go_by() -> None:
    """No digit, no name in the middle, no denial, no word of praise or blame, nothing twice."""
    for text in (*DISTRACTORS, *FILLER):
        words = re.findall(r"[A-Za-z]+", text)
        assert text.endswith(".")
        assert not any(character.isdigit() for character in text)
        assert all(word[0].islower() for word in words[1:])
        assert not {"not", "no", "never", "good", "bad", "best", "worst", "nothing"} & {word.lower() for word in words}
    assert len({*DISTRACTORS, *FILLER}) == len(DISTRACTORS) + len(FILLER)
