"""The pairs of a base case: each property's candidates, or why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from robust.canon import JsonObject
from robust.records.case import Case
from robust.records.decision import label_of_answer
from robust.records.paraphrase import Paraphrases
from robust.run.answers import Answer
from robust.run.pieces import Pieces
from robust.run.property_plan import PropertyPlan
from robust.transforms.candidate import Candidate, SkipReason
from robust.transforms.of_property import stream_of, stream_of_canonical

NO_SOURCE: JsonObject = {}


class BaseCase(NamedTuple):
    """A base case with what was answered to it.

    Attributes:
        place: its position among the base cases, from 0.
        case: the case.
        pieces: its canonical pieces, where they are known.
        probabilities: of its first trial, in contract order; None where it was not decided.
        expected: the label of its right answer, where it is known.
    """

    place: int
    case: Case
    pieces: Pieces | None
    probabilities: tuple[float, ...] | None
    expected: str | None

    @classmethod
    def of(cls, place: int, case: Case, pieces: Pieces | None, probabilities: tuple[float, ...] | None) -> BaseCase:
        """A base case, whose right label follows from it."""
        return cls(place, case, pieces, probabilities, label_of_answer(case.expected))


class PlannedPair(NamedTuple):
    """A candidate to judge, to send and to compare with its base; or one that could not be made.

    Attributes:
        id: ``<property>/<case id>/<sample>``; also what the backend is told as the case's id.
        plan: the property.
        base: the base case.
        sample: counts the property's candidates of the case from 0.
        candidate: what was made; the base unchanged where ``failure`` says why nothing was.
        source: who worded it, for a paraphrase.
        failure: the error that took the place of a candidate.
        worded: what was observed of the call that worded the case's candidates; with the first of them.
    """

    id: str
    plan: PropertyPlan
    base: BaseCase
    sample: int
    candidate: Candidate
    source: JsonObject = NO_SOURCE
    failure: Answer | None = None
    worded: JsonObject = NO_SOURCE


def pair_id(plan: PropertyPlan, base: BaseCase, sample: int) -> str:
    """The id of a pair."""
    return f"{plan.name}/{base.case.case_id}/{sample}"


class SkippedCase(NamedTuple):
    """A case that a property could not transform."""

    plan: PropertyPlan
    base: BaseCase
    reason: SkipReason

    @property
    def id(self) -> str:
        """``<property>/<case id>/skipped``, which no pair has for its id."""
        return f"{self.plan.name}/{self.base.case.case_id}/skipped"


def plan_pairs(
    plans: Sequence[PropertyPlan], base: BaseCase, seed: int, worded: Paraphrases | Answer | None
) -> Iterator[PlannedPair | SkippedCase]:
    """The pairs of one base case, property by property.

    Args:
        plans: the properties.
        base: the base case.
        seed: the run's.
        worded: what the paraphraser gave for this case, or the error that it ended in; None where none was asked.
    """
    for plan in plans:
        source, observed = NO_SOURCE, NO_SOURCE
        if plan.rewords is None:
            made = generated(plan, base, seed)
        elif isinstance(worded, Answer):
            yield PlannedPair(pair_id(plan, base, 0), plan, base, 0, Candidate((), base.case.input), failure=worded)
            continue
        elif worded is None:
            made = plan.rewords.why_not(base.case.input)
        else:
            made, source = plan.rewords.of_texts(base.case.input, worded.texts), worded.provenance
            observed = observed_wording(worded)
        if isinstance(made, str):
            yield SkippedCase(plan, base, made)
            continue
        for sample, candidate in enumerate(made):
            name = pair_id(plan, base, sample)
            yield PlannedPair(name, plan, base, sample, candidate, source, None, NO_SOURCE if sample else observed)


def generated(plan: PropertyPlan, base: BaseCase, seed: int) -> list[Candidate] | SkipReason:
    """The candidates of a base case for a property that needs no paraphraser, or why it has none."""
    pieces, case = base.pieces, base.case
    if pieces is None:
        return plan.transformation.generate(case.input, stream_of(seed, plan.name, case.case_id))
    return plan.transformation.generate(case.input, stream_of_canonical(seed, plan.name, pieces.case_id))


def observed_wording(worded: Paraphrases) -> JsonObject:
    """What was observed of a paraphraser's call, with what it cost."""
    usage = worded.usage
    spent = {} if usage is None else {"usage": {"tokens": usage.tokens, "cost": usage.cost}}
    return {**worded.observed, **spent}
