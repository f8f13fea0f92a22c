"""Why the result of a check fails a test, in a few lines that a terminal shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from robust.app.check_derivation import derive
from robust.app.check_failures import row_shown, shown_failures
from robust.canon import JsonObject
from robust.records.check_report import check_report
from robust.records.skip_reasons import skip_reasons
from robust.render.check_facts import in_plan_order
from robust.render.check_failure import failure_lines
from robust.render.check_words import outcome_words, skip_words
from robust.render.plain import plural
from robust.render.screen import Screen
from robust.render.shell import shell_word

if TYPE_CHECKING:
    from robust.app.population import PopulationResult

_MOST_SHOWN: Final = 2
_MOST_RELATIONS: Final = 20
_REASON_WIDTH: Final = 300
# A report in memory has no files.
_NO_FILES: Final[JsonObject] = {"count": 0, "root": "", "sha256": ""}


def failure_of(result: Any, *, path: Path | None = None, allow_inconclusive: bool = False) -> str | None:
    """Why a result fails, as lines of at most 80 columns but for those that can be copied; None where it does not.

    Args:
        result: of :func:`robust.check`, :func:`robust.check_many` or a population test.
        path: its run directory, if it has one.
        allow_inconclusive: whether what could not be decided passes. What was never tried, and what raised, never do.
    """
    verdicts = verdicts_of(result)
    passing = ("holds", "inconclusive") if allow_inconclusive else ("holds",)
    failing = {name for name, verdict in verdicts.items() if verdict not in passing}
    if verdicts and not failing:
        return None
    screen = Screen()
    lines = list(_of_rows(result, screen) if is_population(result) else _of_relations(result, failing, screen))
    if path is not None:
        lines.append(f"robust report {shell_word(os.fspath(path))}")
    return "\n".join(lines)


def verdicts_of(result: Any) -> dict[str, str]:
    """By relation its verdict; of a population test its verdict by the name of the test."""
    if is_population(result):
        return {str(result.settings.test): str(result.verdict)}
    return {str(name): str(verdict) for name, verdict in result.verdicts.items()}


def is_population(result: Any) -> bool:
    """Whether a result is that of a population test."""
    return hasattr(result, "population_verdict")


def _of_rows(result: PopulationResult, screen: Screen) -> Iterator[str]:
    yield from screen.paragraph(screen.safe(result.message), head="", indent=2)
    wanted = set(result.failing[:_MOST_SHOWN])
    number = 0
    for line, record in enumerate(result.records() if wanted else (), start=1):
        if record["kind"] == "row" and record["row"] in wanted:
            number += 1
            yield from failure_lines(row_shown(record, line), number, screen)
            if number == len(wanted):
                break
    left = len(result.failing) - number
    if left:
        yield f"  {screen.signs.more} and {left} more rows fail"


def _of_relations(result: Any, failing: set[str], screen: Screen) -> Iterator[str]:
    """The same rules and the same words as in a report, over what the result holds in memory."""
    plan = result.plan()
    derived = derive(plan, enumerate(result.records(), start=1))
    report = check_report(plan, derived, _NO_FILES, {})
    found = in_plan_order(report, plan)
    if not found:
        yield "there are no relations, so that nothing was tested"
    names = [name for name in found if name in failing]
    skips = skip_reasons(plan, result.records()) if derived.counts["skipped"] else {}
    many = derived.counts["inputs"] != 1
    for name in names[:_MOST_RELATIONS]:
        told = f"{screen.short(name, 60)}: {outcome_words(found[name])}"
        yield from screen.paragraph(told, head="", indent=2)
        for each in skips.get(name, ()):
            said = screen.short(skip_words(each, many=many), _REASON_WIDTH)
            yield from screen.paragraph(said, head="  ", indent=4)
    if many:
        yield f"  on {plural(derived.counts['inputs'], 'input')}"
    if len(names) > _MOST_RELATIONS:
        yield f"  {screen.signs.more} and {len(names) - _MOST_RELATIONS} more"
    failures = tuple(failure for failure in derived.failures if failure.relation in failing)
    kept = replace(derived, failures=failures)
    shown = shown_failures(plan, kept, enumerate(result.records(), start=1), _MOST_SHOWN)
    for number, failure in enumerate(shown, start=1):
        yield from failure_lines(failure, number, screen)
    left = len(failures) - len(shown)
    if left > 0:
        yield f"  {screen.signs.more} and {left} more counterexamples"
