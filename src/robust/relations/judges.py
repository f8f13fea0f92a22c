"""Whether a judge goes by the place or the length of an answer, found without knowing which answer is better."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from robust.canon import SeededRandom, describe
from robust.errors import UsageError
from robust.records.judge_bias import BiasKind, ChangedPick, JudgeBiasReport, JudgeFailure
from robust.relations.filler_relations import fitting_text, padding
from robust.relations.judge_calls import Asker, JudgedCase, JudgeFailed, check_numbers, in_order, new_cases
from robust.relations.judge_picks import TIE, PickStyle, picker
from robust.relations.judge_tally import Picks, Tally
from robust.relations.place import place_of
from robust.relations.relation import NotApplicable
from robust.relations.rewinding import rewound
from robust.relations.stored_value import digest_of

Judging: TypeAlias = Callable[[Asker, JudgedCase], Picks]
_SHOWN: Final = 60


def judge_bias(
    judge: Callable[[Any], Any],
    cases: Iterable[Any],
    *,
    field: Hashable | None = "answers",
    picks: PickStyle | Callable[[Any, list[Any]], Any] = "auto",
    runs: int = 3,
    deterministic_judge: bool = False,
    workers: int = 8,
    alpha: float = 0.05,
) -> JudgeBiasReport:
    """Whether a judge's pick depends on the order in which the answers are shown.

    Each case is judged ``runs`` times as it is given and as often in other orders: all answers moved on by so many
    places, so that each gets to each place, and never the given order. What is compared are the answers that were
    picked, not their letters or places. That changes are more than the judge's own noise is shown by the exact exchange
    test over all cases (:class:`~robust.stats.exchange.Exchange`): a judge that does not look at the order is found
    biased with a probability of at most ``alpha``.

    Args:
        judge: takes a case and gives a pick; it may be a coroutine function. It gets copies. One of
            :func:`robust.cached_system` begins at the first trial. A judge that raises, or
            gives what is no pick, such as NaN, is an error of that case and never a pass.
        cases: dicts whose ``field`` is a list of answers, such as ``{"question": ..., "answers": [...]}``; read as they
            are needed. A case with fewer than two different answers is not tested.
        field: where the answers are; None for cases that are lists of answers.
        picks: how the judge answers: with the ``text`` of an answer, its ``letter``, its ``index`` (from 0), its
            ``number`` (from 1), or ``scores``, one for each; ``auto`` takes text, letters and scores; or a function of
            the judge's answer and of the answers shown that gives an index, or None for a tie. ``tie`` is a pick, too.
        runs: how often each case is judged each way. With one, a test can tell nothing: then declare the judge.
        deterministic_judge: whether the judge is known to give the same pick for the same case. Then each case is
            judged once as given and once in each other order, at most ``runs`` orders, and any change is a bias.
        workers: how many cases are judged at once, 1–256, each in a thread; with 1 in the caller's own.
        alpha: up to which p value a difference counts.

    Raises:
        UsageError: an argument is not what it must be.
    """
    check_numbers(runs, workers, alpha)

    def judged(asker: Asker, case: JudgedCase) -> Picks:
        return _in_orders(asker, case, runs, deterministic=deterministic_judge)

    asker = Asker(_callable(judge), place_of(field, None, None), picker(picks))
    tally = _tallied("position", asker, cases, judged, workers)
    return tally.report(deterministic=deterministic_judge, alpha=alpha, runs=runs)


def length_bias(
    judge: Callable[[Any], Any],
    cases: Iterable[Any],
    *,
    field: Hashable | None = "answers",
    picks: PickStyle | Callable[[Any, list[Any]], Any] = "auto",
    factor: float = 2.0,
    filler: str | Sequence[str] | None = None,
    runs: int = 3,
    deterministic_judge: bool = False,
    workers: int = 8,
    alpha: float = 0.05,
) -> JudgeBiasReport:
    """Whether a judge's pick moves to an answer that was made longer without saying more.

    The judge is asked once for its pick; an answer that it did not pick is then padded by sentences without content.
    Only fresh picks are compared, ``runs`` without padding and ``runs`` with it, since the first one chose the answer.
    The exchange test is that of :func:`judge_bias`, one-sided: picks that move to the padded answer.

    Args:
        judge: see :func:`judge_bias`.
        cases: see :func:`judge_bias`. A case is not tested if the answer to be padded is no text, or is in another
            script than the filler.
        field: see :func:`judge_bias`.
        picks: see :func:`judge_bias`.
        factor: how many times as long the answer becomes at least.
        filler: the sentences; those of the catalog are English.
        runs: see :func:`judge_bias`.
        deterministic_judge: whether the judge is known to give the same pick for the same case. Then each case is
            judged twice, and any move to the padded answer is a bias.
        workers: see :func:`judge_bias`.
        alpha: see :func:`judge_bias`.

    Raises:
        UsageError: an argument is not what it must be.
    """
    check_numbers(runs, workers, alpha)
    pad = padding(factor, filler)

    def judged(asker: Asker, case: JudgedCase) -> Picks:
        order = range(len(case.answers))
        picked = asker.ask(case, order)
        # A tie picks none, and padding gives no reason to pick the first.
        longer = next(number for number in case.same if number != picked)
        text = fitting_text(case.answers[longer], own=filler is not None, wanted="filler")
        random = SeededRandom("robust.length-bias/1", digest_of(text))
        padded = [
            pad(text, random) if case.same[number] == longer else each for number, each in enumerate(case.answers)
        ]
        times = 1 if deterministic_judge else runs
        before = [picked] if deterministic_judge else [asker.ask(case, order) for _ in range(times)]
        after = [asker.ask(case, order, padded) for _ in range(times)]
        return Picks(
            case.index,
            [each == longer for each in before],
            [each == longer for each in after],
            ChangedPick(case=case.index, before=_shown(case, before[0]), after=_shown(case, after[0]), shown=(longer,)),
            None,
        )

    asker = Asker(_callable(judge), place_of(field, None, None), picker(picks))
    tally = _tallied("length", asker, cases, judged, workers)
    return tally.report(deterministic=deterministic_judge, alpha=alpha, runs=runs)


def _in_orders(asker: Asker, case: JudgedCase, runs: int, *, deterministic: bool) -> Picks:
    given = list(range(len(case.answers)))
    shown = [case.same[number] for number in given]
    # Where answers are equal some order may show what the given one does.
    orders = [
        order
        for order in ([*given[start:], *given[:start]] for start in given[1:])
        if [case.same[number] for number in order] != shown
    ]
    before = [asker.ask(case, given) for _ in range(1 if deterministic else runs)]
    used = orders[:runs] if deterministic else [orders[run % len(orders)] for run in range(runs)]
    after = [asker.ask(case, order) for order in used]
    return Picks(
        case.index,
        before,
        after,
        ChangedPick(
            case=case.index, before=_shown(case, before[0]), after=_shown(case, after[0]), shown=tuple(used[0])
        ),
        _place(case, used[0], before[0], after[0]),
    )


def _place(case: JudgedCase, order: Sequence[int], before: int, after: int) -> int | None:
    """0 where both picks are of the first place, 1 where both are of the last."""
    ends = [(case.same[0], case.same[order[0]]), (case.same[-1], case.same[order[-1]])]
    found = [place for place, end in enumerate(ends) if end == (before, after)]
    return found[0] if len(found) == 1 else None


def _tallied(kind: BiasKind, asker: Asker, cases: Iterable[Any], judged: Judging, workers: int) -> Tally:
    tally = Tally(kind)
    rewound(asker.judge)

    def firsts() -> Iterator[tuple[int, Any]]:
        for index, given, first in new_cases(cases):
            tally.given += 1
            tally.duplicates += not first
            if first:
                yield index, given

    for found, calls in in_order(lambda item: _judged(asker, judged, *item), firsts(), workers):
        tally.calls += calls
        if isinstance(found, Picks):
            tally.add(found)
        elif isinstance(found, str):
            tally.skipped[found] += 1
        else:
            tally.fail(found)
    return tally


def _judged(asker: Asker, judged: Judging, index: int, given: Any) -> tuple[Picks | JudgeFailure | str, int]:
    """The picks of a case, or how the judge failed, or why it cannot be tested; and how often the judge was asked."""
    case = None
    try:
        case = asker.read(index, given)
        return judged(asker, case), case.calls
    except NotApplicable as error:
        return error.reason, case.calls if case else 0
    except JudgeFailed as error:
        return error.failure, case.calls if case else 0


def _callable(judge: Any) -> Callable[[Any], Any]:
    if not callable(judge):
        message = f"must be a function of a case, not {describe(judge)}"
        raise UsageError.of("bad_judge", message, path="judge")
    found: Callable[[Any], Any] = judge
    return found


def _shown(case: JudgedCase, picked: int) -> str:
    if picked == TIE:
        return "tie"
    text = repr(case.answers[picked])
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
