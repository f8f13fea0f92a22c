"""What the checks of a pytest session came to, in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.render.plain import plural
from robust.render.screen import Screen

_MOST_FAILED: Final = 20
_NAME_WIDTH: Final = 60
_ORDER: Final = ("holds", "violated", "inconclusive", "vacuous", "errored")


def summary_lines(found: Sequence[tuple[str, JsonObject]], *, short: bool = False) -> Iterator[str]:
    """What was found, as lines of a terminal.

    Args:
        found: of each check the id of its test, and what it came to.
        short: whether those that failed are only counted.
    """
    screen = Screen()
    checks = [each for _, each in found]
    failed = sum(bool(each["failed"]) for each in checks)
    calls, saved = (_total(checks, name) for name in ("calls", "calls_saved"))
    told = [f"{plural(len(checks), 'check')}: {len(checks) - failed} passed, {failed} failed"]
    told += [] if calls is None else [plural(calls, "call") + ("" if not saved else f", {saved} saved")]
    yield "; ".join(told)
    yield f"relations and tests: {_verdicts(checks)}"
    if short:
        return
    shown = [(test, each) for test, each in found if each["failed"]]
    for test, each in shown[:_MOST_FAILED]:
        names = [f"{name} {verdict}" for name, verdict in each["verdicts"].items() if verdict != "holds"]
        yield screen.safe(f"{test}: {', '.join(names) or 'no relations'}")
        if each["path"] is not None:
            yield f"  {screen.safe(each['path'])}"
    if len(shown) > _MOST_FAILED:
        yield f"and {len(shown) - _MOST_FAILED} more"


def _total(checks: Iterable[JsonObject], name: str) -> int | None:
    numbers = [each[name] for each in checks if each[name] is not None]
    return sum(numbers) if numbers else None


def _verdicts(checks: Iterable[JsonObject]) -> str:
    counts = Counter(verdict for each in checks for verdict in each["verdicts"].values())
    known = [name for name in _ORDER if counts[name]]
    return ", ".join(f"{counts[name]} {name}" for name in [*known, *sorted(counts.keys() - set(_ORDER))]) or "none"
