"""What a transformation gives: candidates, or the reason why a case has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, get_args

from robust.canon import JsonObject, RandomStream
from robust.records.presentation import Presentation

Shown: TypeAlias = str | JsonObject
# One removable part of a transformation, as plain JSON.
Steps: TypeAlias = tuple[JsonObject, ...]
SkipReason: TypeAlias = Literal[
    "no_text",
    "blank_text",
    "no_white_space",
    "nothing_changes",
    "no_other_form",
    "no_rewrite_matches",
    "no_number",
    "no_paraphrase",
]
SKIP_REASONS: Final[tuple[SkipReason, ...]] = get_args(SkipReason)
# Part of every random stream: another way to make candidates needs another name, so that old runs stay checkable.
GENERATOR: Final = "robust.candidates/1"


class Candidate(NamedTuple):
    """A transformed case: what was done, and what the model is shown; whether its answer still holds is not known."""

    steps: Steps
    input: Shown
    presentation: Presentation | None = None


class StepError(ValueError):
    """Steps that cannot have been made for this input; the message says why."""


class Transformation(Protocol):
    """Makes the candidates of one property; pure: equal arguments give equal candidates."""

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:
        """Distinct candidates that differ from the input, at most as many as are asked for; or why there is none."""
        ...

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """The candidate that steps make of an input.

        Raises:
            StepError: the steps do not fit the input or the settings.
        """
        ...

    def smaller(self, steps: Steps) -> Iterator[Steps]:
        """Smaller transformations to try, the most promising first; none where nothing can be left out."""
        ...


def distinct(candidates: Iterator[Candidate], shown: Shown, wanted: int) -> list[Candidate]:
    """The first candidates that change something, each once."""
    found: list[Candidate] = []
    for candidate in candidates:
        if candidate.presentation is None and candidate.input == shown:
            continue
        if all(candidate[1:] != other[1:] for other in found):
            found.append(candidate)
            if len(found) == wanted:
                break
    return found


def without_one(steps: Steps) -> Iterator[Steps]:
    """The steps without one of them, in turn; nothing for a single step."""
    if len(steps) > 1:
        for index in range(len(steps)):
            yield steps[:index] + steps[index + 1 :]
