"""What the command writes and how it ends, in this process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import typer

from robust.cli.console import guarded, out_json, shows_colours
from robust.cli.manifest_options import read_fractions
from robust.errors import DataError, IntegrityError, Problem, UsageError


def _exit_code(error: BaseException) -> int:
    @guarded
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as caught:
        command()
    return caught.value.exit_code


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError.of("c", "m"), 2, "error[c]: m\n"),
        (DataError(Problem(code="a", message="1"), Problem(code="b", message="2")), 2, "error[a]: 1\nerror[b]: 2\n"),
        (IntegrityError.of("c", "m", file="f", line=2), 3, "error[c]: f:2: m\n"),
        (KeyboardInterrupt(), 130, "error[interrupted]: "),
        (ValueError("odd"), 2, "error[internal]: ValueError: odd; set ROBUST_DEBUG=1"),
        (typer.Exit(7), 7, ""),
    ],
)
def test_every_error_has_one_way_out(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, message: str
) -> None:
    """Its messages go to standard error, its exit code is that of its kind."""
    assert _exit_code(error) == code
    shown = capsys.readouterr()
    assert shown.err.startswith(message)
    assert shown.out == ""


def test_a_traceback_is_redacted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on request, no secret leaves the process."""
    monkeypatch.setenv("ROBUST_DEBUG", "1")
    _exit_code(ValueError("Authorization: Bearer abcdef0123456789abcdef"))
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "abcdef0123456789" not in shown


def test_json_stays_json_where_characters_are_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """As they are where the output can hold them, escaped by the rules of JSON where it cannot."""
    value = {"b": "🙂", "a": "é"}
    for encoding, kept in (("utf-8", "🙂"), ("cp1252", "é"), ("ascii", "a")):
        with (tmp_path / encoding).open("w", encoding=encoding, errors="backslashreplace") as stream:
            monkeypatch.setattr("sys.stdout", stream)
            out_json(value, indent=None)
        text = (tmp_path / encoding).read_text(encoding=encoding)
        assert json.loads(text) == value
        assert (kept in text) == (encoding != "cp1252")


def test_only_a_terminal_shows_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a file, not a dumb terminal, and none where NO_COLOR is set to anything."""
    leader, follower = os.openpty()
    with os.fdopen(follower, "w") as terminal, Path(os.devnull).open("w", encoding="utf-8") as file:
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        assert (shows_colours(terminal), shows_colours(file)) == (True, False)
        monkeypatch.setenv("NO_COLOR", "1")
        assert not shows_colours(terminal)
        monkeypatch.setenv("NO_COLOR", "")
        monkeypatch.setenv("TERM", "dumb")
        assert not shows_colours(terminal)
    os.close(leader)


def test_fractions_are_read_as_written() -> None:
    """Names and numbers, with space between them allowed."""
    assert read_fractions("a=0.8,b=0.2") == {"a": 0.8, "b": 0.2}
    assert read_fractions(" dev = 1e-1 , test=0.9") == {"dev": 0.1, "test": 0.9}


@pytest.mark.parametrize(
    "text", ["", "a", "a=", "=1", "a=0", "a=-1", "a=2", "a=nan", "a=inf", "a=0.5,,b=0.5", "a=0.5,a=0.5", "a=0,5"]
)
def test_what_is_no_list_of_fractions_is_refused(text: str) -> None:
    """With the form that was due."""
    with pytest.raises(UsageError) as caught:
        read_fractions(text)
    assert caught.value.problems[0].hint == "write a=0.8,b=0.2"
