"""Two inputs cut to where they differ, so that texts of any length can be shown beside one another."""

from __future__ import annotations

import json
from typing import Any, Final

from robust.records.run_details import ChangedText

# Characters that are kept of what stays around a change, and of each side of the change.
_AROUND: Final = 400
_MOST: Final = 2000


def changed_text(old: Any, new: Any) -> ChangedText:
    """The difference of two inputs, which are texts or JSON objects.

    Args:
        old: the input before.
        new: the input after; nothing differs where it is the same.
    """
    first, second = input_text(old), input_text(new)
    start = _alike(first, second)
    end = _alike(first[start:][::-1], second[start:][::-1])
    before, after = first[:start], first[len(first) - end :]
    was, came = first[start : len(first) - end], second[start : len(second) - end]
    if not was and not came:
        # Nothing differs, so that the start is what is to be read.
        return ChangedText(before[:_MOST], "", "", "", (0, 0, 0, max(len(before) - _MOST, 0)))
    return ChangedText(
        before[-_AROUND:],
        was[:_MOST],
        came[:_MOST],
        after[:_AROUND],
        (
            max(len(before) - _AROUND, 0),
            max(len(was) - _MOST, 0),
            max(len(came) - _MOST, 0),
            max(len(after) - _AROUND, 0),
        ),
    )


def input_text(value: Any) -> str:
    """An input as text: a text as it is, an object as indented JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


def text_start(value: Any) -> tuple[str, int]:
    """The start of an input, and how many characters are left out."""
    text = input_text(value)
    return text[:_MOST], max(len(text) - _MOST, 0)


def _alike(first: str, second: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
