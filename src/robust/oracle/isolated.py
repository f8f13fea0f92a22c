"""Asking a validator in a spawned worker process, which can be killed and is then replaced."""

from __future__ import annotations

import atexit
import sys
import threading

from robust.canon import canonical_bytes, canonical_text, decode_own
from robust.oracle.process import LineProcess, ProcessEnded, ProcessTimedOut
from robust.oracle.question import Observation, Question
from robust.records.failure import Failure, describe_exception

_START = (
    "import json,sys; sys.path[:] = json.loads(sys.argv[1]); from robust.oracle.worker import main; main(sys.argv[2])"
)


class IsolatedObserver:
    """Asks the validator at ``module:name`` in worker processes that stay for the next question."""

    def __init__(self, path: str, timeout_s: float | None) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask once, in an idle worker or a new one."""
        line = canonical_bytes([decode_own(question.shown_base), decode_own(question.shown_candidate)])
        worker = _POOL.take(self._path)
        try:
            answer = decode_own(worker.ask(line, self._timeout_s))
        except ProcessTimedOut:
            message = f"no answer within {self._timeout_s:g} s; the worker was killed"
            return Observation(None, [Failure("validator_timeout", "$", message)])
        except (ProcessEnded, OSError, ValueError) as error:
            return Observation(None, [Failure("validator_error", "$", describe_exception(error))])
        except BaseException:
            worker.close()
            raise
        _POOL.give_back(self._path, worker)
        if answer["raised"] == "KeyboardInterrupt":
            raise KeyboardInterrupt
        if answer["raised"] == "SystemExit":
            raise SystemExit(answer["exit_code"])
        failures = [Failure(item["code"], item["path"], item["detail"]) for item in answer["failures"]]
        verdict = answer["verdict"]
        return Observation(None if verdict is None else canonical_bytes(verdict), failures)

    def close(self) -> None:
        """End the idle workers of this validator."""
        _POOL.close(self._path)


class _WorkerPool:
    """Idle workers by validator, so that single calls do not pay for a new interpreter each."""

    def __init__(self) -> None:
        self._idle: dict[str, list[LineProcess]] = {}
        self._lock = threading.Lock()
        atexit.register(self.close_all)

    def take(self, path: str) -> LineProcess:
        with self._lock:
            idle = self._idle.get(path)
            if idle:
                return idle.pop()
        return LineProcess([sys.executable, "-c", _START, canonical_text(sys.path), path])

    def give_back(self, path: str, worker: LineProcess) -> None:
        with self._lock:
            self._idle.setdefault(path, []).append(worker)

    def close(self, path: str) -> None:
        with self._lock:
            idle = self._idle.pop(path, [])
        for worker in idle:
            worker.close()

    def close_all(self) -> None:
        for path in list(self._idle):
            self.close(path)


_POOL = _WorkerPool()
