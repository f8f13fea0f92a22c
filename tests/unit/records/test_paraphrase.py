"""Answers of paraphrasers: what can be used of them, and what cannot."""

from __future__ import annotations

from typing import Any

import pytest

from robust.canon import canonical_bytes, read_json
from robust.errors import DataError
from robust.records.paraphrase import (
    MAX_DETAILS_BYTES,
    ParaphraseRequest,
    Paraphrases,
    is_blank,
    read_paraphrases,
    same_model,
    wording_problem,
    wordings_problem,
)
from robust.records.redaction import REDACTED, remember_secret
from robust.records.request import BackendFailure, BackendIdentity, Usage

ASKED = ParaphraseRequest(case_id="a", text="The lamp is off.", samples=2, seed=0)
SOURCE = {"provider": "house"}


class Loud(str):
    """Text that shows itself in another way than it is."""

    __slots__ = ()

    def __str__(self) -> str:
        return "LOUD"


@pytest.mark.parametrize("text", ["", " ", "\n\t \r", "\u00a0\u2003", "\u200b", "\ufeff \u2060", "\x1f"])
def test_text_that_shows_nothing_is_blank(text: str) -> None:
    """White space of every script, and characters without a shape."""
    assert is_blank(text)
    assert wording_problem(text) == "is blank"


@pytest.mark.parametrize("text", ["a", "-", " . ", "\u200bx", "日本", "\U0001f600", "\u0301", "4", "no\ttab\n"])
def test_text_that_shows_anything_is_not(text: str) -> None:
    """A single mark is enough."""
    assert not is_blank(text)
    assert wording_problem(text) is None


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "must be text, not null"),
        (5, "must be text, not an integer"),
        (["a"], "must be text, not a list"),
        (b"a", "must be text, not a value of type bytes"),
        ("a\x00b", "holds a NUL character"),
        ("a\ud800b", "holds a lone surrogate"),
    ],
)
def test_what_is_no_text_to_be_sent_is_no_wording(value: Any, problem: str) -> None:
    """It could be neither stored nor shown to a model as it is."""
    assert wording_problem(value) == problem


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], None),
        (["a", "b", "A"], None),
        (["a", "b", "a"], (2, "says the same as number 1")),
        (["x y", " x\n y "], (1, "says the same as number 1")),
        (["caf\u00e9", "cafe\u0301"], (1, "says the same as number 1")),
        (["a", "", "a"], (1, "is blank")),
    ],
)
def test_wordings_are_different_texts(texts: list[str], found: Any) -> None:
    """Two that differ in white space or in normalisation alone are one; in case they may differ."""
    assert wordings_problem(texts) == found


def test_an_answer_comes_back_as_exact_data_without_secrets() -> None:
    """Whatever classes a plugin makes its texts and objects of."""
    remember_secret("hush-hush-4711")
    given = Paraphrases(
        texts=[Loud("The lamp is not on.")],  # type: ignore[arg-type]
        provenance={"provider": Loud("house"), "note": "told hush-hush-4711", "api_key": "x"},
        usage=Usage(tokens=3, cost=0.5),
        observed={"attempts": 1, "echo": ["Hush-Hush-4711"]},
    )
    read = read_paraphrases(given, ASKED)
    assert read == Paraphrases(
        texts=("The lamp is not on.",),
        provenance={"provider": "house", "note": f"told {REDACTED}", "api_key": REDACTED},
        usage=Usage(tokens=3, cost=0.5),
        observed={"attempts": 1, "echo": [REDACTED]},
    )
    assert [type(read.texts), type(read.texts[0])] == [tuple, str]


