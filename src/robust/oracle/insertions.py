"""Whole fragments that were put between the sentences of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from robust.oracle.layout import opens_line
from robust.oracle.protected import Names, protected_items
from robust.oracle.wording import Wording, abbreviated, ends_sentence, lone, make_item, negates

# How many words on each side of a fragment are looked at.
_NEAR: Final = 6
# Ways to read a candidate that are tried beyond what a long text needs; one that repeats itself could have any number.
_SPARE_STATES: Final = 4096


class Fragment:
    """A text that may be inserted.

    Attributes:
        text: the text.
        words: its words.
        joined: its words with blanks between and around them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = Wording(text).words
        self.joined = f" {' '.join(self.words)} "

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds it, whatever its white space; behind some full stops there need not be any."""
        between = r"\s*" if any(mark in self.text for mark in "。！？") else r"\s+"
        return re.compile(between.join(map(re.escape, self.words)))

    def end_in(self, text: str, start: int) -> int:
        """Where it ends in a text whose words from an offset on are its own.

        Raises:
            ValueError: they are others.
        """
        found = self.pattern.match(text, start)
        if found is None:
            raise ValueError("the fragment is not there")
        return found.end()

    @cached_property
    def alone(self) -> re.Pattern[str]:
        """Finds it between white space."""
        return re.compile(rf"(?<!\S){self.pattern.pattern}(?!\S)")

    @cached_property
    def open(self) -> bool:
        """Whether it says something protected and has no end, so that it would run on into the next sentence."""
        return not ends_sentence(self.words[-1]) and bool(protected_items(self.text))


class Fragments:
    """The texts that may be inserted; blank ones count for nothing.

    Attributes:
        all: each once.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.all = tuple(Fragment(text) for text in dict.fromkeys(texts) if text.strip())
        self._by_words = {tuple(fragment.words): fragment for fragment in self.all}
        lengths: dict[str, set[int]] = {}
        for fragment in self.all:
            lengths.setdefault(fragment.words[0], set()).add(len(fragment.words))
        self._lengths = {word: sorted(found) for word, found in lengths.items()}

    def at(self, words: Sequence[str], place: int) -> Iterator[Fragment]:
        """Those whose words start at a place of a text."""
        for length in self._lengths.get(words[place], ()):
            fragment = self._by_words.get(tuple(words[place : place + length]))
            if fragment is not None:
                yield fragment


class Insertion(NamedTuple):
    """A fragment in a candidate: before which word of the base it stands, and its first word in the candidate."""

    word: int
    at: int
    fragment: Fragment


class _Made(NamedTuple):
    """The insertions of a state, the last one first."""

    last: Insertion
    before: _Made | None


@lru_cache(maxsize=16)
def places_between(base: Wording, keep: Names) -> list[tuple[int, int]]:
    """Before which words of a base a fragment may stand, and the offset of each.

    They are its ends, and the places between sentences that nothing spans.
    """
    ends = (0, len(base.words))
    return [place for place in base.boundaries if place[0] in ends or _parts(base, *place, keep)]


def _parts(base: Wording, word: int, end: int, keep: Names) -> bool:
    """Whether the words before and behind a place are of two sentences, and no item or quotation has both."""
    left, right = base.words[word - 1], base.words[word]
    start = end
    while base.text[start - 1].isspace():
        start -= 1
    breaks = base.text.count("\n", start, end)
    if base.layout == "fixed" or not (ends_sentence(left) or breaks > 1) or (abbreviated(left) and not breaks):
        return False
    # Another line of a list stays the start of a line.
    if (base.layout == "lines" and breaks and opens_line(right)) or base.within_quotation(start, end):
        return False
    alone = not keep.of_several_words and (lone(left) or lone(right))
    return alone or not base.spanned(start, end, keep)


def find_insertions(
    before: Sequence[str],
    after: Sequence[str],
    written: Sequence[str],
    places: Sequence[int],
    fragments: Fragments,
) -> list[Insertion] | None:
    """How a candidate is the base with whole fragments at places between sentences; None where it is not.

    Args:
        before: what is compared of each word of the base.
        after: what is compared of each word of the candidate.
        written: the words of the candidate as they are written, which a fragment must have exactly.
        places: before which words of the base a fragment may stand, the first and the end included.
        fragments: what may be inserted.
    """
    # A state is how many sentences of the base and how many words of the candidate are read.
    seen = {(0, 0)}
    waiting: list[tuple[int, int, _Made | None]] = [(0, 0, None)]
    most = _SPARE_STATES + 2 * len(places)
    while waiting and len(seen) < most:
        sentence, at, made = waiting.pop()
        if sentence == len(places) - 1 and at == len(after):
            return _in_order(made)
        if at < len(after):
            for fragment in fragments.at(written, at):
                end = at + len(fragment.words)
                if (sentence, end) not in seen and _stands_alone(written, at, fragment):
                    seen.add((sentence, end))
                    waiting.append((sentence, end, _Made(Insertion(places[sentence], at, fragment), made)))
        if sentence < len(places) - 1:
            start, stop = places[sentence], places[sentence + 1]
            end = at + stop - start
            if (sentence + 1, end) not in seen and before[start:stop] == after[at:end]:
                seen.add((sentence + 1, end))
                waiting.append((sentence + 1, end, made))
    return None


def _in_order(made: _Made | None) -> list[Insertion]:
    found: list[Insertion] = []
    while made is not None:
        found.append(made.last)
        made = made.before
    return found[::-1]


def _stands_alone(written: Sequence[str], at: int, fragment: Fragment) -> bool:
    """Whether a fragment that is there runs neither on from the word before it nor into the one behind it."""
    end = at + len(fragment.words)
    if at and not _apart(written, at):
        return False
    return end == len(written) or (not fragment.open and _apart(written, end))


def _apart(written: Sequence[str], place: int) -> bool:
    """Whether the words before and behind a place say nothing together."""
    before, behind = written[max(0, place - _NEAR) : place], written[place : place + _NEAR]
    ended = ends_sentence(before[-1]) and not abbreviated(before[-1])
    return (ended or not negates(before[-1])) and not make_item(before, behind)
