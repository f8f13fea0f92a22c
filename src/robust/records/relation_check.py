"""What a check of relations found: verdicts, results and counterexamples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject
from robust.records.decision import tidy_number

Verdict: TypeAlias = Literal["holds", "violated", "inconclusive", "vacuous", "errored"]
# ``errors``: something raised. ``no_samples``: none were asked for. ``no_effective_trial``: every variant was as the
# input, a repetition, not applicable, or not valid. ``noise``: contradictions that the system's own noise explains.
# ``noise_unknown``: the assertion does not hold of two equal outputs, so that noise cannot be told. ``too_few_runs``:
# contradictions, and no test of so few runs could show that they are more than noise.
Reason: TypeAlias = Literal["errors", "no_samples", "no_effective_trial", "noise", "noise_unknown", "too_few_runs"]
# What counts first where there are several relations, and what it comes to.
_OUTCOMES: Final[tuple[tuple[Verdict, Literal["fail", "error"], int], ...]] = (
    ("violated", "fail", 1),
    ("errored", "error", 2),
    ("inconclusive", "fail", 1),
    ("vacuous", "error", 2),
)
CheckStatus: TypeAlias = Literal["pass", "fail", "error"]


def status_of_verdicts(verdicts: Iterable[Verdict]) -> tuple[CheckStatus, int]:
    """The status and the exit code of several relations; of none at all it is an error, for nothing was tested."""
    found = set(verdicts)
    for verdict, status, exit_code in _OUTCOMES:
        if verdict in found:
            return status, exit_code
    return ("pass", 0) if found else ("error", 2)


@dataclass(frozen=True, slots=True)
class CheckError:
    """Something that raised.

    Attributes:
        where: ``base``, ``transform``, ``oracle``, ``system``, ``assertion``, ``confirmation`` or ``shrink``.
        sample: the number of the sample; None for the base.
        message: type and text of the exception.
    """

    where: str
    sample: int | None
    message: str

    def to_json(self) -> JsonObject:
        """As plain JSON data."""
        return {"where": self.where, "sample": self.sample, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationResult:
    """What one relation came to on one input.

    Attributes:
        name: the relation's name.
        verdict: ``holds``, ``violated``, ``inconclusive``, ``vacuous`` or ``errored``.
        reason: why, in a code; None where the verdict says it all.
        base: how the base's runs compare: ``declared`` deterministic, ``agrees``, ``differs``, or ``unknown``: the
            assertion does not hold of two equal outputs. None where they could not be compared, since something raised.
        planned: how many samples there were to be.
        trials: how many effective trials there were.
        contradictions: how many of them contradict the base.
        skipped: by reason, how many samples were no trials.
        errors: what raised.
        attempts: how often base and variant were run afresh, with the sample and the p value of each.
        p_value: of this relation alone; None where nothing was tested.
        adjusted_p: adjusted for all relations that were tested.
        smallest_p: the smallest that ``p_value`` could have been.
        interval: the exact 95 % interval of the share of trials that contradict the base; None of no trial.
        saved: how many samples were left out, since no later contradiction could change the verdict; 0 where none was
            asked because the base raised.
    """

    name: str
    verdict: Verdict
    reason: Reason | None
    base: str | None
    planned: int
    trials: int
    contradictions: int
    skipped: Mapping[str, int]
    errors: tuple[CheckError, ...]
    attempts: tuple[tuple[int, float], ...]
    p_value: float | None
    adjusted_p: float | None
    smallest_p: float | None
    interval: tuple[float, float] | None
    saved: int

    def to_json(self) -> JsonObject:
        """As plain JSON data, as it stands in a report."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "base": self.base,
            "planned": self.planned,
            "trials": self.trials,
            "contradictions": self.contradictions,
            "skipped": dict(sorted(self.skipped.items())),
            "errors": len(self.errors),
            "attempts": [{"sample": sample, "p_value": tidy_number(p_value)} for sample, p_value in self.attempts],
            "p_value": _tidy(self.p_value),
            "adjusted_p": _tidy(self.adjusted_p),
            "smallest_p": _tidy(self.smallest_p),
            "interval": None if self.interval is None else [tidy_number(end) for end in self.interval],
            "saved": self.saved,
        }


def _tidy(value: float | None) -> float | None:
    return None if value is None else tidy_number(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A variant whose output contradicts that of its base.

    Attributes:
        relation: the relation's name.
        before: an output of the base.
        after: the output of the variant.
        detail: what was due and what came, in one line.
        base: the input.
        variant: the variant.
        seed: the relation's seed.
        sample: the number of the sample.
        difference: where the two outputs differ, as (path, before, after), the first few.
        minimised: the simplest variant found that still contradicts; None where none simpler was found.
        replay: the line of Python that makes the variant and runs both again.
    """

    relation: str
    before: Any
    after: Any
    detail: str
    base: Any
    variant: Any
    seed: int
    sample: int
    difference: tuple[tuple[str, Any, Any], ...] = ()
    minimised: Any = None
    replay: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What one relation came to over many inputs.

    Attributes:
        name: the relation's name.
        verdict: over all inputs.
        reason: why, in a code; None where the verdict says it all.
        inputs: by verdict, how many inputs had it, each judged by itself.
        trials: how many effective trials there were.
        contradictions: how many of them contradict their base.
        errors: how often something raised.
        tested: on how many inputs there was something to test.
        flagged: how many of these have a p value of at most alpha; a share of alpha has by chance alone.
        p_value: over all inputs, of this relation alone; None where nothing was tested.
        adjusted_p: adjusted for all relations that were tested.
    """

    name: str
    verdict: Verdict
    reason: Reason | None
    inputs: Mapping[str, int]
    trials: int
    contradictions: int
    errors: int
    tested: int
    flagged: int
    p_value: float | None
    adjusted_p: float | None

    def to_json(self) -> JsonObject:
        """As plain JSON data, as it stands in a report."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "inputs": dict(self.inputs),
            "trials": self.trials,
            "contradictions": self.contradictions,
            "errors": self.errors,
            "tested": self.tested,
            "flagged": self.flagged,
            "p_value": _tidy(self.p_value),
            "adjusted_p": _tidy(self.adjusted_p),
        }
