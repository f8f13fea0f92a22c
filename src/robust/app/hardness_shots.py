"""One shot at a case: a model is asked, its answer judged, and whatever happens is a value."""

from __future__ import annotations

import inspect
import threading
from concurrent.futures import Future
from typing import Any, Final

from robust.canon import (
    MAX_PART_DEPTH,
    canonical_bytes,
    decode_own,
    describe,
    digest_bytes,
    plain_parts,
)
from robust.oracle.inline import run_awaitable
from robust.records.case import Case
from robust.records.comparator import Comparator
from robust.records.encoding import StoredCase
from robust.records.failure import describe_exception
from robust.records.hardness import Band, HardnessCase, Shot, hardness_case

MAX_ANSWER_BYTES: Final = 1024 * 1024


def ask(stored: StoredCase, *, model: Any, judge: Any, comparator: Comparator | None) -> Shot:
    """Ask a model about a case once, and have its answer judged.

    Whatever they do is a value, but KeyboardInterrupt and SystemExit.
    """
    try:
        answer = _called(model, _copy(stored.shown))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a model that crashes, or is cancelled, is a finding
        return Shot(status="model_error", detail=describe_exception(error))
    encoded, problem = _portable(answer)
    if problem is not None:
        return Shot(status="model_error", detail=problem)
    if judge is None:
        return _compared(stored, encoded, comparator)
    return _judged(stored, encoded, judge)


def _copy(encoded: bytes) -> Case:
    return Case.from_json(decode_own(encoded))


def _called(function: Any, *given: Any) -> Any:
    result = function(*given)
    return run_awaitable(result, None) if inspect.isawaitable(result) else result


def _portable(answer: Any) -> tuple[bytes, str | None]:
    """The canonical bytes of an answer, or why it has none."""
    plain, problems = plain_parts(answer, "$", MAX_PART_DEPTH)
    if problems:
        return b"", f"the answer is not portable JSON: {problems[0].path}: {problems[0].message}"[:1000]
    encoded = canonical_bytes(plain)
    if len(encoded) > MAX_ANSWER_BYTES:
        return b"", f"the answer has {len(encoded)} bytes, more than {MAX_ANSWER_BYTES}"
    return encoded, None


def _compared(stored: StoredCase, encoded: bytes, comparator: Comparator | None) -> Shot:
    """Compare an answer with the expected one; null is never an answer."""
    answer, expected = decode_own(encoded), decode_own(stored.label)
    # What the comparator cannot compare with itself is no answer in its sense, so that nothing could be right.
    if comparator is None or answer is None or expected is None or comparator.equal(expected, expected) is not True:
        return Shot(status="unmeasured", answer=answer)
    return Shot(status="passed" if comparator.equal(answer, expected) is True else "failed", answer=answer)


def _judged(stored: StoredCase, encoded: bytes, judge: Any) -> Shot:
    answer = decode_own(encoded)
    try:
        said = _called(judge, _copy(stored.stored), decode_own(encoded))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a judge that crashes is a finding
        return Shot(status="judge_error", answer=answer, detail=describe_exception(error))
    if said is None:
        return Shot(status="unmeasured", answer=answer)
    if type(said) is not bool:
        return Shot(status="judge_error", answer=answer, detail=f"True, False or None was due, not {describe(said)}")
    return Shot(status="passed" if said else "failed", answer=answer)


class OneCase:
    """A case and the shots at it so far.

    Attributes:
        stored: the case.
        future: done when all its shots are, where they are made in another thread.
    """

    def __init__(self, stored: StoredCase) -> None:
        self.stored = stored
        self.future: Future[None] | None = None
        self._shots: list[Shot] = []
        self._lock = threading.Lock()
        self._finished = False

    @property
    def case_id(self) -> str:
        """The id of the case."""
        return str(decode_own(self.stored.stored)["case_id"])

    def add(self, shot: Shot) -> None:
        """Take in a shot; one that comes after the case was finished comes too late."""
        with self._lock:
            if not self._finished:
                self._shots.append(shot)

    def finish(self, shots: int, band: Band) -> HardnessCase:
        """The case with all its shots; those that were not made are not run."""
        with self._lock:
            self._finished = True
        case = decode_own(self.stored.stored)
        missing = [Shot(status="not_run") for _ in range(shots - len(self._shots))]
        return hardness_case(
            case_id=case["case_id"],
            source_id=case["source_id"],
            content=digest_bytes(self.stored.content),
            shots=[*self._shots, *missing],
            band=band,
        )
