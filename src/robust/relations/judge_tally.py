"""What the picks of a judge come to: shares, exact tests and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from robust.records.judge_bias import (
    BiasKind,
    BiasVerdict,
    ChangedPick,
    JudgeBiasReport,
    JudgeFailure,
)
from robust.relations.shares import share_of_cases
from robust.stats.exchange import Exchange
from robust.stats.sign_test import sign_test

_MOST: Final = 20


@dataclass(slots=True)
class Picks:
    """The picks of one case.

    Attributes:
        index: the case's number.
        before: the picks as the case was given: numbers of answers; for length, whether it was the one to be padded.
        after: the picks as it was shown otherwise, likewise.
        example: what is shown of it if its first pick changed.
        place: 0 or 1 where the first picks are of the first or of the last place both times; else None.
    """

    index: int
    before: Sequence[int]
    after: Sequence[int]
    example: ChangedPick
    place: int | None


@dataclass(slots=True)
class Tally:
    """Counts over cases, taken in case by case."""

    kind: BiasKind
    exchange: Exchange = field(default_factory=lambda: Exchange(0))
    given: int = 0
    duplicates: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    tested: int = 0
    changed: int = 0
    differing: int = 0
    again: int = 0
    repeated: int = 0
    places: list[int] = field(default_factory=lambda: [0, 0])
    examples: list[ChangedPick] = field(default_factory=list)
    failures: list[JudgeFailure] = field(default_factory=list)
    failed: int = 0
    calls: int = 0

    def fail(self, failure: JudgeFailure) -> None:
        """Take in a case on which the judge failed."""
        self.failed += 1
        if len(self.failures) < _MOST:
            self.failures.append(failure)

    def add(self, picks: Picks) -> None:
        """Take in a case that was judged."""
        self.tested += 1
        before, after = picks.before, picks.after
        if self.kind == "length":
            outcomes = [*before, *after]
            breaks = [[bool(late > early) for late in outcomes] for early in outcomes]
            self.exchange.add(picks.index, len(before), breaks, picks.index)
        else:
            self.exchange.add_labels(
                picks.index, [str(each) for each in before], [str(each) for each in after], picks.index
            )
        self.differing += any(self._moves(early, late) for early in before for late in after)
        if len(before) > 1:
            self.repeated += 1
            self.again += self._moves(before[0], before[1])
        if self._moves(before[0], after[0]):
            self.changed += 1
            if picks.place is not None:
                self.places[picks.place] += 1
            if len(self.examples) < _MOST:
                self.examples.append(picks.example)

    def _moves(self, before: int, after: int) -> bool:
        return after > before if self.kind == "length" else after != before

    def report(self, *, deterministic: bool, alpha: float, runs: int) -> JudgeBiasReport:
        """What it comes to."""
        test = None if deterministic else self.exchange.result()
        p_value, smallest = (None, None) if test is None else (test.p_value, test.smallest_p)
        verdict, reason = self._verdict(p_value, smallest, alpha, runs, deterministic=deterministic)
        position = self.kind == "position"
        first, last = self.places
        return JudgeBiasReport(
            kind=self.kind,
            verdict=verdict,
            reason=reason,
            given=self.given,
            duplicates=self.duplicates,
            skipped=dict(sorted(self.skipped.items())),
            tested=self.tested,
            changed=share_of_cases(self.changed, self.tested),
            noise=share_of_cases(self.again, self.repeated) if self.repeated else None,
            p_value=p_value,
            smallest_p=smallest,
            first=first if position else None,
            last=last if position else None,
            place_p=sign_test(first, last) if position else None,
            examples=tuple(self.examples),
            failures=tuple(self.failures),
            failed=self.failed,
            calls=self.calls,
            alpha=alpha,
        )

    def _verdict(
        self, p_value: float | None, smallest: float | None, alpha: float, runs: int, *, deterministic: bool
    ) -> tuple[BiasVerdict, str]:
        what = "the order of the answers" if self.kind == "position" else "padding"
        if deterministic and self.differing:
            return "violated", f"{what} changed the pick in {self.differing} of {self.tested} cases"
        if p_value is not None and p_value <= alpha:
            return "violated", f"{what} changes picks more than the judge's own noise does (p = {p_value:.4g})"
        if self.failed:
            return "errored", f"the judge failed on {self.failed} of {self.given} cases"
        if not self.tested:
            return "vacuous", "no case could be tested" if self.given else "there are no cases"
        if not self.differing:
            return "holds", f"{what} changed no pick in {self.tested} cases"
        if smallest is None or smallest > alpha:
            least = 1 if smallest is None else smallest
            return "inconclusive", (
                f"picks changed, but no p below {least:.2g} could show with {runs} runs each way of {self.tested}; "
                "give more cases or more runs, or declare deterministic_judge=True"
            )
        return "holds", f"picks changed no more than the judge's own noise explains (p = {p_value:.4g})"
