"""What a label means, whatever form it is shown in."""

from __future__ import annotations

import re
from functools import lru_cache

from robust.canon import fold

_LETTERED = re.compile(r"(?:[A-Za-z]\)|[0-9]+\.)\s+")
_BRACKETS = {'"': '"', "'": "'", "[": "]", "(": ")"}


@lru_cache(maxsize=4096)
def meaning(shown: str) -> str:
    """The label behind a shown form: ``B) Refund``, ``2. refund``, ``"REFUND"`` and ``[refund]`` mean ``refund``."""
    text = _LETTERED.sub("", shown.strip(), count=1)
    if len(text) > 2 and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1]
    return fold(text)
