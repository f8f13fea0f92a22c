"""The worker process: imports one validator and answers questions until its input ends."""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import Any

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.oracle.identity import resolve
from robust.oracle.inline import InlineObserver
from robust.oracle.question import Observation


def main(path: str) -> None:
    """Serve questions from standard input; what the validator prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_read_questions, args=(questions,), daemon=True).start()
    observer: InlineObserver | None = None
    while (line := questions.get()) is not None:
        key, base, candidate = decode_own(line)
        try:
            # Imported at the first question, so that a validator that fails to import is an answer, not a dead process.
            observer = observer or InlineObserver(resolve(path), None)
            answer = _answer(key, observer.ask(canonical_bytes(base), canonical_bytes(candidate)))
        except KeyboardInterrupt:
            answer = _raised(key, "KeyboardInterrupt", None)
        except SystemExit as error:
            answer = _raised(key, "SystemExit", error.code if isinstance(error.code, int | str) else None)
        answers.write(canonical_bytes(answer) + b"\n")
        answers.flush()


def _read_questions(questions: queue.SimpleQueue[bytes | None]) -> None:
    for line in sys.stdin.buffer:
        questions.put(line)
    # The parent is gone. A validator that never returns must not outlive it.
    os._exit(0)


def _answer(key: str, observation: Observation) -> JsonObject:
    return {
        "id": key,
        "verdict": None if observation.verdict is None else decode_own(observation.verdict),
        "failures": [failure.to_json() for failure in observation.failures],
        "raised": None,
        "exit_code": None,
    }


def _raised(key: str, kind: str, exit_code: Any) -> JsonObject:
    return {"id": key, "verdict": None, "failures": [], "raised": kind, "exit_code": exit_code}
