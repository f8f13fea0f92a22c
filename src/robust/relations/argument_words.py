"""Numbers that callers give, however large, and arguments as messages show them."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from robust.canon import describe

# An integer of more bits is not written out: Python may refuse to, and nobody would read it.
_MAX_BITS: Final = 1024
# Control characters, separators of lines and paragraphs, and surrogates.
NOT_IN_A_LINE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_finite(value: Any) -> bool:
    """Whether a number is finite, and a double holds its size: an integer may be larger than any."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def shown_argument(value: Any) -> str:
    """An argument in a message: numbers and text as they are, what is huge by its size, everything else by its type."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"an integer of {value.bit_length()} bits"
    return repr(value) if isinstance(value, int | float | str) else describe(value)
