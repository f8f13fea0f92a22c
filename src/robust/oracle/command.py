"""``robust.oracle/1``: an oracle that is a program, asked with one JSON line and answering with one JSON line."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Self

from robust.canon import JsonObject, canonical_bytes, decode_own, describe, digest_bytes, read_json
from robust.errors import DataError, UsageError
from robust.oracle.process import ProcessEnded, ProcessPool, ProcessTimedOut
from robust.oracle.question import Observation, Question, Terms
from robust.records.failure import Failure, cap_text, describe_exception
from robust.records.verdict import OracleVerdict, read_verdict

PROTOCOL = "robust.oracle/1"
_FIELDS = ("valid", "reason", "base_expected", "variant_expected", "evidence")


class CommandOracle:
    """An oracle program, given as the ``validator``. It is started when it is first asked, and kept.

    After a time-out, a crash or an answer that is not to the question it is started again; several workers have a
    process each. The processes end with a batch, with :meth:`close`, and with the ``with`` block.

    Args:
        command: the program and its arguments, as a list or as one text split like a POSIX shell would.
        name: the recorded name; the program's file name by default.
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
        self.name = name or PurePath(self._command[0]).name
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

    def observer(self, terms: Terms) -> CommandObserver:
        """A way to ask the program on these terms."""
        return CommandObserver(self._processes, terms)

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

    def __init__(self, processes: ProcessPool, terms: Terms) -> None:
        self._processes = processes
        self._contract = terms.contract
        self._timeout_s = terms.timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask the program about one pair."""
        key = digest_bytes(question.shown_base + b"\n" + question.shown_candidate)
        request = canonical_bytes(
            {
                "protocol": PROTOCOL,
                "id": key,
                "contract": self._contract,
                "relation": question.relation,
                "base": decode_own(question.shown_base),
                "candidate": decode_own(question.shown_candidate),
            }
        )
        try:
            with self._processes.lend() as process:
                data = _read_answer(process.ask(request, self._timeout_s), key)
        except ProcessTimedOut:
            message = f"no answer within {self._timeout_s:g} s; the process was killed"
            return Observation(None, [Failure("validator_timeout", "$", message)])
        except (ProcessEnded, OSError) as error:
            return Observation(None, [Failure("validator_error", "$", describe_exception(error))])
        except DataError as error:
            problem = error.problems[0]
            return _malformed(problem.path or "$", cap_text(problem.message))
        return _observation(data)

    def close(self) -> None:
        """End the program."""
        self._processes.close()


def _read_answer(answer: bytes, key: str) -> JsonObject:
    """The fields of an answer to this question.

    Raises:
        DataError: it is not JSON, not an object, or not to this question.
    """
    data = read_json(answer)
    if not isinstance(data, dict):
        raise DataError.of("wrong_value", f"an object was due, not {describe(data)}", path="$")
    if "id" not in data:
        raise DataError.of("missing_field", "the field is missing", path="$.id")
    if data.pop("id") != key:
        raise DataError.of("wrong_value", "the answer is to another question", path="$.id")
    return data


def _observation(data: JsonObject) -> Observation:
    if "error" in data:
        return Observation(None, [Failure("validator_error", "$.error", cap_text(str(data["error"])))])
    unknown = sorted(set(data) - set(_FIELDS))
    if unknown:
        return _malformed(f"$.{cap_text(unknown[0], 200)}", "no such field in a verdict")
    missing = [name for name in ("valid", "reason") if name not in data]
    if missing:
        return _malformed(f"$.{missing[0]}", "the field is missing")
    fields: JsonObject = {"evidence": {}, **data}
    return Observation(*read_verdict(OracleVerdict(**fields)))


def _malformed(path: str, detail: str) -> Observation:
    return Observation(None, [Failure("verdict_malformed", path, detail)])
