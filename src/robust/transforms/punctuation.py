"""Other punctuation: marks that mostly say nothing are left out, added, or written in another form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit, substitution

_END: Final = re.compile(r"(?<=\w)(\.?)(\s*)\Z")
# What a full stop behind it would become a part of: an address, a path.
_ADDRESS: Final = re.compile(r"\S*[@/\\]\S*\Z")
# Between words with a blank behind it, never between figures; without a blank two words would become one.
_COMMA: Final = re.compile(r"(?<=[^\W\d_]),(?= )|(?<=\w),(?= [^\W\d_])")
_APOSTROPHE: Final = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")
_DASH: Final = re.compile(r"(?<=[^\W\d_] )[-–—](?= [^\W\d_])")
_DOTS: Final = re.compile(r"(?<!\.)\.\.\.(?!\.)|…")
# At a word's end. Behind a figure or a single letter an exclamation mark may be a factorial, of which two are another.
_REPEATED: Final = re.compile(r"(?:(?<=\w)\?|(?<=[^\W\d_][^\W\d_])!)(?=[\s\"'”’»)\]]|\Z)")
_DASHES: Final = "-–—"
_LONGEST_ADDRESS: Final = 2048


def _forms(text: str) -> Iterator[tuple[int, int, str]]:
    """Every place with what may stand there instead."""
    end = _END.search(text)
    if end is not None and not _ADDRESS.search(text[max(end.start() - _LONGEST_ADDRESS, 0) : end.start()]):
        start, behind = end.span(1)
        yield start, behind, "" if behind > start else "."
    for found in _COMMA.finditer(text):
        yield found.start(), found.end(), ""
    for found in _APOSTROPHE.finditer(text):
        yield found.start(), found.end(), "’" if found.group() == "'" else "'"
    for found in _DASH.finditer(text):
        for dash in _DASHES.replace(found.group(), ""):
            yield found.start(), found.end(), dash
    for found in _DOTS.finditer(text):
        yield found.start(), found.end(), "…" if found.group() == "..." else "..."
    for found in _REPEATED.finditer(text):
        yield found.start(), found.end(), found.group() * 2


class Punctuation:
    """One mark is changed.

    The full stop at the end is left out or added; a comma between words is left out; an apostrophe, a dash or three
    points are written in another form; a question or exclamation mark is doubled. Marks between figures stay.
    """

    name: ClassVar[str] = "punctuation"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        forms = list(_forms(text))
        return substitution(text, *stream.choice(forms)) if forms else None
