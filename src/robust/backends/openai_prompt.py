"""The prompt of the ``openai`` backend: the template ``openai_prompt.txt``, and the marks that the options get.

Options are marked ``A``, ``B``, … where there are at most 26. They are numbered where there are more, or where a label
is itself one of these letters: an option ``A: B`` would ask for two things at once.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from robust.canon import JsonObject, canonical_text, digest_bytes

_PLACE = re.compile(r"\{(instructions|input|options|mark)\}")
_EDGES = " \t\r\n.,:;()[]*`'\""


@dataclass(frozen=True, slots=True)
class Options:
    """Labels as options to choose from.

    Attributes:
        labels: the labels as shown.
        marks: what stands before each, and is to be answered.
        kind: what the marks are called in the prompt.
    """

    labels: tuple[str, ...]
    marks: tuple[str, ...]
    kind: str

    def lines(self) -> str:
        """The options as they stand in the prompt, one a line."""
        return "\n".join(f"{mark}: {label}" for mark, label in zip(self.marks, self.labels, strict=True))

    def chosen(self, text: str) -> int | None:
        """Which option a whole answer names: by its mark, its line or its label; None where it does not say just one.

        Marks may stand in the other case and among brackets, quotation marks, asterisks and points.
        """
        whole = text.strip()
        mark = whole.strip(_EDGES).upper()
        if mark in self.marks:
            return self.marks.index(mark)
        if whole in self.labels:
            return self.labels.index(whole)
        lines = self.lines().split("\n")
        return lines.index(whole) if whole in lines else None


def options_of(labels: Sequence[str]) -> Options:
    """Give labels their marks."""
    letters = tuple(string.ascii_uppercase[: len(labels)])
    if len(labels) <= len(letters) and not {label.strip(_EDGES).upper() for label in labels} & set(letters):
        return Options(tuple(labels), letters, "letter")
    return Options(tuple(labels), tuple(str(number) for number in range(1, len(labels) + 1)), "number")


@cache
def template() -> str:
    """The template, whose places ``{instructions}``, ``{input}``, ``{options}`` and ``{mark}`` are filled."""
    return _template_bytes().decode("utf-8")


@cache
def template_digest() -> str:
    """The digest of the template's bytes, which says exactly how a model was asked."""
    return digest_bytes(_template_bytes())


def _template_bytes() -> bytes:
    return (files("robust.backends") / "openai_prompt.txt").read_bytes()


def write_prompt(instructions: str, content: str | JsonObject, options: Options) -> str:
    """The prompt for one input; an object stands in it as canonical JSON.

    All places are filled at once, so that braces in what is filled in stay what they are.
    """
    filled = {
        "instructions": instructions,
        "input": content if isinstance(content, str) else canonical_text(content),
        "options": options.lines(),
        "mark": options.kind,
    }
    return _PLACE.sub(lambda place: filled[place[1]], template()).rstrip("\n")
