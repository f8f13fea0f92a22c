"""The example's own oracle and edits: what it reads, what it refuses, and what its page says of the model."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language_edits import EDITS, candidates
from language_manifest import example_cases, judge_edits, known_sentences
from language_model import LANGUAGES, decide, language_probabilities
from language_oracle import KnownSentences, UnreadableError
from language_refused import Tally, answer, property_tally
from robust import BackendError, CallableBackend, Case, Origin, Validation, run_contract, validate_variant
from robust.records.case import Relation

ORACLE = known_sentences()
CASES = example_cases()
# Two spellings of one word in two languages, a word in both, and letters whose small or capital form is two letters.
SMALL_WORLD = KnownSentences(
    [("för", "sv"), ("for", "no"), ("var", "sv"), ("var", "no"), ("İki kış", "tr"), ("Wie heißt du?", "de")]
)
MARKS = st.text(st.characters(categories=["P", "S"]), max_size=3)


def judge(
    before: str, after: str, *, oracle: KnownSentences = SMALL_WORLD, relation: Relation = "invariant"
) -> Validation:
    base = Case(before, case_id="base", source_id="source")
    origin = Origin(parent_id="base", parent_content=base.content_digest, relation=relation)
    candidate = Case(after, case_id="candidate", source_id="source", origin=origin)
    return validate_variant(base, candidate, relation=relation, contract=oracle.contract, validator=oracle)


def test_the_oracle_reads_every_text_as_the_language_it_was_written_in() -> None:
    """No two of them have the same words."""
    assert {case.case_id: ORACLE.read(case.input) for case in CASES} == {case.case_id: case.expected for case in CASES}


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("Wie heißt du?", "WIE HEIẞT DU!", "de"),
        ("Wie heißt du?", "wie, heißt... «du»", "de"),
        ("Wie heißt du?", "🙂 Wie\theißt\n• du ★", "de"),
        ("for", "FOR", "no"),
        ("för", "Fo\u0308r", None),
        ("Wie heißt du?", "WIE HEISST DU?", None),
        ("Wie heißt du?", "Wie heisst du?", None),
        ("Wie heißt du?", "Wieheißt du?", None),
        ("Wie heißt du?", "Wie-heißt-du?", None),
        ("Wie heißt du?", "Wie hei ßt du?", None),
        ("Wie heißt du?", "Wie heißt?", None),
        ("Wie heißt du?", "heißt Wie du?", None),
        ("Wie heißt du?", "Wie heißt du 2?", None),
        ("Wie heißt du?", "?!", None),
        ("İki kış", "iki kış", None),
        ("İki kış", "İKI KIŞ", None),
        ("för", "för for", None),
    ],
)
def test_a_candidate_is_valid_where_its_words_are_the_same_letter_by_letter(
    before: str, after: str, language: str | None
) -> None:
    """Otherwise unknown: a letter lost, words joined or split, two languages."""
    validation = judge(before, after)
    assert validation.status == ("unknown" if language is None else "valid")
    assert validation.data["verdict"]["variant_expected"] == language
    assert not validation.data["failures"]


def test_an_accent_removed_is_invalid_where_it_makes_a_word_of_another_language() -> None:
    """The answers are derived from the texts, so that they can differ."""
    validation = judge("för", "for")
    assert (validation.status, validation.issues) == ("invalid", ("rejected", "relation_contradicted"))
    verdict = validation.data["verdict"]
    assert (verdict["base_expected"], verdict["variant_expected"]) == ("sv", "no")


def test_a_text_of_two_languages_tells_neither_and_a_sentence_of_one_beside_it_does_not_help() -> None:
    """Both readings of the word count."""
    for text in ("var", "för var", "var for var"):
        with pytest.raises(UnreadableError, match="no and sv"):
            SMALL_WORLD.read(text)
    assert SMALL_WORLD.read("för för") == "sv"


@pytest.mark.parametrize("shown", [{"text": "for"}, None, 5])
def test_what_is_no_text_is_not_read(shown: object) -> None:
    """Also an object that holds one."""
    with pytest.raises(UnreadableError, match="no text"):
        SMALL_WORLD.read(shown)


def test_a_relation_without_a_rule_is_left_open() -> None:
    """The oracle knows of languages that stay, and of no others."""
    assert judge("för", "for", relation="counterfactual").status == "unknown"


def test_other_sentences_make_another_version_of_the_oracle() -> None:
    """In whatever order they are given."""
    pairs = [("för", "sv"), ("for", "no")]
    assert KnownSentences(pairs).version == KnownSentences(pairs[::-1]).version
    assert KnownSentences(pairs).version != KnownSentences([*pairs, ("for", "da")]).version


def test_the_oracle_cannot_be_the_model_under_test() -> None:
    """A backend of its name is refused before anything is asked."""
    backend = CallableBackend(decide, name="known-sentences", model="known-sentences")
    oracles = {"known-sentences": ORACLE}
    contract = {
        "schema_version": "1",
        "decision": {"name": "language", "type": "choice", "options": list(LANGUAGES)},
        "backend": "mock",
        "properties": {"whitespace": {"max_flip_rate": 0, "oracle": {"provider": "known-sentences"}}},
    }
    with pytest.raises(BackendError, match="known-sentences"):
        run_contract(contract, backend=backend, dataset=CASES, oracles=oracles)


@given(st.sampled_from(CASES), st.data())
def test_case_and_marks_around_words_never_change_what_is_read(case: Case, data: st.DataObject) -> None:
    """Any letter may be a capital that is one letter too, and any signs may stand before and behind any word."""
    words = []
    for word in str(case.input).split():
        letters = [
            data.draw(st.sampled_from(sorted({char, *(x for x in (char.upper(), char.lower()) if len(x) == 1)})))
            for char in word
        ]
        words.append(data.draw(MARKS) + "".join(letters) + data.draw(MARKS))
    assert ORACLE.read(" ".join(words)) == case.expected


@given(st.sampled_from(CASES), st.data())
def test_a_letter_more_or_less_is_never_read(case: Case, data: st.DataObject) -> None:
    """Unless it makes another known sentence, none of which is one letter away."""
    text = str(case.input)
    letters = [place for place, char in enumerate(text) if unicodedata.category(char)[0] in "LN"]
    place = data.draw(st.sampled_from(letters))
    for changed in (text[:place] + text[place + 1 :], text[: place + 1] + "ж" + text[place + 1 :]):
        try:
            read = ORACLE.read(changed)
        except UnreadableError:
            continue
        # What is left may be the sentence on the same topic in a sister language: vindue, vindu.
        assert read != case.expected


@given(st.sampled_from(CASES), st.sampled_from(CASES))
def test_two_sentences_are_read_where_they_have_one_language(first: Case, second: Case) -> None:
    """In either order."""
    for text in (f"{first.input} {second.input}", f"{second.input}\n{first.input}"):
        if first.expected == second.expected:
            assert ORACLE.read(text) == first.expected
        else:
            with pytest.raises(UnreadableError, match=" and "):
                ORACLE.read(text)


def test_every_edit_is_tried_and_none_gives_what_another_one_gave() -> None:
    """Nor the text itself; each with the claim that the language stays."""
    pairs = list(candidates(CASES))
    shown: dict[str, set[object]] = {case.case_id: {case.input} for case in CASES}
    for base, candidate in pairs:
        assert candidate.input not in shown[base.case_id]
        shown[base.case_id].add(candidate.input)
        assert candidate.origin is not None
        assert candidate.origin.relation == "invariant"
        assert candidate.expected is None
    assert {candidate.origin.transform for _, candidate in pairs if candidate.origin} == set(EDITS)


def test_the_oracle_accepts_and_refuses_for_reasons_and_never_fails() -> None:
    """What raised would be unknown too."""
    validations = judge_edits()
    assert {validation.status for validation in validations} == {"valid", "unknown"}
    assert [validation for validation in validations if validation.data["failures"]] == []
    unread = {validation.data["verdict"]["reason"] for validation in validations if validation.status != "valid"}
    assert all(reason.startswith("candidate: no known sentence has ") for reason in unread)


def test_one_small_letter_makes_the_model_read_capitals_as_they_are() -> None:
    """The cause that the page names, with its numbers and its sentence."""
    capitals = [(case, str(case.input).upper()) for case in CASES]
    right = [(case, text) for case, text in capitals if answer(text) == case.expected]
    lost = [case for case, text in right if answer(text[:1].lower() + text[1:]) != case.expected]
    assert (len(right), len(lost)) == (232, 121)
    # All but the two with a sign that counts as a small letter: n.º
    whole = [text for _, text in capitals if text.isupper()]
    assert len(whole) == len(CASES) - 2
    assert all(language_probabilities(text) == language_probabilities(text.lower()) for text in whole)
    warning = "NO SMOKING ON THE STAIRS"
    assert (answer(warning), answer(f"{warning}, pls")) == ("en", "pt")


def test_of_equally_probable_languages_the_first_is_the_answer() -> None:
    """As in a run: the model knows nothing of this word."""
    assert len(set(language_probabilities("Fenster").values())) == 1
    assert answer("Fenster") == LANGUAGES[0]


def test_a_tally_counts_what_was_refused_apart() -> None:
    """A pair without an answer of its own counts nowhere."""
    decision = {"kind": "decision", "case_id": "c", "result": {"selected": "en"}}
    refused = {"kind": "pair", "property": "p", "case_id": "c", "validation": {"status": "unknown"}}
    records = [
        decision,
        {"kind": "decision", "case_id": "e", "error": {"kind": "timeout"}},
        {"kind": "pair", "property": "p", "case_id": "c", "comparison": {"flipped": True}},
        {"kind": "pair", "property": "p", "case_id": "c", "comparison": {"flipped": False}},
        {"kind": "pair", "property": "other", "case_id": "c", "comparison": {"flipped": True}},
        {**refused, "input": "Where is my key?"},
        {**refused, "input": "Waar is mijn sleutel?"},
        {**refused, "input": "Where is my key?", "case_id": "e"},
        {"kind": "skip", "property": "p", "case_id": "c", "reason": "no_white_space"},
    ]
    assert property_tally(records, "p") == Tally(scored=2, failed=1, refused=2, would_fail=1)
