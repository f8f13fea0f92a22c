"""The properties ``inversion`` and ``paraphrase``: texts that are replaced by others."""

from __future__ import annotations

from typing import Any

import pytest

from robust.canon import RandomStream
from robust.records.properties import Inversion
from robust.transforms.candidate import Candidate, StepError
from robust.transforms.rewriting import InversionTransformation, RewordingTransformation

REWRITES = [
    {"find": "is eligible", "replace": "is not eligible"},
    {"find": "above", "replace": "below"},
    {"find": "may", "replace": "may not"},
]


def _inversion(samples: int = 1, field: str | None = None, rewrites: Any = None) -> InversionTransformation:
    chosen: Any = rewrites or REWRITES
    settings = Inversion(max_flip_rate=0, samples=samples, rewrites=chosen)
    return InversionTransformation(settings, field)


def _generate(transformation: InversionTransformation, shown: Any) -> Any:
    return transformation.generate(shown, RandomStream(1))


def test_the_first_rewrite_that_applies_is_used() -> None:
    """In the contract's order, not the text's; only its first occurrence is replaced."""
    (candidate,) = _generate(_inversion(), "above all he is eligible, and she is eligible")
    assert candidate.input == "above all he is not eligible, and she is eligible"
    assert candidate.steps == (REWRITES[0],)


def test_as_many_rewrites_as_apply_and_are_asked_for() -> None:
    """Each gives one candidate."""
    made = _generate(_inversion(samples=3), "he may go above")
    assert [candidate.input for candidate in made] == ["he may go below", "he may not go above"]
    assert len(_generate(_inversion(samples=1), "he may go above")) == 1


@pytest.mark.parametrize(
    ("shown", "rewrites", "reason"),
    [
        ("nothing of it", None, "no_rewrite_matches"),
        ("", None, "no_rewrite_matches"),
        ({"n": 1}, None, "no_text"),
        ("the same", [{"find": "same", "replace": "same"}], "nothing_changes"),
    ],
)
def test_a_case_that_cannot_be_turned_round_is_skipped(shown: Any, rewrites: Any, reason: str) -> None:
    """With the reason."""
    assert _generate(_inversion(rewrites=rewrites), shown) == reason


def test_two_rewrites_to_the_same_text_are_one_candidate() -> None:
    """Duplicates are never sent."""
    rewrites = [{"find": "yes", "replace": "no"}, {"find": "yes.", "replace": "no."}]
    assert len(_generate(_inversion(samples=2, rewrites=rewrites), "yes.")) == 1


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({"find": "he", "replace": "she"},),
        ({"find": "may"},),
        ({"find": "may", "replace": None},),
        ({"find": "above", "replace": "below"},),
        (REWRITES[2], REWRITES[2]),
        ({"text": "another"},),
    ],
)
def test_rewrites_of_something_else_are_refused(steps: Any) -> None:
    """What is not configured, or does not stand in the text."""
    with pytest.raises(StepError):
        _inversion().apply("he may go", steps)


def test_a_rewrite_is_applied_again_as_it_was() -> None:
    """And has no smaller form; the field of an object likewise."""
    shown = {"text": "he may go", "n": 1}
    (candidate,) = _generate(_inversion(field="text"), shown)
    assert _inversion(field="text").apply(shown, candidate.steps) == candidate
    assert candidate.input == {"text": "he may not go", "n": 1}
    assert list(_inversion().smaller(candidate.steps)) == []


def test_the_same_input_is_asked_again_as_often_as_is_asked_for() -> None:
    """The one kind of candidate that may change nothing."""
    identity = RewordingTransformation(5, None, identity=True)
    assert identity.generate("text", RandomStream(1)) == [Candidate((), "text")] * 5
    assert identity.generate({"no": "text"}, RandomStream(1)) == [Candidate((), {"no": "text"})] * 5
    assert identity.apply("text", ()) == Candidate((), "text")
    with pytest.raises(StepError, match="no steps"):
        identity.apply("text", ({"text": "text"},))


def test_paraphrases_are_candidates_but_those_that_change_nothing() -> None:
    """Each once, at most as many as are asked for; nothing is made without a paraphraser."""
    rewording = RewordingTransformation(2, None, identity=False)
    made = rewording.of_texts("text", ("text", "wording", "wording", "third", "fourth"))
    assert isinstance(made, list)
    assert [candidate.input for candidate in made] == ["wording", "third"]
    assert [candidate.steps for candidate in made] == [({"text": "wording"},), ({"text": "third"},)]
    assert rewording.of_texts("text", ()) == "no_paraphrase"
    assert rewording.of_texts("text", ("text",)) == "nothing_changes"
    assert rewording.generate("text", RandomStream(1)) == "no_paraphrase"
    assert list(rewording.smaller(made[0].steps)) == []


def test_only_text_can_be_worded_otherwise() -> None:
    """Blank text cannot."""
    rewording = RewordingTransformation(1, "t", identity=False)
    assert [rewording.text(shown) for shown in ("a", {"t": "b"}, " ", {"t": ""}, {"n": 1})] == [
        "a",
        "b",
        None,
        None,
        None,
    ]
    assert [rewording.why_not(shown) for shown in (" ", {"n": 1})] == ["blank_text", "no_text"]


@pytest.mark.parametrize("steps", [(), ({"text": 5},), ({"words": "x"},), ({"text": "a"}, {"text": "b"})])
def test_steps_of_no_paraphrase_are_refused(steps: Any) -> None:
    """There is one text; of anything else that a step may hold nothing is kept."""
    rewording = RewordingTransformation(1, None, identity=False)
    with pytest.raises(StepError):
        rewording.apply("text", steps)
    with pytest.raises(StepError):
        rewording.apply({"n": 1}, ({"text": "x"},))
    assert rewording.apply("text", ({"text": "x", "more": 1},)) == Candidate(({"text": "x"},), "x")
