"""Words for a command line that a reader copies."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust.render.shell import shell_word

HOSTILE = [
    "plain/c1/0",
    "two words",
    "it's",
    '"quoted"',
    "$(touch x) `id` ${HOME} $HOME !! ~ * ? [a] {a,b} ; & | < > # \\ \\n",
    "$'x'",
    "-n",
    "",
    "tab\tand\nline\rfeed\x1b[31m",
    "bidi\u202e\u2066 zero\u200bwidth no\u00a0break",
    "é 日本 🙂",
    "end\\",
    "'",
    "123\u202e456",
    "100%",
]


def _as_read(words: list[str], shell: str) -> list[str]:
    """What a shell makes of words that stand on its command line."""
    script = "printf '%s\\0' " + " ".join(words)
    done = subprocess.run([shell, "-c", script], capture_output=True, check=True, timeout=60)
    return [os.fsdecode(part) for part in done.stdout.split(b"\0")[:-1]]


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_a_shell_reads_what_was_meant(encoding: str) -> None:
    """Not a command, a variable, a pattern or an option of its own; on one line, in characters of the encoding."""
    words = [shell_word(text, encoding) for text in HOSTILE]
    assert all(word.isprintable() for word in words)
    "".join(words).encode(encoding)
    assert _as_read(words, "bash") == HOSTILE


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no shell")
def test_what_can_be_shown_needs_no_more_than_a_posix_shell() -> None:
    """Only what cannot be shown takes a form that some shells do not read."""
    shown = [text for text in HOSTILE if text.isprintable()]
    assert _as_read([shell_word(text) for text in shown], "sh") == shown


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@settings(max_examples=15)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=50))
def test_any_text_comes_through(texts: list[str]) -> None:
    """As one word each."""
    words = [shell_word(text) for text in texts]
    assert all(word.isprintable() for word in words)
    assert _as_read(words, "bash") == texts


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_a_file_whose_name_is_no_text_can_be_named() -> None:
    """Its bytes are those that it has."""
    name = os.fsdecode(b"run-\xff\xfe")
    assert shell_word(name) == "$'run-\\377\\376'"
    assert _as_read([shell_word(name)], "bash") == [name]
    assert shell_word("\ud800") == "$'\\355\\240\\200'"


def test_ordinary_words_stay_as_they_are() -> None:
    """So that they can be read."""
    assert shell_word("runs/first") == "runs/first"
    assert shell_word("whitespace/c1/0") == "whitespace/c1/0"
