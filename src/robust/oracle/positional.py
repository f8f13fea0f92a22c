"""Labels that depend on their position or on the other labels, as far as their words tell.

Found are the phrases and words of :mod:`robust.oracle.positional_words`, references to other labels by letter or
number ("A and B", "option 2"), and labels that are a letter or numeral, or begin with one, where that is moved or
doubled. What depends on the others only as a set, such as "other", is not: the set stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from robust.canon import fold, nfc
from robust.oracle.positional_words import (
    AFTER_REFERENCE,
    ASSERTIONS,
    BOTH,
    CONNECTIVES,
    FRAME,
    OPTION_NOUNS,
    ORDINALS,
    ORDINALS_AFTER_NOUNS,
    POSITIONAL_PHRASES,
    QUANTIFIERS,
    RANGES,
)

# As of styles of labels: "A) ", "1. "; and as people write them.
_LEADING: Final = re.compile(r"[(\[]?([^\W\d_]|[ivx]{2,5}|\d{1,3})(?:[)\]]\s*|[.:]\s+|\s+[-–—]\s+)(?=\S)")
_TOKEN: Final = re.compile(
    r"\d+(?:st|nd|rd|th|ers?|eres?|emes?)(?![^\W_])|\d+\.(?=\s)|\d+|[^\W\d_]+|(?<!\d),|,(?!\d)|[;&+/–-]"
)
_AROUND: Final = " \t\"'“”«»„‘’`()[]{}<>.:"
_ROMAN: Final = (
    *("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
    *("xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx"),
)
# Single characters of scripts whose characters are words or syllables, that number the items of a list all the same.
_LISTED: Final = frozenset("甲乙丙丁戊己庚辛壬癸가나다라마바사아자차카타파하")
_WORDS: Final = ("CJK ", "HANGUL ")
# Latin letters that are also words between two references.
_BETWEEN: Final = frozenset("yeou")
_ALSO_WORDS: Final = frozenset("aiyeou")
_WEAK: Final = frozenset((*RANGES, "/", "-", "–"))
_SYMBOLS: Final = frozenset("&+/–-,;")
_MAX_DIGITS: Final = 3
_NOUNS, _ORDINALS = frozenset(OPTION_NOUNS), frozenset(ORDINALS)
_CLAIMS: Final = frozenset((*OPTION_NOUNS, *QUANTIFIERS, *ASSERTIONS))
_JOINING: Final = frozenset((*CONNECTIVES, ",", ";"))
_BOTH_WORDS: Final = frozenset(word for phrase in BOTH for word in phrase.split())
_PADDED: Final = tuple(f" {phrase} " for phrase in POSITIONAL_PHRASES)
_BOTH: Final = tuple(f" {phrase} " for phrase in BOTH)
_DECLARED: Final = "is declared to depend on its position or on the others"
# A slash that joins no two labels.
_ABBREVIATIONS: Final = frozenset(("n/a",))


class Finding(NamedTuple):
    """How a label depends on its position or on the others.

    Attributes:
        why: how, to be read after the label.
        only_if_moved: it does no harm while the labels keep their order and no letters or numbers are added.
    """

    why: str
    only_if_moved: bool = False


_ITSELF: Final = Finding("is a letter or a numeral itself", only_if_moved=True)
_BEGINS: Final = Finding("begins with a letter or a numeral of its own", only_if_moved=True)


def dependent_labels(labels: Sequence[str], declared: frozenset[str]) -> dict[str, Finding]:
    """The labels that depend on their position or on the others.

    Args:
        labels: all labels of a contract.
        declared: labels, folded, that do so whatever their words say.
    """
    count = len(labels)
    romans = sum(_is_roman(label) for label in labels) > 1
    leading = {label: enumerator for label in labels if (enumerator := _leading(label, count)) is not None}
    listed = len(set(leading.values())) > 1
    found: dict[str, Finding] = {}
    for label in labels:
        finding = dependence(label, count, declared, romans=romans)
        if finding is None and listed and label in leading:
            finding = _BEGINS
        if finding is not None:
            found[label] = finding
    return found


def dependence(text: str, count: int, declared: frozenset[str], *, romans: bool = False) -> Finding | None:
    """How a text depends on its position among labels or on the others; None where its words do not tell.

    Args:
        text: a label, or what it is shown as.
        count: how many labels there are.
        declared: labels, folded, that do so whatever their words say.
        romans: whether Roman numerals of several letters are numerals, as they are where there are others.
    """
    if fold(text) in declared:
        return Finding(_DECLARED)
    if _is_enumerator(text) or (romans and _is_roman(text)):
        return _ITSELF
    tokens: list[str] = _TOKEN.findall(_bare(text))
    words = f" {' '.join(token for token in tokens if token not in _SYMBOLS)} "
    phrase = next((phrase for phrase in _PADDED if phrase in words), None)
    if phrase is not None:
        return Finding(f"speaks of the others: {phrase.strip()!r}")
    if _names_an_option(tokens):
        return Finding("names a label by its place, letter or number")
    if fold(text) not in _ABBREVIATIONS and _only_refers(tokens, words, count):
        return Finding("consists of references to the labels or to their places")
    return None


def shows_plainly(form: str, label: str) -> bool:
    """Whether a form shows nothing but the label, in whatever case, quotes or brackets."""
    if form == label:
        return True
    own = fold(label)
    return fold(form) in (own, f'"{own}"', f"[{own}]")


def shows_with_place(form: str, label: str) -> bool:
    """Whether a form is the label with the letter or number of a place before it."""
    if len(form) <= len(label):
        return False
    shown, own = fold(form), fold(label)
    match = _LEADING.match(shown)
    return match is not None and shown[match.end() :] == own


def undecorated(form: str) -> str:
    """A form, folded, without the letter or number of a place before it and without quotes and brackets around it."""
    text = fold(form)
    match = _LEADING.match(text)
    return text[match.end() if match else 0 :].strip(_AROUND)


def _bare(text: str) -> str:
    """Without case, accents, compatibility forms and characters that are not seen."""
    if text.isascii():
        return text.lower()
    # The marks of ordinals would become letters.
    apart = unicodedata.normalize("NFKD", text.replace("º", "th").replace("ª", "th").casefold())
    return "".join(char for char in apart if unicodedata.category(char) not in ("Mn", "Cf"))


def _core(text: str) -> str:
    """The text without quotes, brackets and points around it, case and compatibility forms."""
    whole = unicodedata.normalize("NFKC", text).casefold()
    return nfc("".join(char for char in whole if unicodedata.category(char) != "Cf")).strip(_AROUND).lstrip("#")


def _is_enumerator(text: str) -> bool:
    """Whether a text is a letter, or a numeral of at most three digits."""
    # No longer text can be one, and most labels are longer.
    if len(text) > 64:
        return False
    core = _core(text)
    if core.isnumeric():
        return len(core) <= _MAX_DIGITS
    if len(core) != 1 or not core.isalpha():
        return False
    return core in _LISTED or not unicodedata.name(core, "").startswith(_WORDS)


def _is_roman(text: str) -> bool:
    return len(text) <= 64 and _core(text) in _ROMAN


def _leading(label: str, count: int) -> str | None:
    """The letter or number with which a label begins, where it is one of as many as there are labels."""
    match = _LEADING.match(fold(label))
    if match is None:
        return None
    enumerator = match.group(1)
    known = _in_range(enumerator, count) or (enumerator in _ROMAN[:count])
    return enumerator if known else None


def _in_range(reference: str, count: int) -> bool:
    """Whether a letter or number is one of as many as there are labels, counted from A, 0 or 1."""
    if reference.isdecimal():
        return int(reference) <= count
    return len(reference) == 1 and 0 <= ord(reference) - ord("a") < count


def _references(tokens: Sequence[str]) -> Iterator[int]:
    """The places of the tokens that can be the letter or number of a label."""
    last = len(tokens) - 1
    for place, word in enumerate(tokens):
        if word[:1].isdecimal():
            if len(word.rstrip(".")) <= _MAX_DIGITS and not _is_ordinal(word):
                yield place
        elif len(word) == 1 and word.isalpha():
            article = word == "a" and place < last and tokens[place + 1] in _NOUNS
            if not article and not (word in _BETWEEN and 0 < place < last):
                yield place
        elif word in _ROMAN:
            yield place


def _is_ordinal(word: str) -> bool:
    return word in _ORDINALS or (word[:1].isdecimal() and word[-1:].isalpha())


def _names_an_option(tokens: Sequence[str]) -> bool:
    """Whether there is something like "option 2", "answer B", "the first choice" in it."""
    if _NOUNS.isdisjoint(tokens):
        return False
    references = set(_references(tokens))
    for place, noun in enumerate(tokens):
        if noun not in _NOUNS:
            continue
        before = tokens[place - 1] if place else ""
        if _is_ordinal(before) or before.endswith("."):
            return True
        if place + 1 < len(tokens):
            after = tokens[place + 1]
            ends = place + 2 == len(tokens) or tokens[place + 2] in AFTER_REFERENCE
            if after in ORDINALS_AFTER_NOUNS or (place + 1 in references and (after not in _ALSO_WORDS or ends)):
                return True
    return False


def _only_refers(tokens: Sequence[str], words: str, count: int) -> bool:
    """Whether there is nothing in it but references, and what joins them or is said of them."""
    references = set(_references(tokens))
    for place, token in enumerate(tokens):
        known = token in FRAME or token in _SYMBOLS or token in _BOTH_WORDS or _is_ordinal(token)
        if not known and place not in references:
            return False
    if any(_is_ordinal(token) for token in tokens):
        return True
    others = [token for place, token in enumerate(tokens) if place not in references]
    joined = not _JOINING.isdisjoint(others)
    if not references:
        return not joined and any(phrase in words for phrase in _BOTH)
    if not _CLAIMS.isdisjoint(others):
        # "2 items" counts them; "item 2" was found before.
        return not all(token in _NOUNS for token in others)
    if len(references) < 2:
        return False
    if joined:
        return True
    named = [tokens[place].rstrip(".") for place in references]
    if not all(_in_range(name, count) for name in named):
        return False
    signs = not {"&", "+"}.isdisjoint(others)
    return signs or (not _WEAK.isdisjoint(others) and all(name.isalpha() for name in named))
