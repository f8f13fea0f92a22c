"""The records of pairs as bytes, spliced from what was encoded before; a law holds it equal to the general way."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from robust.canon import JsonObject, canonical_bytes, canonical_number, canonical_part
from robust.records.contract import Contract
from robust.records.presentation import Presentation, presentation_json
from robust.records.request import BackendIdentity
from robust.run.pair_record import is_assumed
from robust.run.pair_work import PairOutcome
from robust.run.pairs import PlannedPair
from robust.run.splice import EncodedRecord, ResultSplicer, encode_observed
from robust.transforms.candidate import Candidate

_REMEMBERED: Final = 4096
_WORDS: Final = {None: b"null", True: b"true", False: b"false"}


class PairSplicer:
    """Splices the records of pairs that were sent once, or refused by their oracle, and not made smaller.

    Args:
        contract: the contract that runs.
        backend: who answers.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity) -> None:
        self._results = ResultSplicer(contract, backend)
        self._labels = {label: canonical_bytes(label) for label in contract.decision.label_order}
        self._presented = lru_cache(_REMEMBERED)(_presented)
        self._steps: dict[tuple[str, Presentation], bytes] = {}
        self._properties = lru_cache(64)(_property)

    def encode(self, pair: PlannedPair, outcome: PairOutcome) -> EncodedRecord | None:
        """The record of a pair; None where only the general way gives it."""
        answers, pieces = outcome.answers, pair.base.pieces
        if len(answers) != 1 or outcome.minimising is not None or pair.worded or pair.source or pieces is None:
            return None
        answer, comparison = answers[0], outcome.comparison
        if answer.error is not None or comparison is None:
            return None
        candidate, plan = pair.candidate, pair.plan
        record_id = canonical_part(pair.id)
        result, shares = self._results.encode(record_id, answer)
        shown = pieces.input if candidate.input is pair.base.case.input else canonical_part(candidate.input)
        presentation = self._presented(candidate.presentation)
        expected = plan.expected(pair.base.expected)
        before = b'{%s"case_id":%s,"comparison":%s,"expected":%s,"id":%s,"input":%s,"kind":"pair","media":%s,' % (
            b'"assumed":true,' if is_assumed(pair) else b"",
            pieces.case_id,
            self.comparison(comparison),
            b"null" if expected is None else self._labels[expected],
            record_id,
            shown,
            pieces.media,
        )
        behind = (
            b'"presentation":%s%s"result":%s,"sample":%d,"source_id":%s,"steps":%s,"validation":%s,"violations":%s}'
            % (
                presentation,
                self._properties(plan.name, plan.relation),
                result,
                pair.sample,
                pieces.source_id,
                self._steps_of(plan.name, candidate),
                b"null" if outcome.validation is None else outcome.validation.without_cases(),
                canonical_part(outcome.violations) if outcome.violations else b"[]",
            )
        )
        metadata = b'"metadata":%s,' % pieces.metadata
        return EncodedRecord(
            b'%s%s"observed":%s,%s' % (before, metadata, encode_observed(answer.observed), behind),
            before + metadata + behind,
            b"[%s,%s,%s,{%s}]" % (record_id, shown, presentation, shares),
        )

    def _steps_of(self, name: str, candidate: Candidate) -> bytes:
        """The canonical bytes of the steps; of one property those of one presentation are always the same."""
        presentation = candidate.presentation
        if presentation is None:
            return canonical_part(list(candidate.steps)) if candidate.steps else b"[]"
        known = self._steps.get((name, presentation))
        if known is None:
            known = canonical_bytes(list(candidate.steps))
            if len(self._steps) < _REMEMBERED:
                self._steps[name, presentation] = known
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


def _presented(presentation: Presentation | None) -> bytes:
    return canonical_bytes(presentation_json(presentation))


def _property(name: str, relation: str) -> bytes:
    """What stands between the presentation and the result of a pair that was not made smaller."""
    return b',"property":"%s","provenance":{"relation":"%s"},"reduced":null,' % (name.encode(), relation.encode())
