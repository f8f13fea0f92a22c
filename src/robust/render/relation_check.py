"""Checks of relations in a few lines of text, for a notebook or a failing test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from robust.records.relation_check import BatchResult, CheckError, Counterexample, Reason, RelationResult
from robust.records.skip_reasons import SkipReasons
from robust.render.check_words import skip_words

_REASONS: Final[dict[Reason, str]] = {
    "errors": "something raised",
    "no_samples": "no samples were asked for",
    "no_effective_trial": "no variant was another input that could be tried",
    "noise": "what contradicts is within the system's own noise",
    "noise_unknown": (
        "the assertion does not hold of two equal outputs, so that noise cannot be told: "
        "declare deterministic_system=True, or give Assertion(compare, due=…)"
    ),
    "too_few_runs": "so few runs cannot show more than noise: raise samples or baseline_runs",
}
_LONGEST: Final = 400
_MOST_ERRORS: Final = 3
_MOST_IDS: Final = 10


def summary_lines(
    subject: str,
    results: Mapping[str, RelationResult],
    counterexamples: Sequence[Counterexample],
    errors: Sequence[tuple[str, CheckError]],
    calls: int,
    saved: int,
    skips: SkipReasons,
) -> Iterator[str]:
    """A line for each relation, and why its samples were no trials; then the counterexamples and what raised."""
    trials = sum(result.trials for result in results.values())
    head = f"{subject}: " if subject else ""
    less = f", {saved} saved" if saved else ""
    yield f"{head}{_counted(len(results), 'relation')}, {_counted(trials, 'trial')}, {_counted(calls, 'call')}{less}"
    if not results:
        yield "  there are no relations, so that nothing was tested"
    for result in results.values():
        yield f"  {result.verdict:<12} {result.name}: {_numbers(result)}"
        yield from _skips(skips, result.name, many=False)
    for found in counterexamples:
        yield from _counterexample(found)
    for relation, error in errors[:_MOST_ERRORS]:
        yield _raised(error, relation)
    if len(errors) > _MOST_ERRORS:
        yield f"  and {len(errors) - _MOST_ERRORS} more errors"


def batch_lines(
    subject: str,
    results: Mapping[str, BatchResult],
    flagged: Sequence[str],
    counts: tuple[int, int, int, int],
    alpha: float,
    skips: SkipReasons,
    counterexamples: Sequence[tuple[str, Counterexample]],
    errors: Sequence[tuple[str, str, CheckError]],
) -> Iterator[str]:
    """A line for each relation, then the inputs that are flagged.

    Args:
        subject: what was checked.
        results: by relation.
        flagged: the ids of inputs on which a relation is violated.
        counts: inputs checked, inputs that repeat others, calls, and calls saved.
        alpha: the chance of a false alarm.
        skips: why samples were no trials.
        counterexamples: the first ones, each with the id of its input.
        errors: likewise, with the relation; none of a base.
    """
    inputs, repeats, calls, saved = counts
    head = f"{subject}: " if subject else ""
    less = f", {saved} saved" if saved else ""
    again = f" ({_counted(repeats, 'repeat')} left out)" if repeats else ""
    what = f"{_counted(inputs, 'input')}{again}, {_counted(len(results), 'relation')}"
    yield f"{head}{what}, {_counted(calls, 'call')}{less}"
    if not inputs:
        yield "  there are no inputs, so that nothing was tested"
    for result in results.values():
        told = f"{result.contradictions} of {_counted(result.trials, 'trial')} contradict"
        if result.tested:
            told += f", {result.flagged} of {_counted(result.tested, 'input')} tested are at most alpha"
        elif result.inputs.get("violated"):
            told += f", on {result.inputs['violated']} of {_counted(inputs, 'input')}"
        yield f"  {result.verdict:<12} {result.name}: {told}{_p(result.adjusted_p)}{_why(result.reason)}"
        yield from _skips(skips, result.name, many=True)
    if flagged:
        more = f" and {len(flagged) - _MOST_IDS} more" if len(flagged) > _MOST_IDS else ""
        yield f"  flagged: {', '.join(flagged[:_MOST_IDS])}{more}"
    if flagged and any(result.tested for result in results.values()):
        yield f"  of the inputs that were tested, a share of up to {alpha:g} is flagged by chance alone"
    for name, example in counterexamples:
        yield from _counterexample(example, f", input {name}")
    for name, relation, error in errors:
        yield _raised(error, relation, f", input {name}")


def _skips(skips: SkipReasons, name: str, *, many: bool) -> Iterator[str]:
    for each in skips.of(name):
        yield f"    {_short(skip_words(each, many=many))}"


def _numbers(result: RelationResult) -> str:
    told = f"{result.contradictions} of {_counted(result.trials, 'trial')} contradict"
    if result.trials < result.planned:
        skipped = [f"{count} {reason.replace('_', ' ')}" for reason, count in sorted(result.skipped.items())]
        saved = [f"{result.saved} not needed"] if result.saved else []
        told += f" ({', '.join([*skipped, *saved])})" if skipped or saved else ""
    return told + _p(result.adjusted_p) + _why(result.reason)


def _raised(error: CheckError, relation: str, place: str = "") -> str:
    place = (f" of {relation}" if relation else "") + place
    place += "" if error.sample is None else f", sample {error.sample}"
    return f"  raised in {error.where}{place}: {_short(error.message)}"


def _counterexample(found: Counterexample, place: str = "") -> Iterator[str]:
    yield f"  counterexample of {found.relation}{place}, sample {found.sample}: {_short(found.detail)}"
    yield f"    input    {_shown(found.base)}"
    yield f"    variant  {_shown(found.variant)}"
    if found.minimised is not None:
        yield f"    simplest {_shown(found.minimised)}"
    for path, before, after in found.difference:
        yield f"    {path}: {_shown(before)} became {_shown(after)}"
    yield f"    {found.replay}"
    if found.minimised is not None:
        yield "    (this replays the variant, not the simplest one)"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _p(p_value: float | None) -> str:
    return "" if p_value is None else f", p = {p_value:.2g}"


def _why(reason: Reason | None) -> str:
    return "" if reason is None else f"; {_REASONS[reason]}"


def _shown(value: Any) -> str:
    if value is ...:
        return "nothing"
    try:
        return _short(repr(value))
    except Exception as error:  # noqa: BLE001 - an output's own code may raise anything
        return f"<repr raised {type(error).__name__}>"


def _short(text: str) -> str:
    line = text.encode("utf-8", "replace").decode("utf-8").replace("\n", "\\n")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
