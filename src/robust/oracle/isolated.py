"""Asking a validator in a spawned worker process, which can be killed and is then replaced."""

from __future__ import annotations

import secrets
import sys
import threading
from typing import Any, Final, get_args

from robust.canon import JsonObject, canonical_bytes, canonical_text, decode_own, describe, read_json
from robust.errors import DataError
from robust.oracle.process import ProcessEnded, ProcessPool, ProcessTimedOut
from robust.oracle.question import Observation, Question
from robust.records.failure import Failure, FailureCode, cap_text, describe_exception
from robust.records.verdict import OracleVerdict, read_verdict

_START = (
    "import json,sys; sys.path[:] = json.loads(sys.argv[1]); from robust.oracle.worker import main; main(sys.argv[2])"
)
_FIELDS: Final = {"id", "verdict", "failures", "raised", "exit_code"}
_VERDICT_FIELDS: Final = {"valid", "reason", "base_expected", "variant_expected", "evidence"}
_FAILURE_FIELDS: Final = {"code", "path", "detail"}
_RAISED: Final = (None, "KeyboardInterrupt", "SystemExit")


class IsolatedObserver:
    """Asks the validator at ``module:name`` in worker processes that stay for the next question."""

    def __init__(self, path: str, timeout_s: float | None) -> None:
        self._workers = _workers(path)
        self._timeout_s = timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask once, in an idle worker or a new one."""
        key = secrets.token_hex(8)
        line = canonical_bytes([key, decode_own(question.shown_base), decode_own(question.shown_candidate)])
        try:
            with self._workers.lend() as worker:
                answer = _read_answer(worker.ask(line, self._timeout_s), key)
        except ProcessTimedOut:
            message = f"no answer within {self._timeout_s:g} s; the worker was killed"
            return Observation(None, [Failure("validator_timeout", "$", message)])
        except DataError as error:
            message = cap_text(f"the worker's answer cannot be read: {error.problems[0]}")
            return Observation(None, [Failure("validator_error", "$", message)])
        except (ProcessEnded, OSError) as error:
            return Observation(None, [Failure("validator_error", "$", describe_exception(error))])
        if answer["raised"] == "KeyboardInterrupt":
            raise KeyboardInterrupt
        if answer["raised"] == "SystemExit":
            raise SystemExit(answer["exit_code"])
        verdict = answer["verdict"]
        encoded, failures = (None, []) if verdict is None else read_verdict(OracleVerdict(**verdict))
        return Observation(encoded, [*(Failure(**item) for item in answer["failures"]), *failures])

    def close(self) -> None:
        """End the idle workers of this validator."""
        self._workers.close()


def _read_answer(line: bytes, key: str) -> JsonObject:
    """What a worker says. The validator shares its process and may write there too, so nothing is believed.

    Raises:
        DataError: it is not the answer to this question, or not of its shape.
    """
    answer = read_json(line)
    if not isinstance(answer, dict) or answer.keys() != _FIELDS or answer["id"] != key:
        raise DataError.of("wrong_value", f"the answer to the question was due, not {describe(answer)}")
    verdict, failures = answer["verdict"], answer["failures"]
    if not (verdict is None or (isinstance(verdict, dict) and verdict.keys() == _VERDICT_FIELDS)):
        raise DataError.of("wrong_value", "a verdict or null was due", path="$.verdict")
    if not isinstance(failures, list) or not all(map(_is_failure, failures)):
        raise DataError.of("wrong_value", "a list of failures was due", path="$.failures")
    if answer["raised"] not in _RAISED or not isinstance(answer["exit_code"], int | str | None):
        raise DataError.of("wrong_value", "the name of an exception or null was due", path="$.raised")
    if verdict is None and not failures and answer["raised"] is None:
        raise DataError.of("wrong_value", "a verdict, a failure or an exception was due")
    return answer


def _is_failure(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and item.keys() == _FAILURE_FIELDS
        and item["code"] in get_args(FailureCode)
        and item["code"] != "validator_flaky"
        and isinstance(item["path"], str)
        and isinstance(item["detail"], str)
        and cap_text(item["detail"]) == item["detail"]
    )


# Kept by command, so that single calls do not pay for a new interpreter each.
_POOLS: dict[tuple[str, ...], ProcessPool] = {}
_LOCK = threading.Lock()


def _workers(path: str) -> ProcessPool:
    command = (sys.executable, "-c", _START, canonical_text(sys.path), path)
    with _LOCK:
        return _POOLS.setdefault(command, ProcessPool(command))
