"""Slips of the keyboard in texts; where and which they are is told by random words."""

from __future__ import annotations

from typing import Final

# The keys beside each letter on a QWERTY keyboard.
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
BESIDE: Final[dict[str, str]] = {
    letter: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    for row in _ROWS
    for place, letter in enumerate(row)
}
KINDS: Final = 4


def with_slip(text: str, kind: int, place: int, side: int) -> str:
    """The text with one slip in a letter: the next one first, a letter left out, struck twice, or its neighbour.

    Only letters are touched, never digits, signs or spaces; a letter alone in its word is not left out. What cannot be
    done to the letter is not done, so that the text may stay as it is.

    Args:
        text: what is edited.
        kind: which slip, from 0.
        place: any number from 0; which of the letters, taken modulo how many there are.
        side: any number from 0; which neighbour.
    """
    letters = [index for index, letter in enumerate(text) if letter.isalpha()]
    if not letters:
        return text
    index = letters[place % len(letters)]
    letter = text[index]
    if kind == 0:
        # The last letter of a word changes places with the one before it.
        if not text[index + 1 : index + 2].isalpha():
            index -= 1
        if index < 0 or not text[index].isalpha():
            return text
        return text[:index] + text[index + 1] + text[index] + text[index + 2 :]
    if kind == 1:
        alone = not (text[index + 1 : index + 2].isalpha() or text[max(0, index - 1) : index].isalpha())
        return text if alone else text[:index] + text[index + 1 :]
    if kind == 2:
        return text[:index] + letter + text[index:]
    beside = BESIDE.get(letter.lower())
    if beside is None:
        return text
    other = beside[side % len(beside)]
    return text[:index] + (other.upper() if letter.isupper() else other) + text[index + 1 :]
