"""How far reviewers agree who judged the same pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from robust.app.reviewing import Paths, read_reviews
from robust.canon import JsonObject
from robust.errors import DataError
from robust.oracle.review_table import Judged, judgements_agree
from robust.records.comparator import EXACT, Comparator, read_comparator
from robust.records.review import VALID_WORDS, Judgement
from robust.render.plain import plural
from robust.stats.agreement import Agreement, Cell, agreement_of

CONFIDENCE: Final = 0.95
MAX_LISTED: Final = 100
MAX_REVIEWERS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoReviewers:
    """What two reviewers said of the pairs that both judged.

    Attributes:
        first: one of them.
        second: the other, later by name.
        agreement: how often they said the same of ``valid``, and Cohen's kappa over yes, no and unknown.
        answers: on how many pairs that both call valid both gave answers.
        answers_equal: on how many of these the answers are equal.
    """

    first: str
    second: str
    agreement: Agreement
    answers: int
    answers_equal: int

    def to_json(self) -> JsonObject:
        """The comparison as plain JSON data; ``interval`` is that of kappa, over source groups."""
        interval = self.agreement.interval(CONFIDENCE)
        return {
            "first": self.first,
            "second": self.second,
            "pairs": self.agreement.pairs,
            "groups": self.agreement.groups,
            "agreeing": self.agreement.agreeing,
            "share": self.agreement.share,
            "kappa": self.agreement.kappa,
            "interval": None if interval is None else list(interval),
            "answers": self.answers,
            "answers_equal": self.answers_equal,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAgreement:
    """What several reviewers said of the same pairs.

    Attributes:
        contract: the oracle contract of their judgements.
        reviewers: how many pairs each judged ``yes``, ``no`` and ``unknown``.
        judged: how many pairs were judged.
        shared: how many by two reviewers or more.
        unjudged: how many rows nobody filled in.
        agreements: for each two reviewers with pairs in common, what they said.
        disagreements: the first pairs that stay unknown, with what was said of them.
        disagreeing: how many there are.
    """

    contract: str
    reviewers: Mapping[str, Mapping[str, int]]
    judged: int
    shared: int
    unjudged: int
    agreements: Sequence[TwoReviewers]
    disagreements: Sequence[JsonObject]
    disagreeing: int

    @property
    def lowest_kappa(self) -> float | None:
        """The lowest kappa of two reviewers; None where one of them says nothing."""
        found = [each.agreement.kappa for each in self.agreements]
        known = [kappa for kappa in found if kappa is not None]
        return min(known) if len(known) == len(found) and known else None

    def to_json(self) -> JsonObject:
        """The whole as plain JSON data."""
        return {
            "contract": self.contract,
            "confidence": CONFIDENCE,
            "judged": self.judged,
            "shared": self.shared,
            "unjudged": self.unjudged,
            "reviewers": {name: dict(counts) for name, counts in self.reviewers.items()},
            "agreements": [each.to_json() for each in self.agreements],
            "disagreeing": self.disagreeing,
            "disagreements": list(self.disagreements),
        }


@dataclass(slots=True)
class _Two:
    tables: dict[str, Counter[Cell]] = field(default_factory=dict)
    answers: int = 0
    answers_equal: int = 0


def measure_agreement(
    paths: Paths, contract: str | None = None, *, comparator: Comparator | str = EXACT
) -> ReviewAgreement:
    """Compare what reviewers said of the same pairs.

    Args:
        paths: review sheets.
        contract: the oracle contract whose rows count; None where all are of one.
        comparator: how answers are compared.

    Raises:
        UsageError: a file cannot be read.
        DataError: a row is wrong, or no pair was judged by two reviewers.
        CaseError: there is no such comparator.
    """
    comparator = read_comparator(comparator)
    table = read_reviews(paths, contract)
    if len(table.reviewers) > MAX_REVIEWERS:
        message = f"{len(table.reviewers)} reviewers are named"
        raise DataError.of("too_many", message, hint=f"compare at most {MAX_REVIEWERS} at once")
    seen = _Seen(table.reviewers, comparator)
    for judged in table.pairs():
        seen.add(judged)
    if not seen.two:
        message = f"no pair was judged by two reviewers; {len(table.reviewers)} judged {plural(len(table), 'pair')}"
        hint = "give the sheets of two reviewers who judged the same pairs"
        raise DataError.of("nothing_compared", message, hint=hint)
    return ReviewAgreement(
        contract=table.contract,
        reviewers=seen.counts,
        judged=len(table),
        shared=seen.shared,
        unjudged=table.unjudged,
        agreements=[
            TwoReviewers(
                first=names[0],
                second=names[1],
                agreement=agreement_of(found.tables.values()),
                answers=found.answers,
                answers_equal=found.answers_equal,
            )
            for names, found in sorted(seen.two.items())
        ],
        disagreements=seen.disagreements,
        disagreeing=seen.disagreeing,
    )


class _Seen:
    """What is counted while pairs are read."""

    def __init__(self, reviewers: Sequence[str], comparator: Comparator) -> None:
        self._comparator = comparator
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in reviewers}
        self.two: dict[tuple[str, str], _Two] = {}
        self.disagreements: list[JsonObject] = []
        self.shared = self.disagreeing = 0

    def add(self, judged: Judged) -> None:
        """Count one pair; a reviewer with contradictory judgements of it is compared with nobody."""
        by_name: dict[str, list[Judgement]] = {}
        for judgement in judged.judgements:
            by_name.setdefault(judgement.reviewer, []).append(judgement)
        self.shared += len(by_name) > 1
        clear: dict[str, Judgement] = {}
        for name, said in by_name.items():
            if judgements_agree(said, self._comparator):
                clear[name] = said[0]
                self.counts[name][VALID_WORDS[said[0].valid]] += 1
            else:
                self.counts[name]["contradictory"] += 1
        if not judgements_agree(judged.judgements, self._comparator):
            self.disagreeing += 1
            if len(self.disagreements) < MAX_LISTED:
                self.disagreements.append(_disagreement(judged))
        for names in combinations(sorted(clear), 2):
            first, second = (clear[name] for name in names)
            _count(self.two.setdefault((names[0], names[1]), _Two()), judged.source, first, second, self._comparator)


def _disagreement(judged: Judged) -> JsonObject:
    listed = [judgement.to_json() for judgement in judged.judgements[:MAX_LISTED]]
    return {"candidate_id": judged.candidate_id, "pair": judged.pair, "judgements": listed}


def _count(two: _Two, source: str, first: Judgement, second: Judgement, comparator: Comparator) -> None:
    two.tables.setdefault(source, Counter())[VALID_WORDS[first.valid], VALID_WORDS[second.valid]] += 1
    sides = ((first.base_answer, second.base_answer), (first.variant_answer, second.variant_answer))
    if first.valid and second.valid and not any(None in side for side in sides):
        two.answers += 1
        two.answers_equal += all(map(comparator.agree, sides))
