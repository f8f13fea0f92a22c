"""Ids of candidates: their parent's, and what tells them apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from robust.canon import hash_bytes, nfc
from robust.records.case import MAX_ID_LENGTH

_HASH_DIGITS: Final = 32
# An id that ends as shortened ones do could be taken for the one that another id was shortened to.
_SHORTENED: Final = re.compile(rf"~[0-9a-f]{{{_HASH_DIGITS}}}\Z")
_UNSAFE: Final = re.compile(r"[^\w.+-]+")
_LONGEST_WORD: Final = 64
_WORD_DIGITS: Final = 8


def candidate_id(parent: str, word: str, number: int, taken: Callable[[str], bool]) -> str:
    """``PARENT~WORD-NUMBER``, or a form of it that is short enough and free.

    Different (parent, word, number) have different ids: of a parent that leaves no room, or whose id ends as such forms
    do, only the first characters stand there, with 32 hex digits of its hash.

    Args:
        parent: the parent's id.
        word: what made the candidate, as :func:`id_word` gives it.
        number: tells apart what the same thing made of the same parent.
        taken: whether an id is that of another case.
    """
    ending = f"~{word}-{number}"
    whole = parent + ending
    if len(whole) <= MAX_ID_LENGTH and not _SHORTENED.search(parent) and not taken(whole):
        return whole
    attempt = 0
    while True:
        digest = hash_bytes(f"{attempt}:{nfc(parent)}".encode()).hex()[:_HASH_DIGITS]
        behind = f"~{digest}{ending}"
        whole = parent[: MAX_ID_LENGTH - len(behind)] + behind
        if not taken(whole):
            return whole
        attempt += 1


def id_word(text: str) -> str:
    """What may stand in an id of a free text: letters, digits and ``.+-``, at most 64."""
    return _UNSAFE.sub("-", text)[:_LONGEST_WORD].strip("-") or "candidate"


def id_words(texts: Iterable[str]) -> dict[str, str]:
    """What may stand in an id of each of several free texts; of texts that would share a word, with some of a hash."""
    words = {text: id_word(text) for text in texts}
    shared = Counter(map(nfc, words.values()))
    return {
        text: word if shared[nfc(word)] == 1 else f"{word}-{hash_bytes(text.encode()).hex()[:_WORD_DIGITS]}"
        for text, word in words.items()
    }
