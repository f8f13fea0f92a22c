"""What was found of a judge: whether it goes by the place or the length of an answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from robust.canon import JsonObject
from robust.records.no_truth import NoTruth

BiasKind: TypeAlias = Literal["position", "length"]
BiasVerdict: TypeAlias = Literal["holds", "violated", "inconclusive", "vacuous", "errored"]
_STATUSES: Final = {"holds": "pass", "violated": "fail", "inconclusive": "fail", "vacuous": "error", "errored": "error"}
_EXIT_CODES: Final = {"holds": 0, "violated": 1, "inconclusive": 1, "vacuous": 2, "errored": 2}
_SHOWN: Final = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareOfCases:
    """A share of cases with its exact 95 % interval (Clopper & Pearson 1934).

    Attributes:
        hits: how many cases count.
        cases: of how many.
        low: the lower end of the interval; 0 of no case.
        high: the upper end; 1 of no case.
    """

    hits: int
    cases: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share; None of no case."""
        return self.hits / self.cases if self.cases else None

    def to_dict(self) -> JsonObject:
        """The share as JSON."""
        return {"hits": self.hits, "cases": self.cases, "value": self.value, "interval": [self.low, self.high]}

    def __str__(self) -> str:
        if not self.cases:
            return "0 of 0"
        return f"{self.hits} of {self.cases} ({100 * self.hits / self.cases:.1f} %, {_ends(self.low, self.high)})"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedPick:
    """A case in which the pick changed.

    Attributes:
        case: its number among the cases that were given, from 0.
        before: the answer that was picked as the case was given, shortened.
        after: the one that was picked when it was shown otherwise, shortened.
        shown: in which order the answers were shown then, by their numbers; or which answer was padded.
    """

    case: int
    before: str
    after: str
    shown: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeFailure:
    """A case of which the judge gave no usable answer.

    Attributes:
        case: its number among the cases that were given, from 0.
        code: ``judge_error`` where it raised, ``bad_pick`` where what it gave is no pick.
        detail: what happened.
    """

    case: int
    code: Literal["judge_error", "bad_pick"]
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeBiasReport(NoTruth):
    """What was found of a judge.

    Attributes:
        kind: ``position`` or ``length``.
        verdict: ``violated`` where picks change with place or length beyond what the judge's own noise explains,
            ``holds`` where not, ``inconclusive`` where the test could not have told, ``vacuous`` where nothing was
            tested, ``errored`` where the judge failed on a case and no bias was found.
        reason: why, in one line.
        given: how many cases were given.
        duplicates: how many of them came before, and were not judged again.
        skipped: why cases could not be tested, and how many each time.
        tested: how many were.
        changed: in how many of these the first pick as given and the first pick as shown otherwise differ; for length,
            in how many it moved to the padded answer.
        noise: likewise for two picks as given; None where each case was judged once as given.
        p_value: of the exchange test over all picks; None for a judge that is declared deterministic.
        smallest_p: the smallest p value that could have come out; None likewise.
        first: of the changed picks, how many were of the first place both times; None for length.
        last: likewise of the last place.
        place_p: of the sign test of these two; None likewise.
        examples: the first cases whose pick changed.
        failures: the first cases on which the judge failed.
        failed: how many there are.
        calls: how often the judge was asked.
        alpha: up to which p value a difference counts.
    """

    kind: BiasKind
    verdict: BiasVerdict
    reason: str
    given: int
    duplicates: int
    skipped: dict[str, int]
    tested: int
    changed: ShareOfCases
    noise: ShareOfCases | None
    p_value: float | None
    smallest_p: float | None
    first: int | None
    last: int | None
    place_p: float | None
    examples: tuple[ChangedPick, ...]
    failures: tuple[JudgeFailure, ...]
    failed: int
    calls: int
    alpha: float

    @property
    def status(self) -> str:
        """``pass``, ``fail`` or ``error``."""
        return _STATUSES[self.verdict]

    @property
    def exit_code(self) -> int:
        """0 where no bias was found, 1 where one was or could not be told, 2 where nothing can be said."""
        return _EXIT_CODES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it: the exit code is 0."""
        return self.exit_code == 0

    @property
    def broke(self) -> bool:
        """Whether a bias was found, or the judge failed."""
        return self.verdict in ("violated", "errored")

    def summary(self) -> str:
        """What was found, in a few lines."""
        lines = [f"{self.verdict.upper()}  {self.kind} bias: {self.reason}"]
        moved = (
            "picks that change with the order" if self.kind == "position" else "picks that move to the padded answer"
        )
        lines.append(f"  {moved}: {self.changed}")
        if self.noise is not None:
            again = "that change without it" if self.kind == "position" else "that move there without padding"
            lines.append(f"  {again}: {self.noise}")
        if self.p_value is not None:
            lines.append(f"  exchange test: p = {self.p_value:.4g}")
        if self.place_p is not None and (self.first or self.last):
            lines.append(
                f"  of these {self.first} stay with the first place and {self.last} with the last; "
                f"sign test: p = {self.place_p:.4g}"
            )
        if self.failed:
            lines.append(f"  the judge failed on {self.failed} of {self.given} cases")
            lines += [f"    case {each.case}: {each.code}: {each.detail}" for each in self.failures[:_SHOWN]]
        lines += [f"  {count} not tested: {reason}" for reason, count in sorted(self.skipped.items())]
        if self.duplicates:
            lines.append(f"  {self.duplicates} given twice")
        lines += [f"  case {each.case}: {each.before} → {each.after}" for each in self.examples[:_SHOWN]]
        lines.append(f"  {self.calls} calls")
        return "\n".join(lines)

    def to_dict(self) -> JsonObject:
        """The whole report as JSON, with what follows from it."""
        noise = None if self.noise is None else self.noise.to_dict()
        return {
            **asdict(self),
            "changed": self.changed.to_dict(),
            "noise": noise,
            "examples": [{**asdict(each), "shown": list(each.shown)} for each in self.examples],
            "failures": [asdict(each) for each in self.failures],
            "status": self.status,
            "exit_code": self.exit_code,
        }


def _ends(low: float, high: float) -> str:
    return f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