def test_a_secret_in_a_wording_is_refused_but_not_where_it_is_a_word_of_the_text() -> None:
    """A key of a test server is often a plain word; an echo of it is one all the same."""
    remember_secret("wardrobe-key")
    answer = Paraphrases(texts=("Find the WARDROBE-KEY.",), provenance=SOURCE)
    asked = ParaphraseRequest(case_id="a", text="The wardrobe-key is lost.", samples=1, seed=0)
    assert read_paraphrases(answer, asked) == answer
    with pytest.raises(BackendFailure, match=r"^paraphrase 1 holds the value of a credential$") as caught:
        read_paraphrases(answer, ASKED)
    assert caught.value.kind == "invalid_response"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"texts": ("a", "b", "c")}, "there are 3 paraphrases, and at most 2 were asked for"),
        ({"texts": ("a", "a")}, "paraphrase 2 says the same as number 1"),
        ({"texts": ("a", " ")}, "paraphrase 2 is blank"),
        ({"texts": "ab"}, "texts must be a tuple of texts, not text"),
        ({"texts": None}, "texts must be a tuple of texts, not null"),
        ({"texts": ({},)}, "paraphrase 1 must be text, not an object"),
        ({"provenance": None}, "provenance must be a JSON object"),
        ({"provenance": {"at": 1j}}, "provenance must be a JSON object"),
        ({"provenance": {"big": "x" * MAX_DETAILS_BYTES}}, "provenance has 65546 bytes, over the limit of 65536"),
        ({"observed": []}, "observed must be a JSON object"),
        ({"observed": {"number": float("nan")}}, "observed must be a JSON object"),
        ({"usage": {"tokens": 3}}, "usage must be a Usage of sound numbers"),
        ({"usage": Usage(tokens=-1)}, "usage must be a Usage of sound numbers"),
        ({"usage": Usage(cost=float("inf"))}, "usage must be a Usage of sound numbers"),
        ({"usage": Usage(tokens=True)}, "usage must be a Usage of sound numbers"),
    ],
)
def test_what_is_no_answer_is_an_invalid_response(changes: dict[str, Any], said: str) -> None:
    """Nothing of it is repaired."""
    whole: dict[str, Any] = {"texts": ("a",), "provenance": SOURCE, **changes}
    with pytest.raises(BackendFailure) as caught:
        read_paraphrases(Paraphrases(**whole), ASKED)
    assert (caught.value.kind, str(caught.value)) == ("invalid_response", said)


@pytest.mark.parametrize("value", [None, ("a",), {"texts": ["a"]}, "a"])
def test_a_paraphraser_must_give_paraphrases(value: Any) -> None:
    """A list of texts alone does not say where they come from."""
    with pytest.raises(BackendFailure, match="must give Paraphrases, not"):
        read_paraphrases(value, ASKED)


def test_what_an_unusable_answer_cost_is_known_all_the_same() -> None:
    """It was paid."""
    answer = Paraphrases(texts=(" ",), provenance=SOURCE, usage=Usage(tokens=7), observed={"attempts": 2})
    with pytest.raises(BackendFailure) as caught:
        read_paraphrases(answer, ASKED)
    assert (caught.value.usage, caught.value.observed) == (Usage(tokens=7), {"attempts": 2})


@pytest.mark.parametrize("usage", [None, Usage(), Usage(tokens=3, cost=0.25)])
def test_an_answer_survives_being_kept(usage: Usage | None) -> None:
    """Through the bytes of a file."""
    answer = Paraphrases(texts=("a", "b"), provenance={"x": [1, None]}, usage=usage, observed={"attempts": 1})
    assert Paraphrases.from_json(read_json(canonical_bytes(answer.to_json()))) == answer


@pytest.mark.parametrize(
    "change",
    [
        {"texts": "ab"},
        {"texts": None},
        {"usage": 5},
        {"usage": {"tokens": 5}},
        {"usage": {"tokens": 5, "cost": None, "more": 1}},
        {"more": 1},
    ],
)
def test_what_was_kept_in_another_form_is_no_answer(change: dict[str, Any]) -> None:
    """A store may be shared, or of another version."""
    whole = Paraphrases(texts=("a",), provenance=SOURCE).to_json()
    kept: list[Any] = [{**whole, **change}, {key: value for key, value in whole.items() if key != "usage"}, [], None]
    for data in kept:
        with pytest.raises(DataError, match="no kept answer"):
            Paraphrases.from_json(data)


@pytest.mark.parametrize(
    ("provenance", "tested", "same"),
    [
        ({"provider": "openai", "model": "wordsmith"}, "wordsmith", True),
        ({"provider": "openai", "model": "WordSmith "}, "wordsmith", True),
        ({"provider": "openai", "model": "smith", "answered_by": "smith-0613"}, "smith-0613", True),
        ({"provider": "openai", "model": "smith"}, "smith-0613", False),
        ({"provider": "file", "name": "w.jsonl"}, "wordsmith", False),
        ({"provider": "house", "model": None}, None, False),
        ({"provider": "house", "model": ""}, "", False),
        ({"provider": "house", "model": 5}, "5", False),
    ],
)
def test_a_model_that_words_its_own_test_is_told_by_its_name(
    provenance: dict[str, Any], tested: str | None, same: bool
) -> None:
    """The one that was asked and the one that answered; who has no name is nobody's equal."""
    assert same_model(provenance, BackendIdentity(name="default", provider="openai", model=tested)) == same
