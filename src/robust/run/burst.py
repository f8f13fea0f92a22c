"""A burst of records: encoded, hashed and counted, ready to be taken in by a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from robust.canon import JsonObject, canonical_part, fold, leaf_hashes
from robust.records.contract import Contract
from robust.records.decision import NEVER_ASKED
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.compared_pairs import ComparedPairs
from robust.run.pair_record import pair_record, skip_record
from robust.run.pair_work import PairOutcome
from robust.run.pairs import PlannedPair, SkippedCase
from robust.run.plan import Planned
from robust.run.record import make_record
from robust.run.splice import DecisionSplicer, EncodedRecord, encode_record
from robust.run.splice_pairs import PairSplicer
from robust.run.summary import RunSummary
from robust.run.tally import Tally


class Burst(NamedTuple):
    """Some records that come one after the other; plain data, so that another process can make it.

    Attributes:
        lines: their lines, each with its line feed.
        size: how many there are.
        errors: how many of them ended in an error.
        evidence: 32 bytes for each: the hash of its leaf.
        answers: likewise, of what was asked and answered.
        tally: what is counted of them.
        calls: how many calls they came to.
    """

    lines: bytes
    size: int
    errors: int
    evidence: bytes
    answers: bytes
    tally: Tally
    calls: int


def burst_of(encoded: Sequence[EncodedRecord], errors: int, tally: Tally, calls: int) -> Burst:
    """The burst of records, of which there is at least one."""
    lines, evidence, answers = zip(*encoded, strict=True)
    return Burst(
        b"\n".join((*lines, b"")), len(encoded), errors, leaf_hashes(evidence), leaf_hashes(answers), tally, calls
    )


class Recorder:
    """Makes bursts of what was asked and answered.

    Args:
        contract: the contract that runs.
        backend: who answers.
        summary: what the bursts will be taken in by.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity, summary: RunSummary) -> None:
        self._contract = contract
        self._backend = backend
        self._summary = summary
        self._decisions = DecisionSplicer(contract, backend)
        self._pairs = PairSplicer(contract, backend)

    def decisions(self, answered: Sequence[tuple[Planned, tuple[Answer, ...]]]) -> Burst:
        """The records of base cases, or of variants."""
        tally, errors = self._summary.tally(), 0
        encoded: list[EncodedRecord] = []
        for item, answers in answered:
            answer, case = answers[0], item.entry.case
            if item.pieces is not None and answer.error is None and len(answers) == 1:
                encoded.append(self._decisions.encode(item.pieces, canonical_part(item.id), answer))
                tally.add_answer(case.case_id, fold(case.source_id), case.expected, answer)
                continue
            base = None if item.property_name is None else self._summary.base_of(item.base_id)
            record = make_record(item, answers, self._contract, self._backend, base)
            encoded.append(encode_record(record))
            self._summary.count(tally, record)
            errors += answer.error is not None
        return burst_of(encoded, errors, tally, sum(len(answers) for _, answers in answered))

    def pairs(self, answered: Sequence[tuple[PlannedPair | SkippedCase, PairOutcome | None]]) -> Burst:
        """The records of generated pairs and of skipped cases."""
        made = PairBurst(self)
        for item, outcome in answered:
            made.add(item, outcome)
        return made.burst()

    def tally(self) -> Tally:
        """A new tally of such records."""
        return self._summary.tally()

    def count(self, tally: Tally, record: JsonObject, base: int) -> None:
        """Count the record of a pair in a tally."""
        self._summary.count(tally, record, base)

    def splice_pair(self, item: PlannedPair, outcome: PairOutcome) -> EncodedRecord | None:
        """The record of a pair; None where only the general way gives it."""
        return self._pairs.encode(item, outcome)

    def pair_record(self, item: PlannedPair, outcome: PairOutcome) -> JsonObject:
        """The record of a pair, to be encoded."""
        return pair_record(item, outcome, self._contract, self._backend)

    def is_quiet(self, item: PlannedPair, outcome: PairOutcome) -> bool:
        """Whether nothing but a pair's comparison is counted of it."""
        failed_or_judged = outcome.violations or outcome.validation is not None
        return not failed_or_judged and self._summary.properties[item.plan.name].noise is None


class PairBurst:
    """Collects the records of pairs and skipped cases, one after the other, into one burst.

    Args:
        recorder: makes records.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._tally = recorder.tally()
        self._compared = ComparedPairs()
        self._encoded: list[EncodedRecord] = []
        self._errors = 0
        self._calls = 0

    def add_plain(self, pair: PlannedPair, encoded: EncodedRecord, comparison: JsonObject) -> None:
        """Take in a pair that was asked about once, without an oracle, and broke nothing."""
        self._encoded.append(encoded)
        self._compared.add(pair, comparison)
        self._calls += 1

    def add(self, item: PlannedPair | SkippedCase, outcome: PairOutcome | None) -> None:
        """Take in a skipped case, or a pair with what came of it."""
        if isinstance(item, SkippedCase) or outcome is None:
            assert isinstance(item, SkippedCase)  # noqa: S101 - only of a skipped case nothing came
            record = skip_record(item)
            self._encoded.append(encode_record(record))
            self._tally.skip(record)
            return
        self._calls += _calls(outcome)
        spliced = self._recorder.splice_pair(item, outcome)
        if spliced is not None and outcome.comparison is not None and self._recorder.is_quiet(item, outcome):
            self._encoded.append(spliced)
            self._compared.add(item, outcome.comparison)
            return
        record = self._recorder.pair_record(item, outcome)
        self._encoded.append(encode_record(record) if spliced is None else spliced)
        self._recorder.count(self._tally, record, item.base.place)
        self._errors += "error" in record

    def burst(self) -> Burst:
        """All of them, of which there is at least one."""
        self._compared.count_in(self._tally)
        return burst_of(self._encoded, self._errors, self._tally, self._calls)


def _calls(outcome: PairOutcome) -> int:
    if outcome.answers and outcome.answers[0].error in NEVER_ASKED:
        return 0
    return len(outcome.answers) + (0 if outcome.minimising is None else outcome.minimising.calls)
