"""Checking a record by making it again: what has the same bytes as the record that follows is that record.

Most records of a run are of a few plain kinds. Such a one is made again from its case, its plan and the distribution
that it holds, and compared byte for byte, which shows at once that it is canonical, complete and follows. Whatever has
other bytes, or is of another kind, is looked at closely, and gets an error that says what does not follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, canonical_numbers, canonical_part, decode_own, fold
from robust.errors import CaseError
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.manifest import CaseEntry
from robust.records.request import BackendIdentity
from robust.run.answers import Answer, plain_values
from robust.run.compared_pairs import ComparedPairs
from robust.run.pair_record import pair_record
from robust.run.pair_work import Minimising, PairOutcome, Reduced
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase
from robust.run.pieces import CASE_FIELDS, Pieces, pieces_of_case
from robust.run.plan import Planned
from robust.run.record import make_record
from robust.run.smaller import read_smaller
from robust.run.splice import DecisionSplicer, EncodedRecord, encode_observed, encode_record
from robust.run.splice_pairs import PairSplicer, SplicedAnswer, remember
from robust.run.tally import Tally

# What is observed of an answer in this process. No text holds this, nor the other, as it has quotation marks escaped.
_OBSERVED: Final = b',"observed":{'
_LATENCY: Final = re.compile(rb',"observed":\{"latency_ms":([0-9.e+-]++)\},')
_BEHIND_MEMBERS: Final = b'},"provider":'


class PlainDecision(NamedTuple):
    """The record of a decided base case, made again.

    Attributes:
        encoded: the record.
        case: the case.
        pieces: its canonical pieces.
        answer: to its first trial.
        record: of one that was asked more than once; None for the others.
    """

    encoded: EncodedRecord
    case: Case
    pieces: Pieces
    answer: Answer
    record: JsonObject | None

    def count_in(self, tally: Tally) -> None:
        """Count it."""
        if self.record is None:
            case = self.case
            tally.add_answer(case.case_id, fold(case.source_id), case.expected, self.answer)
        else:
            tally.add_decision(self.record)


class PlainPair(NamedTuple):
    """The record of a pair, made again.

    Attributes:
        encoded: the record.
        comparison: of the pair.
        record: of one that fails; None where it holds.
    """

    encoded: EncodedRecord
    comparison: JsonObject
    record: JsonObject | None

    def count_in(self, tally: Tally, compared: ComparedPairs, item: PlannedPair) -> None:
        """Count it: in a tally, or among those of which nothing but the comparison is counted."""
        if self.record is None:
            compared.add(item, self.comparison)
        else:
            tally.add_pair(self.record, compared.source(item.base))


class Reencoder:
    """Makes records again.

    Args:
        contract: the contract that ran.
        backend: the backend's identity as the report declares it.
    """

    def __init__(self, contract: Contract, backend: JsonObject) -> None:
        self._contract = contract
        self._identity = BackendIdentity(name=backend["name"], provider=backend["provider"])
        self._decisions = DecisionSplicer(contract, self._identity)
        self._pairs = PairSplicer(contract, self._identity)
        self._mock = (backend["model"], backend["model_version"]) if backend["provider"] == "mock" else None
        self._labels = contract.decision.label_order
        self._tolerance = contract.evaluation.probability_tolerance
        self._answers: dict[bytes, SplicedAnswer | None] = {}
        self._before_model = b',"labels":%s,"model":' % canonical_bytes(list(self._labels))

    def decision(self, line: bytes) -> PlainDecision | None:
        """The record of a decision; None where it has to be looked at closely."""
        data = _loaded(line)
        answer = None if data is None else self._answer(data)
        if data is None or answer is None:
            return None
        read = case_of(data)
        if read is None or not (read.expected is None or label_of_answer(read.expected) in self._labels):
            return None
        try:
            pieces = pieces_of_case(read)
        except CaseError:
            return None
        name, again = f"decision/{read.case_id}", None
        if "trials" in data:
            again = self._repeated(data, Planned(name, CaseEntry(read, "", None, None)), answer)
            encoded = None if again is None else encode_record(again)
        else:
            encoded = self._decisions.encode(pieces, canonical_part(name), answer)
        if encoded is None or encoded.line != line:
            return None
        return PlainDecision(encoded, read, pieces, answer, again)

    def _repeated(self, data: JsonObject, item: Planned, answer: Answer) -> JsonObject | None:
        """The record of a case that was asked more than once, if its further trials are distributions, too."""
        trials = data["trials"]
        if type(trials) is not list or not trials:
            return None
        for trial in trials:
            values = trial.get("probabilities") if type(trial) is dict and len(trial) == 1 else None
            if type(values) is not dict or plain_values(values, self._labels, self._tolerance) is None:
                return None
        return {**make_record(item, (answer,), self._contract, self._identity, None), "trials": trials}

    def pair(self, item: PlannedPair, line: bytes) -> PlainPair | None:
        """The record of a pair; None where it has to be looked at closely."""
        if not _is_plain(item):
            return None
        data = _loaded(line)
        answer = None if data is None else self._answer(data)
        if data is None or answer is None or answer.probabilities is None:
            return None
        if data.get("reduced") is not None:
            return self._reduced(item, line, data, answer)
        return self._pair(item, line, self._pairs.answer(answer), encode_observed(answer.observed))

    def _reduced(self, item: PlannedPair, line: bytes, data: JsonObject, answer: Answer) -> PlainPair | None:
        """The record of a pair that was made smaller."""
        reduced = data["reduced"]
        steps = reduced.get("steps") if type(reduced) is dict else None
        smaller = None if type(steps) is not list else read_smaller(item, steps)
        smallest = None if smaller is None else self._answer({**data, "result": reduced.get("result")})
        if smaller is None or smallest is None or smallest.probabilities is None or answer.probabilities is None:
            return None
        whole = self._pairs.compared(item.plan, item.base, answer.probabilities)
        part = self._pairs.compared(item.plan, item.base, smallest.probabilities)
        if not set(part.violations).intersection(whole.violations):
            return None
        found = Reduced(smaller, None, smallest, part.comparison, part.violations)
        outcome = PairOutcome(None, (answer,), whole.comparison, whole.violations, Minimising(found, 0, None, None))
        # What making it smaller took is told by nothing else, and stays as it stands.
        record = {**pair_record(item, outcome, self._contract, self._identity), "observed": data["observed"]}
        encoded = encode_record(record)
        return PlainPair(encoded, whole.comparison, record) if encoded.line == line else None

    def pairs(self, items: Sequence[PlannedPair | SkippedCase], lines: Sequence[bytes]) -> list[PlainPair | None]:
        """The same of many: what :meth:`pair` gives of each item and the line in its place, as far as there are lines.

        Of most nothing is decoded: their answer and how long it took are taken out where they stand, as what is made
        of these has the same bytes only if they stood there.
        """
        found: list[PlainPair | None] = [None] * len(items)
        read: list[tuple[int, PlannedPair, bytes, SplicedAnswer]] = []
        for place, (item, line) in enumerate(zip(items, lines, strict=False)):
            if isinstance(item, SkippedCase) or not _is_plain(item):
                continue
            latency = _LATENCY.match(line, line.find(_OBSERVED))
            start = line.find(self._before_model) + len(self._before_model)
            answer = self._read(line[start : line.find(_BEHIND_MEMBERS, start) + 1])
            if answer is None or latency is None:
                found[place] = self.pair(item, line)
            else:
                read.append((place, item, latency[1], answer))
        sound = canonical_numbers([literal for _, _, literal, _ in read]) is not None
        for place, item, literal, answer in read:
            plain = self._pair(item, lines[place], answer, b'{"latency_ms":%s}' % literal) if sound else None
            found[place] = plain or self.pair(item, lines[place])
        return found

    def _pair(self, item: PlannedPair, line: bytes, answer: SplicedAnswer, observed: bytes) -> PlainPair | None:
        """The record of a pair with an answer, if it is this line."""
        compared = self._pairs.compared(item.plan, item.base, answer.values)
        encoded = self._pairs.splice(item, answer, compared, observed, b"null")
        if encoded is None or encoded.line != line:
            return None
        return PlainPair(encoded, compared.comparison, decode_own(line) if compared.violations else None)

    def _read(self, members: bytes) -> SplicedAnswer | None:
        """The answer in the last members of a result: its model, the version and the probabilities."""
        known = self._answers.get(members)
        if known is None and members not in self._answers:
            data = _loaded(b'{"model":%s}' % members)
            answer = None if data is None else self._answer({"result": data, "observed": {}})
            known = None if answer is None else self._pairs.answer(answer)
            remember(self._answers, members, known)
        return known

    def _answer(self, data: JsonObject) -> Answer | None:
        """The answer that a record holds, if it is a plain distribution."""
        result, observed = data.get("result"), data.get("observed")
        if type(result) is not dict or type(observed) is not dict:
            return None
        probabilities, model, version = (result.get(name) for name in ("probabilities", "model", "model_version"))
        if type(probabilities) is not dict or not (_is_text(model) and _is_text(version)):
            return None
        if self._mock is not None and (model, version) != self._mock:
            return None
        # As they stand: a probability of 0 or 1 is a whole number here, and the sum is checked like any other.
        values = plain_values(probabilities, self._labels, self._tolerance)
        return None if values is None else Answer(values, None, model, version, None, observed)


def _is_plain(item: PlannedPair) -> bool:
    """Whether a pair was compared without an oracle, and everything but its answer follows from its base."""
    plan = item.plan
    return not plan.judged and item.base.probabilities is not None and item.failure is None and plan.rewords is None


def case_of(data: JsonObject) -> Case | None:
    """The base case of a record, if it is in order at first sight."""
    try:
        fields = {field: data[field] for field in CASE_FIELDS}
    except KeyError:
        return None
    return Case.of_plain({**fields, "origin": None})


def base_of(place: int, line: bytes, probabilities: tuple[float, ...] | None) -> BaseCase:
    """The base case of a decision's line that was checked before."""
    data: JsonObject = decode_own(line)
    case = case_of(data) or Case.from_json({**{field: data[field] for field in CASE_FIELDS}, "origin": None})
    return BaseCase.of(place, case, pieces_of_case(case), probabilities)


def _loaded(line: bytes) -> JsonObject | None:
    try:
        data: Any = decode_own(line)
    except (ValueError, RecursionError):
        return None
    return data if type(data) is dict else None


def _is_text(value: object) -> bool:
    return value is None or type(value) is str
