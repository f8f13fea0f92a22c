"""Words for a command line that a reader copies."""

from __future__ import annotations

import os
import re
import shlex
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+=:,./ -]")


def shell_word(text: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """A text as one word of a POSIX shell, whatever it holds: printable, on one line, and what it was when it is run.

    What cannot be shown, or not in the encoding, is written as ``$'...'`` with the octal bytes of its UTF-8, which
    bash, zsh and ksh read.
    """
    word = os.fspath(text)
    try:
        word.encode(encoding)
        shown = word.isprintable()
    except (UnicodeError, LookupError):
        shown = False
    if shown:
        return shlex.quote(word)
    return "$'" + "".join(char if _PLAIN.match(char) else _octal(char) for char in word) + "'"


def _octal(char: str) -> str:
    # A byte of a file's name that is no UTF-8 is that byte again.
    errors = "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", errors))
