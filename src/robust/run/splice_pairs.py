"""The records of pairs as bytes, spliced from what was encoded before; a law holds it equal to the general way.

Of the pairs of a run many share an answer, a comparison or a presentation: a model that does not see a change answers
as it did before. Each of these is derived and encoded once, and remembered.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from robust.canon import JsonObject, canonical_bytes, canonical_number, canonical_part
from robust.records.contract import Contract
from robust.records.presentation import Presentation, presentation_json
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.pair_record import is_assumed
from robust.run.pair_work import PairOutcome
from robust.run.pairs import BaseCase, PlannedPair
from robust.run.property_plan import PropertyPlan
from robust.run.splice import EncodedRecord, ResultSplicer, encode_observed
from robust.transforms.candidate import Candidate

_REMEMBERED: Final = 4096
_WORDS: Final = {None: b"null", True: b"true", False: b"false"}
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SplicedAnswer(NamedTuple):
    """An answer that is no error, encoded.

    Attributes:
        values: the distribution, in contract order.
        behind: what stands in its result behind the id of what was asked about.
        shares: the members of its probabilities.
    """

    values: tuple[float | int, ...]
    behind: bytes
    shares: bytes


class SplicedComparison(NamedTuple):
    """What follows from two distributions, and the same encoded.

    Attributes:
        comparison: of the pair.
        violations: the limits that it breaks.
        encoded: the comparison.
        broken: the limits.
    """

    comparison: JsonObject
    violations: list[str]
    encoded: bytes
    broken: bytes


class PairSplicer:
    """Splices the records of pairs that were sent once, or refused by their oracle, and not made smaller.

    Args:
        contract: the contract that runs.
        backend: who answers.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity) -> None:
        self._results = ResultSplicer(contract, backend)
        self._labels = {label: canonical_bytes(label) for label in contract.decision.label_order}
        self._expected: dict[str | None, bytes] = {None: b"null"}
        self._expected.update(self._labels)
        self._presented = lru_cache(_REMEMBERED)(_presented)
        self._steps: dict[tuple[str, Presentation], bytes] = {}
        self._properties = lru_cache(64)(self._property)
        self._answers: dict[tuple[object, str | None, str | None], SplicedAnswer] = {}
        self._compared: dict[tuple[str, object, str | None, object], SplicedComparison] = {}

    def encode(self, pair: PlannedPair, outcome: PairOutcome) -> EncodedRecord | None:
        """The record of a pair; None where only the general way gives it."""
        answers = outcome.answers
        if len(answers) != 1 or outcome.minimising is not None or pair.worded or pair.source:
            return None
        answer, comparison = answers[0], outcome.comparison
        if answer.error is not None or comparison is None:
            return None
        validation = b"null" if outcome.validation is None else outcome.validation.without_cases()
        compared = self._spliced(comparison, outcome.violations)
        return self.splice(pair, self.answer(answer), compared, encode_observed(answer.observed), validation)

    def answer(self, answer: Answer) -> SplicedAnswer:
        """An answer that is no error."""
        # Numbers that are equal are encoded alike, whatever their types.
        key = answer.probabilities, answer.model, answer.model_version
        known = self._answers.get(key)
        if known is None:
            known = SplicedAnswer(answer.probabilities or (), *self._results.behind_id(answer))
            remember(self._answers, key, known)
        return known

    def compared(self, plan: PropertyPlan, base: BaseCase, values: tuple[float | int, ...]) -> SplicedComparison:
        """The comparison of a decided base case with the distribution of a candidate."""
        key = plan.name, base.probabilities, base.expected, values
        known = self._compared.get(key)
        if known is None:
            comparison = plan.compare(base.probabilities or (), values, base.expected)
            known = self._spliced(comparison, plan.violations(comparison))
            remember(self._compared, key, known)
        return known

    def _spliced(self, comparison: JsonObject, violations: list[str]) -> SplicedComparison:
        broken = canonical_bytes(violations) if violations else b"[]"
        return SplicedComparison(comparison, violations, self.comparison(comparison), broken)

    def splice(
        self, pair: PlannedPair, answer: SplicedAnswer, compared: SplicedComparison, observed: bytes, validation: bytes
    ) -> EncodedRecord | None:
        """The record of a pair that was asked about once; None where only the general way gives it.

        Args:
            pair: one that is neither worded by somebody else nor an error.
            answer: to its candidate.
            compared: with its base.
            observed: in canonical bytes.
            validation: likewise, as it is kept.
        """
        _, plan, base, sample, candidate, *_ = pair
        pieces, expected = base.pieces, plan.expected(base.expected)
        if pieces is None or expected not in self._expected:
            return None
        case_id, source_id, shown, media, _, metadata = pieces
        if candidate.input is not base.case.input:
            shown = canonical_part(candidate.input)
        head, middle = self._properties(plan.name, plan.relation)
        # The id of the case from behind its first quotation mark, as canonical bytes are of each character.
        record_id = b'%s%s/%d"' % (head, case_id[1:-1], sample)
        presentation = self._presented(candidate.presentation)
        # Joined, which takes half the time of filling in a form.
        before = b"".join(
            (
                b'{"assumed":true,"case_id":' if is_assumed(pair) else b'{"case_id":',
                case_id,
                b',"comparison":',
                compared.encoded,
                b',"expected":',
                self._expected[expected],
                b',"id":',
                record_id,
                b',"input":',
                shown,
                b',"kind":"pair","media":',
                media,
                b',"metadata":',
                metadata,
            )
        )
        behind = b"".join(
            (
                b',"presentation":',
                presentation,
                middle,
                record_id,
                answer.behind,
                b',"sample":%d,"source_id":' % sample,
                source_id,
                b',"steps":',
                self._steps_of(plan.name, candidate),
                b',"validation":',
                validation,
                b',"violations":',
                compared.broken,
                b"}",
            )
        )
        return EncodedRecord(
            b"".join((before, b',"observed":', observed, behind)),
            before + behind,
            b"".join((b"[", record_id, b",", shown, b",", presentation, b",{", answer.shares, b"}]")),
        )

    def _property(self, name: str, relation: str) -> tuple[bytes, bytes]:
        """How the ids of a property's pairs begin, and what stands between the presentation and the id in the result.

        Of a pair that was not made smaller.
        """
        form = b',"property":"%s","provenance":{"relation":"%s"},"reduced":null,"result":'
        return b'"%s/' % name.encode(), form % (name.encode(), relation.encode()) + self._results.head

    def _steps_of(self, name: str, candidate: Candidate) -> bytes:
        """The canonical bytes of the steps; of one property those of one presentation are always the same."""
        presentation = candidate.presentation
        if presentation is None:
            return canonical_part(list(candidate.steps)) if candidate.steps else b"[]"
        known = self._steps.get((name, presentation))
        if known is None:
            known = canonical_bytes(list(candidate.steps))
            remember(self._steps, (name, presentation), known)
        return known

    def comparison(self, comparison: JsonObject) -> bytes:
        """The canonical bytes of a comparison."""
        delta = comparison["level_delta"]
        return (
            b'{"base_correct":%s,"base_selected":%s,"confidence_delta":%s,"flipped":%s,"js_divergence":%s,'
            b'"level_delta":%s,"max_abs_delta":%s,"rank_changed":%s,"relation":"%s","relation_kept":%s,'
            b'"tv_distance":%s,"variant_correct":%s,"variant_selected":%s}'
        ) % (
            _WORDS[comparison["base_correct"]],
            self._labels[comparison["base_selected"]],
            canonical_number(comparison["confidence_delta"]),
            _WORDS[comparison["flipped"]],
            canonical_number(comparison["js_divergence"]),
            b"null" if delta is None else canonical_number(delta),
            canonical_number(comparison["max_abs_delta"]),
            _WORDS[comparison["rank_changed"]],
            comparison["relation"].encode(),
            _WORDS[comparison["relation_kept"]],
            canonical_number(comparison["tv_distance"]),
            _WORDS[comparison["variant_correct"]],
            self._labels[comparison["variant_selected"]],
        )


def remember(known: dict[K, V], key: K, value: V) -> None:
    """Keep a value, and forget the others where there are too many."""
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = value


def _presented(presentation: Presentation | None) -> bytes:
    return canonical_bytes(presentation_json(presentation))
