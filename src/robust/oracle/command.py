"""``robust.oracle/1``: an oracle that is a program, asked with one JSON line and answering with one JSON line."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Final, Self

from robust.errors import CaseError, UsageError
from robust.oracle.ahead import Crew, can_ask_ahead
from robust.oracle.asked import AskedOracle
from robust.oracle.process import ProcessEnded, ProcessPool, ProcessTimedOut
from robust.oracle.protocol import NotTheAnswer, encode_question, no_answer_in_time, read_answer
from robust.oracle.question import Observation, Question, Terms
from robust.records.failure import Failure, describe_exception

_INTERPRETER: Final = re.compile(r"(?:pythonw?(?:[0-9]+(?:\.[0-9]+)*)?|py)(?:\.exe)?\Z", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"[^-].*\.pyw?\Z", re.DOTALL | re.IGNORECASE)


def program_name(command: Sequence[str]) -> str:
    """The file name of a program; of a script that is handed to Python, the script's.

    Told by the names alone, so that a record does not depend on what lies in the folder.

    Args:
        command: the program and its arguments, at least one item.
    """
    program = PurePath(command[0]).name
    if len(command) > 1 and _INTERPRETER.match(program) and _SCRIPT.match(command[1]):
        return PurePath(command[1]).name
    return program


class CommandOracle(AskedOracle):
    """An oracle program, given as the ``validator``. It is started when it is first asked, and kept.

    A batch asks it ahead: several questions lie in its input, and it answers them in their order. After a time-out, a
    crash or an answer that is not to the question it is started again, and what was not answered is asked again;
    several workers have a process each. The processes end with a batch, with :meth:`close`, and with the ``with``
    block.

    Args:
        command: the program and its arguments, as a list or as one text split like a POSIX shell would.
        name: the recorded name; by default the program's file name, or the script's where Python runs it.
        version: the recorded version, if any.

    Raises:
        UsageError: the command is empty or cannot be split.
    """

    def __init__(self, command: str | Sequence[str], *, name: str | None = None, version: str | None = None) -> None:
        try:
            self._command = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise UsageError.of("bad_command", f"{command!r}: {error}", path="--oracle-command") from error
        if not self._command:
            raise UsageError.of("bad_command", "the oracle command is empty", path="--oracle-command")
        self.name = name or program_name(self._command)
        self.version = version
        self._processes = ProcessPool(self._command)

    def check_program(self) -> None:
        """See that the program can be found, before a whole batch fails on it.

        Raises:
            UsageError: there is no such program, or it may not be run.
        """
        if shutil.which(self._command[0]) is None:
            hint = "check its path, and whether it may be run"
            message = f"there is no program {self._command[0]!r}"
            raise UsageError.of("bad_command", message, path="--oracle-command", hint=hint)

    def observer(self, terms: Terms, *, isolate: bool = False) -> CommandObserver:
        """A way to ask the program on these terms.

        Raises:
            CaseError: it is to be isolated, which it is.
        """
        if isolate:
            message = "an oracle program is a process of its own already"
            raise CaseError.of("bad_isolate", message, path="isolate", hint="leave isolate out")
        return CommandObserver(self._command, self._processes, terms)

    def close(self) -> None:
        """End the program."""
        self._processes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class CommandObserver:
    """Asks an oracle program; each question has a process to itself, so that none waits for another's answer."""

    def __init__(self, command: Sequence[str], processes: ProcessPool, terms: Terms) -> None:
        self._command = command
        self._processes = processes
        self._contract = terms.contract
        self._timeout_s = terms.timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask the program about one pair.

        A process that fails after it has answered others is not yet this pair's doing: it is asked again in a new one.
        """
        key, request = encode_question(question, self._contract)
        while True:
            with_history = False
            try:
                with self._processes.lend() as process:
                    with_history = process.has_answered
                    return read_answer(process.ask(request, self._timeout_s), key)
            except ProcessTimedOut:
                failed = no_answer_in_time(self._timeout_s or 0.0)
            except NotTheAnswer as answer:
                failed = answer.observation
            except (ProcessEnded, OSError) as error:
                failed = Observation(None, [Failure("validator_error", "$", describe_exception(error))])
            if not with_history:
                return failed

    def ahead(self, workers: int) -> Crew | None:
        """Processes to ask ahead, where this system can do that; they are the caller's to close."""
        return Crew(self._command, self._contract, self._timeout_s, workers) if can_ask_ahead() else None

    def close(self) -> None:
        """End the program."""
        self._processes.close()
