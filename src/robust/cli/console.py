"""Streams, errors and exit codes of the command."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

import typer

from robust.errors import Problem, RobustError, RunInterrupted, UsageError
from robust.records.failure import describe_exception
from robust.records.redaction import redact_text
from robust.render.evidence import problem_text

INTERRUPTED = 130
MAX_SHOWN_PROBLEMS = 200
_COLOURS = {"PASS": "green", "WARN": "yellow", "FAIL": "red", "ERROR": "red"}


# The streams that were closed before the command began.
_closed: set[str] = set()


def is_output_closed() -> bool:
    """Whether there was no standard output from the start: what must not be lost cannot be written to it."""
    return sys.stdout is None or "stdout" in _closed


def prepare_streams() -> None:
    """Make every character printable, whatever the console's encoding: what it lacks is escaped, never an error.

    A stream that was closed before the command began, as ``>&-`` does, is one that nobody reads; Python has none then.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            _closed.add(name)
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def out(text: str) -> None:
    """Write a result to standard output.

    A reader that has seen enough ends the output, but not the command: its exit code still says what it found.

    Raises:
        UsageError: standard output cannot be written, as on a full disk.
    """
    try:
        typer.echo(text)
    except BrokenPipeError:
        # From here on, and for the interpreter's own flush, there is nobody to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        reason = error.strerror or str(error)
        raise UsageError.of("unwritable", f"standard output cannot be written: {reason}") from None


def out_json(value: Any, *, indent: int | None = 2) -> None:
    """Write a result as JSON; characters that the output cannot hold are JSON escapes, so that it stays JSON."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, sort_keys=True)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent, sort_keys=True)
    out(text)


def say(text: str) -> None:
    """Write a message to standard error."""
    # Nobody can be told that messages cannot be written; the exit code still says what happened.
    with contextlib.suppress(OSError, ValueError):
        typer.echo(text, err=True)


def out_status(text: str) -> None:
    """Write a result whose first line that begins with a status shows it coloured where the terminal has colours."""
    if shows_colours(sys.stdout):
        lines = text.split("\n")
        words = [line.partition(" ")[0] for line in lines]
        place = next((index for index, word in enumerate(words) if word in _COLOURS), None)
        if place is not None:
            word = words[place]
            lines[place] = typer.style(word, fg=_COLOURS[word], bold=True) + lines[place].removeprefix(word)
            text = "\n".join(lines)
    out(text)


def out_report(text: str, report_format: str) -> None:
    """Write a report; in a text that people read the status is coloured, where the terminal has colours."""
    if report_format == "text":
        out_status(text)
    else:
        out(text)


def output_encoding() -> str:
    """What is written to standard output is encoded so."""
    return sys.stdout.encoding or "utf-8"


def shows_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user did not switch colours off."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def draws_bars() -> bool:
    """Whether somebody looks at standard output who wants more than plain text."""
    return shows_colours(sys.stdout)


def finish(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise typer.Exit(code)


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Turn every error of a command into its messages and its exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except RobustError as error:
            _debug()
            for problem in error.problems[:MAX_SHOWN_PROBLEMS]:
                say(problem_text(problem))
            if len(error.problems) > MAX_SHOWN_PROBLEMS:
                say(f"… and {len(error.problems) - MAX_SHOWN_PROBLEMS} more")
            raise typer.Exit(error.exit_code) from None
        except RunInterrupted as stop:
            say(problem_text(Problem(code="interrupted", message="stopped", file=stop.path, hint=stop.hint)))
            raise typer.Exit(INTERRUPTED) from None
        except KeyboardInterrupt:
            say("error[interrupted]: stopped; a run without report.json is unfinished, run the same command again")
            raise typer.Exit(INTERRUPTED) from None
        except typer.Exit:
            raise
        except Exception as error:  # noqa: BLE001 - the one place where an unforeseen error ends
            _debug()
            hint = "set ROBUST_DEBUG=1 for the traceback and report it"
            say(problem_text(Problem(code="internal", message=describe_exception(error), hint=hint)))
            raise typer.Exit(2) from None

    return run


def _debug() -> None:
    if os.environ.get("ROBUST_DEBUG") == "1":
        say(redact_text(traceback.format_exc()))
