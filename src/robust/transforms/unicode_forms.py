"""Other code points for what looks the same: Unicode normal forms, and letters of other scripts."""

from __future__ import annotations

import re
import unicodedata
from typing import ClassVar, Final, Literal

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit, substitutions

_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_CANONICAL: Final[tuple[_Form, ...]] = ("NFC", "NFD")
_COMPATIBLE: Final[tuple[_Form, ...]] = ("NFKC", "NFKD")
_MOST_LETTERS: Final = 3
# Normalising takes time for the square of the marks on one letter; no writing has more (UAX #15, Stream-Safe Text).
_MOST_MARKS: Final = 30
# Letters that most typefaces draw alike: Latin, Cyrillic, Greek.
_ALIKE: Final = (
    *("aа", "cс", "eе", "iі", "jј", "oоο", "pрρ", "sѕ", "vν", "xх", "yу", "hһ", "dԁ", "qԛ", "wԝ"),
    *("AАΑ", "BВΒ", "CС", "EЕΕ", "HНΗ", "IІΙ", "JЈ", "KКΚ", "MМΜ", "NΝ", "OОΟ", "PРΡ", "SЅ", "TТΤ", "XХΧ", "YΥҮ", "ZΖ"),
)
CONFUSABLE: Final = {letter: group.replace(letter, "") for group in _ALIKE for letter in group}
_CONFUSABLE: Final = re.compile(f"[{''.join(CONFUSABLE)}]")


class Confusables:
    """One to three letters become letters of another script that look the same."""

    name: ClassVar[str] = "confusables"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        places = [found.start() for found in _CONFUSABLE.finditer(text)]
        if not places:
            return None
        chosen = sorted(stream.sample(places, 1 + stream.below(_MOST_LETTERS)))
        return substitutions(text, [(at, at + 1, stream.choice(CONFUSABLE[text[at]])) for at in chosen])


class UnicodeCanonical:
    """The text in another canonical normal form, NFC or NFD, which Unicode says is the same text."""

    name: ClassVar[str] = "unicode-canonical"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        if not _may_be_normalised(text):
            return None
        return _drawn({form: unicodedata.normalize(form, text) for form in _CANONICAL}, {text}, stream)


class UnicodeCompatibility:
    """The text in a compatibility normal form, NFKC or NFKD: ``ﬁ`` as ``fi``, but also ``x²`` as ``x2``."""

    name: ClassVar[str] = "unicode-compatibility"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        if not _may_be_normalised(text):
            return None
        canonical = {text, *(unicodedata.normalize(form, text) for form in _CANONICAL)}
        return _drawn({form: unicodedata.normalize(form, text) for form in _COMPATIBLE}, canonical, stream)


def _may_be_normalised(text: str) -> bool:
    """Whether a text has other forms at all, and no letter with more marks than any writing has."""
    if text.isascii():
        return False
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks > _MOST_MARKS:
            return False
    return True


def _drawn(forms: dict[_Form, str], others: set[str], stream: RandomStream) -> Edit | None:
    """One of the forms that are none of the others."""
    names = [form for form, changed in forms.items() if changed not in others]
    if not names:
        return None
    chosen = stream.choice(names)
    return Edit({"form": chosen}, forms[chosen])
