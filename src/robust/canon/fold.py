"""Folding text for comparison: Unicode NFC, case and white space. Used to compare, never inside a digest."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def nfc(text: str) -> str:
    """Unicode normal form C."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str, *, case: bool = True, space: bool = True) -> str:
    """Fold text: NFC, and unless told otherwise case (full case folding) and runs of white space."""
    if text.isascii():  # which is in NFC
        text = text.lower() if case else text
    else:
        text = nfc(text)
        text = nfc(text.casefold()) if case else text
    if space and not _is_tidy(text):
        text = " ".join(text.split())
    return text


def fold_ids(ids: Sequence[str]) -> list[str]:
    """Fold printable ids, as :func:`fold` does each."""
    together = "\n".join(ids)
    if ids and together.isascii() and " " not in together:
        lowered = together.lower()
        return [*ids] if lowered == together else lowered.split("\n")
    return [*map(fold, ids)]


def _is_tidy(text: str) -> bool:
    """Whether all white space is single spaces between other characters; no other white space is printable."""
    if not text.isprintable():
        return False
    return " " not in text or ("  " not in text and text[0] != " " and text[-1] != " ")


def fold_leaves(value: object) -> object:
    """Fold every text leaf of a JSON value; keys and everything else stay as they are."""
    if isinstance(value, str):
        return fold(value)
    if isinstance(value, dict):
        return {key: fold_leaves(item) for key, item in value.items()}
    if isinstance(value, list):
        return [fold_leaves(item) for item in value]
    return value
