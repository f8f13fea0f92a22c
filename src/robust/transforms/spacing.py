"""Other white space."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from robust.canon import JsonObject, RandomStream
from robust.records.properties import Whitespace
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps, distinct, without_one
from robust.transforms.texts import integer_at, required_text, text_at, text_of, with_text

# Spaces that group digits or bind words are others, and are left alone.
_RUN: Final = re.compile(r"[ \t\r\n]+")
_BETWEEN_DIGITS: Final = re.compile(r"[0-9][ \t\r\n]+[0-9]")
_FOR_BLANKS: Final = ("  ", "\n", "\t", " \n")
# Paragraphs stay paragraphs.
_FOR_LINE_BREAKS: Final = ("\n\n", " \n", "\n ", "\n\n\n")
_FOR_EDGES: Final = (" ", "\n", "  ", "\t")
_ALL: Final = frozenset((*_FOR_BLANKS, *_FOR_LINE_BREAKS, *_FOR_EDGES))
_DRAWS_PER_SAMPLE: Final = 8


class WhitespaceTransformation:
    """Replaces runs of white space by others, and adds some at the edges; no other character is touched.

    A step is ``{"at": offset, "space": text}``: what stands instead of the run of white space that starts before this
    character of the original text; the run is empty at an edge without white space. A text of one word has no run, and
    a run between two digits is never edited.
    """

    def __init__(self, settings: Whitespace, field: str | None) -> None:
        self._edits = settings.edits
        self._samples = settings.samples
        self._field = field

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:
        """See :class:`Transformation`."""
        text = text_of(shown, self._field)
        if text is None:
            return "no_text"
        if not text.strip():
            return "blank_text"
        places = _places(text)
        if not any(0 < start < end < len(text) for start, end in places.items()):
            return "no_white_space"
        starts = list(places)
        drawn = (
            self._candidate(shown, text, places, self._draw(text, places, starts, stream))
            for _ in range(self._samples * _DRAWS_PER_SAMPLE)
        )
        return distinct(drawn, shown, self._samples) or "nothing_changes"

    def _draw(self, text: str, places: dict[int, int], starts: Sequence[int], stream: RandomStream) -> Steps:
        steps = []
        for start in stream.sample(starts, self._edits):
            old = text[start : places[start]]
            at_edge = start == 0 or places[start] == len(text)
            steps.append({"at": start, "space": stream.choice(_others(old, at_edge=at_edge))})
        return tuple(sorted(steps, key=_place))

    def _candidate(self, shown: Shown, text: str, places: dict[int, int], steps: Steps) -> Candidate:
        parts: list[str] = []
        done = 0
        for step in steps:
            start = step["at"]
            parts += (text[done:start], step["space"])
            done = places[start]
        parts.append(text[done:])
        return Candidate(steps, with_text(shown, self._field, "".join(parts)))

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        text = required_text(shown, self._field)
        places = _places(text)
        starts = [integer_at(step, "at", len(text)) for step in steps]
        if starts != sorted(set(starts)) or not 0 < len(steps) <= self._edits:
            raise StepError("the steps must be in the order of the text, each once, and no more than are configured")
        for start, step in zip(starts, steps, strict=True):
            if start not in places or text_at(step, "space") not in _ALL:
                raise StepError("each step must put configured white space where white space may stand")
        return self._candidate(shown, text, places, steps)

    def smaller(self, steps: Steps) -> Iterator[Steps]:
        """One edit less."""
        return without_one(steps)


def _places(text: str) -> dict[int, int]:
    """Where white space may be edited: the start of each run with its end; equal at an edge without one."""
    places = {} if text[:1] in " \t\r\n" else {0: 0}
    runs = [run.span() for run in _RUN.finditer(text)]
    # Few texts have one, and of ASCII the digits are told all at once.
    if not text.isascii() or _BETWEEN_DIGITS.search(text):
        runs = [
            (start, end)
            for start, end in runs
            if not (0 < start < end < len(text) and text[start - 1].isdigit() and text[end].isdigit())
        ]
    places.update(runs)
    if text[-1:] not in " \t\r\n":
        places[len(text)] = len(text)
    return places


@lru_cache(maxsize=256)
def _others(old: str, *, at_edge: bool) -> tuple[str, ...]:
    """What may stand instead of a run."""
    inner = _FOR_LINE_BREAKS if "\n" in old else _FOR_BLANKS
    forms = _FOR_EDGES if at_edge else inner
    return tuple(form for form in forms if form != old)


def _place(step: JsonObject) -> int:
    place: int = step["at"]
    return place
