"""Candidates: the texts in other case and punctuation, each with the claim that the language stays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Final

from robust import Case, Origin

_WORD_START: Final = re.compile(r"(?<!\S)\S")


def capitals_by_letter(text: str) -> str:
    """Capitals, one for each letter: the capital of ß is ẞ, where ``str.upper`` writes two letters."""
    return "".join("ẞ" if char == "ß" else char.upper() for char in text)


def capitals_ascii_only(text: str) -> str:
    """Capitals by a program that knows 26 letters, such as ``tr a-z A-Z``."""
    return "".join(char.upper() if char.isascii() else char for char in text)


def capitals_without_accents(text: str) -> str:
    """Capitals as some leave them bare: É becomes E, Å becomes A, Й becomes И."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char)).upper()


def words_capitalized(text: str) -> str:
    """A capital at the start of every word, as in a headline."""
    return _WORD_START.sub(lambda match: match[0].upper(), text)


def end_mark_removed(text: str) -> str:
    """Without what ends the sentence."""
    return text.rstrip(".?!")


def punctuation_removed(text: str) -> str:
    """Without any punctuation, with nothing in its place."""
    return "".join(char for char in text if not _is_punctuation(char))


def punctuation_to_blanks(text: str) -> str:
    """A blank for every mark of punctuation."""
    return "".join(" " if _is_punctuation(char) else char for char in text)


def in_guillemets(text: str) -> str:
    """As a quotation."""
    return f"«{text}»"


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P")


# In this order: of two edits that give one text, the first counts.
EDITS: Final = MappingProxyType[str, Callable[[str], str]](
    {
        "small-letters": str.lower,
        "capitals": str.upper,
        "capitals-by-letter": capitals_by_letter,
        "capitals-ascii-only": capitals_ascii_only,
        "capitals-without-accents": capitals_without_accents,
        "words-capitalized": words_capitalized,
        "caps-lock": str.swapcase,
        "end-mark-removed": end_mark_removed,
        "punctuation-removed": punctuation_removed,
        "punctuation-to-blanks": punctuation_to_blanks,
        "in-guillemets": in_guillemets,
    }
)


def candidates(bases: Iterable[Case]) -> Iterator[tuple[Case, Case]]:
    """Base and candidate for each edit that gives a text of its own."""
    for base in bases:
        shown = {base.input}
        for name, edit in EDITS.items():
            text = edit(str(base.input))
            if text not in shown:
                shown.add(text)
                yield base, _candidate(base, name, text)


def _candidate(base: Case, name: str, text: str) -> Case:
    return Case(
        text,
        case_id=f"{base.case_id}-{name}",
        source_id=base.source_id,
        metadata=base.metadata,
        origin=Origin(parent_id=base.case_id, parent_content=base.content_digest, transform=name, relation="invariant"),
    )
