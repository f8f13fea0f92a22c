"""A number of the input raised."""

from __future__ import annotations

import math
from collections.abc import Iterator

from robust.canon import MAX_SAFE_INTEGER, RandomStream
from robust.records.decision import tidy_number
from robust.records.properties import Monotonic
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps, distinct


class MonotonicTransformation:
    """Adds each delta to a number field of an object.

    A step is ``{"field": ..., "delta": ...}``. Sums that no JSON can hold, and those that change nothing because the
    number is too large for its delta, give no candidate.
    """

    def __init__(self, settings: Monotonic) -> None:
        self._name = settings.field
        self._deltas = tuple(_portable(delta) for delta in settings.deltas)

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:  # noqa: ARG002
        """One candidate for each delta, in the contract's order; nothing is drawn."""
        if self._value(shown) is None:
            return "no_number"
        made = (self._candidate(shown, delta) for delta in self._deltas)
        return distinct((each for each in made if each is not None), shown, len(self._deltas)) or "nothing_changes"

    def _value(self, shown: Shown) -> float | int | None:
        value = shown.get(self._name) if isinstance(shown, dict) else None
        return value if type(value) in (int, float) else None

    def _candidate(self, shown: Shown, delta: float) -> Candidate | None:
        value = self._value(shown)
        if value is None or isinstance(shown, str):
            return None
        # As doubles, so that a stored 9007199254740992 and a given 9007199254740992.0 have the same sum.
        total = float(value) + float(delta)
        if not math.isfinite(total) or total == float(value):
            return None
        return Candidate(({"field": self._name, "delta": delta},), {**shown, self._name: _portable(total)})

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        step = steps[0] if len(steps) == 1 else {}
        given = step.get("delta")
        # As doubles, too: a large one is read back as an integer.
        delta = _portable(float(given)) if type(given) in (int, float) and given is not None else None
        if step.get("field") != self._name or delta is None or delta not in self._deltas:
            raise StepError("there must be one step that adds a configured delta to the field")
        candidate = self._candidate(shown, delta)
        if candidate is None:
            raise StepError("the input has no number that this can be added to")
        return candidate

    def smaller(self, steps: Steps) -> Iterator[Steps]:  # noqa: ARG002 - a sum has no parts
        """A sum has no parts."""
        return iter(())


def _portable(number: float) -> float | int:
    """An integral number as an integer, unless it is too large for one that every JSON reader keeps."""
    return tidy_number(number) if abs(number) <= MAX_SAFE_INTEGER else float(number)
