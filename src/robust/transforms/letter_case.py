"""Other letter case."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit

# A word may go on behind an apostrophe or a mark on a letter: "Don't", not "Don'T".
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’\u0300-\u036f]+[^\W\d_]+)*")


def _capitalised(text: str) -> str:
    return _WORD.sub(lambda word: word.group()[0].title() + word.group()[1:], text)


FORMS: Final = {"lower": str.lower, "upper": str.upper, "capitalised": _capitalised}


def same_letters(text: str, changed: str) -> bool:
    """Whether two texts differ in letter case alone: not ß and SS, whose letters change otherwise."""
    return len(text) == len(changed) and text.casefold() == changed.casefold()


class LetterCase:
    """The whole text in small letters, in capitals, or with a capital at the start of each word."""

    name: ClassVar[str] = "letter-case"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        forms = {name: form(text) for name, form in FORMS.items()}
        names = [name for name, changed in forms.items() if changed != text]
        if not names:
            return None
        chosen = stream.choice(names)
        return Edit({"form": chosen}, forms[chosen])
