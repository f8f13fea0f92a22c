"""Sentences that say nothing to the point, at sentence boundaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from robust.canon import JsonObject, RandomStream
from robust.records.properties import IrrelevantContext, RepeatedContext
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps, distinct, without_one
from robust.transforms.texts import integer_at, required_text, sentence_boundaries, text_at, text_of, with_text

# How many draws are made for each candidate that is wanted, as some of them may be alike.
_DRAWS_PER_SAMPLE = 8


class ContextTransformation:
    """Inserts fragments at sentence boundaries; everything else stays byte for byte.

    A step is ``{"at": offset, "text": fragment}``: before which character of the original text a fragment stands. Steps
    are in the order of the text.

    Args:
        settings: how many fragments are inserted: different ones, or one of them several times.
        field: of an object, the key of its text.
    """

    def __init__(self, settings: IrrelevantContext | RepeatedContext, field: str | None) -> None:
        self._fragments = tuple(dict.fromkeys(settings.fragments))
        self._samples = settings.samples
        self._repeats = settings.repeats if isinstance(settings, RepeatedContext) else None
        self._insertions = 1 if isinstance(settings, RepeatedContext) else settings.insertions
        self._field = field

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:
        """See :class:`Transformation`."""
        text = text_of(shown, self._field)
        if text is None:
            return "no_text"
        if not text.strip():
            return "blank_text"
        boundaries = _boundaries(text)
        drawn = (
            self._candidate(shown, text, self._draw(boundaries, stream))
            for _ in range(self._samples * _DRAWS_PER_SAMPLE)
        )
        return distinct(drawn, shown, self._samples) or "nothing_changes"

    def _draw(self, boundaries: Sequence[int], stream: RandomStream) -> Steps:
        steps = [{"at": stream.choice(boundaries), "text": fragment} for fragment in self._chosen(stream)]
        return tuple(sorted(steps, key=_place))

    def _chosen(self, stream: RandomStream) -> list[str]:
        """The fragments of one candidate: each once while there are others left."""
        if self._repeats is not None:
            return [stream.choice(self._fragments)] * self._repeats
        chosen: list[str] = []
        while len(chosen) < self._insertions:
            chosen += stream.sample(self._fragments, self._insertions - len(chosen))
        return chosen

    def _candidate(self, shown: Shown, text: str, steps: Steps) -> Candidate:
        parts: list[str] = []
        done = 0
        for step in steps:
            place, fragment = step["at"], step["text"]
            parts.append(text[done:place])
            if place == len(text):
                # Behind the last sentence, or behind the fragment that stands there already.
                spaced = text[-1:].isspace() and done < place
                parts.append(fragment if spaced else " " + fragment)
            else:
                parts.append(fragment + " ")
            done = place
        parts.append(text[done:])
        return Candidate(steps, with_text(shown, self._field, "".join(parts)))

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        text = required_text(shown, self._field)
        boundaries = set(_boundaries(text))
        for step in steps:
            if integer_at(step, "at", len(text)) not in boundaries or text_at(step, "text") not in self._fragments:
                raise StepError("each step must put a configured fragment at a sentence boundary")
        if list(steps) != sorted(steps, key=_place) or not 0 < len(steps) <= (self._repeats or self._insertions):
            raise StepError("the steps must be in the order of the text, and no more than are configured")
        if self._repeats is not None and len({step["text"] for step in steps}) > 1:
            raise StepError("one fragment is repeated")
        return self._candidate(shown, text, steps)

    def smaller(self, steps: Steps) -> Iterator[Steps]:
        """One insertion less."""
        return without_one(steps)


@lru_cache(maxsize=4)
def _boundaries(text: str) -> tuple[int, ...]:
    # Two properties and all of their candidates look at one text after the other.
    return tuple(sentence_boundaries(text))


def _place(step: JsonObject) -> int:
    place: int = step["at"]
    return place
