"""Laws of the openai backend: options and their marks, and probabilities out of alternatives to a token."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.backends.openai_answers import AnswerError, read_option_mass
from robust.backends.openai_prompt import options_of, template, write_prompt

labels = st.lists(st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=4), min_size=2, unique=True)
blanks = st.sampled_from(["", " ", "\n", "▁", "Ġ", " \t"])


def _choice(alternatives: list[tuple[str, float]]) -> dict[str, Any]:
    top = [{"token": token, "logprob": logarithm} for token, logarithm in alternatives]
    return {"logprobs": {"content": [{"token": "A", "top_logprobs": top}]}}


@st.composite
def alternatives(draw: st.DrawFn) -> tuple[list[float], list[tuple[str, float]], float]:
    """Masses of two to five options; the alternatives that they are spread over; the mass of all other tokens."""
    weights = draw(st.lists(st.floats(1e-6, 1), min_size=2, max_size=5))
    rest = draw(st.one_of(st.just(0.0), st.floats(1e-9, 2)))
    whole = math.fsum(weights) + rest
    found = [("The", math.log(rest / whole))] if rest > 0 else []
    for mark, weight in zip("ABCDE", weights, strict=False):
        parts = draw(st.lists(st.floats(0.1, 1), min_size=1, max_size=3))
        for part in parts:
            share = weight / whole * part / math.fsum(parts)
            found.append((draw(blanks) + mark + draw(blanks), math.log(share)))
    return [weight / whole for weight in weights], draw(st.permutations(found)), rest / whole


@given(alternatives())
def test_masses_come_back_however_they_are_spread_over_tokens(
    drawn: tuple[list[float], list[tuple[str, float]], float],
) -> None:
    """In any order of the alternatives; the probabilities are conditional, and sum to 1."""
    masses, found, rest = drawn
    read = read_option_mass(_choice(found), "ABCDE"[: len(masses)])
    assert read.label_mass == pytest.approx(1 - rest, abs=1e-9)
    assert read.probabilities == pytest.approx([mass / (1 - rest) for mass in masses], rel=1e-6)
    assert math.fsum(read.probabilities) == pytest.approx(1, abs=1e-12)


@given(alternatives(), st.integers(0, 4))
def test_without_all_tokens_of_an_option_nothing_is_read(
    drawn: tuple[list[float], list[tuple[str, float]], float], lost: int
) -> None:
    """However small its mass would be."""
    masses, found, _ = drawn
    marks = "ABCDE"[: len(masses)]
    mark = marks[lost % len(marks)]
    with pytest.raises(AnswerError):
        read_option_mass(_choice([each for each in found if mark not in each[0]]), marks)


@given(labels)
def test_every_option_is_named_by_its_mark_and_no_two_by_one(shown: list[str]) -> None:
    """Also in the other case and among brackets; and no option by nothing."""
    options = options_of(shown)
    assert len(set(options.marks)) == len(shown)
    for index, mark in enumerate(options.marks):
        assert [options.chosen(text) for text in (mark, mark.lower(), f" ({mark}).\n", f"**{mark}**")] == [index] * 4
    assert options.chosen("") is None


@given(labels)
def test_an_option_is_named_by_its_line(shown: list[str]) -> None:
    """As it stands in the prompt."""
    options = options_of(shown)
    assert [options.chosen(line) for line in options.lines().split("\n")] == list(range(len(shown)))


@given(st.text() | st.sampled_from(["{input}", "{options}", "{mark} {instructions}", "\\1", "{"]), st.text(), labels)
def test_what_is_filled_in_stays_what_it_is(content: str, instructions: str, shown: list[str]) -> None:
    """Each place is filled once, and what fills it is not looked at again."""
    options = options_of(shown)
    before, after = template().rstrip("\n").split("{input}")
    filled = before.replace("{instructions}", instructions)
    prompt = write_prompt(instructions, content, options)
    assert prompt.startswith(filled + content + after.split("{options}")[0])
    assert prompt.endswith(
        f"Options:\n{options.lines()}\n\nAnswer with the {options.kind} of one option, and with nothing else."
    )


def test_the_documented_template_is_the_one_that_is_used() -> None:
    """To the byte."""
    page = (Path(__file__).parents[2] / "docs" / "backends.md").read_text(encoding="utf-8")
    assert f"```text\n{template()}```\n" in page
