"""How a text became another one by white space, punctuation and whole fragments; and what of that may matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from robust.oracle.insertions import Fragment, Fragments, Insertion, find_insertions, places_between
from robust.oracle.protected import Names
from robust.oracle.punctuation_edits import Marked, mark_problem, marked
from robust.oracle.space_edits import SpaceEdit, insertion_problem, run_end, space_edits, space_problem
from robust.oracle.wording import Wording

Edit: TypeAlias = Literal["white_space", "punctuation", "fragments"]


class Edits(NamedTuple):
    """What was edited.

    Attributes:
        kinds: the kinds of edit that there are.
        insertions: the fragments that were inserted.
        problem: why an edit may matter after all.
        place: the offset in the base where it is, where there is such a problem.
    """

    kinds: tuple[Edit, ...]
    insertions: tuple[Insertion, ...] = ()
    problem: str | None = None
    place: int | None = None


class _Around(NamedTuple):
    """The white space around fragments: the offsets of what it replaces in the base, and what stands there."""

    start: int
    end: int
    runs: tuple[str, ...]


def allowed_edits(base: Wording, candidate: Wording, fragments: Fragments, keep: Names) -> Edits | None:
    """The edits that make the candidate of the base; None where it takes other ones as well.

    Args:
        base: the base, which has words.
        candidate: the candidate, which is another text.
        fragments: what may be inserted.
        keep: the names that are protected.
    """
    if base.words == candidate.words:
        return _judged(*_spaces(base.text, candidate.text, ()), (), (), base, keep)
    if fragments.all and len(candidate.words) > len(base.words):
        places = places_between(base, keep)
        words = [word for word, _ in places]
        found = find_insertions(base.words, candidate.words, candidate.words, words, fragments)
        if found is not None:
            offsets = dict(places)
            placed = [(offsets[insertion.word], insertion.fragment) for insertion in found]
            return _judged(*_spaces(base.text, candidate.text, placed), ("fragments",), found, base, keep)
    return _with_marks(base, candidate, fragments, keep)


def _judged(
    spaces: Sequence[SpaceEdit],
    around: Sequence[_Around],
    kinds: tuple[Edit, ...],
    insertions: Sequence[Insertion],
    base: Wording,
    keep: Names,
) -> Edits:
    if spaces:
        kinds = ("white_space", *kinds)
    for edit in spaces:
        problem = space_problem(base, edit, keep)
        if problem is not None:
            return Edits(kinds, tuple(insertions), problem, edit.start)
    for start, end, runs in around:
        problem = insertion_problem(base, start, end, runs)
        if problem is not None:
            return Edits(kinds, tuple(insertions), problem, start)
    return Edits(kinds, tuple(insertions))


def _spaces(before: str, after: str, placed: Sequence[tuple[int, Fragment]]) -> tuple[list[SpaceEdit], list[_Around]]:
    """The white space that differs, and that around fragments, which are given with their offsets in the base."""
    edits: list[SpaceEdit] = []
    around: list[_Around] = []
    start, at, last = run_end(before, 0), run_end(after, 0), len(before.rstrip())
    if not placed or placed[0][0] > start:
        edits += _edge(before, 0, start, after[:at])
    else:
        at = 0
    for place, group in groupby(placed, key=itemgetter(0)):
        stop = min(place, last)
        while stop > start and before[stop - 1].isspace():
            stop -= 1
        # Before the first word there is nothing to compare.
        if place > start:
            found, at = space_edits(before, start, stop, after, at)
            edits += found
        runs = [after[at : run_end(after, at)]]
        for _, fragment in group:
            at = fragment.end_in(after, at + len(runs[-1]))
            runs.append(after[at : run_end(after, at)])
        at += len(runs[-1])
        around.append(_Around(0 if place <= start else stop, place, tuple(runs)))
        start = place
    if start < last:
        found, at = space_edits(before, start, last, after, at)
        edits += found + _edge(before, last, len(before), after[at:])
    return edits, around


def _edge(before: str, start: int, end: int, after: str) -> list[SpaceEdit]:
    return [] if before[start:end] == after else [SpaceEdit(start, end, after)]


def _with_marks(base: Wording, candidate: Wording, fragments: Fragments, keep: Names) -> Edits | None:
    """The edits where marks were changed too."""
    before, after = marked(base), marked(candidate)
    found: list[Insertion] | None = []
    if before.bare != after.bare:
        if not fragments.all or len(after.bare) <= len(before.bare):
            return None
        word_of = {word: index for index, word in enumerate(before.first)}
        places = [word_of[word] for word, _ in places_between(base, keep) if word in word_of]
        found = find_insertions(before.bare, after.bare, after.written, [*places, len(before.bare)], fragments)
    if found is None:
        return None
    words = [*before.first, len(base.words)]
    insertions = tuple(item._replace(word=words[item.word], at=after.first[item.at]) for item in found)
    marks = [after.marks[at] for at in _aligned(len(before.bare), found)]
    kinds: tuple[Edit, ...] = ("punctuation", "fragments") if insertions else ("punctuation",)
    for index, mark in enumerate(marks):
        if mark != before.marks[index]:
            problem = mark_problem(base, before, index, marks, keep)
            if problem is not None:
                return Edits(kinds, insertions, problem, base.spans[before.first[index]][0])
    return _judged(*_spaces_of_words(base, candidate, before, after, found), kinds, insertions, base, keep)


def _aligned(count: int, insertions: Sequence[Insertion]) -> Iterator[int]:
    """For each word of the base, which word of the candidate it is."""
    shift, waiting = 0, list(reversed(insertions))
    for index in range(count):
        while waiting and waiting[-1].word <= index:
            shift += len(waiting.pop().fragment.words)
        yield index + shift


def _spaces_of_words(
    base: Wording, candidate: Wording, before: Marked, after: Marked, insertions: Sequence[Insertion]
) -> tuple[list[SpaceEdit], list[_Around]]:
    """What :func:`_spaces` gives, where marks may stand alone within white space."""
    edits: list[SpaceEdit] = []
    around: list[_Around] = []
    places, pieces = _pieces(base, before)
    _, others = _pieces(candidate, after)
    inserted: Counter[int] = Counter()
    for insertion in insertions:
        inserted[insertion.word] += len(insertion.fragment.words)
    at = 0
    for index, (start, end) in enumerate(places):
        if index in inserted:
            first = at
            at += inserted[index]
            around.append(_Around(start, end, ("".join(others[first]), "".join(others[at]))))
        elif pieces[index] != others[at]:
            edits.append(SpaceEdit(start, end, "".join(others[at])))
        at += 1
    return edits, around


def _pieces(wording: Wording, words: Marked) -> tuple[list[tuple[int, int]], list[list[str]]]:
    """The white space before each word and behind the last one: its last piece's offsets, and all its pieces.

    It has several pieces where marks stand alone within it.
    """
    text = wording.text
    ends = [0, *(end for _, end in wording.spans)]
    starts = [*(start for start, _ in wording.spans), len(text)]
    stops = [*words.first, len(wording.words)]
    firsts = [0, *(word + 1 for word in words.first)]
    places = [(ends[stop], starts[stop]) for stop in stops]
    pieces = [
        [text[ends[piece] : starts[piece]] for piece in range(first, stop + 1)]
        for first, stop in zip(firsts, stops, strict=True)
    ]
    return places, pieces
