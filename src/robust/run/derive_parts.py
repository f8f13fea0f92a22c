"""Deriving a run again side by side: others check parts, and what only the whole run can tell is checked here."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Protocol

from robust.canon import JsonObject, leaf_hashes
from robust.errors import RobustError
from robust.records.contract import Contract
from robust.run.burst import burst_of
from robust.run.derive import Lines, RunChecker
from robust.run.pairs import BaseCase
from robust.run.parts import CheckedPart, DecisionPart, NumberedLine, PairPart, decision_parts, pair_parts
from robust.run.record_lines import RecordLines
from robust.run.reencode import base_of


class CheckingCrew(Protocol):
    """Those who check parts of a run."""

    def checked(self, parts: Iterator[DecisionPart | PairPart]) -> Generator[CheckedPart | None, None, None]:
        """What came of parts, in their order; None of one that has to be looked at closely."""
        ...


class SharedRunChecker(RunChecker):
    """Derives a run again from its records, with others who check parts of it; see :class:`RunChecker`.

    Args:
        contract: the contract that ran.
        mode: what ran: ``all``, ``golden`` or ``properties``.
        seed: the run's.
        backend: the backend's identity as the report declares it.
        file: the name of the records' file, for errors.
        report_file: that of the report.
        ordered: whether cases stand in the order of their ids, as those of a manifest do.
        crew: those who check parts.
        cases: how many decisions there should be.
    """

    def __init__(
        self,
        contract: Contract,
        *,
        mode: str,
        seed: int,
        backend: JsonObject,
        file: str,
        report_file: str,
        ordered: bool,
        crew: CheckingCrew,
        cases: int,
    ) -> None:
        super().__init__(
            contract, mode=mode, seed=seed, backend=backend, file=file, report_file=report_file, ordered=ordered
        )
        self._crew = crew
        self._declared = cases

    def _read_decisions(self, records: RecordLines) -> None:
        self._let_check_decisions(self._crew, records, self._declared)
        super()._read_decisions(records)

    def _read_generated(self, lines: Lines, records: RecordLines) -> None:
        self._let_check_pairs(self._crew, lines, records)

    def _let_check_decisions(self, crew: CheckingCrew, records: RecordLines, cases: int) -> None:
        """Let others check decisions; parts with anything that is not plain, and all behind them, are left to do."""
        waiting: deque[DecisionPart] = deque()

        def parts() -> Iterator[DecisionPart]:
            for part in decision_parts(records, cases):
                waiting.append(part)
                yield part

        results = crew.checked(parts())
        for checked in results:
            if checked is None or not self._accept_decisions(waiting[0], checked):
                results.close()
                records.put_back([line for part in waiting for line in part.lines])
                return
            waiting.popleft()

    def _let_check_pairs(self, crew: CheckingCrew, lines: Lines, records: RecordLines) -> None:
        """Let others check pairs; a part with anything that does not follow, and all behind it, are looked at here."""
        waiting: deque[tuple[PairPart, list[NumberedLine]]] = deque()

        def parts() -> Iterator[PairPart]:
            answered = self.summary.bases[0]
            decisions = ((line, answered.at(place)) for place, (_, line) in enumerate(islice(lines(), len(answered))))
            for part in pair_parts(decisions, records):
                waiting.append(part)
                yield part[0]

        results = crew.checked(parts())
        for checked in results:
            if checked is None:
                results.close()
                records.put_back([line for _, taken in waiting for line in taken])
                self._read_pairs(islice(self._bases(lines), waiting[0][0].place, None), records)
                return
            part, _ = waiting.popleft()
            self._take_in(checked.burst._replace(lines=part.lines))


class PartChecker(RunChecker):
    """Checks parts one by one, each by itself."""

    def check_part(self, part: DecisionPart | PairPart) -> CheckedPart | None:
        """Check a part by itself; None where it has to be looked at closely, by whoever has the whole.

        This checker must be used for nothing else.
        """
        self._tally, self._encoded, self._keeps = self.summary.tally(), [], True
        cases: list[bytes] = []
        try:
            if isinstance(part, DecisionPart):
                lines = [line for _, line in part.lines]
                matched = self._layout.matched(lines)
                if len(matched) == len(lines) and (whole := self._layout.part(lines, matched, self._tally)):
                    return whole
                for line in lines:
                    plain = self._again.decision(line)
                    if plain is None:
                        return None
                    plain.count_in(self._tally)
                    self._encoded.append(plain.encoded)
                    cases.append(plain.pieces.listed())
            else:
                own = RecordLines(enumerate(part.lines.split(b"\n")[:-1], start=1), self._file)
                self._read_pairs(_bases_of(part), own)
                if own.raw is not None:
                    return None
        except RobustError:
            self.problems.clear()
            return None
        if self.problems:
            self.problems.clear()
            return None
        burst = burst_of(self._encoded, 0, self._tally, 0) if self._encoded else None
        if burst is None:
            return None
        return CheckedPart(burst if cases else burst._replace(lines=b""), leaf_hashes(cases))


def _bases_of(part: PairPart) -> Iterator[BaseCase]:
    for offset, (line, answer) in enumerate(zip(part.bases.split(b"\n")[:-1], part.answers, strict=True)):
        yield base_of(part.place + offset, line, answer)
