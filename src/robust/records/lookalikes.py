"""Texts that a reader cannot tell apart although their characters differ."""

from __future__ import annotations

import unicodedata
from typing import Final

# What passes for a small Latin letter in most typefaces: letters of Cyrillic, then of Greek, and signs. The letter i
# stands for l, as both do when one of them is a capital.
_ALIKE: Final = {
    "a": "\u0430\u03b1",
    "b": "\u0432\u03b2",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435\u03b5",
    "h": "\u04bb\u043d",
    "j": "\u0458",
    "k": "\u043a\u03ba",
    "l": "\u0456\u04cf\u03b9i\u01311|",
    "m": "\u043c\u03bc",
    "n": "\u03b7",
    "o": "\u043e\u03bf0",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "r": "\u0433",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u03c5",
    "v": "\u0475\u03bd",
    "w": "\u051d\u03c9",
    "x": "\u0445\u03c7",
    "y": "\u0443",
}
_PASSES_FOR: Final = str.maketrans({char: letter for letter, chars in _ALIKE.items() for char in chars})


def lookalike_key(text: str) -> str:
    """What two texts share that a reader cannot tell apart: accents, scripts, invisible characters and spaces go."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    kept = (char for char in decomposed if unicodedata.category(char) not in ("Mn", "Me", "Cf") and not char.isspace())
    return "".join(kept).translate(_PASSES_FOR)
