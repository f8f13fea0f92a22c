"""Asking an inline backend about base cases, many at a time, and recording what it answers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from robust.canon import decode_own_each, fold_ids
from robust.records.contract import Contract
from robust.records.manifest import CaseEntry
from robust.records.request import BackendIdentity, DecisionRequest
from robust.run.answers import Answer, read_plain_answers
from robust.run.burst import Burst, Recorder
from robust.run.execute import Engine
from robust.run.pieces import columns_of_lines, pieces_of_line
from robust.run.plan import Planned
from robust.run.repeats import Repeats
from robust.run.splice_columns import ColumnSplicer
from robust.run.summary import RunSummary

_NO_MEDIA: Final = b"[]"
Columns: TypeAlias = Sequence[Sequence[bytes]]


class BaseAsker:
    """Asks about base cases that are kept in pieces.

    Where the backend, the cases and the answers allow it, all that is not asking is done for many of them at once, by
    columns; whatever stands out is read and recorded one by one, with the same bytes.

    Args:
        contract: the contract.
        engine: asks the model.
        backend: who it says it is.
        summary: will take in the bursts.
        recorder: records one by one.
        repeats: how often base cases are asked.
    """

    def __init__(
        self,
        contract: Contract,
        engine: Engine,
        backend: BackendIdentity,
        summary: RunSummary,
        recorder: Recorder,
        repeats: Repeats,
    ) -> None:
        self._shown = contract.decision.shown()
        self._tolerance = contract.evaluation.probability_tolerance
        self._engine = engine
        self._tally = summary.tally
        self._recorder = recorder
        self._repeats = repeats
        self._columns = ColumnSplicer(contract, backend)

    def burst(self, lines: Sequence[bytes], seconds: float = math.inf) -> Burst:
        """The records of the first cases: of at least one, and of no more than can be asked in so much time.

        Args:
            lines: the pieces of the cases, one line each; there is at least one.
            seconds: after this time nothing more is asked.

        Raises:
            BackendError: the backend cannot answer anything.
        """
        if self._engine.asks_many and self._repeats.once:
            columns = columns_of_lines(lines)
            if columns[3].count(_NO_MEDIA) == len(lines):
                return self._many(lines, columns, seconds)
        until = time.monotonic() + seconds
        asked: list[tuple[Planned, tuple[Answer, ...]]] = []
        for line in lines:
            asked.append(self._one(line))
            if time.monotonic() >= until:
                break
        return self._recorder.decisions(asked)

    def _one(self, line: bytes) -> tuple[Planned, tuple[Answer, ...]]:
        item = _planned(line)
        trials = range(self._repeats.of(item.entry.case.case_id))
        return item, tuple([self._engine.ask_inline(item.request(self._shown, trial)) for trial in trials])

    def _many(self, lines: Sequence[bytes], columns: Columns, seconds: float) -> Burst:
        case_ids: list[str] = decode_own_each(columns[0])
        inputs = decode_own_each(columns[2])
        asked = self._engine.ask_many(self._requests(case_ids, inputs), seconds)
        size = len(asked.raws)
        read = None if asked.errors else read_plain_answers(asked.raws, self._shown.labels, self._tolerance)
        if read is None:
            # What the backend did to an object that it was given does not reach the record.
            requests = self._requests(case_ids, decode_own_each(columns[2]))
            answers = self._engine.read_many(asked, requests)
            planned = map(_planned, lines[:size])
            return self._recorder.decisions([(item, (answer,)) for item, answer in zip(planned, answers, strict=True)])
        if size < len(lines):
            columns = [column[:size] for column in columns]
            case_ids = case_ids[:size]
        self._engine.budget.calls += size
        encoded = self._columns.encode(columns, read, asked.latencies)
        tally = self._tally()
        sources = fold_ids(case_ids if columns[0] == columns[1] else decode_own_each(columns[1]))
        expected = tally.places_of(columns[4])
        tally.add_answers(case_ids, sources, expected, read.probabilities, asked.latencies)
        return Burst(encoded.lines, size, 0, encoded.evidence, encoded.answers, tally, size)

    def _requests(self, case_ids: Sequence[str], inputs: Sequence[str]) -> Iterator[DecisionRequest]:
        shown = self._shown
        return (
            DecisionRequest(case_id=case_id, decision=shown, input=given)
            for case_id, given in zip(case_ids, inputs, strict=True)
        )


def _planned(line: bytes) -> Planned:
    pieces = pieces_of_line(line)
    case = pieces.case()
    return Planned(f"decision/{case.case_id}", CaseEntry(case, "", None, None), pieces=pieces)
