"""From a backend's raw answer to a validated distribution and what follows from it. Nothing is ever repaired."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from robust.canon import describe

ErrorKind: TypeAlias = Literal[
    "timeout",
    "unavailable",
    "invalid_response",
    "backend_error",
    "exception",
    "paraphrase_error",
    "original_error",
    "oracle_error",
    "budget_exhausted",
]
# Errors that take the place of an answer to a question that was never asked.
NEVER_ASKED: Final[frozenset[ErrorKind]] = frozenset(("original_error", "paraphrase_error", "oracle_error"))
# The edge of the tolerance is inclusive on both sides; this absorbs the rounding of 1.001 − 1.
SUM_EDGE: Final = 1e-12
# Above it a sum of a few numbers may be beyond all doubles.
_HUGE: Final = 1e300
# From here on canonical JSON writes an exponent, and reads the number back as it is.
_FIRST_EXPONENT: Final = 1e21
# All limits compare with this slack, so that the rounding of 0.1 + 0.2 never decides a gate.
LIMIT_SLACK: Final = 1e-9


def distribution_problem(answer: Any, labels: Sequence[str], tolerance: float) -> str | None:
    """Why an answer is not a distribution over exactly these labels, or None."""
    if not isinstance(answer, Mapping):
        return f"probabilities must be an object, not {describe(answer)}"
    known = set(labels)
    unknown = [str(label) for label in answer if label not in known]
    missing = [label for label in labels if label not in answer]
    if unknown or missing:
        parts = [f"has no {missing[0][:80]!r}"] if missing else []
        parts += [f"has the unknown label {unknown[0][:80]!r}"] if unknown else []
        return "the answer " + " and ".join(parts)
    numbers: list[float] = []
    for label in labels:
        value = answer[label]
        if isinstance(value, bool) or not isinstance(value, int | float):
            hint = "; convert it with float()" if hasattr(type(value), "__float__") and value is not True else ""
            return f"the probability of {label!r} is {describe(value)}, not a number{hint}"
        number = _double(value)
        if not math.isfinite(number) or number < 0:
            return f"the probability of {label!r} is {number!r}; it must be finite and not negative"
        numbers.append(number)
    total = math.fsum(numbers) if max(numbers) < _HUGE else math.inf
    if abs(total - 1) <= tolerance + SUM_EDGE:
        return None
    hint = "; percentages must be divided by 100" if abs(total - 100) <= 100 * tolerance + 1 else ""
    return f"the probabilities sum to {total!r}, not to 1 within {tolerance:g}{hint}"


def _double(value: float) -> float:
    """The nearest double; infinite for an integer beyond all doubles."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def tidy_number(value: float) -> float | int:
    """The same number in the form in which canonical JSON reads it back: integral values as integers."""
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < _FIRST_EXPONENT else number


def select(probabilities: Sequence[float]) -> int:
    """The position of the most probable label; ties go to the one listed first."""
    return probabilities.index(max(probabilities))


def label_of_answer(answer: Any) -> str | None:
    """The label text of an expected answer: text is itself, a number its canonical text, anything else none."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        from robust.canon import canonical_text

        return canonical_text(answer)
    return None
