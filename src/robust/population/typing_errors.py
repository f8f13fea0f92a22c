"""Slips of the keyboard in texts; where and which they are is told by random words."""

from __future__ import annotations

from typing import Final

from robust.transforms.typing_errors import NEIGHBOURS, words_of

KINDS: Final = 4


def with_slip(text: str, kind: int, place: int, side: int) -> str:
    """The text with one slip in a letter: the next one first, a letter left out, struck twice, or its neighbour.

    Only words of :func:`~robust.transforms.typing_errors.words_of` are touched, never digits, signs, spaces or a letter
    with a combining mark. What cannot be done to the letter is not done, so that the text may stay as it is.

    Args:
        text: what is edited.
        kind: which slip, from 0.
        place: any number from 0; which of the letters, taken modulo how many there are.
        side: any number from 0; which neighbour.
    """
    letters = [(index, end) for start, end in words_of(text) for index in range(start, end)]
    if not letters:
        return text
    index, end = letters[place % len(letters)]
    letter = text[index]
    if kind == 0:
        # The last letter of a word changes places with the one before it.
        index = min(index, end - 2)
        return text[:index] + text[index + 1] + text[index] + text[index + 2 :]
    if kind == 1:
        return text[:index] + text[index + 1 :]
    if kind == 2:
        return text[:index] + letter + text[index:]
    beside = NEIGHBOURS.get(letter.lower())
    if beside is None:
        return text
    other = beside[side % len(beside)]
    return text[:index] + (other.upper() if letter.isupper() else other) + text[index + 1 :]
