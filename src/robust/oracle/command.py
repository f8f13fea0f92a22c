"""``robust.oracle/1``: an oracle that is a program, asked with one JSON line and answering with one JSON line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePath

from robust.canon import JsonObject, canonical_bytes, decode_own, describe, digest_bytes, read_json
from robust.errors import DataError, UsageError
from robust.oracle.process import LineProcess, ProcessEnded, ProcessTimedOut
from robust.oracle.question import Observation, Question
from robust.records.failure import Failure, cap_text, describe_exception
from robust.records.verdict import OracleVerdict, read_verdict

PROTOCOL = "robust.oracle/1"
_FIELDS = ("valid", "reason", "base_expected", "variant_expected", "evidence")


class CommandOracle:
    """An oracle program. It is started once and kept; after a time-out or a crash it is started again.

    Args:
        command: the program and its arguments, as a list or as one text split like a POSIX shell would.
        contract: the oracle's contract, which is sent with each question.
        timeout_s: seconds to wait for each answer; None waits for ever.
        name: the recorded name; the program's file name by default.
        version: the recorded version, if any.

    Raises:
        UsageError: the command is empty or cannot be split.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        contract: str,
        timeout_s: float | None = None,
        name: str | None = None,
        version: str | None = None,
    ) -> None:
        try:
            self._command = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise UsageError.of("bad_command", f"{command!r}: {error}", path="--oracle-command") from error
        if not self._command:
            raise UsageError.of("bad_command", "the oracle command is empty", path="--oracle-command")
        self.name = name or PurePath(self._command[0]).name
        self.version = version
        self._contract = contract
        self._timeout_s = timeout_s
        self._process = LineProcess(self._command)

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
            answer = self._process.ask(request, self._timeout_s)
        except ProcessTimedOut:
            message = f"no answer within {self._timeout_s:g} s; the process was killed"
            return Observation(None, [Failure("validator_timeout", "$", message)])
        except (ProcessEnded, OSError) as error:
            return Observation(None, [Failure("validator_error", "$", describe_exception(error))])
        return _read_answer(answer, key)

    def close(self) -> None:
        """End the program."""
        self._process.close()


def _read_answer(answer: bytes, key: str) -> Observation:
    try:
        data = read_json(answer)
    except DataError as error:
        problem = error.problems[0]
        return _malformed(problem.path or "$", cap_text(problem.message))
    if not isinstance(data, dict):
        return _malformed("$", f"an object was due, not {describe(data)}")
    echoed = data.pop("id", key)
    if echoed != key:
        return _malformed("$.id", "the answer is to another question")
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
