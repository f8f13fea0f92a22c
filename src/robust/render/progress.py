"""How far a run has come, as one short line of ASCII."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from robust.records.progress import ProgressState

_WINDOW_S: Final = 30.0
# Below it "0.0/min" would stand there.
_LEAST_RATE: Final = 0.001
_UNITS: Final = ((10**9, "G"), (10**6, "M"), (10**3, "k"))
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


class RecentRate:
    """Decisions per second over the last half minute.

    Not over the whole run: the part of a continued run that needs no calls says nothing about the part that does.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque([(0.0, 0)])

    def add(self, state: ProgressState) -> float | None:
        """Take in a state; gives the rate, or None where nothing can be said yet."""
        self._seen.append((state.elapsed_s, state.done))
        # The oldest one kept is the last that is at least a window old, so that the window is full.
        while len(self._seen) > 2 and self._seen[1][0] <= state.elapsed_s - _WINDOW_S:
            self._seen.popleft()
        began, before = self._seen[0]
        seconds, done = state.elapsed_s - began, state.done - before
        return done / seconds if seconds > 0 and done > 0 else None


def progress_text(state: ProgressState, *, width: int = 80, rate: float | None = None) -> str:
    """As much as fits of how many are done, errors, time left, rate, calls, cached answers, tokens and cost.

    As the total is what there will be at most, so is the time left, and the share that is done is so at least.

    Args:
        state: how far the run is.
        width: the most characters. What matters least is left out, and never a part of a number.
        rate: decisions per second; None where that is not known, and then there is no time left either.
    """
    first, *others = _parts(state, rate)
    if len(first) > width:
        first = first.partition(" ")[0]
    text = first if len(first) <= width else ""
    for part in others if text else ():
        if len(text) + 2 + len(part) > width:
            break
        text = f"{text}  {part}"
    return text


def _parts(state: ProgressState, rate: float | None) -> list[str]:
    """What can be said, the most important first."""
    parts = [_done_text(state.done, state.total)]
    if state.errors:
        parts.append(_counted(state.errors, "error"))
    left = None if state.total is None or rate is None or rate <= 0 else (state.total - state.done) / rate
    if left is not None and left > 0 and math.isfinite(left):
        parts.append(f"{duration_text(left)} left")
    elif state.total is not None and state.done >= state.total:
        parts.append(f"in {duration_text(state.elapsed_s)}")
    if rate is not None and rate >= _LEAST_RATE:
        parts.append(_rate_text(rate))
    if state.calls:
        parts.append(_counted(state.calls, "call"))
    if state.cached:
        parts.append(f"{count_text(state.cached)} cached")
    if state.tokens:
        parts.append(_counted(state.tokens, "token"))
    if state.cost:
        parts.append(f"cost {state.cost:.{2 if state.cost >= 1 else 4}f}")
    return parts


def _done_text(done: int, total: int | None) -> str:
    if not total:
        return f"{done} done"
    return f"{done}/{total} ({100 * done // total}%)"


def _counted(count: int, what: str) -> str:
    return f"{count_text(count)} {what}" + "s" * (count != 1)


def count_text(count: int) -> str:
    """A count in few characters: 9999, 12.3k, 4.0M, 5.6G; cut, never rounded up."""
    if count < 10_000:
        return str(count)
    factor, unit = next((size, unit) for size, unit in _UNITS if count >= size)
    return f"{count // factor}.{count % factor * 10 // factor}{unit}"


def duration_text(seconds: float) -> str:
    """A duration in its two largest units, a begun second counting as one: 7s, 1m 05s, 2h 00m, 3d 04h."""
    whole = math.ceil(seconds)
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02}m"
    return f"{whole // _DAY}d {whole % _DAY // _HOUR:02}h"


def _rate_text(rate: float) -> str:
    if rate >= 1:
        return f"{rate:.{0 if rate >= 100 else 1}f}/s"
    return f"{rate * _MINUTE:.1f}/min"
